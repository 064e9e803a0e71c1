"""What names mean in C++: namespaces, what files include, members of classes and of those above."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from grainline.graph.typed.cpp_program import (
    Entity,
    File,
    Function,
    Program,
    Space,
    Type,
    is_auto,
)
from grainline.languages.modules.base import Modules
from grainline.model.ir import BROKEN, Op

MAX_INCLUDED: Final = 4096
"""Files that one file includes, directly or not, that are looked at."""

MAX_DEPTH: Final = 12
"""Names of names, and classes above classes, that are followed."""

MAX_TYPE: Final = 6
"""Arguments of arguments that are kept."""


@dataclass(slots=True, frozen=True)
class Place:
    """Where a name stands: `owner` is the class around, `variables` parameters of templates."""

    file: int
    space: Space
    owner: int = -1
    variables: tuple[tuple[str, Any], ...] = ()
    scope: int = 0


class Found(NamedTuple):
    """Members of a name; `sure` unless a class on the way is not known."""

    entities: tuple[Entity, ...]
    bindings: Mapping[tuple[Any, str], Type]
    sure: bool


class Names:
    """Looks names up; all answers are kept."""

    def __init__(self, program: Program, modules: Modules) -> None:
        self.program = program
        self._modules = modules
        self._numbers = {file.path: file.number for file in program.files}
        self._direct = [self._included(file, modules) for file in program.files]
        self.visible = self._closures()
        self.groups = self._grouped()
        self._types: dict[tuple[int, int], Type] = {}
        self._busy: set[tuple[int, int]] = set()
        self._directives: dict[Space, list[tuple[int, Space]]] = {}
        self._specials: set[tuple[int, Space, str]] = {
            (self.groups[each.unit], space, name)
            for (space, name), found in program.names.items()
            for each in found
            if each.kind == "special"
        }
        for file in program.files:
            for space, op in file.directives:
                named = self.named(file, op, Place(file.number, space))
                if named is not None and named[0] == "n":
                    self._directives.setdefault(space, []).append((file.number, named[1]))

    # -------------------------------------------------------------------------- files

    def _included(self, file: File, modules: Modules) -> list[int]:
        return [
            self._numbers[module.path]
            for name in dict.fromkeys(file.includes)
            for module in modules.find(file.path, name)
            if module.path in self._numbers
        ]

    def _closures(self) -> list[frozenset[int]]:
        """For every file, itself and what it includes; a part of a file (`.inl`) sees with it."""
        closures: list[frozenset[int]] = []
        around: dict[int, list[int]] = {}
        for number, direct in enumerate(self._direct):
            for each in direct:
                around.setdefault(each, []).append(number)
        for number in range(len(self._direct)):
            seen = {number}
            open_ = [number]
            if self.program.files[number].path.endswith(_PARTS):
                for each in around.get(number, ()):
                    if each not in seen:
                        seen.add(each)
                        open_.append(each)
            while open_ and len(seen) < MAX_INCLUDED:
                for other in self._direct[open_.pop()]:
                    if other not in seen:
                        seen.add(other)
                        open_.append(other)
            closures.append(frozenset(seen))
        return closures

    def _grouped(self) -> list[int]:
        """For every file the first one that includes join it with: no others are one program."""
        groups = list(range(len(self._direct)))
        for number, direct in enumerate(self._direct):
            for each in direct:
                one, other = sorted((_root(groups, number), _root(groups, each)))
                groups[other] = one
        return [_root(groups, number) for number in range(len(groups))]

    def has_space(self, file: int, space: Space) -> bool:
        """Whether a file sees a namespace."""
        return not space or not self.visible[file].isdisjoint(self.program.spaces.get(space, ()))

    def is_inline(self, file: int, space: Space) -> bool:
        """Whether a file sees a namespace that is a part of the one around it."""
        return not self.visible[file].isdisjoint(self.program.inline.get(space, ()))

    def includes(self, file: File) -> Iterable[tuple[int, int]]:
        """Operations that include a file, and its number."""
        for op, row in enumerate(file.ops):
            if row[0] == Op.IMPORT:
                for module in self._modules.find(file.path, file.names[row[1]]):
                    if module.path in self._numbers:
                        yield op, self._numbers[module.path]

    # -------------------------------------------------------------------------- namespaces

    def direct(self, file: int, space: Space, name: str) -> list[Entity]:
        """What a namespace itself has under a name, as a file sees it."""
        found = self.program.names.get((space, name))
        if not found:
            return []
        seen = self.visible[file]
        return [each for each in found if each.unit in seen]

    def qualified(self, file: int, space: Space, name: str) -> list[Entity]:
        """What `space::name` means: the namespace, else those it uses."""
        seen: set[Space] = set()
        level = [space]
        while level:
            found: list[Entity] = []
            following: list[Space] = []
            for each in level:
                if each not in seen:
                    seen.add(each)
                    found += self.direct(file, each, name)
                    following += self._used(file, each)
            if found:
                return found
            level = following
        return []

    def _used(self, file: int, space: Space) -> list[Space]:
        seen = self.visible[file]
        return [other for unit, other in self._directives.get(space, ()) if unit in seen]

    def around(
        self, file: int, space: Space, name: str, used: Sequence[Space] = ()
    ) -> tuple[list[Entity], Space]:
        """What a name without qualifiers means in a namespace, and the namespace that has it."""
        for size in range(len(space), -1, -1):
            here = space[:size]
            found = self.direct(file, here, name)
            for other in self._used(file, here):
                found += self.qualified(file, other, name)
            if not size:
                for other in used:
                    found += self.qualified(file, other, name)
            if found:
                return _once(found), here
        return [], ()

    def _space(self, file: int, space: Space, name: str) -> Space | None:
        """The namespace that a name means inside of another."""
        for size in range(len(space), -1, -1):
            inner = (*space[:size], name)
            if self.is_inline(file, inner):
                return space[:size]
            if self.has_space(file, inner):
                return inner
        return None

    # -------------------------------------------------------------------------- names

    def named(self, file: File, op: int, place: Place, used: Sequence[Space] = ()) -> Type:
        """The namespace or type that an operation names, functions as ("f", ...), else None."""
        key = (file.number, op)
        if key in self._busy or len(self._busy) > 64:
            return None
        self._busy.add(key)
        try:
            return self._named(file, op, place, used)
        finally:
            self._busy.discard(key)

    def _named(self, file: File, op: int, place: Place, used: Sequence[Space]) -> Type:
        code, a, b, _, _, _ = file.ops[op]
        if code == Op.LOAD:
            return self._loaded(file, file.names[a], place, used)
        if code == Op.GETATTR:
            return self.inside(file, self.named(file, a, place, used), file.names[b])
        if code == Op.GETITEM:
            made = self.named(file, a, place, used)
            return self.applied(made, self.arguments(file, b, place, used))
        if code == Op.CONST:
            return None if is_auto(file, op) else ("p", file.names[b] if b >= 0 else "?")
        if code == Op.OPERATE and b < 0:
            return self._made_of(file.names[file.ops[op][3]], self.named(file, a, place, used))
        if code == Op.CLASS:
            return ("c", file.classes[a], ())
        if code == Op.FUNCTION:
            return ("p", "(*)")
        return None

    def _made_of(self, word: str, inner: Type) -> Type:
        if word == "*":
            return ("*", inner) if depth(inner) < MAX_TYPE else None
        if word == "const":
            return constant(inner)
        return inner if word == "&" else None

    def arguments(
        self, file: File, op: int, place: Place, used: Sequence[Space] = ()
    ) -> tuple[Type, ...]:
        """The arguments of a template."""
        _, _, first, count, _, _ = file.ops[op]
        rows = file.ports[first : first + count]
        return tuple(self.named(file, value, place, used) for _, _, value in rows)

    def applied(self, made: Type, given: tuple[Type, ...]) -> Type:
        """A template with arguments."""
        if made is None or any(depth(each) >= MAX_TYPE for each in given):
            return made if made is not None and made[0] != "c" else None
        if made[0] == "c":
            number: int = made[1]
            if self.program.classes[number].special and not self.program.classes[number].variables:
                return None
            return ("c", number, given)
        if made[0] == "x":
            return ("x", made[1], given)
        return ("f", made[1], given) if made[0] == "f" else None

    def _loaded(self, file: File, name: str, place: Place, used: Sequence[Space]) -> Type:
        if name == "::":
            return ("n", ())
        name = name.partition("#")[0]
        for word, owner in place.variables:
            if word == name:
                return ("v", owner, name)
        if place.owner >= 0:
            found = self.in_classes(place.owner, name)
            if found.entities:
                return self.meaning(found.entities, found.bindings, name)
        if name.startswith("struct "):
            name = name[7:]
        entities, _ = self.around(file.number, place.space, name, used)
        if entities:
            return self.meaning(entities, {}, name)
        space = self._space(file.number, place.space, name)
        return ("n", space) if space is not None else ("x", name, ())

    def inside(self, file: File, outer: Type, name: str) -> Type:
        """What `outer::name` means."""
        if outer is None:
            return None
        if outer[0] == "n":
            space: Space = outer[1]
            found = self.qualified(file.number, space, name)
            if found:
                return self.meaning(found, {}, name)
            inner = (*space, name)
            if self.is_inline(file.number, inner):
                return outer
            return (
                ("n", inner) if self.has_space(file.number, inner) else ("x", "::".join(inner), ())
            )
        if outer[0] == "c":
            members = self.members(outer, name)
            if members.entities:
                return self.meaning(members.entities, members.bindings, name)
            if name == self.program.of(outer).name:
                return outer
            return None
        if outer[0] == "x":
            return ("x", f"{outer[1]}::{name}", ())
        return None

    def meaning(
        self, entities: Iterable[Entity], bindings: Mapping[tuple[Any, str], Type], name: str
    ) -> Type:
        """What the entities of a name are together."""
        functions: list[Function] = []
        classes: list[int] = []
        types: list[Type] = []
        forward: Entity | None = None
        for each in entities:
            if each.kind == "function":
                functions.append(each.value)
            elif each.kind == "class":
                classes.append(each.value)
            elif each.kind == "forward":
                forward = each
            elif each.kind == "alias":
                kind = self.of_alias(each)
                if kind is not None and kind[0] == "f":
                    functions += kind[1]
                else:
                    types.append(kind)
        if functions:
            return ("f", tuple(dict.fromkeys(functions)), ())
        if classes:
            found = self._class(classes, name)
            return found if all(each is None or bare(each) == found for each in types) else None
        if types:
            found = substitute(types[0], bindings)
            return found if all(each == types[0] for each in types) else None
        return self._declared(forward, name) if forward is not None else None

    def _class(self, numbers: list[int], name: str) -> Type:
        """The class that is meant, where there is one definition of it."""
        if len(set(numbers)) != 1:
            return None
        made = self.program.classes[numbers[0]]
        if made.outer >= 0:
            if f"{name}<>" in self.program.classes[made.outer].members:
                return None
        elif (self.groups[made.unit], made.space, name) in self._specials:
            return None
        return ("c", numbers[0], ())

    def _declared(self, forward: Entity, name: str) -> Type:
        """A class that is declared here and defined in another file, if only once."""
        if forward.owner >= 0:
            members = self.program.classes[forward.owner].members.get(name, ())
            inside = [each.value for each in members if each.kind == "class"]
            return self._class(inside, name) if inside else None
        found = [
            each.value for each in self.program.names.get((forward.space, name), ())
            if each.kind == "class" and not each.local
            and self.groups[each.unit] == self.groups[forward.unit]
        ]  # fmt: skip
        return self._class(found, name) if found else ("x", name, ())

    def of_alias(self, entity: Entity) -> Type:
        """What another name stands for."""
        file = self.program.files[entity.unit]
        return self.named(file, entity.value, self.place_of(entity))

    def place_of(self, entity: Entity) -> Place:
        """Where an entity is written."""
        variables = self.class_variables(entity.owner)
        return Place(entity.unit, entity.space, entity.owner, variables)

    def class_variables(self, number: int) -> tuple[tuple[str, Any], ...]:
        """Parameters of a class and of those around it, the innermost first."""
        found: list[tuple[str, Any]] = []
        while number >= 0:
            made = self.program.classes[number]
            found += [(name, number) for name in made.variables]
            number = made.outer
        return tuple(found)

    def variable_type(self, entity: Entity) -> Type:
        """The declared type of a variable or field; None when it is left to the value."""
        key = (entity.unit, entity.value[0])
        if key not in self._types:
            file = self.program.files[entity.unit]
            self._types[key] = self.named(file, entity.value[0], self.place_of(entity))
        return self._types[key]

    # -------------------------------------------------------------------------- classes

    def supers(self, number: int) -> list[Type]:
        """The types of the bases of a class."""
        made = self.program.classes[number]
        if made.supers is None:
            made.supers = []
            file = self.program.files[made.unit]
            place = Place(made.unit, made.space, made.outer, self.class_variables(number))
            made.supers = [self.named(file, op, place) for op in made.bases]
        return made.supers

    def members(self, kind: Type, name: str) -> Found:
        """The members of a class under a name: its own, else those of the classes above."""
        level: list[tuple[Type, int]] = [(kind, 0)]
        seen: set[int] = set()
        entities: list[Entity] = []
        bindings: dict[tuple[Any, str], Type] = {}
        sure = True
        while level:
            at, deep = level.pop()
            if at is None or at[0] != "c" or deep > MAX_DEPTH:
                sure = False
                continue
            made = self.program.of(at)
            if made.number in seen:
                continue
            seen.add(made.number)
            own = self.bindings(at)
            found = made.members.get(name)
            if found:
                entities += found
                bindings.update(own)
                continue
            sure = sure and not made.flags & BROKEN
            level += [(substitute(each, own), deep + 1) for each in self.supers(made.number)]
        return Found(tuple(entities), bindings, sure)

    def bindings(self, kind: Type) -> dict[tuple[Any, str], Type]:
        """What the parameters of a class stand for."""
        if kind is None or kind[0] != "c":
            return {}
        names = self.program.of(kind).variables
        return {(kind[1], name): given for name, given in zip(names, kind[2], strict=False)}

    def in_classes(self, number: int, name: str) -> Found:
        """Members of a class, or of those around it."""
        sure = True
        at = number
        for _ in range(MAX_DEPTH):
            if at < 0:
                break
            found = self.members(("c", at, ()), name)
            if found.entities:
                return found._replace(sure=sure)
            sure = sure and found.sure
            at = self.program.classes[at].outer
        return Found((), {}, sure)

    def is_below(self, kind: Type, other: Type) -> bool | None:
        """Whether a class is below another one; None when that is not known."""
        if kind is None or other is None or kind[0] != "c" or other[0] != "c":
            return None
        level: list[tuple[Type, int]] = [(kind, 0)]
        unknown = False
        while level:
            at, deep = level.pop()
            if at is None or at[0] != "c" or deep > MAX_DEPTH:
                unknown = unknown or at is None or at[0] != "x"
                continue
            if at[1] == other[1]:
                return True
            level += [(each, deep + 1) for each in self.supers(at[1])]
        return None if unknown else False


_PARTS: Final = (".inl", ".ipp", ".tpp", ".txx", "-inl.h", "_inl.h", "-inl.hpp")


def _root(groups: list[int], number: int) -> int:
    while groups[number] != number:
        groups[number] = groups[groups[number]]
        number = groups[number]
    return number


def _once(found: list[Entity]) -> list[Entity]:
    return list(
        {id(each.value) if each.kind == "function" else each: each for each in found}.values()
    )


# ------------------------------------------------------------------------------ types


def bare(kind: Type) -> Type:
    """A type, whether it may change or not."""
    return kind[1] if kind is not None and kind[0] == "k" else kind


def constant(kind: Type) -> Type:
    """A type that does not change."""
    return kind if kind is None or kind[0] in ("k", "f", "n", "t", "l") else ("k", kind)


def depth(kind: Type) -> int:
    """How deep a type nests; types are built with at most `MAX_TYPE`."""
    if kind is None:
        return 0
    if kind[0] in ("c", "x"):
        return 1 + max((depth(each) for each in kind[2]), default=0)
    return 1 + depth(kind[1]) if kind[0] in ("*", "k", "t") else 0


def substitute(kind: Type, bindings: Mapping[tuple[Any, str], Type], deep: int = MAX_TYPE) -> Type:
    """`kind` with parameters of templates replaced; those without a binding stay."""
    if kind is None or not bindings:
        return kind
    tag = kind[0]
    if tag == "v":
        return bindings.get((kind[1], kind[2]), kind)
    if not deep:
        return None
    if tag in ("c", "x"):
        if not kind[2]:
            return kind
        return (tag, kind[1], tuple(substitute(each, bindings, deep - 1) for each in kind[2]))
    if tag in ("*", "k", "t"):
        inner = substitute(kind[1], bindings, deep - 1)
        return constant(inner) if tag == "k" else (tag, inner)
    return kind


def fixed(kind: Type) -> Type:
    """A type without the parameters of a template that nothing binds."""
    if kind is None or kind[0] == "v":
        return None
    if kind[0] in ("*", "k", "t"):
        inner = fixed(kind[1])
        return None if inner is None and kind[0] != "*" else (kind[0], inner)
    if kind[0] in ("c", "x") and kind[2]:
        return (kind[0], kind[1], tuple(map(fixed, kind[2])))
    return kind
