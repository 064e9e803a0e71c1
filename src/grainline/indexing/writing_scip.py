"""The edges of one view as a SCIP index, as its reader may see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from grainline.errors import BadInput
from grainline.graph.bridges.base import METHODS as BRIDGED
from grainline.graph.table import TYPE_CODE, EdgeTable
from grainline.indexing.exact import files_of
from grainline.model.edge import Edge
from grainline.model.relations import GraphOptions, ScipResult
from grainline.model.search import SnapshotState
from grainline.precise.files import File
from grainline.precise.scip_export import Naming, export, write
from grainline.retrieval.relations.book import Book
from grainline.retrieval.relations.kept import Kept
from grainline.retrieval.relations.views import ViewGraph, check
from grainline.retrieval.relations.whole import coverage_of
from grainline.storage.base import Corpus

FORMLESS = "edges without a form in SCIP"


def scip(
    corpus: Corpus, graphs: Sequence[ViewGraph], options: GraphOptions, tool: str
) -> ScipResult:
    """The index of the files and edges that pass the filters; no file is read again.

    Edges that bridges found are left out: SCIP says what code means, not what stands for what.

    Args:
        corpus: of one view.
        graphs: of its views, as its reader may see them.
        options: types of edges, floor and filters.
        tool: version of what writes it.

    Raises:
        BadInput: several views, no graph, or a filter that cannot be meant.
    """
    if len(graphs) != 1:
        raise BadInput(
            "several_views",
            f"a SCIP index is of one state of one repository, and {len(graphs)} are in scope",
            hint="choose one: --repo NAME --ref REF",
        )
    check(graphs)
    (graph,) = graphs
    (state,) = corpus.snapshots
    assert graph.table is not None, "checked"
    naming = Naming(package=state.repository, version=_version(state), tool=tool)
    edges = _edges(corpus, graph, graph.table.without(BRIDGED), options)
    found = export(_files(corpus, options), edges, naming)
    coverage = coverage_of(corpus, graphs, options, graph.table.cuts)
    if found.formless:
        left = (*coverage.not_covered, (FORMLESS, found.formless))
        coverage = replace(coverage, not_covered=left)
    return ScipResult(
        data=write(found.index),
        repository=naming.package,
        version=naming.version,
        documents=len(found.index.documents),
        edges=found.said,
        coverage=coverage,
    )


def _version(state: SnapshotState) -> str:
    """Names one state of the files."""
    snapshot = state.snapshot
    return snapshot.commit if snapshot.commit and not snapshot.dirty else state.generation


def _files(corpus: Corpus, options: GraphOptions) -> Iterator[File]:
    kept = corpus.select_entries(options.filters)
    return files_of(corpus, None if kept is None else np.flatnonzero(kept).tolist())


def _edges(
    corpus: Corpus, graph: ViewGraph, table: EdgeTable, options: GraphOptions
) -> Iterator[Edge]:
    """Edges of the types and tiers that are asked for, both ends of which pass the filters."""
    book, kept = Book(corpus), Kept(corpus, options.filters)
    symbols = map(table.symbol, range(len(table.keys)))
    fits = np.array([kept.takes(book.file(graph.view, each.path), each) for each in symbols], bool)
    rows = table.edges
    types = [TYPE_CODE[kind] for kind in options.types]
    wanted = np.isin(rows.type, types) & (rows.tier <= options.floor)
    for number in np.flatnonzero(wanted & fits[rows.src] & fits[rows.dst]).tolist():
        yield table.edge(number)
