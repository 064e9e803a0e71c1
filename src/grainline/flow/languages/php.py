"""PHP."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow import hosts
from grainline.flow.calls import Argument
from grainline.flow.containers import called
from grainline.flow.rows import TEXT, bits
from grainline.flow.semantics import Found, Semantics, of_place
from grainline.flow.state import Thing
from grainline.flow.texts import BLANKS, UNSAID, lacks, starts
from grainline.flow.values import (
    NOTHING,
    UNKNOWN,
    Fact,
    Key,
    Named,
    Object,
    Origin,
    Source,
    Taint,
    Value,
    constant,
    ordered,
)
from grainline.model.flow import Cut, Role
from grainline.model.ir import Const, Port

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grainline.flow.machine import Run

NUMBERS: Final = frozenset(
    ("(int)", "(integer)", "(float)", "(double)", "(real)", "(bool)", "(boolean)")
)
EFFECTS: Final = frozenset(("echo", "shell", "include"))
"""Words of operations that give nothing."""


_CALLS: Final = frozenset(("call_user_func", "call_user_func_array", "forward_static_call"))

_VALIDATED: Final = frozenset(("INT", "FLOAT", "BOOL", "BOOLEAN", "IP", "MAC"))
_FILTERS: Final[Mapping[str, int]] = {
    **{f"FILTER_VALIDATE_{word}": TEXT for word in _VALIDATED},
    "FILTER_SANITIZE_NUMBER_INT": TEXT,
    "FILTER_SANITIZE_NUMBER_FLOAT": TEXT,
    **dict.fromkeys(
        ("FILTER_SANITIZE_SPECIAL_CHARS", "FILTER_SANITIZE_FULL_SPECIAL_CHARS",
         "FILTER_SANITIZE_STRING", "FILTER_SANITIZE_STRIPPED", "FILTER_SANITIZE_EMAIL"),
        bits(("xss",)),
    ),
    "FILTER_SANITIZE_ENCODED": bits(("xss", "command", "sql", "header", "log")),
    "FILTER_SANITIZE_ADD_SLASHES": bits(("sql",)),
    "FILTER_SANITIZE_MAGIC_QUOTES": bits(("sql",)),
}  # fmt: skip
"""What a text cannot hurt that such a filter gives; the others (`FILTER_DEFAULT`) let any text pass."""

EXACT: Final = ("===", "!==")
"""Operators for which a place that is 0 and `false` are not the same."""

SEARCHES: Final = frozenset(("strpos", "stripos", "mb_strpos"))
"""Functions that say where a text is in another one."""


class Property(NamedTuple):
    """The constant that the name of a property is, which was computed; None where it is not known."""

    word: str | None


def _filtered(run: Run, op: int, values: list[Value]) -> Value:
    """`filter_var($x, FILTER)`: what it gives, and what it shows of a text that it lets pass."""
    name = str(values[1].const) if len(values) > 1 and isinstance(values[1].const, Named) else ""
    kinds = _FILTERS.get(name, 0)
    role = Role.SANITIZER if kinds else Role.PROPAGATOR
    taints: Mapping[Origin, Taint] = run.longer(values[0].taints, op, role, "filter_var")
    shown: tuple[Fact, ...] = ()
    if name.startswith("FILTER_VALIDATE_") and kinds:
        shown = hosts.facts(run, op, values[0], kinds & BLANKS, "filter_var", host=0)
    if name.startswith("FILTER_SANITIZE_"):
        taints = hosts.parted(run, op, taints)
    found = {origin: Taint(taint.clean | kinds, taint.trail, taint.assumed)
             for origin, taint in taints.items()}  # fmt: skip
    return Value(found, values[0].refs, Found(shown) if shown else UNKNOWN, shown)


def _searched(run: Run, op: int, text: Value, part: Value) -> Value:
    """The place of a part in a text, as what it says when it is compared."""
    known = isinstance(part.const, str)
    without = lacks(part.const) if isinstance(part.const, str) else 0
    start = starts(part.const) if isinstance(part.const, str) else UNSAID["starts"]
    if not known and any(isinstance(origin, Source) for origin in part.taints):
        start = 0
    absent = hosts.facts(run, op, text, without, "strpos", truth=False, host=0)
    begins = hosts.facts(run, op, text, start, "strpos", host=0)
    return Value(const=Found(absent, begins))


class _Php(Semantics):
    own = MappingProxyType({
        "text": "__toString", "item": "offsetGet", "put": "offsetSet", "iterate": "getIterator",
        "next": "current", "call": "__invoke", "member": "__get",
    })  # fmt: skip
    receivers = frozenset(("parent",))
    parents = frozenset(("parent",))
    loose = True
    counted = True
    grows = True
    absent = (None, False)
    shifted = False
    typed = True
    outs = frozenset(("ref",))
    pointers = True
    constructors = ("__construct",)

    def taken_out(self, run: Run, op: int, holder: Value, key: Value) -> Value | None:
        """A property of a computed name: the one that it is, else any."""
        name = key.const
        if not isinstance(name, Property):
            return None
        if name.word is not None:
            return run.member(op, holder, name.word)
        assert run.state is not None
        held = Value(run.state.held(holder))
        return run.solver.modelled.assumed(run, op, [held], Cut.REFLECTION, "computed name")

    def put(self, run: Run, op: int, holder: Value, key: Value, content: Value) -> bool:
        """A property of a computed name: the one that it is, else any."""
        name = key.const
        if not isinstance(name, Property):
            return False
        if name.word is not None:
            run.set_member(holder, name.word, content)
        elif content.taints:
            held = run.solver.modelled.assumed(run, op, [content], Cut.REFLECTION, "computed name")
            run.put(holder, None, held)
        return True

    def is_variable(self, name: str) -> bool:
        return name.startswith("$") and name != "$this"

    def spellings(self, word: str) -> tuple[str, ...]:
        return (word.lower(),)

    def constant(self, kind: Const, text: str | None) -> Value:
        if kind == Const.OTHER and text and (text[0].isalpha() or text[0] in "_\\"):
            return constant(Named(text.rpartition("\\")[2]))
        return super().constant(kind, text)

    def truth(self, const: object) -> bool | None:
        """Also the text `0` is false."""
        if isinstance(const, (Named, Found)):
            return None
        return False if const == "0" else super().truth(const)

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others; `.` joins texts, `+` adds numbers, casts make numbers."""
        if word == "property":
            name = left.const
            return constant(Property(f"${name}" if isinstance(name, str) else None))
        if word == "key of":
            return run.step(called(left), op, Role.PROPAGATOR)
        if isinstance(left.const, Found) and right is not None:
            return Value(facts=of_place(word, left, right) if word in EXACT else ())
        found = super().operate(run, op, word, left, right)
        if right is None:
            return self._alone(run, op, word, left, found)
        if word == "." and isinstance(left.const, str) and isinstance(right.const, str):
            return constant(left.const + right.const)
        return Value(const=found.const) if word == "+" or word == "%" else found

    @staticmethod
    def _asked(run: Run, op: int, callee: Value, arguments: list[Argument]) -> Value | None:
        """`isset(X[$key])`, `strpos($x, "..")`."""
        names = callee.names()
        values = [each.value for each in arguments]
        if names == ["isset"] and len(values) == 1 and (found := hosts.of_found(values[0])):
            return Value(facts=found)
        if names == ["filter_var"] and values and values[0].taints:
            return _filtered(run, op, values)
        if names and names[0] in SEARCHES and len(values) == 2 and values[0].taints:
            return _searched(run, op, *values)
        return None

    def _alone(self, run: Run, op: int, word: str, value: Value, found: Value) -> Value:
        if word in EFFECTS:
            return NOTHING
        if word in NUMBERS:
            taints = run.longer(value.taints, op, Role.SANITIZER, word)
            taints = {origin: Taint(taint.clean | TEXT, taint.trail, taint.assumed)
                      for origin, taint in taints.items()}  # fmt: skip
            return Value(hosts.parted(run, op, taints))
        if word == "(object)" or word == "(array)":
            return _cast(run, op, value, object_=word == "(object)")
        if word == "(string)":
            return run.as_text(op, value)
        return value if word == "@" else found

    def handed(self, run: Run, op: int, value: Value) -> Value:
        """Where a text is wanted an instance is what its `__toString` gives."""
        if run.program.calls.get((run.unit, run.code.site(op))):
            return value
        return run.as_text(op, value)

    def called(
        self, run: Run, op: int, callee: Value, receiver: Value | None, arguments: list[Argument]
    ) -> Value | None:
        """A function whose name is a constant: of a variable, or handed to what calls it; tests."""
        tested = self._asked(run, op, callee, arguments)
        if tested is not None:
            return tested
        plain = [each for each in arguments if each.kind == Port.POSITIONAL]
        if isinstance(callee.const, str):
            return run.solver.calls.through(run, op, _function(run, op, callee), plain)
        if not plain or _CALLS.isdisjoint(callee.names()):
            return None
        rest = plain[1:]
        if "call_user_func_array" in callee.names():
            items = run.items(rest[0].value) if rest else None
            if items is None:
                return None
            rest = [Argument(Port.POSITIONAL, "", item) for item in items]
        target = _function(run, op, plain[0].value)
        return run.solver.calls.through(run, op, target, rest)

    def outside(self, run: Run, name: str) -> list[str]:
        """A name that nothing in the file binds; functions of the language have no namespace."""
        word = name.partition("#")[0]
        if word.startswith("$"):
            return [word] if word.startswith("$_") or word in ("$argv", "$GLOBALS") else []
        if word.endswith("()"):
            full = word[:-2].lstrip("\\")
            known = run.solver.begins(run.code.language, full)
            return [full if known else full.rpartition("\\")[2]]
        return [word.lstrip("\\")]


