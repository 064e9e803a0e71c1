"""Kotlin, and Java beside it: what code does, evaluated with what its values are known to be.

Files of Java are evaluated as everywhere; both see the classes of each other. Types that nobody
writes (of properties, of functions that are an expression) are found in rounds before, so that
what a file says does not depend on which one is looked at first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, cast

from grainline.graph.results import Graph
from grainline.graph.rules.base import Platform
from grainline.graph.typed.edges import collect
from grainline.graph.typed.facts import FLOWED, RESOLVED, UNSURE
from grainline.graph.typed.flow import Flow
from grainline.graph.typed.frames import Frame, Target
from grainline.graph.typed.kotlin_calls import KotlinCalls, Meant, constructs
from grainline.graph.typed.kotlin_frames import KotlinFrame, Region, Way
from grainline.graph.typed.kotlin_library import UNIT, KotlinLibrary, function_type
from grainline.graph.typed.kotlin_members import KotlinMembers
from grainline.graph.typed.kotlin_names import KotlinNames, Roots, is_kotlin
from grainline.graph.typed.kotlin_overloads import TRAILING, Fit, Given, KotlinSignatures, said
from grainline.graph.typed.operators import common, constant, operate
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import Class, File, Function, Program
from grainline.graph.typed.references import Body
from grainline.graph.typed.types import BOOLEAN, NULL, STRING, Type, cut, substitute
from grainline.graph.world import Unit
from grainline.languages.modules.base import Modules
from grainline.model.edge import EdgeType, Method, Why
from grainline.model.ir import (
    ARGUMENTS,
    ASSIGNS,
    OVERRIDE,
    PRIVATE,
    REFERENCE,
    STATIC,
    Arm,
    Branch,
    Const,
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


class KotlinBodies(KotlinCalls):
    """The evaluation of all bodies."""

    def __init__(self, members: KotlinMembers) -> None:
        super().__init__(members)
        self._probing = False
        self._callees: list[frozenset[int]] = [_callees(file) for file in self.program.files]

    # -------------------------------------------------------------------------- inference

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

    # -------------------------------------------------------------------------- scopes

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
            function.result = cut(result)
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

    # -------------------------------------------------------------------------- operations

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
                if a >= 0 and _is_function(values[a]):
                    yield from self._settled_as(frame, a, kind, doubt=False)
                values[op] = kind
                if a >= 0 and self.carries(kind):
                    self.flow.where[file.number, op] = self.flow.of(file.number, a)
            elif code == Op.OPERATE:
                values[op] = self._operated(frame, op, a, b, names[c])
            elif code == Op.EITHER:
                for each in (a, b):
                    if _is_function(values[each]):
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
                    if _is_function(values[a]):
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
                self._operator(frame, op, values[a], "set", _keys(file, b, c))
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
            if _is_function(values[op]):
                yield from self._settled_as(frame, op, None, doubt=False)
        return None

    def _around_members(self, frame: KotlinFrame) -> KotlinFrame:
        """The frame of a class, without what only the making of it sees."""
        return KotlinFrame(frame.file, frame.scope, frame.parent, {}, frame.number)

    # -------------------------------------------------------------------------- branches

    def _arm(self, frame: KotlinFrame, kind: int, test: int) -> None:
        region = frame.regions[-1]
        frame.env, frame.narrow = dict(region.env), dict(region.narrow)
        if region.branch != Branch.IF:
            return
        known = [(each, False) for each, _ in region.tests]
        if test >= 0:
            known.append((test, True))
        for each, truth in known:
            self._assume(frame, each, truth=truth)
        if kind == Arm.AFTER:
            return
        region.otherwise = region.otherwise or test < 0
        region.ways.append(Way(known))
        if test >= 0:
            region.tests.append((test, True))

    def _leave(self, frame: KotlinFrame) -> None:
        if frame.regions and frame.regions[-1].ways:
            frame.regions[-1].ways[-1].leaves = True

    def _end(self, frame: KotlinFrame) -> None:
        region = frame.regions.pop()
        frame.env, frame.narrow = region.env, region.narrow
        if region.branch != Branch.IF or not region.ways:
            return
        going = [way for way in region.ways if not way.leaves]
        if not region.otherwise:
            going.append(Way([(test, False) for test, _ in region.tests]))
        if len(going) == 1:
            for test, truth in going[0].tests:
                self._assume(frame, test, truth=truth)
        elif not going:
            self._leave(frame)

    def _assume(self, frame: KotlinFrame, test: int, *, truth: bool) -> None:
        """What holds when a condition does, or does not."""
        file = frame.file
        open_ = [(test, truth)]
        while open_:
            op, wanted = open_.pop()
            code, a, b, c, _, _ = file.ops[op]
            if code != Op.OPERATE:
                continue
            word = file.names[c]
            if word == "!" and b < 0:
                open_.append((a, not wanted))
            elif word == ("&&" if wanted else "||"):
                open_ += [(b, wanted), (a, wanted)]
            elif word == ("is" if wanted else "!is"):
                path = self.path(file, a)
                kind = self.names.type_of(file, b, frame.scope)
                if path and kind is not None:
                    frame.narrow[path] = kind

    # -------------------------------------------------------------------------- variables

    def _store(self, frame: KotlinFrame, op: int, *, outside: bool) -> Body:
        file = frame.file
        _, a, b, assigns, _, _ = file.ops[op]
        name, values = file.names[a], self.values[file.number]
        before = file.ops[op - 1]
        declared = before[0] == Op.ANNOTATE and before[1] == a
        if file.ops[b][0] == Op.IMPORT or (not declared and _is_defined(file, b)):
            return None
        if assigns == ASSIGNS:
            yield from self._assign(frame, name, b)
            return None
        written = declared and file.ops[before[2]][0] != Op.CONST
        wanted = self.names.type_of(file, before[2], frame.scope) if written else None
        if _is_function(values[b]):
            yield from self._settled_as(frame, b, wanted, doubt=False)
        kind = values[b]
        if not written:
            wanted = None if kind is not None and (kind[0] in "frtks" or kind == NULL) else kind
        if not outside:
            frame.env[name] = frame.declared[name] = wanted
        elif not written:
            self.members.inferred[file.number, b] = cut(wanted)
        if self.carries(kind) or self.carries(wanted):
            place = self._place_of(frame, name, outside=outside)
            self.flow.move(self.flow.of(file.number, b), place)
        return None

    def _place_of(self, frame: KotlinFrame, name: str, *, outside: bool) -> tuple[Any, ...]:
        """What holds the value of a declared variable or property."""
        if not outside:
            return ("v", frame.file.number, frame.scope, name)
        return ("f", frame.number, name) if frame.number >= 0 else ("g", frame.file.number, name)

    def _assign(self, frame: KotlinFrame, name: str, b: int) -> Body:
        file = frame.file
        wanted, place = self._assigned(frame, name)
        if _is_function(self.values[file.number][b]):
            yield from self._settled_as(frame, b, wanted, doubt=wanted is None)
        if place is not None and self.carries(self.values[file.number][b]):
            self.flow.move(self.flow.of(file.number, b), place)
        frame.assigned(name)
        return None

    def _assigned(self, frame: KotlinFrame, name: str) -> tuple[Type, tuple[Any, ...] | None]:
        for level in self.levels(frame):
            if level.frame is not None:
                if name in level.frame.env:
                    at = level.frame
                    return at.declared.get(name), ("v", at.file.number, at.scope, name)
                continue
            found = self.members.field(level.receiver, name)
            if found is not None:
                return found[1], ("f", found[0].number, name)
        file = frame.file
        if name in file.values:
            return self.members.declared(file, file.values[name], 0), ("g", file.number, name)
        return None, None

    def _set(self, frame: KotlinFrame, a: int, name: str, c: int) -> Body:
        values = self.values[frame.file.number]
        owner = values[a]
        field = self.members.field(owner, name)
        if _is_function(values[c]):
            wanted = field[1] if field is not None else None
            yield from self._settled_as(frame, c, wanted, doubt=field is None)
        if field is not None and self.carries(values[c]):
            place = ("f", field[0].number, name)
            self.flow.move(self.flow.of(frame.file.number, c), place)
        path = self.path(frame.file, a)
        if path:
            frame.narrow.pop((*path, name), None)
        return None

    # -------------------------------------------------------------------------- calls

    def _called(self, frame: KotlinFrame, op: int, a: int) -> Body:
        """A call: its edges, the functions that it passes, what it gives."""
        meant, given = self.meant(frame, op, a)
        values = self.values[frame.file.number]
        self._said(frame, op, meant)
        fit = meant.fits[0] if len(meant.fits) == 1 else None
        bound: dict[tuple[Any, str], Type] = {}
        if fit is not None:
            bound = self._bound(fit, given)
        elif meant.shape is not None:
            bound = dict(meant.shape.bindings)
        label = self._callee_name(frame.file, a)
        for at, op_of in enumerate(given.ops):
            if not _is_function(values[op_of]):
                continue
            wanted = self._wanted(meant, fit, given, at)
            doubt = self._may_be_called_on(meant, fit, given, at)
            own = cut(self._erase(substitute(wanted, bound)))
            result = yield from self._settled_as(frame, op_of, own, doubt=doubt, label=label)
            shape = self.signatures.functional(self.names.erased(wanted)) if wanted else None
            if shape is not None:
                inner = substitute(self.signatures.result(shape.function), shape.bindings)
                self.unify(inner, result, bound)
        self._flows(frame, op, meant, fit, given)
        return self._gives(frame, op, meant, given, bound)

    def _callee_name(self, file: File, a: int) -> str:
        while file.ops[a][0] == Op.GETITEM:
            a = file.ops[a][1]
        code, x, y, _, _, _ = file.ops[a]
        return file.names[x] if code == Op.LOAD else file.names[y] if code == Op.GETATTR else ""

    def _said(self, frame: KotlinFrame, op: int, meant: Meant) -> None:
        """Edges of a call, or why there are none."""
        if self._probing:
            return
        tier = self.tier(frame, meant)
        inside = [fit for fit in meant.fits if fit.each.function.unit >= 0]
        for fit in inside:
            place = (fit.each.function.unit, fit.each.function.scope)
            self.fact(EdgeType.CALLS, frame, op, place, meant.method, tier)
        self.instantiated(frame, op, meant)
        made = meant.kind is not None and meant.kind[0] == "c"
        header = any(constructs(fit.each.function) for fit in meant.fits)
        silent = meant.why is Why.NATIVE and (made or not meant.name)
        if not inside and not header and not silent:
            self.leaves[frame.file.number, op] = (frame.scope, meant.name, meant.why)

    def _bound(self, fit: Fit, given: Given) -> dict[tuple[Any, str], Type]:
        """What variables stand for, by the arguments that are no functions."""
        function = fit.each.function
        bound = dict(fit.each.bindings)
        bound.update(said(function, given.explicit))
        types = self.signatures.types(function)
        for number, kind, met, word in zip(
            fit.order, given.kinds, fit.types, given.words, strict=True
        ):
            if kind is not None and kind[0] not in "fr" and word != "*":
                wanted = types[number]
                if met is not None and wanted is not None and wanted[0] == "a" and kind[0] != "a":
                    wanted = wanted[1] if fit.expanded else wanted
                self.unify(wanted, kind, bound)
        return bound

    def _wanted(self, meant: Meant, fit: Fit | None, given: Given, at: int) -> Type:
        """The type that a parameter has which an argument meets."""
        if fit is not None:
            types = self.signatures.types(fit.each.function)
            wanted = types[fit.order[at]]
            if fit.expanded and wanted is not None and wanted[0] == "a":
                wanted = wanted[1]
            return wanted
        if meant.fits:
            shapes = {
                str(kind[1])[:12] if kind is not None and kind[0] == "x" else ""
                for each in meant.fits
                for kind in (each.types[at],)
            }
            if len(shapes) == 1:
                first = meant.fits[0].types[at]
                return first if all(each.types[at] == first for each in meant.fits) else None
            return None
        if meant.shape is not None:
            if meant.kind is not None and meant.place < 0:
                return meant.kind  # `Interface { ... }`
            types = self.signatures.types(meant.shape.function)
            if given.words[at] == TRAILING:
                return types[-1] if types else None
            return types[at] if at < len(types) else None
        return None

    def _may_be_called_on(self, meant: Meant, fit: Fit | None, given: Given, at: int) -> bool:
        """Whether a function that is passed may run on something that is not known."""
        if meant.known:
            return False
        wanted = self.names.erased(self._wanted(meant, fit, given, at))
        if wanted is None:
            return True
        if wanted[0] == "x":
            return not str(wanted[1]).startswith(("kotlin.Function", "java."))
        return False

    def _flows(
        self, frame: KotlinFrame, op: int, meant: Meant, fit: Fit | None, given: Given
    ) -> None:
        """Functions that a call passes and gives."""
        unit = frame.file.number
        values = self.values[unit]
        if meant.shape is not None and meant.place >= 0:
            self.flow.call(self.flow.of(unit, meant.place), unit, frame.scope, op)
        elif meant.shape is not None:
            for at in given.ops:  # `Interface { ... }` is what is passed
                self.flow.move(self.flow.of(unit, at), ("o", unit, op))
        if fit is None or fit.each.function.unit < 0:
            self._flows_into_class(frame, meant, fit, given)
            return
        function = fit.each.function
        for number, at in zip(fit.order, given.ops, strict=True):
            if self.carries(values[at]) or _is_function(values[at]):
                place = ("v", function.unit, function.scope, function.parameters[number][1])
                self.flow.move(self.flow.of(unit, at), place)
        callee = frame.file.ops[frame.file.ops[op][1]]
        if function.abstract and callee[0] == Op.GETATTR:
            owner = values[callee[1]]
            if self.carries(owner):
                self.flow.call(self.flow.of(unit, callee[1]), unit, frame.scope, op)
        if not constructs(function) and self.carries(self.signatures.result(function)):
            self.flow.where[unit, op] = ("r", function.unit, function.scope)

    def _flows_into_class(
        self, frame: KotlinFrame, meant: Meant, fit: Fit | None, given: Given
    ) -> None:
        """What the header of a class takes becomes its properties, and what its making sees."""
        if fit is None or not constructs(fit.each.function) or meant.kind is None:
            return
        unit = frame.file.number
        made = self.program.classes[fit.each.function.owner]
        for number, at in zip(fit.order, given.ops, strict=True):
            if self.carries(self.values[unit][at]):
                name = fit.each.function.parameters[number][1]
                source = self.flow.of(unit, at)
                self.flow.move(source, ("v", made.unit, made.scope, name))
                if name in made.fields:
                    self.flow.move(source, ("f", made.number, name))

    def _gives(
        self,
        frame: KotlinFrame,
        op: int,
        meant: Meant,
        given: Given,
        bound: dict[tuple[Any, str], Type],
    ) -> Type:
        """The type of the result of a call."""
        if meant.shape is not None and meant.place >= 0:
            result = self.signatures.result(meant.shape.function)
            return cut(self._erase(substitute(result, meant.shape.bindings)))
        if meant.fits and not all(constructs(fit.each.function) for fit in meant.fits):
            results: list[Type] = []
            for fit in meant.fits[:4]:
                mine = bound if len(meant.fits) == 1 else self._bound(fit, given)
                results.append(self._result_of(fit.each.function, mine))
            if len(meant.fits) > 1 and (
                len(meant.fits) > 4 or any(r != results[0] for r in results)
            ):
                return None
            return self._known_result(frame, op, given, results[0])
        if meant.kind is None:
            return meant.gives
        return self._instance_of(meant.kind, meant, given, bound)

    def _known_result(self, frame: KotlinFrame, op: int, given: Given, kind: Type) -> Type:
        """What functions of the library give that say it by a type argument."""
        name = self._callee_name(frame.file, frame.file.ops[op][1])
        if name == "filterIsInstance" and given.explicit and kind is not None:
            return (kind[0], kind[1], given.explicit[:1])
        if kind is not None and len(given.explicit) == 1 and name in _COLLECTIONS:
            return (kind[0], kind[1], given.explicit)
        return kind

    def _result_of(self, function: Function, bound: dict[tuple[Any, str], Type]) -> Type:
        result = self.signatures.result(function)
        if result is None:
            return None
        if function.unit >= 0:
            key = (function.unit, function.scope)
            for name, _ in function.variables:
                bound.setdefault((key, name), None)
        return cut(self._erase(substitute(result, bound)))

    def _instance_of(
        self, kind: Type, meant: Meant, given: Given, bound: dict[tuple[Any, str], Type]
    ) -> Type:
        if kind is None or kind[0] != "c":
            return kind
        names = list(dict.fromkeys(name for name, _ in self.program.of(kind).variables))
        if not names:
            return kind
        if len(given.explicit) == len(names):
            return ("c", kind[1], given.explicit)
        del meant
        return ("c", kind[1], tuple(bound.get((kind[1], name)) for name in names))

    # -------------------------------------------------------------------------- functions

    def _settled_as(
        self, frame: KotlinFrame, op: int, kind: Type, *, doubt: bool, label: str = ""
    ) -> Body:
        """Evaluate a function without a name, or a reference, as a value of some type."""
        file = frame.file
        values = self.values[file.number]
        value = values[op]
        if value is None or value[0] not in "fr":
            return None
        shape = self.signatures.functional(self.names.erased(kind)) if kind is not None else None
        if value[0] == "r":
            values[op] = kind
            result = self._referred(frame, op, value, shape)
            return result
        self.flow.made(file.number, op, (file.number, value[1]))
        unknown = doubt and shape is None
        result = yield self._scope(file, value[1], frame, shape, doubt=unknown, label=label)
        values[op] = kind if shape is not None else self._type_of_function(file, value[1], result)
        return result

    def _type_of_function(self, file: File, scope: int, result: Type) -> Type:
        function = file.functions.get(scope)
        if function is None or file.scopes[scope].flags & ARGUMENTS or function.receiver >= 0:
            return None
        return function_type(list(self.signatures.types(function)), function.result or result)

    def _referred(
        self, frame: KotlinFrame, op: int, value: tuple[Any, ...], shape: Candidate | None
    ) -> Type:
        """The function that `::f` or `A::f` means for a target; its result."""
        owner, name = value[1], value[2]
        given: list[Type] | None = None
        if shape is not None:
            given = [
                self._erase(substitute(kind, shape.bindings))
                for kind in self.signatures.types(shape.function)
            ]
        found, sure = self._functions_of(frame, owner, name)
        if given is not None and len(found) > 1:
            found = self._that_take(found, owner, given)
        tier = RESOLVED if sure and len(found) == 1 else UNSURE
        if self._probing:
            tier = UNSURE
        for each in found:
            if each.function.unit >= 0:
                place = (each.function.unit, each.function.scope)
                self.fact(EdgeType.REFERENCES, frame, op, place, Method.SCOPE, tier)
                if tier == RESOLVED:
                    self.flow.made(frame.file.number, op, place)
            elif constructs(each.function) and each.function.owner >= 0:
                target = self.place(each.function.owner)
                self.fact(EdgeType.REFERENCES, frame, op, target, Method.SCOPE, tier)
        if len(found) != 1:
            return None
        if constructs(found[0].function):
            return self.names.raw(found[0].function.owner)
        return self._result_of(found[0].function, dict(found[0].bindings))

    def _that_take(self, found: list[Candidate], owner: Type, given: list[Type]) -> list[Candidate]:
        static = owner is not None and owner[0] == "t"
        for kinds in (given[1:], given) if static and given else (given,):
            none: list[int | None] = [None] * len(kinds)
            fits = self.signatures.fits(found, Given([], kinds, none, [""] * len(kinds)))
            if fits:
                return [fit.each for fit in fits]
        return found

    def _functions_of(
        self, frame: KotlinFrame, owner: Type, name: str
    ) -> tuple[list[Candidate], bool]:
        """All functions that a reference may mean, and whether nothing else can."""
        if owner is not None:
            kind = owner[1] if owner[0] == "t" else owner
            kind = self.names.erased(self._super(kind[1]) if kind and kind[0] == "s" else kind)
            if kind is None or kind[0] not in "cx":
                return [], False
            found = [e for e in self.members.methods(kind, name).candidates if e.function.unit >= 0]
            if self.members.field(kind, name) is not None:
                return [], False
            if not found and kind[0] == "c":
                inner = self.names.nested(self.program.of(kind), name)
                if inner >= 0:
                    return self._constructors_of(inner), True
            for more in self._extensions(frame, kind, name) if not found else ():
                if more:
                    return more, not self.names.open(kind) or kind[0] == "x"
            return found, True
        for level in self.levels(frame):
            if level.frame is not None:
                if name in level.frame.env:
                    return [], False
                inside = self._inside.get((level.frame.file.number, level.frame.scope), {})
                if name in inside:
                    return [Candidate(each, {}) for each in inside[name]], True
                continue
            kind = self.names.erased(level.receiver)
            if kind is None or kind[0] != "c":
                continue
            if self.members.field(kind, name) is not None:
                return [], False
            found = self.members.methods(kind, name).candidates
            if found:
                return [e for e in found if e.function.unit >= 0], not level.doubt
        return self._functions_of_package(frame, name)

    def _functions_of_package(self, frame: KotlinFrame, name: str) -> tuple[list[Candidate], bool]:
        file = frame.file
        lexical = self.names.lexical(file, frame.scope, name)
        if lexical is not None and lexical[0] == "c":
            return self._constructors_of(lexical[1]), True
        for level in self.names.modules_of(file, name):
            together: list[Candidate] = []
            for module, word in level:
                if self.names.value(file, module, word):
                    return [], False
                for functions in self.names.functions(file, module, word):
                    together += [Candidate(each, {}) for each in functions if each.receiver < 0]
                    break
                number = self.names.in_package(file, module, word)
                if number is not None and number >= 0:
                    together += self._constructors_of(number)
            if together:
                return together, not self._doubt(frame)
        return [], False

    # -------------------------------------------------------------------------- operators

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
        found = self._operator(frame, op, kind, "get", _keys(frame.file, b))
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

    # -------------------------------------------------------------------------- declarations

    def _bases(self, frame: Frame, op: int, number: int) -> None:
        made = self.program.classes[number]
        if not self.names.of_kotlin(number):
            super()._bases(frame, op, number)
            return
        for kind, (base, _) in zip(made.supers, made.bases, strict=True):
            if kind is None or kind[0] != "c" or kind[1] == number:
                continue
            implements = self.program.of(kind).interface and not made.interface
            what = EdgeType.IMPLEMENTS if implements else EdgeType.INHERITS
            self.fact(what, frame, base, self.place(kind[1]), Method.SCOPE, RESOLVED, made.scope)

    def _super(self, number: int) -> Type:
        made = self.program.classes[number]
        if not self.names.of_kotlin(number):
            return super()._super(number)
        for kind, (_, port) in zip(made.supers, made.bases, strict=True):
            if kind is not None and kind[0] == "c" and not self.program.of(kind).interface:
                return kind
            if port == 0 and kind is not None and kind[0] != "c":
                return kind
        kinds = [kind for kind in made.supers if kind is not None]
        return kinds[0] if len(kinds) == 1 else super()._super(number)

    def _import(self, frame: KotlinFrame, op: int) -> None:
        file = frame.file
        _, a, b, _, _, _ = file.ops[op]
        module, name = file.names[a], file.names[b]
        kind = self.names.member_type(file, module, name)
        if kind is not None and kind[0] == "c":
            self.fact(EdgeType.IMPORTS, frame, op, self.place(kind[1]), Method.SCOPE, RESOLVED)
        for functions in self.names.functions(file, module, name):
            for each in functions:
                place = (each.unit, each.scope)
                self.fact(EdgeType.IMPORTS, frame, op, place, Method.SCOPE, RESOLVED)
            break
        outer = self.names.dotted(file, module)
        if outer >= 0:
            inside = self.members.methods(self.names.raw(outer), name).candidates
            for each_of in inside:
                if each_of.function.unit >= 0:
                    place = (each_of.function.unit, each_of.function.scope)
                    self.fact(EdgeType.IMPORTS, frame, op, place, Method.SCOPE, RESOLVED)

    def may_override(self, function: Function, other: Class) -> bool:
        """What overrides says so; Java needs no word."""
        file = self.program.files[function.unit]
        if not is_kotlin(file):
            return True
        del other
        return bool(function.flags & OVERRIDE) and not function.flags & PRIVATE

    # -------------------------------------------------------------------------- seen from Java

    def _constructors(self, kind: Type) -> Target:
        target = super()._constructors(kind)
        if kind is not None and kind[0] == "c" and self.names.of_kotlin(kind[1]):
            return target._replace(candidates=self.members.constructors(kind[1]))
        return target

    def method(self, frame: Frame, owner: Type, name: str) -> Target:
        """What a call of Java means: of a class of Kotlin, the object that stands for it too."""
        target = super().method(frame, owner, name)
        if target.candidates or owner is None or owner[0] != "t":
            return target
        kind = owner[1]
        if kind is None or kind[0] != "c" or kind[1] not in self.names.companions:
            return target
        companion = self.names.raw(self.names.companions[kind[1]])
        found = self.members.methods(companion, name)
        return self._found(found, name, Method.SCOPE) if found.candidates else target

    def _generated(self, made: Class, name: str) -> bool:
        """Whether the language makes a method: what reads and sets properties, parts of data."""
        if super()._generated(made, name):
            return True
        if not self.names.of_kotlin(made.number):
            return False
        if name == "copy" or name.startswith("component"):
            return True
        word = name.removeprefix("get").removeprefix("set")
        return word != name and word[:1].lower() + word[1:] in made.fields


def _callees(file: File) -> frozenset[int]:
    """Operations that are called, below type arguments too."""
    found = set(file.callees)
    for at in file.callees:
        code, a, _, mark, _, _ = file.ops[at]
        if code == Op.GETITEM and mark > 0:
            found.add(a)
    return frozenset(found)


def _is_function(kind: Type) -> bool:
    return kind is not None and kind[0] in "fr"


def _is_defined(file: File, op: int) -> bool:
    """Whether an operation defines a class or function that has a name."""
    code, a, _, _, _, _ = file.ops[op]
    return code == Op.CLASS or (code == Op.FUNCTION and file.scopes[a].kind == ScopeKind.FUNCTION)


def _keys(file: File, key: int, value: int = -1) -> list[int]:
    """The arguments of `a[b, c]`, and what is set there."""
    code, _, first, count, _, _ = file.ops[key]
    keys = [key]
    if code == Op.MAKE:
        keys = [at for _, _, at in file.ports[first : first + count]]
    return [*keys, value] if value >= 0 else keys


def _constant(file: File, kind: int, text: int) -> Type:
    if kind == Const.OTHER and text >= 0 and file.names[text] == "void":
        return None
    return constant(file, kind, text)


_WORDS: Final = {
    "+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem", "..": "rangeTo", "..<": "rangeUntil",
}  # fmt: skip
_COMPARED: Final = frozenset({"<", ">", "<=", ">="})
_COLLECTIONS: Final = frozenset(
    {"listOf", "mutableListOf", "setOf", "mutableSetOf", "emptyList", "emptySet", "arrayListOf", "emptyArray",
     "hashSetOf", "linkedSetOf", "sequenceOf", "emptySequence", "mapOf", "mutableMapOf", "arrayOf"}
)  # fmt: skip
