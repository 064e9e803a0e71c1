"""`resolve`: units in, edges and unresolved references out.

The files of each family of languages (`rules/`) are split into components that cannot name each
other (`components.py`), and each is solved by itself: first what each file says
(`constraints.py`), then linking: modules, bases of classes, and the fixpoint over all of them
(`solver.py`). The files may come in any order.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from grainline.graph import calls, linkage, linking, members, unknown
from grainline.graph.classes import Classes
from grainline.graph.components import Memo, components
from grainline.graph.constraints import constrain
from grainline.graph.handlers import handlers
from grainline.graph.includes import Includes
from grainline.graph.parts import Call, Part, Seed, Use
from grainline.graph.results import Graph, collect, merged
from grainline.graph.rules.base import LanguageRules, rules_of
from grainline.graph.solver import Solver
from grainline.graph.typed import cpp, java
from grainline.graph.typed.heads import Tops
from grainline.graph.typed.resolve import alone, attribute
from grainline.graph.units import Unit
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.languages.modules.base import Modules, Project
from grainline.model.edge import Symbol
from grainline.model.ir import Op

MAX_ROUNDS = 6
"""Times that what stayed unknown is given its default."""


class Component(NamedTuple):
    """Units of one family that cannot name any others.

    Attributes:
        units: by path.
        rules: of their languages.
        modules: the resolver of the whole family.
        links: digest of what the resolver says to the units (`components.Group`).
    """

    units: tuple[Unit, ...]
    rules: LanguageRules
    modules: Modules
    links: bytes


def resolve(units: Iterable[Unit], files: Mapping[str, bytes] | None = None) -> Graph:
    """The graph of a visible set of files of any languages.

    Args:
        units: in any order; those of a language without rules have no edges.
        files: path -> bytes of the files that shape module resolution (`shaping` of the rules).
    """
    return merged(map(solve, split(units, files)))


def split(
    units: Iterable[Unit],
    files: Mapping[str, bytes] | None = None,
    memo: Memo | None = None,
) -> list[Component]:
    """The components of a visible set of files.

    Args:
        units: as of `resolve`.
        files: likewise.
        memo: what is known of units that were split before.
    """
    memo = memo or Memo()
    families: dict[int, tuple[LanguageRules, list[Unit]]] = {}
    for unit in sorted(units, key=_path):
        rules = rules_of(unit.language)
        if rules is not None:
            families.setdefault(id(rules), (rules, []))[1].append(unit)
    found: list[Component] = []
    for rules, family in families.values():
        project = project_of(family, files, memo)
        modules = rules.modules(project)
        for group in components(family, rules, modules, memo, _said(rules, project)):
            mine = tuple(family[number] for number in group.units)
            found.append(Component(mine, rules, modules, group.links))
    memo.turn()
    return found


def _said(rules: LanguageRules, project: Project) -> bytes:
    """Names all that the resolver of a project depends on."""
    said = repr((rules.languages, project.paths, sorted(project.packages.items())))
    digest = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16)
    for path, text in sorted(project.files.items()):
        digest.update(repr((path, len(text))).encode("utf-8", "surrogatepass") + text)
    return digest.digest()


def solve(component: Component) -> Graph:
    """The graph of one component."""
    with without_collector():
        return _graph(list(component.units), component.rules, component.modules)


def by_declarations(component: Component) -> bool:
    """Whether bodies are decided by what files declare, so that some can be read again alone."""
    platform = component.rules.platform
    return platform is not None and alone(component.units, platform)


def reread(
    component: Component, tops: Sequence[Tops], some: Mapping[int, Sequence[Sequence[Symbol]]]
) -> Graph:
    """What leads out of `some` files, as in the graph of all, of a component of which that is true.

    Args:
        component: one of `by_declarations`.
        tops: of each of its files.
        some: numbers of files -> for each of their calls of functions that are values, the functions.
    """
    platform = component.rules.platform
    assert platform is not None
    with without_collector():
        return java.again(list(component.units), tops, some, platform, component.modules)


def together(units: Iterable[Unit], project: Project | None = None) -> Graph:
    """The graph of units of one family, all of them solved together; arguments as of `fixpoint`."""
    ordered = sorted(units, key=_path)
    rules = _rules(ordered)
    return _graph(ordered, rules, rules.modules(project or project_of(ordered)))


def _graph(units: list[Unit], rules: LanguageRules, modules: Modules) -> Graph:
    if rules.platform is not None:
        return attribute(units, rules.platform, modules)
    rest = [unit for unit in units if unit.language not in rules.beside]
    graph = _fixed(rest, rules, modules) if rest else merged(())
    return cpp.attribute(units, modules, graph) if len(rest) < len(units) else graph


def _fixed(units: list[Unit], rules: LanguageRules, modules: Modules) -> Graph:
    world = _solve(units, rules, modules)
    graph = collect(world)
    world.solver.handlers = []  # they hold the world: without them no cycle keeps it
    return graph


def project_of(
    units: Sequence[Unit], files: Mapping[str, bytes] | None = None, memo: Memo | None = None
) -> Project:
    """What module resolution is made of."""
    memo = memo or Memo()
    paths = tuple(_text(unit.path) for unit in units)
    packages = {path: found for path, unit in zip(paths, units, strict=True)
                if (found := memo.of(unit, b"", partial(_packages, unit)))}  # fmt: skip
    return Project(paths=paths, files=files or {}, packages=packages)


def _packages(unit: Unit) -> tuple[str, ...]:
    ir = unit.ir
    rows: list[int] = ir.ops[ir.ops[:, 0] == Op.PACKAGE, 1].tolist()
    return tuple(ir.names[name] for name in dict.fromkeys(rows))


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


@contextmanager
def without_collector() -> Generator[None]:
    """Keep Python from looking for cycles in what lives to the end (Django: 2.0 s, not 5.0 s).

    What is resolved leaves no cycles behind, so that nothing piles up meanwhile.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def fixpoint(units: Iterable[Unit], project: Project | None = None) -> World:
    """What every node of units of one family holds in the end, all of them solved together.

    `project` is that of the whole family where `units` are a part of it.
    """
    ordered = sorted(units, key=_path)
    rules = _rules(ordered)
    modules = rules.modules(project or project_of(ordered))
    regions = [0] * len(ordered)
    for region, group in enumerate(components(ordered, rules, modules)):
        for number in group.units:
            regions[number] = region
    return _solve(ordered, rules, modules, regions)


