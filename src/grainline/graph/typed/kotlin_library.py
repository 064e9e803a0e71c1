"""The library as Kotlin sees it: that of Java, and what extends its types."""

from __future__ import annotations

from typing import Final

from grainline.graph.typed.library import Library, Row
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.types import BOOLEAN, NULL, OBJECT, STRING, Kind, Type

FUNCTION: Final = "kotlin.Function"
RECEIVER: Final = "kotlin.Receiver"
ANY: Final = "kotlin.Any"
TOP: Final = "kotlin.Top"
UNIT: Final = ("p", "void")


class KotlinLibrary(Library):
    """A line of a class that is there already adds to it."""

    def __init__(self, text: str) -> None:
        self._again: set[int] = set()
        super().__init__(text)
        for name, row in self.rows.items():
            if name.startswith(RECEIVER):
                for functions in row.methods.values():
                    for each in functions:
                        each.receiver = 0
        self.plain = self._without_receivers()

    def _head(self, line: str) -> Row:
        head = line.partition(":")[0].partition(" < ")[0].strip().removeprefix("@")
        known = self.rows.get(head.partition("<")[0])
        return known if known is not None else super()._head(line)

    def _body(self, line: str, row: Row) -> None:
        supers = row.supers if id(row) in self._again else None
        self._again.add(id(row))
        super()._body(line, row)
        if supers is not None:
            row.supers = supers

    def _word(self, word: str, row: Row) -> Type:
        return NULL if word == "Nothing" else super()._word(word, row)

    def _without_receivers(self) -> frozenset[str]:
        """Names of functions that call none of their arguments on a receiver."""
        found: dict[str, bool] = {}
        for row in self.rows.values():
            for name, functions in row.methods.items():
                plain = not any(
                    kind is not None and kind[0] == "x" and str(kind[1]).startswith(RECEIVER)
                    for each in functions
                    for kind in each.types or ()
                )
                found[name] = found.get(name, True) and plain
        return frozenset(name for name, plain in found.items() if plain)

    def extending(self, kind: Type, name: str) -> list[Candidate]:
        """What extends every type, for one of them."""
        bindings = {((-1, ANY), "T"): kind}
        row = self.rows.get(ANY)
        functions = row.methods.get(name, ()) if row is not None else ()
        return [Candidate(each, bindings) for each in functions]

    def top(self, name: str) -> list[Candidate]:
        """What is called with nothing before it."""
        row = self.rows.get(TOP)
        functions = row.methods.get(name, ()) if row is not None else ()
        return [Candidate(each, {}) for each in functions]


def is_function(kind: Type) -> bool:
    """Whether a type is one of functions."""
    return kind is not None and kind[0] == "x" and str(kind[1]).startswith((FUNCTION, RECEIVER))


def function_type(parameters: list[Type], result: Type) -> Type:
    """The type of a function without a receiver."""
    if len(parameters) > 6:
        return None
    return ("x", f"{FUNCTION}{len(parameters)}", (*parameters, result))


def _x(name: str) -> Kind:
    return ("x", name, ())


BUILTIN: Final[dict[str, Kind]] = {
    "Any": OBJECT, "String": STRING, "Boolean": BOOLEAN, "Unit": UNIT, "Nothing": NULL,
    **{
        name: ("p", name.lower())
        for name in ("Int", "Long", "Short", "Byte", "Char", "Float", "Double")
    },
    **{
        name: _x(f"java.lang.{name}")
        for name in (
            "Iterable", "Comparable", "CharSequence", "Number", "Enum", "Throwable", "Exception", "Error",
            "RuntimeException", "IllegalArgumentException", "IllegalStateException", "AssertionError",
            "UnsupportedOperationException", "NullPointerException", "IndexOutOfBoundsException",
            "ClassCastException", "NumberFormatException", "StringBuilder", "AutoCloseable",
        )
    },
    **{
        name: _x(f"java.util.{name}")
        for name in (
            "List", "Set", "Map", "Collection", "Iterator", "ListIterator", "ArrayList", "HashMap", "HashSet",
            "LinkedHashMap", "LinkedHashSet", "Comparator", "NoSuchElementException",
            "ConcurrentModificationException",
        )
    },
    **{f"Mutable{name}": _x(f"java.util.{name}") for name in ("List", "Set", "Map", "Collection", "Iterator")},
    "MutableIterable": _x("java.lang.Iterable"),
    **{name: _x(f"kotlin.{name}") for name in ("Pair", "Triple", "Lazy", "Result", "Array", "Function")},
    **{name: _x(f"kotlin.text.{name}") for name in ("Regex", "MatchResult")},
    "IntRange": _x("kotlin.ranges.IntRange"),
    "Sequence": _x("kotlin.sequences.Sequence"), "SequenceScope": _x("kotlin.sequences.SequenceScope"),
    "IndexedValue": _x("kotlin.collections.IndexedValue"),
    **{f"{name}Array": ("a", ("p", name.lower()))
       for name in ("Int", "Long", "Short", "Byte", "Char", "Float", "Double", "Boolean")},
}  # fmt: skip
"""Names that need no import -> what they are for Java."""

PACKAGES: Final = (
    "kotlin", "kotlin.collections", "kotlin.text", "kotlin.sequences", "kotlin.ranges", "kotlin.io",
    "kotlin.comparisons", "kotlin.annotation", "kotlin.jvm", "java.lang",
)  # fmt: skip
"""Packages whose names need no import."""
