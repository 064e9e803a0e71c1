"""Kotlin."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow import _kotlin_names as names_of
from grainline.flow.calls import Argument
from grainline.flow.semantics import NOT, Semantics, behind, leading
from grainline.flow.state import Thing
from grainline.flow.values import (
    GIVEN_RECEIVER,
    NO_TAINTS,
    NOTHING,
    Function,
    Key,
    Object,
    Value,
    constant,
    join,
    joined,
    ordered,
    pointing,
)
from grainline.model.flow import Role
from grainline.model.ir import Const, Op, Param, Port

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grainline.flow.machine import Run
    from grainline.flow.program import Place

SIZES: Final = frozenset(("length", "size", "lastIndex", "indices", "code", "ordinal"))
"""Members that are numbers, whatever they are members of."""

CHANGES: Final = frozenset(("+=", "-=", "*=", "/=", "%="))


class Block(NamedTuple):
    """A function that calls the one behind it.

    `on`: what that is called on (`receiver`, the first argument, a new thing of a type, "" for
    nothing); `gets` the same of its argument; `gives`: `result` or `on`.
    """

    on: str = ""
    gets: str = ""
    gives: str = "result"


BLOCKS: Final[Mapping[str, Block]] = {
    "let": Block(gets="receiver"),
    "also": Block(gets="receiver", gives="receiver"),
    "run": Block(on="receiver"),
    "apply": Block(on="receiver", gives="receiver"),
    "with": Block(on="first"),
    "use": Block(gets="receiver"),
    "useLines": Block(gets="receiver"),
    "takeIf": Block(gets="receiver", gives="tested"),
    "takeUnless": Block(gets="receiver", gives="tested"),
    "buildString": Block(on="StringBuilder()", gives="on"),
    "buildList": Block(on="List()", gives="on"),
    "buildSet": Block(on="List()", gives="on"),
    "buildMap": Block(on="Map()", gives="on"),
    "runBlocking": Block(),
    "withContext": Block(),
    "withTimeout": Block(),
    "withTimeoutOrNull": Block(),
    "coroutineScope": Block(),
    "supervisorScope": Block(),
    "launch": Block(),
    "async": Block(),
    "synchronized": Block(),
    "lazy": Block(),
    "runCatching": Block(on="receiver"),
    "transaction": Block(),
    "measureTimeMillis": Block(gives=""),
}
"""Functions of the language and its coroutines that run what stands behind them."""


class _Kotlin(Semantics):
    own = MappingProxyType({
        "text": "toString", "item": "get", "put": "set", "iterate": "iterator", "next": "next", "await": "getValue",
        "call": "invoke", "+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem",
        "..": "rangeTo", "unary unary": "unaryMinus",
    })  # fmt: skip
    receivers = frozenset(("this", "super"))
    parents = frozenset(("super",))
    implicit = True
    shifted = False
    typed = True
    functional = frozenset(("invoke", "get", "apply", "accept", "test", "run", "call"))
    jobs = ("run", "call", "get", "compute")
    constructors = ()
    bodies = True
    arms = True
    trailing = "{}"
    counts = False
    plain = frozenset(("String()", "java.lang.Integer()", "java.lang.Object()"))
    texts = frozenset(("String()",))
    unsaid = frozenset(word for name in names_of.ALWAYS for word in name.split("."))

    def spellings(self, word: str) -> tuple[str, ...]:
        return names_of.of_property(word)

    # ------------------------------------------------------------------ values

    def constant(self, kind: Const, text: str | None) -> Value:
        if kind is Const.OTHER and text is not None and len(text) > 2 and text[0] == "'":
            return constant(text[1:-1])
        if kind is Const.STR and text is None:
            return NOTHING
        return super().constant(kind, text)

    def truth(self, const: object) -> bool | None:
        return const if isinstance(const, bool) else None

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others; `+=` also sets what stands on its left, or adds to it."""
        if word in CHANGES and right is not None:
            return self._changed(run, op, word, left, right)
        if (mine := self._overloaded(run, op, word, left, right)) is not None:
            return mine
        word = {"!in": "not in", "!is": "is not"}.get(word, word)
        if right is None and word not in NOT:
            return left if word == "unary" else NOTHING
        return super().operate(run, op, word, left, right)

    def _changed(self, run: Run, op: int, word: str, left: Value, right: Value) -> Value:
        assert run.state is not None
        if any(isinstance(ref, Object) for ref in left.refs) and not left.taints:
            run.state.write(left, None, run.step(right, op, Role.PROPAGATOR, "added"))
            return left
        value = super().operate(run, op, word[:-1], left, right)
        code, a, b = run.ops[run.ops[op][1]][:3]
        if code == Op.LOAD:
            run.assign(op, a, value)
        elif code == Op.GETATTR:
            run.set_member(run.value(a), run.names[b], value)
        return value

    def text(self, values: list[Value], joined: Value) -> Value:
        known = [value.const for value in values]
        if all(isinstance(each, str) for each in known):
            return constant("".join(str(each) for each in known))
        found = Value(joined.taints, joined.refs | self.texts)
        return behind(leading(values), found)

    def element(self, run: Run, op: int, whole: Value, index: int, found: Value) -> Value:
        """An instance is taken apart in the order of the header of its class."""
        assert run.state is not None
        for ref in ordered(whole.refs):
            klass = run.thing(ref).klass if isinstance(ref, Object) else None
            names = _header(run, klass) if klass is not None else []
            if index < len(names):
                key = (".", names[index])
                return run.part(whole, key, run.state.read(whole, key))
        return run.part(whole, index, found)

    # ------------------------------------------------------------------ names

    def outside(self, run: Run, name: str) -> list[str]:
        return names_of.outside(run, name)

    def unbound(self, run: Run, op: int, name: str) -> Value | None:
        return names_of.unbound(run, op, name)

    def has_member(self, run: Run, holder: Value, name: str) -> bool:
        return names_of.has_member(run, holder, name)

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """Also members of the companion, and of Java what reading a property calls."""
        assert run.state is not None
        if name in SIZES:
            return Value(refs=found.refs)
        companion = names_of.companion_member(run, holder, name)
        if companion is not None:
            return companion
        called = op in run.program.callees[run.unit]
        getters = [] if called else names_of.getters(run, holder, name)
        if not getters:
            return found
        given = run.solver.modelled.call(run, op, getters, holder, [])
        rest = frozenset(ref for ref in found.refs if not isinstance(ref, str))
        return join(given, Value(refs=rest))

    def assigned(self, run: Run, op: int, holder: Value, name: str, content: Value) -> None:
        """Setting a property of Java calls its setter."""
        setters = names_of.setters(run, holder, name)
        if setters:
            given = [Argument(Port.POSITIONAL, "", content)]
            run.solver.modelled.call(run, op, setters, holder, given)

    # ------------------------------------------------------------------ calls

    def called(
        self, run: Run, op: int, callee: Value, receiver: Value | None, arguments: list[Argument]
    ) -> Value | None:
        code, a, b = run.ops[run.ops[op][1]][:3]
        if code not in (Op.LOAD, Op.GETATTR):
            return None
        name = run.names[a if code == Op.LOAD else b]
        if code == Op.LOAD and name in ("super", "this"):
            return _constructed(run, op, name, arguments)
        if run.program.calls.get((run.unit, run.code.site(op))):
            return None
        if name in BLOCKS and arguments:
            return _block(run, op, BLOCKS[name], receiver, arguments)
        work = _MEANT.get(name)
        return None if work is None else work(run, op, receiver, arguments)


