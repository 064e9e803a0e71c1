"""Rust."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from grainline.flow.semantics import Semantics
from grainline.flow.state import Thing
from grainline.flow.values import (
    NOTHING,
    Class,
    Function,
    Key,
    Object,
    Ref,
    Value,
    join,
    joined,
    ordered,
    pointing,
)
from grainline.model.flow import Role
from grainline.model.ir import ABSTRACT, Op, ScopeKind

if TYPE_CHECKING:
    from grainline.flow.calls import Argument
    from grainline.flow.machine import Run
    from grainline.model.ir import Scope

SAME: Final = frozenset(
    ("unwrap", "expect", "ok", "err", "ok_or", "ok_or_else", "as_ref", "as_mut", "as_deref",
     "as_str", "as_string", "as_bytes", "as_slice", "as_path", "borrow", "borrow_mut", "iter",
     "iter_mut", "into_iter", "into", "try_into", "to_string_lossy", "unwrap_unchecked", "by_ref",
     "context", "with_context", "map_err", "deref", "lock", "read", "write", "into_inner", "await",
     "to_path_buf", "into_string", "into_boxed_str", "into_bytes", "peekable", "rev", "enumerate",
     "unwrap_or_default", "cloned", "copied", "skip", "take", "cycle", "get_ref", "get_mut", "inner",
     "as_os_str", "to_str", "flatten", "into_owned", "as_ptr", "step_by", "fuse", "inspect_err")
)  # fmt: skip
"""Methods without arguments that matter, which give what they are called on, or what it wraps."""

COPIES: Final = frozenset(("clone", "to_owned", "to_vec", "collect"))
"""Methods that give another one of the same contents."""

OTHERS: Final = frozenset(("unwrap_or", "or", "get_or_insert"))
"""Methods that give what they are called on, or else the argument."""

LAZY: Final = frozenset(("unwrap_or_else", "or_else", "map_or_else", "get_or_insert_with"))
"""The same with a function."""

CHANGES: Final = frozenset(("+=", "-=", "*=", "/=", "%=", "|=", "&=", "^="))
WRAPS: Final = frozenset(("Some", "Ok", "Err", "Box", "Rc", "Arc", "Cow", "Mutex", "RwLock"))
"""What holds one value, which is meant."""


class _Rust(Semantics):
    own = MappingProxyType({
        "item": "index", "iterate": "into_iter", "next": "next",
        "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "&": "bitand", "|": "bitor",
        "^": "bitxor", "<<": "shl", ">>": "shr", "unary -": "neg", "unary !": "not",
    })  # fmt: skip
    shifted = False
    constructors = ()
    pointers = True
    wrappers = True
    parts = True
    counts = False

    # ------------------------------------------------------------------ values

    def truth(self, const: object) -> bool | None:
        return const if isinstance(const, bool) else None

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others; `+=` also sets what stands on its left."""
        if word not in CHANGES or right is None:
            return super().operate(run, op, word, left, right)
        value = super().operate(run, op, word[:-1], left, right)
        code, a, b = run.ops[run.ops[op][1]][:3]
        if code == Op.LOAD:
            run.bind(op, a, value)
        elif code == Op.GETATTR:
            run.set_member(run.value(a), run.names[b], value)
        return NOTHING

    # ------------------------------------------------------------------ names

    def imported(self, module: str, member: str | None, flag: int) -> str:
        """Paths are dotted names."""
        del flag
        whole = module if member is None else f"{module}::{member}"
        return whole.replace("::", ".")

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """The one field of something outside is what it wraps."""
        assert run.state is not None
        known = found.taints or any(not isinstance(ref, str) for ref in found.refs)
        if name[:-2].isdigit() and not known:
            found = join(found, run.state.read(Value(refs=holder.refs), int(name[:-2])))
        if name == "0#f" and not any(isinstance(ref, Object) for ref in found.refs):
            return Value(found.taints, found.refs | frozenset(holder.names()), found.const)
        return found

    def spelled(self, run: Run, op: int, value: Value) -> Value | None:
        """What an own `fmt` writes into what it gets."""
        assert run.state is not None
        found: list[Value] = []
        for number, ref in enumerate(ordered(value.refs)):
            klass = run.thing(ref).klass if isinstance(ref, Object) else None
            place = None if klass is None else run.program.member(klass, "fmt")
            if place is None or place == (run.unit, run.scope):
                continue
            into = Object((run.unit, op, "written", number))
            run.state.heap[into] = Thing({})
            mine = Function(*place, ref if isinstance(ref, Object) else None)
            run.solver.calls.invoke(run, op, mine, None, [pointing(into)])
            if run.is_over():
                return NOTHING
            found.append(Value(run.state.deep(pointing(into))))
        return joined(found) if found else None

    def is_hidden(self, function: Scope) -> bool:
        """What is declared without a body."""
        return bool(function.flags & ABSTRACT)

    # ------------------------------------------------------------------ calls

    def called(
        self, run: Run, op: int, callee: Value, receiver: Value | None, arguments: list[Argument]
    ) -> Value | None:
        assert run.state is not None
        code, a, b = run.ops[run.ops[op][1]][:3]
        if run.ops[op][0] == Op.NEW:
            return None
        if code == Op.LOAD:
            wraps = run.names[a] in WRAPS and len(arguments) == 1
            return run.step(arguments[0].value, op, Role.PROPAGATOR) if wraps else None
        if code != Op.GETATTR:
            return None
        word = run.names[b]
        if word == "new" and arguments and _wraps(run, a):
            return run.step(arguments[0].value, op, Role.PROPAGATOR)
        if receiver is None or _is_resolved(run, op) or _is_type(receiver):
            return None
        if word in SAME and not _is_known(run, callee):
            return run.step(receiver, op, Role.PROPAGATOR, word)
        if word in COPIES and not _is_known(run, callee):
            return _copied(run, op, receiver, word)
        if word in OTHERS and arguments:
            return join(receiver, run.step(arguments[-1].value, op, Role.PROPAGATOR, word))
        if word in LAZY:
            results = [receiver]
            for each in arguments:
                for ref in sorted(each.value.refs, key=repr):
                    if isinstance(ref, Function):
                        results.append(run.solver.calls.invoke(run, op, ref, None, [NOTHING]))
            return joined(results)
        return None


