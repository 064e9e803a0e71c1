"""Python."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from grainline.flow import containers, lists, moves
from grainline.flow.calls import Argument
from grainline.flow.rows import TEXT
from grainline.flow.semantics import Semantics
from grainline.flow.state import Thing
from grainline.flow.values import (
    NOTHING,
    Function,
    Key,
    Object,
    Value,
    constant,
    harmless,
    join,
    joined,
    ordered,
    pointing,
)
from grainline.model.flow import Cut, Role
from grainline.model.ir import Op, Port

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grainline.flow.machine import Run
    from grainline.flow.program import Place


_LATER: Final[Mapping[str, int]] = {
    "asyncio.to_thread": 0, "threading.Timer": 1, "atexit.register": 0, "signal.signal": 1,
    "contextvars.copy_context().run": 0,
}  # fmt: skip
"""What calls the function at a place, with the arguments behind it."""
_MEMBERS: Final[Mapping[str, int]] = {"submit": 0, "apply_async": 0, "run_in_executor": 1}
"""The same of methods of anything, where a function stands at the place."""
_THREADS: Final = frozenset(("threading.Thread", "multiprocessing.Process"))
_PARTIAL: Final[Key] = (".", "%function")


class _Python(Semantics):
    own = MappingProxyType({
        "text": "__str__|__repr__", "get": "__get__", "item": "__getitem__", "put": "__setitem__", "iterate": "__iter__",
        "next": "__next__", "await": "__await__", "enter": "__enter__", "call": "__call__", "member": "__getattr__|__getattribute__",
        "+": "__add__", "-": "__sub__", "*": "__mul__", "%": "__mod__", "/": "__truediv__",
        "//": "__floordiv__", "@": "__matmul__", "|": "__or__", "&": "__and__", "^": "__xor__",
        "<<": "__lshift__", ">>": "__rshift__", "unary -": "__neg__", "unary ~": "__invert__",
        "unary +": "__pos__",
    })  # fmt: skip

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others; `del x[key]` takes an element out."""
        if word == "del" and right is None:
            _taken_out(run, op)
            return NOTHING
        return super().operate(run, op, word, left, right)

    def called(
        self, run: Run, op: int, callee: Value, receiver: Value | None, arguments: list[Argument]
    ) -> Value | None:
        """Functions by constant names, with some of their arguments, and in threads."""
        names = callee.names()
        plain = [each for each in arguments if each.kind == Port.POSITIONAL]
        if names in (["str"], ["format"]) and plain:
            text = run.own(op, plain[0].value, "text", [])
            if text is not None:
                return text
        if "getattr" in names and len(plain) > 1 and isinstance(plain[1].value.const, str):
            return run.member(op, plain[0].value, plain[1].value.const)
        known_of = next((_OF_INSTANCES[name] for name in names if name in _OF_INSTANCES), None)
        if known_of is not None and plain:
            return known_of(run, op, arguments)
        if names == ["locals"]:
            return _any_variable(run, op, None)
        if names in (["eval"], ["exec"]) and plain and isinstance(plain[0].value.const, str):
            return _evaluated(run, op, names, arguments, plain[0].value.const)
        if "functools.partial" in names and plain:
            return _partial(run, op, arguments)
        typed = [each for each in arguments if each.key == "type" or each is _third(plain)]
        if _is_read(callee) and typed and not _NUMBERS.isdisjoint(typed[-1].value.names()):
            rest = [each for each in arguments if each is not typed[-1]]
            found = run.solver.modelled.call(run, op, names, receiver, rest)
            return harmless(found, TEXT)
        if names == ["any"] and len(plain) == 1:
            return _any(run, plain[0].op)
        if not _THREADS.isdisjoint(names):
            return _thread(run, op, arguments)
        known = [name for name in names if name in _LATER]
        at = _LATER[known[0]] if known else _MEMBERS.get(_last(names), len(plain))
        if len(plain) > at and _is_callable(plain[at].value):
            return run.solver.calls.through(run, op, plain[at].value, plain[at + 1 :])
        return _of_partial(run, op, callee, arguments)

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """The value of a member of an enumeration is the constant; a descriptor gives what its `__get__` does."""
        if name == "value" and isinstance(holder.const, str):
            return constant(holder.const)
        found = super().member(run, op, holder, name, found)
        for ref in ordered(holder.refs):
            made = run.solver.calls.begun(run, ref, name) if isinstance(ref, Object) else NOTHING
            given = run.own(op, made, "get", [pointing(ref), NOTHING]) if made.refs else None
            if run.is_over():
                return NOTHING
            found = found if given is None else join(found, given)
        return found

    def element(self, run: Run, op: int, whole: Value, index: int, found: Value) -> Value:
        """An instance is taken apart by a pattern in the order of the fields of its class."""
        assert run.state is not None
        for ref in ordered(whole.refs):
            klass = run.thing(ref).klass if isinstance(ref, Object) else None
            names = _fields(run, op, klass) if klass is not None else []
            if 0 <= index < len(names):
                key = (".", names[index])
                return run.part(whole, key, run.state.read(whole, key))
        return run.part(whole, index, found)


