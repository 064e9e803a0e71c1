"""Modules: what an import binds, the members of a module, names that are seen without an import."""

from __future__ import annotations

from typing import Final

from grainline.graph.includes import Includes
from grainline.graph.parts import Implicit, Use
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.languages.modules.base import Module


def module_value(world: World, module: Module, name: str) -> int:
    """The value of a module; one whose file has no IR is a leaf."""
    unit = world.numbers.get(module.path, -1)
    if module.path and unit < 0:
        return world.values.outside(name)
    return world.values.of(Kind.MODULE, unit, module.folder)


def of_module(world: World, value: int, name: str, target: int, tier: int) -> None:
    """A member of a module: what it gives, what it imports with a star, a module below it."""
    unit = world.values.integer(value)
    folder = world.values.second[value]
    assert isinstance(folder, str)
    if unit >= 0:
        found = member_of(world, unit, name, target, tier)
    else:
        units = world.package(Module("", folder)).get(name, ())
        for each in units:
            member_of(world, each, name, target, tier)
        found = bool(units)
    if not found:
        path = world.paths[unit] if unit >= 0 else ""
        for module in world.modules.below(Module(path, folder), name):
            found = True
            world.solver.add(target, module_value(world, module, name), tier)
    if not found and name in world.rules.shared_methods:
        world.solver.add(target, world.values.of(Kind.METHOD, value, name), tier)
    elif not found and not (unit >= 0 and world.parts[unit].stars):
        world.missing.add(target)


def import_member(world: World, unit: int, module: str, name: str, target: int) -> None:
    """`from module import name`.

    A package that imports from itself means a module below it: it has no such name yet.
    """
    if is_path(world, unit, module):
        import_path(world, unit, f"{module}{SEPARATOR}{name}", target)
        return
    whole = world.rules.default_export
    for value in seed_module(world, unit, module, root=False):
        if whole and name == whole:
            at = world.values.integer(value) if world.values.kinds[value] == Kind.MODULE else -1
            if at >= 0 and whole in world.parts[at].members:
                world.solver.copy(world.parts[at].members[whole], target, 0)
            else:
                world.solver.add(target, value, 0)
            continue
        below: tuple[Module, ...] = ()
        if world.values.kinds[value] == Kind.MODULE and world.values.first[value] == unit:
            folder = str(world.values.second[value])
            below = world.modules.below(Module(world.paths[unit], folder), name)
        for found in below:
            world.solver.add(target, module_value(world, found, name), 0)
        if not below:
            world.solver.handlers[Use.ATTRIBUTE](name, target, value, 0, target)


def member_of(world: World, unit: int, name: str, target: int, tier: int) -> bool:
    """A name of a module that is a file; whether the module gives it itself."""
    part = world.parts[unit]
    node = part.members.get(name)
    if node is not None:
        world.solver.copy(node, target, tier)
        return True
    whole = world.rules.default_export
    if whole and whole in part.members:
        if name == "default":
            world.solver.copy(part.members[whole], target, tier)
        else:
            world.solver.use(part.members[whole], Use.ATTRIBUTE, name, target)
        return True
    if not part.stars or world.rules.hides(name):
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
        if world.rules.hides(name):
            return
        if unit >= 0:
            member_of(world, unit, name, target, tier)
        else:
            for each in world.package(Module("", str(world.values.second[value]))).get(name, ()):
                member_of(world, each, name, target, tier)
    elif world.values.kinds[value] == Kind.CLASS:
        world.solver.handlers[Use.ATTRIBUTE](name, target, value, tier, node)
    elif world.values.kinds[value] == Kind.EXTERNAL and name not in world.rules.natives:
        whole = f"{world.values.text(value)}.{name}"
        world.solver.add(target, world.values.outside(whole), tier)


def is_path(world: World, unit: int, name: str) -> bool:
    """Whether a name that is imported ends in members of a module rather than being one."""
    return SEPARATOR in name and not world.modules.find(world.paths[unit], name)


