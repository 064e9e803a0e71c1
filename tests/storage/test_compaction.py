"""A store whose parts were merged and compacted answers, dumps and grows like one left alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.model.access import Scope, View
from grainline.model.snapshot import Mode, Outcome, RepositoryId, Snapshot
from grainline.storage.base import Corpus, Fingerprint, MemberEntry, RepositoryRecord
from grainline.storage.catalog import PartKind, PartRow
from grainline.storage.memory import MemoryCatalog, open_memory
from grainline.storage.paths import PathPart
from grainline.storage.store import PartStore
from helpers.batches import batch, key

PRINTS = [
    Fingerprint(chunker=name, chunker_version=1, options=(), features=(), tiling=tiling)
    for name, tiling in (("lines", True), ("window", False))
]
REPOS = [
    RepositoryRecord(
        id=RepositoryId(name), name=name, identity=name, root=name, prefix=b"", kind="bare"
    )
    for name in ("one", "two")
]


class Untouched(MemoryCatalog):
    """A catalog whose parts stay as they were written."""

    def owns(self, part: PartRow) -> bool:
        return False


def collect(store: PartStore, *, max_dead: float) -> None:
    with store.writer(PRINTS[0]) as writer:
        writer.collect(max_dead=max_dead)


def put(
    store: PartStore, which: Fingerprint, repo: RepositoryRecord, ref: str, files: Mapping[str, str]
) -> None:
    """Index `files` as one view, analysing only what the store does not know."""
    with store.writer(which) as writer:
        known = writer.known([key(text) for text in files.values()])
        new = sorted({text for text in files.values() if key(text) not in known})
        if new:
            writer.add(batch(new))
        entries = [
            MemberEntry(
                path.encode(), Mode.FILE, len(text), key(text), Outcome.INDEXED, None, "", ()
            )
            for path, text in sorted(files.items())
        ]
        commit = hashlib.sha1(f"{repo.id}{ref}".encode()).hexdigest()
        snapshot = Snapshot(repository=repo.id, ref=ref, commit=commit, version=commit, dirty=False)
        writer.commit(repo, View(repository=repo.id, ref=ref), snapshot, entries)


def answers(corpus: Corpus) -> list[object]:
    """What a corpus says of its scope; docs by their text."""
    entries = range(corpus.n_entries)
    places = [corpus.entries_of(doc) for doc in range(corpus.n_docs)]
    texts = [corpus.text(found[0].entry)[found[0].start : found[0].end] for found in places]
    terms = corpus.terms_containing(b"", limit=1 << 20)
    postings = [zip(*map(np.ndarray.tolist, corpus.postings(term)), strict=True) for term in terms]
    return [
        sorted(zip(texts, places, corpus.field_lengths.tolist(), strict=True)),
        [
            (term, sorted((texts[doc], cell) for doc, cell in rows))
            for term, rows in zip(terms, postings, strict=True)
        ],
        [
            corpus.path_postings(word).entries.tolist()
            for word in (b"a", b"py", b"b", b"test", b"deep")
        ],
        corpus.path_lengths.tolist(),
        [(name, corpus.symbols_named(name)) for name in corpus.symbol_names()],
        [
            (corpus.path(at), corpus.text(at), corpus.outline(at), corpus.imports(at))
            for at in entries
        ],
        [(corpus.chunks(at), corpus.references(at)) for at in entries],
    ]


def said(store: PartStore) -> list[object]:
    """Answers and canonical dump of every view, alone and, where they mix, together."""
    views = store.views()
    found: list[object] = []
    for tiling in sorted({view.fingerprint for view in views}):
        alike = tuple(view.view for view in views if view.fingerprint == tiling)
        scopes = [*((view,) for view in alike), alike]
        for scope in [Scope(views=scope) for scope in scopes]:
            corpus = store.corpus(scope)
            found += [answers(corpus), list(store.dump(scope))]
    return found


PATHS = ("a.py", "b/a.py", "b/c.py", "tests/c.py", "d.md", "e_f.go")
LINES = ("def alpha", "def beta", "use alpha", "y gamma", "y x", "naïve y")
contents = st.lists(st.sampled_from(LINES), min_size=1, max_size=4).map(
    lambda lines: "\n".join(lines) + "\n"
)
steps = st.tuples(
    st.sampled_from(REPOS),
    st.sampled_from(("main", "old")),
    st.sampled_from(PRINTS[:1] * 3 + PRINTS[1:]),
    st.dictionaries(st.sampled_from(PATHS), contents | st.just("skip a"), max_size=4),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, min_size=1, max_size=12), st.sampled_from((0.0, 0.3, 0.5)))
def test_a_compacted_store_answers_and_grows_like_one_left_alone(
    history: list[tuple], max_dead: float
) -> None:
    store, alone = open_memory(), PartStore(Untouched())
    for number, (repo, ref, which, files) in enumerate(history):
        for each in (store, alone):
            put(each, which, repo, ref, files)
        if number % 2:
            collect(store, max_dead=max_dead)
    assert said(store) == said(alone)
    assert all(ok for _, ok, _, _ in store.check())


def test_a_blob_that_comes_back_is_analysed_again_when_its_chunks_are_gone() -> None:
    """Its own part is mostly live and stays; the larger one that held its chunk does not."""
    store = open_memory()
    more, much = ("".join(f"def name_{at} {n}\n" for at in range(n)) for n in (900, 500))
    again = "y shared\ny own\n"
    put(store, PRINTS[0], REPOS[0], "main", {"a.py": "y shared\n" + more})
    put(store, PRINTS[0], REPOS[1], "main", {"b.py": again, "c.py": much})
    put(store, PRINTS[0], REPOS[0], "main", {})
    put(store, PRINTS[0], REPOS[1], "main", {"c.py": much})
    collect(store, max_dead=0.5)
    put(store, PRINTS[0], REPOS[1], "main", {"b.py": again, "c.py": much})
    corpus = store.corpus(Scope(views=(View(repository=REPOS[1].id, ref="main"),)))
    assert corpus.text(0) == again.encode()


def test_nothing_of_what_was_deleted_is_left_and_parts_stay_few() -> None:
    catalog = MemoryCatalog()
    store = PartStore(catalog)
    for number in range(40):
        text = f"def zanzibar{number}\ny kept\n" if number < 39 else "y kept\n"
        put(store, PRINTS[0], REPOS[0], "main", {f"zanzibar{number}.py": text, "k.py": "y kept\n"})
        assert len(catalog.pin().parts) < 10
    collect(store, max_dead=0.0)
    parts = catalog.pin().parts
    data = b"".join(bytes(catalog.buffer(part)) for part in parts)
    assert b"zanzibar1" not in data
    assert sum(part.size for part in parts) < 20_000


def test_path_parts_of_repositories_that_take_turns_become_one_each() -> None:
    catalog = MemoryCatalog()
    store, alone = PartStore(catalog), PartStore(Untouched())
    files: dict[str, str] = {}
    for number in range(6):
        files[f"z{number % 2}/deep/f{9 - number}.py"] = "y kept\n"
        for repo in REPOS:
            for each in (store, alone):
                put(each, PRINTS[0], repo, "main", {**files, f"{repo.name}.py": "y kept\n"})
    assert said(store) == said(alone)
    parts = [part for part in catalog.pin().parts if part.kind is PartKind.PATHS]
    assert len(parts) == 4, "six each without merging"
    ranges = sorted((part.base, part.base + part.count) for part in parts)
    assert ranges[1][0] < ranges[0][1], "the ranges of the two interlock"
    held = [path for part in parts for path in PathPart(catalog.buffer(part), "").paths if path]
    assert sorted(held) == sorted(
        [
            *(path.encode() for path in files),
            *(path.encode() for path in files),
            b"one.py",
            b"two.py",
        ]
    ), "a path that was merged is found: none has two numbers"
