"""Calls, instances and operators of C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from grainline.graph.rules import _cpp_library as library
from grainline.graph.typed.cpp_frames import Frame
from grainline.graph.typed.cpp_names import bare, constant, fixed, substitute
from grainline.graph.typed.cpp_overloads import Choice, numeric
from grainline.graph.typed.cpp_program import INIT, Class, Entity, Function, Space, Type
from grainline.graph.typed.cpp_values import Meant, Values
from grainline.graph.typed.facts import FLOWED, RESOLVED, UNSURE
from grainline.model.edge import EdgeType, Method, Why
from grainline.model.ir import REFERENCE, Op, Port


class Calls(Values):
    """What is called, and what calls give."""

    # -------------------------------------------------------------------------- calls

    def call(self, frame: Frame, op: int) -> Type:
        """A call, whatever is called."""
        file = frame.file
        _, callee, first, count, _, _ = file.ops[op]
        rows = file.ports[first : first + count]
        arguments = [value for kind, _, value in rows if kind == Port.POSITIONAL]
        torn = len(arguments) != len(rows)
        at, given = self.given_at(frame, callee)
        code, a, b, c, _, _ = file.ops[at]
        if code == Op.LOAD:
            return self._named(frame, op, at, arguments, given, torn=torn)
        if code == Op.GETATTR and c == REFERENCE:
            meant = self.scoped_meaning(frame, at)._replace(given=given)
            word = file.names[b]
            if self._maker(frame, op, meant.type, given, arguments):
                return self._made_type(meant.type, given)
            changing = None if frame.method() is None else not self.is_constant(frame)
            return self._meaning(
                frame, op, meant, arguments, word, torn=torn, changing=changing, adl=False
            )
        if code == Op.GETATTR:
            return self._member(frame, op, at, a, file.names[b], arguments, given, torn=torn)
        return self._value(frame, op, callee, self.values[file.number][callee], arguments, "")

    def _named(
        self, frame: Frame, op: int, at: int, arguments: list[int], given: tuple[Type, ...],
        *, torn: bool,
    ) -> Type:  # fmt: skip
        file = frame.file
        name = file.names[file.ops[at][1]]
        owner = frame.find(name)
        if owner is not None:
            kind = owner.env[name]
            self.values[file.number][at] = kind
            if kind is not None and kind[0] == "t":
                return self._construct(frame, op, kind[1], arguments, torn=torn)
            if kind is not None and kind[0] == "f":
                meant = Meant(kind[1], given=given)
                return self._meaning(frame, op, meant, arguments, name, torn=torn)
            place = self.variable_place(frame, name)
            if place is not None:
                self.flow.where[file.number, at] = place
            return self._value(frame, op, at, kind, arguments, name.partition("#")[0])
        meant = self.meant(frame, at)._replace(given=given)
        if frame.lost and not meant.member and not (meant.functions and meant.functions[0].macro):
            self.leaf(frame, op, name, Why.DYNAMIC)
            return None
        if self._maker(frame, op, meant.type, given, arguments):
            return self._made_type(meant.type, given)
        changing = not self.is_constant(frame)
        return self._meaning(
            frame, op, meant, arguments, name, torn=torn, changing=changing, adl=not meant.member
        )

    def _meaning(
        self, frame: Frame, op: int, meant: Meant, arguments: list[int], name: str,
        *, torn: bool, changing: bool | None = None, adl: bool = False,
    ) -> Type:  # fmt: skip
        if meant.macro:
            self.leaf(frame, op, name, Why.DYNAMIC)
            return None
        if meant.variable is not None:
            kind = self.variable(meant.variable, meant.bindings)
            callee = frame.file.ops[op][1]
            self.flow.where[frame.file.number, callee] = self.entity_place(meant.variable)
            return self._value(frame, op, callee, kind, arguments, name)
        functions = meant.functions
        sure = meant.sure
        if adl and not (functions and functions[0].macro):
            functions, more = self._associated(frame, functions, arguments, name, meant)
            sure = sure and more
        if functions:
            return self._overloaded(
                frame,
                op,
                functions,
                arguments,
                name,
                meant,
                torn=torn,
                sure=sure,
                changing=changing,
            )
        kind = meant.type
        if kind is not None and kind[0] in "cx":
            if kind[0] == "x":
                return self._external(frame, op, kind, arguments, meant.given)
            kind = self.names.applied(kind, meant.given) if meant.given else kind
            return self._construct(frame, op, kind, arguments, torn=torn)
        if kind is not None and kind[0] == "p":
            return kind
        self.leaf(frame, op, name, Why.DYNAMIC if not meant.sure else Why.EXTERNAL)
        return None

    def _external(
        self, frame: Frame, op: int, kind: Type, arguments: list[int], given: tuple[Type, ...]
    ) -> Type:
        assert kind is not None
        name: str = kind[1]
        word = name.rpartition("::")[2]
        self.leaf(frame, op, name, Why.EXTERNAL)
        if word in library.PASSING and len(arguments) == 1:
            if given and word == "forward":
                return self.values[frame.file.number][arguments[0]]
            self.follow(frame, op, arguments[0])
            return self.values[frame.file.number][arguments[0]]
        return ("x", name, given) if given else None

    def _overloaded(
        self, frame: Frame, op: int, functions: Sequence[Function], arguments: list[int],
        name: str, meant: Meant, *, torn: bool, sure: bool, changing: bool | None,
    ) -> Type:  # fmt: skip
        types = [self.values[frame.file.number][each] for each in arguments]
        choice = self.signatures.choose(
            functions, types, torn=torn, bindings=meant.bindings, changing=changing,
            given=meant.given,
        )  # fmt: skip
        if not choice.functions:
            self.leaf(frame, op, name, Why.DYNAMIC)
            return None
        tier = RESOLVED if choice.sure else UNSURE
        if choice.sure and not sure:
            tier = FLOWED
        method = Method.TYPE if meant.member else Method.SCOPE
        targets = self.called(frame, op, choice.functions, method, tier)
        self._passed(frame, op, targets, arguments)
        return self._result(frame, op, choice, targets)

    def _result(self, frame: Frame, op: int, choice: Choice, targets: list[Function]) -> Type:
        if len(choice.functions) != 1:
            results = {self.signatures.result(each) for each in choice.functions}
            found = results.pop() if len(results) == 1 else None
        else:
            found = self.signatures.result(choice.functions[0])
        if len(targets) == 1:
            each = targets[0]
            self.flow.where[frame.file.number, op] = ("r", each.unit, each.scope)
        return self._seen(frame, substitute(found, choice.bindings))

    def _seen(self, frame: Frame, kind: Type) -> Type:
        """A type as it is here: parameters of other templates say nothing."""
        if kind is None:
            return None
        own = {owner for _, owner in frame.place.variables}
        inner = bare(kind)
        while inner is not None and inner[0] == "*":
            inner = bare(inner[1])
        if inner is not None and inner[0] == "v":
            return kind if inner[1] in own else fixed(kind)
        return kind

    def _passed(
        self, frame: Frame, op: int, targets: Sequence[Function], arguments: list[int]
    ) -> None:
        """Functions among the arguments arrive at the parameters."""
        del op
        for at, argument in enumerate(arguments):
            if not self.carries(frame, argument):
                continue
            place = self.flow.of(frame.file.number, argument)
            for each in targets:
                if at < len(each.parameters):
                    name = each.parameters[at][1]
                    self.flow.move(place, ("v", each.unit, each.scope, name))

    # -------------------------------------------------------------------------- by arguments

    def _associated(
        self, frame: Frame, functions: tuple[Function, ...], arguments: list[int], name: str,
        meant: Meant,
    ) -> tuple[tuple[Function, ...], bool]:  # fmt: skip
        """With functions of the namespaces of the arguments; whether these are all known."""
        if meant.type is not None and meant.type[0] == "c":
            return functions, True
        if meant.variable is not None or not name.isidentifier():
            return functions, True
        number = frame.file.number
        spaces: set[Space] = set()
        known = True
        for each in arguments:
            known = self._spaces(self.values[number][each], spaces) and known
        found = list(functions)
        for space in sorted(spaces):
            for entity in self.names.direct(number, space, name):
                if entity.kind == "function":
                    found.append(entity.value)
        unique = tuple(dict.fromkeys(found))
        if not known and unique:
            known = not self._elsewhere(number, name, unique)
        return unique, known

    def _spaces(self, kind: Type, spaces: set[Space]) -> bool:
        """Collect the namespaces of a type; whether it is known."""
        kind = bare(kind)
        while kind is not None and kind[0] == "*":
            kind = bare(kind[1])
        if kind is None or kind[0] == "v":
            return False
        if kind[0] == "c":
            level: list[int] = [kind[1]]
            seen: set[int] = set()
            while level:
                at = level.pop()
                if at in seen:
                    continue
                seen.add(at)
                spaces.add(self.program.classes[at].space)
                for above in self.names.supers(at):
                    if above is not None and above[0] == "c":
                        level.append(above[1])
        if kind[0] in "cx":
            for each in kind[2]:
                self._spaces(each, spaces)
        return True

    def _elsewhere(self, number: int, name: str, functions: tuple[Function, ...]) -> bool:
        """Whether other namespaces that the file sees have functions of the name."""
        mine = {each.space for each in functions}
        return any(
            each.kind == "function" and not each.value.macro
            for space in self.program.spaces
            if space not in mine
            for each in self.names.direct(number, space, name)
        )

    # -------------------------------------------------------------------------- members

    def _member(
        self, frame: Frame, op: int, at: int, owner: int, name: str, arguments: list[int],
        given: tuple[Type, ...], *, torn: bool,
    ) -> Type:  # fmt: skip
        whole = self.values[frame.file.number][owner]
        kind = bare(whole)
        if kind is None or kind[0] == "v":
            self.leaf(frame, op, name, Why.DYNAMIC)
            return None
        if kind[0] == "x":
            self.leaf(frame, op, f"{kind[1]}.{name}", Why.EXTERNAL)
            return self._known(whole, name)
        if kind[0] != "c":
            self.leaf(frame, op, name, Why.DYNAMIC)
            return None
        found = self.names.members(kind, name)
        meant = self._of(found, name, member=True)._replace(given=given)
        if meant.variable is not None:
            self.flow.where[frame.file.number, at] = self.entity_place(meant.variable)
            value = self.variable(meant.variable, meant.bindings)
            return self._value(frame, op, at, value, arguments, name)
        if not meant.functions:
            self.leaf(frame, op, name, Why.MISSING if found.sure else Why.DYNAMIC)
            return None
        changing = whole is None or whole[0] != "k"
        return self._overloaded(
            frame, op, meant.functions, arguments, name, meant, torn=torn, sure=True,
            changing=changing,
        )  # fmt: skip

    def _known(self, whole: Type, name: str) -> Type:
        """What a method of the standard library gives."""
        kind = bare(whole)
        assert kind is not None
        word = kind[1].rpartition("::")[2]
        found: Type = None
        element = self.element(kind)
        if name in library.ELEMENT_METHODS:
            found = self._item(kind) or self.pointed(kind)
        elif name in library.ITERATOR_METHODS and element is not None:
            found = ("x", "iterator", (element,))
        elif name in library.POINTER_METHODS and kind[2] and word not in library.MAPPINGS:
            return ("*", kind[2][0])
        elif name == "lock" and word == "weak_ptr":
            return ("x", "std::shared_ptr", kind[2])
        return constant(found) if whole is not None and whole[0] == "k" else found

    def element(self, kind: Type) -> Type:
        """What a loop takes of a value."""
        raise NotImplementedError

    # -------------------------------------------------------------------------- values

    def _value(
        self, frame: Frame, op: int, callee: int, kind: Type, arguments: list[int], name: str
    ) -> Type:
        """A call of a value: an instance that can be called, or a function that it holds."""
        inner = bare(kind)
        if inner is not None and inner[0] == "c":
            found = self.names.members(inner, "operator()")
            meant = self._of(found, "operator()", member=True)
            if meant.functions:
                changing = kind is None or kind[0] != "k"
                return self._overloaded(
                    frame, op, meant.functions, arguments, name, meant, torn=False, sure=True,
                    changing=changing,
                )  # fmt: skip
        if inner is not None and inner[0] == "f":
            meant = Meant(inner[1], member=True, given=inner[2])
            return self._overloaded(
                frame, op, inner[1], arguments, name, meant, torn=False, sure=True, changing=None
            )
        if inner is not None and inner[0] == "t":
            return self._construct(frame, op, inner[1], arguments, torn=False)
        file = frame.file
        place = self.flow.of(file.number, callee)
        self.flow.call(place, file.number, frame.scope, op)
        del arguments
        why = Why.INJECTION if self._is_parameter(frame, callee) else Why.DYNAMIC
        self.leaf(frame, op, name, why)
        return None

    def _is_parameter(self, frame: Frame, callee: int) -> bool:
        row = frame.file.ops[callee]
        if row[0] != Op.LOAD:
            return False
        name = frame.file.names[row[1]]
        return "#" not in name and frame.find(name) is not None

    # -------------------------------------------------------------------------- instances

    def new(self, frame: Frame, op: int) -> Type:
        """An instance of a type that is written, or (in a constructor) a field or base."""
        file = frame.file
        _, callee, first, count, _, _ = file.ops[op]
        rows = file.ports[first : first + count]
        arguments = [value for kind, _, value in rows if kind == Port.POSITIONAL]
        torn = len(arguments) != len(rows)
        code, a, b, _, _, _ = file.ops[callee]
        if code == Op.LOAD and b == REFERENCE:
            return self._initialized(frame, op, callee, file.names[a], arguments, torn=torn)
        if self._is_initializer(frame, callee):
            return self._base(frame, op, callee, arguments, torn=torn)
        kind = self.type_at(frame, callee)
        if bare(kind) is not None and bare(kind)[0] == "*":  # type: ignore[index]
            return kind
        return self._construct(frame, op, bare(kind), arguments, torn=torn, quiet=True)

    def _initialized(
        self, frame: Frame, op: int, callee: int, name: str, arguments: list[int], *, torn: bool
    ) -> Type:
        owner = frame.place.owner
        if owner < 0:
            return None
        made: Class = self.program.classes[owner]
        own = [each for each in made.members.get(name, ()) if each.kind == "variable"]
        if own:
            kind = self.names.variable_type(own[0])
            if len(arguments) == 1 and self.carries(frame, arguments[0]):
                place = self.flow.of(frame.file.number, arguments[0])
                self.flow.move(place, self.entity_place(own[0]))
            inner = bare(kind)
            if inner is not None and inner[0] == "c" and not self._refers(own[0]):
                return self._construct(frame, op, inner, arguments, torn=torn, field=True)
            return kind
        return self._base(frame, op, callee, arguments, torn=torn)

    def _refers(self, entity: Entity) -> bool:
        """Whether a field is a reference, which is not made but bound."""
        file = self.program.files[entity.unit]
        op: int = entity.value[0]
        row = file.ops[op]
        return row[0] == Op.OPERATE and file.names[row[3]] == "&"

    def _is_initializer(self, frame: Frame, callee: int) -> bool:
        """Whether a type is named to make a base, as a part of the instance."""
        row = frame.file.ops[callee]
        while row[0] == Op.GETITEM:
            row = frame.file.ops[row[1]]
        return (row[2] if row[0] == Op.LOAD else row[3]) == REFERENCE

    def _base(
        self, frame: Frame, op: int, callee: int, arguments: list[int], *, torn: bool
    ) -> Type:
        owner = frame.place.owner
        kind = self.type_at(frame, callee)
        if kind is not None and kind[0] == "c" and owner >= 0:
            below = kind[1] == owner or self.names.is_below(("c", owner, ()), kind)
            if below:
                return self._construct(frame, op, kind, arguments, torn=torn, field=True)
        return None

    def _construct(
        self, frame: Frame, op: int, kind: Type, arguments: list[int], *, torn: bool,
        quiet: bool = False, field: bool = False,
    ) -> Type:  # fmt: skip
        """An instance: the class that is made, and the constructor that runs.

        `quiet`: nothing is said of a class that is not there; `field`: it is a part of another one.
        """
        kind = bare(kind)
        if kind is None or kind[0] != "c":
            if not quiet and kind is not None and kind[0] == "x":
                self.leaf(frame, op, kind[1], Why.EXTERNAL)
            elif not quiet and (kind is None or kind[0] == "v"):
                self.leaf(frame, op, "", Why.DYNAMIC)
            return kind
        made = self.program.of(kind)
        if not field:
            self.fact(
                EdgeType.INSTANTIATES, frame, op, self.class_place(kind[1]), Method.SCOPE, RESOLVED
            )
        functions = self.constructors(made)
        types = [self.values[frame.file.number][each] for each in arguments]
        if len(types) == 1 and self._is_copy(types[0], kind):
            return kind
        choice = self.signatures.choose(
            functions, types, torn=torn, bindings=self.names.bindings(kind)
        )
        if not choice.functions:
            return kind
        sure = choice.sure and not (len(types) == 1 and self._may_be_copy(types[0], kind))
        targets = self.called(
            frame, op, choice.functions, Method.TYPE, RESOLVED if sure else UNSURE
        )
        self._passed(frame, op, targets, arguments)
        if made.variables and not kind[2] and len(choice.functions) == 1:
            return ("c", kind[1], ())
        return kind

    def constructors(self, made: Class) -> list[Function]:
        """Those of a class; one that takes over those of its base has these."""
        own = [each.value for each in made.members.get(INIT, ()) if each.kind == "function"]
        for above in self.names.supers(made.number):
            if above is not None and above[0] == "c":
                base = self.program.of(above)
                if any(each.kind == "alias" for each in made.members.get(base.name, ())):
                    inherited = base.members.get(INIT, ())
                    own += [each.value for each in inherited if each.kind == "function"]
        return own

    def _is_copy(self, given: Type, kind: Type) -> bool:
        """Whether an instance is copied by a constructor that nobody wrote."""
        given = bare(given)
        if given is None or kind is None or given[0] != "c":
            return False
        same = given[1] == kind[1] or bool(self.names.is_below(given, kind))
        own = self.constructors(self.program.of(kind))
        return same and not any(
            len(self.signatures.types(each)) >= 1
            and (first := self.signatures.types(each)[0]) is not None
            and first[0] == "c" and first[1] == kind[1]
            for each in own
        )  # fmt: skip

    def _may_be_copy(self, given: Type, kind: Type) -> bool:
        given = bare(given)
        del kind
        return given is None or given[0] in "vx"

    def _maker(
        self, frame: Frame, op: int, kind: Type, given: tuple[Type, ...], arguments: list[int]
    ) -> bool:
        """`make_unique<A>(...)` makes an A."""
        if kind is None or kind[0] != "x" or len(given) < 1:
            return False
        if kind[1].rpartition("::")[2] not in library.MAKERS:
            return False
        made = bare(given[0])
        if made is None or made[0] != "c":
            return False
        self._construct(frame, op, made, arguments, torn=False)
        return True

    def _made_type(self, kind: Type, given: tuple[Type, ...]) -> Type:
        assert kind is not None
        return ("x", "std::" + library.MAKERS[kind[1].rpartition("::")[2]], given[:1])

    # -------------------------------------------------------------------------- operators

    def operate(self, frame: Frame, op: int) -> Type:
        """An operator; those of classes are calls where it is sure which one."""
        file = frame.file
        _, a, b, c, _, _ = file.ops[op]
        word = file.names[c]
        left = self.values[file.number][a]
        right = self.values[file.number][b] if b >= 0 else None
        if word == "->":
            return self.pointed(left)
        if word == "new":
            return ("*", left) if left is not None and left[0] in "cxp" else None
        if b < 0 and word == "*":
            found = self.pointed(left)
            if found is not None:
                self.follow(frame, op, a)
                return found
        if b < 0 and word == "&":
            self.follow(frame, op, a)
            if left is not None and left[0] in "cxp*k":
                return ("*", left)
            return left
        if b >= 0 and word == "=":
            return left
        values = [left] if b < 0 else [left, right]
        if any(kind is not None and bare(kind)[0] == "c" for kind in values):  # type: ignore[index]
            return self._operator(frame, op, word, values)
        if word in _LOGICAL and all(kind is not None for kind in values):
            return ("p", "bool")
        names = [numeric(kind) for kind in values]
        if all(names):
            return bare(left) if len(set(names)) == 1 and names[0] not in _SMALL else ("p", "?")
        kind = bare(left)
        if kind is not None and kind[0] == "*" and word in "+-" and numeric(right):
            return left
        return None

    def _operator(self, frame: Frame, op: int, word: str, values: list[Type]) -> Type:
        name = f"operator{word}"
        if word in _MEMBERS_ONLY or any(kind is None for kind in values):
            return None
        left = bare(values[0])
        functions: list[Function] = []
        choice: Choice | None = None
        if left is not None and left[0] == "c":
            found = self.names.members(left, name)
            meant = self._of(found, name, member=True)
            changing = values[0] is not None and values[0][0] != "k"
            if not found.sure and not found.entities:
                return None
            if meant.functions:
                choice = self.signatures.choose(
                    meant.functions, values[1:], bindings=meant.bindings, changing=changing
                )
        spaces: set[Space] = set()
        for kind in values:
            if not self._spaces(kind, spaces):
                return None
        number = frame.file.number
        for space in sorted(spaces):
            for entity in self.names.direct(number, space, name):
                if entity.kind == "function":
                    functions.append(entity.value)
        free = self.signatures.choose(functions, values)
        if choice is not None and choice.functions and free.functions:
            return None
        chosen = choice if choice is not None and choice.functions else free
        if not chosen.sure:
            return None
        targets = self.called(frame, op, chosen.functions, Method.TYPE, RESOLVED)
        return self._result(frame, op, chosen, targets)

    def item(self, frame: Frame, op: int, owner: int, key: int) -> Type:
        """`a[b]`."""
        values = self.values[frame.file.number]
        kind = values[owner]
        inner = bare(kind)
        if inner is None:
            return None
        if inner[0] == "c":
            found = self.names.members(inner, "operator[]")
            meant = self._of(found, "operator[]", member=True)
            if not meant.functions:
                return None
            choice = self.signatures.choose(
                meant.functions, [values[key]], bindings=meant.bindings,
                changing=kind is not None and kind[0] != "k",
            )  # fmt: skip
            if not choice.sure:
                return None
            targets = self.called(frame, op, choice.functions, Method.TYPE, RESOLVED)
            return self._result(frame, op, choice, targets)
        found_ = inner[1] if inner[0] == "*" else self._item(inner)
        return constant(found_) if kind is not None and kind[0] == "k" else found_

    def _item(self, kind: Type) -> Type:
        if kind is None or kind[0] != "x":
            return None
        name = kind[1].rpartition("::")[2]
        found: Type = None
        if name in library.ELEMENTS and kind[2]:
            found = kind[2][0]
        elif name in library.MAPPINGS and len(kind[2]) > 1:
            found = kind[2][1]
        return found


_LOGICAL: Final = frozenset(["==", "!=", "<", ">", "<=", ">=", "&&", "||", "!"])
_SMALL: Final = frozenset(["char", "signed char", "unsigned char", "short", "bool", "?"])
_MEMBERS_ONLY: Final = frozenset(["&&", "||", ",", "&", "=", "->"])
