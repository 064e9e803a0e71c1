"""Exact edges of a view: taken from a SCIP index or a language server, and kept.

What is kept belongs to one state of a view. It serves a reader only who may read every file of that
state which the index has seen: any of them may have decided what a name means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grainline.errors import BadInput
from grainline.graph.bridges.base import METHODS as BRIDGED
from grainline.graph.results import Graph
from grainline.graph.table import EdgeTable, table_of
from grainline.indexing.kept import (
    EXACT,
    Exact,
    encode_exact,
    exact_key,
    read_exact,
    rows_of,
)
from grainline.languages.base import LANGUAGES
from grainline.model.answers import ExactReport
from grainline.model.facts import FileFacts
from grainline.model.position import Span
from grainline.model.symbol import Reference, Role
from grainline.precise import File, Precise, edges
from grainline.precise import scip as reading
from grainline.precise.index import Index
from grainline.storage.base import Corpus, Derived

UTF8 = frozenset({"utf-8", "ascii", ""})


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
    found = edges(index, files_of(corpus), rows_of(known.without(BRIDGED)))
    tool = f"{index.tool} {index.version}".strip()
    return keep(corpus, found, derived, source=index.tool, tool=tool)


def keep(
    corpus: Corpus, found: Precise, derived: Derived, *, source: str, tool: str, said: bool = True
) -> ExactReport:
    """Keep what a source says of a state of a view, in the place of what it said before.

    Args:
        corpus: the view, unmasked.
        found: its edges.
        derived: of the home.
        source: names it; what others said stays.
        tool: what it calls itself.
        said: whether it said anything; if not, nothing changes.
    """
    (view,) = corpus.scope.views
    (state,) = corpus.snapshots
    table = table_of(Graph(edges=found.edges, unresolved=(), cuts=0))
    consumed = tuple(path for path in found.consumed if corpus.find_entries(path))
    if found.reading.matched and said:
        key = exact_key(view, state.generation)
        others = [
            each for each in read_exact(derived.get(EXACT, key) or b"") if each.source != source
        ]
        mine = Exact(source, table, consumed, len(found.comparison.contradicted))
        derived.put(EXACT, key, encode_exact(sorted((*others, mine), key=_source_of)))
    counts = {**found.comparison.counts(), "added": len(found.comparison.added)}
    return ExactReport(
        repository=state.repository,
        snapshot=state.snapshot,
        tool=tool,
        documents=found.reading.documents,
        matched=len(found.reading.matched),
        stale=found.reading.stale,
        unknown=len(found.reading.unknown),
        refused=found.reading.refused,
        unreadable=found.reading.unreadable,
        edges=len(found.edges),
        counts=tuple(sorted(counts.items())),
        contradicted=tuple(each.edge for each in found.comparison.contradicted),
    )


def _source_of(exact: Exact) -> str:
    return exact.source


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
