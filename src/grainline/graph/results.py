"""From what the fixpoint found to edges, and what it did not find with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from grainline.graph.handed import handed
from grainline.graph.linking import NATIVE, seed_module
from grainline.graph.mentions import Bound, mentions
from grainline.graph.parts import Call
from grainline.graph.structural import implementations
from grainline.graph.values import ANYTHING, Kind
from grainline.graph.world import Fact, World, fact_of
from grainline.languages.modules.base import Module
from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier, Unresolved, Why
from grainline.model.ir import CONSTRUCTOR, Op
from grainline.model.position import Span


class Flows(NamedTuple):
    """What a file does with functions that are values: a digest of it, and the calls of such."""

    digest: bytes
    calls: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Edges and unresolved calls, each in order of source path, site and target.

    `cuts` counts values that a bound kept from a node: targets of those calls may be missing. `apart`
    has files whose edges depend on what other files declare, and on functions that are values.
    """

    edges: tuple[Edge, ...]
    unresolved: tuple[Unresolved, ...]
    cuts: int
    apart: Mapping[bytes, Flows] = field(default_factory=dict[bytes, "Flows"])


class _Names(NamedTuple):
    """Symbols of the scopes of one unit, and the spans of its operations."""

    symbols: list[Symbol]
    ops: list[list[int]]


Rows = dict[tuple[bytes, Span, EdgeType, Symbol, Symbol], dict[Method, int]]
"""(path, site, type, source, target), which sorts as edges do -> methods, with places of tiers."""

TIERS = (Tier.RESOLVED, Tier.FLOWED, Tier.NAMED, Tier.AMBIGUOUS)
GUESSED = 2
"""Place of `Tier.NAMED`; of several guesses none is more than `Tier.AMBIGUOUS`."""
DOUBTED = 3
"""Place of what one value of many may do, and others do otherwise."""


def collect(world: World) -> Graph:
    """All that was found."""
    names = [_names(world, unit) for unit in range(len(world.units))]
    if world.rules.overloads:
        _doubt(world)
    rows: Rows = {}
    structural = implementations(world) if world.rules.structural else ()
    bound = Bound(world)
    said = (*_structure(world, bound), *mentions(world, bound), *structural, *handed(world))
    for fact, tier in (*_found(world), *said):
        kind, unit, scope, op, value, method = fact
        source = names[unit].symbols[scope]
        key = (source.path, _site(names[unit].ops, op), kind, source, _symbol(world, names, value))
        methods = rows.get(key)
        if methods is None:
            rows[key] = {method: tier}
        else:
            methods[method] = min(tier, methods.get(method, DOUBTED))
    edges = tuple(edges_of(rows))
    return Graph(edges=edges, unresolved=tuple(_unresolved(world, names)), cuts=world.solver.cuts)


def _found(world: World) -> Iterator[tuple[Fact, int]]:
    """What was found, guesses by name as such."""
    for fact, tier in world.facts.items():
        if tier and (fact.unit, fact.op) in world.guessed:
            yield fact._replace(method=Method.NAME), GUESSED
        elif tier and (_is_mixed(world, fact) or _is_universal(world, fact)):
            yield fact, DOUBTED
        else:
            yield fact, min(tier, 1)
    known = {(fact.unit, fact.op) for fact in world.facts}
    for (unit, op), (scope, functions) in world.supposed.items():
        for function in functions if (unit, op) not in known else ():
            yield fact_of((EdgeType.CALLS, unit, scope, op, function, Method.FLOW)), DOUBTED


def _is_mixed(world: World, fact: Fact) -> bool:
    """Whether what a statement iterates, indexes or unpacks may also be a container or external."""
    part = world.parts[fact.unit]
    code, owner, *_ = part.ops[fact.op]
    if fact.method is not Method.PROTOCOL or code not in _ITEMS:
        return False
    return any(
        world.values.kinds[value] in (Kind.CONTAINER, Kind.EXTERNAL)
        for value in _held(world, part.nodes[owner])
    )


def _is_universal(world: World, fact: Fact) -> bool:
    """Whether what is called is read from something under a name that everything has."""
    ops = world.parts[fact.unit].ops
    if not world.rules.universal or ops[fact.op][0] not in _CALLING:
        return False
    code, _, name, *_ = ops[ops[fact.op][1]]
    return code == Op.GETATTR and world.units[fact.unit].ir.names[name] in world.rules.universal


_ITEMS = frozenset(map(int, (Op.GETITEM, Op.SETITEM, Op.ITER, Op.ELEMENT)))


def _doubt(world: World) -> None:
    """Of several overloads that a call may mean none is resolved."""
    targets: dict[tuple[int, int, EdgeType], set[tuple[int, int]]] = {}
    certain = [fact for fact, tier in world.facts.items() if tier == 0]
    names = [[unit.ir.names[row.name] for row in part.scopes]
             for unit, part in zip(world.units, world.parts, strict=True)]  # fmt: skip
    calls = [fact for fact in certain if fact.type is EdgeType.CALLS]
    for fact in calls:
        place = world.values.place(fact.target)
        targets.setdefault((fact.unit, fact.op, fact.type), set()).add(place)
    for fact in calls:
        found = targets[fact.unit, fact.op, fact.type]
        unit, scope = world.values.place(fact.target)
        if any(names[u][s] == names[unit][scope] for u, s in found - {(unit, scope)}):
            world.facts[fact] = 1


