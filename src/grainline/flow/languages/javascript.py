"""JavaScript, TypeScript, TSX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow import constants, hosts, regexes
from grainline.flow._javascript_members import STATICS, proxied
from grainline.flow.calls import Argument
from grainline.flow.containers import called
from grainline.flow.regexes import Regex
from grainline.flow.rows import ALL_KINDS, TEXT_KINDS
from grainline.flow.semantics import (
    DIFFERS,
    EQUALS,
    SITE,
    SITE_KINDS,
    TESTS,
    Found,
    Semantics,
    behind,
    leading,
    of_place,
)
from grainline.flow.texts import UNSAID, lacks, starts
from grainline.flow.values import (
    NOTHING,
    UNKNOWN,
    Fact,
    Free,
    Function,
    Key,
    Object,
    Origin,
    Ref,
    Taint,
    Trail,
    Value,
    constant,
    join,
    pointing,
)
from grainline.model.flow import Cut, Role
from grainline.model.ir import Const, Op, Port

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grainline.flow.machine import Run

EXPORTS: Final = "module.exports"

NUMERIC: Final = frozenset(("-", "*", "/", "%", "**", "<<", ">>", ">>>", "&", "|", "^"))
"""Operators whose results are numbers."""

PLAIN_TYPES: Final = frozenset(("number", "boolean", "bigint", "undefined", "symbol"))
"""Answers of `typeof` for what cannot be a text."""

URLS: Final = frozenset(("URL", "url.URL"))
ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

RESOLVE: Final = "%resolve"
"""What the callback of `new Promise` gets: a call of it is the promise's value."""


ADDRESS: Final = frozenset(("href",))
"""Members of an address that are all of it."""


class Type(NamedTuple):
    """What `typeof` gives: it stands for these origins."""

    origins: tuple[tuple[Origin, Trail], ...]


