"""The edges of a view: made from the IR of its files, kept, and reused as far as nothing changed.

A table is a value of kind `graph`. Its key names the repository and the generation of the view as
its reader sees it, so no edge, tier or number in it was ever made with a file that the reader may
not see. Files that could name each other make a component; one whose files and links are those of a
table that is kept is taken over, not resolved again. Bridges are made anew for the whole view.

    entries ─ IR (irs.py) ─ components ─ minus those of kept tables ─ graph.resolve ─ bridges ─ one table
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeAlias

from grainline.graph.bridges.base import BRIDGES, File, Ground, bridges, found_by
from grainline.graph.resolve import without_collector
from grainline.graph.rules.base import RULES, rules_of
from grainline.graph.table import joined
from grainline.graph.units import Unit
from grainline.indexing.answered import KIND as ASKED
from grainline.indexing.answered import asked_key
from grainline.indexing.irs import Fresh, Irs, Packed, Pieces, ir_key
from grainline.indexing.kept import (
    EXACT,
    KIND,
    Kept,
    Tables,
    ViewEdges,
    encode_kept,
    exact_key,
    graph_key,
    serves,
)
from grainline.indexing.lower import Lowered
from grainline.indexing.resolver import Report, Resolved, Resolver, silent
from grainline.indexing.workers import Crew
from grainline.languages.base import LANGUAGES
from grainline.model.access import View
from grainline.model.edge import Edge
from grainline.model.facts import FileFacts
from grainline.model.ir import FileIr
from grainline.model.irbytes import decode_ir
from grainline.model.snapshot import FlagName, Outcome
from grainline.model.symbol import Definition
from grainline.precise.servers.base import SERVERS
from grainline.retrieval.cache import derived as with_corpus
from grainline.storage.base import Corpus, Derived

SPARE = 1 << 20
"""Bytes of code of one scope whose edges are made for a question that can do without them."""

Elsewhere: TypeAlias = Callable[[Corpus, str], Kept | None]
"""(corpus of one view, key of its table) -> that table."""


def nowhere(corpus: Corpus, key: str) -> None:
    """No table."""
    del corpus, key


PIECE = 500
"""Files or edges of bridges that are looked at between two moments at which others may be served."""

MAX_SHAPING = 1 << 20
"""Bytes of a file that shapes module resolution; a larger one says nothing."""


class Read(NamedTuple):
    """The files of a view that have IR, and those that have none: their paths, with the word for why."""

    units: tuple[Unit, ...]
    unread: tuple[tuple[bytes, str], ...]


class Graphs:
    """Makes the tables of views, and keeps them.

    Args:
        derived: where tables are kept. IR is kept in memory only: on disk it would take .8 of
            the source.
        crew: starts what lowers blobs.
        report: is told how far it is.
        tables: over `derived`, when others use them too.
        fresh: IR that was made along with something else.
        elsewhere: gives tables that are made elsewhere, None for others.
    """

    def __init__(
        self,
        derived: Derived,
        crew: Callable[[], Crew[tuple[Lowered, ...]]],
        report: Report = silent,
        tables: Tables | None = None,
        fresh: Fresh | None = None,
        elsewhere: Elsewhere = nowhere,
    ) -> None:
        self._derived = derived
        self._irs = Irs(crew, fresh)
        self._report = report
        self._tables = tables or Tables(derived)
        self._resolver = Resolver(self._ir_of, report)
        self._elsewhere = elsewhere

    @contextmanager
    def together(self) -> Generator[None]:
        """For many views one after the other: one crew lowers for all of them."""
        with self._irs.sharing():
            yield

    def edges(self, corpus: Corpus, whole: str | None = None) -> ViewEdges:
        """The edges of the one view of `corpus`, as its reader may see them.

        Args:
            corpus: of one view.
            whole: the generation of the view with all its files, to look for exact edges.
        """
        key = _key_of(corpus)
        found = self._own(corpus, key)
        (view,) = corpus.scope.views
        if whole is None:
            return found
        said, exact = self._tables.exact_of(view, whole)
        mine = tuple(each for each in exact if serves(each, corpus))
        return self._tables.joint(key, found, said, mine)

    def _own(self, corpus: Corpus, key: str) -> ViewEdges:
        kept = self._tables.find(key) or self._elsewhere(corpus, key)
        if kept is None:
            with without_collector():
                kept = self._make(corpus, key)
            self.remember(key, kept)
        return kept.edges

    def remember(self, key: str, kept: Kept) -> None:
        """Keep a table; one that lacks what failed in passing only as long as there is room for it."""
        if not any(code.startswith("failed") for code, _ in kept.edges.left_out):
            self._derived.put(KIND, key, encode_kept(kept))
        self._tables.remember(key, kept)

    def held(self, key: str) -> Kept | None:
        """A table that need not be made."""
        return self._tables.find(key)

    def keep(self, views: Iterable[tuple[View, str]]) -> None:
        """Forget the tables that `views`, each with its generation, do not need."""
        rows = list(views)
        self._derived.keep(KIND, {graph_key(*row) for row in rows})
        self._derived.keep(EXACT, {exact_key(*row) for row in rows})
        self._derived.keep(
            ASKED, {asked_key(*row, name) for row in rows for name in SERVERS.names()}
        )

    # ------------------------------------------------------------------ making

    def _make(self, corpus: Corpus, key: str) -> Kept:
        read = self.read(corpus)
        before = partial(self._tables.relatives, key)
        found = self._resolver.resolve(read.units, shaping(corpus), corpus.fingerprint, before)
        return _whole(self.bridging(corpus, read, found))

    def bridging(self, corpus: Corpus, read: Read, found: Resolved) -> Generator[None, None, Kept]:
        """All edges of the view of `corpus`, of which those inside of languages are `found`; in pieces."""
        files = yield from _files(corpus, read.units)
        ground = Ground(files=files, table=found.table, named=partial(_named, corpus))
        edges: list[Edge] = []
        for rule in BRIDGES:
            told = found_by(rule, ground)
            while some := list(islice(told, PIECE)):
                edges += some
                yield
        left = Counter(code for _, code in read.unread)
        table = joined([found.table, bridges(edges)])
        return Kept(ViewEdges(table, tuple(sorted(left.items()))), found.components)

    def ir(self, key: bytes) -> Packed | None:
        """IR that is held."""
        return self._irs.held(key)

    def lowering(self, corpus: Corpus, entries: Mapping[bytes, int]) -> Pieces:
        """Make the IR that is not held, in pieces: what each waits for."""
        return self._irs.pieces(corpus, entries)

    def _ir_of(self, key: bytes) -> FileIr | None:
        packed = self._irs.held(key)
        return decode_ir(packed.ir(), size=0, checked=True) if packed and packed.data else None

    def read(self, corpus: Corpus, paths: Collection[bytes] | None = None) -> Read:
        """The IR of the one view of `corpus`, or of some of its files; what is not held is made."""
        mine = entries_of(corpus) if paths is None else _entries_at(corpus, paths)
        entries = {entry: ir_key(corpus, entry) for entry in mine}
        wanted = {ir: entry for entry, ir in entries.items()}
        have = self._irs.of(corpus, wanted, self._lowered)
        units = [
            self._unit(corpus, entry, ir, have[ir])
            for entry, ir in entries.items()
            if have[ir].data
        ]
        unread = [
            (corpus.path(entry), have[ir].code) for entry, ir in entries.items() if have[ir].code
        ]
        return Read(tuple(units), tuple(unread))

    def _unit(self, corpus: Corpus, entry: int, key: bytes, packed: Packed) -> Unit:
        language = corpus.language(entry)

        def ir() -> FileIr:
            return decode_ir(packed.ir(), size=0, checked=True)

        def outline() -> FileFacts:
            return FileFacts(language=language, parsed=True, definitions=corpus.outline(entry))

        words = partial(self._irs.mentions, key, packed)
        return Unit(corpus.path(entry), language, ir, outline, key, words)

    def _lowered(self, done: int, total: int) -> None:
        self._report("lower", done, total)


def _key_of(corpus: Corpus) -> str:
    (view,), (state,) = corpus.scope.views, corpus.snapshots
    return graph_key(view, state.generation)


def code_size(corpus: Corpus) -> int:
    """Bytes of the files whose edges are made."""
    return with_corpus(
        corpus, "code_size", lambda: sum(corpus.entry(at).size for at in entries_of(corpus))
    )


def entries_of(corpus: Corpus) -> list[int]:
    """Entries that are code of a language with a graph."""
    return _code_of(corpus, range(corpus.n_entries))


def _entries_at(corpus: Corpus, paths: Iterable[bytes]) -> list[int]:
    """Those of some paths."""
    return _code_of(corpus, sorted({at for path in paths for at in corpus.find_entries(path)}))


def _code_of(corpus: Corpus, entries: Iterable[int]) -> list[int]:
    minified = 1 << tuple(FlagName).index(FlagName.MINIFIED)
    plain = (corpus.entry_flags & minified) == 0
    known = {spec.name for spec in LANGUAGES if spec.lower and rules_of(spec.name) is not None}
    return [
        entry
        for entry in entries
        if plain[entry]
        and corpus.language(entry) in known
        and corpus.entry(entry).outcome is Outcome.INDEXED
    ]


def _whole(pieces: Generator[None, None, Kept]) -> Kept:
    """What a generator gives in the end."""
    while True:
        try:
            next(pieces)
        except StopIteration as end:
            kept: Kept = end.value
            return kept


def _named(corpus: Corpus, name: str) -> tuple[tuple[bytes, Definition], ...]:
    hits = corpus.symbols_named(name)
    return tuple((corpus.path(hit.entry), hit.definition) for hit in hits)


def _files(corpus: Corpus, units: Iterable[Unit]) -> Generator[None, None, tuple[File, ...]]:
    """What bridges stand on: every file whose text is kept, by path; in pieces."""
    known = {unit.path: unit for unit in units}
    flags: dict[int, frozenset[FlagName]] = {}
    files: list[File] = []
    for entry in range(corpus.n_entries):
        if corpus.entry(entry).outcome in (Outcome.INDEXED, Outcome.INDEXED_AS_TEXT):
            bits = int(corpus.entry_flags[entry])
            if bits not in flags:
                flags[bits] = _flags(bits)
            files.append(_file(corpus, entry, flags[bits], known.get(corpus.path(entry))))
        if entry % PIECE == PIECE - 1:
            yield
    return tuple(sorted(files, key=lambda file: file.path))


def _flags(bits: int) -> frozenset[FlagName]:
    return frozenset(name for at, name in enumerate(FlagName) if bits >> at & 1)


def _file(corpus: Corpus, entry: int, flags: frozenset[FlagName], unit: Unit | None) -> File:
    return File(
        path=corpus.path(entry),
        language=corpus.language(entry),
        flags=flags,
        read=partial(corpus.text, entry),
        outlined=partial(corpus.outline, entry),
        unit=unit,
    )


def shaping(corpus: Corpus) -> dict[str, bytes]:
    """The files that shape module resolution."""
    names = {name.encode() for rules in RULES for name in rules.shaping}
    endings = tuple(name[1:] for name in names if name.startswith(b"*"))
    found: dict[str, bytes] = {}
    for entry in range(corpus.n_entries):
        path = corpus.path(entry)
        if path[path.rfind(b"/") + 1 :] in names or path.endswith(endings):
            text = corpus.text(entry)
            if len(text) <= MAX_SHAPING:
                found[path.decode("utf-8", "surrogateescape")] = text
    return found
