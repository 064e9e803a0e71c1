"""Go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from grainline.flow.hosts import of_found
from grainline.flow.semantics import Semantics
from grainline.flow.state import Thing
from grainline.flow.values import (
    NOTHING,
    Class,
    Key,
    Object,
    Value,
    join,
    joined,
    ordered,
    pointing,
)
from grainline.model.flow import Role
from grainline.model.ir import Make, Op, Port

if TYPE_CHECKING:
    from grainline.flow.calls import Argument
    from grainline.flow.machine import Run
    from grainline.flow.program import Place


MAX_EMBEDDED: Final = 4
"""Structures inside of each other that a bare name is looked for in."""


def _embedding(
    run: Run, holder: Value, name: str
) -> Iterator[tuple[Object, list[Value], set[str]]]:
    """Structures without a field `name`, the parts that they embed, and the names of those not made."""
    for ref in ordered(holder.refs):
        thing = run.thing(ref) if isinstance(ref, Object) else None
        if not isinstance(ref, Object) or thing is None or thing.klass is None:
            continue
        program = run.program
        if run.solver.variables.binds(*thing.klass, name):
            continue
        names = [program.codes[unit].names[program.scope((unit, scope)).name]
                 for unit, scope in program.lineage(thing.klass) if (unit, scope) != thing.klass]  # fmt: skip
        keys = [run.semantics.key(each) for each in names]
        parts = [thing.fields[key] for key in keys if key in thing.fields]
        yield (
            ref,
            parts,
            {name for name, key in zip(names, keys, strict=True) if key not in thing.fields},
        )


class _Go(Semantics):
    own = MappingProxyType({"text": "Error|String"})
    shifted = False
    typed = True
    pointers = True
    folders = True
    zeros = True
    recovers = "recover"
    constructors = ()
    texts = frozenset(("string()",))
    plain = frozenset(("string()", "int()", "error()", "bool()", "byte()", "any()"))

    def outside(self, run: Run, name: str) -> list[str]:
        """A name that nothing in the file binds: a type of the package, or one of the language."""
        word = name.partition("#")[0]
        folder = run.program.folder(run.unit)
        mine = f"{folder}.{word}" if folder else word
        return [mine] if (run.code.language, mine) in run.program.named else [word]

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others; `v, ok := m[k]` says whether a key is there."""
        if word == "found" and right is None:
            return Value(facts=of_found(left))
        return super().operate(run, op, word, left, right)

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """Also a field of what a structure embeds by its bare name, and an embedded one not made apart."""
        if found.taints or any(not isinstance(ref, str) for ref in found.refs):
            return found
        return joined((found, *self._promoted(run, holder, name, MAX_EMBEDDED)))

    def _promoted(self, run: Run, holder: Value, name: str, depth: int) -> Iterator[Value]:
        for ref, parts, flat in _embedding(run, holder, name):
            if name in flat:
                yield pointing(ref)
            for part in parts if depth else ():
                found = run.state.read(part, self.key(name)) if run.state else NOTHING
                if found.taints or found.refs:
                    yield found
                else:
                    yield from self._promoted(run, part, name, depth - 1)

    def assigned(self, run: Run, op: int, holder: Value, name: str, content: Value) -> None:
        """A field of what is embedded may be set by its bare name."""
        del op
        for _, parts, _ in _embedding(run, holder, name):
            for part in parts:
                run.set_member(part, name, content)

    def is_record(self, run: Run, klass: Place | None) -> bool:
        """The text of every structure is that of its fields."""
        del run
        return klass is not None

    def truth(self, const: object) -> bool | None:
        return const if isinstance(const, bool) else None

    def element(self, run: Run, op: int, whole: Value, index: int, found: Value) -> Value:
        """The last of several results of something outside is an error, or whether there is one."""
        count = run.ops[op][3]
        if any(isinstance(ref, Object) and run.thing(ref).length for ref in whole.refs):
            return found
        if index == count - 1 and count > 1:
            held = run.solver.permission.succeeded(run, op, whole)
            known = tuple(
                fact._replace(truth=False) for fact in whole.facts if fact.found and fact.truth
            )
            return Value(held.taints, held.refs, held.const, (*held.facts, *known))
        names = whole.names() if index == 0 else []
        if count > 2:
            found = run.part(whole, index, found)
        facts = () if index else whole.facts
        return Value(found.taints, found.refs | frozenset(names) | whole.refs, found.const, facts)

    def called(
        self,
        run: Run,
        op: int,
        callee: Value,
        receiver: Value | None,
        arguments: Sequence[Argument],
    ) -> Value | None:
        """Literals of maps, lists and types, conversions, and `append`."""
        code, a = run.ops[op][:2]
        if code == Op.NEW:
            if run.ops[a][0] == Op.MAKE:
                return _display(run, op, run.ops[a][1], arguments)
            if callee.names() and not run.program.made.get((run.unit, run.code.site(op))):
                return _struct(run, op, callee, arguments)
            return None
        if any(isinstance(ref, Class) and ref.scope for ref in callee.refs) and len(arguments) == 1:
            return run.step(arguments[0].value, op, Role.PROPAGATOR)
        if callee.names() == ["append"]:
            return _appended(run, op, arguments)
        return None


def _display(run: Run, op: int, kind: int, arguments: Sequence[Argument]) -> Value:
    assert run.state is not None
    fields: dict[Key, Value] = {}
    for number, argument in enumerate(arguments):
        value = run.step(argument.value, op, Role.PROPAGATOR)
        fields[argument.key if argument.kind == Port.KEYWORD else number] = value
    ref = Object((run.unit, op))
    length = None if kind == Make.DICT else len(fields)
    run.state.heap[ref] = Thing(fields, length=length)
    return pointing(ref)


def _struct(run: Run, op: int, callee: Value, arguments: Sequence[Argument]) -> Value:
    """A value of a type outside, with its fields."""
    assert run.state is not None
    fields: dict[Key, Value] = {}
    for argument in arguments:
        if argument.kind == Port.KEYWORD:
            fields[".", argument.key] = run.step(argument.value, op, Role.PROPAGATOR)
    ref = Object((run.unit, op))
    run.state.heap[ref] = Thing(fields)
    made = run.solver.modelled.built(run, op, callee.names(), arguments)
    return Value(refs=frozenset((ref, *made)))


def _appended(run: Run, op: int, arguments: Sequence[Argument]) -> Value:
    """A new list: the elements of the first, and the others."""
    assert run.state is not None
    if not arguments:
        return NOTHING
    first = arguments[0].value
    ref = Object((run.unit, op, "all"))
    old = [each for each in ordered(first.refs) if isinstance(each, Object)]
    known = run.thing(old[0]) if len(old) == 1 else Thing({})
    if known.length is None and (old or first.taints):
        known = Thing({}, run.state.read(first, None))
    fields = dict(known.fields)
    length, rest = known.length or 0, known.rest
    sure = known.length is not None or not old
    for argument in arguments[1:]:
        value = run.step(argument.value, op, Role.PROPAGATOR, "added")
        if argument.kind == Port.STAR or not sure:
            inner = run.state.read(value, None) if argument.kind == Port.STAR else value
            rest = join(rest, inner)
            sure = False
        else:
            fields[length] = value
            length += 1
    run.state.heap[ref] = Thing(fields, rest, length=length if sure else None)
    return Value(first.taints, frozenset((ref,)))


SEMANTICS: Final = _Go()
