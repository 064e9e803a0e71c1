"""Java and Kotlin, whose files call each other."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.graph.rules._java_library import LIBRARY
from grainline.graph.rules._kotlin_library import LIBRARY as KOTLIN
from grainline.graph.rules.base import LanguageRules, Platform
from grainline.languages.modules.base import Module, Modules
from grainline.languages.modules.java import JavaModules
from grainline.model.ir import FileIr, Op


def _in_full(ir: FileIr, path: str, modules: Modules) -> Iterable[Module]:
    """Packages of names that are written in full."""
    ops = ir.ops
    rows = ops[ops[:, 0] == Op.GETATTR]
    rows = rows[ops[rows[:, 1], 0] == Op.LOAD]
    starts = {(int(ops[a, 1]), int(a)) for a in rows[:, 1].tolist()}
    names = {ir.names[name] for name, _ in starts}
    wanted = {
        name for name in names if isinstance(modules, JavaModules) and modules.is_package(name)
    }
    if not wanted:
        return ()
    found: set[Module] = set()
    dotted: dict[int, str] = {}
    for at, (code, a, b, *_) in enumerate(ops.tolist()):
        if code == Op.LOAD and ir.names[a] in wanted:
            dotted[at] = ir.names[a]
        elif code == Op.GETATTR and a in dotted:
            dotted[at] = f"{dotted[a]}.{ir.names[b]}"
            found.update(modules.find(path, dotted[at]))
    return found


RULES = LanguageRules(
    languages=("java", "kotlin"),
    modules=JavaModules,
    reach=_in_full,
    platform=Platform(
        library=LIBRARY,
        implicit={"java": ("java.lang",), "kotlin": ("kotlin",)},
        more=KOTLIN,
        extending=frozenset({"kotlin"}),
    ),
)
