"""From an operation in an OpenAPI file to the function that it names: `operationId: shop.views.buy`.

Frameworks that start from such a file import the handler by that dotted path. An edge is made where
exactly one function of the view has it: seen from a folder that the file is in (or `src` in one) it
is `resolved`, from any other folder `flowed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from grainline.graph.bridges.base import Bridge, File, Found, Ground
from grainline.model.edge import EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from grainline.model.symbol import Definition, SymbolKind

_SPECIFICATION: Final = re.compile(rb"^[ \t{]*[\"']?(?:openapi|swagger)[\"']?[ \t]*:", re.MULTILINE)
_OPERATION: Final = re.compile(
    rb"^[ \t]*([\"']?)operationId\1[ \t]*:[ \t]*([\"']?)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)\2[ \t]*"
    rb"(?:,|#.*)?\r?$",
    re.MULTILINE,
)
_FUNCTIONS: Final = frozenset((SymbolKind.FUNCTION, SymbolKind.METHOD))


class _Handler(NamedTuple):
    symbol: Symbol
    root: bytes
    """The folder from which the dotted path is that of the function."""


def _find(ground: Ground) -> Iterator[Found]:
    for file in ground.files:
        if file.language not in ("yaml", "json") or b"operationId" not in file.text:
            continue
        if _SPECIFICATION.search(file.text) is None:
            continue
        for found in _OPERATION.finditer(file.text):
            span = Span(*found.span(3))
            handlers = list(_handlers(ground, found[3].decode()))
            if len(handlers) == 1:
                near = _is_near(file, handlers[0].root)
                tier = Tier.RESOLVED if near else Tier.FLOWED
                yield Found(file.around(span), handlers[0].symbol, span, tier)


def _is_near(file: File, root: bytes) -> bool:
    """Whether a folder of imports is one that a file is in."""
    return file.folder.startswith(root.removesuffix(b"src/"))


def _handlers(ground: Ground, dotted: str) -> Iterator[_Handler]:
    """The functions of Python that have a dotted import path, seen from whatever folder."""
    for path, row in ground.named(dotted.rpartition(".")[2]):
        file = ground.by_path[path]
        if file.language != "python" or row.kind not in _FUNCTIONS:
            continue
        module, names = dotted.rpartition(".")[0], _around(file, row)
        if names:
            if not module.endswith(f".{'.'.join(names)}"):
                continue
            module = module.removesuffix(f".{'.'.join(names)}")
        inside = module.replace(".", "/").encode()
        for end in (inside + b".py", inside + b"/__init__.py"):
            if path == end or path.endswith(b"/" + end):
                yield _Handler(Symbol(path, row.descriptor), path.removesuffix(end))


def _around(file: File, row: Definition) -> list[str]:
    """The names of the definitions that a definition is in, from outside."""
    found: list[str] = []
    while row.parent >= 0:
        row = file.outline[row.parent]
        found.append(row.name)
    return found[::-1]


BRIDGE = Bridge(type=EdgeType.ROUTES_TO, method=Method.OPERATION, find=_find)
