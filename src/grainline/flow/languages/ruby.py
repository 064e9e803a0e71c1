"""Ruby."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from grainline.flow import hosts, regexes
from grainline.flow.regexes import Regex
from grainline.flow.rows import TEXT
from grainline.flow.semantics import Semantics
from grainline.flow.state import Thing
from grainline.flow.values import (
    NOTHING,
    UNKNOWN,
    Class,
    Fact,
    Free,
    Function,
    Key,
    Object,
    Trail,
    Value,
    choices,
    constant,
    join,
    joined,
    ordered,
    pointing,
)
from grainline.model.flow import Cut, Role
from grainline.model.ir import Const, Op, Port, ScopeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grainline.flow.calls import Argument
    from grainline.flow.machine import Run
    from grainline.flow.variables import Variable

OWN: Final = "#f"
"""The end of the name of a member that only the receiver itself sees."""

CALLS: Final = frozenset(("call", "yield", "()"))
"""Methods of functions that call them."""

NO_TEXTS: Final = frozenset(
    ("Integer", "Float", "Numeric", "Rational", "Proc", "Method", "TrueClass", "FalseClass",
     "NilClass", "Date", "Time")
)  # fmt: skip
"""Classes whose instances are no texts."""

SENDS: Final = frozenset(("send", "public_send", "__send__", "instance_exec"))
"""Methods that call what their first argument names."""


class _Ruby(Semantics):
    own = MappingProxyType({
        "text": "to_s", "item": "[]", "put": "[]=", "missing": "method_missing",
        **{word: word for word in ["+", "-", "*", "/", "%", "&", "|", "^", ">>"]},
        "unary -": "-@", "unary +": "+@",
    })  # fmt: skip
    receivers = frozenset(("self",))
    shifted = False
    constructors = ("initialize",)
    arms = True
    trailing = "yield"

    # ------------------------------------------------------------------ values

    def constant(self, kind: Const, text: str | None) -> Value:
        if kind is Const.OTHER and text is not None and text[:1] == "/":
            pattern, _, flags = text[1:].rpartition("/")
            return constant(Regex(pattern, flags))
        return super().constant(kind, text)

    def truth(self, const: object) -> bool | None:
        """Only `nil` and `false` are not true."""
        found = {each is not None and each is not False for each in choices(const)}
        return found.pop() if len(found) == 1 else None

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others; `<<` also adds to what stands on its left, `&&` gives what stands on its right."""
        if right is None:
            return super().operate(run, op, word, left, right)
        if word == "<<":
            return _added(run, op, left, right)
        if word == "&&":
            found = super().operate(run, op, word, left, right)
            return Value(right.taints, right.refs, found.const, found.facts)
        if word in ("is_a?", "==="):
            subject, kind = (left, right) if word == "is_a?" else (right, left)
            if facts := _is_no_text(run, op, subject, kind):
                return Value(facts=facts)
        if word in ("=~", "!~", "==="):
            for one, other in ((left, right), (right, left)):
                if isinstance(one.const, Regex):
                    return Value(facts=_matched(run, op, one.const, other, truth=word != "!~"))
        return super().operate(run, op, word, left, right)

    def key(self, name: str) -> Key:
        """What `@x` holds is what the reader of `x` gives; `@@x` is another one."""
        return (".", name if name.startswith("@@") else name.lstrip("@"))

    # ------------------------------------------------------------------ names

    def outside(self, run: Run, name: str) -> list[str]:
        """A constant that no file gives, `self` of a class, or a variable of the language."""
        word, _, around = name.partition("#")
        known = run.program.named
        if word == "self":
            whole = around.replace("|", "::")
            return [whole] if (run.code.language, whole) in known else []
        for each in _spellings(word, around):
            if (run.code.language, each) in known:
                return [each]
        return [word.removeprefix("::")]

    def unbound(self, run: Run, op: int, name: str) -> Value | None:
        """A constant that a file gives."""
        word, mark, around = name.partition("#")
        if not mark or word == "self":
            return None
        exported = run.program.exported
        for each in _spellings(word, around):
            places = exported.get((run.code.language, each.replace("::", "|")), ())
            if (run.code.language, each) in run.program.named:
                return None
            if places:
                found = [run.solver.variable_of(run, unit, 0, each.replace("::", "|"))
                         for unit in places[:4]]  # fmt: skip
                return joined(found) if len(found) > 1 else found[0]
        return None

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """A method as edges have it; else one of the receiver, or of everything."""
        word = name.removesuffix(OWN)
        if _is_resolved(run, op):
            plain = frozenset(ref for ref in found.refs if not isinstance(ref, (Function, str)))
            return Value(found.taints, plain, found.const)
        if name.startswith("@"):
            return _variable(run, holder, name, found)
        if name == "class#":
            places = [
                run.thing(ref).klass for ref in ordered(holder.refs) if isinstance(ref, Object)
            ]
            classes = [Class(*place) for place in places if place is not None]
            return pointing(*classes) if classes else found
        own = joined(run.solver.attribute(run, op, ref, word)
                     for ref in holder.refs if word == name or not isinstance(ref, str))  # fmt: skip
        if word == name:
            known = any(isinstance(ref, (str, Function, Class)) for ref in own.refs)
            return Value(refs=own.refs if known else own.refs | {f"?.{word}"})
        if any(isinstance(ref, Function) for ref in own.refs) or _is_field(run, holder, word):
            return own
        names = {each for each in own.refs if isinstance(each, str)}
        if not any(isinstance(ref, (Object, Class)) for ref in holder.refs):
            names |= {f"{library}.{word}" for library in run.program.libraries[run.unit]}
        return pointing(*(run.solver.canonical(run, each) for each in (word, *sorted(names))))

    def assigned(self, run: Run, op: int, holder: Value, name: str, content: Value) -> None:
        """What is set of a class is there for everybody."""
        del op
        for variable in _owned(run, holder, name) if name.startswith("@") else ():
            run.set_shared(variable, content)

    # ------------------------------------------------------------------ calls

    def called(
        self, run: Run, op: int, callee: Value, receiver: Value | None, arguments: list[Argument]
    ) -> Value | None:
        assert run.state is not None
        code, a, b = run.ops[run.ops[op][1]][:3]
        if code != Op.GETATTR:
            return None
        holder, word = run.value(a), run.names[b].removesuffix(OWN)
        functions = sorted((ref for ref in holder.refs if isinstance(ref, Function)), key=repr)
        if word in CALLS and functions:
            given = [each.value for each in arguments if each.kind == Port.POSITIONAL]
            return joined(run.solver.calls.invoke(run, op, each, None, given) for each in functions)
        if _is_resolved(run, run.ops[op][1]):
            return None
        if word in SENDS:
            return _sent(run, op, callee, receiver, arguments)
        if word[-1:] == "=" and len(arguments) == 1 and word not in ("==", "!="):
            content = run.step(arguments[0].value, op, Role.PROPAGATOR)
            run.set_member(holder, word[:-1], content)
            for variable in _accessed(run, holder, word):
                run.set_shared(variable, content)
            run.solver.stored(run, op, holder, word[:-1], content)
            return content
        if not arguments and _is_field(run, holder, word):
            return run.reading(op, run.state.read(holder, self.key(word)))
        kept = [] if arguments else _accessed(run, holder, word)
        if kept:
            values = [run.solver.class_variable(run, each, f"@{word}") for each in kept]
            return run.reading(op, joined(values))
        things = Value(refs=frozenset(ref for ref in holder.refs if isinstance(ref, Object)))
        held = run.state.read(things, self.key(word)) if things.refs else NOTHING
        mine = [ref for ref in ordered(held.refs) if isinstance(ref, Function)]
        if mine:
            given = [each.value for each in arguments if each.kind == Port.POSITIONAL]
            return joined(run.solver.calls.invoke(run, op, each, None, given) for each in mine)
        work = _MEANT.get(word)
        found = None if work is None else work(run, op, holder, arguments)
        if found is None and not _has(run, holder, word):
            values = [each.value for each in arguments if each.kind == Port.POSITIONAL]
            found = run.own(op, holder, "missing", [constant(word), *values])
        return found

    def taken_out(self, run: Run, op: int, holder: Value, key: Value) -> Value | None:
        """`f[x]` calls a function."""
        functions = [ref for ref in ordered(holder.refs) if isinstance(ref, Function)]
        if not functions:
            return None
        return joined(run.solver.calls.invoke(run, op, each, None, [key]) for each in functions)