def _rules(units: list[Unit]) -> LanguageRules:
    rules = rules_of(units[0].language) if units else None
    if rules is None:
        raise ValueError("units of a family of languages that has rules")
    return rules


def _solve(
    ordered: list[Unit], rules: LanguageRules, modules: Modules, regions: list[int] | None = None
) -> World:
    world = _world(ordered, rules, modules)
    if rules.links:
        world.includes = Includes(world.paths, world.parts, modules)
        world.linked = linkage.definitions(world, world.includes)
    if rules.prepare is not None:
        rules.prepare(world)
    world.regions = regions or [0] * len(ordered)
    for number, part in enumerate(world.parts):
        _link(world, number, part)
    world.includes = None
    world.solver.run()
    world.early = False
    linking.settle(world)
    later, world.later = world.later, []
    for kind, x, y, value, tier, node in later:
        world.solver.handlers[kind](x, y, value, tier, node)
    world.solver.run()
    for _ in range(MAX_ROUNDS):
        if not _defaults(world):
            break
        world.solver.run()
    return world


def _path(unit: Unit) -> bytes:
    return unit.path


def _world(units: list[Unit], rules: LanguageRules, modules: Modules) -> World:
    solver = Solver(most_outside=rules.most_outside)
    parts: list[Part] = []
    last = 0
    for number, unit in enumerate(units):
        parts.append(constrain(unit.ir, number, last, rules))
        last = parts[-1].last
    solver.grow(last)
    paths = [_text(unit.path) for unit in units]
    world = World(
        units=units,
        parts=parts,
        rules=rules,
        modules=modules,
        paths=paths,
        numbers={path: at for at, path in enumerate(paths)},
        solver=solver,
        values=solver.values,
        classes=(rules.classes or Classes)(
            solver.values, parts, solver.held, solver.new, promotes=rules.promotes
        ),
        firsts=[unit.ir.scopes[:, 6].tolist() for unit in units],
        parents=[unit.ir.scopes[:, 1].tolist() for unit in units],
    )
    solver.handlers = handlers(world)
    return world