def _last(names: list[str]) -> str:
    return names[0].rpartition(".")[2] if names else ""


def _is_callable(value: Value) -> bool:
    """Whether a value is a function, or the name of something outside that is no thing."""
    return not value.taints and any(
        isinstance(ref, Function)
        or (isinstance(ref, str) and ref[0] not in "?%" and "(" not in ref)
        for ref in value.refs
    )


_NUMBERS: Final = frozenset(("int", "float", "bool"))


def _taken_out(run: Run, op: int) -> None:
    """`del x.name`, `del x[key]`: what stands behind an element of a list moves up."""
    assert run.state is not None
    code, holder, key = run.ops[run.ops[op][1]][:3]
    whole = run.value(holder)
    if code == Op.GETATTR:
        run.state.write(whole, run.semantics.key(run.names[key]), NOTHING)
        return
    at = run.value(key)
    if isinstance(at.const, str):
        run.state.write(whole, at.const, NOTHING)
        return
    containers.handle("pop", run, op, whole, [Argument(Port.POSITIONAL, "", at)])
    moves.change(run, op, whole)


def _third(plain: list[Argument]) -> Argument | None:
    return plain[2] if len(plain) > 2 else None


def _is_read(callee: Value) -> bool:
    """Whether something outside is asked for a value (`request.args.get("n", type=int)`)."""
    names = callee.names()
    return bool(names) and all(name.rpartition(".")[2] in ("get", "getlist") for name in names)


def _any(run: Run, op: int) -> Value | None:
    """`any(x == a for a in KNOWN)`."""
    row = run.ops[op]
    ports = run.code.ports[row[2] : row[2] + row[3]] if row[0] == Op.MAKE else []
    if len(ports) != 1 or ports[0][0] != Port.EACH:
        return None
    return Value(facts=lists.of_any(run, run.value(ports[0][2]), ports[0][2] - MAX_TEST, op))


MAX_TEST: Final = 40
"""Operations before the test of a comprehension among which are those that give its elements."""


def _fields(run: Run, op: int, klass: Place) -> list[str]:
    """Fields by place: those that are declared, else the parameters of the constructor."""
    found = run.solver.variables.fields(klass)
    if found:
        return found
    constructor = run.solver.calls.constructor(run, op, klass)
    known = [] if constructor is None else run.solver.calls.parameters(constructor)
    return [name for index, _, name, _ in known if index >= 0]


def _instances(run: Run, value: Value) -> list[tuple[Object, Place]]:
    """The instances of own classes that a value is."""
    found = [(ref, run.thing(ref).klass) for ref in ordered(value.refs) if isinstance(ref, Object)]
    return [(ref, klass) for ref, klass in found if klass is not None]


def _replaced(run: Run, op: int, arguments: list[Argument]) -> Value | None:
    """`dataclasses.replace(x, name=y)`."""
    assert run.state is not None
    made: list[Value] = []
    for number, (ref, klass) in enumerate(_instances(run, arguments[0].value)):
        copy = Object((run.unit, op, "copy", number))
        keys = [(".", name) for name in _fields(run, op, klass)]
        fields: dict[Key, Value] = {key: run.state.read(pointing(ref), key) for key in keys}
        for each in arguments[1:]:
            fields[".", each.key] = run.step(each.value, op, Role.PROPAGATOR, "replaced")
        run.state.heap[copy] = Thing(fields, klass=klass, exact=True)
        made.append(pointing(copy))
    return joined(made) if made else None


