"""What a test of a part says of the whole, and one of the whole of its parts: hosts and paths.

The host of an address: a test of it says where the whole address leads, and nothing else of it.

Rows say what gives the host of what it is made from (`AddressRow`). The value carries the data of the
whole with a step that ends with `HOST`, so that a test of it is one of that data, wherever it came
from: of the value, not of a variable. It counts for the kinds where the place that data leads to is
the harm. Of an address that was put together a test of the host says nothing of its parts, nor
does of a path a test that it is inside of a folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from grainline.flow.rows import PLAIN_KINDS, RESULT, AddressRow, bits
from grainline.flow.texts import (
    BLANKS,
    INSIDE,
    NO_QUOTE,
    NORMAL,
    OF_JOINED,
    PATH,
    SITE,
    UNDER,
    joined,
    middle,
)
from grainline.flow.values import (
    ALIKE,
    HOST,
    PART,
    Fact,
    Free,
    Object,
    Origin,
    Taint,
    Trail,
    Value,
    backwards,
    choices,
    is_piece,
    likeness,
    ordered,
    piece,
    taken,
)
from grainline.model.flow import Role
from grainline.model.ir import Make, Op

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grainline.flow.machine import Run
    from grainline.flow.outside import Site
    from grainline.flow.program import Code
    from grainline.flow.rows import GuardRow, PartRow
    from grainline.flow.solver import Solver

HERE: Final = bits(("redirect",))
"""Kinds that no host, and the own one, cannot hurt: who asks is sent on inside of the site."""

OWN: Final = "%own host"
"""Among the names of a value: it is the host that was asked, or an address there."""

WHOLE: Final = "nothing was taken away"
"""The note of a test that data is what a sanitizer makes of it."""

Way: TypeAlias = tuple[str, ...]

FEW: Final = 6
"""Origins of a value of which a part is data of its own; of one of more, nothing is known by its tests."""

MAX_STEPS: Final = 40
"""Steps of a way that are looked at for a text that is put together."""


def of_member(run: Run, op: int, whole: Value, found: Value) -> Value | None:
    """A member of an address that rows say is its host."""
    for ref in ordered(found.refs):
        rows = run.models.addresses.get(ref, ()) if isinstance(ref, str) else ()
        for row in rows:
            if row.gives != "own" and not row.calls:
                return _taken(run, op, whole, found, row)
    return None


def of_call(site: Site, names: Sequence[str], found: Value) -> Value:
    """What a call gives, where rows say that it is a host, or where something is made of the own one."""
    run = site.run
    rows = run.models.addresses
    for name in names:
        for row in rows.get(f"{run.solver.canonical(run, name)}()", ()):
            if not site.holds(row.when, ()):
                continue
            if row.gives == "own":
                return Value(found.taints, found.refs | {OWN}, found.const, found.facts)
            for value in site.at(row.port):
                return _taken(run, site.op, value, found, row)
    given = [each.value for each in site.arguments[:1] if is_own(run, each.value)]
    if given and any(_is_maker(run, f"{run.solver.canonical(run, f'{name}()')}") for name in names):
        return Value(found.taints, found.refs | {OWN}, found.const, found.facts)
    return found


def _is_maker(run: Run, made: str) -> bool:
    """Whether rows say what the host of such a thing is."""
    return any(name.startswith((f"{made}.", f"{made}[")) for name in run.models.addresses)


def _taken(run: Run, op: int, whole: Value, found: Value, row: AddressRow) -> Value:
    """What a row says of an address is taken from it; its data is that of the whole."""
    assert run.state is not None
    name = row.name.removeprefix("*.")
    taints: dict[Origin, Taint] = {}
    for origin, taint in run.state.deep(whole).items():
        part = row.gives == "part" or is_composed(run.solver, taint.trail)
        note = name + (PART if part else HOST)
        trail = Trail(run.unit, op, Role.PROPAGATOR, note, taint.trail)
        mine = piece(origin, PART if part else HOST, run.unit, op)
        if mine != origin:
            run.state.valid.pop(mine, None)  # of other data than in the round before
        clean = run.state.harmless(origin, taint) | row.clean
        taints[mine] = Taint(clean, trail, taint.assumed)
    refs = frozenset(ref for ref in found.refs if not isinstance(ref, Object))
    if row.gives == "part":
        return Value(taints, refs)
    refs = refs | {OWN} if is_own(run, whole) else refs
    return Value(
        taints, refs, facts=facts(run, op, of(Value(taints)), HERE, "no host", truth=False)
    )


def parted(
    run: Run,
    op: int,
    taints: Mapping[Origin, Taint],
    alike: int = 0,
    *,
    moves: bool = False,
) -> Mapping[Origin, Taint]:
    """Data of a part that an operation takes: a test of it says nothing of the rest.

    `alike`: the kinds for which it is one of the rest. `moves`: it takes another one each time.
    """
    assert run.state is not None
    if len(taints) > FEW:
        return run.longer(taints, op, Role.PROPAGATOR, f"item{PART}")
    first = op if moves else run.sames.first(run, op)
    what = ALIKE if alike else PART
    found: dict[Origin, Taint] = {}
    for origin, taint in taints.items():
        mine = piece(origin, what, run.unit, first, alike)
        known = run.state.harmless(origin, taint)
        if first == op and not isinstance(mine, Free):
            run.state.valid.pop(mine, None)  # other data than in the round before
        found[mine] = taint._replace(clean=known)
    return found


def part(run: Run, op: int, found: Value, alike: int = 0) -> Value:
    """What an operation takes from data, as data of its own; where there is no room for that, its step says so.

    `alike`: see `parted`.
    """
    if not found.taints:
        return found
    taints = parted(run, op, found.taints, alike)
    whole = {origin: taint for origin, taint in taints.items() if origin in found.taints}
    if whole:
        taints = {**taints, **run.longer(whole, op, Role.PROPAGATOR, f"item{PART}")}
    return Value(taints, found.refs, found.const, found.facts)


def taken_by(site: Site, row: PartRow, found: Value) -> Value:
    """What a call gives that a row says is data of its own."""
    alike = row.alike
    if alike == BLANKS:
        alike = _without_ends(site)
    elif alike == NO_QUOTE:
        alike = middle(tuple(each.value.const for each in site.arguments[-2:]))
    taints = parted(site.run, site.op, found.taints, alike, moves=row.moves)
    return Value(taints, found.refs, found.const, found.facts)


def _without_ends(site: Site) -> int:
    """What a text that is known but for its ends cannot hurt, by the characters that are cut off there."""
    cut = [each.value for each in site.arguments if not each.value.taints]
    if len(site.arguments) - len(cut) > (site.receiver is None or not site.receiver.taints):
        return 0  # data says what is cut off
    texts = [each for value in cut for each in choices(value.const)]
    if len(texts) < len(cut) or not all(isinstance(each, str) for each in texts):
        return 0
    letters = set("".join(map(str, texts)))
    if not letters <= set(" \t\r\n/"):
        return 0
    return BLANKS & ~SITE if "/" in letters else BLANKS


def is_composed(solver: Solver, trail: Trail | None) -> bool:
    """Whether data is only a piece of a text that was put together."""
    for step in backwards(trail, MAX_STEPS):
        row = solver.program.codes[step.unit].ops[step.op]
        if row[0] == Op.OPERATE or (row[0] == Op.MAKE and row[1] == Make.TEXT):
            return True
        steps = solver.models_of(solver.program.codes[step.unit].language).steps
        made = (steps.get(name) for name in (step.note, f"*.{step.note}"))
        if any(each is not None and each.begins != RESULT for each in made):
            return True
    return False


def is_own(run: Run, value: Value) -> bool:
    """Whether a value is the host that was asked, or an address there."""
    rows = run.models.addresses
    if not rows or not value.refs:
        return False
    if OWN in value.refs:
        return True
    known = (row for ref in value.refs if isinstance(ref, str) for row in rows.get(ref, ()))
    return any(row.gives == "own" and not row.when for row in known)


# ------------------------------------------------------------------------------ tests


def shown(
    run: Run, origin: Origin, trail: Trail | None, kinds: int, host: int
) -> Iterator[tuple[Origin, int]]:
    """What a test of a value shows of its data: of what was taken from other data it shows it of that.

    `host`: the kinds that it shows for the whole address where the value is its host. What is only
    shown of where an address leads is not shown of a piece of a text that was put together.
    """
    if any(map(is_piece, origin.path)):
        yield origin, kinds
        while (kinds or host) and is_piece(origin.path[-1]):
            last = origin.path[-1]
            alike = likeness(last)
            kinds, host = (host, host) if is_piece(last, HOST) else (kinds & alike, host & alike)
            origin = origin._replace(path=origin.path[:-1])
            if kinds:
                yield origin, kinds
            if not origin.path:
                return
        return
    part = taken(trail)
    if part == HOST:
        yield origin, host
    elif not part and (kinds & ~SITE or not is_composed(run.solver, trail)):
        yield origin, kinds


def of_host(kinds: int) -> int:
    """What a test that shows `kinds` of the whole of a host shows of the address."""
    if not kinds & ~SITE:
        return kinds
    return SITE if kinds & PLAIN_KINDS == PLAIN_KINDS else 0


def facts(
    run: Run,
    op: int,
    value: Value,
    kinds: int,
    note: str,
    *,
    truth: bool = True,
    host: int | None = None,
    found: bool = False,
) -> tuple[Fact, ...]:
    """What a test shows of the data of a value. `found`: see `Fact`."""
    trail = Trail(run.unit, op, Role.GUARD, note)
    host = of_host(kinds) if host is None else host
    return tuple(
        Fact(truth, each, known, trail, found)
        for origin, taint in value.taints.items()
        for each, known in shown(run, origin, taint.trail, _inside(run, taint, kinds), host)
        if known
    )


def _inside(run: Run, taint: Taint, kinds: int) -> int:
    """That a path without `..` begins with a folder says that it is inside, however it is written elsewhere.

    Of one that was put together it says so of what is put together, not of its parts.
    """
    if not kinds & UNDER:
        return kinds
    way = _way(run.solver, taint.trail)
    if not taint.clean & NORMAL:
        return kinds if way is None else kinds & ~UNDER
    return kinds | INSIDE if way is None else kinds & ~UNDER | joined(_numbered(run.solver, way))


def harmless(run: Run, origin: Origin, taint: Taint) -> int:
    """Kinds that data cannot hurt here, also those that are shown of what is put together."""
    assert run.state is not None
    return put_together(run.solver, run.state.harmless(origin, taint), taint.trail)


def put_together(solver: Solver, clean: int, trail: Trail | None) -> int:
    """Kinds that data cannot hurt, with those that are shown of it as it was put together."""
    if clean & OF_JOINED and not clean & PATH:
        way = _way(solver, trail)
        if way is not None and clean & joined(_numbered(solver, way)):
            return clean | PATH
    return clean


def _numbered(solver: Solver, way: Way) -> int:
    return solver.ways.setdefault(way, len(solver.ways))


def _way(solver: Solver, trail: Trail | None) -> Way | None:
    """How data was put together with something else, the last time: by a text, or a call of several things.

    That is what stands there beside variables and calls, and what it begins with.
    """
    for step in backwards(trail, MAX_STEPS):
        code = solver.program.codes[step.unit]
        row = code.ops[step.op]
        parts: list[int] = []
        if row[0] == Op.OPERATE and row[2] >= 0:
            parts = [row[1], row[2]]
            while code.ops[parts[0]][0] == Op.OPERATE and code.ops[parts[0]][2] >= 0:
                parts[:1] = code.ops[parts[0]][1:3]
        elif (row[0] == Op.MAKE and row[1] == Make.TEXT) or (
            row[0] in (Op.CALL, Op.NEW) and row[3] > 1 and step.role is not Role.CALL
        ):
            parts = [item for _, _, item in code.ports[row[2] : row[2] + row[3]]]
        if parts:
            return tuple(_written(code, at, any_name=not n) for n, at in enumerate(parts))
        if is_composed(solver, Trail(step.unit, step.op, step.role, step.note)):
            return (f"{step.unit}:{step.op}",)
    return None


def _written(code: Code, op: int, *, any_name: bool) -> str:
    """A constant, or the name of a variable, where that is written like a constant or any may be meant."""
    kind, a, b = code.ops[op][:3]
    if kind == Op.CONST:
        return code.names[b] if b >= 0 else "?"
    word = code.names[a if kind == Op.LOAD else b] if kind in (Op.LOAD, Op.GETATTR) else ""
    return word.partition("#")[0] if any_name or word.lstrip("$@").isupper() else ""


def of_found(value: Value) -> tuple[Fact, ...]:
    """What it shows that there is a value: it was found, or it is not false."""
    return tuple(fact for fact in value.facts if not fact.truth or fact.found)


def nothing(
    value: Value, other: Value, absent: Sequence[object], *, truth: bool
) -> tuple[Fact, ...]:
    """What it shows that something that was looked up is nothing: one of `absent`."""
    if not any(other.const is each for each in absent):
        return ()
    return tuple(fact._replace(truth=fact.truth is not truth) for fact in value.facts
                 if fact.found)  # fmt: skip


def own_part(run: Run, op: int, left: Value, right: Value, *, truth: bool) -> tuple[Fact, ...]:
    """What it shows that data equals what a sanitizer makes of it (`basename(x) == x`)."""
    for one, other in ((left, right), (right, left)):
        if len(one.taints) != 1 or len(other.taints) != 1:
            continue
        ((mine, taint),), ((theirs, made),) = one.taints.items(), other.taints.items()
        rest = theirs.path[len(mine.path) :]
        same = theirs._replace(path=theirs.path[: len(mine.path)]) == mine
        if same and all(map(is_piece, rest)) and made.clean & ~taint.clean:
            trail = Trail(run.unit, op, Role.GUARD, WHOLE)
            return (Fact(truth, mine, made.clean & ~taint.clean, trail),)
    return ()


def is_host(value: Value) -> bool:
    """Whether a value is the host of an address that data is in."""
    return any(_is_host(origin, taint) for origin, taint in value.taints.items())


def _is_host(origin: Origin, taint: Taint) -> bool:
    if any(map(is_piece, origin.path)):
        return is_piece(origin.path[-1], HOST)
    return taken(taint.trail) == HOST


def compared(run: Run, op: int, value: Value, other: Value, *, truth: bool) -> tuple[Fact, ...]:
    """What it shows that a host is no text, or the own one."""
    known = choices(other.const)
    none = bool(known) and all(each is None or each == "" for each in known)
    if not (none or is_own(run, other)) or not is_host(value):
        return ()
    return facts(run, op, of(value), HERE, "no host" if none else "the own host", truth=truth)


def listed(run: Run, op: int, value: Value, among: Value, *, truth: bool) -> tuple[Fact, ...]:
    """What it shows that a host is one of a list in which the own one stands beside constants."""
    assert run.state is not None
    if not is_host(value) or among.taints:
        return ()
    things = [run.thing(ref) for ref in among.refs if isinstance(ref, Object)]
    held = [each for thing in things for each in (*thing.fields.values(), thing.rest)]
    open_ = [each for each in held if any(not isinstance(origin, Free) for origin in each.taints)]
    if not held or not all(is_own(run, each) for each in open_):
        return ()
    own = any(is_own(run, each) for each in held)
    return facts(run, op, of(value), HERE if own else SITE, "a known host", truth=truth)


def of(value: Value) -> Value:
    """What of a value is a host."""
    return Value({origin: taint for origin, taint in value.taints.items()
                  if _is_host(origin, taint)})  # fmt: skip


def guarded(row: GuardRow, texts: Sequence[object]) -> int:
    """Kinds that a host cannot hurt where a row about a call says that it is fixed, or below a domain."""
    if not row.kinds & ~SITE:
        return row.kinds
    if row.text == "ends":
        known = [_below(each) for each in texts if isinstance(each, str)]
        return SITE if known and len(known) == len(texts) and all(known) else 0
    fixing = any(each.startswith(("constant:", "fixed:")) for each in row.when)
    return SITE if fixing and not row.text and row.truth else 0


def _below(text: str) -> bool:
    """Whether what ends with a text is below a domain: only where a dot begins it."""
    return len(text) > 2 and text[0] == "."