def merged(graphs: Iterable[Graph]) -> Graph:
    """The graphs of components as one."""
    parts = list(graphs)
    edges = [edge for part in parts for edge in part.edges]
    unresolved = [leaf for part in parts for leaf in part.unresolved]
    if len(parts) > 1:  # each is in order; files of several may stand between each other
        edges.sort(key=_edge_order)
        unresolved.sort(key=_leaf_path)
    cuts = sum(part.cuts for part in parts)
    apart = {path: each for part in parts for path, each in part.apart.items()}
    return Graph(edges=tuple(edges), unresolved=tuple(unresolved), cuts=cuts, apart=apart)


def _edge_order(edge: Edge) -> tuple[bytes, Span, EdgeType, Symbol, Symbol]:
    return edge.src.path, edge.site, edge.type, edge.src, edge.dst


def _leaf_path(leaf: Unresolved) -> bytes:
    return leaf.src.path


def edges_of(
    rows: Rows,
    tiers: Sequence[Tier] = TIERS,
) -> Iterator[Edge]:
    """The edges of `rows`, in order, each with its methods and their places in `tiers`."""
    for (_, site, kind), keys in groupby(sorted(rows), _place):
        group = list(keys)
        candidates = len({key[4] for key in group}) if len(group) > 1 else 1
        for key in group:
            methods = rows[key]
            tier = tiers[min(methods.values())]
            if tier is Tier.NAMED and candidates > 1:
                tier = Tier.AMBIGUOUS
            names = tuple(sorted(methods)) if len(methods) > 1 else tuple(methods)
            yield _edge((kind, key[3], key[4], site, names, tier, candidates))


_place = itemgetter(0, 1, 2)
_edge = partial(tuple.__new__, Edge)  # pyright: ignore[reportUnknownMemberType]
_span = partial(tuple.__new__, Span)  # pyright: ignore[reportUnknownMemberType]


# ------------------------------------------------------------------------------ names


def _names(world: World, unit: int) -> _Names:
    return _Names(world.units[unit].symbols, world.parts[unit].ops)


def _symbol(world: World, names: list[_Names], value: int) -> Symbol:
    unit, scope = world.values.place(value)
    return names[unit].symbols[scope]


def _site(ops: list[list[int]], op: int) -> Span:
    """The name that is called where there is one, else the whole."""
    row = ops[op]
    if row[0] in _CALLING and ops[row[1]][0] in _NAMING:
        row = ops[row[1]]
    return _span(row[4:6])


_CALLING = frozenset((int(Op.CALL), int(Op.NEW)))
_NAMING = frozenset((int(Op.LOAD), int(Op.GETATTR)))


# ------------------------------------------------------------------------------ structure


def _structure(world: World, bound: Bound) -> Iterator[tuple[Fact, int]]:
    """Imports, types in annotations, bases of classes, overridden methods."""
    for unit, part in enumerate(world.parts):
        ops = world.units[unit].ir.ops
        whole = world.rules.default_export
        names = world.units[unit].ir.names
        imports: list[int] = (ops[:, 0] == Op.IMPORT).nonzero()[0].tolist()
        for op in imports:
            mine = bound.of(part.base + op)
            held = {mine: 0} if mine >= 0 else _held(world, part.base + op)
            _, module, member, *_ = part.ops[op]
            targets = {} if whole and member >= 0 and names[member] == whole else _ends(world, held)
            if member < 0 or not targets:  # `import a.b.c` binds `a`; a variable: its module
                found = seed_module(world, unit, names[module], root=False)
                targets = {**_ends(world, dict.fromkeys(found, 0)), **targets}
            scope = world.scope_of(unit, op)
            for target, tier in targets.items():
                yield fact_of((EdgeType.IMPORTS, unit, scope, op, target, Method.SCOPE)), tier
        for op, scope in part.typed:
            for value, tier in _held(world, part.nodes[op]).items():
                if world.is_class(value):
                    yield fact_of((EdgeType.HAS_TYPE, unit, scope, op, value, Method.SCOPE)), tier
        for op in (ops[:, 0] == Op.CLASS).nonzero()[0].tolist():
            yield from _of_class(world, unit, op, int(ops[op, 1]))


def _ends(world: World, held: Mapping[int, int]) -> dict[int, int]:
    """The functions, classes and modules among values -> tier."""
    found: dict[int, int] = {}
    for value, tier in held.items():
        kind = world.values.kinds[value]
        if kind in (Kind.FUNCTION, Kind.CLASS):
            found[world.values.of(kind, *world.values.place(value))] = tier
        elif kind == Kind.MODULE:
            for unit in _units_of(world, value):
                found[world.values.of(Kind.FUNCTION, unit, 0)] = tier
    return found


