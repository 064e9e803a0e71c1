"""Constants that are known: keys, items, arithmetic, comparisons, texts. Everything is bounded."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, Final

from grainline.flow.values import UNKNOWN, Key, Named, Value, choices, either
from grainline.model.ir import Make

MAX_TEXT: Final = 4096
MAX_NUMBER: Final = 1 << 64


class Display(tuple[object, ...]):
    """The constant elements of a tuple."""

    __slots__ = ()


def key(const: object) -> Key | None:
    """The key of a field that a constant is; None for what is not known."""
    if isinstance(const, str):
        return const
    if isinstance(const, bool):
        return int(const)
    return const if isinstance(const, int) else None


def item(holder: object, at: object) -> object:
    """`holder[at]` of constants, else `UNKNOWN`."""
    if isinstance(holder, (str, Display)):
        if isinstance(at, int) and -len(holder) <= at < len(holder):
            return holder[at]
        if isinstance(at, slice) and isinstance(holder, str):
            return holder[at]
    return UNKNOWN


def slice_of(parts: list[object]) -> object:
    """The slice of constant ends."""
    if all(part is None or isinstance(part, int) for part in parts):
        return slice(*parts)
    return UNKNOWN


def display(kind: int, fields: Mapping[Key, Value], rest: Value) -> object:
    """The constant that a tuple is when all of its elements are: nothing can change it."""
    if kind != Make.TUPLE or rest.taints or rest.refs:
        return UNKNOWN
    found = [value.const for value in fields.values()]
    if any(const is UNKNOWN for const in found):
        return UNKNOWN
    return Display(found)


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and abs(value) < MAX_NUMBER


def _arithmetic(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], object]:
    def fold(left: Any, right: Any) -> object:
        if not (_number(left) and _number(right)):
            return UNKNOWN
        try:
            return run(left, right)
        except (ZeroDivisionError, ValueError, OverflowError):
            return UNKNOWN

    return fold


def _add(left: Any, right: Any) -> object:
    if isinstance(left, str) and isinstance(right, str):
        return left + right if len(left) + len(right) <= MAX_TEXT else UNKNOWN
    return _ADD(left, right)


def _shift(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], object]:
    def fold(left: Any, right: Any) -> object:
        if isinstance(left, int) and isinstance(right, int) and 0 <= right < 64:
            return run(left, right)
        return UNKNOWN

    return fold


def _order(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], object]:
    def fold(left: Any, right: Any) -> object:
        if (_number(left) and _number(right)) or (isinstance(left, str) and isinstance(right, str)):
            return run(left, right)
        return UNKNOWN

    return fold


def _equal(left: Any, right: Any) -> object:
    if isinstance(left, Display) or isinstance(right, Display):
        return UNKNOWN
    return left == right


def _different(left: Any, right: Any) -> object:
    found = _equal(left, right)
    return found if found is UNKNOWN else not found


def _inside(left: Any, right: Any) -> object:
    if isinstance(right, Display):
        return left in right
    if isinstance(left, str) and isinstance(right, str):
        return left in right
    return UNKNOWN


def _outside(left: Any, right: Any) -> object:
    found = _inside(left, right)
    return found if found is UNKNOWN else not found


def _divide(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int) and left % right:
        return UNKNOWN  # languages differ
    return left // right if isinstance(left, int) else left / right


_ADD = _arithmetic(operator.add)

FOLDS: Final[Mapping[str, Callable[[Any, Any], object]]] = {
    "+": _add,
    "-": _arithmetic(operator.sub),
    "*": _arithmetic(operator.mul),
    "/": _arithmetic(_divide),
    "//": _arithmetic(lambda one, other: one // other),
    "%": _arithmetic(operator.mod),
    "<<": _shift(lambda one, other: one << other),
    ">>": _shift(lambda one, other: one >> other),
    "<": _order(operator.lt),
    "<=": _order(operator.le),
    ">": _order(operator.gt),
    ">=": _order(operator.ge),
    "==": _equal,
    "===": _equal,
    "is": _equal,
    "!=": _different,
    "!==": _different,
    "is not": _different,
    "in": _inside,
    "not in": _outside,
}


def fold(word: str, left: object, right: object) -> object:
    """`left word right` of constants, `UNKNOWN` where that is not sure."""
    run = FOLDS.get(word)
    if run is None:
        return UNKNOWN
    found: object = None
    for number, (one, other) in enumerate(product(choices(left), choices(right))):
        named = isinstance(one, Named) or isinstance(other, Named)
        made = UNKNOWN if named else run(one, other)
        found = made if number == 0 else either(found, made)
    return found if choices(left) and choices(right) else UNKNOWN