def _is_resolved(run: Run, op: int) -> bool:
    """Whether edges lead to a function that has a name."""
    site = (run.unit, run.code.site(op))
    return any(run.program.scope((each.unit, each.scope)).kind == ScopeKind.FUNCTION
               for each in run.program.calls.get(site, ()))  # fmt: skip


def _is_type(value: Value) -> bool:
    return any(isinstance(ref, Class) for ref in value.refs)


def _is_known(run: Run, callee: Value) -> bool:
    """Whether rows are about what is called itself."""
    language = run.code.language
    known = run.solver.modelled.known(language)
    return any(name in known or f"{name}()" in known for name in callee.names())


def _wraps(run: Run, op: int) -> bool:
    """Whether `X::new` is that of a wrapper."""
    code, a, b = run.ops[op][:3]
    if code == Op.LOAD:
        return run.names[a] in WRAPS
    if code == Op.IMPORT:
        return run.names[a].rpartition("::")[2] in WRAPS
    return code == Op.GETATTR and run.names[b] in WRAPS


def _copied(run: Run, op: int, receiver: Value, word: str) -> Value:
    """Another one with the same contents."""
    assert run.state is not None
    value = run.step(receiver, op, Role.PROPAGATOR, word)
    refs: set[Ref] = {ref for ref in value.refs if not isinstance(ref, Object)}
    for number, each in enumerate(
        sorted((r for r in value.refs if isinstance(r, Object)), key=repr)
    ):
        thing = run.thing(each)
        if thing.symbol is not None:
            refs.add(each)
            continue
        fields: dict[Key, Value] = dict(thing.fields)
        made = Object((run.unit, op, "copy", number))
        run.state.heap[made] = thing._replace(fields=fields, written=frozenset())
        refs.add(made)
    return Value(value.taints, frozenset(refs), value.const, value.facts)


SEMANTICS: Final = _Rust()
