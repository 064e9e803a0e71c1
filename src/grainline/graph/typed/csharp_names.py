"""Names of types in C#: namespaces inside of others, usings, partial classes, what extends a type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from grainline.graph.rules.base import Platform
from grainline.graph.typed.library import Library
from grainline.graph.typed.names import Names
from grainline.graph.typed.program import Class, File, Function, Program
from grainline.graph.typed.types import BOOLEAN, OBJECT, STRING, Kind, Type
from grainline.model.ir import ABSTRACT, BROKEN, PARTIAL, PRIVATE, STATIC, Const, Op, Port

PREDEFINED: Final[dict[str, Kind]] = {
    "object": OBJECT, "string": STRING, "bool": BOOLEAN, "void": ("p", "void"),
    **{
        name: ("p", name)
        for name in ("int", "uint", "long", "ulong", "short", "ushort", "byte", "sbyte", "char",
                     "float", "double", "decimal", "nint", "nuint")
    },
}  # fmt: skip
_SYSTEM: Final = {
    "Object": "object", "String": "string", "Boolean": "bool", "Void": "void", "Int32": "int",
    "UInt32": "uint", "Int64": "long", "UInt64": "ulong", "Int16": "short", "UInt16": "ushort",
    "Byte": "byte", "SByte": "sbyte", "Char": "char", "Single": "float", "Double": "double",
    "Decimal": "decimal",
}  # fmt: skip


class Visible(Protocol):
    """Which files see which."""

    def is_package(self, name: str) -> bool:
        """Whether some file is in the namespace or below it."""
        ...

    def nearest(self, path: str, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of `paths` that a name may mean which they all have, as the file `path` sees it."""
        ...

    def sees(self, path: str, other: str) -> bool:
        """Whether a file may name what another one declares."""
        ...

    def project(self, path: str) -> str:
        """What tells the project of a file from others."""
        ...


class PartLibrary(Library):
    """A library of which nothing is known to be all that there is."""

    def has(self, name: str) -> bool:
        """Never: more may be there."""
        del name
        return False

    def known(self, kind: Type) -> bool:
        """Never."""
        del kind
        return False


def chain(namespace: str) -> Iterator[str]:
    """A namespace and those around it, "" last."""
    while namespace:
        yield namespace
        namespace = namespace.rpartition(".")[0]
    yield ""


