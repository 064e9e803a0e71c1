"""Which of several functions of one name a call means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.model.ir import ARGUMENTS, Param, Port

if TYPE_CHECKING:
    from grainline.graph.parts import Call
    from grainline.graph.world import World

_ANY_NUMBER: Final = frozenset({int(Port.STAR), int(Port.DOUBLE_STAR)})


def takes(world: World, made: Call, function: int, receiver: int) -> bool:
    """Whether a function can be called with so many arguments."""
    del receiver
    known = world.function(function)
    if known.flags & ARGUMENTS or any(each.kind in _ANY_NUMBER for each in made.arguments):
        return True
    given = len(made.arguments)
    plain = [each for each in known.parameters if each.kind <= Param.KEYWORD]
    starred = any(each.kind in (Param.STAR, Param.DOUBLE_STAR) for each in known.parameters)
    least = sum(each.default < 0 for each in plain)
    return least <= given and (starred or given <= len(plain))
