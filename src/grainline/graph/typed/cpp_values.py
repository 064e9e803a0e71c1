"""What names and members of C++ are worth: variables, fields, functions, types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from grainline.graph.rules import _cpp_library as library
from grainline.graph.typed.cpp_frames import Frame, State
from grainline.graph.typed.cpp_names import Found, bare, constant, fixed, substitute
from grainline.graph.typed.cpp_program import Entity, File, Function, Type, is_auto
from grainline.graph.typed.flow import Place
from grainline.model.ir import CONSTANT, QUALIFIER, REFERENCE, Const, Op


class Meant(NamedTuple):
    """What a name is: functions, a type, or a variable; nothing when all are empty.

    `member`: it was found in a class, on the receiver. `sure`: no class on the way is unknown.
    """

    functions: tuple[Function, ...] = ()
    type: Type = None
    variable: Entity | None = None
    bindings: Mapping[tuple[Any, str], Type] = {}
    member: bool = False
    sure: bool = True
    given: tuple[Type, ...] = ()
    macro: bool = False


class Values(State):
    """Reads of variables, fields and functions."""

    # -------------------------------------------------------------------------- types

    def class_place(self, number: int) -> tuple[int, int]:
        """Unit and scope of a class."""
        made = self.program.classes[number]
        return made.unit, made.scope

    def type_at(self, frame: Frame, op: int) -> Type:
        """The type that an operation names, classes of the function included."""
        file = frame.file
        base, words = op, list[str]()
        while file.ops[base][0] == Op.OPERATE and file.ops[base][2] < 0:
            words.append(file.names[file.ops[base][3]])
            base = file.ops[base][1]
        if file.ops[base][0] == Op.LOAD:
            known = self.local_type(frame, file.names[file.ops[base][1]])
            if known is not None:
                for word in reversed(words):
                    known = ("*", known) if word == "*" else constant(known)
                return known
        return self.names.named(file, op, frame.place, frame.used)

    def local_type(self, frame: Frame, name: str) -> Type:
        """A type that is declared in a function."""
        owner = frame.find(name)
        known = owner.env[name] if owner is not None else None
        return known[1] if known is not None and known[0] == "t" else None

    # -------------------------------------------------------------------------- names

    def meant(self, frame: Frame, op: int) -> Meant:
        """What a name without qualifiers means where it stands, variables of functions apart."""
        file = frame.file
        name = file.names[file.ops[op][1]].partition("#")[0]
        sure = not frame.lost
        owner = frame.place.owner
        if owner >= 0:
            found = self.names.in_classes(owner, name)
            if found.entities:
                return self._of(found, name, member=True)
            sure = sure and found.sure
        entities, _ = self.names.around(file.number, frame.place.space, name, frame.used)
        if any(each.kind == "macro" for each in entities):
            return Meant(macro=True)
        macros = [each for each in entities if each.kind == "function" and each.value.macro]
        if macros:
            return Meant(tuple(each.value for each in macros))
        return self._of(Found(tuple(entities), {}, sure), name, member=False)

    def _of(self, found: Found, name: str, *, member: bool) -> Meant:
        variables = [each for each in found.entities if each.kind == "variable"]
        if variables:
            return Meant(
                variable=variables[-1], bindings=found.bindings, member=member, sure=found.sure
            )
        kind = self.names.meaning(found.entities, found.bindings, name)
        if kind is not None and kind[0] == "f":
            return Meant(kind[1], None, None, found.bindings, member, found.sure)
        return Meant((), kind, None, found.bindings, member, found.sure)

    def loaded(self, frame: Frame, op: int) -> Type:
        """The value of a name."""
        file = frame.file
        name = file.names[file.ops[op][1]]
        if name == "this":
            return self.this(frame)
        owner = frame.find(name)
        if owner is not None:
            place = self.variable_place(frame, name)
            if place is not None:
                self.flow.where[file.number, op] = place
            return owner.env[name]
        meant = self.meant(frame, op)
        return self.value_of(frame, op, meant)

    def value_of(self, frame: Frame, op: int, meant: Meant) -> Type:
        """The value that something is."""
        if meant.variable is not None:
            self.flow.where[frame.file.number, op] = self.entity_place(meant.variable)
            found = self.variable(meant.variable, meant.bindings)
            return constant(found) if meant.member and self.is_constant(frame) else found
        if meant.functions:
            return ("f", meant.functions, meant.given)
        return ("t", meant.type) if meant.type is not None and meant.type[0] in "cx" else None

    def variable(self, entity: Entity, bindings: Mapping[tuple[Any, str], Type]) -> Type:
        """The type of a variable of a namespace, or of a field."""
        file = self.program.files[entity.unit]
        if is_auto(file, entity.value[0]):
            return None
        return substitute(self.names.variable_type(entity), bindings)

    def this(self, frame: Frame) -> Type:
        """A pointer to the receiver."""
        if frame.place.owner < 0:
            return None
        made: Type = ("c", frame.place.owner, ())
        return ("*", constant(made) if self.is_constant(frame) else made)

    def is_constant(self, frame: Frame) -> bool:
        """Whether the receiver does not change here."""
        function = frame.method()
        return function is not None and bool(function.flags & CONSTANT)

    # -------------------------------------------------------------------------- members

    def scoped(self, frame: Frame, op: int) -> Type:
        """The value of a qualified name."""
        meant = self.scoped_meaning(frame, op)
        return self.value_of(frame, op, meant)

    def scoped_meaning(self, frame: Frame, op: int) -> Meant:
        """What a qualified name means."""
        file = frame.file
        _, outer, name, _, _, _ = file.ops[op]
        around = self.type_at(frame, outer)
        word = file.names[name]
        if around is None:
            return Meant(sure=False)
        if around[0] == "c":
            if word == self.program.of(around).name:
                return Meant(type=around)
            found = self.names.members(around, word)
            if not found.entities:
                return Meant(sure=False)
            return self._of(found, word, member=True)
        if around[0] == "n":
            entities = self.names.qualified(file.number, around[1], word)
            if entities:
                return self._of(Found(tuple(entities), {}, True), word, member=False)
        return Meant(type=self.names.inside(file, around, word))

    def attribute(self, frame: Frame, op: int, owner: int, name: str) -> Type:
        """The value of a member that is read."""
        whole = self.values[frame.file.number][owner]
        kind = bare(whole)
        if kind is None:
            return None
        found: Type = None
        if kind[0] == "c":
            members = self.names.members(kind, name)
            meant = self._of(members, name, member=True)
            if meant.variable is None:
                return ("f", meant.functions, ()) if meant.functions else None
            self.flow.where[frame.file.number, op] = self.entity_place(meant.variable)
            found = self.variable(meant.variable, meant.bindings)
        elif kind[0] == "x" and kind[1].rpartition("::")[2] == "pair" and len(kind[2]) > 1:
            found = kind[2][0] if name == "first" else kind[2][1] if name == "second" else None
        return constant(found) if whole is not None and whole[0] == "k" else found

    def pointed(self, kind: Type) -> Type:
        """What `*` gives of a value, `->` a member of."""
        kind = bare(kind)
        if kind is None:
            return None
        if kind[0] == "*":
            inner: Type = kind[1]
            return inner
        if kind[0] == "x":
            known = kind[1].rpartition("::")[2] in library.POINTERS and kind[2]
            held: Type = kind[2][0] if known else None
            return held
        if kind[0] == "c":
            found = self.names.members(kind, "operator->")
            functions = [each.value for each in found.entities if each.kind == "function"]
            if functions:
                result = substitute(self.signatures.result(functions[0]), found.bindings)
                result = bare(result)
                return result[1] if result is not None and result[0] == "*" else None
            plain = self.program.files[self.program.of(kind).unit].plain
            return kind if plain else None
        return None

    def literal(self, file: File, op: int) -> Type:
        """The type of a constant."""
        _, kind, text, _, _, _ = file.ops[op]
        if kind == Const.STR:
            return ("*", ("p", "char"))
        if kind == Const.NONE:
            return ("p", "nullptr")
        if kind == Const.BOOL:
            return ("p", "bool")
        if text < 0 or kind not in (Const.OTHER, Const.INT):
            return None
        word = file.names[text]
        return ("p", _number(word) if kind == Const.INT else word)

    # -------------------------------------------------------------------------- flow

    def carries(self, frame: Frame, op: int) -> bool:
        """Whether a value may be a function."""
        file = frame.file
        kind = bare(self.values[file.number][op])
        if kind is not None and kind[0] in "fl":
            return True
        if (file.number, op) not in self.flow.where:
            return False
        return kind is None or kind[0] == "v" or kind == ("p", "(*)") or (
            kind[0] == "x" and kind[1].rpartition("::")[2] in ("function", "move_only_function")
        )  # fmt: skip

    def follow(self, frame: Frame, op: int, value: int) -> None:
        """An operation gives what another one has."""
        if self.carries(frame, value):
            place = self.flow.of(frame.file.number, value)
            self.flow.where[frame.file.number, op] = place

    def variable_place(self, frame: Frame, name: str) -> Place | None:
        """Where a variable of a function is, or a field or variable that is assigned by its name."""
        owner = frame.find(name)
        if owner is not None:
            return ("v", owner.file.number, owner.scope, name)
        word = name.partition("#")[0]
        if frame.place.owner >= 0:
            found = self.names.in_classes(frame.place.owner, word)
            for each in found.entities:
                if each.kind == "variable":
                    return self.entity_place(each)
        entities, _ = self.names.around(frame.file.number, frame.place.space, word, frame.used)
        for each in entities:
            if each.kind == "variable":
                return self.entity_place(each)
        return None

    def entity_place(self, entity: Entity) -> Place:
        """The place of a field, or of a variable of a namespace."""
        file = self.program.files[entity.unit]
        op = entity.value[0]
        at = next(
            (row for row in range(op, min(op + 400, len(file.ops)))
             if file.ops[row][0] == Op.ANNOTATE and file.ops[row][2] == op), op,
        )  # fmt: skip
        name = file.names[file.ops[at][1]] if file.ops[at][0] == Op.ANNOTATE else ""
        if entity.owner >= 0:
            return ("f", entity.owner, name)
        if entity.local:
            return ("g", entity.unit, entity.space, name)
        return ("g", entity.space, name)

    def field_place(self, kind: Type, name: str) -> Place | None:
        """The place of a field of a value."""
        kind = bare(kind)
        if kind is None or kind[0] != "c":
            return None
        for each in self.names.members(kind, name).entities:
            if each.kind == "variable":
                return self.entity_place(each)
        return None

    def given_at(self, frame: Frame, op: int) -> tuple[int, tuple[Type, ...]]:
        """What a template is, behind the arguments that are given, and these."""
        file = frame.file
        if file.ops[op][0] == Op.GETITEM and file.ops[op][3] in (QUALIFIER, REFERENCE):
            _, inner, arguments, _, _, _ = file.ops[op]
            given = self.names.arguments(file, arguments, frame.place, frame.used)
            return inner, tuple(map(fixed, given))
        return op, ()


def _number(raw: str) -> str:
    """The type of a number as it is written; that of `0` is also a pointer to nothing."""
    if raw == "0":
        return raw
    if raw.startswith("0x"):
        return "int" if raw[-1:] not in "ul" else "?"
    if "." in raw or "e" in raw:
        return "float" if raw.endswith("f") else "double"
    return "int" if raw[-1:].isdigit() and len(raw) < 10 else "?"
