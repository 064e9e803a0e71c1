"""Types as values: tuples whose first part says what they are.

    ("c", class, arguments)     a class of the units, by its number
    ("x", name, arguments)      one that is not there, by its name, dotted as far as known
    ("v", owner, name)          a type variable of the function or class `owner`
    ("a", element)              an array
    ("p", name)                 a type of the language; "null" that of null
    ("t", type)                 the class itself, where a name of a type stands for a value
    ("s", class)                `super` in a class
    ("k", name)                 a package
    ("f", scope)                a function without a name whose target is not known yet
    ("r", type, name, op)       a reference to a method

None is a type of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

Kind: TypeAlias = "tuple[Any, ...]"
Type: TypeAlias = "Kind | None"

MAX_DEPTH: Final = 6
"""Arguments of arguments that are kept."""

OBJECT: Final = ("x", "java.lang.Object", ())
STRING: Final = ("x", "java.lang.String", ())
BOOLEAN: Final = ("p", "boolean")
NULL: Final = ("p", "null")

_BOXES: Final = {
    "int": "Integer", "long": "Long", "boolean": "Boolean", "byte": "Byte", "char": "Character",
    "short": "Short", "float": "Float", "double": "Double", "void": "Void",
}  # fmt: skip
BOXES: Final = {name: ("x", f"java.lang.{box}", ()) for name, box in _BOXES.items()}
UNBOXED: Final = {f"java.lang.{box}": ("p", name) for name, box in _BOXES.items()}

Bindings: TypeAlias = "Mapping[tuple[Any, str], Type]"
"""(owner, name) of a variable -> what it stands for."""


def boxed(kind: Type) -> Type:
    """A type of the language as a class."""
    if kind is not None and kind[0] == "p":
        return BOXES.get(kind[1])
    return kind


def substitute(kind: Type, bindings: Bindings, depth: int = MAX_DEPTH) -> Type:
    """`kind` with variables replaced; those without a binding stay. Bounded by `MAX_DEPTH`."""
    if kind is None or not bindings:
        return kind
    tag = kind[0]
    if tag == "v":
        return bindings.get((kind[1], kind[2]), kind)
    if tag in {"c", "x"}:
        if not kind[2]:
            return kind
        if not depth:
            return (tag, kind[1], ())
        inside = tuple([substitute(each, bindings, depth - 1) for each in kind[2]])
        return (tag, kind[1], inside)
    if tag in {"a", "t"} and depth:
        return (tag, substitute(kind[1], bindings, depth - 1))
    return kind


def depth_of(kind: Type) -> int:
    """How deep the arguments of a type nest; types are built with at most `MAX_DEPTH`."""
    if kind is None:
        return 0
    if kind[0] in {"c", "x"}:
        return 1 + max((depth_of(each) for each in kind[2]), default=0)
    return 1 + depth_of(kind[1]) if kind[0] in {"a", "t"} else 0


def cut(kind: Type) -> Type:
    """A type whose arguments nest too deep, without them."""
    if depth_of(kind) < MAX_DEPTH:
        return kind
    assert kind is not None
    return (kind[0], kind[1], ()) if kind[0] in {"c", "x"} else None
