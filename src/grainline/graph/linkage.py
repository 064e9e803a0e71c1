"""Functions that are declared in one file and defined in another, as a linker joins them.

A declaration stands for the definitions of its name in the files that include the file of the
declaration, itself first. Where no such file defines it, the only definition among the files that
includes join is likely, not sure; a namesake elsewhere is another program's. Without a definition a
declaration stands for itself, several are a set.
"""

from __future__ import annotations

from grainline.graph.components import components
from grainline.graph.includes import Includes
from grainline.graph.world import World
from grainline.model.ir import ABSTRACT, STATIC, ScopeKind

Place = tuple[int, int]
"""Unit and scope of a function."""


def definitions(world: World, includes: Includes) -> dict[Place, tuple[int, list[Place]]]:
    """For every declaration the tier and the places of what it stands for, if that is another."""
    declared: list[tuple[str, Place]] = []
    defined: dict[str, list[Place]] = {}
    own: set[Place] = set()
    for unit, part in enumerate(world.parts):
        names = world.units[unit].ir.names
        for number, scope in enumerate(part.scopes):
            if scope.kind != ScopeKind.FUNCTION or scope.parent != 0:
                continue
            name = names[scope.name]
            if scope.flags & ABSTRACT:
                declared.append((name, (unit, number)))
            else:
                defined.setdefault(name, []).append((unit, number))
                if scope.flags & STATIC:
                    own.add((unit, number))
    found: dict[Place, tuple[int, list[Place]]] = {}
    groups = components_of(world)
    for name, place in declared:
        candidates = defined.get(name, ())
        mine = [each for each in candidates if each[0] == place[0]]
        others = [
            each for each in candidates if each not in own and includes.reaches(each[0], place[0])
        ]
        near = [
            each for each in candidates if each not in own and groups[each[0]] == groups[place[0]]
        ]
        if mine or others:
            found[place] = 0, mine or others
        elif len(near) == 1:
            found[place] = 1, near
    return found


def components_of(world: World) -> dict[int, int]:
    """The component of every unit: what no file can name together is never used as the other."""
    found = components(world.units, world.rules, world.modules)
    return {unit: at for at, group in enumerate(found) for unit in group.units}
