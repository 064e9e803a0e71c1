"""What stands above a type: its bases with their arguments."""

from __future__ import annotations

from typing import Any, Final

from grainline.graph.typed.library import Library
from grainline.graph.typed.program import Class, Program
from grainline.graph.typed.types import OBJECT, Bindings, Kind, Type, cut, substitute
from grainline.model.ir import ABSTRACT

MAX_ABOVE: Final = 256
"""Types above a class that are looked at."""


class Hierarchy:
    """Types above the classes of a program, once their bases are known."""

    def __init__(self, program: Program, library: Library) -> None:
        self.program = program
        self.library = library
        self._all: dict[Kind, list[Kind]] = {}

    def own(self, number: int) -> Type:
        """A class as its own body sees it."""
        made = self.program.classes[number]
        names = dict.fromkeys(name for name, _ in made.variables)
        return ("c", number, tuple(("v", number, name) for name in names))

    def above(self, number: int) -> list[Kind]:
        """A class and all types above it, nearest first: extended ones before implemented ones."""
        made = self.program.classes[number]
        if made.order is None:
            made.order, made.outside = self._above(made)
        return made.order

    def bases_of(self, made: Class) -> list[Type]:
        """The types of the bases of a class."""
        return made.supers

    def _above(self, made: Class) -> tuple[list[Kind], list[str]]:
        own = self.own(made.number)
        assert own is not None
        order: list[Kind] = []
        outside: list[str] = []
        seen: set[tuple[str, Any]] = set()
        open_: list[Kind] = [own]
        while open_ and len(order) < MAX_ABOVE:
            kind = open_.pop(0)
            if (kind[0], kind[1]) in seen:
                continue
            seen.add((kind[0], kind[1]))
            order.append(kind)
            if kind[0] == "c":
                above = self.program.of(kind)
                bases = [
                    (each, port)
                    for each, (_, port) in zip(self.bases_of(above), above.bases, strict=True)
                ]
                if any(each is None for each, _ in bases):
                    outside.append("?")
                bindings = self.bindings(kind)
                found = [
                    cut(substitute(each, bindings))
                    for each, _ in sorted(bases, key=lambda base: base[1])
                ]
                extended = [e for e in found if e and e[0] == "c" and not self._abstract(e)]
                rest = [e for e in found if e and e not in extended and e[0] in {"c", "x"}]
                open_ = [*extended, *open_, *rest]
            else:
                outside.append(kind[1])
                open_ += [each for each in self.library.supers(kind) if each is not None]
        if OBJECT not in order:
            order.append(OBJECT)
        return order, [name for name in outside if name != OBJECT[1]]

    def _abstract(self, kind: Kind) -> bool:
        return bool(self.program.of(kind).flags & ABSTRACT)

    def bindings(self, kind: Type) -> Bindings:
        """What the arguments of a type say of the variables of its class."""
        if kind is None or kind[0] != "c" or not kind[2]:
            return {}
        names = dict.fromkeys(name for name, _ in self.program.of(kind).variables)
        if len(names) != len(kind[2]):
            return {}
        return {(kind[1], name): argument for name, argument in zip(names, kind[2], strict=True)}

    def supers(self, kind: Type) -> list[Kind]:
        """A type and all types above it, with its arguments."""
        if kind is None or kind[0] not in "cx":
            return []
        found = self._all.get(kind)
        if found is None:
            found = self._all[kind] = self._supers_of(kind)
        return found

    def _supers_of(self, kind: Kind) -> list[Kind]:
        if kind[0] == "c":
            bindings = self.bindings(kind)
            order = self.above(kind[1])
            found = [cut(substitute(each, bindings)) for each in order] if bindings else order
            return [each for each in found if each is not None]
        if kind[0] == "x":
            return self.library.order(kind)
        return []

    def outside(self, number: int) -> list[str]:
        """Names of types above a class that are not there; "?" for one that is not known."""
        self.above(number)
        return self.program.classes[number].outside
