"""The types of expressions of C++, and what they call: one pass over the operations of a scope."""

from __future__ import annotations

from grainline.graph.rules import _cpp_library as library
from grainline.graph.typed.cpp_calls import Calls
from grainline.graph.typed.cpp_frames import Frame
from grainline.graph.typed.cpp_names import Place, bare, constant, fixed
from grainline.graph.typed.cpp_program import ALIAS, File, Function, Type, is_auto
from grainline.graph.typed.facts import RESOLVED
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import DECLARED, MENTIONED, REFERENCE, Op, ScopeKind


class Bodies(Calls):
    """The evaluation of all bodies of files of C++."""

    def run(self) -> None:
        """Every scope of every file."""
        for file in self.program.files:
            if file.plain:
                continue
            self._included(file)
            self.work.append((file, 0, Frame(file, 0, Place(file.number, ()), None, None)))
            while self.work:
                at, scope, frame = self.work.pop()
                row = at.scopes[scope]
                self._operations(frame, row.first, row.last)

    def _included(self, file: File) -> None:
        frame = Frame(file, 0, Place(file.number, ()), None, None)
        for op, other in self.names.includes(file):
            self.fact(EdgeType.IMPORTS, frame, op, (other, 0), Method.SCOPE, RESOLVED)

    def _operations(self, frame: Frame, first: int, last: int) -> None:
        file, values = frame.file, self.values[frame.file.number]
        typed: list[tuple[int, int]] = []
        outside = file.scopes[frame.scope].kind in (ScopeKind.CLASS, ScopeKind.MODULE)
        for op in range(first, last):
            code, a, b, c, _, _ = file.ops[op]
            if code == Op.LOAD:
                if b in (DECLARED, MENTIONED):
                    typed.append((op, b))
                elif b < 0 and op not in file.callees:
                    values[op] = self.loaded(frame, op)
                    self._mentioned(frame, op, values[op])
            elif code == Op.GETATTR:
                if c in (DECLARED, MENTIONED):
                    typed.append((op, c))
                elif c < 0 and op not in file.callees:
                    values[op] = self.attribute(frame, op, a, file.names[b])
                elif c == REFERENCE and op not in file.callees:
                    values[op] = self.scoped(frame, op)
                    self._mentioned(frame, op, values[op])
            elif code == Op.GETITEM:
                if c < 0:
                    values[op] = self.item(frame, op, a, b)
            elif code == Op.CALL:
                values[op] = self.call(frame, op)
            elif code == Op.NEW:
                values[op] = self.new(frame, op)
            elif code == Op.CONST:
                values[op] = self.literal(file, op)
            elif code == Op.OPERATE:
                values[op] = self.operate(frame, op)
            elif code == Op.EITHER:
                values[op] = values[a] if values[a] == values[b] else None
            elif code == Op.ITER:
                values[op] = self.element(values[a])
            elif code == Op.NARROW:
                values[op] = self.type_at(frame, b)
                if a >= 0:  # else what is caught
                    self.follow(frame, op, a)
            elif code == Op.FUNCTION:
                typed = self._mention(frame, typed, a) if outside else typed
                self._enter(frame, op, a)
            elif code == Op.CLASS:
                typed = self._mention(frame, typed, a) if outside else typed
                self._class(frame, op, a)
            elif code == Op.STORE:
                self._store(frame, op, outside=outside and "#" not in file.names[a])
            elif code == Op.ANNOTATE and not (outside and "#" not in file.names[a]):
                self._annotate(frame, op)
            elif code == Op.SETATTR:
                place = self.field_place(values[a], file.names[b])
                if place is not None:
                    self.flow.move(self.flow.of(file.number, c), place)
            elif code == Op.RETURN:
                if a >= 0 and self.carries(frame, a):
                    place = ("r", file.number, frame.scope)
                    self.flow.move(self.flow.of(file.number, a), place)
            elif code == Op.PACKAGE:
                frame.place = Place(file.number, self._space(file.names[a]))
            elif code == Op.EXPORT and not outside:
                named = self.names.named(file, b, frame.place, frame.used)
                if named is not None and named[0] == "n":
                    frame.used = [*frame.used, named[1]]
        self._mention(frame, typed, -1)

    def _space(self, path: str) -> tuple[str, ...]:
        parts = path.split("::") if path else []
        return tuple(
            part for part in parts if part != "(anonymous)" and not part.startswith("(inline)")
        )

    # -------------------------------------------------------------------------- scopes

    def _enter(self, frame: Frame, op: int, scope: int) -> None:
        """A function, evaluated later; a lambda is a value."""
        file = frame.file
        function = file.functions.get(scope)
        row = file.scopes[scope]
        if function is None:
            return
        if row.kind == ScopeKind.LAMBDA:
            place = frame.place
            inner = Frame(file, scope, place, frame, None)
            for _, name, kind in function.parameters:
                inner.env[name] = self.declared(frame, kind)
            self.values[file.number][op] = ("l", file.number, scope)
            self.flow.made(file.number, op, (file.number, scope))
        else:
            place = self.signatures.place(function)
            if frame.scope:
                more = tuple(each for each in frame.place.variables if each not in place.variables)
                place = Place(
                    place.file, place.space or frame.place.space, place.owner,
                    place.variables + more, scope,
                )  # fmt: skip
            outer = frame if file.scopes[frame.scope].kind != ScopeKind.MODULE else None
            inner = Frame(file, scope, place, outer, function)
            inner.lost = function.owner == -2
            kinds = self.signatures.types(function)
            for (_, name, at), known in zip(function.parameters, kinds, strict=True):
                inner.env[name] = self._constant(file, at, known)
            if function.abstract or function.macro:
                return
        self.work.append((file, scope, inner))

    def _constant(self, file: File, at: int, kind: Type) -> Type:
        """The type of a parameter, with its `const`."""
        row = file.ops[at] if at >= 0 else [0, 0, -1, 0]
        if row[0] == Op.OPERATE and file.names[row[3]] == "&":
            row = file.ops[row[1]]
        return constant(kind) if row[0] == Op.OPERATE and file.names[row[3]] == "const" else kind

    def _class(self, frame: Frame, op: int, scope: int) -> None:
        file = frame.file
        number = file.classes[scope]
        made = self.program.classes[number]
        for base, kind in zip(made.bases, self.names.supers(number), strict=True):
            if kind is not None and kind[0] == "c" and kind[1] != number:
                target = self.class_place(kind[1])
                self.fact(EdgeType.INHERITS, frame, base, target, Method.SCOPE, RESOLVED, scope)
        place = Place(
            file.number, made.space or frame.place.space, number,
            self.names.class_variables(number) + frame.place.variables, scope,
        )  # fmt: skip
        outer = frame if frame.scope else None
        self.values[file.number][op] = ("t", ("c", number, ()))
        self.work.append((file, scope, Frame(file, scope, place, outer, None)))

    # -------------------------------------------------------------------------- variables

    def declared(self, frame: Frame, op: int) -> Type:
        """The type of a parameter of a lambda."""
        if op < 0 or is_auto(frame.file, op):
            return None
        return self.type_at(frame, op)

    def _annotate(self, frame: Frame, op: int) -> None:
        _, name, kind, _, _, _ = frame.file.ops[op]
        following = frame.file.ops[op + 1] if op + 1 < len(frame.file.ops) else [0, 0, 0]
        value = following[2] if following[0] == Op.STORE and following[1] == name else -1
        frame.env[frame.file.names[name]] = self._variable(frame, kind, value)

    def _variable(self, frame: Frame, kind: int, value: int) -> Type:
        """What a variable is: of its value, where the type is left to that."""
        file = frame.file
        given = self.values[file.number][value] if value >= 0 else None
        words: list[str] = []
        at = kind
        while file.ops[at][0] == Op.OPERATE and file.ops[at][2] < 0:
            words.append(file.names[file.ops[at][3]])
            at = file.ops[at][1]
        if not is_auto(file, at):
            return self.type_at(frame, kind)
        if given is not None and given[0] in "tn":
            return None
        found = fixed(given) if given is None or given[0] not in "fl" else given
        if "const" in words and "*" not in words:
            return constant(found)
        return found if "&" in words or "*" in words else bare(found)

    def _store(self, frame: Frame, op: int, *, outside: bool) -> None:
        file = frame.file
        _, name, value, mark, _, _ = file.ops[op]
        word = file.names[name]
        if outside:
            self._stored_outside(frame, op, word, value)
            return
        kind = self.values[file.number][value]
        if mark == ALIAS:
            named = self.names.named(file, value, frame.place, frame.used)
            frame.env[word] = ("t", named) if named is not None and named[0] != "f" else named
            return
        if file.ops[value][0] == Op.CLASS:
            frame.env[word] = kind
            return
        owner = frame.find(word)
        if owner is None and mark < 0:  # a capture with a value of its own
            frame.env[word] = fixed(kind) if kind is None or kind[0] not in "flt" else kind
            owner = frame
        if self.carries(frame, value):
            place = self.variable_place(frame, word)
            if place is not None:
                self.flow.move(self.flow.of(file.number, value), place)

    def _stored_outside(self, frame: Frame, op: int, word: str, value: int) -> None:
        before = frame.file.ops[op - 1] if op else [0, 0]
        if before[0] != Op.ANNOTATE or not self.carries(frame, value):
            return
        number = frame.place.owner
        place = ("f", number, word) if number >= 0 else ("g", frame.place.space, word)
        self.flow.move(self.flow.of(frame.file.number, value), place)

    # -------------------------------------------------------------------------- mentions

    def _mentioned(self, frame: Frame, op: int, value: Type) -> None:
        """A function that is named without being called."""
        if value is None or value[0] != "f":
            return
        choice = self.signatures.distinct(value[1])
        if len(choice) == 1 and not choice[0].macro:
            targets = self.called(
                frame, op, (choice[0],), Method.SCOPE, RESOLVED, EdgeType.REFERENCES
            )
            for each in targets:
                self.flow.made(frame.file.number, op, (each.unit, each.scope))

    def _mention(
        self, frame: Frame, typed: list[tuple[int, int]], inner: int
    ) -> list[tuple[int, int]]:
        """Edges to the types that a scope, or the header of the scope `inner`, mentions."""
        file = frame.file
        left: list[tuple[int, int]] = []
        start = file.scopes[inner].start if inner >= 0 else 0
        scope = inner if inner >= 0 else frame.scope
        place = frame.place
        function: Function | None = file.functions.get(inner)
        if function is not None and function.scope == inner:
            place = self.signatures.place(function)
        elif inner in file.classes:
            number = file.classes[inner]
            place = Place(file.number, place.space, place.owner,
                          self.names.class_variables(number))  # fmt: skip
        for op, mark in typed:
            if file.ops[op][4] < start:
                left.append((op, mark))
                continue
            kind = self.names.named(file, op, place, frame.used)
            if kind is not None and kind[0] == "c":
                what = EdgeType.HAS_TYPE if mark == DECLARED else EdgeType.REFERENCES
                self.fact(what, frame, op, self.class_place(kind[1]), Method.SCOPE, RESOLVED, scope)
        return left

    # -------------------------------------------------------------------------- elements

    def element(self, kind: Type) -> Type:
        """What a loop takes of a value."""
        whole, kind = kind, bare(kind)
        if kind is None:
            return None
        found: Type = None
        if kind[0] == "*":
            inner: Type = kind[1]
            return inner
        if kind[0] == "x":
            name = kind[1].rpartition("::")[2]
            if name in library.ELEMENTS and kind[2]:
                found = kind[2][0]
            elif name in library.MAPPINGS and len(kind[2]) > 1:
                found = ("x", "std::pair", kind[2][:2])
        return constant(found) if whole is not None and whole[0] == "k" else found
