"""`analyse`: files and edges in, findings out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grainline.flow import lifetime
from grainline.flow.asked import Asked
from grainline.flow.languages import semantics_of
from grainline.flow.program import Program
from grainline.flow.report import report, with_faults
from grainline.flow.rows import Models
from grainline.flow.solver import Solver
from grainline.graph.results import Graph
from grainline.graph.world import Unit
from grainline.model.flow import FlowQuestion, FlowReport


def analyse(
    units: Iterable[Unit],
    graph: Graph,
    models: Mapping[str, Models],
    *,
    stopped: bool = False,
    question: FlowQuestion | None = None,
) -> FlowReport:
    """Paths from sources to sinks in a visible set of files.

    Args:
        units: in any order; those of a language without semantics are left out.
        graph: their edges, as `graph.resolve` gives them.
        models: language -> rows.
        question: sources and sinks in place of what models say.
        stopped: also paths that a guard or sanitizer stops, with verdict `NO_PATH`.
    """
    units = list(units)
    mine = [unit for unit in units if semantics_of(unit.language) is not None]
    program = Program(mine, graph)
    known = {unit.language: semantics_of(unit.language) for unit in mine}
    semantics = {name: found for name, found in known.items() if found is not None}
    asked = None if question is None else Asked(program, question)
    solver = Solver(program, models, semantics, asked)
    solver.solve()
    found = report(solver, stopped=stopped)
    if question is not None:
        return found
    owned = {name: rows for name, rows in models.items() if rows.resources}
    held = [unit for unit in units if unit.language in owned]
    whole = program if all(unit.language in known for unit in held) else Program(held, graph)
    return with_faults(found, whole, lifetime.faults(whole, owned))
