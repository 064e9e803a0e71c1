"""Which class a name of a type means, and what stands above a class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from grainline.graph.rules.base import Platform
from grainline.graph.typed.hierarchy import Hierarchy
from grainline.graph.typed.library import Library
from grainline.graph.typed.program import Class, File, Program
from grainline.graph.typed.types import (
    BOXES,
    OBJECT,
    Type,
    cut,
)
from grainline.model.ir import Const, Make, Op


class Packages(Protocol):
    """Which files may be meant by what several have."""

    def is_package(self, name: str) -> bool:
        """Whether some file is in the package or below it."""
        ...

    def nearest(self, path: str, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of `paths` that a name may mean which they all have, as the file `path` sees it."""
        ...


class Names(Hierarchy):
    """Names of types in the files of a program."""

    def __init__(
        self, program: Program, library: Library, platform: Platform, packages: Packages
    ) -> None:
        super().__init__(program, library)
        self.packages = packages
        self._implicit = platform.implicit
        self._by_path = program.by_path()
        self._tops: dict[tuple[str, str], list[str]] = {}
        for path, package, names in program.tops():
            for name in names:
                self._tops.setdefault((package, name), []).append(path)
        self._known: dict[tuple[int, int, str], Type] = {}
        self._dotted: dict[tuple[int, str], int] = {}
        self._types: dict[tuple[int, int], Type] = {}
        self._inherit = False
        self._settle()

    def _settle(self) -> None:
        for _ in range(2):
            self._supers()
            self._inherit = True
            self._known.clear()
            self._types.clear()
            self._all.clear()

    def _supers(self) -> None:
        """The types of all bases; inherited names are known the second time."""
        for made in self.program.classes:
            file = self.program.files[made.unit]
            scope = file.scopes[made.scope].parent
            found = [self.type_of(file, op, scope, made.scope) for op, _ in made.bases]
            made.supers = [each[1] if each and each[0] == "t" else each for each in found]
        for made in self.program.classes:
            made.order = None

    # -------------------------------------------------------------------------- names

    def named(self, file: File, scope: int, name: str) -> Type:
        """The type that a simple name means in a scope; something external when nothing is there."""
        key = (file.number, scope, name)
        if key in self._known:
            return self._known[key]
        found = self._known[key] = self._named(file, scope, name)
        return found

    def _named(self, file: File, scope: int, name: str) -> Type:
        found = self.lexical(file, scope, name)
        if found is not None:
            return found
        outside = file.imports.get(name)
        if outside is not None:
            found = self.member_type(file, *outside)
            return found if found is not None else self.external(f"{outside[0]}.{outside[1]}")
        number = file.top.get(name)
        if number is None:
            number = self.in_package(file, file.package, name)
        if number is not None:
            return self.raw(number) if number >= 0 else None
        return self._by_star(file, name)

    def lexical(self, file: File, scope: int, name: str) -> Type:
        """A type variable, a class that stands around, or a member of one."""
        at = scope
        while at >= 0:
            local = file.local.get(at)
            if local is not None and name in local:
                return self.raw(local[name])
            number = file.classes.get(at)
            if number is not None:
                made = self.program.classes[number]
                if any(each == name for each, _ in made.variables):
                    return ("v", number, name)
                if made.name == name:
                    return self.raw(number)
                nested = self.nested(made, name)
                if nested >= 0:
                    return self.raw(nested)
            else:
                function = file.functions.get(at)
                if function is not None and any(e == name for e, _ in function.variables):
                    return ("v", (file.number, at), name)
            at = file.scopes[at].parent
        return None

    def nested(self, made: Class, name: str) -> int:
        """A class that is a member of a class or of what stands above it, -1."""
        number = made.nested.get(name)
        if number is not None:
            return number
        if self._inherit:
            for each in self.above(made.number)[1:]:
                if each[0] == "c":
                    inner: int = self.program.of(each).nested.get(name, -1)
                    if inner >= 0:
                        return inner
        return -1

    def in_package(self, file: File, package: str, name: str) -> int | None:
        """The class of a package; -1 when several may be meant, None when there is none."""
        there = self._tops.get((package, name))
        if there is None:
            return None
        found = self.packages.nearest(file.path, there)
        if not found:
            return None
        return self._by_path[found[0]].top[name] if len(found) == 1 else -1

    def member_type(self, file: File, module: str, name: str) -> Type:
        """The class `name` of a package or class `module`."""
        number = self.in_package(file, module, name)
        if number is not None:
            return self.raw(number) if number >= 0 else None
        outer = self.dotted(file, module)
        if outer >= 0:
            nested = self.nested(self.program.classes[outer], name)
            return self.raw(nested) if nested >= 0 else None
        return None

    def dotted(self, file: File, name: str) -> int:
        """The class that a name in full means, -1."""
        key = (file.number, name)
        number = self._dotted.get(key)
        if number is not None and self._inherit:
            return number
        package, rest = name, list[str]()
        number = -1
        while package:
            package, _, last = package.rpartition(".")
            rest.append(last)
            found = self.in_package(file, package, last)
            if found is not None:
                number = found
                break
            if len(rest) > 32:
                break
        for inner in reversed(rest[:-1]):
            if number < 0:
                break
            number = self.nested(self.program.classes[number], inner)
        self._dotted[key] = number
        return number

    def _by_star(self, file: File, name: str) -> Type:
        found: set[int] = set()
        outside: list[str] = []
        anywhere = False
        for module in file.stars:
            number = self.in_package(file, module, name)
            if number is None:
                owner = self.dotted(file, module)
                if owner >= 0:
                    number = self.nested(self.program.classes[owner], name)
                    number = number if number >= 0 else None
                elif self.library.has(f"{module}.{name}"):
                    outside.append(f"{module}.{name}")
                elif not self.packages.is_package(module):
                    anywhere = True
            if number is not None:
                found.add(number)
        if len(found) == 1 and min(found) >= 0:
            return self.raw(found.pop())
        if found:
            return None
        implicit = self._implicit[file.unit.language]
        for prefix in implicit:
            if self.library.has(f"{prefix}.{name}"):
                outside.append(f"{prefix}.{name}")
        if not outside and not anywhere and name[:1].isupper():
            return self.external(f"{implicit[0]}.{name}")
        return self.external(outside[0] if outside else name)

    def external(self, name: str) -> Type:
        """A type that is not there."""
        return ("x", name, ())

    def raw(self, number: int) -> Type:
        """A class of the units without arguments."""
        return ("c", number, ())

    # -------------------------------------------------------------------------- expressions

    def type_of(self, file: File, op: int, scope: int, owner: int = -1) -> Type:
        """The type that an operation names, None for a package.

        `owner` is the class or function whose header the operation stands in: its type variables
        are seen.
        """
        key = (file.number, op)
        if key in self._types:
            return _no_package(self._types[key])
        open_ = [op]
        while open_:
            at = open_[-1]
            missing = [each for each in _parts(file, at) if (file.number, each) not in self._types]
            if missing:
                open_ += missing
                continue
            open_.pop()
            found = self._type(file, at, scope, owner)
            self._types[file.number, at] = cut(found) if found else found
        return _no_package(self._types[key])

    def _type(self, file: File, op: int, scope: int, owner: int) -> Type:
        code, a, b, c, _, _ = file.ops[op]
        if code == Op.LOAD:
            return self.type_of_name(file, scope, file.names[a], owner)
        if code == Op.CONST:
            if a == Const.OTHER and b >= 0 and file.names[b] in BOXES:
                return ("p", file.names[b])
            return None
        if code == Op.GETATTR:
            return self.inside(file, self._types[file.number, a], file.names[b])
        if code == Op.GETITEM:
            return self._generic(file, op, a, b)
        if code == Op.OPERATE:
            inner = self._types[file.number, a]
            return ("a", inner) if file.names[c] == "[]" else inner
        return None

    def type_of_name(self, file: File, scope: int, name: str, owner: int = -1) -> Type:
        """The type or package that a name means where no variable has it."""
        if owner >= 0:
            number = file.classes.get(owner, -1)
            rows = (
                self.program.classes[number].variables
                if number >= 0
                else file.functions[owner].variables
            )
            if any(each == name for each, _ in rows):
                return ("v", number if number >= 0 else (file.number, owner), name)
        found = self.named(file, scope, name)
        if found and found[0] == "x" and name[:1].islower() and self.packages.is_package(name):
            return ("k", name)
        if found and found[0] == "x" and found[1] == name and not name[:1].isupper():
            return ("k", name)
        return found

    def inside(self, file: File, outer: Type, name: str) -> Type:
        """A type that is qualified by a package or another type."""
        if outer is None:
            return None
        if outer[0] == "k":
            number = self.in_package(file, outer[1], name)
            if number is not None:
                return self.raw(number) if number >= 0 else None
            dotted = f"{outer[1]}.{name}"
            return ("k", dotted) if name[:1].islower() else self.external(dotted)
        if outer[0] == "c":
            nested = self.nested(self.program.of(outer), name)
            return self.raw(nested) if nested >= 0 else None
        if outer[0] == "x":
            return self.external(f"{outer[1]}.{name}")
        return None

    def _generic(self, file: File, op: int, a: int, b: int) -> Type:
        base = self._types[file.number, a]
        if base is None or base[0] not in {"c", "x"}:
            return base
        return (base[0], base[1], tuple(self._types[file.number, at] for at in _keys(file, b)))

    # -------------------------------------------------------------------------- bounds

    def erased(self, kind: Type, depth: int = 8) -> Type:
        """A type variable as its bound."""
        while kind is not None and kind[0] == "v" and depth:
            depth -= 1
            kind = self.bound(kind)
        return kind if kind is None or kind[0] != "v" else OBJECT

    def bound(self, kind: tuple[Any, ...]) -> Type:
        """The first bound of a type variable."""
        owner: int | tuple[int, int] = kind[1]
        name: str = kind[2]
        if isinstance(owner, int):
            made = self.program.classes[owner]
            file, scope = self.program.files[made.unit], made.scope
            rows = made.variables
        elif owner[0] < 0:
            return OBJECT
        else:
            file, scope = self.program.files[owner[0]], owner[1]
            rows = file.functions[scope].variables
        for each, op in rows:
            if each == name and op >= 0:
                return self.type_of(file, op, file.scopes[scope].parent, scope)
        return OBJECT


def _no_package(kind: Type) -> Type:
    return None if kind is not None and kind[0] == "k" else kind


def _parts(file: File, op: int) -> list[int]:
    code, a, b, _, _, _ = file.ops[op]
    if code == Op.GETATTR or code == Op.OPERATE:
        return [a]
    if code == Op.GETITEM:
        return [a, *_keys(file, b)]
    return []


def _keys(file: File, op: int) -> list[int]:
    """The operations of type arguments."""
    code, kind, first, count, _, _ = file.ops[op]
    if code == Op.MAKE and kind == Make.TUPLE:
        return [value for _, _, value in file.ports[first : first + count]]
    return [op]
