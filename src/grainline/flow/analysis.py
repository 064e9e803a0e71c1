"""`analyse`: files and edges in, findings out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from grainline.flow import lifetime
from grainline.flow.asked import Asked
from grainline.flow.families import families
from grainline.flow.groups import Group, Groups
from grainline.flow.languages import semantics_of
from grainline.flow.packages import Uses, unmatched
from grainline.flow.program import Program
from grainline.flow.report import report, together, uses_of, with_faults
from grainline.flow.rows import Models
from grainline.flow.solver import Solver
from grainline.flow.variables import Variable
from grainline.graph.resolve import without_collector
from grainline.graph.results import Graph
from grainline.graph.units import Unit
from grainline.model.edge import Symbol
from grainline.model.flow import FlowQuestion, FlowReport


class Part(NamedTuple):
    """A part of a program that is looked at: functions, and all that they call in the files given.

    Where an edge leads out of those files, data is taken to go on, as where code is not there.

    Attributes:
        symbols: the functions.
        work: most work (`solver.WORK`); what it cuts is a boundary.
    """

    symbols: frozenset[Symbol]
    work: int


def analyse(
    units: Iterable[Unit],
    graph: Graph,
    models: Mapping[str, Models],
    *,
    stopped: bool = False,
    question: FlowQuestion | None = None,
    part: Part | None = None,
) -> FlowReport:
    """Paths from sources to sinks in a visible set of files.

    Args:
        units: in any order; those of a language without semantics are left out.
        graph: their edges, as `graph.resolve` gives them.
        models: language -> rows.
        question: sources and sinks in place of what models say.
        stopped: also paths that a guard or sanitizer stops, with verdict `NO_PATH`.
        part: what is looked at; without lifetimes. None: everything.
    """
    units = list(units)
    with without_collector():
        return _whole(units, graph, models, stopped=stopped, question=question, part=part)


def _whole(
    units: Sequence[Unit],
    graph: Graph,
    models: Mapping[str, Models],
    *,
    stopped: bool,
    question: FlowQuestion | None,
    part: Part | None,
) -> FlowReport:
    if question is not None or part is not None:
        return solved(units, graph, models, stopped=stopped, question=question, part=part).report
    groups = Groups(models)
    found = [
        looked_at(group, groups, models, stopped=stopped)
        for family in families(units, graph)
        for group in groups.of(family)
    ]
    packages = unmatched(models, (each.uses for each in found))
    return together((each.report for each in found), packages)


class Found(NamedTuple):
    """What was found in some files, and what they use."""

    report: FlowReport
    uses: Uses


def looked_at(
    group: Group, groups: Groups, models: Mapping[str, Models], *, stopped: bool
) -> Found:
    """What is found in a group of files; where no data can get anywhere, only what is held too long."""
    if group.look.alive:
        return solved(group.units, group.graph, models, stopped=stopped)
    owned = {name: rows for name, rows in models.items() if rows.resources}
    held = [unit for unit in group.units if unit.language in owned]
    report = FlowReport(paths=())
    if held:
        program = Program(held, group.graph)
        report = with_faults(report, program, lifetime.faults(program, owned))
    return Found(report, groups.uses(group))


def solved(
    units: Sequence[Unit],
    graph: Graph,
    models: Mapping[str, Models],
    *,
    stopped: bool,
    question: FlowQuestion | None = None,
    part: Part | None = None,
) -> Found:
    """What is found in files that may meet, whatever may be found there."""
    mine = [unit for unit in units if semantics_of(unit.language) is not None]
    program = Program(mine, graph, None if part is None else part.symbols)
    known = {unit.language: semantics_of(unit.language) for unit in mine}
    semantics = {name: found for name, found in known.items() if found is not None}
    filled: frozenset[Variable] = frozenset()
    while True:
        asked = None if question is None else Asked(program, question)
        work = None if part is None else part.work
        solver = Solver(program, models, semantics, asked, work, filled)
        solver.solve()
        more = solver.lists.filled() - filled
        if not more:
            break
        if filled:  # the third time no list that a variable holds is trusted
            more |= solver.lists.trusted()
        filled |= more  # what was tested against them is not known to be one of what is written
    found = Found(report(solver, stopped=stopped), uses_of(solver))
    if question is not None or part is not None:
        return found
    owned = {name: rows for name, rows in models.items() if rows.resources}
    held = [unit for unit in units if unit.language in owned]
    whole = program if all(unit.language in known for unit in held) else Program(held, graph)
    return found._replace(report=with_faults(found.report, whole, lifetime.faults(whole, owned)))
