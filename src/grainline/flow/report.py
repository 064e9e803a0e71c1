"""From what the solver found to findings: paths with their steps, verdicts and reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow.asked import ASKED, LOST, Asked
from grainline.flow.credentials import ROW
from grainline.flow.instances import through_instances
from grainline.flow.locks import LOCKING
from grainline.flow.packages import Uses, unmatched
from grainline.flow.permission import is_selected, sink_row
from grainline.flow.reading import CWE, SEVERITIES
from grainline.flow.rows import KINDS, TEXT, SinkRow
from grainline.flow.summaries import Hit
from grainline.flow.surroundings import ONWARD
from grainline.flow.values import Free, Port, Source, Taint, Trail
from grainline.model.edge import Tier
from grainline.model.flow import (
    BROKEN_SOURCE,
    Boundary,
    Cut,
    FlowPath,
    FlowReport,
    FlowStep,
    FlowWay,
    Role,
    Severity,
)
from grainline.model.ir import Op
from grainline.model.position import Span
from grainline.model.relations import Verdict

if TYPE_CHECKING:
    from grainline.flow.lifetime import Fault
    from grainline.flow.program import Code, Program
    from grainline.flow.solver import Solver
    from grainline.graph.units import Unit

MAX_ALTERNATES: Final = 4
"""Ways of one finding that are told beside its best one; all are counted."""

MAX_STEPS = 200
"""Steps of a path that are shown; the ones in the middle of a longer one are left out."""

LOOKED_AT: Final = 4 * MAX_STEPS
"""Steps at each end of a way that are looked at, where it is longer than both."""


UNTIL = "until"
"""The operator that the test of a loop is."""


class _Found(NamedTuple):
    """A source that reaches a sink."""

    source: Source
    hit: Hit
    taint: Taint


def report(solver: Solver, *, stopped: bool = False) -> FlowReport:
    """All findings; with `stopped`, those too that a guard or sanitizer stops."""
    groups: dict[tuple[object, ...], list[_Found]] = {}
    lost: list[_Found] = []
    for each in _found(solver):
        if each.hit.row == ONWARD:
            continue
        if each.hit.kind == LOST:
            lost.append(each)
        else:
            groups.setdefault(_group(each, solver.asked), []).append(each)
    _settle_owned(groups)
    paths = [path for group in groups.values() for path in _paths(solver, group, stopped)]
    if solver.asked is None:
        told = {_sink_of(path) for path in paths}
        paths += [path for path in _patterns(solver) if _sink_of(path) not in told]
    paths.sort(key=_order)
    known = _boundaries(solver.program, solver.boundaries())
    boundaries = tuple(sorted({*known, *torn(solver.program.units)}))
    return FlowReport(
        paths=tuple(paths),
        boundaries=boundaries,
        unmatched=unmatched(solver.models, (uses_of(solver),)),
        frontier=tuple(
            sorted(
                {
                    *(_lost(solver, each.hit) for each in lost),
                    *_handed_in(solver),
                    *through_instances(solver),
                }
            )
        ),
        absent=() if solver.asked is None else solver.asked.absent(),
    )


def together(reports: Iterable[FlowReport], packages: tuple[str, ...]) -> FlowReport:
    """Reports on several sets of files, nothing of which was asked about, as one.

    Args:
        reports: of each.
        packages: those that are imported in any of them, and of which nothing is used.
    """
    several = tuple(reports)
    return FlowReport(
        paths=tuple(sorted((path for each in several for path in each.paths), key=_order)),
        boundaries=tuple(sorted(row for each in several for row in each.boundaries)),
        unmatched=packages,
    )


def _handed_in(solver: Solver) -> Iterator[Boundary]:
    """Functions whose arguments get to a sink that is asked about, and that nobody here calls.

    Only where any source counts: what their callers hand in is not known.
    """
    if solver.asked is None or solver.asked.question.sources:
        return
    program = solver.program
    called = {(target.unit, target.scope) for targets in program.calls.values()
              for target in targets} | set(solver.modelled.entered_places())  # fmt: skip
    for (place, _), summary in solver.summaries.items():
        if place in called:
            continue
        if any(hit.kind == ASKED and isinstance(hit.origin, Port) for hit in summary.hits):
            code, row = program.codes[place[0]], program.scope(place)
            span = Span(row.name_start, row.name_start + len(code.names[row.name].encode()))
            yield Boundary(code.path, span, Cut.INJECTION, f"arguments of {code.names[row.name]}")


def _settle_owned(groups: dict[tuple[object, ...], list[_Found]]) -> None:
    """Where nothing is checked at all, it is not asked beside that whose a thing is."""
    open_ = {(each.hit.unit, each.hit.op) for group in groups.values() for each in group
             if _kind(each.hit) == "permission" and not each.hit.stopped}  # fmt: skip
    for key, group in list(groups.items()):
        if _kind(group[0].hit) == "ownership" and (group[0].hit.unit, group[0].hit.op) in open_:
            del groups[key]


def _kind(hit: Hit) -> str:
    return KINDS[hit.kind] if hit.kind < len(KINDS) else ""


def _group(each: _Found, asked: Asked | None) -> tuple[object, ...]:
    """What is one finding: a sink, or a source that reaches the sinks that are asked about."""
    hit = each.hit
    if asked is not None and hit.kind == ASKED:
        return (each.source,)
    return hit.unit, hit.op, hit.row, hit.kind


def _lost(solver: Solver, hit: Hit) -> Boundary:
    code = solver.program.codes[hit.unit]
    name = solver.cuts.get((hit.unit, hit.op, hit.row), "")
    return Boundary(code.path, code.span(hit.op), Cut(hit.row), name)


def _sink_of(path: FlowPath) -> tuple[bytes, Span, str]:
    """Where a finding ends, and as what: one with data says more than a pattern."""
    return path.steps[-1].path, path.steps[-1].span, path.kind


def _order(path: FlowPath) -> tuple[bytes, Span, str, str, bytes, Span]:
    first, last = path.steps[0], path.steps[-1]
    return last.path, last.span, path.kind, path.rule, first.path, first.span


# ---------------------------------------------------------------------------- sources that arrive


def _found(solver: Solver) -> Iterator[_Found]:
    """Every source that reaches a sink, through variables that are shared, too."""
    for hit, taint in solver.found.items():
        if isinstance(hit.origin, Source) and _is_for(solver, hit.origin, hit, taint):
            settled = solver.permission.settled.get(hit, False)
            mine = hit._replace(stopped=True) if settled else hit
            yield _Found(hit.origin, mine, taint)
    roots = solver.roots()
    for (place, _), summary in solver.summaries.items():
        for hit, taint in summary.hits.items() if place in roots else ():
            if isinstance(hit.origin, Free):
                yield from _shared(solver, hit, taint)


def _shared(solver: Solver, hit: Hit, taint: Taint) -> Iterator[_Found]:
    """A variable that one function sets and another one reads."""
    origin = hit.origin
    assert isinstance(origin, Free)
    for source, before in solver.variables.taints(origin).items():
        if not _is_for(solver, source, hit, before._replace(clean=before.clean | taint.clean)):
            continue
        if before.trail is None or taint.trail is None:
            continue
        clean = before.clean | taint.clean
        trail = Trail(
            before.trail.unit, before.trail.op, Role.CALL, f"through {origin.name}",
            before.trail, taint.trail, Tier.FLOWED,
        )  # fmt: skip
        stopped = bool(clean >> hit.kind & 1)
        mine = hit._replace(origin=source, stopped=stopped)
        yield _Found(source, mine, Taint(clean, trail, before.assumed + taint.assumed))


def _is_for(solver: Solver, source: Source, hit: Hit, taint: Taint) -> bool:
    """Whether a source counts for a kind of sink."""
    kind = hit.kind
    if solver.asked is not None and not solver.asked.counts(solver, source, kind):
        return False
    if hit.row.startswith("operator ") and not TEXT >> hit.kind & 1 and TEXT & ~taint.clean:
        return False  # a text, no number
    language, name = solver.row_names[source.row]
    if kind >= len(KINDS):
        return True
    if (KINDS[kind] == "secret") is not (name == ROW):
        return False
    if KINDS[kind] == "ownership" and not is_selected(source):
        return False
    models = solver.models_of(language)
    row = models.reads.get(name) or models.sources.get(name)
    return row is None or bool(row.kinds >> kind & 1)


# ---------------------------------------------------------------------------- paths


def _paths(solver: Solver, group: list[_Found], stopped: bool) -> Iterator[FlowPath]:
    """The findings of one sink: one for the sources that reach it, by the best path."""
    open_ = [each for each in group if not each.hit.stopped]
    closed = [each for each in group if each.hit.stopped]
    if open_:
        yield _path(solver, open_)
    elif stopped:
        yield _path(solver, closed)


def _path(solver: Solver, group: list[_Found]) -> FlowPath:
    ways = _each_way(group)
    hit = ways[0].hit
    row = _sink_row(solver, solver.program.codes[hit.unit].language, hit)
    best, *others = (_way(solver, each) for each in ways[: 1 + MAX_ALTERNATES])
    kind = "data flow" if hit.kind == ASKED else KINDS[hit.kind]
    severity = Severity.NOTE if hit.kind == ASKED else SEVERITIES.get(kind, Severity.HIGH)
    return FlowPath(
        kind=kind,
        cwe=row.cwe if row else CWE.get(kind, 0),
        severity=row.severity if row else severity,
        rule=hit.row,
        verdict=best.verdict,
        reasons=best.reasons,
        steps=best.steps,
        stops=best.stops,
        total_paths=len(ways),
        alternates=tuple(others),
    )


def _each_way(group: Iterable[_Found]) -> list[_Found]:
    """One for each source and place that it gets to, the best first."""
    best: dict[tuple[Source, int, int], _Found] = {}
    for each in sorted(group, key=_worth):
        best.setdefault((each.source, each.hit.unit, each.hit.op), each)
    return list(best.values())


def _way(solver: Solver, found: _Found) -> FlowWay:
    program, taint = solver.program, found.taint
    assert taint.trail is not None
    steps = _steps(program, taint.trail)
    reasons = tuple(sorted({
        Boundary(program.codes[unit].path, program.codes[unit].span(op), Cut(word),
                 solver.cuts.get((unit, op, word), ""))
        for unit, op, word in taint.assumed
    }))  # fmt: skip
    verdict = Verdict.UNDETERMINED if reasons else Verdict.PATH
    return FlowWay(
        verdict=Verdict.NO_PATH if found.hit.stopped else verdict,
        reasons=reasons,
        steps=steps,
        stops=tuple(step for step in steps if step.role in (Role.GUARD, Role.SANITIZER)),
    )


def _worth(each: _Found) -> tuple[object, ...]:
    trail = each.taint.trail
    length = trail.length if trail else 0
    return len(each.taint.assumed), length, each.source.rank(), each.hit.unit, each.hit.op


def _sink_row(solver: Solver, language: str, hit: Hit) -> SinkRow | None:
    models = solver.models_of(language)
    rows = models.sinks.get(hit.row, ()) if hit.kind < len(KINDS) else ()
    for row in rows:
        if row.kind == KINDS[hit.kind]:
            return row
    operations = models.operations.get(hit.row, ())
    if operations and hit.kind < len(KINDS):
        return sink_row(operations[0], KINDS[hit.kind])
    return models.stores.get(hit.row)


def _steps(program: Program, trail: Trail) -> tuple[FlowStep, ...]:
    """The steps of a way; of a long one its two ends, with how much is left out between them.

    Callees are parts of many ways and of many places of one: written out, a way can be longer than
    memory.
    """
    half = MAX_STEPS // 2
    if trail.length <= 2 * LOOKED_AT:
        found = _told(program, trail.steps())
        if len(found) <= MAX_STEPS:
            return tuple(found)
        first, last, left = found[:half], found[-half:], len(found) - 2 * half
    else:
        first = _told(program, islice(trail.steps(), LOOKED_AT))
        last = _told(program, [*islice(trail.steps_back(), LOOKED_AT)][::-1])
        left = trail.length - 2 * LOOKED_AT + len(first[half:]) + len(last[:-half])
        first, last = first[:half], last[-half:]
    note = f"{last[0].note} ({left} steps before this are left out)".strip()
    return (*first, last[0]._replace(note=note), *last[1:])


_HANDED = (Role.SOURCE, Role.CALL)


def _told(program: Program, steps: Iterable[Trail]) -> list[FlowStep]:
    """Steps with the tests between them; those at one place are one.

    What is called at its own source is a function that something outside hands its parameters.
    """
    found: list[FlowStep] = []
    for each in program.conditions.along(steps):
        step = _step(program, each)
        if found and found[-1].path == step.path and found[-1].span == step.span:
            if step.role is Role.PROPAGATOR or (found[-1].role, step.role) == _HANDED:
                continue
            if found[-1].role is Role.PROPAGATOR:
                found[-1] = step
                continue
        found.append(step)
    return found


def _step(program: Program, trail: Trail) -> FlowStep:
    code = program.codes[trail.unit]
    row = code.ops[trail.op]
    span = code.span(trail.op)
    if row[0] == Op.FUNCTION:
        scope = code.scopes[row[1]]
        span = Span(scope.name_start, scope.name_start + len(code.names[scope.name].encode()))
    if trail.role is Role.SINK and row[0] == Op.OPERATE and code.names[row[3]] == UNTIL:
        span = _loop_around(code, trail.op) or span
    place = _scope_of(program, trail.unit, trail.op)
    if row[0] == Op.FUNCTION:
        place = row[1]
    symbol = program.symbols[trail.unit][place]
    return FlowStep(code.path, span, trail.role, symbol, trail.tier, trail.note)


def _loop_around(code: Code, op: int) -> Span | None:
    """The whole loop that a test of how often belongs to."""
    for loop in range(op, -1, -1):
        if code.ops[loop][0] == Op.LOOP and code.ops[loop][1] > op:
            return code.span(loop)
    return None


def _scope_of(program: Program, unit: int, op: int) -> int:
    for number, row in enumerate(program.codes[unit].scopes):
        if row.first <= op < row.last:
            return number
    return 0


# ---------------------------------------------------------------------------- the rest


def _patterns(solver: Solver) -> Iterator[FlowPath]:
    for pattern in solver.modelled.patterns.values():
        trail = Trail(pattern.unit, pattern.op, Role.SINK, pattern.row.name)
        yield FlowPath(
            kind=pattern.row.kind,
            cwe=pattern.row.cwe,
            severity=pattern.row.severity,
            rule=pattern.row.name,
            verdict=Verdict.PATH,
            steps=(_step(solver.program, trail),),
        )


def _boundaries(program: Program, cuts: Mapping[tuple[int, int, str], str]) -> Iterable[Boundary]:
    for (unit, op, word), name in cuts.items():
        yield Boundary(program.codes[unit].path, program.codes[unit].span(op), Cut(word), name)


def torn(units: Iterable[Unit]) -> Iterator[Boundary]:
    """Source that the parser gave up, whether or not anything gets there."""
    for unit in units:
        ops = unit.ir.ops
        for row in ops[(ops[:, 0] == Op.LOST) & (ops[:, 3] < 0)].tolist():
            yield Boundary(unit.path, Span(row[4], row[5]), Cut.PARSE, BROKEN_SOURCE)


def uses_of(solver: Solver) -> Uses:
    """What the files use of packages that rows know."""
    modelled = solver.modelled
    return Uses(tuple(sorted(modelled.imported)), tuple(sorted(modelled.used)))


# ---------------------------------------------------------------------------- lifetimes

_CWE: Final = {"use after release": 416, "double release": 415, "mismatched release": 762}
_DOUBLE_UNLOCK: Final = 765
_SEVERITY: Final = {
    "use after release": Severity.HIGH, "double release": Severity.HIGH, "leak": Severity.LOW,
    "mismatched release": Severity.MEDIUM,
}  # fmt: skip


def with_faults(report: FlowReport, program: Program, faults: Iterable[Fault]) -> FlowReport:
    """A report, with what is wrong with lifetimes."""
    paths = sorted((*report.paths, *(_fault(program, fault) for fault in faults)), key=_order)
    return replace(report, paths=tuple(paths))


def _fault(program: Program, fault: Fault) -> FlowPath:
    last = len(fault.steps) - 1
    steps = tuple(
        _step(program, Trail(unit, op, Role.SOURCE if not number else
                             Role.SINK if number == last else Role.PROPAGATOR, note))
        for number, (unit, op, note) in enumerate(fault.steps)
    )  # fmt: skip
    unit, op, _ = fault.steps[last]
    code = program.codes[unit]
    callee = code.ops[code.ops[op][1]]
    name = code.names[callee[1]].partition("#")[0] if callee[0] == Op.LOAD else "call"
    reasons = (Boundary(code.path, code.span(op), Cut.EXTERNAL, name),) if fault.unsure else ()
    number = _CWE.get(fault.kind, fault.row.cwe)
    locked = fault.row.does in LOCKING
    return FlowPath(
        kind=fault.kind,
        cwe=_DOUBLE_UNLOCK if locked and fault.kind == "double release" else number,
        severity=Severity.MEDIUM if locked else _SEVERITY[fault.kind],
        rule=fault.row.name,
        verdict=Verdict.UNDETERMINED if reasons else Verdict.PATH,
        reasons=reasons,
        steps=steps,
    )