class JavaScript(Semantics):
    """What is particular: names of members, promises, `typeof`, regular expressions."""

    receivers = frozenset(("this",))
    parents = frozenset(("super",))
    calls_base = "super"
    shifted = False
    constructors = ("constructor",)
    parts = True
    variadic = "arguments"
    whole = f"={EXPORTS}"

    # ------------------------------------------------------------------ names

    def key(self, name: str) -> Key:
        """Attributes and items are the same."""
        return name

    def is_part(self, key: Key | None) -> bool:
        """What parts of an address are says what it is."""
        return key is not None and key not in ADDRESS

    def member_name(self, key: Key | None) -> str:
        """A text is the name of a member."""
        return f".{key}" if isinstance(key, str) else "[]"

    def exported(self, member: str) -> tuple[str, ...]:
        """An export of that name; the whole of a module of the older kind is its default."""
        if member == "default":
            return "=default", f"={EXPORTS}", EXPORTS
        return f"={member}", member

    def below(self, name: str, member: str) -> str:
        """The default of a module that is loaded while code runs is the module, as of an import."""
        return name if member == "default" and "(" not in name else f"{name}.{member}"

    def imported(self, module: str, member: str | None, flag: int) -> str:
        """`node:fs` is `fs`, and so is what is imported as its default."""
        del flag
        module = module.removeprefix("node:")
        if member is None or member in ("default", EXPORTS, "*"):
            return module
        return f"{module}.{member}"

    def unbound(self, run: Run, op: int, name: str) -> Value | None:
        """`super` is told from the variable of a scope around."""
        del run, op
        return pointing("super") if name == "super" else None

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """Lengths are numbers."""
        del op
        if name != "length":
            return found
        lengths = {run.thing(ref).length for ref in holder.refs if isinstance(ref, Object)}
        length = lengths.pop() if len(lengths) == 1 and not holder.taints else None
        return NOTHING if length is None else constant(length)

    # ------------------------------------------------------------------ constants

    def constant(self, kind: Const, text: str | None) -> Value:
        """Regular expressions are kept, too."""
        if kind is Const.OTHER and text is not None and text.startswith("/"):
            pattern, _, flags = text[1:].rpartition("/")
            return constant(Regex(pattern, flags))
        return super().constant(kind, text)

    def truth(self, const: object) -> bool | None:
        """What is found at place 0 is found, too."""
        if isinstance(const, (Type, Found)):
            return None
        return super().truth(const)

    # ------------------------------------------------------------------ operators

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """Operators, where they are not what they are elsewhere."""
        if right is None:
            return self._one(run, op, word, left)
        if word in TESTS:
            facts = _of_type(word, left, right) or of_place(word, left, right)
            if facts:
                return Value(facts=facts)
            if isinstance(left.const, tuple) or isinstance(right.const, tuple):
                return NOTHING
            return super().operate(run, op, word, left, right)
        if word in NUMERIC:
            known = constants.fold(word, left.const, right.const)
            return NOTHING if known is UNKNOWN else constant(known)
        found = super().operate(run, op, word, left, right)
        if word != "+" or not found.taints:
            return found
        return behind(self.first(run, op, word), Value(_text(found.taints), found.refs))

    def _one(self, run: Run, op: int, word: str, value: Value) -> Value:
        if word == "typeof":
            trail = Trail(run.unit, op, Role.GUARD, "typeof")
            return Value(const=Type(tuple((origin, trail) for origin in value.taints)))
        if word == "in":
            return run.step(called(value), op, Role.PROPAGATOR, "keys")
        if word in ("+", "~", "++", "--", "void", "delete"):
            known = value.const if word == "+" and isinstance(value.const, int) else UNKNOWN
            return Value(const=known)
        return super().operate(run, op, word, value, None)

    def text(self, values: list[Value], joined: Value) -> Value:
        """A text of texts: constant when they are, and no operator of a query."""
        known = [value.const for value in values]
        if all(isinstance(const, (str, int)) and not isinstance(const, bool) for const in known):
            return constant("".join(str(const) for const in known)[: constants.MAX_TEXT])
        joined = Value(_text(joined.taints), joined.refs)
        return behind(leading(values), joined) if joined.taints else joined

    # ------------------------------------------------------------------ calls

    def called(
        self, run: Run, op: int, callee: Value, receiver: Value | None, arguments: list[Argument]
    ) -> Value | None:
        """Calls that the language itself gives a meaning."""
        row = run.ops[run.ops[op][1]]
        later = _later(run, op, callee, arguments)
        if later is not None:
            return later
        if len(arguments) > 1 and not URLS.isdisjoint(callee.names()):
            start = arguments[0].value.const
            if isinstance(start, str) and ABSOLUTE.match(start):  # is relative to nothing
                names = callee.names()
                return run.solver.modelled.call(run, op, names, receiver, arguments[:1])
        static = next((STATICS[name] for name in callee.names() if name in STATICS), None)
        if static is not None:
            return static(run, op, _plain(arguments))
        if row[0] == Op.GETATTR and receiver is not None:
            work = METHODS.get(run.names[row[2]])
            return None if work is None else work(run, op, receiver, arguments)
        if RESOLVE in callee.refs:
            return _resolve(run, op, callee, arguments)
        if row[0] == Op.LOAD:
            work = FUNCTIONS.get(run.names[row[1]])
            known = callee.refs == frozenset((run.names[row[1]],))
            return work(run, op, callee, arguments) if work is not None and known else None
        if row[0] == Op.GETITEM and run.value(row[2]).const is UNKNOWN:
            return _computed(run, op, callee, run.value(row[1]), arguments)
        return None


def _plain(arguments: list[Argument]) -> list[Value]:
    return [each.value for each in arguments if each.kind == Port.POSITIONAL]


def _functions(value: Value) -> list[Function]:
    return sorted((ref for ref in value.refs if isinstance(ref, Function)), key=repr)


# ------------------------------------------------------------------------------ functions as things


_LATER: Final[Mapping[str, int]] = {
    "setTimeout": 2, "setInterval": 2, "setImmediate": 1, "process.nextTick": 1,
    "window.setTimeout": 2, "window.setInterval": 2, "Reflect.apply": 2,
}  # fmt: skip
"""What calls its first argument: the first of those that it hands on."""


