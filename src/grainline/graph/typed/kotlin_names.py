"""Names in Kotlin: functions and properties of packages, aliases, objects that stand for a class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from grainline.graph.rules.base import Platform
from grainline.graph.typed.kotlin_library import BUILTIN, PACKAGES, KotlinLibrary
from grainline.graph.typed.names import Names
from grainline.graph.typed.program import Class, File, Function, Program
from grainline.graph.typed.types import Type, boxed
from grainline.model.ir import (
    BROKEN,
    COMPANION,
    GETTER,
    PRIVATE,
    SINGLETON,
    STATIC,
    Op,
    ScopeKind,
)

KOTLIN = "kotlin"
MAX_ALIASES = 8
"""Aliases of aliases that are followed."""


class Roots(Protocol):
    """Which files of a package a file may mean."""

    def is_package(self, name: str) -> bool:
        """Whether some file is in the package or below it."""
        ...

    def nearest(self, path: str, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of `paths` that a name may mean which they all have, as the file `path` sees it."""
        ...

    def rank(self, path: str, other: str) -> int:
        """How far a file is from another one, -1 when it is not seen."""
        ...

    def is_test(self, path: str) -> bool:
        """Whether a file is there for tests alone."""
        ...


def is_kotlin(file: File) -> bool:
    """Whether a file is written in Kotlin."""
    return file.unit.language == KOTLIN


