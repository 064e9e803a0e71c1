"""Exact edges of a view: taken from a SCIP index, kept, and joined with the edges of our own.

What is kept belongs to one state of a view. It serves a reader only who may read every file of that
state which the index has seen: any of them may have decided what a name means.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from grainline.errors import BadInput
from grainline.graph.bridges.base import METHODS as BRIDGED
from grainline.graph.results import Graph
from grainline.graph.table import EdgeTable, table_of
from grainline.graph.tablebytes import TABLE_VERSION
from grainline.indexing.tables import pack, paths_of, unpack, words_of
from grainline.languages.base import LANGUAGES
from grainline.model.access import View
from grainline.model.answers import ExactReport
from grainline.model.edge import Edge
from grainline.model.facts import FileFacts
from grainline.model.position import Span
from grainline.model.symbol import Reference, Role
from grainline.precise import File, edges, merge
from grainline.precise import scip as reading
from grainline.precise.index import Index
from grainline.storage.base import Corpus, Derived

KIND = "exact"
UTF8 = frozenset({"utf-8", "ascii", ""})
_MAGIC = b"GLX1"


class Exact(NamedTuple):
    """Exact edges, the paths that their source has seen, and how many edges of our own they contradict."""

    table: EdgeTable
    consumed: tuple[bytes, ...]
    contradicted: int


def read_index(data: bytes, name: str) -> Index:
    """A SCIP index as a file holds it.

    Raises:
        BadInput: it is none, or too large.
    """
    index = reading.read(data)
    if isinstance(index, Index):
        return index
    raise BadInput(
        "bad_scip", f"no SCIP index: {index.code}, {index.detail}", subject=name,
        hint="see docs/precise.md for how to make one",
    )  # fmt: skip


def take(corpus: Corpus, index: Index, known: EdgeTable, derived: Derived) -> ExactReport:
    """Keep what an index says of the one view of `corpus`, all of which is seen.

    Args:
        corpus: the view, unmasked.
        index: of the same files.
        known: the edges of our own.
        derived: of the home.
    """
    found = edges(index, files_of(corpus), _rows(known.without(BRIDGED)))
    (view,) = corpus.scope.views
    (state,) = corpus.snapshots
    table = table_of(Graph(edges=found.edges, unresolved=(), cuts=0))
    consumed = tuple(path for path in found.consumed if corpus.find_entries(path))
    kept = Exact(table, consumed, len(found.comparison.contradicted))
    if found.reading.matched:
        head = {"consumed": words_of(kept.consumed), "contradicted": kept.contradicted}
        derived.put(KIND, exact_key(view, state.generation), pack(_MAGIC, head, kept.table))
    return ExactReport(
        repository=state.repository,
        snapshot=state.snapshot,
        tool=f"{index.tool} {index.version}".strip(),
        documents=found.reading.documents,
        matched=len(found.reading.matched),
        stale=found.reading.stale,
        unknown=len(found.reading.unknown),
        refused=found.reading.refused,
        unreadable=found.reading.unreadable,
        edges=len(found.edges),
        counts=tuple(
            sorted({**found.comparison.counts(), "added": len(found.comparison.added)}.items())
        ),
        contradicted=tuple(each.edge for each in found.comparison.contradicted),
    )


def serves(exact: Exact, corpus: Corpus) -> bool:
    """Whether the reader of `corpus`, of one view, may read all that the index has seen."""
    return all(map(corpus.find_entries, exact.consumed))


def with_exact(table: EdgeTable, exact: EdgeTable) -> EdgeTable:
    """Both together; a call that has an exact target is not unresolved."""
    rows = merge(_rows(table), _rows(exact))
    sites = {(edge.src.path, edge.site) for edge in _rows(exact)}
    calls = (table.unresolved_call(number) for number in range(len(table.unresolved.src)))
    left = tuple(call for call in calls if (call.src.path, call.site) not in sites)
    return table_of(Graph(edges=rows, unresolved=left, cuts=table.cuts))


def exact_key(view: View, generation: str) -> str:
    """What the exact edges of a view belong to: one state of it."""
    said = f"{TABLE_VERSION}|{view.repository}|{view.ref}|{generation}".encode()
    return hashlib.blake2b(said, digest_size=24).hexdigest()


def _rows(table: EdgeTable) -> tuple[Edge, ...]:
    return tuple(table.edge(number) for number in range(len(table)))


def files_of(corpus: Corpus, entries: Iterable[int] | None = None) -> Iterator[File]:
    """Files whose stored bytes are their text: of others the places would not fit.

    Args:
        corpus: of one view.
        entries: of these; None: of all.
    """
    for entry in range(corpus.n_entries) if entries is None else entries:
        language = corpus.language(entry)
        if corpus.encoding(entry).lower() in UTF8 and language in LANGUAGES.names():
            yield File(corpus.path(entry), corpus.text(entry), _facts(corpus, entry, language))


def _facts(corpus: Corpus, entry: int, language: str) -> FileFacts:
    imports = corpus.imports(entry)
    spans = sorted({(each.start, each.end) for each in imports})
    references = corpus.references(entry)
    return FileFacts(
        language=language,
        parsed=True,
        definitions=corpus.outline(entry),
        imports=imports,
        import_spans=tuple(Span(*span) for span in spans),
        references=tuple(Reference(each.start, each.end, Role(each.role)) for each in references),
    )


def read_exact(value: bytes) -> Exact | None:
    """What `take` kept; None for what another version wrote."""
    found = unpack(_MAGIC, value)
    if found is None:
        return None
    head, table = found
    return Exact(table, paths_of(head["consumed"]), head["contradicted"])