def _listed(run: Run, op: int, arguments: list[Argument]) -> Value | None:
    """`dataclasses.asdict(x)`, `astuple(x)`, `vars(x)`: its fields by their names, and by place."""
    assert run.state is not None
    made: list[Value] = []
    for number, (ref, klass) in enumerate(_instances(run, arguments[0].value)):
        fields: dict[Key, Value] = {}
        for at, name in enumerate(_fields(run, op, klass)):
            fields[at] = fields[name] = run.state.read(pointing(ref), (".", name))
        for key, value in run.thing(ref).fields.items():
            fields[key[1] if isinstance(key, tuple) else key] = value
        copy = Object((run.unit, op, "fields", number))
        run.state.heap[copy] = Thing(fields)
        made.append(pointing(copy))
    return joined(made) if made else None


_OF_INSTANCES: Final[Mapping[str, Callable[[Run, int, list[Argument]], Value | None]]] = {
    "dataclasses.replace": _replaced,
    "copy.replace": _replaced,
    "dataclasses.asdict": _listed,
    "dataclasses.astuple": _listed,
    "vars": _listed,
}

_WORD: Final = re.compile(r"[^\W\d]\w*")


def _any_variable(run: Run, op: int, words: frozenset[str] | None) -> Value:
    """What variables hold here, all of them or some by their names: which is asked for is not known."""
    assert run.state is not None
    held = [value for name, value in run.state.env.items()
            if words is None or run.names[name].partition("#")[0] in words]  # fmt: skip
    return run.solver.modelled.assumed(run, op, held, Cut.REFLECTION, "variables by name")


def _evaluated(run: Run, op: int, names: list[str], arguments: list[Argument], text: str) -> Value:
    """A constant text that is run: it may read the variables that it names, and what it is given."""
    assert run.state is not None
    run.solver.modelled.call(run, op, names, None, arguments)
    found = _any_variable(run, op, frozenset(_WORD.findall(text)))
    given = [each.value for each in arguments[1:]]
    more = run.solver.modelled.assumed(run, op, given, Cut.REFLECTION, names[0])
    for each in given:
        run.state.write(each, None, join(found, more))
    return join(found, more)


def _partial(run: Run, op: int, arguments: list[Argument]) -> Value:
    """A function with some of its arguments."""
    assert run.state is not None
    made = Object((run.unit, op, "partial"))
    fields: dict[Key, Value] = {_PARTIAL: arguments[0].value}
    for at, each in enumerate(arguments[1:]):
        fields[".", (each.key and f"%={each.key}") or f"%{at}"] = run.step(
            each.value, op, Role.PROPAGATOR
        )
    run.state.heap[made] = Thing(fields)
    return pointing(made)


def _of_partial(run: Run, op: int, callee: Value, arguments: list[Argument]) -> Value | None:
    """The result of a function that has got some of its arguments before."""
    things = [run.thing(ref) for ref in ordered(callee.refs) if isinstance(ref, Object)]
    known = [thing.fields for thing in things if _PARTIAL in thing.fields]
    if len(known) != 1:
        return None
    given: list[Argument] = []
    for key, value in known[0].items():
        word = key[1] if isinstance(key, tuple) and key != _PARTIAL else ""
        if word.startswith("%="):
            given.append(Argument(Port.KEYWORD, word[2:], value))
        elif word.startswith("%"):
            given.append(Argument(Port.POSITIONAL, "", value))
    return run.solver.calls.through(run, op, known[0][_PARTIAL], [*given, *arguments])


def _thread(run: Run, op: int, arguments: list[Argument]) -> Value | None:
    """`Thread(target=f, args=(a,))`: the function runs with these."""
    target = next((each.value for each in arguments if each.key == "target"), None)
    handed = next((each.value for each in arguments if each.key == "args"), None)
    if target is None or not _is_callable(target):
        return None
    items = [] if handed is None else run.items(handed)
    given = [Argument(Port.POSITIONAL, "", item) for item in items or ()]
    run.solver.calls.through(run, op, target, given)
    return NOTHING


SEMANTICS: Final = _Python()
