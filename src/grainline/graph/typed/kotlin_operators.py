"""Operators of Kotlin, and what else calls functions without saying so."""

from __future__ import annotations

from typing import Final, cast

from grainline.graph.typed.facts import RESOLVED, UNSURE
from grainline.graph.typed.frames import Frame
from grainline.graph.typed.kotlin_frames import KotlinFrame
from grainline.graph.typed.kotlin_library import UNIT
from grainline.graph.typed.kotlin_overloads import Given
from grainline.graph.typed.kotlin_results import KotlinResults
from grainline.graph.typed.operators import operate
from grainline.graph.typed.program import File
from grainline.graph.typed.types import BOOLEAN, STRING, Type
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import (
    Op,
)


class KotlinOperators(KotlinResults):
    """The evaluation of operators, loops, parts and delegates."""

    def _operated(self, frame: KotlinFrame, op: int, a: int, b: int, word: str) -> Type:
        """An operator: a function of the left type, where one says what it does."""
        values = self.values[frame.file.number]
        left, right = values[a], values[b] if b >= 0 else None
        if word in ("is", "!is", "!", "&&", "||", "==", "!=", "===", "!=="):
            return BOOLEAN
        if word in ("in", "!in"):
            self._operator(frame, op, right, "contains", [a])
            return BOOLEAN
        if word in _COMPARED:
            self._operator(frame, op, left, "compareTo", [b])
            return BOOLEAN
        if word in ("++", "--", "unary"):
            name = {"++": "inc", "--": "dec"}.get(word, "unaryMinus")
            found = self._operator(frame, op, left, name, [])
            return found[0] if found is not None else left if left and left[0] == "p" else None
        if word.endswith("=") and word[:-1] in _WORDS:
            if self._operator(frame, op, left, f"{_WORDS[word[:-1]]}Assign", [b]) is None:
                self._operator(frame, op, left, _WORDS[word[:-1]], [b])
            return UNIT
        found = self._operator(frame, op, left, _WORDS.get(word, ""), [b])
        if found is not None:
            return found[0]
        if word in ("..", "..<"):
            return ("x", "kotlin.ranges.IntRange", ()) if left == right == ("p", "int") else None
        if left == STRING and word == "+":
            return STRING
        return operate(left, right, word) if left and right and left[0] == right[0] == "p" else None

    def _operator(
        self, frame: KotlinFrame, op: int, kind: Type, name: str, arguments: list[int]
    ) -> tuple[Type] | None:
        """The function that an operator calls without saying so; None: nothing of the units."""
        kind = self.names.erased(kind)
        if kind is None or kind[0] not in "cxpa" or not name:
            return None
        given = self._values_as(frame, arguments)
        if kind[0] != "c" and name not in self._extending_names():
            of_library = self.members.methods(kind, name).candidates if kind[0] == "x" else []
            fits = self.library_fits(of_library, given)
            if len(fits) != 1:
                return None
            return (self._result_of(fits[0].each.function, self._bound(fits[0], given)),)
        meant = self._on_value(frame, op, kind, name, given)
        inside = [fit for fit in meant.fits if fit.each.function.unit >= 0]
        if not inside:
            return None
        tier = self.tier(frame, meant)
        for fit in inside:
            place = (fit.each.function.unit, fit.each.function.scope)
            self.fact(EdgeType.CALLS, frame, op, place, Method.PROTOCOL, tier)
        if len(inside) > 1:
            return (None,)
        return (self._result_of(inside[0].each.function, self._bound(inside[0], given)),)

    def _values_as(self, frame: KotlinFrame, arguments: list[int]) -> Given:
        values = self.values[frame.file.number]
        kinds = [values[at] for at in arguments]
        kinds = [None if kind is not None and kind[0] in "tksfr" else kind for kind in kinds]
        return Given(arguments, kinds, [None] * len(kinds), [""] * len(kinds))

    def _item_of(self, frame: KotlinFrame, op: int, a: int, b: int) -> Type:
        """`a[b]`."""
        kind = self.names.erased(self.values[frame.file.number][a])
        if kind is None:
            return None
        if kind[0] == "a":
            return cast("Type", kind[1])
        if kind == STRING:
            return ("p", "char")
        found = self._operator(frame, op, kind, "get", keys(frame.file, b))
        return found[0] if found is not None else None

    def _element(self, frame: Frame, op: int, kind: Type) -> Type:
        if not isinstance(frame, KotlinFrame):
            return super()._element(frame, op, kind)
        kind = self.names.erased(kind)
        if kind is None:
            return None
        if kind[0] == "a":
            return cast("Type", kind[1])
        if kind == STRING:
            return ("p", "char")
        if kind[:2] == ("x", "kotlin.ranges.IntRange"):
            return ("p", "int")
        if kind[0] == "c" or "iterator" in self._extending_names():
            self._operator(frame, op, kind, "iterator", [])
        for each in self.names.supers(kind):
            if each[1] in ("java.lang.Iterable", "kotlin.sequences.Sequence") and each[2]:
                return cast("Type", each[2][0])
            if each[1] == "java.util.Map" and len(each[2]) == 2:
                return ("x", "java.util.Map.Entry", each[2])
        return None

    def _component(self, frame: KotlinFrame, op: int, kind: Type, number: int) -> Type:
        """What `(a, b) = x` takes: of a function `componentN`, or of the header of a data class."""
        kind = self.names.erased(kind)
        if kind is None or kind[0] not in "cx":
            return None
        found = self._operator(frame, op, kind, f"component{number + 1}", [])
        if found is not None:
            return found[0]
        if kind[0] == "x":
            name = ("first", "second", "third")[number] if number < 3 else ""
            if kind[1] in ("kotlin.Pair", "kotlin.Triple"):
                return self._of_platform(frame.file, kind, name)
            if kind[1] == "kotlin.collections.IndexedValue":
                return self._of_platform(frame.file, kind, ("index", "value")[number % 2])
            return None
        header = self.program.of(kind).header
        if number < len(header):
            field = self.members.field(kind, header[number][1])
            return field[1] if field is not None else None
        return None

    def _delegated_value(self, frame: KotlinFrame, op: int, kind: Type) -> Type:
        """What a property has that another object stands for."""
        kind = self.names.erased(kind)
        if kind is None:
            return None
        if kind[0] == "x" and kind[1] == "kotlin.Lazy":
            return cast("Type", kind[2][0]) if kind[2] else None
        if kind[0] != "c":
            return None
        found = self.members.methods(kind, "getValue").candidates
        inside = [each for each in found if each.function.unit >= 0]
        for each in inside:
            place = (each.function.unit, each.function.scope)
            tier = RESOLVED if len(inside) == 1 else UNSURE
            self.fact(EdgeType.CALLS, frame, op, place, Method.PROTOCOL, tier)
        if len(inside) != 1:
            return None
        return self._result_of(inside[0].function, dict(inside[0].bindings))


def keys(file: File, key: int, value: int = -1) -> list[int]:
    """The arguments of `a[b, c]`, and what is set there."""
    code, _, first, count, _, _ = file.ops[key]
    keys = [key]
    if code == Op.MAKE:
        keys = [at for _, _, at in file.ports[first : first + count]]
    return [*keys, value] if value >= 0 else keys


_WORDS: Final = {
    "+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem", "..": "rangeTo", "..<": "rangeUntil",
}  # fmt: skip
_COMPARED: Final = frozenset({"<", ">", "<=", ">="})