def _later(run: Run, op: int, callee: Value, arguments: list[Argument]) -> Value | None:
    """`setTimeout(f, 10, a)`, `Reflect.apply(f, this, [a])`: the function is called with these."""
    known = [name for name in callee.names() if name in _LATER]
    if not known or not arguments or arguments[0].value.taints:
        return None
    called = arguments[0].value
    outside = [name for name in called.names() if name[0] not in "?%" and "(" not in name]
    refs: frozenset[Ref] = frozenset((*_functions(called), *outside))
    if not refs:
        return None
    rest = arguments[_LATER[known[0]] :]
    if known[0] == "Reflect.apply":
        items = run.items(rest[0].value) if rest else None
        rest = [Argument(int(Port.POSITIONAL), "", item) for item in items or ()]
    return run.solver.calls.through(run, op, Value(refs=refs), rest)


def _apply(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`f.call(this, a)`, `f.apply(this, [a])`."""
    functions = _functions(receiver)
    if not arguments or (not functions and not _is_outside(receiver)):
        return None
    assert run.state is not None
    this, *rest = _plain(arguments)
    if run.names[run.ops[run.ops[op][1]][2]] == "apply" and rest:
        length = max((run.thing(ref).length or 0
                      for ref in rest[0].refs if isinstance(ref, Object)), default=0)  # fmt: skip
        rest = [run.state.read(rest[0], at) for at in range(length or 6)]
    if not functions:
        given = [Argument(int(Port.POSITIONAL), "", each) for each in rest]
        return run.solver.calls.through(run, op, receiver, given)
    results = [run.solver.calls.invoke(run, op, each, this, rest) for each in functions]
    found = results[0]
    for other in results[1:]:
        found = join(found, other)
    return found


def _is_outside(value: Value) -> bool:
    """Whether it is known what a value is, and that is nothing of the code."""
    names = value.names()
    return bool(names) and not any(name.startswith("?") or name.endswith("()") for name in names)


def _bind(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`f.bind(this, a)`: with arguments it is looked at with these, what follows is not known."""
    functions = _functions(receiver)
    if not functions and _is_outside(receiver) and len(arguments) == 1:
        return receiver
    if not functions:
        return None
    values = _plain(arguments)
    this = next((ref for value in values[:1] for ref in sorted(value.refs, key=repr)
                 if isinstance(ref, Object)), None)  # fmt: skip
    if len(values) > 1:
        for each in functions:
            run.solver.calls.invoke(run, op, each, values[0], values[1:])
        return NOTHING
    return pointing(*(each._replace(receiver=this or each.receiver) for each in functions))


def _computed(
    run: Run, op: int, callee: Value, holder: Value, arguments: list[Argument]
) -> Value | None:
    """`obj[name]()`: every member may run, and that it does is an assumption."""
    functions = _functions(callee)
    if not functions:
        return None
    run.solver.cut(run.unit, op, Cut.REFLECTION, "computed member")
    place = (run.unit, op, Cut.REFLECTION.value)
    given = [_supposed(run, value, place) for value in _plain(arguments)]
    found = NOTHING
    for each in functions:
        found = join(found, run.solver.calls.invoke(run, op, each, holder, given))
    return found


def _supposed(run: Run, value: Value, place: tuple[int, int, str]) -> Value:
    """A value whose way depends on an assumption."""
    assert run.state is not None
    taints = {
        origin: taint._replace(assumed=(*taint.assumed, place))
        for origin, taint in run.state.deep(value).items()
        if place not in taint.assumed
    }
    return Value(taints, frozenset(ref for ref in value.refs if not isinstance(ref, Object)))


# ------------------------------------------------------------------------------ promises


def _promise(run: Run, op: int, callee: Value, arguments: list[Argument]) -> Value | None:
    """`new Promise(work)`: it is what `work` gives to its first argument."""
    del callee
    values = _plain(arguments)
    if run.ops[op][0] != Op.NEW or not values or not _functions(values[0]):
        return None
    assert run.state is not None
    ref = Object((run.unit, op, "promise"))
    run.state.write(pointing(ref), None, NOTHING)
    for each in _functions(values[0]):
        run.solver.calls.invoke(run, op, each, None, [pointing(ref, RESOLVE)])
    return run.thing(ref).rest


def _resolve(run: Run, op: int, callee: Value, arguments: list[Argument]) -> Value:
    """The first argument of `work` is called: the promise holds what it gets."""
    assert run.state is not None
    for value in _plain(arguments)[:1]:
        run.state.write(callee, None, run.step(value, op, Role.PROPAGATOR, "resolved"))
    return NOTHING


def _evaluate(run: Run, op: int, callee: Value, arguments: list[Argument]) -> Value | None:
    """Code that is text is a boundary where the text is not known."""
    values = _plain(arguments)
    if values and values[-1].const is UNKNOWN and not _functions(values[0]):
        run.solver.cut(run.unit, op, Cut.EVAL, callee.names()[0])
    return None


def _load(run: Run, op: int, callee: Value, arguments: list[Argument]) -> Value | None:
    """`require(name)` of a name that is not fixed."""
    del callee, arguments
    run.solver.cut(run.unit, op, Cut.DYNAMIC_IMPORT, "require")
    return None


# ------------------------------------------------------------------------------ tests


def _facts(run: Run, op: int, value: Value, kinds: int, note: str, *, truth: bool = True) -> Value:
    assert run.state is not None
    inside = Value(run.state.deep(value))
    return Value(facts=hosts.facts(run, op, inside, kinds, note, truth=truth))


def _regex_test(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`/^[a-z]+$/.test(x)`, `/^[a-z]+$/.exec(x)`, `x.match(/^[a-z]+$/)`, `x.search(/^[a-z]+$/)`."""
    values = _plain(arguments)
    if not values:
        return None
    regex, subject = receiver.const, values[0]
    if isinstance(subject.const, Regex):
        regex, subject = subject.const, receiver
    if not isinstance(regex, Regex):
        return None
    word = run.names[run.ops[run.ops[op][1]][2]]
    lines = "m" in regex.flags
    found = _facts(run, op, subject, regexes.passed(regex.pattern, several_lines=lines), word)
    other = _facts(run, op, subject, regexes.without(regex.pattern), word, truth=False)
    facts = tuple(fact._replace(found=word in _FINDS)
                  for fact in (*found.facts, *other.facts) if fact.kinds)  # fmt: skip
    if word == "search":
        return Value(const=Found(facts))
    taken = hosts.part(run, op, Value(subject.taints)) if word in _FINDS else NOTHING
    return Value(taken.taints, facts=facts)


_FINDS: Final = frozenset(("match", "exec"))
"""Methods of texts and expressions that give what they find, and nothing where they find none."""


def _regex(run: Run, op: int, callee: Value, arguments: list[Argument]) -> Value | None:
    """`new RegExp("^[a-z]+$", "i")`."""
    del callee
    consts = [value.const for value in _plain(arguments)]
    known = run.solver.modelled.call(run, op, ["RegExp"], None, arguments)
    if not consts or not all(isinstance(each, str) for each in consts):
        return known
    return Value(known.taints, known.refs, Regex(str(consts[0]), "".join(map(str, consts[1:2]))))


def _replace(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`x.replace(/[^a-z]/g, "")`, `x.replaceAll("<", "&lt;")`."""
    values = _plain(arguments)
    if len(values) != 2 or not receiver.taints:
        return None
    pattern, by = values[0].const, values[1]
    kinds = 0
    text = by.const if isinstance(by.const, str) else ""
    every = run.names[run.ops[run.ops[op][1]][2]] == "replaceAll"
    if isinstance(pattern, Regex) and "g" in pattern.flags:
        kinds = regexes.without(pattern.pattern, text)
    elif isinstance(pattern, str) and every and len(pattern) == 1:
        kinds = regexes.without("\\" + pattern if not pattern.isalnum() else pattern, text)
    for each in _functions(by):
        run.solver.calls.invoke(run, op, each, None, _matched(run, op, pattern, receiver))
    role = Role.SANITIZER if kinds else Role.PROPAGATOR
    whole = run.step(Value(receiver.taints), op, role, "replace")
    cleaned = hosts.parted(run, op, {origin: taint._replace(clean=taint.clean | kinds)
                                     for origin, taint in whole.taints.items()})  # fmt: skip
    return Value({**run.step(Value(by.taints), op, Role.PROPAGATOR, "replace").taints, **cleaned})


_GROUP: Final = re.compile(r"(?<!\\)\((?!\?(?!<[A-Za-z_]))")


def _matched(run: Run, op: int, pattern: object, subject: Value) -> list[Value]:
    """What the function of a `replace` is called with: what matched, its groups, where, and the text."""
    whole = run.step(Value(subject.taints), op, Role.PROPAGATOR, "matched")
    part = hosts.part(run, op, whole)
    if isinstance(pattern, str):
        return [constant(pattern), NOTHING, whole]
    if not isinstance(pattern, Regex):
        return [part] * (MOST_GROUPS + 1)
    kinds = regexes.passed(f"^(?:{pattern.pattern})$")
    match = {origin: taint._replace(clean=taint.clean | kinds)
             for origin, taint in part.taints.items()}  # fmt: skip
    groups = len(_GROUP.findall(pattern.pattern))
    return [Value(match), *[part] * min(groups, MOST_GROUPS), NOTHING, whole]


MOST_GROUPS: Final = 9
"""Groups of an expression that the function of a `replace` is handed."""


def _includes(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`["a", "b"].includes(x)`, where the list holds no data; `x.includes("/")`."""
    values = _plain(arguments)
    part = values[0].const if values else UNKNOWN
    if isinstance(part, str) and receiver.taints and lacks(part):
        return _facts(run, op, receiver, lacks(part), f"lacks {part!r}", truth=False)
    if not values or not values[0].taints or not _fixed(run, receiver):
        return None
    return _facts(run, op, values[0], ALL_KINDS, "one of fixed texts")


def _index(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`list.indexOf(x)`: what it says is known when it is compared."""
    found = _includes(run, op, receiver, arguments)
    facts = () if found is None else found.facts
    values = _plain(arguments)
    start = values[0].const if values else UNKNOWN
    if receiver.taints and values and not values[0].taints:
        kinds = SITE_KINDS if isinstance(start, str) and SITE.match(start) else 0
        kinds |= starts(start) if isinstance(start, str) else UNSAID["starts"]
        return Value(const=Found(facts, _facts(run, op, receiver, kinds, "begins").facts))
    return None if found is None else Value(const=Found(facts))


def _starts(run: Run, op: int, receiver: Value, arguments: list[Argument]) -> Value | None:
    """`x.startsWith("https://host/")`."""
    values = _plain(arguments)
    start = values[0].const if values else UNKNOWN
    if isinstance(start, str) and receiver.taints and SITE.match(start):
        return _facts(run, op, receiver, SITE_KINDS, "startsWith")
    return None


def _fixed(run: Run, value: Value) -> bool:
    """Whether a list or object is one that holds no data, whatever else it holds."""
    assert run.state is not None
    if value.taints and not all(isinstance(origin, Free) for origin in value.taints):
        return False
    if not any(isinstance(ref, Object) for ref in value.refs):
        return False
    return not run.solver.lists.holds_data(run, value)


def _of_type(word: str, left: Value, right: Value) -> tuple[Fact, ...]:
    """`typeof x === "number"`."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one.const, Type) and (word in EQUALS or word in DIFFERS):
            kinds = ALL_KINDS if other.const in PLAIN_TYPES else 0
            if other.const == "string":
                kinds = TEXT_KINDS
            return tuple(Fact(word in EQUALS, origin, kinds, trail)
                         for origin, trail in one.const.origins if kinds)  # fmt: skip
    return ()


def _text(taints: Mapping[Origin, Taint]) -> Mapping[Origin, Taint]:
    return {origin: taint._replace(clean=taint.clean | TEXT_KINDS)
            for origin, taint in taints.items()}  # fmt: skip


def _proxied(run: Run, op: int, callee: Value, arguments: list[Argument]) -> Value | None:
    del callee
    return proxied(run, op, _plain(arguments))


METHODS: Final[Mapping[str, Callable[[Run, int, Value, list[Argument]], Value | None]]] = {
    "call": _apply,
    "apply": _apply,
    "bind": _bind,
    "test": _regex_test,
    "match": _regex_test,
    "exec": _regex_test,
    "search": _regex_test,
    "replace": _replace,
    "replaceAll": _replace,
    "includes": _includes,
    "has": _includes,
    "hasOwnProperty": _includes,
    "indexOf": _index,
    "startsWith": _starts,
}
FUNCTIONS: Final[Mapping[str, Callable[[Run, int, Value, list[Argument]], Value | None]]] = {
    "Promise": _promise,
    "RegExp": _regex,
    "eval": _evaluate,
    "Function": _evaluate,
    "require": _load,
    "Proxy": _proxied,
}

SEMANTICS: Final = JavaScript()