class KotlinNames(Names):
    """Names of types, functions and properties in files of Kotlin and Java."""

    library: KotlinLibrary

    def __init__(
        self, program: Program, library: KotlinLibrary, platform: Platform, packages: Roots
    ) -> None:
        self.program = program
        self.roots = packages
        self.imports: list[dict[str, list[tuple[str, str]]]] = [{} for _ in program.files]
        self.companions: dict[int, int] = {}
        self.getters: dict[tuple[int, int, str], Function] = {}
        """(unit, scope around, name) -> what runs when the property is read."""
        self._aliases: dict[tuple[str, str], list[tuple[File, int]]] = {}
        self._following: list[tuple[str, str]] = []
        self._functions: dict[tuple[str, str], list[Function]] = {}
        self._properties: dict[tuple[str, str], list[Function]] = {}
        """Getters of properties that extend a type, in packages."""
        self._values: dict[tuple[str, str], list[File]] = {}
        self.inner_properties: dict[tuple[int, str], list[Function]] = {}
        """(class, name) -> getters of properties that extend a type, in a class."""
        for file in program.files:
            if is_kotlin(file):
                self._declared(file)
        super().__init__(program, library, platform, packages)

    def _declared(self, file: File) -> None:
        module = file.scopes[0]
        imports = self.imports[file.number]
        for op in range(module.first, module.last):
            code, a, b, _, _, _ = file.ops[op]
            if code == Op.EXPORT:
                key = (file.package, file.names[a])
                self._aliases.setdefault(key, []).append((file, b))
            elif code == Op.STORE and file.ops[b][0] == Op.IMPORT:
                row = file.ops[b]
                place = (file.names[row[1]], file.names[row[2]] if row[2] >= 0 else "")
                imports.setdefault(file.names[a], []).append(place)
        for name, functions in file.free.items():
            for each in functions:
                if file.scopes[each.scope].kind == ScopeKind.FUNCTION:
                    self._functions.setdefault((file.package, name), []).append(each)
        for name in file.values:
            self._values.setdefault((file.package, name), []).append(file)
        for scope, function in file.functions.items():
            if function.flags & GETTER:
                self._getter(file, scope, function)
        for scope, number in file.classes.items():
            made = self.program.classes[number]
            if made.flags & COMPANION and made.outer >= 0:
                self.companions.setdefault(made.outer, number)
            del scope

    def _getter(self, file: File, scope: int, function: Function) -> None:
        around = file.scopes[scope].parent
        name = function.name
        if function.receiver == -2:
            self.getters[file.number, around, name] = function
        elif around == 0:
            self._properties.setdefault((file.package, name), []).append(function)
        elif function.owner >= 0:
            self.inner_properties.setdefault((function.owner, name), []).append(function)

    # -------------------------------------------------------------------------- types

    def _named(self, file: File, scope: int, name: str) -> Type:
        if not is_kotlin(file):
            return super()._named(file, scope, name)
        found = self.lexical(file, scope, name)
        if found is not None:
            return found
        outside = self.imports[file.number].get(name, ())
        for module, member in outside:
            found = self.member_type(file, module, member)
            if found is None and self._has_alias(module, member):
                return self._alias(file, module, member)
            if found is not None:
                return found
        if outside:
            module, member = outside[0]
            if module in PACKAGES and member in BUILTIN:
                return BUILTIN[member]
            return self.external(f"{module}.{member}")
        number = file.top.get(name)
        if number is None:
            number = self.in_package(file, file.package, name)
        if number is not None:
            return self.raw(number) if number >= 0 else None
        if self._has_alias(file.package, name):
            return self._alias(file, file.package, name)
        return self._starred(file, name)

    def _starred(self, file: File, name: str) -> Type:
        found: set[int] = set()
        anywhere = False
        for module in file.stars:
            number = self.in_package(file, module, name)
            if number is None:
                if self._has_alias(module, name):
                    return self._alias(file, module, name)
                owner = self.dotted(file, module)
                inner = self.nested(self.program.classes[owner], name) if owner >= 0 else -1
                number = inner if inner >= 0 else None
                if self.library.has(f"{module}.{name}"):
                    return self.external(f"{module}.{name}")
                anywhere = anywhere or (owner < 0 and not self.packages.is_package(module))
            if number is not None:
                found.add(number)
        if found:
            return self.raw(found.pop()) if len(found) == 1 and min(found) >= 0 else None
        if name in BUILTIN:
            return BUILTIN[name]
        for prefix in PACKAGES:
            if self.library.has(f"{prefix}.{name}"):
                return self.external(f"{prefix}.{name}")
        del anywhere
        return self.external(name)

    def _has_alias(self, package: str, name: str) -> bool:
        return (package, name) in self._aliases

    def _alias(self, file: File, package: str, name: str) -> Type:
        """What an alias stands for; None when several files may say so."""
        key = (package, name)
        rows = [row for row in self._aliases[key] if self.roots.rank(file.path, row[0].path) >= 0]
        if len(rows) != 1 or key in self._following or len(self._following) > MAX_ALIASES:
            return None
        self._following.append(key)
        found = self.type_of(*rows[0], 0)
        self._following.pop()
        return found

    def nested(self, made: Class, name: str) -> int:
        """A class in another one, in what stands above it, or in the object that stands for it."""
        found = super().nested(made, name)
        if found < 0 and made.number in self.companions:
            companion = self.program.classes[self.companions[made.number]]
            return companion.nested.get(name, -1)
        return found

    def in_package(self, file: File, package: str, name: str) -> int | None:
        """The class of a package; private ones are seen in their own file alone."""
        there = self._tops.get((package, name))
        if there is None:
            return None
        seen = [path for path in there if path == file.path or not self._private(path, name)]
        if not seen:
            return None
        found = self.packages.nearest(file.path, seen)
        if not found:
            return None
        return self._by_path[found[0]].top[name] if len(found) == 1 else -1

    def _private(self, path: str, name: str) -> bool:
        file = self._by_path[path]
        return is_kotlin(file) and bool(self.program.classes[file.top[name]].flags & PRIVATE)

    def type_of_name(self, file: File, scope: int, name: str, owner: int = -1) -> Type:
        """The type or package that a name means where no variable has it."""
        if name.startswith(("kotlin.Function", "kotlin.Receiver")):
            return ("x", name, ())
        return super().type_of_name(file, scope, name, owner)

    def _type(self, file: File, op: int, scope: int, owner: int) -> Type:
        code, a, _, c, _, _ = file.ops[op]
        if code == Op.OPERATE and file.names[c] == "?":
            return boxed(self._types[file.number, a])
        return super()._type(file, op, scope, owner)

    def _generic(self, file: File, op: int, a: int, b: int) -> Type:
        found = super()._generic(file, op, a, b)
        if found is not None and found[0] == "x" and found[1] == "kotlin.Array":
            return ("a", found[2][0] if found[2] else None)
        return found

    # -------------------------------------------------------------------------- functions

    def functions(self, file: File, package: str, name: str) -> Iterator[list[Function]]:
        """Functions of a package, those of the own module first."""
        yield from self._near(file, self._functions.get((package, name), ()))

    def properties(self, file: File, package: str, name: str) -> Iterator[list[Function]]:
        """Getters of what extends a type."""
        yield from self._near(file, self._properties.get((package, name), ()))

    def _near(self, file: File, found: Iterable[Function]) -> Iterator[list[Function]]:
        ranks: dict[int, list[Function]] = {}
        for each in found:
            other = self.program.files[each.unit]
            if each.flags & PRIVATE and other is not file:
                continue
            rank = self.roots.rank(file.path, other.path)
            if rank >= 0:
                ranks.setdefault(max(rank, 1), []).append(each)
        yield from (ranks[rank] for rank in sorted(ranks))

    def value(self, file: File, package: str, name: str) -> list[File]:
        """The files that declare a property of a package."""
        there = self._values.get((package, name), ())
        paths = [each.path for each in there]
        found = self.packages.nearest(file.path, paths) if paths else ()
        return [each for each in there if each.path in found]

    def modules_of(self, file: File, name: str) -> Iterator[list[tuple[str, str]]]:
        """Where a name may come from, level by level: (package or class, name there)."""
        outside = self.imports[file.number].get(name)
        if outside:
            yield outside
        yield [(file.package, name)]
        if file.stars:
            yield [(module, name) for module in file.stars]

    # -------------------------------------------------------------------------- classes

    def companion_chain(self, number: int) -> list[int]:
        """The objects that stand for a class and for those above it."""
        found: list[int] = []
        for each in self.above(number):
            if each[0] == "c" and each[1] in self.companions:
                found.append(self.companions[each[1]])
        return found

    def singleton(self, kind: Type) -> bool:
        """Whether a class is its own one instance."""
        return kind is not None and kind[0] == "c" and bool(self.program.of(kind).flags & SINGLETON)

    def outside_of(self, kind: Type) -> Type:
        """A type as others see what has it: of a class without a name, the one above."""
        if kind is None or kind[0] != "c":
            return kind
        made = self.program.of(kind)
        if not made.name.startswith("`<anonymous"):
            return kind
        return made.supers[0] if len(made.supers) == 1 else None

    def of_kotlin(self, number: int) -> bool:
        """Whether a class is written in Kotlin."""
        return is_kotlin(self.program.files[self.program.classes[number].unit])

    def without_outer(self, number: int) -> bool:
        """Whether code of a class has no instance of the class around."""
        return bool(self.program.classes[number].flags & STATIC)

    def open(self, kind: Type) -> bool:
        """Whether a type may have members that are not known."""
        if kind is None or kind[0] == "x":
            return kind is None or kind[1] != "java.lang.Object"
        if kind[0] != "c":
            return False
        return any(not self.library.has(n) for n in self.outside(kind[1])) or self.torn(kind)

    def torn(self, kind: tuple[Any, ...]) -> bool:
        """Whether the source of a class, or of one above it, is broken."""
        return any(
            self.program.files[self.program.of(each).unit].scopes[0].flags & BROKEN
            for each in self.above(kind[1])
            if each[0] == "c"
        )
