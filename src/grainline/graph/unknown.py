"""What is called on something of which nothing is known: functions that are stored under that name.

Field-based flow (Feldthaus et al., ICSE 2013): one place for all properties of a name. Only inside
of a component, only where the object holds nothing at all, and only for names that few functions
have: a name that many have says nothing. What is found so is a guess by name, of tier `named` or
`ambiguous`: of hono's calls 41 % of such edges and what followed from them were right.
"""

from __future__ import annotations

from typing import Final, cast

from grainline.graph.calls import run_callbacks
from grainline.graph.parts import Call, Use
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.model.ir import ABSTRACT, Op

MAX_FUNCTIONS: Final = 3
"""Functions of one name in a component; with more of them nothing is said."""


def call_unknown(world: World, made: Call) -> None:
    """A call through a property of something unknown."""
    code, owner, name, *_ = world.parts[made.unit].ops[made.op]
    if code not in (Op.CALL, Op.NEW):
        return
    code, owner, name, *_ = world.parts[made.unit].ops[owner]
    if code != Op.GETATTR or world.solver.held[made.callee]:
        return
    if world.solver.held[world.parts[made.unit].nodes[owner]]:
        return
    word = world.units[made.unit].ir.names[name]
    if word in world.rules.callbacks:
        run_callbacks(world, made)
        return
    found = _functions(world, world.regions[made.unit], word)
    if len(found) > MAX_FUNCTIONS:
        return
    if found:
        world.guessed.add((made.unit, made.op))
    for function in found:
        world.solver.add(made.callee, function, 1)


def _functions(world: World, region: int, name: str) -> list[int]:
    """The functions that are stored under a name; those without a body when there are no others."""
    if not world.stores:
        _survey(world)
    found: set[int] = set()
    for node in world.stores.get((region, name), ()):
        for value in world.solver.held[node] or ():
            if world.values.kinds[value] == Kind.BOUND:
                value = world.values.integer(value)
            if world.values.kinds[value] == Kind.FUNCTION and not world.nameless(value):
                found.add(value)
    written = {value for value in found if not world.function(value).flags & ABSTRACT}
    return sorted(written or found)


def _survey(world: World) -> None:
    """The nodes of what is stored under each name, in each region."""
    for unit, part in enumerate(world.parts):
        region = world.regions[unit]
        for row in part.classes.values():
            for name, node in row.members.items():
                world.stores.setdefault((region, name), []).append(node)
        for _, kind, x, y in part.uses:
            if kind == Use.SET_ATTRIBUTE:
                world.stores.setdefault((region, str(x)), []).append(y)
            elif kind == Use.SET_ITEM:
                key = cast("tuple[object, int]", x)[0] if isinstance(x, tuple) else x
                if isinstance(key, str) and key[:1] == "'":
                    world.stores.setdefault((region, key[1:]), []).append(y)