def import_path(world: World, unit: int, path: str, node: int) -> None:
    """A path whose first words are a module and whose others are members, one of the other."""
    words = path.split(SEPARATOR)
    for at in range(len(words) - 1, 0, -1):
        found = world.modules.find(world.paths[unit], SEPARATOR.join(words[:at]))
        if found:
            target = world.solver.new() if at < len(words) - 1 else node
            for module in found:
                value = module_value(world, module, words[at - 1])
                world.solver.handlers[Use.ATTRIBUTE](words[at], target, value, 0, target)
            for name in words[at + 1 :]:
                source = target
                target = node if name is words[-1] else world.solver.new()
                world.solver.use(source, Use.ATTRIBUTE, name, target)
            return
    world.solver.add(node, world.values.outside(path), 0)


SEPARATOR: Final = "::"
"""Stands between the words of a path that may end in members."""


def seed_module(world: World, unit: int, name: str, *, root: bool) -> list[int]:
    """The values that an import of a module binds."""
    path = world.paths[unit]
    found = world.modules.find(path, name)
    if root and not name.startswith("."):
        first = name.partition(".")[0]
        if found:
            found = world.modules.find(path, first)
        name = first
    if found:
        return [module_value(world, module, name) for module in found]
    return [world.values.outside(f"?{name}" if name.startswith(".") else name)]


def free_name(world: World, unit: int, name: str, node: int) -> None:
    """A name that nothing in the file binds: its package has it, or the language."""
    if world.rules.free is not None:
        world.rules.free(world, unit, name, node)
        return
    if world.includes is not None:
        _included(world, world.includes, unit, name, node)
        return
    found = False
    for names in world.beside(unit):
        for each in names.get(name, ()):
            found = True
            member_of(world, each, name, node, 0)
    for imported in world.unnamed(unit) if not found else ():
        path = world.paths[unit]
        for module in world.rules.imported(world.modules, path, imported, name):
            found = True
            world.solver.add(node, module_value(world, module, name), 0)
    if not found and name in world.rules.natives:
        world.solver.add(node, world.values.outside(f"{NATIVE}.{name}"), 0)


def _included(world: World, includes: Includes, unit: int, name: str, node: int) -> None:
    """A name that what a unit includes gives it, or may: then it is one of something external."""
    units, outside = includes.meant(unit, name)
    for each in units:
        member_of(world, each, name, node, 0)
    if outside:
        world.solver.add(node, world.values.outside(name), 0)


NATIVE: Final = "builtins"
"""What the names of the language are members of."""
TYPES: Final = len(Use) + 10
"""A use that passes types and modules on to node y, while bases are being found."""


def types(world: World, _: object, target: int, value: int, tier: int, node: int) -> None:
    """What may be a base, or lead to one."""
    if world.early and world.values.kinds[value] in (Kind.CLASS, Kind.MODULE, Kind.EXTERNAL):
        world.solver.add(target, value, tier)


def implicit(world: World, unit: int, name: str, meant: Implicit, node: int) -> None:
    """A name that may be a member of a class around: types first, since bases need them."""
    world.implicit.append((unit, name, meant, node))
    for scope in meant.classes:
        member = world.parts[unit].classes[scope].members.get(name)
        if member is not None:
            world.solver.use(member, TYPES, None, node)
            return
    world.solver.use(meant.fallback, TYPES, None, node)


def settle(world: World) -> None:
    """Bases are known: names mean members of the classes around, inherited ones included.

    Behind a base that is not there a name of the file may be hidden, so it is no more than flow.
    """
    values = world.values
    for unit, name, meant, node in world.implicit:
        instances = [
            values.of(Kind.INSTANCE, values.of(Kind.CLASS, unit, scope)) for scope in meant.classes
        ]
        if meant.receiver >= 0:
            held = world.solver.held[meant.receiver] or {}
            instances += [value for value in held if values.kinds[value] == Kind.INSTANCE]
        outside = ""
        for instance in instances:
            klass = values.integer(instance)
            if not world.is_class(klass):
                continue
            if world.classes.member_of(klass, name) >= 0:
                world.solver.handlers[Use.ATTRIBUTE](name, node, instance, 0, node)
                break
            outside = outside or next(iter(world.classes.shape(klass).outside), "")
        else:
            _fall_back(world, meant, name, outside, node)


def _fall_back(world: World, meant: Implicit, name: str, outside: str, node: int) -> None:
    if not outside:
        world.solver.copy(meant.fallback, node, 0)
    elif world.solver.held[meant.fallback]:
        world.solver.copy(meant.fallback, node, 1)
    else:
        world.solver.add(node, world.values.outside(f"{outside}.{name}"), 0)
