"""However content comes, the parts stay few and no byte is written often."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grainline.storage.segments.plan import GROWTH, MAX_BYTES, UNIT, Piece, plan

SPAN = 1 << 16


def most_parts(bytes_: int, numbers: int) -> float:
    """The bound of `plan`: a falling sequence in the last window, `GROWTH` parts in every other."""
    windows = bytes_ / MAX_BYTES + numbers / SPAN
    return 1 + log(max(min(bytes_, MAX_BYTES) / UNIT, 1)) / log(1.5) + GROWTH * windows


def most_writes(bytes_: int) -> float:
    """The bound of `plan`: the first, on coming, on closing, and one each time a part doubles."""
    return 3 + log(max(min(bytes_, MAX_BYTES) / UNIT, 1), 2)


class History:
    """Parts as commits leave them; each remembers how often its most written byte was written."""

    def __init__(self) -> None:
        self.parts: list[tuple[Piece, int]] = []
        self.bytes = self.numbers = self.most = self.moved = 0

    def commit(self, size: int, count: int) -> None:
        piece = Piece(base=self.numbers, count=count, size=max(size, UNIT))
        self.parts.append((piece, 1))
        self.bytes += piece.size
        self.numbers += count
        for start, end in reversed(plan([piece for piece, _ in self.parts])):
            self.parts[start:end] = [self._merge(self.parts[start:end])]
        self.most = max(self.most, len(self.parts))

    def _merge(self, parts: list[tuple[Piece, int]]) -> tuple[Piece, int]:
        first, last = parts[0][0], parts[-1][0]
        size = sum(piece.size for piece, _ in parts)
        self.moved += size
        count = last.base + last.count - first.base
        assert count <= SPAN
        assert size <= MAX_BYTES
        return Piece(base=first.base, count=count, size=size), 1 + max(n for _, n in parts)


commits = st.lists(
    st.tuples(
        st.one_of(st.integers(1, 40), st.integers(1, 800)).map(lambda units: units * UNIT),
        st.one_of(st.integers(0, 200), st.integers(0, SPAN)),
    ),
    min_size=1,
    max_size=80,
)
RULER = [
    (UNIT * size, size)
    for size in (1, 4, 1, 16, 1, 4, 1, 64, 1, 4, 1, 16, 1, 4, 1, 256, 1, 4, 1, 16, 1, 4, 1)
]


@settings(max_examples=150, deadline=None)
@given(commits)
@example([(UNIT, 1)] * 300)
@example([(UNIT * size, 1) for size in range(60, 0, -1)])
@example([(UNIT * size, 1) for size in range(1, 60)])
@example(RULER)
def test_parts_are_few_and_bytes_are_written_seldom(found: list[tuple[int, int]]) -> None:
    history = History()
    for size, count in found:
        history.commit(size, count)
        assert len(history.parts) <= most_parts(history.bytes, history.numbers)
    assert max(writes for _, writes in history.parts) <= most_writes(history.bytes)


def test_a_thousand_equal_commits() -> None:
    history = History()
    for _ in range(1000):
        history.commit(20_000, 12)
    assert history.most == 12
    assert 1 + history.moved / history.bytes == pytest.approx(5.11, abs=0.01), "writes per byte"


def pieces(*sizes: float, live: float = 1.0) -> list[Piece]:
    return [
        Piece(base=10 * at, count=10, size=int(size * UNIT), live=live)
        for at, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((), ()),
        ((1,), ()),
        ((1, 1), ()),
        ((1, 1, 1), ((0, 3),)),
        ((9, 1, 1, 1), ((1, 4),)),
        ((9, 3, 3, 1, 1, 1), ((1, 6),)),
        ((9, 9, 3, 3, 1, 1, 1), ((0, 7),)),
        ((9, 2, 5), ((1, 3),)),
        ((700, 1), ()),
        ((700, 1, 700), ((1, 3),)),
        ((400, 200, 1, 700), ((0, 2), (2, 4))),
        ((700, 100), ()),
        ((100, 700), ()),
        ((0.1, 0.1, 0.1, 0.1), ((0, 3),)),
    ],
    ids=lambda value: str(value).replace(" ", ""),
)
def test_which_neighbours_become_one(
    sizes: tuple[float, ...], expected: tuple[tuple[int, int], ...]
) -> None:
    assert plan(pieces(*sizes)) == expected


def test_a_part_that_is_mostly_dead_is_rewritten_alone() -> None:
    assert plan(pieces(40, live=0.5)) == ()
    assert plan(pieces(40, live=0.4)) == ((0, 1),)
    assert plan(pieces(40, live=0.999), max_dead=0) == ((0, 1),)
    assert plan(pieces(40, 3), max_dead=0) == ()
    mixed = [*pieces(40, 9, 9), Piece(base=30, count=1, size=UNIT * 90, live=0.1)]
    assert plan(mixed) == ((1, 4),), "nine units of it are left: it is one of three equals"


def test_only_what_fits_into_one_part_is_merged() -> None:
    far = [Piece(base=base, count=10, size=UNIT) for base in (0, 10, SPAN - 10, SPAN)]
    assert plan(far) == ((0, 3),)
    assert plan(far[1:]) == ((0, 3),)
    assert plan([far[0], *far[2:]]) == ()
    assert plan(far, max_span=20) == ()
