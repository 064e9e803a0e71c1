"""What C and C++ have in common: variables are places, and a pointer is what it points at.

Every variable that is declared holds a cell, an object of its own, and so do fields and what is
allocated. A buffer, its elements and pointers to it are the same cell; what is written through any of
them is read through all. So a pointer to a pointer is one with it, which joins more than there is and
never less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.flow.semantics import AND, DIFFERS, EQUALS, OR, TESTS, Semantics
from grainline.flow.values import (
    NOTHING,
    UNKNOWN,
    Class,
    Function,
    Key,
    Object,
    Value,
    choices,
    merge,
)
from grainline.model.flow import Cut, Role
from grainline.model.ir import ARGUMENTS, BROKEN, Op, Scope, ScopeKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grainline.flow.calls import Argument
    from grainline.flow.machine import Run
    from grainline.flow.outside import Site

MAX_PARTS: Final = 7
"""Keys of a cell inside of others; a list goes on like this, and is one cell from there on."""

SAME: Final = frozenset(("*", "&", "->", "[]", "+", "-"))
"""Operators that give a place in what they are used on, or that itself."""

CHANGES: Final = frozenset(
    ("++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
)
PLAIN: Final = (*sorted(TESTS), *sorted(AND), *sorted(OR))


class Native(Semantics):
    """One of them."""

    shifted = False
    typed = True
    pointers = True
    zeros = True
    cells = True
    read_once = True
    implicit = True
    quoted = True
    constructors = ()
    through = ""
    """The word of a store through a pointer, where that is no other operator."""
    moves = False
    """Whether the register of a pointer stands for what an operator makes of it."""

    def leaves(self, run: Run, op: int) -> bool:
        """As others, where nothing is left to macros.

        What one makes of its arguments may be run under a condition, and so may what stands
        behind one where the parser missed something.
        """
        return not run.row.flags & BROKEN and op not in run.code.handed()

    def outside(self, run: Run, name: str) -> list[str]:
        """A name that nothing in the file binds."""
        del run
        return [name.partition("#")[0].removeprefix("struct ")]

    def truth(self, const: object) -> bool | None:
        """A pointer to a text is one, whatever the text is."""
        found = {isinstance(each, str) or bool(each) for each in choices(const)}
        return found.pop() if len(found) == 1 else None

    # ------------------------------------------------------------------ operators

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others, and places: what is written through a pointer, what an operator moves."""
        if word == "asm":
            run.solver.cut(run.unit, op, Cut.EXTERNAL, "asm")
            return left
        if word == self.through and right is not None:
            run.put(left, None, run.step(right, op, Role.PROPAGATOR))
            return left
        if word in CHANGES:
            return self._changed(run, op, left, right)
        if word in SAME and (right is None or self.moves or cells(left)):
            return self._moved(run, op, word, left, right)
        found = super().operate(run, op, word, left, right)
        if word in EQUALS or word in DIFFERS:
            return self._zero(run, word, found, left, right)
        return found

    def _zero(self, run: Run, word: str, found: Value, left: Value, right: Value | None) -> Value:
        """`x == 0` says what `!x` does."""
        for one, other in ((left, right), (right, left)):
            if one is None or other is None or other.const not in (0, None) or one.taints:
                continue
            facts = tuple(
                fact._replace(truth=fact.truth is (word in DIFFERS)) for fact in run.told(one)
            )
            return Value(const=found.const, facts=(*found.facts, *facts))
        return found

    def _changed(self, run: Run, op: int, left: Value, right: Value | None) -> Value:
        """What is counted on or added to is not known any more, and holds what is added."""
        taints = left.taints
        if right is not None and right.taints:
            added = run.longer(right.taints, op, Role.PROPAGATOR)
            taints = merge((taints, added))
        value = Value(taints, left.refs)
        self.rebind(run, op, run.ops[op][1], value)
        return self._result(run, op, value)

    def _moved(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        taints = left.taints
        if right is not None and right.taints and not cells(left):
            taints = merge((taints, run.longer(right.taints, op, Role.PROPAGATOR)))
        if word == "&":
            value = Value(taints, left.refs)
            self.rebind(run, op, run.ops[op][1], value)
            return self._result(run, op, value)
        return self._result(run, op, Value(taints, left.refs))

    def _result(self, run: Run, op: int, value: Value) -> Value:
        if self.moves:
            run.regs[run.ops[op][1]] = value
        return value

    @staticmethod
    def rebind(run: Run, op: int, at: int, value: Value) -> None:
        """Set the variable that an operand is, where it is one of a function."""
        if run.ops[at][0] == Op.LOAD and run.row.kind != ScopeKind.MODULE:
            name = run.ops[at][1]
            if run.state is not None and name in run.state.env:
                run.bind(op, name, value)

    def is_hidden(self, function: Scope) -> bool:
        """A macro stands for text, which is not looked at."""
        return bool(function.flags & ARGUMENTS) and function.first == function.last

    # ------------------------------------------------------------------ places

    def stored(self, run: Run, op: int, value: Value) -> Value | None:
        """What a variable holds after a store; None: what it held before."""
        name, at = run.ops[op][1:3]
        assert run.state is not None
        before = run.state.env.get(name)
        if self._is_part(run, name, at) and before is not None and cells(before):
            return None
        if run.row.kind == ScopeKind.MODULE:
            value = Value(value.taints, value.refs, UNKNOWN, value.facts)
        declared = op > 0 and run.ops[op - 1][0] == Op.ANNOTATE and run.ops[op - 1][1] == name
        if declared and before is not None and not cells(value):
            return Value(value.taints, value.refs | cells(before), value.const, value.facts)
        return value

    def _is_part(self, run: Run, name: int, at: int) -> bool:
        """Whether a store says that something in the variable is set."""
        made = run.ops[at]
        if not self.through or made[0] != Op.EITHER:
            return False
        written = run.ops[at - 1]
        return (
            written[0] == Op.OPERATE
            and run.names[written[3]] == self.through
            and run.ops[made[1]][:2] == [Op.LOAD, name]
        )

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """A field is a place: it holds a cell."""
        if op in run.code.callees():
            return found
        return self._held(run, holder, name, found)

    def inner(self, run: Run, holder: Value, key: Key | None) -> Value:
        """The same where a callee has set something in it."""
        found = super().inner(run, holder, key)
        return self._held(run, holder, key[1], found) if isinstance(key, tuple) else found

    def _held(self, run: Run, holder: Value, name: str, found: Value) -> Value:
        mine = cells(holder)
        if not mine or cells(found):
            return found
        if any(isinstance(ref, (Function, Class)) for ref in found.refs):
            return found
        assert run.state is not None
        made: set[Object] = set()
        for ref in sorted(mine, key=repr):
            if len(ref.key) >= MAX_PARTS or name in ref.key:
                made.add(ref)
                continue
            cell = Object((*ref.key, name))
            made.add(cell)
            kept = Value(found.taints, found.refs | {cell}, found.const)
            run.state.write(Value(refs=frozenset((ref,))), self.key(name), kept)
        return Value(found.taints, found.refs | made, found.const, found.facts)

    def cleared(self, run: Run, site: Site, value: Value) -> Value:
        """A variable that is filled from its beginning, where it is just that."""
        mine = cells(value)
        for argument in site.arguments:
            if argument.value is not value or run.ops[argument.op][0] != Op.LOAD:
                continue
            name = run.ops[argument.op][1]
            moved = any(row[0] == Op.OPERATE and row[1] == argument.op
                        for row in run.ops[argument.op : site.op])  # fmt: skip
            if moved or len(mine) != 1 or not all(_is_own(run, name, ref) for ref in mine):
                return value
            found = emptied(run, value)
            self.rebind(run, site.op, argument.op, found)
            return found
        return value

    def called(
        self,
        run: Run,
        op: int,
        callee: Value,
        receiver: Value | None,
        arguments: Sequence[Argument],
    ) -> Value | None:
        """What a call gets the place of may be another text, or nothing, afterwards."""
        del callee, receiver
        for argument in arguments:
            if isinstance(argument.value.const, str) or argument.value.const is None:
                value = Value(argument.value.taints, argument.value.refs)
                self.rebind(run, op, argument.op, value)
        return None


def _is_own(run: Run, name: int, ref: Object) -> bool:
    """Whether a cell is that of a variable, and not one that it points at."""
    at = ref.key[1] if len(ref.key) == 2 and ref.key[0] == run.unit else -1
    return isinstance(at, int) and at >= 0 and run.ops[at][:2] == [Op.ANNOTATE, name]


def cells(value: Value) -> frozenset[Object]:
    """The places that a value may be."""
    return frozenset(ref for ref in value.refs if isinstance(ref, Object))


def emptied(run: Run, value: Value) -> Value:
    """The same place with nothing in it."""
    assert run.state is not None
    for ref in cells(value):
        thing = run.thing(ref)
        fields: dict[Key, Value] = {
            key: each for key, each in thing.fields.items() if isinstance(key, tuple)
        }
        run.state.heap[ref] = type(thing)(fields, NOTHING, thing.klass, exact=thing.exact)
    return Value(refs=value.refs)