# ------------------------------------------------------------------------------ instances


def _header(run: Run, klass: Place) -> list[str]:
    """The names in the header of a class, in order."""
    code = run.program.codes[klass[0]]
    row = code.scopes[klass[1]]
    return [code.names[each[1]] for each in code.params[row.params : row.params_end]
            if each[0] != Param.TYPE]  # fmt: skip


def _constructed(run: Run, op: int, word: str, arguments: list[Argument]) -> Value | None:
    """`: Base(x)` and `: this(x)`: code of a class runs for the same instance."""
    scope = run.scope if run.constructs else run.row.parent
    if run.receiver is None or scope < 0:
        return None
    own = (run.unit, scope)
    known = run.program.bases.get(own, ()) if word == "super" else [own]
    for klass in known:
        run.solver.calls.construct(run, op, klass, run.receiver, arguments)
    if not known:
        run.solver.calls.keep_in_base(run, op, arguments)
    return NOTHING


def _copied(run: Run, op: int, receiver: Value | None, arguments: list[Argument]) -> Value | None:
    """`x.copy(name = y)` of an instance whose class is there."""
    assert run.state is not None
    objects = [ref for ref in (receiver.refs if receiver else ()) if isinstance(ref, Object)]
    if receiver is None or not objects or run.thing(objects[0]).klass is None:
        return None
    klass = run.thing(objects[0]).klass
    assert klass is not None
    names = _header(run, klass)
    fields: dict[Key, Value] = {
        (".", name): run.state.read(receiver, (".", name)) for name in names
    }
    places = [each for each in arguments if each.kind == Port.POSITIONAL]
    given = [*zip(names, places, strict=False),
             *((each.key, each) for each in arguments if each.kind == Port.KEYWORD)]  # fmt: skip
    for name, each in given:
        fields[".", name] = run.step(each.value, op, Role.PROPAGATOR, "copied")
    ref = Object((run.unit, op, "copy"))
    run.state.heap[ref] = Thing(fields, klass=klass, exact=True)
    return pointing(ref)


