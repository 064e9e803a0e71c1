"""From where a route is registered to its handler; the site is the path, so its line shows it.

Frameworks are known by their packages (`_frameworks.py`): what is called, or the annotation, comes
from there by import. A handler that is not known makes no edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from grainline.graph.bridges._annotations import annotated
from grainline.graph.bridges._frameworks import (
    ANNOTATIONS,
    DECORATED,
    REGISTRATIONS,
    WRAPPERS,
    Registration,
)
from grainline.graph.bridges._reading import Call, Code, edges_at, external_calls
from grainline.graph.bridges.base import Bridge, Found, Ground
from grainline.model.edge import EdgeType, Method, Symbol, Tier
from grainline.model.ir import Op

_PATTERNS: Final = tuple((each, each.pattern()) for each in REGISTRATIONS)
_ANY: Final = re.compile("|".join(pattern.pattern for _, pattern in _PATTERNS))
_Handlers = list[tuple[Symbol, Tier]]


def _find(ground: Ground) -> Iterator[Found]:
    codes: dict[bytes, Code] = {}
    for call in external_calls(ground, codes, _ANY):
        for each, pattern in _PATTERNS:
            if pattern.fullmatch(call.name):
                yield from _registered(ground, call, each)
    for found in annotated(ground, codes, ANNOTATIONS):
        site = found.code.span(found.op if found.constant < 0 else found.constant)
        for symbol, tier in _decorated(found.code, found.op):
            yield Found(found.code.scope(found.op), symbol, site, tier)


def _registered(ground: Ground, call: Call, how: Registration) -> Iterator[Found]:
    code = call.code
    path = code.argument(call.op, *how.path)
    if code.text(path) is None:
        return
    if how.handler == DECORATED:
        handlers = _decorated(code, call.op)
    else:
        handlers = _handed(ground, code, code.argument(call.op, how.handler, how.keyword), path)
    for symbol, tier in handlers:
        yield Found(code.scope(call.op), symbol, code.span(path), tier)


def _decorated(code: Code, decorator: int) -> _Handlers:
    """The function that a decorator stands on, through other decorators."""
    for row in code.ops[decorator + 1 :]:
        if row[0] == Op.DECORATE and row[1] == decorator:
            target = row[2]
            while code.ops[target][0] == Op.DECORATE:
                target = code.ops[target][2]
            found = code.written(target)
            return [] if found is None else [(found, Tier.RESOLVED)]
    return []


def _handed(ground: Ground, code: Code, handler: int, path: int) -> _Handlers:
    """What a handler is, as far as the graph knows it."""
    if handler < 0 or handler == path:
        return []
    if code.ops[handler][0] == Op.CALL:
        site = code.span(code.ops[handler][1])
        if not _is_wrapper(ground, code, handler):
            return []
        handler = code.argument(handler, 0)
        if handler < 0 or site == code.span(handler):
            return []
    written = code.written(handler)
    if written is not None:
        return [(written, Tier.RESOLVED)]
    found = edges_at(ground.table, code.unit.path, code.span(handler))
    return [(edge.dst, edge.tier) for edge in found if edge.type is EdgeType.REFERENCES]


def _is_wrapper(ground: Ground, code: Code, call: int) -> bool:
    """Whether a call is a conversion that leaves a handler what it is."""
    symbol, site = ground.table.find(code.scope(call)), code.span(code.ops[call][1])
    calls = ground.table.unresolved_of(symbol) if symbol >= 0 else ()
    found = (ground.table.unresolved_call(number) for number in calls)
    return any(each.site == site and WRAPPERS.fullmatch(each.name) for each in found)


BRIDGE = Bridge(type=EdgeType.ROUTES_TO, method=Method.ROUTE, find=_find)
