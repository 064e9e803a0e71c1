"""Kotlin, and Java beside it: what code does, evaluated with what its values are known to be.

Files of Java are evaluated as everywhere; both see the classes of each other. Types that nobody
writes (of properties, of functions that are an expression) are found in rounds before, so that
what a file says does not depend on which one is looked at first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, cast

from grainline.graph.results import Graph
from grainline.graph.rules.base import Platform
from grainline.graph.typed.edges import collect
from grainline.graph.typed.facts import FLOWED
from grainline.graph.typed.flow import Flow
from grainline.graph.typed.frames import Frame
from grainline.graph.typed.kotlin_declarations import KotlinDeclarations
from grainline.graph.typed.kotlin_frames import KotlinFrame, Region
from grainline.graph.typed.kotlin_library import KotlinLibrary
from grainline.graph.typed.kotlin_members import KotlinMembers
from grainline.graph.typed.kotlin_names import KotlinNames, Roots, is_kotlin
from grainline.graph.typed.kotlin_operators import keys
from grainline.graph.typed.kotlin_overloads import KotlinSignatures
from grainline.graph.typed.kotlin_references import is_value
from grainline.graph.typed.operators import common, constant
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import File, Program
from grainline.graph.typed.references import Body
from grainline.graph.typed.types import Type, cut, substitute
from grainline.graph.units import Unit
from grainline.languages.modules.base import Modules
from grainline.model.ir import (
    ARGUMENTS,
    PRIVATE,
    REFERENCE,
    STATIC,
    Const,
    Make,
    Op,
    Param,
    ScopeKind,
)

MAX_ROUNDS: Final = 5
"""Times that types which nobody writes are looked for: one may rest on another."""


def attribute(units: list[Unit], platform: Platform, modules: Modules) -> Graph:
    """The graph of the files of a component, in the order of their paths."""
    program = Program(units)
    library = _library(platform.library + platform.more)
    names = KotlinNames(program, library, platform, cast("Roots", modules))
    bodies = KotlinBodies(KotlinMembers(KotlinSignatures(names)))
    bodies.infer()
    bodies.run()
    cuts = bodies.flow.run()
    tests = [names.roots.is_test(file.path) for file in program.files]
    for fact, tier in list(bodies.facts.items()):
        if tier == FLOWED and tests[fact.target[0]] and not tests[fact.unit]:
            del bodies.facts[fact]  # what tests pass on is no reason to call it from elsewhere
    return collect(bodies, cuts)


@cache
def _library(text: str) -> KotlinLibrary:
    return KotlinLibrary(text)


class KotlinBodies(KotlinDeclarations):
    """The evaluation of all bodies."""

    def __init__(self, members: KotlinMembers) -> None:
        super().__init__(members)
        self._probing = False
        self._callees: list[frozenset[int]] = [_callees(file) for file in self.program.files]

    def infer(self) -> None:
        """Types that nobody writes: rounds until nothing more is learned."""
        items = list(self._untyped())
        self._probing = True
        for _ in range(MAX_ROUNDS):
            before = self._learned(items)
            for file, scope in items:
                frame = self._outside(file, file.scopes[scope].parent)
                self.drive(self.scope(file, scope, frame, None))
            self.members.forget()
            if self._learned(items) == before:
                break
        self._probing = False
        self.facts.clear()
        self.leaves.clear()
        self.flow = Flow(self.facts)

    def _learned(self, items: list[tuple[File, int]]) -> list[object]:
        functions = [
            function.result
            for file, scope in items
            if (function := file.functions.get(scope)) is not None
        ]
        return [functions, dict(self.members.inferred)]

    def _untyped(self) -> Iterator[tuple[File, int]]:
        """Scopes of packages and classes in which something has no type."""
        for file in self.program.files:
            if not is_kotlin(file):
                continue
            for number, row in enumerate(file.scopes):
                if not self._stands_free(file, number):
                    continue
                if row.kind == ScopeKind.FUNCTION:
                    if row.returns < 0:
                        yield file, number
                elif row.kind in (ScopeKind.CLASS, ScopeKind.MODULE):
                    known = file.classes.get(number, -1)
                    fields = self.program.classes[known].fields if known >= 0 else file.values
                    if any(file.ops[op][0] == Op.CONST for op, _ in fields.values()):
                        yield file, number

    def _stands_free(self, file: File, number: int) -> bool:
        """Whether only packages and classes stand around a scope."""
        at = file.scopes[number].parent
        while at >= 0:
            if file.scopes[at].kind not in (ScopeKind.CLASS, ScopeKind.MODULE):
                return False
            at = file.scopes[at].parent
        return True

    def _outside(self, file: File, scope: int) -> KotlinFrame | None:
        """The frames of classes and the package around a scope."""
        chain: list[int] = []
        while scope >= 0:
            chain.append(scope)
            scope = file.scopes[scope].parent
        frame: KotlinFrame | None = None
        for at in reversed(chain):
            frame = KotlinFrame(file, at, frame, {}, file.classes.get(at, -1))
        return frame

    def scope(self, file: File, number: int, parent: Frame | None, given: Candidate | None) -> Body:
        """Evaluate a scope; `given` is what a function without a name stands for."""
        if not is_kotlin(file):
            result = yield from super().scope(file, number, parent, given)
            return result
        result = yield from self._scope(file, number, parent, given, doubt=False, label="")
        return result

    def _scope(
        self,
        file: File,
        number: int,
        parent: Frame | None,
        given: Candidate | None,
        *,
        doubt: bool,
        label: str,
    ) -> Body:
        row = file.scopes[number]
        frame = KotlinFrame(file, number, parent, {}, file.classes.get(number, -1))
        frame.doubt, frame.label = doubt, label
        if row.kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
            self._entered(frame, given)
        elif row.kind == ScopeKind.CLASS:
            self._made_with(frame)
        yield from self._run(frame, row.first, row.last)
        result = common(self.signatures, frame.results)
        function = file.functions.get(number)
        if function is not None and row.kind == ScopeKind.FUNCTION and row.returns < 0:
            self.signatures.types(function)
            limited = function.flags & PRIVATE or not self._stands_free(file, number)
            function.result = cut(result if limited else self.names.outside_of(result))
        return result

    def _entered(self, frame: KotlinFrame, given: Candidate | None) -> None:
        file = frame.file
        function = file.functions.get(frame.scope)
        if function is None:
            return
        row = file.scopes[frame.scope]
        types = self.signatures.types(function)
        frame.result = function.result
        if row.kind == ScopeKind.FUNCTION:
            frame.label = function.name
        if function.receiver >= 0:
            frame.called = True
            frame.receiver = self.names.type_of(file, function.receiver, row.parent, frame.scope)
        wanted: list[Type] = []
        if given is not None:
            wanted = [
                cut(self._erase(substitute(kind, given.bindings)))
                for kind in self.signatures.types(given.function)
            ]
            frame.result = frame.result or substitute(
                self.signatures.result(given.function), given.bindings
            )
            written = len(function.parameters)
            plain = not row.flags & ARGUMENTS
            if given.function.unit < 0 and given.function.receiver == 0:
                if function.receiver >= 0:
                    wanted = wanted[1:]
                elif not (plain and written == len(wanted)):
                    frame.called, frame.receiver = True, wanted[0] if wanted else None
                    wanted = wanted[1:]
        implicit = bool(row.flags & ARGUMENTS)
        for at, ((_, name, op), kind) in enumerate(zip(function.parameters, types, strict=True)):
            if implicit and given is not None and not wanted:
                continue  # there is no `it`
            frame.env[name] = kind if op >= 0 else wanted[at] if at < len(wanted) else None
        frame.declared = dict(frame.env)

    def _made_with(self, frame: KotlinFrame) -> None:
        """What the header of a class takes is seen where the class is made."""
        made = self.program.classes[frame.number]
        parent = frame.file.scopes[made.scope].parent
        for kind, name, op in made.header:
            each = self.names.type_of(frame.file, op, parent, made.scope) if op >= 0 else None
            frame.env[name] = ("a", each) if kind == Param.STAR else each
        frame.declared = dict(frame.env)

    def _run(self, frame: KotlinFrame, first: int, last: int) -> Body:
        file = frame.file
        ops, names, values = file.ops, file.names, self.values[file.number]
        callees = self._callees[file.number]
        outside = file.scopes[frame.scope].kind in (ScopeKind.CLASS, ScopeKind.MODULE)
        typed: list[tuple[int, int]] = []
        pending: list[int] = []
        for op in range(first, last):
            code, a, b, c, _, _ = ops[op]
            if code == Op.LOAD:
                if b == REFERENCE:
                    values[op] = ("r", None, names[a], op)
                    pending.append(op)
                elif b > 0:
                    typed.append((op, b))
                elif op not in callees:
                    values[op] = self.name(frame, op, names[a])
            elif code == Op.GETATTR:
                if c == REFERENCE:
                    values[op] = ("r", self.before(frame, a), names[b], op)
                    pending.append(op)
                elif c > 0:
                    typed.append((op, c))
                elif op not in callees:
                    values[op] = self.member(frame, op, a, names[b])
            elif code == Op.CALL:
                values[op] = yield from self._called(frame, op, a)
            elif code == Op.CONST:
                values[op] = _constant(file, a, b)
            elif code == Op.MAKE and a == Make.TEXT:
                values[op] = _constant(file, Const.STR, b)
            elif code == Op.STORE:
                yield from self._store(frame, op, outside=outside)
            elif code == Op.ANNOTATE:
                if not outside:
                    known = self.names.type_of(file, b, frame.scope)
                    frame.assigned(names[a])
                    frame.env[names[a]] = frame.declared[names[a]] = known
            elif code == Op.FUNCTION:
                if file.scopes[a].kind == ScopeKind.LAMBDA:
                    values[op] = ("f", a)
                    if file.scopes[a].flags & STATIC and outside:
                        yield from self._settled_as(frame, op, None, doubt=False)
                    else:
                        pending.append(op)
                elif not outside:
                    yield self.scope(file, a, frame, None)
                elif not self._probing:
                    self.work.append((a, self._around_members(frame), file))
                if outside:
                    typed = self._mention(frame, typed, a)
            elif code == Op.CLASS:
                number = file.classes[a]
                if not self._probing:
                    kept = self._around_members(frame) if outside else frame.kept()
                    self.work.append((a, kept, file))
                    self._bases(frame, op, number)
                if outside:
                    typed = self._mention(frame, typed, a)
                values[op] = self.names.own(number)
            elif code == Op.NARROW:
                kind = self.names.type_of(file, b, frame.scope)
                if a >= 0 and is_value(values[a]):
                    yield from self._settled_as(frame, a, kind, doubt=False)
                values[op] = kind
                if a >= 0 and self.carries(kind):
                    self.flow.where[file.number, op] = self.flow.of(file.number, a)
            elif code == Op.OPERATE:
                values[op] = self._operated(frame, op, a, b, names[c])
            elif code == Op.EITHER:
                for each in (a, b):
                    if is_value(values[each]):
                        yield from self._settled_as(frame, each, None, doubt=True)
                values[op] = common(self.signatures, [values[a], values[b]])
                if self.carries(values[op]):
                    for each in (a, b):
                        self.flow.move(self.flow.of(file.number, each), ("o", file.number, op))
            elif code == Op.ITER:
                values[op] = self._element(frame, op, values[a])
            elif code == Op.ELEMENT:
                values[op] = self._component(frame, op, values[a], b)
            elif code == Op.AWAIT:
                values[op] = self._delegated_value(frame, op, values[a])
            elif code == Op.GETITEM:
                if c < 0:
                    values[op] = self._item_of(frame, op, a, b)
            elif code == Op.RETURN:
                if a >= 0:
                    if is_value(values[a]):
                        yield from self._settled_as(frame, a, frame.result, doubt=False)
                    frame.results.append(values[a])
                    if self.carries(values[a]):
                        place = ("r", file.number, frame.scope)
                        self.flow.move(self.flow.of(file.number, a), place)
                self._leave(frame)
            elif code in (Op.RAISE, Op.BREAK, Op.CONTINUE):
                self._leave(frame)
            elif code == Op.SETATTR:
                yield from self._set(frame, a, names[b], c)
            elif code == Op.SETITEM:
                self._operator(frame, op, values[a], "set", keys(file, b, c))
            elif code in (Op.BRANCH, Op.LOOP):
                kind_of = b if code == Op.BRANCH else -1
                region = Region(dict(frame.env), dict(frame.narrow), kind_of)
                frame.regions.append(region)
            elif code == Op.ARM:
                self._arm(frame, a, b)
            elif code == Op.END:
                self._end(frame)
            elif code == Op.IMPORT and b >= 0 and not self._probing:
                self._import(frame, op)
        self._mention(frame, typed, -1)
        for op in pending:
            if is_value(values[op]):
                yield from self._settled_as(frame, op, None, doubt=False)
        return None

    def _around_members(self, frame: KotlinFrame) -> KotlinFrame:
        """The frame of a class, without what only the making of it sees."""
        return KotlinFrame(frame.file, frame.scope, frame.parent, {}, frame.number)


def _callees(file: File) -> frozenset[int]:
    """Operations that are called, below type arguments too."""
    found = set(file.callees)
    for at in file.callees:
        code, a, _, mark, _, _ = file.ops[at]
        if code == Op.GETITEM and mark > 0:
            found.add(a)
    return frozenset(found)


def _constant(file: File, kind: int, text: int) -> Type:
    if kind == Const.OTHER and text >= 0 and file.names[text] == "void":
        return None
    return constant(file, kind, text)
