"""From what the evaluation found to edges and leaves; what overrides what."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial

from grainline.graph.results import Graph, Rows, edges_of
from grainline.graph.typed.bodies import Bodies
from grainline.graph.typed.facts import RESOLVED
from grainline.graph.typed.program import INIT, Class, File, Program
from grainline.graph.typed.types import substitute
from grainline.model.edge import EdgeType, Method, Symbol, Tier, Unresolved
from grainline.model.ir import Op
from grainline.model.position import Span

_TIERS = (Tier.RESOLVED, Tier.FLOWED, Tier.AMBIGUOUS)


def collect(bodies: Bodies, cuts: int, some: Collection[int] | None = None) -> Graph:
    """All that was found, in order; `cuts` counts what a bound kept away.

    Of `some` units only, where others were not evaluated.
    """
    program = bodies.program
    units = program.units
    rows: Rows = {}

    def add(
        what: EdgeType,
        source: Symbol,
        target: tuple[int, int],
        site: Span,
        method: Method,
        tier: int,
    ) -> None:
        key = (source.path, site, what, source, units[target[0]].symbols[target[1]])
        methods = rows.setdefault(key, {})
        methods[method] = min(tier, methods.get(method, len(_TIERS)))

    for fact, tier in bodies.facts.items():
        file = program.files[fact.unit]
        source = units[fact.unit].symbols[fact.scope]
        add(fact.type, source, fact.target, site_of(file, fact.op), fact.method, tier)
    for made in [each for each in program.classes if some is None or each.unit in some]:
        for (unit, scope), target in overridden(bodies, made):
            row = program.files[unit].scopes[scope]
            name = Span(row.name_start, row.name_start + _length(program, unit, scope))
            source = units[unit].symbols[scope]
            add(EdgeType.OVERRIDES, source, target, name, Method.TYPE, RESOLVED)
    leaves = [
        Unresolved(units[unit].symbols[scope], site_of(program.files[unit], op), name, why)
        for (unit, op), (scope, name, why) in bodies.leaves.items()
    ]
    leaves.sort(key=lambda leaf: (leaf.src.path, leaf.site, leaf.src, leaf.name))
    return Graph(edges=tuple(edges_of(rows, _TIERS)), unresolved=tuple(leaves), cuts=cuts)


def _length(program: Program, unit: int, scope: int) -> int:
    file = program.files[unit]
    return len(file.names[file.scopes[scope].name].encode("utf-8", "surrogateescape"))


def site_of(file: File, op: int) -> Span:
    """The name that is called or mentioned where there is one, else the whole."""
    ops = file.ops
    row = ops[op]
    if row[0] in (Op.CALL, Op.NEW):
        callee = ops[row[1]]
        if callee[0] == Op.CLASS:
            _, _, value = file.ports[callee[2]]
            callee = ops[value]
        while callee[0] == Op.GETITEM:
            callee = ops[callee[1]]
        if callee[0] in (Op.LOAD, Op.GETATTR):
            row = callee
    while row[0] == Op.GETITEM:
        row = ops[row[1]]
    return _span(row[4:6])


_span = partial(tuple.__new__, Span)  # pyright: ignore[reportUnknownMemberType]


# ------------------------------------------------------------------------------ overriding


def overridden(bodies: Bodies, made: Class) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """(method, function that it overrides), as unit and scope: of each base, the nearest."""
    names, members, signatures = bodies.names, bodies.members, bodies.signatures
    rest = [each for each in names.above(made.number)[1:] if each[0] == "c"]
    if not rest:
        return
    for name, functions in made.methods.items():
        if name == INIT:
            continue
        for function in functions:
            if function.static:
                continue
            mine = [names.erased(kind) for kind in signatures.types(function)]
            for each in rest:
                if not bodies.may_override(function, bodies.program.of(each)):
                    continue
                bindings = names.bindings(each)
                for other in bodies.program.of(each).methods.get(name, ()):
                    theirs = [
                        names.erased(substitute(kind, bindings)) for kind in signatures.types(other)
                    ]
                    if not other.static and members.same(mine, theirs):
                        yield (function.unit, function.scope), (other.unit, other.scope)
                        break
                else:
                    continue
                break
