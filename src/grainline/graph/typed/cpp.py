"""`attribute`: units of C++ and the units of C that they include in, edges and leaves out."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.graph.results import Graph, Rows, edges_of
from grainline.graph.typed.cpp_bodies import Bodies
from grainline.graph.typed.cpp_names import Names, substitute
from grainline.graph.typed.cpp_overloads import Signatures, alike
from grainline.graph.typed.cpp_program import Class, File, Function, Program
from grainline.graph.typed.facts import RESOLVED
from grainline.graph.units import Unit
from grainline.languages.modules.base import Modules
from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier, Unresolved
from grainline.model.ir import CONSTANT, OVERRIDE, VIRTUAL, Op
from grainline.model.position import Span

_TIERS = (Tier.RESOLVED, Tier.FLOWED, Tier.AMBIGUOUS)


def attribute(units: list[Unit], modules: Modules, other: Graph) -> Graph:
    """The graph of the files of a component, in the order of their paths.

    Args:
        units: of C++ and C.
        modules: what includes mean.
        other: the graph of those of C alone; what it calls may be defined in C++.
    """
    program = Program(units)
    signatures = Signatures(Names(program, modules))
    bodies = Bodies(signatures)
    bodies.run()
    graph = _collect(bodies, bodies.flow.run())
    edges = [*graph.edges, *_defined(other.edges, signatures)]
    edges.sort(key=lambda edge: (edge.src.path, edge.site, edge.type, edge.src, edge.dst))
    leaves = sorted(
        [*graph.unresolved, *other.unresolved],
        key=lambda leaf: (leaf.src.path, leaf.site, leaf.src, leaf.name),
    )
    return Graph(edges=tuple(edges), unresolved=tuple(leaves), cuts=graph.cuts + other.cuts)


def _collect(bodies: Bodies, cuts: int) -> Graph:
    program = bodies.program
    symbols = [file.unit.symbols for file in program.files]
    rows: Rows = {}
    called: set[tuple[int, int]] = set()

    def add(
        what: EdgeType, source: Symbol, target: tuple[int, int], site: Span, how: Method, tier: int
    ) -> None:
        key = (source.path, site, what, source, symbols[target[0]][target[1]])
        methods = rows.setdefault(key, {})
        methods[how] = min(tier, methods.get(how, len(_TIERS)))

    for fact, tier in bodies.facts.items():
        file = program.files[fact.unit]
        if fact.type is EdgeType.CALLS:
            called.add((fact.unit, fact.op))
        source = symbols[fact.unit][fact.scope]
        add(fact.type, source, fact.target, _site(file, fact.op), fact.method, tier)
    for made in program.classes:
        if program.files[made.unit].plain:
            continue
        for one, other in overridden(bodies, made):
            row = program.files[one.unit].scopes[one.scope]
            name = Span(row.name_start, row.name_start + _length(program, one))
            source = symbols[one.unit][one.scope]
            add(EdgeType.OVERRIDES, source, (other.unit, other.scope), name, Method.TYPE, RESOLVED)
    leaves = [
        Unresolved(symbols[unit][scope], _site(program.files[unit], op), name, why)
        for (unit, op), (scope, name, why) in bodies.leaves.items()
        if (unit, op) not in called
    ]
    return Graph(edges=tuple(edges_of(rows, _TIERS)), unresolved=tuple(leaves), cuts=cuts)


def _site(file: File, op: int) -> Span:
    row = file.ops[op]
    if row[0] in (Op.CALL, Op.NEW):
        callee = file.ops[row[1]]
        while callee[0] in (Op.GETITEM, Op.OPERATE):
            callee = file.ops[callee[1]]
        if callee[0] in (Op.LOAD, Op.GETATTR):
            return Span(callee[4], callee[5])
    while row[0] == Op.GETITEM and row[3] > 0:
        row = file.ops[row[1]]
    return Span(row[4], row[5])


def _length(program: Program, function: Function) -> int:
    name = program.files[function.unit].names[
        program.files[function.unit].scopes[function.scope].name
    ]
    return len(name.partition(" ")[0].encode("utf-8", "surrogateescape"))


def overridden(bodies: Bodies, made: Class) -> Iterator[tuple[Function, Function]]:
    """(method, function that it overrides): of each base, the nearest."""
    signatures = bodies.signatures
    for name, entities in made.members.items():
        for entity in entities:
            if entity.kind != "function" or name.startswith(("~", "<")):
                continue
            function: Function = entity.value
            if not function.receives or function.variables:
                continue
            for other in _above(bodies, made, name, function):
                mine, theirs = signatures.linked(function)[1], signatures.linked(other)[1]
                if len(mine) == 1 and len(theirs) == 1:
                    yield mine[0], theirs[0]


def _above(bodies: Bodies, made: Class, name: str, function: Function) -> Iterator[Function]:
    names, signatures = bodies.names, bodies.signatures
    level = [(each, 0) for each in names.supers(made.number)]
    seen: set[int] = {made.number}
    while level:
        kind, deep = level.pop()
        if kind is None or kind[0] != "c" or kind[1] in seen or deep > 20:
            continue
        seen.add(kind[1])
        base = bodies.program.of(kind)
        bindings = names.bindings(kind)
        found = [
            each.value for each in base.members.get(name, ())
            if each.kind == "function" and _overrides(signatures, function, each.value, bindings)
        ]  # fmt: skip
        if found:
            yield found[0]
        else:
            level += [(substitute(each, bindings), deep + 1) for each in names.supers(kind[1])]


def _overrides(signatures: Signatures, one: Function, other: Function, bindings: object) -> bool:
    if not other.flags & (VIRTUAL | OVERRIDE) or (one.flags ^ other.flags) & CONSTANT:
        return False
    mine = signatures.types(one)
    theirs = [substitute(each, bindings) for each in signatures.types(other)]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return len(mine) == len(theirs) and all(alike(a, b) for a, b in zip(mine, theirs, strict=True))


def _defined(edges: tuple[Edge, ...], signatures: Signatures) -> Iterator[Edge]:
    """Edges of C, where what they call is declared in C and defined in C++."""
    program = signatures.program
    known: dict[Symbol, Function] = {}
    for file in program.files:
        if file.plain:
            symbols = file.unit.symbols
            for each in file.functions.values():
                if each.abstract and not each.local and file.scopes[each.scope].parent == 0:
                    known[symbols[each.scope]] = each
    for edge in edges:
        declared = known.get(edge.dst)
        if declared is not None and edge.type is EdgeType.CALLS:
            _, targets = signatures.linked(declared)
            if len(targets) == 1 and not program.files[targets[0].unit].plain:
                symbol = program.files[targets[0].unit].unit.symbols[targets[0].scope]
                edge = edge._replace(dst=symbol)
        yield edge
