"""What operations mean that languages write in their own ways: operators, truth, names."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow import constants, hosts, lists
from grainline.flow.formats import beginning
from grainline.flow.rows import EVERY, PLAIN_KINDS, TEXT, bits
from grainline.flow.texts import UNSAID, lacks
from grainline.flow.values import (
    CALLER,
    NO_TAINTS,
    NOTHING,
    UNKNOWN,
    Fact,
    Free,
    Key,
    Object,
    Origin,
    Source,
    Taint,
    Value,
    choices,
    constant,
    joined,
    merge,
    ordered,
    pointing,
)
from grainline.model.edge import Tier
from grainline.model.flow import Role
from grainline.model.ir import RECORD, Const, Op, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grainline.flow.calls import Argument
    from grainline.flow.machine import Run
    from grainline.flow.outside import Site
    from grainline.flow.program import Place
    from grainline.flow.solver import Solver

TESTS: Final = frozenset(
    ("==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "not in", "is", "is not", "instanceof",
     "<>", "eq", "ne", "=~", "!~")
)  # fmt: skip
EQUALS: Final = frozenset(("==", "===", "is", "eq"))
DIFFERS: Final = frozenset(("!=", "!==", "is not", "<>", "ne"))
NOT: Final = frozenset(("not", "!", "until"))
AND: Final = frozenset(("and", "&&"))
OR: Final = frozenset(("or", "||"))
ORDERS: Final = frozenset(("<", "<=", ">", ">="))
SIZE: Final = bits(("number", "resource"))
DIVISION: Final = bits(("division",))
SLICED: Final = "[:]"
"""The operator of a part of a text or list that is of its type."""
HARMLESS: Final = frozenset(("-", "*", "/", "//", "**", "<<", ">>", "&", "^", "~", "++", "--"))
"""Operators whose results are numbers: they cannot carry a text."""


_ESCAPES: Final = {
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "0": "\0",
    "'": "'",
    '"': '"',
    "\\": "\\",
    "/": "/",
}
_ESCAPE: Final = re.compile(r"\\([nrt0'\"\\/])")


SITE: Final = re.compile(r"[a-z]+://[^/]+[/?#]")
LOCAL: Final = re.compile(r"/[^/\\]|[?#]")
SITE_KINDS: Final = bits(("ssrf", "redirect"))

JOINS: Final = frozenset(("+", ".", "%"))
"""Operators whose text begins with their left side: sums, PHP's, formats of Python."""


class Found(NamedTuple):
    """Where something was found: that it was found shows `facts`, that it is the beginning `begins`."""

    facts: tuple[Fact, ...]
    begins: tuple[Fact, ...] = ()


def of_place(word: str, left: Value, right: Value) -> tuple[Fact, ...]:
    """`list.indexOf(x) !== -1`, `>= 0`, `> -1`, `=== 0`; `strpos(x, y) !== false`."""
    const = right.const
    if not isinstance(left.const, Found) or not (const is False or const == 0 or const == -1):
        return ()
    facts, truth = left.const.facts, True
    if const is False or const == -1:
        if word in EQUALS or word in DIFFERS:
            truth = word in DIFFERS
        elif const == -1 and word == ">":
            truth = True
        else:
            return ()
    elif word in EQUALS or word in DIFFERS:
        facts, truth = left.const.begins, word in EQUALS
    elif word in (">=", "<"):
        truth = word == ">="
    else:
        return ()
    return facts if truth else tuple(fact._replace(truth=not fact.truth) for fact in facts)


