"""Modules: what an import binds, and the members of a module."""

from __future__ import annotations

from grainline.graph.names import BUILTINS
from grainline.graph.parts import Use
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.languages.modules.python import Module


def module_value(world: World, module: Module) -> int:
    """The value of a module."""
    return world.values.of(Kind.MODULE, module.file, module.folder)


def of_module(world: World, value: int, name: str, target: int, tier: int) -> None:
    """A member of a module: what it binds, what it imports with a star, a module below it."""
    unit = world.values.integer(value)
    found = False
    if unit >= 0:
        found = member_of(world, unit, name, target, tier)
    if not found:
        folder = world.values.second[value]
        assert isinstance(folder, str)
        for module in world.modules.below(Module(unit, folder), name):
            found = True
            world.solver.add(target, module_value(world, module), tier)
    if not found and not (unit >= 0 and world.parts[unit].stars):
        world.missing.add(target)


def import_member(world: World, unit: int, module: str, name: str, target: int) -> None:
    """`from module import name`.

    A package that imports from itself means a module below it: it has no such name yet.
    """
    for value in seed_module(world, unit, module, root=False):
        below: tuple[Module, ...] = ()
        if world.values.kinds[value] == Kind.MODULE and world.values.first[value] == unit:
            folder = world.values.second[value]
            below = world.modules.below(Module(unit, str(folder)), name)
        for found in below:
            world.solver.add(target, module_value(world, found), 0)
        if not below:
            world.solver.handlers[Use.ATTRIBUTE](name, target, value, 0, target)


def member_of(world: World, unit: int, name: str, target: int, tier: int) -> bool:
    """A name of a module that is a file; whether the module binds it itself."""
    part = world.parts[unit]
    node = part.members.get(name)
    if node is not None:
        world.solver.copy(node, target, tier)
        return True
    if not part.stars or name.startswith("__"):
        return False
    key = (unit, name)
    node = world.members.get(key)
    if node is None:
        node = world.members[key] = world.solver.new()
        for star in part.stars:
            world.solver.use(star, Use.STAR, name, node)
    world.solver.copy(node, target, tier)
    return False


def star(world: World, name: str, target: int, value: int, tier: int, node: int) -> None:
    """A name that a module may have got from a star import."""
    if world.values.kinds[value] == Kind.MODULE:
        unit = world.values.integer(value)
        if unit >= 0 and not name.startswith("_"):
            member_of(world, unit, name, target, tier)
    elif world.values.kinds[value] == Kind.EXTERNAL and name not in BUILTINS:
        outside = world.values.outside(f"{world.values.text(value)}.{name}")
        world.solver.add(target, outside, tier)


def seed_module(world: World, unit: int, name: str, *, root: bool) -> list[int]:
    """The values that an import of a module binds."""
    path = world.units[unit].path.decode("utf-8", "surrogateescape")
    found = world.modules.find(path, name)
    if root and not name.startswith("."):
        first = name.partition(".")[0]
        if found:
            found = world.modules.find(path, first)
        name = first
    if found:
        return [module_value(world, module) for module in found]
    return [world.values.outside(f"?{name}" if name.startswith(".") else name)]