# ------------------------------------------------------------------------------ names


def _spellings(word: str, around: str) -> list[str]:
    """What a constant may be called, from the innermost module outwards."""
    if word.startswith("::"):
        return [word[2:]]
    parts = around.split("|") if around else []
    return ["::".join((*parts[:count], word)) for count in range(len(parts), -1, -1)]


def _is_resolved(run: Run, op: int) -> bool:
    """Whether edges lead to a method: those to blocks are what the method calls."""
    site = (run.unit, run.code.span(op))
    if run.program.made.get(site):
        return True
    return any(run.program.scope((each.unit, each.scope)).kind != ScopeKind.LAMBDA
               for each in run.program.calls.get(site, ()))  # fmt: skip


def _is_field(run: Run, holder: Value, word: str) -> bool:
    """Whether a method is the reader of a field."""
    for ref in ordered(holder.refs):
        if not isinstance(ref, Object):
            continue
        klass = run.thing(ref).klass
        if klass is not None and run.solver.has_field(klass, word):
            return True
        if klass is None and word in run.program.readers:
            return True
    return False


# ------------------------------------------------------------------------------ variables of classes


def _owned(run: Run, holder: Value, name: str) -> list[Variable]:
    """The variables of classes that are meant: by `@@x` that of the code around, by `@x` those of the receiver.

    That of a class itself has a name that no field of its instances has.
    """
    if name.startswith("@@"):
        klass = run.program.around((run.unit, run.scope))
        return [] if klass is None else [(*run.program.sharing(klass, name), name)]
    classes = [(ref.unit, ref.scope) for ref in ordered(holder.refs) if isinstance(ref, Class)]
    return [(*run.program.sharing(each, name), f"{name}#self") for each in classes]


