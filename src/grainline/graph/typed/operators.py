"""Types of constants and operators."""

from __future__ import annotations

from typing import Final

from grainline.graph.typed.overloads import YES, Signatures
from grainline.graph.typed.program import File
from grainline.graph.typed.types import BOOLEAN, NULL, OBJECT, STRING, UNBOXED, Type, boxed
from grainline.model.ir import Const


def constant(file: File, kind: int, text: int) -> Type:
    """The type of a constant."""
    if kind == Const.STR:
        return STRING
    if kind == Const.BOOL:
        return BOOLEAN
    if kind == Const.NONE:
        return NULL
    word = file.names[text] if text >= 0 else ""
    if kind == Const.INT:
        return ("p", "long" if word[-1:] in ("L", "l") else "int")
    if word[:1] == "'":
        return ("p", "char")
    if word[:1].isdigit() or word[:1] == ".":
        return ("p", "float" if word[-1] in "fF" else "double")
    return None


def operate(left: Type, right: Type, word: str) -> Type:
    """The type of what an operator gives; one operand leaves `right` None."""
    if word in _TRUTHS:
        return BOOLEAN
    if word == "+" and STRING in (left, right):
        return STRING
    if left is not None and left[0] == "x":
        left = UNBOXED.get(left[1])
    if right is None or left is None or left[0] != "p":
        return left if right is None and left is not None and left[0] == "p" else None
    if right[0] == "x":
        right = UNBOXED.get(right[1])
    if word in _SHIFTS or right is None or right[0] != "p":
        return left
    wide = max(left[1], right[1], key=lambda name: _WIDTHS.get(name, 0))
    if wide == "boolean":
        return BOOLEAN
    return ("p", wide if _WIDTHS.get(wide, 0) > _WIDTHS["int"] else "int")


def common(signatures: Signatures, kinds: list[Type]) -> Type:
    """A type that all of these have."""
    found: Type = None
    for kind in kinds:
        if kind is None or kind[0] in "frtks":
            return None
        if kind in (NULL, found):
            continue
        if found is None:
            found = kind
            continue
        found = _common(signatures, found, kind)
        if found is None:
            return None
    return found if found is not None or not kinds else (NULL if NULL in kinds else None)


def _common(signatures: Signatures, one: Type, other: Type) -> Type:
    if one is not None and other is not None and one[0] == other[0] == "p":
        return max(one, other, key=lambda kind: _WIDTHS.get(kind[1], 0))
    one, other = boxed(one), boxed(other)
    if signatures.assignable(one, other) == YES:
        return other
    if signatures.assignable(other, one) == YES:
        return one
    theirs = {each[:2] for each in signatures.names.supers(other)}
    for each in signatures.names.supers(one):
        if each[:2] in theirs and each[:2] != OBJECT[:2]:
            return each
    return None


_TRUTHS: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||", "!"})
_SHIFTS: Final = frozenset({"<<", ">>", ">>>"})
_WIDTHS: Final = {
    "byte": 1, "short": 2, "char": 2, "int": 3, "long": 4, "float": 5, "double": 6, "boolean": 9,
}  # fmt: skip