def _component(
    run: Run, op: int, receiver: Value | None, arguments: list[Argument]
) -> Value | None:
    del arguments
    name = run.names[run.ops[run.ops[op][1]][2]]
    if receiver is None:
        return None
    whole = run.value(run.ops[run.ops[op][1]][1])
    assert run.state is not None
    index = int(name[-1]) - 1
    return SEMANTICS.element(run, op, whole, index, run.state.read(whole, index))


def _pair(run: Run, op: int, receiver: Value | None, arguments: list[Argument]) -> Value | None:
    """`a to b`, `Pair(a, b)`."""
    assert run.state is not None
    values = [each.value for each in arguments]
    if receiver is not None:
        values.insert(0, receiver)
    if len(values) != 2:
        return None
    one, two = (run.step(value, op, Role.PROPAGATOR) for value in values)
    ref = Object((run.unit, op, "pair"))
    run.state.heap[ref] = Thing({0: one, 1: two, (".", "first"): one, (".", "second"): two})
    return pointing(ref)


def _mapped(run: Run, op: int, receiver: Value | None, arguments: list[Argument]) -> Value | None:
    """`mapOf(a to b)`."""
    assert run.state is not None
    if receiver is not None:
        return None
    fields: dict[Key, Value] = {}
    rest = NOTHING
    for each in arguments:
        value = run.state.read(each.value, 1) if each.kind == Port.POSITIONAL else each.value
        key = run.state.read(each.value, 0).const
        if isinstance(key, (str, int)):
            fields[key] = run.step(value, op, Role.PROPAGATOR)
        else:
            rest = join(rest, run.step(value, op, Role.PROPAGATOR))
    ref = Object((run.unit, op, "map"))
    run.state.heap[ref] = Thing(fields, rest)
    return Value(refs=frozenset((ref, "Map()")))


def _required(run: Run, op: int, receiver: Value | None, arguments: list[Argument]) -> Value | None:
    """`require(x in known)`: it raises else."""
    del op
    assert run.state is not None
    if receiver is not None or not arguments:
        return None
    run.learn(run.state, arguments[0].value, truth=True)
    return NOTHING


# ------------------------------------------------------------------------------ functions


def _block(
    run: Run, op: int, block: Block, receiver: Value | None, arguments: list[Argument]
) -> Value | None:
    """A function of the language that calls the last argument."""
    assert run.state is not None
    work = arguments[-1].value
    receiver = run.receiver if receiver is None else receiver
    if not any(isinstance(ref, (Function, str)) for ref in work.refs):
        return None
    things = {"": NOTHING, "receiver": receiver or NOTHING, "first": arguments[0].value}
    if block.on not in things:
        ref = Object((run.unit, op, "made"))
        run.state.heap[ref] = Thing({})
        things[block.on] = Value(refs=frozenset((ref, block.on)))
    on, gets = things[block.on], things[block.gets]
    result = _result(run, op, work, on if block.on and on is not NOTHING else None, gets)
    if _is_over(run):
        return NOTHING
    if block.gives == "tested":
        truth = run.names[run.ops[run.ops[op][1]][2]] == "takeIf"
        return run.where(gets, result, truth=truth)
    if block.gives == "on":
        return on if block.on != "StringBuilder()" else Value(run.state.deep(on))
    return {"result": result, "receiver": things["receiver"], "": NOTHING}[block.gives]


def _is_over(run: Run) -> bool:
    """Whether nobody comes here any more."""
    return run.state is None


def _result(run: Run, op: int, work: Value, on: Value | None, gets: Value) -> Value:
    """What functions give that are called on something, with one argument."""
    results: list[Value] = []
    if on is not None:
        on = Value(on.taints, on.refs | {GIVEN_RECEIVER}, on.const, on.facts)
    for ref in sorted(work.refs, key=repr):
        if _is_over(run):
            break
        if isinstance(ref, Function):
            mine = on if ref.receiver is None else None
            results.append(run.solver.calls.invoke(run, op, ref, mine, [gets]))
        elif isinstance(ref, str) and not ref.startswith("?"):
            given = [Argument(Port.POSITIONAL, "", gets)]
            results.append(run.solver.modelled.call(run, op, [ref], None, given))
    found = joined(results)
    return (
        found
        if found.taints or found.refs
        else Value(NO_TAINTS, found.refs, found.const, found.facts)
    )


_MEANT: Final[Mapping[str, Callable[[Run, int, Value | None, list[Argument]], Value | None]]] = {
    "copy": _copied,
    "component1": _component,
    "component2": _component,
    "component3": _component,
    "to": _pair,
    "Pair": _pair,
    "mapOf": _mapped,
    "mutableMapOf": _mapped,
    "hashMapOf": _mapped,
    "linkedMapOf": _mapped,
    "require": _required,
    "check": _required,
}

SEMANTICS: Final = _Kotlin()
