"""C#: what calls and names mean there that mean something else in Java."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, cast

from grainline.graph.results import Graph
from grainline.graph.rules.base import Platform
from grainline.graph.typed.bodies import Bodies
from grainline.graph.typed.csharp_members import CsharpMembers
from grainline.graph.typed.csharp_names import CsharpNames, PartLibrary, Visible
from grainline.graph.typed.csharp_overloads import CsharpSignatures
from grainline.graph.typed.edges import collect
from grainline.graph.typed.facts import FLOWED, RESOLVED, UNSURE
from grainline.graph.typed.frames import Frame, Target
from grainline.graph.typed.overloads import YES, Candidate
from grainline.graph.typed.program import INIT, Class, File, Function, Program
from grainline.graph.typed.references import Body
from grainline.graph.typed.types import BOOLEAN, OBJECT, STRING, Type, cut, substitute
from grainline.graph.units import Unit
from grainline.languages.modules.base import Modules
from grainline.languages.modules.csharp import is_test
from grainline.model.edge import EdgeType, Method, Why
from grainline.model.ir import (
    ABSTRACT,
    ARGUMENTS,
    ASYNC,
    OVERRIDE,
    PRIVATE,
    REFERENCE,
    Const,
    Op,
    Port,
    ScopeKind,
)


def attribute(units: list[Unit], platform: Platform, modules: Modules) -> Graph:
    """The graph of the files of a component, in the order of their paths."""
    program = Program(units)
    names = CsharpNames(program, _library(platform.library), platform, cast("Visible", modules))
    bodies = CsharpBodies(CsharpMembers(CsharpSignatures(names)))
    bodies.run()
    for key, (scope, name, why) in bodies.leaves.items():
        bodies.leaves[key] = (scope, _shown(name), why)
    cuts = bodies.flow.run()
    tests = [is_test(file.path) for file in program.files]
    for fact, tier in list(bodies.facts.items()):
        if tier == FLOWED and tests[fact.target[0]] and not tests[fact.unit]:
            del bodies.facts[fact]  # what tests pass on is no reason to call it from elsewhere
    return collect(bodies, cuts)


@cache
def _library(text: str) -> PartLibrary:
    return PartLibrary(text)


def _shown(name: str) -> str:
    """The name of something external as C# has it."""
    for ours, theirs in ((OBJECT, "System.Object"), (STRING, "System.String")):
        if name == ours[1] or name.startswith(f"{ours[1]}."):
            return theirs + name[len(ours[1]) :]
    return name


