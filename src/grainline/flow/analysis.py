"""`analyse`: files and edges in, findings out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from grainline.flow import lifetime
from grainline.flow.asked import Asked
from grainline.flow.families import families
from grainline.flow.groups import Found, Group, Groups, Kept
from grainline.flow.languages import semantics_of
from grainline.flow.packages import unmatched
from grainline.flow.program import Program
from grainline.flow.report import report, together, torn, uses_of, with_faults
from grainline.flow.rows import Models
from grainline.flow.solver import Solver
from grainline.flow.variables import Variable
from grainline.graph.resolve import without_collector
from grainline.graph.results import Graph
from grainline.graph.units import Unit
from grainline.model.edge import Symbol
from grainline.model.flow import FlowQuestion, FlowReport

KEPT_FROM: Final = 32
"""Scopes of a group from which on what is found in it is kept: a smaller one is solved faster than many are read."""

Tell: TypeAlias = Callable[[int, int], None]
"""(functions that were looked at, all of them)."""


def _silent(done: int, total: int) -> None:
    """Tell nobody."""
    del done, total


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
    said: bytes = b"",
    kept: Kept | None = None,
    tell: Tell = _silent,
) -> FlowReport:
    """Paths from sources to sinks in a visible set of files.

    Args:
        units: in any order; those of a language without semantics are left out.
        graph: their edges, as `graph.resolve` gives them.
        models: language -> rows.
        question: sources and sinks in place of what models say.
        stopped: also paths that a guard or sanitizer stops, with verdict `NO_PATH`.
        part: what is looked at; without lifetimes. None: everything.
        said: names the rows and the code, as what is kept depends on them.
        kept: what was found before in groups of files that cannot meet others.
        tell: called now and then with the functions that were looked at, and all of them.
    """
    units = list(units)
    with without_collector():
        if question is not None or part is not None:
            return solved(
                units, graph, models, stopped=stopped, question=question, part=part, tell=tell
            ).report
        groups = Groups(models, said + bytes((stopped,)), kept)
        return _whole(groups, units, graph, models, stopped=stopped, kept=kept, tell=tell)


def _whole(
    groups: Groups,
    units: Sequence[Unit],
    graph: Graph,
    models: Mapping[str, Models],
    *,
    stopped: bool,
    kept: Kept | None,
    tell: Tell,
) -> FlowReport:
    found: list[Found] = []
    left: list[Group] = []
    for family in families(units, graph):
        for group in groups.of(family):
            known = None if kept is None else kept.get(group.key)
            if known is None:
                left.append(group)
            else:
                found.append(known)
    sizes = [sum(len(unit.ir.scopes) for unit in group.units) for group in left]
    done = 0
    for group, size in zip(left, sizes, strict=True):
        step = partial(_told, tell, done, sum(sizes))
        made = looked_at(group, groups, models, stopped=stopped, tell=step)
        if kept is not None and size >= KEPT_FROM:
            kept.put(group.key, made)
        found.append(made)
        done += size
    packages = unmatched(models, (each.uses for each in found))
    return together((each.report for each in found), packages)


def _told(tell: Tell, before: int, total: int, done: int, _: int) -> None:
    """Tell of one group as a part of all."""
    tell(before + done, total)


def looked_at(
    group: Group,
    groups: Groups,
    models: Mapping[str, Models],
    *,
    stopped: bool,
    tell: Tell = _silent,
) -> Found:
    """What is found in a group of files; where no data can get anywhere, only what is held too long."""
    if group.look.alive:
        made = solved(group.units, group.graph, models, stopped=stopped, tell=tell)
        return made._replace(look=group.look)
    owned = {name: rows for name, rows in models.items() if rows.resources}
    held = [unit for unit in group.units if unit.language in owned]
    known = (unit for unit in group.units if semantics_of(unit.language) is not None)
    report = FlowReport(paths=(), boundaries=tuple(sorted(set(torn(known)))))
    if held:
        program = Program(held, group.graph)
        report = with_faults(report, program, lifetime.faults(program, owned))
    return Found(report, groups.uses(group), group.look)


def solved(
    units: Sequence[Unit],
    graph: Graph,
    models: Mapping[str, Models],
    *,
    stopped: bool,
    question: FlowQuestion | None = None,
    part: Part | None = None,
    tell: Tell = _silent,
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
        solver.solve(tell)
        more = solver.lists.filled() - filled
        if not more:
            break
        if filled:  # the third time no list that a variable holds is trusted
            more |= solver.lists.trusted()
        solver.close()
        filled |= more  # what was tested against them is not known to be one of what is written
    found = Found(report(solver, stopped=stopped), uses_of(solver))
    solver.close()
    if question is not None or part is not None:
        return found
    owned = {name: rows for name, rows in models.items() if rows.resources}
    held = [unit for unit in units if unit.language in owned]
    whole = program if all(unit.language in known for unit in held) else Program(held, graph)
    return found._replace(report=with_faults(found.report, whole, lifetime.faults(whole, owned)))
