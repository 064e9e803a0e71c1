"""Python."""

from __future__ import annotations

from typing import Final

from grainline.graph.rules._python_containers import METHODS
from grainline.graph.rules._python_library import MODELS
from grainline.graph.rules._python_names import BUILTINS
from grainline.graph.rules.base import Idioms, LanguageRules, Protocols, Types
from grainline.languages.modules.python import PythonModules


def _hides(name: str) -> bool:
    return name.startswith("_")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TYPES: Final = Types(
    own=_words("Self"),
    transparent=_words(
        "Optional Union Annotated Final ClassVar Required NotRequired ReadOnly InitVar Awaitable "
        "Mapped TypeGuard"
    ),
    last=_words("Coroutine"),
    classes=_words("Type type"),
    elements=_words(
        "list List set Set frozenset FrozenSet Sequence MutableSequence Iterable Iterator "
        "Collection AbstractSet MutableSet deque Deque AsyncIterable AsyncIterator Generator "
        "AsyncGenerator Reversible ContextManager AbstractContextManager AsyncContextManager "
        "KeysView ValuesView"
    ),
    mappings=_words(
        "dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict ChainMap "
        "WeakValueDictionary"
    ),
    tuples=_words("tuple Tuple"),
    opaque=_words("Callable Literal"),
)

RULES = LanguageRules(
    languages=("python",),
    modules=PythonModules,
    natives=BUILTINS,
    models=MODELS,
    methods=METHODS,
    hides=_hides,
    constructors=("__init__",),
    factories=("__new__",),
    inherits_constructors=True,
    generates_constructor=True,
    first_is_receiver=True,
    declared=False,
    mentions=True,
    protocols=Protocols(
        call="__call__",
        iterators=("__iter__", "__aiter__"),
        nexts=("__next__", "__anext__"),
        get_item="__getitem__",
        set_item="__setitem__",
        enters=("__enter__", "__aenter__"),
        exits=("__exit__", "__aexit__"),
    ),
    types=_TYPES,
    idioms=Idioms(
        narrows="isinstance",
        updates="update",
        variables="TypeVar",
        wraps="wraps",
        rewraps="update_wrapper",
        statics=_words("staticmethod"),
        class_functions=_words("classmethod __new__ __init_subclass__ __class_getitem__"),
        property_suffix="property",
    ),
)