def _units_of(world: World, module: int) -> list[int]:
    """The file that a module is; of a package without one its files, where they are the package."""
    unit = world.values.integer(module)
    if unit >= 0:
        return [unit]
    if not world.rules.packaged:
        return []
    files = world.modules.files(Module("", str(world.values.second[module])))
    return [world.numbers[path] for path in files if path in world.numbers]


def _of_class(world: World, unit: int, op: int, scope: int) -> Iterator[tuple[Fact, int]]:
    klass = world.klass(unit, scope)
    row = world.parts[unit].classes[scope]
    for number, node in enumerate(row.bases):
        kind = EdgeType.INHERITS
        if number >= len(row.bases) - row.interfaces:
            kind = EdgeType.IMPLEMENTS
        for value, tier in _held(world, node).items():
            if world.is_class(value) and value != klass:
                yield Fact(kind, unit, scope, op, value, Method.SCOPE), tier
    rest = world.classes.shape(klass).order[1:]
    for name, node in world.classes.own(klass, row).items() if rest else ():
        others = [world.classes.member(rest, name)]
        if world.rules.declared:  # every base that declares it, whichever is looked at first
            inside = [base for base in world.classes.bases(klass) if world.is_class(base)]
            others = [world.classes.member_of(base, name) for base in inside]
        yield from _overrides(world, node, {other for other in others if other >= 0})


def _overrides(world: World, node: int, others: set[int]) -> Iterator[tuple[Fact, int]]:
    for mine in _functions(world, node) if others else ():
        unit, scope = world.values.place(mine)
        at = world.definitions(unit).get(scope)
        if at is None or world.function(mine).flags & CONSTRUCTOR:
            continue
        for other in sorted(others):
            for target in _functions(world, other):
                if target != mine:
                    fact = Fact(EdgeType.OVERRIDES, unit, scope, at, target, Method.TYPE)
                    yield fact, 0


def _held(world: World, node: int) -> dict[int, int]:
    return world.solver.held[node] or {}


def _functions(world: World, node: int) -> list[int]:
    """The functions that a member is, decorated or not."""
    values = world.values
    found: list[int] = []
    for value in world.solver.held[node] or ():
        if values.kinds[value] in (Kind.PROPERTY, Kind.STATIC, Kind.CLASS_METHOD):
            value = values.integer(value)
        if values.kinds[value] == Kind.FUNCTION:
            found.append(value)
    return sorted(found)


# ------------------------------------------------------------------------------ unresolved


def _unresolved(world: World, names: list[_Names]) -> Iterator[Unresolved]:
    """Calls that are written and have no target."""
    done = {(fact.unit, fact.op) for fact in world.facts} | world.supposed.keys()
    for unit, part in enumerate(world.parts):
        ops = names[unit].ops
        left = [made for made in part.calls if (unit, made.op) not in done and not made.decorates]
        for made in sorted(left, key=lambda made: ops[made.op][4:6]):
            if _converts(world, made):
                continue
            name, why = _reason(world, unit, made.op, made.callee, ops)
            source = names[unit].symbols[made.scope]
            yield Unresolved(source, _site(ops, made.op), name, why)


def _converts(world: World, made: Call) -> bool:
    """Whether a call is a conversion to a type."""
    if not world.rules.conversions:
        return False
    return any(world.is_class(value) for value in _held(world, made.callee))


def _reason(world: World, unit: int, op: int, callee: int, ops: list[list[int]]) -> tuple[str, Why]:
    names = world.units[unit].ir.names
    words: list[str] = []
    at = ops[op][1]
    while ops[at][0] == Op.GETATTR:
        words.append(names[ops[at][2]].partition("#")[0])
        at = ops[at][1]
    root = ops[at][0]
    if root == Op.LOAD:
        words.append(names[ops[at][1]].partition("#")[0])
    name = ".".join(reversed(words))
    held = world.solver.held[callee] or {}
    outside = sorted(world.values.text(v) for v in held if world.values.kinds[v] == Kind.EXTERNAL)
    outside = [found for found in outside if found != ANYTHING] or outside
    if outside and outside[-1].startswith("?"):
        return name, Why.MISSING
    if outside and outside[-1] == ANYTHING:
        return name, Why.EXTERNAL
    if outside:
        native = outside[0].startswith(f"{NATIVE}.")
        return outside[0].removeprefix(f"{NATIVE}."), Why.NATIVE if native else Why.EXTERNAL
    if any(world.values.kinds[v] == Kind.METHOD for v in held) or root in (Op.CONST, Op.MAKE):
        return name, Why.NATIVE
    node = world.parts[unit].nodes[at]
    if root == Op.CALL and node in world.reflected:
        return name, Why.REFLECTION
    if callee in world.reflected or (words and words[0] in world.rules.reflective):
        return name, Why.REFLECTION
    if callee in world.missing or node in world.missing:
        return name, Why.MISSING
    if not world.has_internal(node) and _is_parameter(world, unit, node):
        return name, Why.INJECTION
    return name, Why.DYNAMIC


def _is_parameter(world: World, unit: int, node: int) -> bool:
    return node in world.parameter_nodes(unit)
