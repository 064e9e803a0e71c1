"""Rows of models: what code that is not there does with data. They are data, passed in as values.

Names are dotted as imports give them: `os.system`, `flask.request.args`. `()` is what a call gives
or an instance of a type: `sqlite3.connect().cursor`. A name that begins with `*.` is a member of
anything whose type is not known; what it says is tier `named`. `types` rename: `sqlite3.connect()`
is a `dbapi.Connection()`, so that one row serves every driver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from grainline.model.flow import Severity

KINDS: Final = (
    "command",
    "sql",
    "code",
    "path",
    "xss",
    "ssrf",
    "redirect",
    "deserialization",
    "ldap",
    "xpath",
    "xxe",
    "log",
    "template",
    "trust boundary",
    "header",
    "format string",
    "resource",
    "regex",
    "secret",
    "setting",
    "number",
    "division",
    "nosql",
    "permission",
    "ownership",
    "privilege",
    "weak hash",
)
"""Kinds of sinks; a set of them is an integer with the bits of their places here."""

ALL_KINDS: Final = (1 << len(KINDS)) - 1


def bits_of(kinds: Iterable[str]) -> int:
    """A set of words that are kinds."""
    return sum(1 << KINDS.index(kind) for kind in kinds)


PERMISSION: Final = bits_of(("permission",))
SECRET: Final = bits_of(("secret",))
OWNERSHIP: Final = bits_of(("ownership",))
MAY: Final = bits_of(("permission", "ownership", "privilege"))
"""Kinds of who may: nothing that is tested of the data itself makes it harmless for them."""

PLAIN_KINDS: Final = ALL_KINDS & ~MAY

NUMBERS: Final = ("number", "division", "resource")
"""Kinds that a number hurts."""


def one_of(value: object, allowed: Iterable[str], what: str) -> str:
    """A word of those that are allowed.

    Raises:
        ValueError: it is another one.
    """
    words = sorted(allowed)
    if isinstance(value, str) and value in words:
        return value
    known = ", ".join(word for word in words if word)
    raise ValueError(f"{value!r} is no {what}; allowed: {known}")


def bits(kinds: Iterable[str]) -> int:
    """A set of kinds; `*` is all, `text` those that a number cannot hurt.

    Raises:
        ValueError: a word is no kind.
    """
    found = 0
    for kind in kinds:
        if kind in _SETS:
            found |= _SETS[kind]
        else:
            found |= bits_of((one_of(kind, (*KINDS, *_SETS), "kind"),))
    return found


TEXT: Final = PLAIN_KINDS & ~bits_of(NUMBERS)
"""Kinds that only a text hurts."""
_SETS: Final = {"*": PLAIN_KINDS, "text": TEXT}


TEXT_KINDS: Final = bits(("nosql",))
"""Kinds that nothing hurts which is surely a text."""

RECEIVER: Final = -1
RESULT: Final = -2
EVERY: Final = -3
"""Ports beside arguments: what is called on, what comes back, all arguments."""


RETURNS: Final = (
    "",
    "list",
    "value",
    "receiver",
    "element",
    "elements",
    "passing",
    "found",
    "kept",
    "either",
    "nothing",
    "any",
)
"""Words of `StepRow.returns`; `passing` and `found`: elements, or one, that the function says yes to;
`kept`: what stands under the first argument, which is what the function gives from here on."""


REPLACES: Final = ("text", "expression", "delimited")
"""Words of `StepRow.replaces`."""


ADDRESS: Final = ("host", "part", "own")
"""Words of `AddressRow.gives`."""


COMPARING: Final = frozenset(("", "name", "marked", "starts", "begins", "has", "part", "field"))
HOLDING: Final = frozenset(
    ("given", "constant", "unknown", "text", "open", "list", "fixed", "loose", "program", "own")
)
"""Words of conditions, with `=` and without; `Outside` says what they mean."""


class Where(NamedTuple):
    """A port of a call: argument `place` from 0 (or one of the above), or the keyword `name`."""

    place: int
    name: str = ""
    item: int = -1
    """Only this element of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """Data comes in: by reading `name`, or by a call of it at the ports `gives`."""

    name: str
    what: str
    calls: bool
    gives: tuple[Where, ...] = (Where(RESULT),)
    kinds: int = ALL_KINDS
    """Only for sinks of these kinds."""
    when: tuple[str, ...] = ()
    """Conditions without which a call of it is none."""
    limit: bool = False
    """The end of the range of a type: what is compared with it is bounded."""
    format: int = -1
    """The argument that says what the arguments behind it get."""
    steady: bool = False
    """Asked again for the same constant, it gives the same: what a test showed holds on."""
    whole: bool = False
    """What was in a port that data comes into is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkRow:
    """Data must not get to `ports` of a call of `name` (or be stored as the attribute `name`)."""

    name: str
    kind: str
    ports: tuple[Where, ...]
    severity: Severity = Severity.HIGH
    cwe: int = 0
    unless: tuple[str, ...] = ()
    """Conditions under which it is none: `KEYWORD=CONST` and `list:0` (argument 0 is a list)."""
    when: tuple[str, ...] = ()
    """Conditions without which it is none, written the same way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """A call that hands data on: from ports to ports, harmless for `clean` kinds afterwards."""

    name: str
    takes: tuple[Where, ...] = (Where(EVERY), Where(RECEIVER))
    gives: tuple[Where, ...] = (Where(RESULT),)
    clean: int = 0
    replaces: str = ""
    """What it replaces everywhere, a constant: a `text`, an `expression`, or one that is `delimited` by two marks."""
    of: tuple[Where, ...] = (Where(0), Where(1))
    """The ports of that, and of what comes in its place."""
    container: str = ""
    """What it does to a container: `append`, `extend`, `insert`, `pop`, `shift`, `get`, `set`, ..."""
    callback: int = -1
    """Argument that is called with elements of what the call takes."""
    passes: tuple[str, ...] = ()
    """What the callback gets by position: `element`, `beside` (what comes with one), `receiver`,
    `result` (of the callback before, else the last argument), `source`, a dotted name, "" for nothing known."""
    ends: bool = False
    """It never comes back."""
    raises: bool = False
    """What it takes is raised."""
    part: bool = False
    """It gives a part of a text, of which a test says nothing of the rest."""
    format: int = -1
    """The argument that says which of those behind it are texts."""
    whole: bool = False
    """What was in a port that it gives to is gone."""
    begins: int = RESULT
    """The port, a text with places for others or none, that what it gives begins with."""
    constant: int = RESULT
    """The port, if any, whose constant, a regular expression, it is known by afterwards."""
    returns: str = ""
    """What the call gives then: `list` (of results), `value` (the result), `receiver`, `element`,
    `elements`, `either` (the receiver or the result), `nothing`, `any` (whether one of the results is true); "": a list of all of these."""

    def is_member(self) -> bool:
        """Whether it is called on a thing; else on nothing, or a module or class (`Arrays.stream(x)`)."""
        return self.name.startswith("*.") or "()." in self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """What `name` gives is data of its own: a test of it says nothing of what it was made of.

    Attributes:
        alike: the kinds for which it says something: what it was made of is then known, up to that.
        moves: it gives another one each time.
    """

    name: str
    alike: int = 0
    moves: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRow:
    """A test: where the call of `name` gives `truth`, the data at `port` is harmless for `kinds`."""

    name: str
    port: Where
    kinds: int
    truth: bool = True
    text: str = ""
    """Kinds follow from a constant: it `starts`, `ends`, `lacks` that text, is a path `within` it; a regular expression
    `matches` its beginning, the `whole` of it, is found in it (`passes`,
    `delimited` by two marks)."""
    at: int = 0
    """The argument that is the constant; -1: what it is called on."""
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    returns: bool = False
    """It shows that wherever it returns: else it raises."""
    found: bool = False
    """It gives what was found, and nothing where it does not show that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressRow:
    """What `name`, read or called, is of the address at `port`.

    Attributes:
        gives: `host`: which machine it leads to, so a test of it is one of that; `part`: another
            part, of which a test says nothing of the rest; `own`: the host that was asked, or an
            address there.
    """

    name: str
    gives: str
    calls: bool
    port: Where
    when: tuple[str, ...] = ()
    clean: int = 0
    """Kinds that it cannot hurt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkRow:
    """A call that gives a thing a property, for conditions `marked:PORT=WORD` of other rows."""

    name: str
    mark: str
    port: Where
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """A function that a framework calls: handed to a call of `name`, or decorated by it.

    `(a, b)` are functions that nothing calls, with these parameters; `class A.f` methods of classes below
    a class outside, `class *A.*` all that may be called of those below one whose name ends so; `(routed)` what a file says that is no code; `(script)` files that read a source
    where they begin.

    Attributes:
        argument: the function's place among arguments, -1: any.
        params: what it gets by position: a dotted name, `source`, or "" for nothing known.
        rest: what all further parameters get.
        more: in the place of `params`, for a function that has more parameters than those.
        result: kind of sink that what the function returns is ("xss"), or "".
        typed: whether parameters are what they are annotated as, else that is refused.
        bare: whether it hands data only to parameters of which nothing but a type of data is said.
        handler: whether it is called for somebody who asks, though nothing of the above says so.
    """

    name: str
    argument: int = -1
    params: tuple[str, ...] = ()
    rest: str = ""
    result: str = ""
    more: tuple[str, ...] = ()
    handler: bool = False
    typed: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRow:
    """A call that is a weakness by itself, without data flow (`hashlib.md5`)."""

    name: str
    kind: str
    severity: Severity
    cwe: int
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