def _variable(run: Run, holder: Value, name: str, found: Value) -> Value:
    """What `@x` or `@@x` is, `found` for what is an instance."""
    values = [run.solver.class_variable(run, each, name) for each in _owned(run, holder, name)]
    return joined([*values, *([] if values and name.startswith("@@") else [found])])


def _accessed(run: Run, holder: Value, word: str) -> list[Variable]:
    """The variables that a method of a class reads or sets (`class << self; attr_accessor :x`)."""
    classes = [ref for ref in ordered(holder.refs) if isinstance(ref, Class)
               and run.solver.has_field((ref.unit, ref.scope), f"{word}#self")]  # fmt: skip
    return _owned(run, pointing(*classes), f"@{word.removesuffix('=')}")


# ------------------------------------------------------------------------------ operators


def _added(run: Run, op: int, left: Value, right: Value) -> Value:
    """`x << y`: x is a list, or a text that grows where it is."""
    assert run.state is not None
    content = run.step(right, op, Role.PROPAGATOR, "added")
    around = all(isinstance(origin, Free) for origin in left.taints)
    if any(isinstance(ref, Object) for ref in left.refs) and around:
        run.put(left, None, content)
        return left
    taints = SEMANTICS.text_of(run, op, (left, right))
    value = Value(taints, left.refs)
    code, a, b = run.ops[run.ops[op][1]][:3]
    if code == Op.LOAD:
        run.bind(op, a, value)
    elif code == Op.GETATTR:
        run.set_member(run.value(a), run.names[b], value)
    return value


