"""Go."""

from __future__ import annotations

from typing import Final, cast

from grainline.graph.parts import Call, Use
from grainline.graph.rules.base import Idioms, LanguageRules
from grainline.graph.world import World
from grainline.languages.modules.base import Module, Modules
from grainline.languages.modules.go import GoModules
from grainline.model.ir import Port

_TEXT = """
any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64
rune string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close
complex copy delete imag len make max min new panic print println real recover
"""
_NATIVES: Final = frozenset(_TEXT.split())


def _append(world: World, made: Call, number: int, tier: int) -> None:
    """The first argument, with the others in it."""
    if not made.arguments:
        return
    first = made.arguments[0]
    if made.result >= 0:
        world.solver.copy(first.node, made.result, tier)
    for argument in made.arguments[1:]:
        source = argument.node
        if argument.kind == Port.STAR:
            source = world.solver.new()
            world.solver.use(argument.node, Use.ITEM, None, source)
        world.solver.use(first.node, Use.SET_ITEM, None, source)


def _imported(modules: Modules, path: str, imported: str, word: str) -> tuple[Module, ...]:
    return cast("GoModules", modules).named(path, imported, word)


def _is_test(path: str) -> bool:
    return path.endswith("_test.go")


RULES = LanguageRules(
    languages=("go",),
    modules=GoModules,
    shaping=frozenset({"go.mod"}),
    natives=_NATIVES,
    models={"builtins.append": _append},
    generates_constructor=True,
    first_declares=True,
    conversions=True,
    receiver_argument=True,
    promotes=True,
    structural=True,
    hides_members=True,
    is_test=_is_test,
    imported=_imported,
    packaged=True,
    idioms=Idioms(variables="#"),
)