CHECKS: Final = (
    "test", "demand", "identity", "role", "decorator", "base", "field", "parameter", "filter",
    "option", "word", "everywhere", "onward", "equal", "known",
)  # fmt: skip
"""Words of `CheckRow.does`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """An authorization check.

    Attributes:
        name: what is read (`a.b`) or called (`a.b()`); of other words a plain name.
        does: `test`: its truth says whether the caller may; `demand`: it raises else;
            `identity`: it says who calls; `role`: a member of that which says what they may;
            `decorator`, `base` (of a class), `field` (of a class), `parameter`, `option` (of what
            registers a handler): what stands beside a handler checks before it; `filter`: takes
            functions that run before every handler; `everywhere`: a check before all handlers;
            `word`: of a name that may be a check; `onward`: what runs before a handler hands on
            to it: where it does so only after a check, it is one; `equal`: compares two things;
            `known`: of who calls, whether there is somebody.
        kinds: what it counts for.
        truth: of a test, the result that says yes.
        raises: of an identity, whether it comes back only when somebody is known.
    """

    name: str
    does: str
    kinds: int = PERMISSION
    truth: bool = True
    raises: bool = False
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRow:
    """A call of `name`, or a field that is set, that not everybody may.

    Attributes:
        what: what it does.
        objects: ports of the thing it is done to (a field: always what has it).
        selects: what stands there is not the thing, but what it is looked up by.
        kinds: `permission`: it needs a check; `ownership`: one of whose the thing is.
    """

    name: str
    what: str
    objects: tuple[Where, ...] = ()
    selects: bool = False
    kinds: tuple[str, ...] = ("permission", "ownership")
    severity: Severity = Severity.HIGH
    cwe: int = 862
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRow:
    """A call that acquires a resource, ends it, or only looks at it.

    Attributes:
        does: `acquire`, `release`, `renew` (ends the one it gets and gives another one), `borrow`
            (looks at what it gets and keeps nothing), `ends` (it never comes back), `lock`, `unlock` (of the
            argument `port`, or of anything where its name begins with `*.`; with `fails` what it gives says
            whether that went wrong, with `gives = 1` whether it went well).
        what: the resource.
        port: the argument that is released.
        fails: whether it may give none, which a test shows.
        gives: the argument that comes back from one that borrows.
        ends: methods that release what was acquired; `again`: more than once, too.
        by: rows that release what was acquired, where others are wrong for it.
        cwe: of one that is never released.
    """

    name: str
    does: str
    what: str = ""
    port: int = 0
    fails: bool = True
    gives: int = -1
    ends: tuple[str, ...] = ()
    again: bool = False
    by: tuple[str, ...] = ()
    cwe: int = 772


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Rows of some languages, by name. `versions` are digests of what they were read from."""

    sources: Mapping[str, SourceRow] = field(default_factory=dict[str, SourceRow])
    reads: Mapping[str, SourceRow] = field(default_factory=dict[str, SourceRow])
    sinks: Mapping[str, tuple[SinkRow, ...]] = field(default_factory=dict[str, tuple[SinkRow, ...]])
    stores: Mapping[str, SinkRow] = field(default_factory=dict[str, SinkRow])
    steps: Mapping[str, StepRow] = field(default_factory=dict[str, StepRow])
    parts: Mapping[str, PartRow] = field(default_factory=dict[str, PartRow])
    guards: Mapping[str, tuple[GuardRow, ...]] = field(
        default_factory=dict[str, tuple[GuardRow, ...]]
    )
    addresses: Mapping[str, tuple[AddressRow, ...]] = field(
        default_factory=dict[str, tuple[AddressRow, ...]]
    )
    """By name as it is written: `()` at its end is a call."""
    entries: Mapping[str, EntryRow] = field(default_factory=dict[str, EntryRow])
    patterns: Mapping[str, tuple[PatternRow, ...]] = field(
        default_factory=dict[str, tuple[PatternRow, ...]]
    )
    marks: Mapping[str, tuple[MarkRow, ...]] = field(default_factory=dict[str, tuple[MarkRow, ...]])
    checks: Mapping[str, CheckRow] = field(default_factory=dict[str, CheckRow])
    operations: Mapping[str, tuple[OperationRow, ...]] = field(
        default_factory=dict[str, tuple[OperationRow, ...]]
    )
    resources: Mapping[str, ResourceRow] = field(default_factory=dict[str, ResourceRow])
    credentials: Mapping[str, str] = field(default_factory=dict[str, str])
    """Words that names of credentials end with -> `field`, or `environment` for those alone."""
    selections: Mapping[str, str] = field(default_factory=dict[str, str])
    """Calls that look something up by what they get -> the file of models."""
    types: Mapping[str, str] = field(default_factory=dict[str, str])
    packages: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """File of models -> the packages that it is about."""

    def names(self) -> frozenset[str]:
        """What any row is about."""
        return self.expected() | frozenset((*self.patterns, *self.marks))

    def expected(self) -> frozenset[str]:
        """The same, without what is only a fault where it stands: code that avoids it is fine."""
        tables: tuple[Mapping[str, object], ...] = (
            self.sources, self.reads, self.sinks, self.stores, self.steps, self.guards,
            self.entries, self.checks, self.operations, self.selections, self.types, self.addresses,
        )  # fmt: skip
        return frozenset(name for table in tables for name in table)