def _matched(
    run: Run, op: int, regex: Regex, subject: Value, *, truth: bool = True
) -> tuple[Fact, ...]:
    """What a test by a regular expression shows; `^` and `$` are those of a line."""
    assert run.state is not None
    pattern = regex.pattern
    _remember(run, op, subject)
    whole = pattern.startswith("\\A") and pattern.endswith(("\\z", "\\Z"))
    passed = regexes.passed(pattern) if whole else 0
    absent = regexes.without(pattern)
    value = Value(run.state.deep(subject))
    found = hosts.facts(run, op, value, passed, "matched", truth=truth, host=0)
    return (*found, *hosts.facts(run, op, value, absent, "matched", truth=not truth, host=0))


_LAST: Final = ("$~", "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9")
"""Variables that hold what an expression matched last."""


def _remember(run: Run, op: int, subject: Value) -> None:
    """What an expression matches is in variables of the language."""
    assert run.state is not None
    taken = run.step(Value(run.state.deep(subject)), op, Role.PROPAGATOR, "matched")
    for word in _LAST:
        number = run.solver.name_number(run.unit, word)
        if number >= 0:
            run.state.env[number] = hosts.part(run, op, taken)


def _is_no_text(run: Run, op: int, subject: Value, kind: Value) -> tuple[Fact, ...]:
    """What being an instance of a class shows whose instances are no texts."""
    assert run.state is not None
    names = kind.names()
    if not names or not all(name in NO_TEXTS for name in names):
        return ()
    trail = Trail(run.unit, op, Role.GUARD, names[0])
    return tuple(Fact(True, origin, TEXT, trail) for origin in run.state.deep(subject))


# ------------------------------------------------------------------------------ methods


def _has(run: Run, holder: Value, word: str) -> bool:
    """Whether a class that is there has a method."""
    classes = [run.thing(ref).klass for ref in ordered(holder.refs) if isinstance(ref, Object)]
    return any(klass is not None and run.program.member(klass, word) for klass in classes)


def _block(arguments: list[Argument]) -> list[Function]:
    """The functions that the block of a call is."""
    return [ref for each in arguments[-1:] for ref in ordered(each.value.refs)
            if isinstance(ref, Function)]  # fmt: skip


