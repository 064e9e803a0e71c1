"""The types of expressions: one pass over the operations of every scope.

A function without a name is evaluated where its target is known; so bodies are generators that
yield the bodies inside of them, and nothing recurses.
"""

from __future__ import annotations

from collections.abc import Iterable

from grainline.graph.typed.facts import RESOLVED
from grainline.graph.typed.frames import Frame
from grainline.graph.typed.operators import common, constant, operate
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import Class, File, Function
from grainline.graph.typed.references import Body, References
from grainline.graph.typed.types import STRING, Type, cut, substitute
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import DECLARED, QUALIFIER, REFERENCE, Branch, Make, Op, ScopeKind


class Bodies(References):
    """The evaluation of all bodies."""

    def run(self, files: Iterable[File] | None = None) -> None:
        """Every scope of every file, or of some."""
        for file in self.program.files if files is None else files:
            self.flow.unit = file.number
            self.work = [(0, None, file)]
            while self.work:
                scope, parent, at = self.work.pop()
                self.drive(self.scope(at, scope, parent, None))

    def drive(self, body: Body) -> Type:
        """Run a body and those that it asks for."""
        stack = [body]
        value: Type = None
        while stack:
            try:
                stack.append(stack[-1].send(value))
                value = None
            except StopIteration as end:
                stack.pop()
                value = end.value
        return value

    def scope(self, file: File, number: int, parent: Frame | None, given: Candidate | None) -> Body:
        """Evaluate a scope; `given` is what a function without a name stands for."""
        row = file.scopes[number]
        frame = Frame(file, number, parent, {}, file.classes.get(number, -1))
        if row.kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
            self._enter(frame, given)
        yield from self._operations(frame, row.first, row.last)
        return common(self.signatures, frame.results)

    def _enter(self, frame: Frame, given: Candidate | None) -> None:
        file = frame.file
        function = file.functions.get(frame.scope)
        if function is None:
            return
        types = self.signatures.types(function)
        frame.result = function.result
        for (_, name, op), kind in zip(function.parameters, types, strict=True):
            frame.env[name] = kind if op >= 0 else None
        if given is not None:
            frame.result = substitute(self.signatures.result(given.function), given.bindings)
            wanted = self.signatures.types(given.function)
            for (_, name, op), kind in zip(function.parameters, wanted, strict=False):
                if op < 0:
                    frame.env[name] = cut(self._erase(substitute(kind, given.bindings)))

    def _operations(self, frame: Frame, first: int, last: int) -> Body:
        file = frame.file
        ops, values, names, callees = (
            file.ops, self.values[file.number], file.names, file.callees,
        )  # fmt: skip
        outside = file.scopes[frame.scope].kind in (ScopeKind.CLASS, ScopeKind.MODULE)
        pending: list[int] = []
        typed: list[tuple[int, int]] = []
        regions: list[tuple[dict[str, Type], int]] = []
        for op in range(first, last):
            code, a, b, c, _, _ = ops[op]
            if code == Op.LOAD:
                if b > 0:
                    typed.append((op, b))
                elif op not in callees:
                    values[op] = self.variable(frame, op, names[a])
            elif code == Op.GETATTR:
                if 0 < c < REFERENCE:
                    typed.append((op, c))
                elif c == REFERENCE:
                    values[op] = ("r", self._owner(frame, a), names[b], op)
                    pending.append(op)
                elif op not in callees:
                    values[op] = self.attribute(frame, op, a, names[b])
            elif code in (Op.CALL, Op.NEW):
                made = self._call if code == Op.CALL else self._new
                target = made(frame, op, a)
                arguments = [value for _, _, value in file.ports[b : b + c]]
                found = self._chosen(frame, op, target, arguments)
                if any(values[at] is not None and values[at][0] in "fr" for at in arguments):  # type: ignore[index]
                    values[op] = yield self._with_functions(frame, op, found, target, arguments)
                else:
                    values[op] = self._result(frame, op, found, target, arguments, {})
            elif code == Op.CONST:
                values[op] = self.constant(file, a, b)
            elif code == Op.STORE:
                kind = values[b]
                if kind is not None and (kind[0] in "fr" or self.carries(kind)):
                    wanted, place = self._stored(frame, names[a])
                    if kind[0] in "fr":
                        yield self._settled(frame, b, wanted)
                    if place is not None:
                        self.flow.move(self.flow.of(file.number, b), place)
            elif code == Op.ANNOTATE:
                if not outside:
                    frame.env[names[a]] = self._declared(frame, op, b)
            elif code == Op.FUNCTION:
                if file.scopes[a].kind == ScopeKind.LAMBDA:
                    values[op] = ("f", a)
                    pending.append(op)
                else:
                    self.work.append((a, self._kept(frame), file))
                if outside:
                    typed = self._mention(frame, typed, a)
            elif code == Op.CLASS:
                self.work.append((a, self._kept(frame), file))
                if outside:
                    typed = self._mention(frame, typed, a)
                self._bases(frame, op, file.classes[a])
            elif code == Op.NARROW:
                kind = self.names.type_of(file, b, frame.scope)
                if a >= 0 and values[a] is not None and values[a][0] in "fr":  # type: ignore[index]
                    yield self._settled(frame, a, kind)
                values[op] = kind
                if a >= 0 and self.carries(kind):
                    self.flow.where[file.number, op] = self.flow.of(file.number, a)
            elif code == Op.OPERATE:
                values[op] = self.operate(values[a], values[b] if b >= 0 else None, names[c])
            elif code == Op.EITHER:
                values[op] = common(self.signatures, [values[a], values[b]])
                if self.carries(values[op]):
                    for each in (a, b):
                        self.flow.move(self.flow.of(file.number, each), ("o", file.number, op))
            elif code == Op.ITER:
                values[op] = self._element(frame, op, values[a])
            elif code == Op.ENTER:
                values[op] = values[a]
                self._implied(frame, op, values[a], "close")
            elif code == Op.GETITEM:
                if 0 < c < REFERENCE:
                    continue
                values[op] = self.item(frame, values[a])
            elif code == Op.AWAIT:
                values[op] = self.awaited(values[a])
            elif code == Op.MAKE:
                if c and a == Make.LIST:
                    values[op] = ("a", values[file.ports[b][2]])
                elif a == Make.TEXT:
                    values[op] = STRING
            elif code == Op.RETURN:
                if a >= 0:
                    kind = values[a]
                    if kind is not None and kind[0] in "fr":
                        yield self._settled(frame, a, frame.result)
                    else:
                        frame.results.append(kind)
                    if self.carries(values[a]):
                        place = ("r", file.number, frame.scope)
                        self.flow.move(self.flow.of(file.number, a), place)
            elif code == Op.SETATTR:
                kind = values[c]
                if kind is not None and (kind[0] in "fr" or self.carries(kind)):
                    field = self.members.field(values[a], names[b])
                    if kind[0] in "fr":
                        yield self._settled(frame, c, field[1] if field else None)
                    if field is not None:
                        place = ("f", field[0].number, names[b])
                        self.flow.move(self.flow.of(file.number, c), place)
            elif code == Op.DELETE:
                frame.env.pop(names[a], None)
            elif code in (Op.BRANCH, Op.LOOP):
                regions.append((dict(frame.env), b if code == Op.BRANCH else -1))
            elif code == Op.ARM:
                if regions[-1][1] != Branch.MATCH:  # cases of a switch share one scope
                    frame.env = dict(regions[-1][0])
            elif code == Op.END:
                frame.env = regions.pop()[0]
            elif code == Op.IMPORT and b >= 0:
                self._imported(frame, op)
        self._mention(frame, typed, -1)
        for op in pending:
            kind = values[op]
            if kind is not None and kind[0] in "fr":
                yield self._settled(frame, op, None)
        return None

    def constant(self, file: File, kind: int, text: int) -> Type:
        """The type of a constant."""
        return constant(file, kind, text)

    def operate(self, left: Type, right: Type, word: str) -> Type:
        """The type of what an operator gives."""
        return operate(left, right, word)

    def item(self, frame: Frame, kind: Type) -> Type:
        """The type of what stands under a key."""
        del frame
        return kind[1] if kind is not None and kind[0] == "a" else None

    def awaited(self, kind: Type) -> Type:
        """The type of what is waited for."""
        del kind
        return None

    def may_override(self, function: Function, other: Class) -> bool:
        """Whether a method can override one of that class that takes the same."""
        del function, other
        return True

    def _kept(self, frame: Frame) -> Frame:
        """A frame as it is now, for what is evaluated later."""
        if frame.number >= 0 or frame.parent is None:
            return frame
        kept = Frame(frame.file, frame.scope, frame.parent, dict(frame.env), frame.number)
        kept.result = frame.result
        return kept

    def _mention(
        self, frame: Frame, typed: list[tuple[int, int]], inner: int
    ) -> list[tuple[int, int]]:
        """Edges to the types that a scope, or the header of the scope `inner`, mentions."""
        file = frame.file
        left: list[tuple[int, int]] = []
        start = file.scopes[inner].start if inner >= 0 else 0
        scope = inner if inner >= 0 else frame.scope
        for op, mark in typed:
            if file.ops[op][4] < start:
                left.append((op, mark))
                continue
            if mark == QUALIFIER:
                continue
            kind = self.names.type_of(file, op, frame.scope, inner)
            if kind is not None and kind[0] == "c":
                what = EdgeType.HAS_TYPE if mark == DECLARED else EdgeType.REFERENCES
                self.fact(what, frame, op, self.place(kind[1]), Method.SCOPE, RESOLVED, scope)
        return left

    def _bases(self, frame: Frame, op: int, number: int) -> None:
        made = self.program.classes[number]
        file = frame.file
        for kind, (base, port) in zip(self.names.bases_of(made), made.bases, strict=True):
            if kind is None or kind[0] != "c" or kind[1] == number:
                continue
            what = EdgeType.INHERITS if port == 0 else EdgeType.IMPLEMENTS
            self.fact(what, frame, base, self.place(kind[1]), Method.SCOPE, RESOLVED, made.scope)
        del file, op

    def _imported(self, frame: Frame, op: int) -> None:
        file = frame.file
        _, a, b, _, _, _ = file.ops[op]
        kind = self.names.member_type(file, file.names[a], file.names[b])
        if kind is not None and kind[0] == "c":
            self.fact(EdgeType.IMPORTS, frame, op, self.place(kind[1]), Method.SCOPE, RESOLVED)

    def _declared(self, frame: Frame, op: int, annotation: int) -> Type:
        """The type of a variable that is declared, of its value when that decides."""
        file = frame.file
        row = file.ops[annotation]
        if row[0] == Op.CONST and row[2] < 0:
            following = file.ops[op + 1] if op + 1 < len(file.ops) else row
            if following[0] == Op.STORE and following[1] == file.ops[op][1]:
                kind = self.values[file.number][following[2]]
                return None if kind is not None and kind[0] in "frtks" else kind
            return None
        return self.names.type_of(file, annotation, frame.scope)

    def _element(self, frame: Frame, op: int, kind: Type) -> Type:
        """The type of the elements that a loop takes."""
        kind = self.names.erased(kind)
        if kind is None:
            return None
        if kind[0] == "a":
            inner: Type = kind[1]
            return inner
        self._implied(frame, op, kind, "iterator")
        for each in self.names.supers(kind):
            if each[1] == "java.lang.Iterable" and each[2]:
                element: Type = each[2][0]
                return element
        return None

    def _implied(self, frame: Frame, op: int, kind: Type, name: str) -> None:
        """A statement calls a method without saying so."""
        kind = self.names.erased(kind)
        if kind is None or kind[0] != "c":
            return
        found = [
            each
            for each in self.members.methods(kind, name).candidates
            if not each.function.parameters
        ]
        if found and found[0].function.unit >= 0:
            place = (found[0].function.unit, found[0].function.scope)
            self.fact(EdgeType.CALLS, frame, op, place, Method.PROTOCOL, RESOLVED)
