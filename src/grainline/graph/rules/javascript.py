"""JavaScript, TypeScript and TSX."""

from __future__ import annotations

from typing import Final

from grainline.graph.rules._javascript_library import (
    CALLBACKS,
    CREATE,
    METHODS,
    MIX,
    MODELS,
    SHARED,
    create,
    mix,
)
from grainline.graph.rules._javascript_names import GLOBALS
from grainline.graph.rules.base import LanguageRules, Protocols, Types
from grainline.languages.modules.javascript import JavaScriptModules


def _hides(name: str) -> bool:
    return name == "default"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TYPES: Final = Types(
    own=_words("this"),
    transparent=_words(
        "Promise PromiseLike Awaited Readonly Partial Required NonNullable NoInfer Pick Omit "
        "InstanceType DeepPartial"
    ),
    elements=_words(
        "Array ReadonlyArray Set ReadonlySet Iterable Iterator IterableIterator Generator "
        "AsyncIterable AsyncIterator AsyncGenerator AsyncIterableIterator"
    ),
    keyed=_words("Map ReadonlyMap WeakMap"),
    mappings=_words("Record"),
    tuples=_words("[]"),
    opaque=_words("Exclude Extract ReturnType Parameters"),
)

RULES = LanguageRules(
    languages=("javascript", "typescript", "tsx"),
    modules=JavaScriptModules,
    shaping=_words("package.json tsconfig.json jsconfig.json"),
    natives=GLOBALS,
    models=MODELS,
    methods=METHODS,
    uses={MIX: mix, CREATE: create},
    shared_methods=SHARED,
    universal=_words(
        "toString toLocaleString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable"
    ),
    callbacks=CALLBACKS,
    hides=_hides,
    constructors=("constructor",),
    inherits_constructors=True,
    super_name="super",
    receiver_name="this",
    explicit_exports=True,
    default_export="module.exports",
    merges=True,
    rest_is_list=True,
    objects=True,
    property_flow=True,
    mentions=True,
    protocols=Protocols(call="()"),
    types=_TYPES,
)
