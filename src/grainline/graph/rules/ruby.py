"""Ruby."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from grainline.graph.parts import Use
from grainline.graph.rules._ruby_classes import RubyClasses, prepare
from grainline.graph.rules._ruby_containers import METHODS
from grainline.graph.rules._ruby_members import (
    CONSTANT,
    HOOK,
    MIX,
    attribute,
    call,
    constant_late,
    free,
    hooked,
    item,
    mixed,
    set_attribute,
)
from grainline.graph.rules._ruby_names import FUNCTIONS, REFLECTIVE
from grainline.graph.rules.base import Idioms, LanguageRules, Protocols
from grainline.languages.modules.base import Module, Modules
from grainline.languages.modules.ruby import RubyModules, is_test
from grainline.model.ir import FileIr, Op


def _reach(ir: FileIr, path: str, modules: Modules) -> Iterable[Module]:
    """The files that define what a file names, or parts of what it defines."""
    known = cast("RubyModules", modules)
    found: set[tuple[str, ...]] = set()
    rows: set[int] = set(ir.ops[ir.ops[:, 0] == Op.LOAD, 1].tolist())
    for number in rows:
        word, mark, nesting = ir.names[number].partition("#")
        if mark and word != "self" and (word[:1].isupper() or word[:2] == "::"):
            found.update(_meant(known, path, word, nesting))
    defined: set[int] = set(ir.ops[ir.ops[:, 0] == Op.EXPORT, 1].tolist())
    for full in {known.full(ir.names[number]) for number in defined}:
        words = full.split("::")
        found.update(known.defining(path, "::".join(words[:at])) for at in range(1, len(words) + 1))
    members: set[int] = set(ir.ops[ir.ops[:, 0] == Op.GETATTR, 2].tolist())
    for number in members:
        word, _, how = ir.names[number].partition("#")
        if how == "f" and word not in FUNCTIONS:
            found.add(known.defining(path, f"{word}()"))
    return {module for files in found for module in known.held(files)}


def _meant(modules: RubyModules, path: str, word: str, nesting: str) -> Iterable[tuple[str, ...]]:
    meant = modules.meaning(path, word, nesting)
    if meant is not None:
        yield meant.files
    if nesting and word[:2] != "::" and (meant is None or not meant.lexical):
        first = word.partition("::")[0]
        yield from (
            modules.defining(path, f"{scope}::{first}") for scope in modules.inherited(first)
        )


RULES = LanguageRules(
    languages=("ruby",),
    modules=RubyModules,
    reach=_reach,
    free=free,
    prepare=prepare,
    classes=RubyClasses,
    methods=METHODS,
    uses={
        Use.ATTRIBUTE: attribute,
        Use.SET_ATTRIBUTE: set_attribute,
        Use.CALL: call,
        Use.ITEM: item,
        MIX: mixed,
        HOOK: hooked,
        CONSTANT: constant_late,
    },
    constructors=("initialize",),
    inherits_constructors=True,
    generates_constructor=True,
    super_name="super",
    receiver_name="self",
    late_binding="self",
    explicit_exports=True,
    declared=False,
    narrows_inside=True,
    reflective=REFLECTIVE,
    is_test=is_test,
    protocols=Protocols(get_item="[]", set_item="[]="),
    idioms=Idioms(narrows="is_a?"),
)