class CsharpBodies(Bodies):
    """The evaluation of all bodies."""

    names: CsharpNames
    members: CsharpMembers
    signatures: CsharpSignatures

    def __init__(self, members: CsharpMembers) -> None:
        super().__init__(members)
        self._explicit: dict[tuple[int, int], tuple[Type, ...]] = {}
        self._delegates: dict[tuple[int, int], Candidate] = {}
        self._local: dict[tuple[int, int], dict[str, list[Function]]] = {}
        for file in self.program.files:
            for scope, function in file.functions.items():
                row = file.scopes[scope]
                around = file.scopes[row.parent].kind
                if row.kind == ScopeKind.FUNCTION and around != ScopeKind.CLASS:
                    inside = self._local.setdefault((file.number, row.parent), {})
                    inside.setdefault(function.name, []).append(function)

    # -------------------------------------------------------------------------- names

    def variable(self, frame: Frame, op: int, name: str) -> Type:
        """What a name that is read holds: a method that is named is a function."""
        if name in {"this", "super"}:
            return super().variable(frame, op, name)
        at: Frame | None = frame
        while at is not None:
            if at.number < 0:
                if name in at.env:
                    kind = at.env[name]
                    if self.carries(kind):
                        self.flow.where[frame.file.number, op] = (
                            "v", at.file.number, at.scope, name,
                        )  # fmt: skip
                    return kind
                local = self._local.get((at.file.number, at.scope), {}).get(name)
                if local:
                    return ("r", ("l", at.file.number, at.scope), name, op)
            else:
                own = self.names.own(at.number)
                found = self.members.field(own, name)
                if found is not None:
                    self._read(frame, op, found, name)
                    return found[1]
                if self.members.methods(own, name).candidates:
                    return ("r", own, name, op)
            at = at.parent
        return self._outer(frame, name)

    def _outer(self, frame: Frame, name: str) -> Type:
        kind = self.names.named(frame.file, frame.scope, name)
        if kind is not None and (kind[0] != "x" or kind[1] != name):
            return kind if kind[0] == "k" else ("t", kind)
        for owner in self._statics(frame):
            found = self.members.field(owner, name)
            if found is not None:
                return found[1]
        return kind if kind is None else ("t", kind)

    def _statics(self, frame: Frame) -> list[Type]:
        """Classes whose members need no class before them."""
        file = frame.file
        found: list[Type] = []
        space = self.names.namespace(file, frame.scope)
        while True:
            for module in self.names.used(file, space):
                number = self.names.dotted(file, module)
                if number >= 0 and not self.names.visible.is_package(module):
                    found.append(self.names.raw(number))
            if not space:
                return found
            space = space.rpartition(".")[0]

    def attribute(self, frame: Frame, op: int, a: int, name: str) -> Type:
        """A member that is read."""
        file = frame.file
        owner = self._value(frame, a)
        if name == "class":
            return ("x", "System.Type", ())
        if owner is None:
            return None
        if owner[0] == "a":
            return ("p", "int") if name in {"Length", "Rank"} else None
        if owner[0] in "fr":
            return None
        if owner[0] == "t":
            inner = owner[1]
            if inner is None or inner[0] in "pa":
                return None
            found = self.members.field(inner, name) if inner[0] == "c" else None
            if found is not None:
                self._read(frame, op, found, name)
                return found[1]
            if inner[0] == "c" and self.members.methods(inner, name).candidates:
                return ("r", inner, name, op)
            kind = self.names.inside(file, inner, name)
            return ("t", kind) if kind is not None else None
        if owner[0] == "k":
            return super().attribute(frame, op, a, name)
        if owner[0] == "s":
            owner = self._super(owner[1])
        owner = self.names.erased(owner)
        found = self.members.field(owner, name)
        if found is not None:
            self._read(frame, op, found, name)
            return found[1]
        if owner is not None and owner[0] == "c":
            if self.members.methods(owner, name).candidates:
                return ("r", owner, name, op)
            return None
        return self._of_platform(owner, name)

    def _value(self, frame: Frame, op: int) -> Type:
        """The type of a value, or the type that stands where a value could."""
        code, _, b, c, _, _ = frame.file.ops[op]
        mark = b if code == Op.LOAD else c if code in (Op.GETATTR, Op.GETITEM) else 0
        if 0 < mark < REFERENCE:
            return ("t", self.names.type_of(frame.file, op, frame.scope))
        return self.values[frame.file.number][op]

    def _of_platform(self, owner: Type, name: str) -> Type:
        """Properties of what is not there."""
        if owner is None:
            return None
        if owner == STRING:
            return ("p", "int") if name == "Length" else None
        if owner[0] != "x":
            return None
        for each in self.names.supers(owner):
            at = _PROPERTIES.get((str(each[1]).rpartition(".")[2], name), -1)
            if 0 <= at < len(each[2]):
                found: Type = each[2][at]
                return found
        return ("p", "int") if name == "Count" and len(self.names.supers(owner)) > 2 else None

    # -------------------------------------------------------------------------- calls

    def _call(self, frame: Frame, op: int, a: int) -> Target:
        file = frame.file
        code, x, y, _, _, _ = file.ops[a]
        if code == Op.GETITEM and file.ops[a][3] > 0:
            self._explicit[file.number, op] = self._type_arguments(frame, y)
            a = x
            code, x, y, _, _, _ = file.ops[a]
        count = file.ops[op][3]
        if code == Op.LOAD:
            name = file.names[x]
            if name in {"this", "super"}:
                return self._delegated(frame, name)
            return self._named_call(frame, op, a, name, count)
        if code == Op.GETATTR:
            return self._member_call(frame, op, a, self._value(frame, x), file.names[y])
        return self._of_delegate(frame, op, a, self.values[file.number][a], "")

    def _type_arguments(self, frame: Frame, key: int) -> tuple[Type, ...]:
        file = frame.file
        code, kind, first, count, _, _ = file.ops[key]
        keys = [key]
        if code == Op.MAKE:
            keys = [value for _, _, value in file.ports[first : first + count]]
        del kind
        return tuple(self.names.type_of(file, each, frame.scope) for each in keys)

    def _named_call(self, frame: Frame, op: int, a: int, name: str, count: int) -> Target:
        at: Frame | None = frame
        opened = ""
        while at is not None:
            if at.number < 0:
                if name in at.env:
                    return self._of_delegate(frame, op, a, self.variable(frame, a, name), name)
                local = self._local.get((at.file.number, at.scope), {}).get(name)
                if local:
                    return Target(
                        [Candidate(each, {}) for each in local], "", Why.DYNAMIC, Method.SCOPE
                    )
            else:
                own = self.names.own(at.number)
                found = self.members.methods(own, name)
                if found.candidates:
                    return self._found(found, name, Method.SCOPE)
                if self.members.field(own, name) is not None:
                    return self._of_delegate(frame, op, a, self.variable(frame, a, name), name)
                if found.open and not opened:
                    opened = self.names.outside(at.number)[0]
            at = at.parent
        del count
        if opened:
            return Target([], f"{opened}.{name}", Why.EXTERNAL)
        found_in = [
            found
            for owner in self._statics(frame)
            if (found := self.members.methods(owner, name)).candidates
        ]
        if found_in:
            together = [each for found in found_in for each in found.candidates]
            return Target(together, "", Why.DYNAMIC, Method.SCOPE)
        if self.names.library.methods(OBJECT, name):
            return Target([], f"{OBJECT[1]}.{name}", Why.EXTERNAL)
        return Target([], name, Why.MISSING)

    def _of_delegate(self, frame: Frame, op: int, a: int, kind: Type, name: str) -> Target:
        """A call of a value: whatever function arrives there runs."""
        unit = frame.file.number
        kind = self.names.erased(kind)
        shape = self.signatures.functional(kind) if kind is not None else None
        if shape is not None:
            self._delegates[unit, op] = shape
            self.flow.call(self.flow.of(unit, a), unit, frame.scope, op)
        return Target([], name, Why.DYNAMIC)

    def _member_call(self, frame: Frame, op: int, a: int, owner: Type, name: str) -> Target:
        file = frame.file
        if owner is None:
            return Target([], name, Why.DYNAMIC)
        if name == "Invoke" and owner[0] in "cxv":
            kind = self.names.erased(owner)
            if kind is not None and self.signatures.functional(kind) is not None:
                return self._of_delegate(frame, op, file.ops[a][1], kind, name)
        static = owner[0] == "t"
        kind = owner[1] if static else owner
        if kind is not None and kind[0] == "s":
            kind = self._super(kind[1])
        kind = self.names.erased(kind)
        method = Method.SCOPE if static else Method.TYPE
        if kind is None or kind[0] in "frk":
            return self.method(frame, owner, name)
        found = self.members.methods(kind, name)
        count = file.ops[op][3]
        if kind[0] == "c":
            fitting = [each for each in found.candidates if _takes(each.function, count)]
            if fitting:
                return self._found(found, name, method)
            field = self.members.field(kind, name)
            if field is not None:
                self._read(frame, a, field, name)
                return self._of_delegate(frame, op, a, field[1], name)
        if not static and not (kind[0] == "x" and found.candidates):
            more = self._extension(frame, kind, name, count)
            if more:
                return Target(more, "", Why.DYNAMIC, Method.TYPE)
        if kind[0] in "pa":
            return Target([], name, Why.NATIVE)
        if kind[0] == "x":
            return Target(found.candidates, f"{kind[1]}.{name}", Why.EXTERNAL, method)
        if found.candidates:
            return self._found(found, name, method)
        if found.open:
            return Target([], f"{self.names.outside(kind[1])[0]}.{name}", Why.EXTERNAL)
        if self.names.library.methods(OBJECT, name):
            return Target([], f"{OBJECT[1]}.{name}", Why.EXTERNAL)
        return Target([], name, Why.MISSING)

    def _extension(self, frame: Frame, kind: Type, name: str, count: int) -> list[Candidate]:
        """The nearest methods that extend a type and take so many arguments."""
        for level in self.names.extensions(frame.file, frame.scope, name):
            found: list[tuple[Type, Candidate]] = []
            for function in level:
                types = self.signatures.types(function)
                bound: dict[tuple[Any, str], Type] = {}
                self.signatures.learn(types[0], kind, bound)
                wanted = substitute(types[0], bound)
                if kind is not None and kind[0] != "c" and wanted != kind:
                    known = kind[0] == "x" and wanted is not None and wanted != OBJECT
                    if not known or self.signatures.assignable(kind, wanted) != YES:
                        continue
                elif types[0] is not None and types[0][0] == "v":
                    bound_of = self.names.erased(types[0])
                    if (
                        kind is None
                        or kind[0] != "c"
                        or (
                            bound_of != OBJECT and self.signatures.assignable(kind, bound_of) != YES
                        )
                    ):
                        continue
                elif self.signatures.assignable(kind, wanted) != YES:
                    continue
                each = self._without_receiver(function)
                if _takes(each, count):
                    found.append((wanted, Candidate(each, bound)))
            if found:
                return [
                    each
                    for wanted, each in found
                    if not any(
                        other != wanted
                        and self.signatures.assignable(other, wanted) == YES
                        and len(one.function.parameters) == len(each.function.parameters)
                        for other, one in found
                    )
                ]
        return []

    def _without_receiver(self, function: Function) -> Function:
        types = self.signatures.types(function)
        return Function(
            unit=function.unit, scope=function.scope, name=function.name, owner=function.owner,
            flags=function.flags, parameters=function.parameters[1:], variables=function.variables,
            returns=function.returns, types=types[1:], result=function.result,
            starred=function.starred, optional=function.optional,
        )  # fmt: skip

    def _constructors(self, kind: Type) -> Target:
        target = super()._constructors(kind)
        if kind is not None and kind[0] == "c":
            header = self.members.header(self.program.of(kind))
            if header is not None:
                return target._replace(candidates=[*target.candidates, header])
        return target

    def _chosen(
        self, frame: Frame, op: int, target: Target, arguments: list[int]
    ) -> list[Candidate]:
        """The functions that a call means, and their edges; else a leaf."""
        file = frame.file
        values = self.values[file.number]
        kinds = [values[at] for at in arguments]
        kinds = [None if kind is not None and kind[0] in "tks" else kind for kind in kinds]
        shapes = [self._shape(file, kind) for kind in kinds]
        words = self._words(file, op)
        given = len(self._explicit.get((file.number, op), ()))
        found = target.candidates
        best = self.signatures.choose(found, kinds, shapes, words, given) if found else []
        inside = [each for each in best if each.function.unit >= 0]
        sure = len(best) == 1 and not self._torn(frame, op, best)
        tier = RESOLVED if sure else UNSURE
        for each in inside:
            place = (each.function.unit, each.function.scope)
            self.fact(EdgeType.CALLS, frame, op, place, target.method, tier)
        made = file.ops[op][0] == Op.NEW and target.why is Why.NATIVE
        header = any(each.function.name == INIT and each.function.unit < 0 for each in best)
        if not inside and not made and not header:
            name, why = target.name, target.why
            if best:
                why = Why.EXTERNAL
            elif found and not name:
                name, why = found[0].function.name, Why.DYNAMIC
            self.leaves[file.number, op] = (frame.scope, name, why)
        if len(best) == 1 and not any(words):
            self._moved(frame, op, best[0], arguments)
        return best

    def _torn(self, frame: Frame, op: int, best: list[Candidate]) -> bool:
        """Whether broken source may hide what a call means."""
        file = frame.file
        if self.names.torn(file):
            return True
        if any(
            self.names.incomplete(("c", e.function.owner, ()))
            for e in best
            if e.function.owner >= 0
        ):
            return True
        code, x, y, _, _, _ = file.ops[file.ops[op][1]]
        if code == Op.GETITEM:
            code, x, y, _, _, _ = file.ops[x]
        if code != Op.GETATTR:
            return self.names.incomplete(
                self.names.own(self.around(frame)) if self.around(frame) >= 0 else None
            )
        del y
        owner = self._value(frame, x)
        if owner is not None and owner[0] == "s":
            owner = self._super(owner[1])
        if owner is not None and owner[0] == "t":
            owner = owner[1]
        return self.names.incomplete(self.names.erased(owner))

    def _words(self, file: File, op: int) -> tuple[str, ...]:
        """The names of arguments."""
        _, _, first, count, _, _ = file.ops[op]
        rows = file.ports[first : first + count]
        return tuple(file.names[name] if kind == Port.KEYWORD else "" for kind, name, _ in rows)

    def _shape(self, file: File, kind: Type) -> int | None:
        if kind is not None and kind[0] == "f":
            scope: int = kind[1]
            if file.scopes[scope].flags & _ANY:
                return -1
        return super()._shape(file, kind)

    def _moved(self, frame: Frame, op: int, each: Candidate, arguments: list[int]) -> None:
        function = each.function
        if function.unit < 0:
            return
        unit = frame.file.number
        for (_, name, _), argument in zip(function.parameters, arguments, strict=False):
            kind = self.values[unit][argument]
            if kind is not None and (kind[0] in "fr" or self.carries(kind)):
                place = ("v", function.unit, function.scope, name)
                self.flow.move(self.flow.of(unit, argument), place)
        if function.name != INIT and self.carries(self.signatures.result(function)):
            self.flow.where[unit, op] = ("r", function.unit, function.scope)

    # -------------------------------------------------------------------------- results

    def _result(
        self,
        frame: Frame,
        op: int,
        found: list[Candidate],
        target: Target,
        arguments: list[int],
        bound: dict[tuple[Any, str], Type],
    ) -> Type:
        file = frame.file
        values = self.values[file.number]
        code, a, _, _, _, _ = file.ops[op]
        if code == Op.NEW:
            return self._made(frame, a)
        if not found:
            shape = self._delegates.get((file.number, op))
            if shape is None:
                return None
            result = self.signatures.result(shape.function)
            return cut(self._erase(substitute(result, shape.bindings)))
        kinds = [] if any(self._words(file, op)) else [values[at] for at in arguments]
        explicit = self._explicit.get((file.number, op), ())
        results = [
            self._given(each, kinds, {**bound, **self._said(each.function, explicit)})
            for each in found[:4]
        ]
        first = results[0]
        if len(found) > 1 and (len(found) > 4 or any(each != first for each in results)):
            return None
        del target
        return first

    def _said(self, function: Function, explicit: tuple[Type, ...]) -> dict[tuple[Any, str], Type]:
        names = list(dict.fromkeys(name for name, _ in function.variables))
        if function.unit < 0 or len(names) != len(explicit):
            return {}
        key = (function.unit, function.scope)
        return {(key, name): kind for name, kind in zip(names, explicit, strict=True)}

    def unify(
        self, wanted: Type, given: Type, bound: dict[tuple[Any, str], Type], depth: int = 4
    ) -> None:
        """Learn what variables of `wanted` stand for from a value of the type `given`."""
        self.signatures.learn(wanted, given, bound, depth)

    def _default(self, function: Function, bindings: dict[tuple[Any, str], Type]) -> None:
        """What is not known of a variable is not known."""
        if function.unit >= 0:
            key = (function.unit, function.scope)
            for name, _ in function.variables:
                bindings.setdefault((key, name), None)

    def _with_functions(
        self,
        frame: Frame,
        op: int,
        found: list[Candidate],
        target: Target,
        arguments: list[int],
    ) -> Body:
        """A call that passes functions: they are evaluated as what the callee takes."""
        file = frame.file
        values = self.values[file.number]
        bound: dict[tuple[Any, str], Type] = {}
        each = found[0] if len(found) == 1 and not any(self._words(file, op)) else None
        types: tuple[Type, ...] = ()
        if each is not None:
            bound = dict(each.bindings)
            self._default(each.function, bound)
            bound.update(self._said(each.function, self._explicit.get((file.number, op), ())))
            types = self.signatures.types(each.function)
            for at, argument in enumerate(arguments):
                if at < len(types):
                    self.unify(types[at], values[argument], bound)
        for at, argument in enumerate(arguments):
            kind = values[argument]
            if kind is None or kind[0] not in "fr":
                continue
            wanted = types[min(at, len(types) - 1)] if types else None
            if each is not None and each.function.starred and at >= len(types) - 1:
                wanted = wanted[1] if wanted is not None and wanted[0] == "a" else wanted
            result = yield self._settled(frame, argument, cut(substitute(wanted, bound)))
            shape = self.signatures.functional(self.names.erased(wanted)) if wanted else None
            if shape is not None:
                inner = substitute(self.signatures.result(shape.function), shape.bindings)
                self.unify(inner, result, bound)
        return self._result(frame, op, found, target, arguments, bound)

    def _reference(
        self, frame: Frame, op: int, value: tuple[Any, ...], shape: Candidate | None
    ) -> Type:
        """The function that a name of a method means for a target; its result."""
        owner, name = value[1], value[2]
        method = Method.SCOPE
        if owner is not None and owner[0] == "l":
            local = self._local.get((owner[1], owner[2]), {}).get(name, [])
            found = [Candidate(each, {}) for each in local]
        else:
            found = self.members.methods(owner, name).candidates
            method = Method.TYPE
        if shape is not None and len(found) > 1:
            given = [
                substitute(kind, shape.bindings) for kind in self.signatures.types(shape.function)
            ]
            found = self.signatures.choose(found, given, [None] * len(given)) or found
        broken = self.names.torn(frame.file) or self.names.incomplete(
            self.names.erased(owner) if owner is not None and owner[0] in "cv" else None
        )
        tier = RESOLVED if len(found) == 1 and not broken else UNSURE
        for each in found:
            if each.function.unit >= 0:
                place = (each.function.unit, each.function.scope)
                self.fact(EdgeType.REFERENCES, frame, op, place, method, tier)
                if tier == RESOLVED:
                    self.flow.made(frame.file.number, op, place)
        return self._given(found[0], [], {}) if len(found) == 1 else None

    def scope(self, file: File, number: int, parent: Frame | None, given: Candidate | None) -> Body:
        """Evaluate a scope; what an asynchronous function without a name gives is not known."""
        result = yield from super().scope(file, number, parent, given)
        row = file.scopes[number]
        return None if row.kind == ScopeKind.LAMBDA and row.flags & ASYNC else result

    # -------------------------------------------------------------------------- statements

    def constant(self, file: File, kind: int, text: int) -> Type:
        """The type of a constant."""
        if kind == Const.INT:
            word = (file.names[text] if text >= 0 else "").lower()
            ending = word[len(word.rstrip("ul")) :] if not word.startswith("0b") else ""
            return ("p", _ENDINGS.get("".join(sorted(ending)), "int"))
        if kind == Const.OTHER and text >= 0:
            word = file.names[text]
            if word[:1] == "'":
                return ("p", "char")
            if word[:1].isdigit() or (word[:1] == "." and word[1:2].isdigit()):
                return ("p", _REALS.get(word[-1:].lower(), "double"))
            return None
        return super().constant(file, kind, text)

    def operate(self, left: Type, right: Type, word: str) -> Type:
        """The type of what an operator gives: classes may say what they like."""
        if word == "with":
            return left
        if word in _TRUTHS:
            return BOOLEAN
        if word == "+" and STRING in (left, right):
            return STRING
        if left is None or left[0] != "p" or left[1] not in _NUMBERS:
            return BOOLEAN if left == right == BOOLEAN else None
        if right is None:
            return left
        return left if left == right else None

    def item(self, frame: Frame, kind: Type) -> Type:
        """The type of what stands under a key."""
        del frame
        kind = self.names.erased(kind)
        if kind is None or kind[0] not in "acx":
            return None
        if kind[0] == "a":
            inner: Type = kind[1]
            return inner
        if kind == STRING:
            return ("p", "char")
        found = self.members.field(kind, "this[]")
        if found is not None:
            return found[1]
        for each in self.names.supers(kind):
            at = _ITEMS.get(str(each[1]).rpartition(".")[2], -1) if each[0] == "x" else -1
            if 0 <= at < len(each[2]):
                value: Type = each[2][at]
                return value
        return None

    def awaited(self, kind: Type) -> Type:
        """What a task gives."""
        if kind is None or kind[0] != "x" or len(kind[2]) != 1:
            return None
        if str(kind[1]).rpartition(".")[2] not in {"Task`1", "ValueTask`1"}:
            return None
        found: Type = kind[2][0]
        return found

    def _element(self, frame: Frame, op: int, kind: Type) -> Type:
        kind = self.names.erased(kind)
        if kind is None:
            return None
        if kind[0] == "a":
            inner: Type = kind[1]
            return inner
        if kind == STRING:
            return ("p", "char")
        if frame.file.ops[op][2] != 1:
            self._implied(frame, op, kind, "GetEnumerator")
        for each in self.names.supers(kind):
            last = str(each[1]).rpartition(".")[2]
            if each[0] == "x" and each[2] and last in {"IEnumerable`1", "IAsyncEnumerable`1"}:
                element: Type = each[2][0]
                return element
        return None

    def _implied(self, frame: Frame, op: int, kind: Type, name: str) -> None:
        if not self.names.incomplete(self.names.erased(kind)):
            super()._implied(frame, op, kind, "Dispose" if name == "close" else name)

    def _bases(self, frame: Frame, op: int, number: int) -> None:
        file = frame.file
        made = self.names.part_at[file.number, file.ops[op][1]]
        own = made.flags & ABSTRACT
        for base, kind in self.names.part_supers.get(made.number, ()):
            if kind is None or kind[0] != "c" or kind[1] == number:
                continue
            interface = self.program.of(kind).flags & ABSTRACT
            what = EdgeType.IMPLEMENTS if interface and not own else EdgeType.INHERITS
            self.fact(what, frame, base, self.place(kind[1]), Method.SCOPE, RESOLVED, made.scope)

    def may_override(self, function: Function, other: Class) -> bool:
        """What overrides says so; what implements is not private."""
        if self.names.incomplete(("c", function.owner, ())):
            return False
        if other.flags & ABSTRACT:
            return not function.flags & PRIVATE
        return bool(function.flags & OVERRIDE)


def _takes(function: Function, count: int) -> bool:
    """Whether a function can be called with so many arguments."""
    wanted = len(function.parameters)
    if function.starred:
        return wanted - 1 - len(function.optional) <= count
    needed = sum(name not in function.optional for _, name, _ in function.parameters)
    return needed <= count <= wanted


_ANY: Final = ARGUMENTS
_ENDINGS: Final = {"l": "long", "u": "uint", "lu": "ulong"}
_REALS: Final = {"f": "float", "m": "decimal", "d": "double"}
_TRUTHS: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||", "!"})
_NUMBERS: Final = frozenset({"int", "uint", "long", "ulong", "float", "double", "decimal"})
_ITEMS: Final = {
    "IList`1": 0, "IReadOnlyList`1": 0, "IDictionary`2": 1, "IReadOnlyDictionary`2": 1,
}  # fmt: skip
_PROPERTIES: Final = {
    ("KeyValuePair`2", "Key"): 0, ("KeyValuePair`2", "Value"): 1, ("Task`1", "Result"): 0,
    ("ValueTask`1", "Result"): 0, ("Lazy`1", "Value"): 0, ("IGrouping`2", "Key"): 0,
}  # fmt: skip
