"""Numbers of a scope made from those of the generation before equal numbers made from scratch."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.model.access import WORKTREE, Scope, View
from grainline.model.snapshot import Flag, FlagName, Mode, Outcome, RepositoryId, Snapshot
from grainline.storage import renumbering
from grainline.storage.base import Fingerprint, MemberEntry, RepositoryRecord, Writer
from grainline.storage.catalog import NONE_GIVEN
from grainline.storage.corpus import ScopedCorpus
from grainline.storage.memory import open_memory
from grainline.storage.numbering import Numbering, ViewState, number
from grainline.storage.overlay import OverlayCatalog
from grainline.storage.renumbering import renumber
from grainline.storage.splice import splice
from helpers.batches import batch, key

PRINT = Fingerprint(chunker="lines", chunker_version=1, options=(), features=(), tiling=True)
REPOS = [
    RepositoryRecord(
        id=RepositoryId(name), name=name, identity=name, root=name, prefix=b"", kind="worktree"
    )
    for name in ("one", "two")
]
PATHS = ("a.py", "b/a.py", "b/c.py", "c.md", "tests/c.py", "z.py")
LINES = ("def alpha", "def beta", "use alpha", "y gamma", "y x", "x x x")
TEST = (Flag(FlagName.TEST, "path"),)
KEPT = "kept\ny x\n"
"""A file of each tree that nobody touches."""

texts = st.lists(st.sampled_from(LINES), min_size=1, max_size=4).map(
    lambda lines: "\n".join(lines) + "\n"
)
steps = st.tuples(
    st.sampled_from(REPOS),
    st.dictionaries(
        st.sampled_from(PATHS), st.none() | texts | st.just("skip a"), min_size=1, max_size=2
    ),
    st.booleans(),
    st.booleans(),
)
Step = tuple[RepositoryRecord, Mapping[str, str | None], bool, bool]
"""Whose files (None: delete) are written, whether they get another flag, whether nobody asks then."""


def member(path: str, text: str, *, test: bool = False) -> MemberEntry:
    flags = TEST if test else ()
    return MemberEntry(
        path.encode(), Mode.FILE, len(text), key(text), Outcome.INDEXED, None, "", flags
    )


def snapshot(repo: RepositoryRecord) -> Snapshot:
    commit = hashlib.sha1(repo.id.encode()).hexdigest()
    return Snapshot(repository=repo.id, ref=WORKTREE, commit=commit, version=commit, dirty=False)


def view(repo: RepositoryRecord) -> View:
    return View(repository=repo.id, ref=WORKTREE)


def store(writer: Writer, contents: list[str]) -> None:
    known = writer.known([key(text) for text in contents])
    new = sorted({text for text in contents if key(text) not in known})
    if new:
        writer.add(batch(new))


class Followed:
    """Work trees of two repositories in an overlay, with the scopes that are asked for."""

    def __init__(self) -> None:
        base = open_memory()
        with base.writer(PRINT) as writer:
            for repo in REPOS:
                files = {"a.py": "def alpha\ny x\n", "b/a.py": "y x\nuse alpha\n", "k.py": KEPT}
                store(writer, list(files.values()))
                entries = [member(*each) for each in files.items()]
                writer.commit(repo, view(repo), snapshot(repo), entries)
        self.store = base.overlaid()
        self.writer = self.store.writer(PRINT)
        self.scopes = [
            Scope(views=(view(REPOS[0]),)),
            Scope(views=tuple(map(view, REPOS))),
        ]
        self.hidden: dict[Scope, Numbering] = {}

    def apply(self, step: Step) -> None:
        """Write files, then merge small parts, or free all that is dead."""
        repo, files, test, quiet = step
        contents = [text for text in files.values() if text is not None]
        store(self.writer, contents)
        changed = [
            member(path, text, test=test)
            for path, text in sorted(files.items())
            if text is not None
        ]
        gone = [path.encode() for path, text in files.items() if text is None]
        self.writer.amend(repo, view(repo), snapshot(repo), view(repo), changed, gone)
        self.writer.tidy()
        if quiet:
            self.writer.collect()

    def check(self) -> None:
        """Every scope, and what is seen of it without folder `b`, as from scratch."""
        for scope in self.scopes:
            corpus = self.store.corpus(scope)
            assert isinstance(corpus, ScopedCorpus)
            views, content = corpus._views, corpus._content
            same(corpus.numbering, number(views, content))
            seen = [without_b(each) for each in views]
            whole = number(seen, content)
            before = self.hidden.get(scope)
            same(whole if before is None else renumber(before, seen, content), whole)
            self.hidden[scope] = whole


def without_b(state: ViewState) -> ViewState:
    mask = np.array([not path.startswith(b"b/") for path in state.membership.paths], np.bool_)
    return replace(state, mask=mask)


def same(one: Numbering, two: Numbering) -> None:
    assert (one.views, one.owners) == (two.views, two.owners)
    for name in ("entries", "places", "docs", "several"):
        mine, theirs = getattr(one, name), getattr(two, name)
        for column in mine._fields:
            a, b = getattr(mine, column), getattr(theirs, column)
            assert a.dtype == b.dtype, f"{name}.{column}"
            assert a.tolist() == b.tolist(), f"{name}.{column}"
    assert len(one.masked) == len(two.masked)
    for a, b in zip(one.masked, two.masked, strict=True):
        assert (a.segment, a.repository) == (b.segment, b.repository)
        assert (a.first, a.count) == (b.first, b.count)
        assert (a.ranks is None) == (b.ranks is None)
        assert a.ranks is None or a.ranks.tolist() == b.ranks.tolist()


def follow(history: list[Step]) -> None:
    trees = Followed()
    trees.check()
    for step in history:
        trees.apply(step)
        if not step[-1]:
            trees.check()
    trees.check()


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, min_size=1, max_size=10))
def test_numbers_follow_every_change(history: list[Step]) -> None:
    follow(history)


def histories(n: int) -> list[list[Step]]:
    draw = random.Random(3)

    def text() -> str | None:
        return draw.choice([None, "\n".join(draw.choices(LINES, k=draw.randint(1, 4))) + "\n"])

    return [
        [
            (
                draw.choice(REPOS),
                {draw.choice(PATHS): text() for _ in range(draw.randint(1, 2))},
                draw.random() < 0.3,
                draw.random() < 0.6,
            )
            for _ in range(24)
        ]
        for _ in range(n)
    ]


AGAIN: list[Step] = [
    (REPOS[0], {"a.py": "def beta\n"}, False, False),
    (REPOS[0], {"a.py": None}, False, True),
    (REPOS[0], {"a.py": "use alpha\nx x x\n"}, False, False),
]
"""What was behind all others is freed before something else comes in its place."""

FAULTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "entries keep their old numbers": lambda patch: patch.setattr(
        renumbering, "_renamed", lambda kept, old: old
    ),
    "a number is given out twice": lambda patch: patch.setattr(
        OverlayCatalog, "given", lambda self: NONE_GIVEN
    ),
    "sums are those of before": lambda patch: patch.setattr(
        renumbering,
        "_follow_lengths",
        lambda before, docs, content: (
            docs.splice.apply(before.docs.lengths, np.zeros((len(docs.fresh), 6), np.uint16)),
            before.docs.totals,
        ),
    ),
    "a doc that is found again is not looked for again": lambda patch: patch.setattr(
        renumbering, "_touched", lambda *_: renumbering.several_of(np.empty(0, np.int64))
    ),
    "all docs stay": lambda patch: patch.setattr(
        renumbering, "_among", lambda values, some: np.ones(len(values), np.bool_)
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_noticed(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    with pytest.raises((AssertionError, IndexError, ValueError)):  # noqa: PT012
        for history in [AGAIN, *histories(5)]:
            follow(history)


@pytest.mark.parametrize(
    "files",
    [{"a.py": "y x\n"}, {"z.py": "new one\n"}, {"a.py": None}, {"a.py": None, "z.py": "y x\n"}],
    ids=["edit", "new", "delete", "rename"],
)
def test_one_changed_file_numbers_nothing_from_scratch(
    files: Mapping[str, str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = Followed()
    trees.check()
    trees.apply((REPOS[0], files, False, False))
    monkeypatch.setattr(renumbering, "number", None)
    trees.check()


@given(st.data())
def test_a_splice_is_what_deleting_and_inserting_gives(data: st.DataObject) -> None:
    before = data.draw(st.integers(0, 12))
    some = st.lists(st.integers(0, max(before - 1, 0)), unique=True, max_size=before)
    removed = np.array(sorted(data.draw(some)), np.int64)
    places = np.array(sorted(data.draw(st.lists(st.integers(0, before), max_size=5))), np.int64)
    found = splice(before, removed, places)
    old, new = np.arange(before), np.arange(100, 100 + len(places))
    kept = [at for at in range(before) if at not in set(removed.tolist())]
    expected = sorted(
        [(at, 1, at) for at in kept]
        + [(place, 0, 100 + at) for at, place in enumerate(places.tolist())]
    )
    result = found.apply(old, new)
    assert result.tolist() == [value for _, _, value in expected]
    assert len(result) == found.after
    assert result[found.added].tolist() == new.tolist()
    stay = np.array(kept, np.int64)
    assert result[found.numbers(stay)].tolist() == kept
    assert found.renamed(stay.astype(np.int32)).tolist() == found.numbers(stay).tolist()
