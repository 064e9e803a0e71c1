"""PHP."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, cast

from grainline.graph.linking import NATIVE, member_of
from grainline.graph.rules._php_names import CLASSES, FUNCTIONS
from grainline.graph.rules.base import Idioms, LanguageRules, Protocols, Types
from grainline.languages.modules.base import Module, Modules
from grainline.languages.modules.php import PhpModules, is_test
from grainline.model.ir import FileIr, Op

if TYPE_CHECKING:
    from grainline.graph.world import World

_CALLBACKS: Final = frozenset(
    [
        "array_map",
        "array_filter",
        "array_walk",
        "array_walk_recursive",
        "array_reduce",
        "usort",
        "uasort",
        "uksort",
        "call_user_func",
        "call_user_func_array",
        "preg_replace_callback",
        "iterator_apply",
        "array_udiff",
        "array_uintersect",
        "array_diff_ukey",
        "register_shutdown_function",
        "set_error_handler",
        "set_exception_handler",
        "spl_autoload_register",
        "ob_start",
        "forward_static_call",
        "forward_static_call_array",
        "header_register_callback",
    ]
)


def _meant(modules: PhpModules, path: str, name: str) -> tuple[str, tuple[str, ...]]:
    """The full name that a name has in the end, and the files that define it.

    A function that is not named in full is that of its namespace, else that of none.
    """
    whole = name.removeprefix("\\")
    found = modules.defining(path, whole)
    if not found and whole == name and name.endswith("()") and "\\" in name:
        whole = name.rpartition("\\")[2]
        found = modules.defining(path, whole)
    return whole, found


def _free(world: World, unit: int, name: str, node: int) -> None:
    """A name that nothing in the file binds."""
    if name[:1] in ("$", "") or name in ("self", "static", "parent"):
        return
    modules = cast("PhpModules", world.modules)
    whole, found = _meant(modules, world.paths[unit], name)
    for path in found:
        member_of(world, world.numbers[path], whole, node, 0)
    if not found:
        word = whole.removesuffix("()")
        native = word in (CLASSES if word == whole else FUNCTIONS)
        world.solver.add(node, world.values.outside(f"{NATIVE}.{word}" if native else word), 0)


def _reach(ir: FileIr, path: str, modules: Modules) -> Iterable[Module]:
    """The files that define what a file names."""
    rows: list[int] = ir.ops[ir.ops[:, 0] == Op.LOAD, 1].tolist()
    return {
        Module(found, "")
        for name in set(rows)
        for found in _meant(cast("PhpModules", modules), path, ir.names[name])[1]
    }


RULES = LanguageRules(
    languages=("php",),
    modules=PhpModules,
    shaping=frozenset({"composer.json"}),
    reach=_reach,
    free=_free,
    callbacks=_CALLBACKS,
    constructors=("__construct",),
    inherits_constructors=True,
    super_name="parent",
    receiver_name="$this",
    late_binding="static",
    is_test=is_test,
    protocols=Protocols(call="__invoke"),
    types=Types(own=frozenset({"self", "static"})),
    idioms=Idioms(narrows="instanceof"),
)
