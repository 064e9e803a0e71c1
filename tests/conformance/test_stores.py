"""Every store gives the same answers as the memory store, and never a row outside the scope."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.errors import BadInput, Damaged, Locked
from grainline.model.access import Scope, View
from grainline.model.chunk import N_FIELDS, Field
from grainline.model.search import Filters, TestFilter
from grainline.model.snapshot import (
    BlobId,
    Flag,
    FlagName,
    Mode,
    Outcome,
    Reason,
    RepositoryId,
    Snapshot,
)
from grainline.model.symbol import Definition, SymbolKind
from grainline.storage.base import (
    BlobContent,
    BlobKey,
    ContentBatch,
    Fingerprint,
    MemberEntry,
    RepositoryRecord,
)
from grainline.storage.memory import open_memory
from grainline.storage.segments import plan
from grainline.storage.sqlite import open_folder
from grainline.storage.store import PartStore

PRINT = Fingerprint(chunker="lines", chunker_version=1, options=(), features=(("tokens", 1),))
REPO = RepositoryRecord(
    id=RepositoryId("r1"), name="one", identity="/one", root="/one", prefix=b"", kind="bare"
)
OTHER = RepositoryRecord(
    id=RepositoryId("r2"), name="two", identity="/two", root="/two", prefix=b"", kind="bare"
)
MAIN = "refs/heads/main"


def snapshot(repo: RepositoryRecord, ref: str) -> Snapshot:
    commit = hashlib.sha1(f"{repo.id}{ref}".encode()).hexdigest()
    return Snapshot(repository=repo.id, ref=ref, commit=commit, version=commit, dirty=False)


def key(text: str) -> BlobKey:
    return BlobKey(hashlib.sha1(text.encode()).digest(), "python")


def batch(texts: list[str], *, tiling: bool = True) -> ContentBatch:
    """One chunk per line, one term per word in the body, `def NAME` lines are symbols."""
    blobs, definitions, starts, ends, symbols, keys, lengths = [], [], [], [], [], [], []
    counts: Counter[tuple[bytes, int, int]] = Counter()
    for text in texts:
        first_chunk, first_definition, at = len(starts), len(definitions), 0
        for line in text.splitlines(keepends=True):
            words = line.encode().split()
            chunk, symbol = len(starts), -1
            if words[:1] == [b"def"]:
                symbol = len(definitions) - first_definition
                name = words[1].decode()
                end = at + len(line)
                definitions.append(
                    Definition(
                        name, SymbolKind.FUNCTION, f"{name}().", at, end, at + 4,
                        at + 4 + len(name), at, end, at, at, -1,
                    )
                )  # fmt: skip
            for word in words:
                counts[word, chunk, Field.BODY] += 1
            starts.append(at)
            at += len(line)
            ends.append(at)
            symbols.append(symbol)
            keys.append(hashlib.md5(line.encode()).digest())
            lengths.append([0, 0, len(words), 0, 0, 0, 0])
        blobs.append(
            BlobContent(
                key=key(text),
                masked=BlobId(hashlib.sha256(text.encode()).hexdigest()),
                language="python",
                outcome=Outcome.INDEXED,
                reason=None,
                detail="",
                flags=(Flag(FlagName.SECRET, "x"),) if "secret" in text else (),
                encoding="utf-8",
                text=text.encode(),
                chunks=(first_chunk, len(starts)),
                definitions=(first_definition, len(definitions)),
                imports=(0, 0),
                references=(0, 0),
            )
        )
    vocabulary = sorted({word for word, _, _ in counts})
    number = {word: at for at, word in enumerate(vocabulary)}
    rows = sorted(
        number[word] << 40 | chunk << 8 | field << 5 | min(count, 31)
        for (word, chunk, field), count in counts.items()
    )
    n = len(starts)
    return ContentBatch(
        blobs=tuple(blobs),
        chunk_start=np.array(starts, np.uint32),
        chunk_end=np.array(ends, np.uint32),
        chunk_kind=np.zeros(n, np.uint8),
        chunk_symbol=np.array(symbols, np.int32),
        chunk_parent=np.full(n, -1, np.int32),
        chunk_part=np.zeros(n, np.uint16),
        chunk_parts=np.ones(n, np.uint16),
        chunk_tokens=np.array([length[2] for length in lengths], np.uint32),
        chunk_keys=np.frombuffer(b"".join(keys), np.uint8).reshape(-1, 16),
        chunk_lengths=np.array(lengths, np.uint16).reshape(-1, N_FIELDS),
        definitions=tuple(definitions),
        imports=(),
        reference_start=np.empty(0, np.uint32),
        reference_end=np.empty(0, np.uint32),
        reference_role=np.empty(0, np.uint8),
        vocabulary=tuple(vocabulary),
        rows=np.array(rows, np.uint64),
    )


def put(store: PartStore, repo: RepositoryRecord, ref: str, files: dict[str, str]) -> str:
    """Index `files` as one view, analysing only what the store does not know."""
    with store.writer(PRINT) as writer:
        known = writer.known([key(text) for text in files.values()])
        new = sorted({text for text in files.values() if key(text) not in known})
        if new:
            writer.add(batch(new))
        entries = [
            MemberEntry(
                path.encode(), Mode.FILE, len(text), key(text), Outcome.INDEXED, None, "",
                (Flag(FlagName.TEST, "path:tests/"),) if path.startswith("tests/") else (),
            )
            for path, text in sorted(files.items())
        ]  # fmt: skip
        view = View(repository=repo.id, ref=ref)
        return writer.commit(repo, view, snapshot(repo, ref), entries).generation


def scope(*views: tuple[RepositoryRecord, str]) -> Scope:
    return Scope(views=tuple(View(repository=repo.id, ref=ref) for repo, ref in views))


@pytest.fixture(params=["memory", "folder"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], PartStore]:
    """Opens a store: twice the same one for the folder store."""
    if request.param == "folder":
        return lambda: open_folder(str(tmp_path / "home"))
    store = open_memory()
    return lambda: store


def test_a_view_gives_back_its_texts_and_its_symbols(open_store: Callable[[], PartStore]) -> None:
    files = {"a.py": "def alpha x\ny z\n", "b.py": "y z\ny y z\n"}
    put(open_store(), REPO, MAIN, files)
    corpus = open_store().corpus(scope((REPO, MAIN)))
    assert {corpus.path(e).decode(): corpus.text(e).decode() for e in range(2)} == files
    assert corpus.n_docs == 3, "the line `y z` stands in two files and is one doc"
    assert [hit.entry for hit in corpus.symbols_named("alpha")] == [0]
    assert [hit.entry for hit in corpus.symbols_named("ALPHA")] == [0]
    assert corpus.symbol_names() == ("alpha",)
    rows = corpus.postings(b"y")
    assert sorted(rows.counts.tolist()) == [1, 2]
    assert set(rows.fields.tolist()) == {int(Field.BODY)}
    assert corpus.field_totals.tolist()[Field.BODY] == 3 + 2 + 3
    assert corpus.terms_containing(b"alp", limit=9) == (b"alpha",)


def test_a_view_answers_as_if_it_were_alone(open_store: Callable[[], PartStore]) -> None:
    mine = {"a.py": "def alpha x\ny z\n", "src/b.py": "y z\n"}
    store = open_store()
    put(store, OTHER, MAIN, {"secret.py": "def beta y\ny z\nq q\n"})
    put(store, REPO, "refs/heads/old", {"a.py": "def gone y\ny z\n"})
    put(store, REPO, MAIN, mine)
    alone = open_memory()
    put(alone, REPO, MAIN, mine)
    one, two = store.corpus(scope((REPO, MAIN))), alone.corpus(scope((REPO, MAIN)))
    assert facts(one) == facts(two)
    assert list(store.dump(scope((REPO, MAIN)))) == list(alone.dump(scope((REPO, MAIN))))


def facts(corpus: object) -> list[object]:
    """All that a corpus says of its scope, by content instead of by number."""
    from grainline.storage.corpus import ScopedCorpus

    assert isinstance(corpus, ScopedCorpus)
    texts = {}
    for doc in range(corpus.n_docs):
        place = corpus.entries_of(doc)[0]
        texts[doc] = corpus.text(place.entry)[place.start : place.end]
    terms = corpus.terms_containing(b"", limit=1000)
    return [
        corpus.n_docs,
        corpus.n_entries,
        corpus.field_totals.tolist(),
        terms,
        corpus.symbol_names(),
        [
            sorted((texts[d], cell) for d, cell in zip(*map(list, corpus.postings(t)), strict=True))
            for t in terms
        ],
        [corpus.path_postings(t).entries.tolist() for t in (b"a", b"py", b"src", b"secret")],
        corpus.snapshots,
        sorted(texts.values()),
    ]


def test_unscoped_statistics_would_be_noticed(open_store: Callable[[], PartStore]) -> None:
    store = open_store()
    put(store, OTHER, MAIN, {"secret.py": "def beta y\n"})
    put(store, REPO, MAIN, {"a.py": "y z\n"})
    both = facts(store.corpus(scope((REPO, MAIN), (OTHER, MAIN))))
    assert both != facts(store.corpus(scope((REPO, MAIN))))


def test_a_document_is_a_chunk_of_a_repository(open_store: Callable[[], PartStore]) -> None:
    store = open_store()
    put(store, REPO, MAIN, {"a.py": "y z\n"})
    put(store, OTHER, MAIN, {"b.py": "y z\n"})
    corpus = store.corpus(scope((REPO, MAIN), (OTHER, MAIN)))
    assert corpus.n_docs == 2
    assert corpus.postings(b"y").docs.tolist() == [0, 1]
    assert [corpus.path(entry) for entry in corpus.doc_entry.tolist()] == [b"a.py", b"b.py"]


def test_source_stands_for_a_chunk_before_its_test(open_store: Callable[[], PartStore]) -> None:
    store = open_store()
    put(store, REPO, MAIN, {"a/x.py": "y z\n", "tests/a.py": "y z\n", "z.py": "y z\n"})
    corpus = store.corpus(scope((REPO, MAIN)))
    paths = [corpus.path(place.entry) for place in corpus.entries_of(0)]
    assert paths == [b"a/x.py", b"z.py", b"tests/a.py"]


def test_filters_select_docs_and_leave_statistics(open_store: Callable[[], PartStore]) -> None:
    store = open_store()
    put(store, REPO, MAIN, {"a/x.py": "def f y\n", "tests/b.py": "y q\n", "c.md": "w w\n"})
    corpus = store.corpus(scope((REPO, MAIN)))

    def chosen(**options: object) -> list[bytes]:
        mask = corpus.select(Filters(**options))  # type: ignore[arg-type]
        assert mask is not None
        return sorted(corpus.path(corpus.doc_entry[doc]) for doc in np.flatnonzero(mask).tolist())

    assert chosen(paths=("a/",)) == [b"a/x.py"]
    assert chosen(paths=("*.md",)) == [b"c.md"]
    assert chosen(paths=("**/*.py",)) == [b"a/x.py", b"tests/b.py"]
    assert chosen(modules=("a.x",)) == [b"a/x.py"]
    assert chosen(kinds=("function",)) == [b"a/x.py"]
    assert chosen(languages=("python",), tests=TestFilter.NO) == [b"a/x.py", b"c.md"]
    assert corpus.select(Filters()) is None
    with pytest.raises(BadInput, match="no kind is called 'nope'"):
        corpus.select(Filters(kinds=("nope",)))


def test_nothing_known_is_analysed_again(open_store: Callable[[], PartStore]) -> None:
    put(open_store(), REPO, MAIN, {"a.py": "y z\n"})
    with open_store().writer(PRINT) as writer:
        assert writer.known([key("y z\n"), key("new\n")]) == {key("y z\n")}
    other = Fingerprint(chunker="grain", chunker_version=1, options=(), features=())
    with open_store().writer(other) as writer:
        assert writer.known([key("y z\n")]) == frozenset()


def test_a_chunk_is_stored_once(open_store: Callable[[], PartStore]) -> None:
    store = open_store()
    put(store, REPO, MAIN, {"a.py": "one two\nthree\n"})
    put(store, REPO, "refs/heads/b", {"a.py": "one two\nfour\n"})
    corpus = store.corpus(scope((REPO, MAIN), (REPO, "refs/heads/b")))
    assert corpus.n_docs == 3
    assert [corpus.text(entry) for entry in range(2)] == [b"one two\nfour\n", b"one two\nthree\n"]


def test_a_second_writer_is_refused_with_the_pid(open_store: Callable[[], PartStore]) -> None:
    import os

    with open_store().writer(PRINT), pytest.raises(Locked, match=str(os.getpid())):
        open_store().writer(PRINT)
    with open_store().writer(PRINT):
        pass


def test_removing_a_repository_leaves_no_trace_of_its_words(tmp_path: Path) -> None:
    store = open_folder(str(tmp_path))
    put(store, OTHER, MAIN, {"s.py": "def zanzibar q\n"})
    put(store, REPO, MAIN, {"a.py": "y z\n"})
    with store.writer(PRINT) as writer:
        writer.remove(OTHER.id)
    assert [status.repository.name for status in store.views()] == ["one"]
    data = b"".join(path.read_bytes() for path in sorted((tmp_path / "parts").iterdir()))
    assert b"zanzibar" not in data
    assert open_folder(str(tmp_path)).corpus(scope((REPO, MAIN))).n_docs == 1


def test_a_chunker_that_does_not_tile_keeps_the_text(open_store: Callable[[], PartStore]) -> None:
    loose = Fingerprint(chunker="w", chunker_version=1, options=(), features=(), tiling=False)
    text = "a b\nc\n"
    with open_store().writer(loose) as writer:
        writer.add(batch([text, "d\n"]))
        entry = MemberEntry(b"a", Mode.FILE, 6, key(text), Outcome.INDEXED, None, "", ())
        writer.commit(REPO, View(repository=REPO.id, ref=MAIN), snapshot(REPO, MAIN), [entry])
    corpus = open_store().corpus(scope((REPO, MAIN)))
    assert corpus.text(0) == text.encode()
    assert corpus.n_docs == 2
    assert corpus.postings(b"c").docs.tolist() == [1]
    assert corpus.field_totals[Field.BODY] == 3


def test_skipped_paths_are_listed_with_their_reason(open_store: Callable[[], PartStore]) -> None:
    with open_store().writer(PRINT) as writer:
        link = MemberEntry(
            b"l", Mode.SYMLINK, 3, None, Outcome.SKIPPED, Reason.SYMLINK, "to /etc", ()
        )
        writer.commit(REPO, View(repository=REPO.id, ref=MAIN), snapshot(REPO, MAIN), [link])
    store = open_store()
    ((_, entry),) = store.outcomes(scope((REPO, MAIN)))
    assert (entry.outcome, entry.reason, entry.detail) == ("skipped", "symlink", "to /etc")
    assert store.corpus(scope((REPO, MAIN))).n_entries == 0
    assert store.views()[0].counts == {Outcome.SKIPPED: 1}


def test_a_changed_byte_is_found_and_named(tmp_path: Path) -> None:
    store = open_folder(str(tmp_path))
    put(store, REPO, MAIN, {"a.py": "def alpha y\n" * 3})
    (part,) = (tmp_path / "parts").glob("*.segment")
    data = bytearray(part.read_bytes())
    data[data.index(b"alpha")] ^= 1
    part.write_bytes(data)
    again = open_folder(str(tmp_path))
    assert [name for name, ok, _, _ in again.check() if not ok] == [part.name]
    part.write_bytes(data[:-100])
    with pytest.raises(Damaged, match="manifest says"):
        open_folder(str(tmp_path)).corpus(scope((REPO, MAIN)))


def test_repair_keeps_what_is_sound_and_names_what_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "GROWTH", 99)  # small parts stay apart, as large ones do
    store = open_folder(str(tmp_path))
    put(store, REPO, MAIN, {"a.py": "def alpha y\nshared line\n"})
    put(store, OTHER, MAIN, {"b.py": "def beta y\n"})
    put(store, OTHER, "refs/heads/uses", {"c.py": "shared line\nown line\n"})
    first = min((tmp_path / "parts").glob("*.segment"))
    data = bytearray(first.read_bytes())
    data[data.index(b"alpha")] ^= 1
    first.write_bytes(data)
    again = open_folder(str(tmp_path))
    lost = again.repair()
    assert [(row.repository, row.ref) for row in lost] == [
        ("one", MAIN),
        ("two", "refs/heads/uses"),
    ], "a view whose chunks lie in the damaged part goes with it"
    assert all(ok for _, ok, _, _ in again.check())
    assert [(view.repository.name, view.view.ref) for view in again.views()] == [("two", MAIN)]
    assert again.corpus(scope((OTHER, MAIN))).text(0) == b"def beta y\n"
    with again.writer(PRINT) as writer:
        assert writer.known([key("shared line\nown line\n")]) == frozenset()
    put(again, OTHER, "refs/heads/uses", {"c.py": "shared line\nown line\n"})
    assert again.corpus(scope((OTHER, "refs/heads/uses"))).text(0) == b"shared line\nown line\n"


def test_a_missing_or_garbled_catalog_is_damage_and_can_be_repaired(tmp_path: Path) -> None:
    put(open_folder(str(tmp_path)), REPO, MAIN, {"a.py": "y z\n"})
    catalog = tmp_path / "catalog.sqlite"
    for spoil in (catalog.unlink, lambda: catalog.write_bytes(b"garbage" * 1000)):
        for beside in tmp_path.glob("catalog.sqlite-*"):
            beside.unlink()
        spoil()
        store = open_folder(str(tmp_path))
        assert not all(ok for _, ok, _, _ in store.check())
        with pytest.raises(Damaged):
            store.views()
        assert [row.repository for row in store.repair()] == [""]
        assert store.views() == ()
        put(store, REPO, MAIN, {"a.py": "y z\n"})
        assert all(ok for _, ok, _, _ in store.check())


files_strategy = st.dictionaries(
    st.sampled_from(["a.py", "b/a.py", "tests/c.py", "d.md"]),
    st.lists(st.sampled_from(["def f x", "y z", "q", "def g y"]), min_size=1, max_size=4).map(
        lambda lines: "\n".join(lines) + "\n"
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(files_strategy, min_size=1, max_size=4))
def test_any_history_dumps_as_a_rebuild(history: list[dict[str, str]]) -> None:
    store = open_memory()
    for files in history:
        put(store, REPO, MAIN, files)
    rebuilt = open_memory()
    put(rebuilt, REPO, MAIN, history[-1])
    assert list(store.dump(scope((REPO, MAIN)))) == list(rebuilt.dump(scope((REPO, MAIN))))
    assert facts(store.corpus(scope((REPO, MAIN)))) == facts(rebuilt.corpus(scope((REPO, MAIN))))
