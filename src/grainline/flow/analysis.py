"""`analyse`: files and edges in, findings out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grainline.flow.languages import semantics_of
from grainline.flow.program import Program
from grainline.flow.report import report
from grainline.flow.rows import Models
from grainline.flow.solver import Solver
from grainline.graph.results import Graph
from grainline.graph.world import Unit
from grainline.model.flow import FlowReport

FLOW_VERSION = 1
"""Of what is found in given IR, edges and models. 1: first."""


def analyse(
    units: Iterable[Unit],
    graph: Graph,
    models: Mapping[str, Models],
    *,
    stopped: bool = False,
) -> FlowReport:
    """Paths from sources to sinks in a visible set of files.

    Args:
        units: in any order; those of a language without semantics are left out.
        graph: their edges, as `graph.resolve` gives them.
        models: language -> rows.
        stopped: also paths that a guard or sanitizer stops, with verdict `NO_PATH`.
    """
    mine = [unit for unit in units if semantics_of(unit.language) is not None]
    program = Program(mine, graph)
    known = {unit.language: semantics_of(unit.language) for unit in mine}
    semantics = {name: found for name, found in known.items() if found is not None}
    solver = Solver(program, models, semantics)
    solver.solve()
    return report(solver, stopped=stopped)
