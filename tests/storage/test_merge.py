"""A merged part says of every live number what its inputs said, and nothing of a dead one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.storage.content import Content
from grainline.storage.paths import PathPart, build_paths
from grainline.storage.segments.build import NO_SYMBOL, SegmentBuilder
from grainline.storage.segments.columns import Array, pack_columns
from grainline.storage.segments.layout import PATHS, SEGMENT, live_column
from grainline.storage.segments.merge import Live, Merged, merge_paths, merge_segments
from grainline.storage.segments.plan import find_live, live_share
from grainline.storage.segments.segment import ChunkIndex, Segment
from helpers.batches import batch

SYMBOL_CELLS = ("kinds", "starts", "parents")
WORDS = ("alpha", "beta", "gamma", "delta", "naïve", "x")

# --------------------------------------------------------------------------- what is merged


def build(parts: Sequence[Sequence[str]], *, tiling: bool = True) -> list[Segment]:
    """One segment per list of texts, numbered and shared as a writer does it."""
    segments: list[Segment] = []

    def known(keys: Array) -> Array:
        found = np.full(len(keys), -1, np.int64)
        for segment in segments:
            here = ChunkIndex(segment).find(keys)
            found = np.where(found < 0, here, found)
        return found

    for number, texts in enumerate(parts):
        last = segments[-1] if segments else None
        builder = SegmentBuilder(
            chunk_base=last.chunk_base + last.n_chunks if last else 7,
            blob_base=last.blob_base + last.n_blobs if last else 3,
            tiling=tiling,
            known=known,
        )
        for text in texts:
            builder.add(batch([text]))
        segments.append(Segment(pack_columns(builder.build().columns), f"{number}"))
    return segments


def opened(merged: Merged, name: str = "merged") -> Segment:
    segment = Segment(pack_columns(merged.columns), name)
    segment.verify()
    assert (segment.chunk_base, segment.n_chunks) == (merged.base, merged.count)
    assert (segment.blob_base, segment.n_blobs) == (merged.blob_base, merged.blobs)
    return segment


lines = st.lists(
    st.tuples(st.sampled_from(("def", "use", "y")), st.sampled_from(WORDS)).map(" ".join),
    min_size=1,
    max_size=4,
)
texts = st.one_of(
    lines.map(lambda found: "\n".join(found) + "\n"), st.sampled_from(("skip a", "skip b", ""))
)
histories = st.lists(st.lists(texts, min_size=1, max_size=4, unique=True), min_size=1, max_size=5)

# --------------------------------------------------------------------------- what they say


def said_of_blobs(segments: Sequence[Segment], blobs: Sequence[int]) -> list[object]:
    """All that a store says of `blobs`, with store-wide numbers."""
    content = Content(segments)
    found: list[object] = []
    for number in blobs:
        segment, local = content.blob(number)
        start, end = segment.places(local)
        places = {
            name: column.all()[start:end].tolist()
            for name, column in segment.columns.items()
            if name.startswith("place_") and name != "place_ends"
        }
        chunks = [content.chunk(chunk) for chunk in places["place_chunk"]]
        facts = segment.facts(local)
        text = segment.blob_text(local, content.chunk_text)
        found.append(
            (
                number,
                segment.masked(local),
                segment.meta(local),
                segment.blob_size(local),
                places,
                [(holder.chunk_id(at), holder.chunk_text(at)) for holder, at in chunks],
                [holder.columns["chunk_length"].all()[at].tolist() for holder, at in chunks],
                [int(holder.columns["chunk_tokens"].all()[at]) for holder, at in chunks],
                [bool(holder.closed[at]) for holder, at in chunks],
                facts.definitions,
                facts.imports,
                facts.references(text, 0, len(text)),
                text,
            )
        )
    return found


def said_of_words(segments: Sequence[Segment], live: Sequence[Live]) -> dict[str, object]:
    """Rows of every term and symbol that stand for live numbers, with store-wide numbers."""
    terms, symbols = defaultdict(list), defaultdict(list)
    for segment, alive in zip(segments, live, strict=True):
        assert alive.chunks is not None
        assert alive.blobs is not None
        for index, term in enumerate(segment.terms):
            for chunk, count in zip(*map(np.ndarray.tolist, segment.rows_of(index)), strict=True):
                if alive.chunks[chunk]:
                    terms[term].append((chunk + segment.chunk_base, count))
        columns = segment.columns
        for index, name in enumerate(segment.symbols):
            start, end = columns["symbol_rows"].all()[index : index + 2].tolist()
            for at in range(start, end):
                blob, row = columns["symbol_places"].all()[at].tolist()
                if alive.blobs[blob]:
                    cells = [int(columns[f"symbol_{cell}"].all()[at]) for cell in SYMBOL_CELLS]
                    above = b"" if cells[2] == NO_SYMBOL else segment.symbols[cells[2]]
                    symbols[name].append((blob + segment.blob_base, row, *cells[:2], above))
    return {
        "terms": {term: sorted(rows) for term, rows in terms.items()},
        "symbols": {name: sorted(rows) for name, rows in symbols.items()},
    }


def check(
    before: Sequence[Segment],
    after: Sequence[Segment],
    blobs: Sequence[int],
    *,
    only: Segment | None = None,
) -> None:
    """`after` says of `blobs` what `before` did; new parts (`only` this one) hold nothing else."""
    numbers = np.array(blobs, np.int64)
    old, new = find_live(before, numbers), find_live(after, numbers)
    assert said_of_blobs(after, blobs) == said_of_blobs(before, blobs)
    assert said_of_words(after, new) == said_of_words(before, old)
    for segment, live in zip(after, new, strict=True):
        assert live.chunks is not None
        assert live.blobs is not None
        if segment is only or (only is None and segment not in before):
            check_dead(segment, live)


def check_dead(segment: Segment, live: Live) -> None:
    """No byte and no row of a merged segment belongs to a dead number."""
    for ends, mask in (("chunk_ends", live.chunks), ("fact_ends", live.blobs)):
        assert not np.diff(segment.columns[ends].all())[~mask].any()
    assert not np.diff(segment.columns["place_ends"].all())[~live.blobs].any()
    assert live.chunks[segment.columns["post_chunk"].all()].all()
    assert live.blobs[segment.columns["symbol_places"].all()[:, 0]].all()
    for ends in ("post_ends", "symbol_rows"):
        assert (np.diff(segment.columns[ends].all().astype(np.int64)) > 0).all(), "words have rows"
    keys = segment.columns["chunk_key"].all()
    found = ChunkIndex(segment).find(keys)
    local = found[live.chunks] - segment.chunk_base
    assert live.chunks[local].all()
    assert (keys[local] == keys[live.chunks]).all()
    assert (found[~live.chunks] < 0).all(), "a dead chunk would be referred to again"


def merge_window(
    segments: Sequence[Segment], blobs: Sequence[int], start: int, end: int
) -> list[Segment]:
    live = find_live(segments, np.array(blobs, np.int64))
    window = list(zip(segments, live, strict=True))[start:end]
    return [*segments[:start], opened(merge_segments(window)), *segments[end:]]


def numbers_of(segments: Sequence[Segment]) -> list[int]:
    return Content(segments).blob_numbers().tolist()


# --------------------------------------------------------------------------- segments


@settings(max_examples=60, deadline=None)
@given(histories, st.booleans())
def test_a_merge_of_live_parts_is_the_part_written_at_once(
    history: list[list[str]], tiling: bool
) -> None:
    merged = merge_segments([(each, Live()) for each in build(history, tiling=tiling)])
    whole = build([[text for texts in history for text in texts]], tiling=tiling)[0]
    assert {name: (array.dtype, array.tolist()) for name, array in merged.columns.items()} == {
        name: (column.dtype, column.all().tolist()) for name, column in whole.columns.items()
    }


@settings(max_examples=80, deadline=None)
@given(histories, st.booleans(), st.data())
def test_what_is_live_reads_the_same_and_what_is_dead_is_gone(
    history: list[list[str]], tiling: bool, data: st.DataObject
) -> None:
    before = after = build(history, tiling=tiling)
    blobs = numbers_of(before)
    for _ in range(2):  # the second time, merged parts are merged again
        blobs = sorted(data.draw(st.sets(st.sampled_from(blobs)))) if blobs else []
        start = data.draw(st.integers(0, len(after) - 1))
        after = merge_window(after, blobs, start, data.draw(st.integers(start + 1, len(after))))
        check(before, after, blobs, only=after[start])
        again = merge_window(after, blobs, start, start + 1)
        assert pack_columns({name: c.all() for name, c in again[start].columns.items()}) == (
            pack_columns({name: c.all() for name, c in after[start].columns.items()})
        )


HISTORY = (
    ("def alpha\ny beta\n", "use alpha\n"),
    ("y gamma\ny beta\n", "skip it", "def delta\n"),
    ("def beta\nuse delta\n", "y x\n"),
)
ALIVE = (3, 6, 7, 8)  # of 3 to 9: `use alpha` and what lies around the middle are dead


def test_the_faults_below_start_from_a_sound_merge() -> None:
    before = build(HISTORY)
    check(before, merge_window(before, ALIVE, 0, 3), ALIVE)


def keep_dead(segments: list[Segment], live: list[Live]) -> Merged:
    return merge_segments([(segment, Live()) for segment in segments])


def drop_live(segments: list[Segment], live: list[Live]) -> Merged:
    assert live[0].chunks is not None
    live[0].chunks[int(np.flatnonzero(live[0].chunks)[0])] = False
    return merge_segments(list(zip(segments, live, strict=True)))


def shift_numbers(segments: list[Segment], live: list[Live]) -> Merged:
    merged = merge_segments(list(zip(segments, live, strict=True)))
    chunks = merged.columns["post_chunk"].copy()
    chunks[chunks == chunks.max()] -= 1
    return replace(merged, columns={**merged.columns, "post_chunk": chunks})


def shift_range(segments: list[Segment], live: list[Live]) -> Merged:
    merged = merge_segments(list(zip(segments, live, strict=True)))
    moved = merged.columns["base"] + np.array([1, 0, 0, 0])
    return replace(merged, columns={**merged.columns, "base": moved}, base=merged.base + 1)


def swap_texts(segments: list[Segment], live: list[Live]) -> Merged:
    merged = merge_segments(list(zip(segments, live, strict=True)))
    ends = merged.columns["chunk_ends"].copy()
    ends[1] += 1
    return replace(merged, columns={**merged.columns, "chunk_ends": ends})


@pytest.mark.parametrize("fault", [keep_dead, drop_live, shift_numbers, shift_range, swap_texts])
def test_a_fault_in_a_merge_is_noticed(
    fault: Callable[[list[Segment], list[Live]], Merged],
) -> None:
    before = build(HISTORY)
    live = find_live(before, np.array(ALIVE))
    after = [opened(fault(before, list(live)))]
    with pytest.raises((AssertionError, IndexError)):
        check(before, after, ALIVE)


def test_dead_ends_are_trimmed_and_a_dead_number_inside_costs_little() -> None:
    many = [f"def alpha\ny word{number}\n" for number in range(3000)]
    segments = build([["y first\n"], many, ["y last\n"]])
    sizes = {}
    for dead, blobs in (("none", [3, 3004]), ("ends", range(1000, 2000))):
        live = find_live(segments, np.array(blobs))
        merged = merge_segments(list(zip(segments, live, strict=True)))
        sizes[dead] = len(pack_columns(merged.columns))
        assert (merged.blob_base, merged.blobs) == (min(blobs), max(blobs) + 1 - min(blobs))
        check(segments, [opened(merged)], list(blobs))
    holed = opened(
        merge_segments(list(zip(segments, find_live(segments, np.array([3, 3004])), strict=True)))
    )
    every = Live(chunks=np.ones(holed.n_chunks, np.bool_), blobs=np.ones(holed.n_blobs, np.bool_))
    again = merge_segments([(holed, every)])
    assert len(pack_columns(again.columns)) == sizes["none"], "what is gone does not come back"
    alone = build([["y first\n"], ["y last\n"]])
    merged = merge_segments([(each, Live()) for each in alone])
    dead = 3000 + 3001
    assert (sizes["none"] - len(pack_columns(merged.columns))) / dead < 0.25, "bytes per number"


def test_a_part_without_anything_live_can_be_dropped_and_is_harmless() -> None:
    segments = build(HISTORY)
    live = find_live(segments, np.array([3]))
    assert [each.nothing for each in live] == [False, True, True]
    assert live_share(segments[1], live[1]) == 0
    assert 0 < live_share(segments[0], live[0]) < live_share(segments[0], Live()) == 1
    merged = opened(merge_segments([(segments[1], live[1])]))
    assert (merged.n_chunks, merged.n_blobs) == (0, 0)
    check(segments, [segments[0], merged, segments[2]], [3])


def test_a_range_without_chunks_hides_none_of_another_part() -> None:
    """The second part introduces blobs only: it begins where the third one does."""
    segments = build([["y x\n", "y beta\n"], ["y beta\ny x\n"], ["y gamma\n"]])
    assert [each.chunk_base for each in segments] == [7, 9, 9]
    blobs = numbers_of(segments)
    rewritten = merge_window(segments, blobs, 1, 2)
    check(segments, rewritten[::-1], blobs)


def test_a_column_without_a_rule_is_refused() -> None:
    (segment,) = build([["def alpha\n"]])
    made = {live_column(axis) for axis in SEGMENT.axes}
    assert set(segment.columns) == SEGMENT.names() - made
    columns = {name: column.all() for name, column in segment.columns.items()}
    other = Segment(pack_columns({**columns, "chunk_new": np.zeros(1)}), "other")
    with pytest.raises(ValueError, match="chunk_new"):
        merge_segments([(other, Live())])


def test_what_is_not_one_range_of_one_kind_is_refused() -> None:
    one, two = build([["y x\n"], ["y beta\n"]])
    (loose,) = build([["y x\n"]], tiling=False)
    with pytest.raises(ValueError, match="chunk ranges overlap"):
        merge_segments([(two, Live()), (one, Live())])
    with pytest.raises(ValueError, match="one fingerprint"):
        merge_segments([(one, Live()), (loose, Live())])
    columns = {name: column.all() for name, column in two.columns.items()}
    for base, count in ((7 + 65535, 65536), (7 + 65536, 65537)):
        far = {**columns, "base": columns["base"] * 0 + [base, 4, 1, columns["base"][3]]}
        parts = [(one, Live()), (Segment(pack_columns(far), "far"), Live())]
        if count > 65536:
            with pytest.raises(ValueError, match="65536 chunk numbers"):
                merge_segments(parts)
        else:
            assert opened(merge_segments(parts)).n_chunks == count


# --------------------------------------------------------------------------- paths


def path_parts(ranges: Sequence[tuple[int, Sequence[bytes]]]) -> list[PathPart]:
    return [
        PathPart(pack_columns(build_paths(sorted(paths), base)), f"{base}")
        for base, paths in ranges
    ]


def said_of_paths(parts: Sequence[PathPart], live: set[int]) -> tuple[object, dict]:
    rows = defaultdict(list)
    terms = sorted({term for part in parts for term in part._terms})
    for part in parts:
        for term in terms:
            for number, count in zip(*map(np.ndarray.tolist, part.term_rows(term)), strict=True):
                if number in live:
                    rows[term].append((number, count))
    paths = {
        part.base + at: (path, int(part.lengths[at]))
        for part in parts
        for at, path in enumerate(part.paths)
    }
    return dict(rows), {number: paths[number] for number in sorted(live)}


some_paths = st.lists(
    st.lists(st.sampled_from((b"src", b"alpha", b"b.py", b"a-b")), min_size=1, max_size=3).map(
        b"/".join
    ),
    min_size=1,
    max_size=6,
    unique=True,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), some_paths), min_size=1, max_size=4), st.data())
def test_merged_path_parts_answer_alike_for_live_paths(
    found: list[tuple[int, list[bytes]]], data: st.DataObject
) -> None:
    ranges, base = [], 0
    for number, (gap, names) in enumerate(found):  # a path stands in one part
        paths = [b"%s.%d" % (name, number) for name in names]
        ranges.append((base + gap, paths))
        base += gap + len(paths)
    before = path_parts(ranges)
    numbers = [part.base + at for part in before for at in range(len(part.paths))]
    live = data.draw(st.sets(st.sampled_from(numbers), min_size=1))
    masks = [np.array([part.base + at in live for at in range(len(part.paths))]) for part in before]
    merged = merge_paths([(part.columns, mask) for part, mask in zip(before, masks, strict=True)])
    after = PathPart(pack_columns(merged.columns), "merged")
    after.verify()
    assert (after.base, len(after.lengths)) == (min(live), max(live) + 1 - min(live))
    assert said_of_paths([after], live) == said_of_paths(before, live)
    dead = {after.base + at for at in range(merged.count)} - live
    assert said_of_paths([after], dead) == ({}, dict.fromkeys(sorted(dead), (b"", 0)))
    assert all(len(after.term_rows(term)[0]) for term in after._terms)
    held = {path: number for number, (path, _) in said_of_paths(before, live)[1].items()}
    assert {path: after.base + after.find(path) for path in held} == held
    assert [after.find(path) for path in (b"", b"0", b"zzz", b"src/none")] == [-1] * 4


def test_path_parts_have_the_columns_of_their_layout() -> None:
    (part,) = path_parts([(0, [b"a.py"])])
    assert set(part.columns) == PATHS.names() - {live_column("path"), "path_order"}
