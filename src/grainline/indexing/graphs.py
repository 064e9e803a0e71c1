"""The edges of a view: made from the IR of its files, kept, and reused as far as nothing changed.

A table is a value of kind `graph`. Its key names the repository and the generation of the view as
its reader sees it, so no edge, tier or number in it was ever made with a file that the reader may
not see. Files that could name each other make a component; one whose files and links are those of a
table that is kept is taken over, not resolved again. Bridges are made anew for the whole view.

    entries ─ IR (irs.py) ─ components ─ minus those of kept tables ─ graph.resolve ─ bridges ─ one table
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from grainline.graph.bridges.base import METHODS, File, Ground, bridged
from grainline.graph.components import Memo
from grainline.graph.resolve import Component, solve, split, without_collector
from grainline.graph.results import Flows
from grainline.graph.rules.base import RULES, rules_of
from grainline.graph.table import EdgeTable, joined, table_of
from grainline.graph.units import Unit
from grainline.indexing.answered import KIND as ASKED
from grainline.indexing.answered import asked_key
from grainline.indexing.irs import Fresh, Irs, Packed, ir_key
from grainline.indexing.kept import (
    EXACT,
    KIND,
    RECENT,
    VERSIONS,
    Kept,
    Tables,
    ViewEdges,
    encode_kept,
    exact_key,
    graph_key,
    serves,
)
from grainline.indexing.lower import Lowered
from grainline.indexing.moved import Solved, change, likely, taken
from grainline.indexing.moved import solved as remembered
from grainline.indexing.workers import Crew
from grainline.languages.base import LANGUAGES
from grainline.model.access import View
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

MAX_SHAPING = 1 << 20
"""Bytes of a file that shapes module resolution; a larger one says nothing."""


class Read(NamedTuple):
    """The files of a view that have IR, and those that have none: their paths, with the word for why."""

    units: tuple[Unit, ...]
    unread: tuple[tuple[bytes, str], ...]


Report = Callable[[str, int, int], None]
"""(stage, done, all of it)"""


def silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""
    del stage, done, total


class Graphs:
    """Makes the tables of views, and keeps them.

    Args:
        derived: where tables are kept. IR is kept in memory only: on disk it would take .8 of
            the source.
        crew: starts what lowers blobs.
        report: is told how far it is.
        tables: over `derived`, when others use them too.
        fresh: IR that was made along with something else.
    """

    def __init__(
        self,
        derived: Derived,
        crew: Callable[[], Crew[tuple[Lowered, ...]]],
        report: Report = silent,
        tables: Tables | None = None,
        fresh: Fresh | None = None,
    ) -> None:
        self._derived = derived
        self._irs = Irs(crew, fresh)
        self._report = report
        self._tables = tables or Tables(derived)
        self._memo = Memo()
        self._solved: deque[Mapping[str, Solved]] = deque(maxlen=RECENT)

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
        kept = self._tables.find(key)
        if kept is None:
            with without_collector():
                kept = self._make(corpus, key)
            if not any(code.startswith("failed") for code, _ in kept.edges.left_out):
                self._derived.put(KIND, key, encode_kept(kept))
            self._tables.remember(key, kept)
        return kept.edges

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
        units, unread = self.read(corpus)
        left = Counter(code for _, code in unread)
        parts = split(units, _shaping(corpus), self._memo)
        named = {_digest(part, corpus): part for part in parts}
        tables, cuts = self._reuse(key, named)
        missing = [digest for digest in named if digest not in cuts]
        solved = {name: known for each in self._solved for name, known in each.items()}
        for done, digest in enumerate(missing):
            self._report("resolve", done, len(missing))
            table, apart, before = self._solved_part(key, named[digest], solved)
            tables.append(table)
            cuts[digest] = table.cuts
            solved[digest] = remembered(digest, named[digest], apart, before)
        self._solved.append({name: solved[name] for name in named if name in solved})
        own = replace(joined(tables), cuts=sum(cuts.values()))
        table = joined([own, bridged(_ground(corpus, own, units))])
        components = {
            digest: (tuple(unit.path for unit in part.units), cuts[digest])
            for digest, part in named.items()
        }
        return Kept(ViewEdges(table, tuple(sorted(left.items()))), components)

    def _solved_part(
        self, key: str, part: Component, solved: Mapping[str, Solved]
    ) -> tuple[EdgeTable, Mapping[bytes, Flows], Solved | None]:
        """The edges of a component, what its files do with functions, and what it was before."""
        for before in likely(solved.values(), part):
            found = change(part, before, self._ir_of)
            for kept in self._tables.relatives(key) if found is not None else ():
                if found is not None and before.digest in kept.components:
                    paths, cuts = kept.components[before.digest]
                    table = kept.edges.table.without(METHODS).only(paths)
                    now = taken(table, part, before, found)
                    if now is not None:
                        return replace(now[0], cuts=cuts), now[1], before
        graph = solve(part)
        return table_of(graph), graph.apart, None

    def _ir_of(self, key: bytes) -> FileIr | None:
        packed = self._irs.held(key)
        return decode_ir(packed.ir(), size=0, checked=True) if packed and packed.data else None

    def read(self, corpus: Corpus, paths: Collection[bytes] | None = None) -> Read:
        """The IR of the one view of `corpus`, or of some of its files; what is not held is made."""
        mine = _entries(corpus) if paths is None else _entries_at(corpus, paths)
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

    def _reuse(
        self, key: str, named: Mapping[str, Component]
    ) -> tuple[list[EdgeTable], dict[str, int]]:
        """What kept tables say of components: their edges, and digest -> what bounds cut."""
        tables: list[EdgeTable] = []
        cuts: dict[str, int] = {}
        for kept in self._tables.relatives(key):
            same = [name for name in named if name in kept.components and name not in cuts]
            if same:
                paths = [path for name in same for path in kept.components[name][0]]
                tables.append(kept.edges.table.without(METHODS).only(paths))
                cuts |= {name: kept.components[name][1] for name in same}
        return tables, cuts


def _key_of(corpus: Corpus) -> str:
    (view,), (state,) = corpus.scope.views, corpus.snapshots
    return graph_key(view, state.generation)


def code_size(corpus: Corpus) -> int:
    """Bytes of the files whose edges are made."""
    return with_corpus(
        corpus, "code_size", lambda: sum(corpus.entry(at).size for at in _entries(corpus))
    )


def _entries(corpus: Corpus) -> list[int]:
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


def _ground(corpus: Corpus, table: EdgeTable, units: Iterable[Unit]) -> Ground:
    """What bridges stand on: every file whose text is kept."""
    known = {unit.path: unit for unit in units}
    files = [
        _file(corpus, entry, known.get(corpus.path(entry)))
        for entry in range(corpus.n_entries)
        if corpus.entry(entry).outcome in (Outcome.INDEXED, Outcome.INDEXED_AS_TEXT)
    ]

    def named(name: str) -> tuple[tuple[bytes, Definition], ...]:
        hits = corpus.symbols_named(name)
        return tuple((corpus.path(hit.entry), hit.definition) for hit in hits)

    files.sort(key=lambda file: file.path)
    return Ground(files=tuple(files), table=table, named=named)


def _file(corpus: Corpus, entry: int, unit: Unit | None) -> File:
    bits = int(corpus.entry_flags[entry])
    return File(
        path=corpus.path(entry),
        language=corpus.language(entry),
        flags=frozenset(name for at, name in enumerate(FlagName) if bits >> at & 1),
        read=partial(corpus.text, entry),
        outlined=partial(corpus.outline, entry),
        unit=unit,
    )


def _shaping(corpus: Corpus) -> dict[str, bytes]:
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


def _digest(part: Component, corpus: Corpus) -> str:
    """Names all that the edges of a component depend on."""
    digest = hashlib.blake2b(f"{VERSIONS}|{corpus.fingerprint}".encode(), digest_size=16)
    for unit in part.units:
        digest.update(b"%d:" % len(unit.path) + unit.path + unit.key)
    digest.update(part.links)
    return digest.hexdigest()