def _cast(run: Run, op: int, value: Value, *, object_: bool) -> Value:
    """Elements as fields of a new object, or fields as elements of a new array."""
    assert run.state is not None
    things = [ref for ref in ordered(value.refs) if isinstance(ref, Object)]
    if len(things) != 1 or run.thing(things[0]).symbol is not None:
        return value
    thing = run.thing(things[0])
    fields: dict[Key, Value] = {}
    for key, content in thing.fields.items():
        if object_ and not isinstance(key, tuple):
            fields[".", f"${key}"] = content
        elif not object_ and isinstance(key, tuple):
            fields[key[1].removeprefix("$")] = content
        else:
            fields[key] = content
    made = Object((run.unit, op, "cast"))
    run.state.heap[made] = Thing(fields, thing.rest)
    return Value(value.taints, (value.refs - {things[0]}) | {made})


def _function(run: Run, op: int, value: Value) -> Value:
    """The function that a value names: by its text, by a class and a method, else itself."""
    text = value.const
    pair = run.items(value)
    if pair is not None and len(pair) == 2 and isinstance(pair[1].const, str):
        return _method(run, op, pair[0], pair[1].const)
    if not isinstance(text, str):
        return value
    klass, both, method = text.partition("::")
    if both:
        return _method(run, op, constant(klass), method)
    return run.named(op, f"{text.lstrip(chr(92)).lower()}()")


def _method(run: Run, op: int, holder: Value, name: str) -> Value:
    if isinstance(holder.const, str):
        holder = run.named(op, holder.const)
    return run.member(op, holder, name)


SEMANTICS: Final = _Php()