class Semantics:
    """One language's. The defaults are those of Python."""

    receivers: frozenset[str] = frozenset()
    """Names of the receiver that no parameter stands for."""
    parents: frozenset[str] = frozenset()
    """Names of the receiver as an instance of the class above."""
    loose = False
    """Whether `==` takes any text that is not empty as true."""
    absent: tuple[object, ...] = (None,)
    """What is given where nothing was found."""
    own: Mapping[str, str] = MappingProxyType({})
    """What the language does with instances -> the method of their own that it calls: `text`, `item`,
    `put` (an item), `iterate`, `next` (an element), `enter`, `await`, `call`, `member`, an operator (`unary -`);
    of several, as in `a|b`, the first that a class has."""
    static_operators = False
    """Whether the class of either operand may say what an operator does."""
    grows = False
    """Whether what is put under a key of nothing makes a container there."""
    jobs: tuple[str, ...] = ("run",)
    """Methods that what runs a thing calls."""
    counted = False
    """Whether tests of libraries give 1 and 0."""
    typed = False
    """Whether declared types say what is called: then the edges of the graph go first."""
    pointers = False
    """Whether what a call is given may be the place of a variable, which it can set."""
    zeros = False
    """Whether variables that are only declared hold a value."""
    cells = False
    """Whether variables are places that others point at."""
    read_once = False
    """Whether data is a source where it is read, and not where a callee reads it again."""
    outs: frozenset[str] = frozenset()
    """Marks of parameters that are variables of the caller."""
    folders = False
    """Whether files of one folder share their names."""
    texts: frozenset[str] = frozenset()
    """Types of texts."""
    plain: frozenset[str] = frozenset()
    """Types that say nothing of what is done with a value (`java.lang.String()`)."""
    implicit = False
    """Whether fields of the receiver are read by their bare names."""
    shifted = True
    """Whether the first parameter of a method is its receiver."""
    constructors: tuple[str, ...] = ("__init__",)
    base = "super"
    """What the receiver is called as an instance of its base."""
    calls_base = ""
    """The name by which the constructor of the base is called."""
    whole = ""
    """The variable of a module that holds all that it exports, where modules have one."""
    functional: frozenset[str] = frozenset()
    """Names of the one method of interfaces of the platform that a function literal stands for."""
    recovers = ""
    """The function by which a deferred one lets its caller come back from what was raised."""
    parts = False
    """Whether members of a source that is read are told apart."""
    variadic = ""
    """The name under which a function sees all of its arguments."""
    quoted = False
    """Whether texts of constants keep their quotes."""
    bodies = False
    """Whether the body of a class runs for each instance, with the parameters of its header."""
    arms = False
    """Whether branches have values, which are the last ones of their arms."""
    trailing = ""
    """The keyword of an argument that the last parameter takes."""
    wrappers = False
    """Whether what is taken out of a wrapper (`x?`) is still called by the name of the whole."""
    asserts = True
    """Whether what is asserted is tested as the program runs."""
    counts = True
    """Whether rows about operators on numbers are asked."""

    unsaid: frozenset[str] = frozenset()
    """Words of dotted names that come without being written."""

    def spellings(self, word: str) -> tuple[str, ...]:
        """Other words that a written one may be in dotted names."""
        del word
        return ()

    # ------------------------------------------------------------------ constants

    def constant(self, kind: Const, text: str | None) -> Value:
        """The value of a constant as it is written."""
        if kind is Const.NONE:
            return constant(None)
        if text is None:
            return NOTHING
        if kind is Const.STR:
            return constant(self.unquoted(text))
        if kind is Const.BOOL:
            return constant(text.lower() == "true")
        if kind is Const.INT:
            return _integer(text)
        return NOTHING

    def unquoted(self, text: str) -> str:
        """The text that a literal means: no quotes around it, plain escapes replaced."""
        text = self._inside(text)
        return _ESCAPE.sub(lambda found: _ESCAPES[found[1]], text) if "\\" in text else text

    def _inside(self, text: str) -> str:
        if self.quoted and len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
            return text[1:-1]
        return text

    def truth(self, const: object) -> bool | None:
        """Whether a constant counts as true; None: not known."""
        found = {bool(each) for each in choices(const)}
        return found.pop() if len(found) == 1 else None

    # ------------------------------------------------------------------ operators

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """The result of an operator; `right` None: of one operand."""
        if self.counts and f"operator {word}" in run.models.sinks:
            self._used(run, op, word, left, right)
        if (mine := self._overloaded(run, op, word, left, right)) is not None:
            return mine
        if right is None:
            return self._unary(run, word, left)
        if word == SLICED:
            part = hosts.part(run, op, left)
            return Value(part.taints, part.refs, constants.item(left.const, right.const))
        known = constants.fold(word, left.const, right.const)
        if word in TESTS:
            may = run.solver.permission.tested(run, op, word, left, right)
            return Value(const=known, facts=(*self._tested(run, op, word, left, right), *may))
        if word in AND or word in OR:
            return Value(
                const=self._logic(word, left, right), facts=_logical(run, word, left, right)
            )
        if known is not UNKNOWN:
            return constant(known)
        made = [f"{name}{word}" for name in left.names()]
        known_types = [run.models.types[name] for name in made if name in run.models.types]
        if word in HARMLESS and not known_types:
            return NOTHING
        found = Value(self.text_of(run, op, (left, right)), frozenset(known_types))
        if word not in JOINS or not found.taints:
            return found
        start = self.first(run, op, word)
        if word == "%" and isinstance(start, str):
            start = beginning(start, self._elements(run, right))
        return behind(start, found)

    def _overloaded(
        self, run: Run, op: int, word: str, left: Value, right: Value | None
    ) -> Value | None:
        """What an operator gives that the class of an operand says; None where none does."""
        if not self.own or not (left.refs or (right is not None and right.refs)):
            return None
        mine = run.own(op, left, word if right is not None else f"unary {word}",
                       [] if right is None else [right])  # fmt: skip
        if mine is None and right is not None and self.static_operators:
            mine = run.own(op, right, word, [left])
        return mine

    @staticmethod
    def _elements(run: Run, value: Value) -> list[object]:
        """The constants among the elements of a list, or the one thing."""
        known = run.items(value)
        return [value.const] if known is None else [each.const for each in known]

    def first(self, run: Run, op: int, word: str) -> object:
        """The constant that a text begins with which an operator makes."""
        while run.ops[op][0] == Op.OPERATE and run.names[run.ops[op][3]] == word:
            if isinstance(run.value(op).const, str):
                break
            op = run.ops[op][1]
        return run.value(op).const

    def _used(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> None:
        """An operator that a row is about; that of a loop gets what its test compares."""
        values = [left] if right is None else [left, right]
        if word == "until":
            values = self._compared(run, run.ops[op][1])
        if any(isinstance(value.const, str) or value.refs & self.texts for value in values):
            return
        operands = run.ops[op][1:3]
        if any(self._is_end(run, at) for at in operands if right is not None):
            return  # arithmetic of the language's own numbers
        for row in run.models.sinks[f"operator {word}"]:
            for where in row.ports:
                for number, value in enumerate(values):
                    if value.taints and (where.place == number or where.place == EVERY):
                        taints = value.taints
                        if not TEXT & bits((row.kind,)):
                            taints = _numbers(taints)
                        run.solver.modelled.sink(run, op, row, Value(taints), Tier.RESOLVED)

    @staticmethod
    def _is_end(run: Run, op: int) -> bool:
        """Whether an operand is the end of a range, as it is written."""
        return any(isinstance(origin, Source) and origin.op == op and run.solver.is_limit(origin)
                   for origin in run.value(op).taints)  # fmt: skip

    def _compared(self, run: Run, op: int) -> list[Value]:
        """The operands of the comparisons that a test consists of."""
        found: list[Value] = []
        waiting = [op]
        while waiting:
            code, a, b, c = run.ops[waiting.pop()][:4]
            if code != Op.OPERATE or b < 0:
                continue
            if run.names[c] in AND or run.names[c] in OR:
                waiting += (a, b)
            elif run.names[c] in ORDERS:
                found += (run.value(a), run.value(b))
        return found

    def is_variable(self, name: str) -> bool:
        """Whether a name may be that of a variable, which a computed one may be."""
        del name
        return True

    def text_of(self, run: Run, op: int, values: tuple[Value, ...]) -> Mapping[Origin, Taint]:
        """Taints of a text that is made of values."""
        assert run.state is not None
        values = tuple(run.as_text(op, value) for value in values)
        if run.is_over():
            return NO_TAINTS
        taints = merge(run.state.deep(value) for value in values)
        return run.longer(taints, op, Role.PROPAGATOR) if taints else NO_TAINTS

    def _unary(self, run: Run, word: str, value: Value) -> Value:
        if word in NOT:
            truth = self.truth(value.const)
            facts = tuple(fact._replace(truth=not fact.truth) for fact in run.told(value))
            return Value(const=UNKNOWN if truth is None else not truth, facts=facts)
        number = value.const
        if word == "-" and isinstance(number, int):
            return constant(-number)
        return value if word == "+" or word == "*" else NOTHING

    def _logic(self, word: str, left: Value, right: Value) -> object:
        one, other = self.truth(left.const), self.truth(right.const)
        decisive = word in OR
        if one is decisive or other is decisive:
            return decisive
        return UNKNOWN if one is None or other is None else not decisive

    def _tested(self, run: Run, op: int, word: str, left: Value, right: Value) -> tuple[Fact, ...]:
        """What a comparison shows: equal to a constant, or one of what is fixed, is harmless."""
        if word in ("in", "not in"):
            if isinstance(left.const, str):
                kinds = lacks(left.const)
                return _facts(run, op, right, word != "in", kinds) if kinds else ()
            fixed = right.const is not UNKNOWN or bool(right.refs)
            if hosts.is_host(left) and (
                found := hosts.listed(run, op, left, right, truth=word == "in")
            ):
                return found
            if left.taints and fixed and not run.solver.lists.holds_data(run, right):
                return _facts(run, op, left, word == "in")
            return self._holding(run, op, right, truth=word == "in")
        if word in EQUALS or word in DIFFERS:
            truth = word in EQUALS
            for one, other in ((left, right), (right, left)):
                if found := self._as_truth(run, one, other, truth=truth):
                    return found
                if found := hosts.nothing(one, other, self.absent, truth=truth):
                    return found
            if found := hosts.own_part(run, op, left, right, truth=truth):
                return found
            for one, other in ((left, right), (right, left)):
                if one.taints and lists.is_known(run, other):
                    return _facts(run, op, one, truth)
            for one, other in ((left, right), (right, left)):
                if word in ("==", "!=") and isinstance(other.const, bool) and self.loose:
                    continue  # any text is true
                if one.taints and _is_written(other) and _is_fixed(other.const):
                    zero = isinstance(other.const, (int, float)) and other.const == 0
                    more = _facts(run, op, one, word not in EQUALS, DIVISION) if zero else ()
                    return (*_facts(run, op, one, word in EQUALS), *more)
                if one.taints and run.models.addresses:
                    found = hosts.compared(run, op, one, other, truth=word in EQUALS)
                    if found:
                        return found
        if word in ORDERS:
            low, high = (left, right) if word[0] == "<" else (right, left)
            return (*_bounds(run, op, low, high), *_bounds(run, op, high, low, truth=False))
        return ()

    def _as_truth(self, run: Run, test: Value, other: Value, *, truth: bool) -> tuple[Fact, ...]:
        """What it shows that a test came out as a constant says: `x.matches(y) == true`."""
        if test.taints or not isinstance(other.const, int):
            return ()
        if (
            not isinstance(other.const, bool)
            and other.const != 0
            and not (self.counted and other.const == 1)
        ):
            return ()
        same = truth is bool(other.const)
        return run.told(test) if same else tuple(
            fact._replace(truth=not fact.truth) for fact in run.told(test)
        )  # fmt: skip

    @staticmethod
    def _holding(run: Run, op: int, holder: Value, *, truth: bool) -> tuple[Fact, ...]:
        """What rows say it shows that something fixed is in data."""
        for name in holder.names() if holder.taints else ():
            for row in run.models.guards.get(f"{name}.__contains__", ()):
                kinds = UNSAID.get(row.text, row.kinds)
                return _facts(run, op, holder, truth, kinds)
        return ()

    def either(
        self, run: Run, test: Value, one: Value, other: Value, row: list[int]
    ) -> tuple[Fact, ...]:
        """What the truth of `one if test else other` shows, where it is an `and` or an `or`."""
        if row[3] < 0:  # either of them: what both show
            shown = [fact for fact in _logical(run, "or", one, other) if fact.truth]
            return (*shown, *(fact for fact in _logical(run, "and", one, other) if not fact.truth))
        if row[3] == row[1]:  # or
            return _logical(run, "or", one, other)
        if row[3] == row[2]:  # and
            return _logical(run, "and", other, one)
        return ()

    # ------------------------------------------------------------------ names and members

    def outside(self, run: Run, name: str) -> list[str]:
        """Dotted names that a name may mean that nothing in the file binds."""
        del run
        return [name.partition("#")[0]]

    def unbound(self, run: Run, op: int, name: str) -> Value | None:
        """What a name means that nothing binds, where the language says so."""
        del run, op, name
        return None

    def exported(self, member: str) -> tuple[str, ...]:
        """Variables of a module that an import of `member` may mean, the first one first."""
        return (member,)

    def below(self, name: str, member: str) -> str:
        """The dotted name of a member of something outside."""
        return f"{name}.{member}"

    def key(self, name: str) -> Key:
        """The key of the field that an attribute is."""
        return (".", name)

    def is_part(self, key: Key | None) -> bool:
        """Whether a member of data is data of its own, of which a test says nothing of the rest."""
        return key is not None

    def member_name(self, key: Key | None) -> str:
        """How names of members go on for a field."""
        return f".{key[1]}" if isinstance(key, tuple) else "[]"

    def short(self, run: Run, name: str) -> str:
        """A dotted name of something outside without what rows leave out."""
        del run
        return name

    def imported(self, module: str, member: str | None, flag: int) -> str:
        """The dotted name of something that is imported from outside."""
        if member is None:
            return module.partition(".")[0] if flag == 1 else module
        return f"{module}.{member}"

    def called(
        self, run: Run, op: int, callee: Value, receiver: Value | None, arguments: list[Argument]
    ) -> Value | None:
        """The result of a call that the language itself gives a meaning."""
        del run, op, callee, receiver, arguments
        return None

    def handed(self, run: Run, op: int, value: Value) -> Value:
        """An argument of a call as a function outside gets it."""
        del run, op
        return value

    def is_hidden(self, function: Scope) -> bool:
        """Whether it is not to be seen what a function of the code does."""
        del function
        return False

    def leaves(self, run: Run, op: int) -> bool:
        """Whether a call is run where it stands: one that never comes back ends the code there."""
        del run, op
        return True

    def stored(self, run: Run, op: int, value: Value) -> Value | None:
        """What a variable holds after a store of `value`; None: what it held before."""
        del run, op
        return value

    def place(self, run: Run, op: int) -> int:
        """The name of the variable that an argument is, -1 where it is none."""
        row = run.ops[op]
        return row[1] if row[0] == Op.LOAD else -1

    def taken(self, solver: Solver, place: Place, index: int) -> int | None:
        """Kinds that what a framework hands in cannot hurt; None: it hands in no data there."""
        del solver, place, index
        return 0

    def returned(self, solver: Solver, place: Place, value: Value) -> Value:
        """What a function of the code gives, by its declared type."""
        del solver, place
        return value

    def cleared(self, run: Run, site: Site, value: Value) -> Value:
        """An argument of a call that sets all of what it is, with nothing in it."""
        del run, site
        return value

    def assigned(self, run: Run, op: int, holder: Value, name: str, content: Value) -> None:
        """A member is set: what that does beside."""
        del run, op, holder, name, content

    def has_member(self, run: Run, holder: Value, name: str) -> bool:
        """Whether a bare name may mean a member of what a function literal is called on."""
        del run, holder, name
        return False

    def text(self, values: list[Value], joined: Value) -> Value:
        """A text that is made of values in this order."""
        return behind(leading(values), joined) if joined.taints else joined

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """What `holder.name` is, beside what is known of it: what a class has no word for it may be asked."""
        known = found.taints or any(not isinstance(ref, str) for ref in found.refs)
        if "member" not in self.own or known or name.startswith("__"):
            return found
        mine = run.own(op, holder, "member", [constant(name)])
        return found if mine is None else mine

    def inner(self, run: Run, holder: Value, key: Key | None) -> Value:
        """What stands in a thing that a callee has set something in."""
        assert run.state is not None
        found = run.state.read(holder, key)
        if key is None or found.refs or found.taints:
            return found
        name = key[1] if isinstance(key, tuple) else str(key)
        made = [run.solver.calls.initial(run, ref, name) for ref in ordered(holder.refs)
                if isinstance(ref, Object)]  # fmt: skip
        return joined([found, *made])

    def taken_out(self, run: Run, op: int, holder: Value, key: Value) -> Value | None:
        """What stands in a thing under a key as the language itself means it."""
        del run, op, holder, key
        return None

    def put(self, run: Run, op: int, holder: Value, key: Value, content: Value) -> bool:
        """Put something into a thing as the language itself means it; whether it does."""
        del run, op, holder, key, content
        return False

    def stepped(self, run: Run, step: Value) -> Value:
        """The element that a step of an own iterator gives."""
        del run
        return step

    def spelled(self, run: Run, op: int, value: Value) -> Value | None:
        """Instances in a text whose class has no word for that; None: nothing of what they hold."""
        del op
        assert run.state is not None
        spelled = [ref for ref in ordered(value.refs)
                   if isinstance(ref, Object) and self.is_record(run, run.thing(ref).klass)]  # fmt: skip
        return Value(run.state.held(pointing(*spelled))) if spelled else None

    def is_record(self, run: Run, klass: Place | None) -> bool:
        """Whether the text of an instance is that of its fields."""
        return klass is not None and bool(run.program.scope(klass).flags & RECORD)

    def element(self, run: Run, op: int, whole: Value, index: int, found: Value) -> Value:
        """Element `index` of what is taken apart: of data, data of its own."""
        del op
        return run.part(whole, index, found)

    def by_header(self, run: Run, whole: Value, klass: Place, index: int) -> Value | None:
        """Element `index` of an instance whose class names its fields in a header; None without one."""
        assert run.state is not None
        names = run.solver.calls.header(klass)
        if index >= len(names):
            return None
        key = self.key(names[index])
        return run.part(whole, key, run.state.read(whole, key))


def _is_written(value: Value) -> bool:
    """Whether nothing is data in a value: a variable elsewhere that holds a constant is none."""
    return all(isinstance(origin, Free) for origin in value.taints)


def _is_fixed(const: object) -> bool:
    """Whether equality with a constant fixes a text."""
    found = choices(const)
    return bool(found) and not any(each is None or each == "" for each in found)


def _integer(text: str) -> Value:
    try:
        return constant(int(text.replace("_", "").rstrip("lLuUn"), 0))
    except ValueError:
        return NOTHING


def _bounds(run: Run, op: int, low: Value, high: Value, *, truth: bool = True) -> tuple[Fact, ...]:
    """What `low < high` shows where it gives `truth`.

    What is below something fixed is no number of any size; what is above a number that is not
    negative is not zero.
    """
    found: tuple[Fact, ...] = ()
    if low.taints and _is_limit(run, high):
        found = _facts(run, op, low, truth, SIZE)
    if truth and high.taints and not low.taints:
        least = low.const if isinstance(low.const, (int, float)) else 0
        if least >= 0:
            found += _facts(run, op, high, truth, DIVISION)
    return found


def _numbers(taints: Mapping[Origin, Taint]) -> dict[Origin, Taint]:
    """Taints of what may be numbers that count: those in fields of objects are not followed."""
    return {
        origin: taint
        for origin, taint in taints.items()
        if isinstance(origin, Source) or not any(isinstance(key, tuple) for key in origin.path)
    }


def _is_limit(run: Run, value: Value) -> bool:
    """Whether a value is no data: a limit of a type is none."""
    return all(
        isinstance(origin, Source) and run.solver.is_limit(origin) for origin in value.taints
    )


def _facts(
    run: Run, op: int, value: Value, truth: bool, kinds: int = PLAIN_KINDS
) -> tuple[Fact, ...]:
    return hosts.facts(run, op, value, kinds, "compared", truth=truth)


def _logical(run: Run, word: str, left: Value, right: Value) -> tuple[Fact, ...]:
    """Facts of `left and right`: both hold where it is true; of `or`: where it is false.

    Who may do everything may do it with every thing.
    """
    both = word in AND
    mine, others = run.told(left), run.told(right)
    if run.semantics.truth(right.const) is both:  # it is as the first one
        return mine
    sure = tuple(fact for fact in (*mine, *others) if fact.truth is both)
    other: list[Fact] = []
    for fact in mine:
        for each in others if fact.truth is not both else ():
            if each.truth is not fact.truth or not fact.kinds & each.kinds:
                continue
            if each.origin == fact.origin or CALLER in (each.origin, fact.origin):
                origin = each.origin if fact.origin == CALLER else fact.origin
                other.append(fact._replace(origin=origin, kinds=fact.kinds & each.kinds))
    return (*sure, *other)


def leading(values: list[Value]) -> str:
    """The constants that a text begins with."""
    found = ""
    for value in values:
        if not isinstance(value.const, str):
            break
        found += value.const
    return found


def behind(start: object, value: Value) -> Value:
    """What follows a constant start that names a host, or a place on the own one: it chooses neither."""
    if not isinstance(start, str) or not (SITE.match(start) or LOCAL.match(start)):
        return value
    taints = {origin: taint._replace(clean=taint.clean | SITE_KINDS)
              for origin, taint in value.taints.items()}  # fmt: skip
    return Value(taints, value.refs, value.const, value.facts)
