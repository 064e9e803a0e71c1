"""C++: values are copied, references and pointers are not; streams and texts have operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from grainline.flow import constants
from grainline.flow.native import PLAIN, Native, cells, emptied
from grainline.flow.rows import TEXT
from grainline.flow.semantics import DIFFERS, EQUALS
from grainline.flow.state import Thing
from grainline.flow.values import NOTHING, Function, Object, Value, join, merge
from grainline.model.flow import Role
from grainline.model.ir import ASSIGNS, CONSTRUCTOR, REFERENCE, Op, ScopeKind

if TYPE_CHECKING:
    from grainline.flow.calls import Argument
    from grainline.flow.machine import Run

TYPES: Final = frozenset(("const", "volatile", "&&", "typename", "..."))
"""Words that stand around a type."""

POINTERS: Final = frozenset(
    ("unique_ptr", "shared_ptr", "weak_ptr", "auto_ptr", "reference_wrapper")
)
"""Classes that are pointers."""

ABSENT: Final = (".npos", ".end()", ".cend()")
"""What a search gives that found nothing."""

VALUE, POINTER, ALIAS, PLAIN_NUMBER, OPEN = range(5)
"""What a declared type says of a variable."""


class _Cpp(Native):
    receivers = frozenset(("this",))
    texts = frozenset(("std.string()",))
    plain = frozenset(("std.string()", "std.container()"))

    def outside(self, run: Run, name: str) -> list[str]:
        """A name that nothing in the file binds, also one of a namespace that is used."""
        word = name.partition("#")[0]
        for space in _used(run):
            if run.solver.begins(run.code.language, f"{space}.{word}"):
                return [f"{space}.{word}"]
        return [word]

    # ------------------------------------------------------------------ operators

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others; `=` copies, `<<` and `>>` write and read, `+` joins texts."""
        if word in TYPES or word == "new":
            return self._made(run, op, left) if word == "new" else left
        if word in ("delete", "delete[]"):
            return NOTHING
        if word in ("*", "->") and right is None:
            return _pointed(run, left)
        if word == "=" and right is not None:
            return self._assigned(run, op, right)
        if word == "<<" and right is not None and (cells(left) or left.names()):
            return self._written(run, op, left, right)
        if word == ">>" and right is not None and (cells(left) or left.taints):
            return self._read(run, op, left, right)
        if word == "+" and right is not None:
            return self._joined(run, op, left, right)
        if word == "+=" and right is not None and cells(left):
            return self._grown(run, op, left, right)
        if word in PLAIN and right is not None:
            found = super().operate(run, op, word, _whole(run, left), _whole(run, right))
            return self._searched(run, word, found, left, right)
        return super().operate(run, op, word, left, right)

    @staticmethod
    def _made(run: Run, op: int, left: Value) -> Value:
        if cells(left):
            return left
        assert run.state is not None
        ref = Object((run.unit, op))
        run.state.heap[ref] = Thing({})
        return Value(left.taints, left.refs | {ref})

    def _searched(self, run: Run, word: str, found: Value, left: Value, right: Value) -> Value:
        """`x.find(y) == npos` says that nothing was found."""
        if word not in EQUALS and word not in DIFFERS:
            return found
        for one, other in ((left, right), (right, left)):
            if any(name.endswith(ABSENT) for name in other.names()):
                facts = tuple(
                    fact._replace(truth=fact.truth is (word in DIFFERS)) for fact in run.told(one)
                )
                return Value(const=found.const, facts=facts)
        return found

    def _assigned(self, run: Run, op: int, right: Value) -> Value:
        """What is set in a container or behind a pointer; variables and fields have a store."""
        at = run.ops[op][1]
        code, holder, key = run.ops[at][:3]
        content = run.step(right, op, Role.PROPAGATOR)
        if code == Op.GETITEM:
            run.put(run.value(holder), constants.key(run.value(key).const), content)
        elif code == Op.OPERATE and key < 0:
            run.put(run.value(holder), None, content)
        elif code == Op.CALL:
            run.put(run.value(at), None, content)
        return right

    @staticmethod
    def _written(run: Run, op: int, left: Value, right: Value) -> Value:
        assert run.state is not None
        taints = run.state.deep(right)
        if taints and cells(left):
            run.put(left, None, Value(run.longer(taints, op, Role.PROPAGATOR, "<<")))
        return left

    def _read(self, run: Run, op: int, left: Value, right: Value) -> Value:
        assert run.state is not None
        taints = run.longer(run.state.deep(left), op, Role.PROPAGATOR, ">>")
        at = run.ops[op][2]
        kind = self._kind(run, run.ops[at][1]) if run.ops[at][0] == Op.LOAD else OPEN
        if kind == PLAIN_NUMBER:
            taints = {each: taint._replace(clean=taint.clean | TEXT)
                      for each, taint in taints.items()}  # fmt: skip
        content = Value(taints)
        if cells(right):
            run.put(right, None, content)
        else:
            self.rebind(run, op, at, join(right, content))
        return left

    def _joined(self, run: Run, op: int, left: Value, right: Value) -> Value:
        known = constants.fold("+", left.const, right.const)
        taints = self.text_of(run, op, (left, right))
        text = any(
            isinstance(each.const, str) or each.refs & self.texts or each.taints
            for each in (left, right)
        )
        if text or cells(right):
            return Value(taints, self.texts, known)
        return Value(taints, cells(left), known)

    def _grown(self, run: Run, op: int, left: Value, right: Value) -> Value:
        """Text is added at the end."""
        assert run.state is not None
        at = run.ops[op][1]
        taints = run.state.deep(right)
        content = Value(run.longer(taints, op, Role.PROPAGATOR, "+=")) if taints else NOTHING
        if self._is_copy(run, at):
            value = Value(merge((left.taints, content.taints)), left.refs)
            self.rebind(run, op, at, value)
            return value
        if content.taints:
            run.put(left, None, content)
        value = Value(left.taints, left.refs)
        self.rebind(run, op, at, value)
        return value

    # ------------------------------------------------------------------ variables

    def _kind(self, run: Run, name: int) -> int:
        at = run.code.declared(run.scope, name)
        if at < 0:
            return OPEN
        row = run.ops[at]
        while row[0] == Op.OPERATE and row[2] < 0 and run.names[row[3]] in TYPES - {"&&"}:
            row = run.ops[row[1]]
        if row[0] == Op.OPERATE:
            return ALIAS if run.names[row[3]] in ("&", "&&") else POINTER
        if row[0] == Op.CONST:
            return PLAIN_NUMBER if row[2] >= 0 else OPEN
        while row[0] == Op.GETITEM:
            row = run.ops[row[1]]
        word = run.names[row[2 if row[0] == Op.GETATTR else 1]]
        return POINTER if word in POINTERS else VALUE

    def _is_copy(self, run: Run, at: int) -> bool:
        """Whether an operand, or what is stored, is a parameter that is the function's own."""
        known = run.ops[at][0] in (Op.LOAD, Op.STORE)
        if not known or self._kind(run, run.ops[at][1]) != VALUE:
            return False
        row = run.row
        params = run.code.params[row.params : row.params_end]
        return any(each[1] == run.ops[at][1] for each in params)

    def stored(self, run: Run, op: int, value: Value) -> Value | None:
        """A variable of a class keeps its place, and what is in that becomes a copy."""
        name, at, mark = run.ops[op][1:4]
        assert run.state is not None
        before = run.state.env.get(name)
        kind = self._kind(run, name)
        if run.row.kind == ScopeKind.MODULE or before is None or not cells(before):
            return super().stored(run, op, value)
        if mark == ASSIGNS:
            if kind == ALIAS or (kind == VALUE and not self._is_copy(run, op)):
                return self._copied(run, before, value)
            return value
        if kind == VALUE and run.ops[at][0] != Op.NEW and _is_plain(run, value):
            return self._copied(run, before, value)
        return super().stored(run, op, value)

    @staticmethod
    def _copied(run: Run, place: Value, value: Value) -> Value:
        """The place, with what the value is made of in it."""
        assert run.state is not None
        mine = cells(place)
        if mine == cells(value):
            return place
        content = Value(value.taints, value.refs - cells(value))
        things = [run.thing(ref) for ref in sorted(cells(value), key=repr)]
        fields = {key: each for thing in things for key, each in thing.fields.items()}
        rest = content if content.taints else NOTHING
        for thing in things:
            rest = join(rest, thing.rest)
        if len(mine) == 1 and all(run.thing(ref).symbol is None for ref in mine):
            place = emptied(run, place)
        for key, each in fields.items():
            run.put(place, key, each)
        if rest.taints or rest.refs:
            run.put(place, None, rest)
        return Value(place.taints, place.refs, value.const)

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """A qualified name is no field."""
        return found if run.ops[op][3] >= 0 else super().member(run, op, holder, name, found)

    # ------------------------------------------------------------------ calls

    def called(
        self,
        run: Run,
        op: int,
        callee: Value,
        receiver: Value | None,
        arguments: Sequence[Argument],
    ) -> Value | None:
        """What a constructor begins with: fields, and what it is below of."""
        code, at = run.ops[op][:2]
        begins = code == Op.NEW and run.row.flags & CONSTRUCTOR and run.receiver is not None
        if begins and run.ops[at][0] == Op.LOAD and run.ops[at][2] == REFERENCE:
            return self._begun(run, op, arguments)
        return super().called(run, op, callee, receiver, arguments)

    @staticmethod
    def _begun(run: Run, op: int, arguments: Sequence[Argument]) -> Value:
        assert run.receiver is not None
        values = [argument.value for argument in arguments]
        name = run.names[run.ops[run.ops[op][1]][1]]
        owner = run.program.class_of((run.unit, run.scope))
        if owner is None:
            return NOTHING
        for place in run.program.lineage(owner):
            code, row = run.program.codes[place[0]], run.program.scope(place)
            if code.names[row.name] == name:
                made = run.solver.calls.constructor(run, op, place)
                if made is not None:
                    run.solver.calls.invoke(run, op, Function(*made), run.receiver, values)
                return NOTHING
        content = values[0] if len(values) == 1 else NOTHING
        run.set_member(run.receiver, name, run.step(content, op, Role.PROPAGATOR))
        return NOTHING


def _used(run: Run) -> list[str]:
    """Namespaces whose names stand alone."""
    module = run.code.scopes[0]
    found: list[str] = []
    for row in run.ops[module.first : module.last]:
        if row[0] == Op.EXPORT and run.ops[row[2]][0] == Op.LOAD:
            found.append(run.names[run.ops[row[2]][1]])
    return found


def _whole(run: Run, value: Value) -> Value:
    """A value with what is in its place, as one text."""
    assert run.state is not None
    return Value(run.state.deep(value), value.refs, value.const, value.facts)


def _pointed(run: Run, value: Value) -> Value:
    """What a pointer or an iterator stands for: with what is in it, where that is seen."""
    assert run.state is not None
    seen = [ref for ref in cells(value) if run.thing(ref).symbol is None]
    inner = run.state.read(Value(refs=frozenset(seen)), None) if seen else NOTHING
    return join(Value(value.taints, value.refs), inner) if inner.refs or inner.taints else value


def _is_plain(run: Run, value: Value) -> bool:
    """Whether nothing of it is an instance of a class of the code, or handed in."""
    return all(run.thing(ref).klass is None for ref in cells(value))


SEMANTICS: Final = _Cpp()