class CsharpNames(Names):
    """Names of types in the files of a program."""

    def __init__(
        self, program: Program, library: Library, platform: Platform, packages: Visible
    ) -> None:
        self.program = program
        self.visible = packages
        self._prefixes = platform.implicit["csharp"]
        self._space: dict[tuple[int, int], str] = {}
        self._classes: dict[tuple[str, str], list[int]] = {}
        self._using: list[list[tuple[str, str]]] = [[] for _ in program.files]
        self._global: dict[str, list[str]] = {}
        self._levels: dict[tuple[int, str], list[str]] = {}
        self._inside: dict[tuple[int, int, str, str], Type] = {}
        self.parts: dict[int, list[Class]] = {}
        self.part_at: dict[tuple[int, int], Class] = {}
        self.part_supers: dict[int, list[tuple[int, Type]]] = {}
        """Number of a part -> operation and type of what it says to stand above."""
        self._incomplete: dict[int, bool] = {}
        self._written = {made.number: list(made.bases) for made in program.classes}
        self._extensions: dict[str, list[tuple[Function, str, int]]] = {}
        for file in program.files:
            self._declared(file)
        self._merge()
        for file in program.files:
            self._extending(file)
        super().__init__(program, library, platform, packages)

    # -------------------------------------------------------------------------- what is there

    def _declared(self, file: File) -> None:
        """Classes and usings of the namespaces of a file."""
        module = file.scopes[0]
        space = ""
        for op in range(module.first, module.last):
            code, a, b, _, _, _ = file.ops[op]
            if code == Op.PACKAGE:
                space = file.names[a]
            elif code == Op.CLASS:
                self._space[file.number, a] = space
                number = file.classes[a]
                name = self.program.classes[number].name
                self._classes.setdefault((space, name), []).append(number)
            elif code == Op.IMPORT and b >= 0 and file.names[b] == "*":
                self._using[file.number].append((space, file.names[a]))
            elif code == Op.IMPORT and b >= 0 and file.names[b] == "**":
                project = self.visible.project(file.path)
                self._global.setdefault(project, []).append(file.names[a])

    def _merge(self) -> None:
        """The parts of a class become one: the first one has the members of all."""
        first: dict[object, int] = {}
        main: dict[int, int] = {}
        for made in self.program.classes:
            file = self.program.files[made.unit]
            outer = made.outer = main.get(made.outer, made.outer)
            self.part_at[made.unit, made.scope] = made
            number = made.number
            if made.flags & PARTIAL:
                space = self._space.get((made.unit, made.scope), "")
                project = self.visible.project(file.path)
                key = (project, outer, file.scopes[made.scope].parent > 0, space, made.name)
                number = first.setdefault(key, number)
            main[made.number] = number
            self.parts.setdefault(number, []).append(made)
            if number == made.number:
                continue
            whole = self.program.classes[number]
            file.classes[made.scope] = number
            whole.flags |= made.flags & (ABSTRACT | STATIC)
            if not whole.header:
                whole.header, whole.optional = made.header, made.optional
            for name, functions in made.methods.items():
                whole.methods.setdefault(name, []).extend(functions)
                for each in functions:
                    each.owner = number
            made.methods = {}
            for name, inner in made.nested.items():
                whole.nested.setdefault(name, inner)
        for where, numbers in self._classes.items():
            self._classes[where] = list(dict.fromkeys(main[number] for number in numbers))

    def _extending(self, file: File) -> None:
        """Methods that extend a type."""
        for code, _, b, c, _, _ in file.ops:
            if code != Op.ATTACH or c < 0 or file.ops[c][0] != Op.FUNCTION:
                continue
            function = file.functions[file.ops[c][1]]
            if function.owner >= 0 and function.parameters:
                space = self.namespace(file, function.scope)
                row = (function, space, function.owner)
                self._extensions.setdefault(file.names[b], []).append(row)

    def namespace(self, file: File, scope: int) -> str:
        """The namespace that a scope stands in."""
        while scope >= 0:
            found = self._space.get((file.number, scope))
            if found is not None:
                return found
            scope = file.scopes[scope].parent
        return ""

    def _supers(self) -> None:
        """The types of all bases, part by part; inherited names are known the second time."""
        self._inside.clear()
        for number, parts in self.parts.items():
            supers: list[Type] = []
            bases: list[tuple[int, int]] = []
            for part in parts:
                file = self.program.files[part.unit]
                scope = file.scopes[part.scope].parent
                ops = [op for op, _ in self._written[part.number]]
                own = [self.type_of(file, op, scope, part.scope) for op in ops]
                self.part_supers[part.number] = list(zip(ops, own, strict=True))
                supers += own
                bases += [(op, self._port(part, kind)) for op, kind in zip(ops, own, strict=True)]
                part.supers, part.bases = [], []
            whole = self.program.classes[number]
            whole.supers, whole.bases = supers, bases
        for made in self.program.classes:
            made.order = None
        self._incomplete.clear()

    def _port(self, made: Class, kind: Type) -> int:
        """Whether a type above is extended or implemented."""
        if made.flags & ABSTRACT or kind is None:
            return int(Port.POSITIONAL)
        if kind[0] == "c":
            interface = self.program.of(kind).flags & ABSTRACT
            return int(Port.INTERFACE if interface else Port.POSITIONAL)
        last = str(kind[1]).rpartition(".")[2]
        return int(Port.INTERFACE if last[:1] == "I" and last[1:2].isupper() else Port.POSITIONAL)

    # -------------------------------------------------------------------------- names

    def in_package(self, file: File, package: str, name: str) -> int | None:
        """The class of a namespace; -1 when several may be meant, None when there is none."""
        there = self._classes.get((package, name))
        if there is None:
            return None
        paths: dict[str, set[int]] = {}
        for number in there:
            for part in self.parts[number]:
                paths.setdefault(self.program.files[part.unit].path, set()).add(number)
        seen = [path for path in paths if self.visible.sees(file.path, path)]
        if not seen:
            return None
        if len(set[int]().union(*(paths[path] for path in seen))) > 1:
            seen = list(self.visible.nearest(file.path, seen))
        found = set[int]().union(*(paths[path] for path in seen))
        return found.pop() if len(found) == 1 else -1

    def named(self, file: File, scope: int, name: str) -> Type:
        """The type that a simple name means in a scope; something external when nothing is there."""
        return self._named_in(file, scope, name, self.namespace(file, scope))

    def _named_in(self, file: File, scope: int, name: str, space: str) -> Type:
        key = (file.number, scope, name, space)
        if key not in self._inside:
            self._inside[key] = self._find(file, scope, name, space)
        return self._inside[key]

    def _find(self, file: File, scope: int, name: str, space: str) -> Type:
        known = PREDEFINED.get(name)
        if known is not None:
            return known
        found = self.lexical(file, scope, name)
        if found is not None:
            return found
        for level in chain(space):
            number = self.in_package(file, level, name)
            if number is not None:
                return self.raw(number) if number >= 0 else None
            inner = f"{level}.{name}" if level else name
            if self.visible.is_package(inner):
                return ("k", inner)
            if not level and name in file.imports:
                return self._aliased(file, *file.imports[name])
            several = self._used(file, level, name)
            if several:
                return self.raw(several.pop()) if len(several) == 1 and -1 not in several else None
        return self._outside(file, name)

    def _aliased(self, file: File, module: str, member: str) -> Type:
        number = self.in_package(file, module, member)
        if number is None and module:
            outer = self.dotted(file, module)
            number = self.nested(self.program.classes[outer], member) if outer >= 0 else None
        if number is not None:
            return self.raw(number) if number >= 0 else None
        whole = f"{module}.{member}" if module else member
        return ("k", whole) if self.visible.is_package(whole) else self.external(whole)

    def used(self, file: File, level: str) -> list[str]:
        """What the usings of a namespace of a file name: namespaces and classes, in full."""
        key = (file.number, level)
        known = self._levels.get(key)
        if known is None:
            rows = [module for space, module in self._using[file.number] if space == level]
            if not level:
                rows += self._global.get(self.visible.project(file.path), ())
            known = self._levels[key] = [self._in_full(file, level, each) for each in rows]
        return known

    def _in_full(self, file: File, level: str, module: str) -> str:
        for outer in chain(level):
            whole = f"{outer}.{module}" if outer else module
            if self.visible.is_package(whole) or self.dotted(file, whole) >= 0:
                return whole
        return module

    def _used(self, file: File, level: str, name: str) -> set[int]:
        """The classes of a name that usings give, -1 among them when one is not sure."""
        found: set[int] = set()
        for module in self.used(file, level):
            number = self.in_package(file, module, name)
            if number is None and not self.visible.is_package(module):
                outer = self.dotted(file, module)
                inner = self.nested(self.program.classes[outer], name) if outer >= 0 else -1
                number = inner if inner >= 0 else None
            if number is not None:
                found.add(number)
        return found

    def _outside(self, file: File, name: str) -> Type:
        if name in _SYSTEM:
            return PREDEFINED[_SYSTEM[name]]
        modules = [module for _, module in self._using[file.number]]
        for prefix in (*modules, *self._prefixes):
            if f"{prefix}.{name}" in self.library.rows:
                return self.external(f"{prefix}.{name}")
        return self.external(name)

    def external(self, name: str) -> Type:
        """A type that is not there."""
        if name.startswith("System."):
            known = _SYSTEM.get(name[len("System.") :])
            if known is not None:
                return PREDEFINED[known]
        return ("x", name, ())

    def type_of_name(self, file: File, scope: int, name: str, owner: int = -1) -> Type:
        """The type or namespace that a name means where no variable has it."""
        if owner >= 0:
            number = file.classes.get(owner, -1)
            rows = (
                self.program.classes[number].variables
                if number >= 0
                else file.functions[owner].variables
            )
            if any(each == name for each, _ in rows):
                return ("v", number if number >= 0 else (file.number, owner), name)
        space = self.namespace(file, owner if owner >= 0 else scope)
        return self._named_in(file, scope, name, space)

    def inside(self, file: File, outer: Type, name: str) -> Type:
        """A type that is qualified by a namespace or another type."""
        if outer is not None and outer[0] == "k":
            number = self.in_package(file, outer[1], name)
            if number is not None:
                return self.raw(number) if number >= 0 else None
            dotted = f"{outer[1]}.{name}"
            return ("k", dotted) if self.visible.is_package(dotted) else self.external(dotted)
        return super().inside(file, outer, name)

    def _type(self, file: File, op: int, scope: int, owner: int) -> Type:
        code, a, b, _, _, _ = file.ops[op]
        if code == Op.CONST:
            return PREDEFINED.get(file.names[b]) if a == Const.OTHER and b >= 0 else None
        return super()._type(file, op, scope, owner)

    # -------------------------------------------------------------------------- extensions

    def extensions(self, file: File, scope: int, name: str) -> Iterator[list[Function]]:
        """Methods that extend some type, level by level: the first that fits is meant."""
        rows = [
            row
            for row in self._extensions.get(name, ())
            if self.visible.sees(file.path, self.program.files[row[0].unit].path)
            and (not row[0].flags & PRIVATE or row[2] in self._around(file, scope))
        ]
        if not rows:
            return
        for level in chain(self.namespace(file, scope)):
            yield [function for function, space, _ in rows if space == level]
            used = set(self.used(file, level))
            classes = {self.dotted(file, each) for each in used} - {-1}
            yield [function for function, space, owner in rows if space in used or owner in classes]

    def _around(self, file: File, scope: int) -> set[int]:
        """The classes that a scope stands in."""
        found: set[int] = set()
        while scope >= 0:
            found.add(file.classes.get(scope, -1))
            scope = file.scopes[scope].parent
        return found

    def torn(self, file: File) -> bool:
        """Whether the source of a file is so broken that members may be lost."""
        return bool(file.scopes[0].flags & BROKEN)

    def incomplete(self, kind: Type) -> bool:
        """Whether a class, or one above it, may have members that were not understood."""
        if kind is None or kind[0] != "c":
            return False
        number: int = kind[1]
        known = self._incomplete.get(number)
        if known is None:
            known = self._incomplete[number] = any(
                self.torn(self.program.files[part.unit])
                for each in self.above(number)
                if each[0] == "c"
                for part in self.parts.get(each[1], ())
            )
        return known

    def is_delegate(self, kind: Type) -> bool:
        """Whether a class of the units is a type of functions."""
        if kind is None or kind[0] != "c":
            return False
        made = self.program.of(kind)
        both = ABSTRACT | STATIC
        return made.flags & both == both and list(made.methods) == ["Invoke"]

    def converts(self, kind: Type) -> bool:
        """Whether a class says that its values become others without a word, or others it."""
        return (
            kind is not None and kind[0] == "c" and "op_Implicit" in self.program.of(kind).methods
        )