def _link(world: World, number: int, part: Part) -> None:
    """Put what a file says before the solver."""
    solver = world.solver
    solver.constants.update(part.constants)
    world.stored |= part.stored
    for node, ops in part.reads.items():
        world.reads[node] = (number, ops)
    static_copy, all_uses = solver.static_copy, solver.uses
    for source, target, flow in part.copies:
        static_copy(source, target, flow)
    first = len(world.calls)
    world.calls += part.calls
    for node, kind, given, y in part.uses:
        x: Any = given
        if kind == Use.CALL:
            x += first
        elif kind in _SITES:
            x = (number, x)
        elif kind == Use.ITEM:
            x = (x, (number, y - part.base))
        elif kind == Use.SET_ITEM:
            x = (x[0], (number, x[1])) if isinstance(x, tuple) else (x, (-1, -1))
        elif kind == Use.SUPER:
            x = world.klass(number, x)
        uses = all_uses[node]
        if uses is None:
            all_uses[node] = [(kind, x, y)]
        else:
            uses.append((kind, x, y))
        if kind in _KEYED:
            solver.want(node)
    for seed in part.seeds:
        _seed(world, number, *seed)
    for node, key, declared in part.elements:
        container = world.containers[node]
        solver.copy(declared, world.item(container, key), 0)
        world.elements[container, key] = declared


_SITES = frozenset({Use.ITERATE, Use.ENTER, Use.RAISE})
_KEYED = frozenset({Use.KEYED_ITEM, Use.KEYED_SET_ITEM})


def _seed(world: World, unit: int, node: int, kind: int, x: Any, y: Any) -> None:
    values, solver = world.values, world.solver
    if kind == Seed.FUNCTION:
        tier, places = world.linked.get((unit, x), (0, [(unit, x)]))
        for where, scope in places:
            solver.add(node, values.of(Kind.FUNCTION, where, scope), tier)
    elif kind == Seed.CLASS:
        solver.add(node, world.klass(unit, x), 0)
    elif kind == Seed.CONTAINER:
        container = world.containers[node] = values.of(Kind.CONTAINER, node, int(y))
        solver.add(node, container, 0)
    elif kind == Seed.SELF:
        solver.add(node, values.of(Kind.INSTANCE, world.klass(unit, x)), 0)
    elif kind == Seed.OWN_CLASS:
        solver.add(node, world.klass(unit, x), 0)
    elif kind == Seed.NAME:
        linking.free_name(world, unit, x, node)
    elif kind == Seed.IMPLICIT:
        linking.implicit(world, unit, x, y, node)
    elif kind == Seed.MODULE and linking.is_path(world, unit, x):
        linking.import_path(world, unit, x, node)
    elif kind == Seed.MODULE:
        for value in linking.seed_module(world, unit, x, root=y == 1):
            solver.add(node, value, 0)
    else:
        linking.import_member(world, unit, x, y, node)


# ------------------------------------------------------------------------------ defaults


def _defaults(world: World) -> bool:
    """What stayed unknown behaves as it most likely does; whether anything was.

    A decorator of which nothing is known gives back what it decorates; an item of an unknown key
    is any item.
    """
    if calls.release(world) or members.fall_back(world):
        return True
    before = len(world.once)
    decorating = [number for number, made in enumerate(world.calls) if made.decorates]
    for number in decorating:
        key = (number, -1, "decorator", 0)
        if key not in world.once:
            world.once.add(key)
            _decorated(world, world.calls[number])
    for number in range(len(world.calls) if world.rules.property_flow else 0):
        unknown.call_unknown(world, world.calls[number])
    for part in world.parts:
        for node, kind, owner, y in part.keyed:
            held = world.solver.held[node] or {}
            if not any(world.values.kinds[value] == Kind.KEY for value in held):
                asked = (node, kind, owner, y)
                if asked not in world.once:
                    world.once.add(asked)
                    world.solver.use(owner, kind, None, y)
    return len(world.once) > before or bool(world.solver.work)


def _decorated(world: World, made: Call) -> None:
    """A decorator that may give back what it got does; else its result is what it returns."""
    given = world.solver.held[made.arguments[0].node] or {}
    result = world.solver.held[made.result] or {}
    if not world.has_internal(made.result) or not result.keys().isdisjoint(given):
        world.solver.copy(made.arguments[0].node, made.result, 0)
        return
    for function, tier in world.decorations.get((made.unit, made.op), ()):
        calls.give_result(world, made, function, tier)
