"""Filling a home with what follows from its text: edges, behind the generation that already answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from grainline.errors import Interrupted
from grainline.graph.table import TYPE_CODE, EdgeTable
from grainline.indexing.graphs import Elsewhere, Graphs, nowhere
from grainline.indexing.irs import Fresh, lowering_crew
from grainline.indexing.kept import Tables, ViewEdges
from grainline.indexing.lower import Lowered
from grainline.indexing.pipeline import IndexOptions, exhausted
from grainline.indexing.workers import Crew, cores
from grainline.model.access import View
from grainline.model.answers import EdgeReport, Progress
from grainline.model.edge import EdgeType
from grainline.storage.base import Corpus, Derived


def fill(
    corpora: Iterable[Corpus],
    everything: Iterable[tuple[View, str]],
    derived: Derived,
    options: IndexOptions,
    progress: Callable[[Progress], None] = lambda _: None,
    fresh: Fresh | None = None,
) -> tuple[EdgeReport, ...]:
    """Make and keep the edges of views, and forget those that no view needs.

    Args:
        corpora: of one view each, all of it.
        everything: all views of the home, each with its generation.
        derived: of the home.
        options: workers and their limits.
        progress: called now and then; stages are `lower` and `resolve`.
        fresh: IR that was made along with something else.

    Raises:
        Interrupted: by the user; edges that are missing are made when they are asked for.
        ResourceExhausted: disk or memory gave out.
    """
    graphs = graphs_in(derived, options, progress, fresh=fresh)
    try:
        found = tuple(_report(corpus, graphs.edges(corpus)) for corpus in corpora)
        graphs.keep(everything)
    except KeyboardInterrupt:
        raise Interrupted(
            "interrupted",
            "stopped before all edges were made; text and symbols are indexed and answer",
            hint="edges that are missing are made when they are asked for",
        ) from None
    except (OSError, MemoryError) as error:
        raise exhausted(error, "edges") from error
    return found


def graphs_in(
    derived: Derived,
    options: IndexOptions,
    progress: Callable[[Progress], None] = lambda _: None,
    tables: Tables | None = None,
    fresh: Fresh | None = None,
    warm: Callable[[], Crew[tuple[Lowered, ...]] | None] = lambda: None,
    elsewhere: Elsewhere = nowhere,
) -> Graphs:
    """What makes edges and keeps them in `derived`.

    Args:
        derived: of a home.
        options: workers and their limits.
        progress: called now and then.
        tables: those of `derived` that are held.
        fresh: IR that was made along with something else.
        warm: workers that run already and lower blobs, if there are some.
        elsewhere: gives tables that are made elsewhere.
    """

    def report(stage: str, done: int, total: int) -> None:
        progress(Progress(stage=stage, done=done, total=total))

    size = cores() if options.workers is None else options.workers

    def crew() -> Crew[tuple[Lowered, ...]]:
        return warm() or lowering_crew(size, options.limits)

    return Graphs(derived, crew, report, tables, fresh, elsewhere)


def _report(corpus: Corpus, edges: ViewEdges) -> EdgeReport:
    (state,) = corpus.snapshots
    table = edges.table
    return EdgeReport(
        repository=state.repository,
        snapshot=state.snapshot,
        edges=len(table),
        calls=_sites(table),
        calls_without_target=len(table.unresolved.src),
        left_out=edges.left_out,
        cuts=table.cuts,
    )


def _sites(table: EdgeTable) -> int:
    """Places of calls that have a target."""
    mine = table.edges.type == TYPE_CODE[EdgeType.CALLS]
    sites = np.stack((table.edges.src[mine], table.edges.start[mine].astype(np.int64)), axis=1)
    return len(np.unique(sites, axis=0))