def _caught(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`catch(:x) { throw :x, y }`: what the block gives, or what is thrown in it."""
    del receiver
    functions = _block(arguments)
    if not functions:
        return None
    run.raised.append([])
    run.thrown.append([])
    results = [run.solver.calls.invoke(run, op, each, None, []) for each in functions]
    states, values = run.raised.pop(), run.thrown.pop()
    run.state = run.meet([run.state, *states])
    return joined([*results, *values])


def _thrown(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`throw :x, y`."""
    del receiver
    run.throw(op, joined(each.value for each in arguments[1:]))
    run.state = None
    return NOTHING


def _made(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`Enumerator.new { |y| y << x }`, `Thread.new { x }`, `Hash.new { |h, k| h[k] = x }`."""
    assert run.state is not None
    functions, names = _block(arguments), receiver.names()
    if not functions or not any(name in _BUILDERS for name in names):
        return None
    ref = Object((run.unit, op, "made"))
    run.state.heap[ref] = Thing({})
    for each in functions:
        given = run.solver.calls.invoke(run, op, each, None, [pointing(ref)])
        if run.is_over():
            return NOTHING
        run.state.write(pointing(ref), None, run.step(given, op, Role.PROPAGATOR))
    return Value(refs=frozenset((ref, *(f"{name}.new()" for name in names))))


_BUILDERS: Final = frozenset(("Enumerator", "Thread", "Fiber", "Hash", "Array"))


def _grown(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`x.concat(y, z)`: a list, or a text that grows where it is."""
    for each in arguments:
        given = each.value
        if any(isinstance(ref, Object) for ref in receiver.refs):
            assert run.state is not None
            given = join(run.state.read(given, None), Value(given.taints))
        receiver = _added(run, run.ops[op][1], receiver, given)
    return receiver


def _given_method(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`x.define_singleton_method(:name) { }`, `x.instance_variable_set(:@name, y)`."""
    values = [each.value for each in arguments if each.kind == Port.POSITIONAL]
    content = values[1:2] or [pointing(*_block(arguments))]
    name = values[0].const if values else UNKNOWN
    if isinstance(name, str):
        run.set_member(receiver, name.removeprefix(":").lstrip("@"), content[0])
    elif content[0].taints:
        held = run.solver.modelled.assumed(run, op, content, Cut.REFLECTION, "computed name")
        run.put(receiver, None, held)
    return content[0]


def _taken_member(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`x.instance_variable_get(:@name)`: the one it is, else any."""
    assert run.state is not None
    name = arguments[0].value.const if arguments else UNKNOWN
    if isinstance(name, str):
        return run.state.read(receiver, SEMANTICS.key(name.removeprefix(":").lstrip("@")))
    held = Value(run.state.held(receiver))
    return run.solver.modelled.assumed(run, op, [held], Cut.REFLECTION, "computed name")


def _typed(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`x.is_a?(Integer)`."""
    facts = _is_no_text(run, op, receiver, arguments[0].value) if arguments else ()
    return Value(facts=facts) if facts else None


def _sent(
    run: Run, op: int, callee: Value, receiver: Value | None, arguments: list[Argument]
) -> Value | None:
    """`x.send(name)`: what runs is not known where the name is not."""
    if not arguments or arguments[0].value.const is not UNKNOWN:
        return None
    run.solver.modelled.call(run, op, callee.names(), receiver, arguments)
    values = [each.value for each in arguments]
    values += [] if receiver is None else [receiver]
    return run.solver.modelled.assumed(run, op, values, Cut.REFLECTION, "send")


def _tested(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`x.match?(/.../)`, `/.../.match(x)`."""
    if not arguments:
        return None
    for one, other in ((arguments[0].value, receiver), (receiver, arguments[0].value)):
        if isinstance(one.const, Regex):
            taken = run.step(Value(other.taints), op, Role.PROPAGATOR, "match")
            return Value(taken.taints, facts=_matched(run, op, one.const, other))
    return None


def _replaced(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`x.gsub(/[^a-z]/, "")`."""
    if len(arguments) != 2:
        return None
    pattern, by = arguments[0].value.const, arguments[1].value
    _remember(run, op, receiver)
    text = by.const if isinstance(by.const, str) else ""
    kinds = 0
    if isinstance(pattern, Regex):
        kinds = regexes.without(pattern.pattern, text)
    elif isinstance(pattern, str) and len(pattern) == 1:
        kinds = regexes.without(pattern if pattern.isalnum() else "\\" + pattern, text)
    role = Role.SANITIZER if kinds else Role.PROPAGATOR
    whole = run.step(Value(receiver.taints), op, role, "gsub")
    cleaned = {origin: taint._replace(clean=taint.clean | kinds)
               for origin, taint in whole.taints.items()}  # fmt: skip
    made = hosts.part(run, op, Value(cleaned))
    return join(made, run.step(Value(by.taints), op, Role.PROPAGATOR, "gsub"))


_MEANT: Final[Mapping[str, Callable[[Run, int, Value, list[Argument]], Value | None]]] = {
    "is_a?": _typed,
    "kind_of?": _typed,
    "instance_of?": _typed,
    "match?": _tested,
    "match": _tested,
    "gsub": _replaced,
    "gsub!": _replaced,
    "concat": _grown,
    "catch": _caught,
    "throw": _thrown,
    "new": _made,
    "define_singleton_method": _given_method,
    "instance_variable_set": _given_method,
    "instance_variable_get": _taken_member,
}

SEMANTICS: Final = _Ruby()
