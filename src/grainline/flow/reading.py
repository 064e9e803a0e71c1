"""Files of models (TOML) as rows, and several of them as one `Models` per language."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, fields, replace
from typing import Any, Final, TypeVar, cast

from grainline.errors import BadInput
from grainline.flow.containers import WORDS
from grainline.flow.rows import (
    ADDRESS,
    ALL_KINDS,
    CHECKS,
    COMPARING,
    EVERY,
    HOLDING,
    KINDS,
    MAY,
    PERMISSION,
    RECEIVER,
    REPLACES,
    RESULT,
    RETURNS,
    AddressRow,
    CheckRow,
    EntryRow,
    GuardRow,
    MarkRow,
    Models,
    OperationRow,
    PartRow,
    PatternRow,
    ResourceRow,
    SinkRow,
    SourceRow,
    StepRow,
    Where,
    bits,
    one_of,
)
from grainline.flow.texts import ALIKE, HIDDEN
from grainline.flow.texts import WORDS as TEXTS
from grainline.languages.base import LANGUAGES
from grainline.model.flow import Severity

CWE: Final[Mapping[str, int]] = {
    "command": 78,
    "sql": 89,
    "code": 94,
    "path": 22,
    "xss": 79,
    "ssrf": 918,
    "redirect": 601,
    "deserialization": 502,
    "ldap": 90,
    "xpath": 643,
    "xxe": 611,
    "log": 117,
    "template": 1336,
    "trust boundary": 501,
    "header": 113,
    "format string": 134,
    "resource": 400,
    "regex": 1333,
    "secret": 532,
    "setting": 15,
    "number": 190,
    "division": 369,
    "nosql": 943,
    "permission": 862,
    "ownership": 639,
    "privilege": 915,
    "weak hash": 328,
}
SEVERITIES: Final[Mapping[str, Severity]] = {
    "command": Severity.CRITICAL,
    "code": Severity.CRITICAL,
    "deserialization": Severity.CRITICAL,
    "sql": Severity.CRITICAL,
    "log": Severity.LOW,
    "trust boundary": Severity.MEDIUM,
    "redirect": Severity.MEDIUM,
    "header": Severity.MEDIUM,
    "number": Severity.LOW,
    "division": Severity.LOW,
    "resource": Severity.MEDIUM,
    "setting": Severity.MEDIUM,
    "weak hash": Severity.MEDIUM,
}
T = TypeVar("T")
N = TypeVar("N", SourceRow, SinkRow, StepRow, PartRow, EntryRow, ResourceRow)

_SECTIONS: Final = frozenset(
    ("languages", "packages", "types", "source", "sink", "store", "step", "sanitizer", "guard",
     "entry", "pattern", "mark", "versions", "authorization", "operation", "selection",
     "credential", "resource", "address", "part")
)  # fmt: skip


def read(name: str, data: bytes) -> tuple[tuple[str, ...], Models]:
    """The languages that a file of models is about, and its rows.

    Raises:
        BadInput: it is no TOML, or says something that models do not say.
    """
    try:
        found = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput("bad_models", f"{name} is no TOML: {error}") from error
    odd = sorted(found.keys() - _SECTIONS)
    if odd or not isinstance(found.get("languages"), list):
        told = f"unknown section {odd[0]!r}" if odd else "no `languages`"
        raise BadInput(
            "bad_models", f"{name}: {told}", hint="known: " + ", ".join(sorted(_SECTIONS))
        )
    for language in found["languages"]:
        if language not in LANGUAGES.names():
            known = ", ".join(LANGUAGES.names())
            raise BadInput(
                "bad_models", f"{name}: {language!r} is no language", hint=f"known: {known}"
            )
    try:
        return tuple(found["languages"]), _models(name, found)
    except (AttributeError, TypeError, ValueError) as error:
        raise BadInput("bad_models", f"{name}: {error}") from error


def together(parts: Iterable[Models]) -> Models:
    """Rows of several files; those of later ones go before."""
    merged: dict[str, dict[str, Any]] = {}
    for part in parts:
        for field in Models.__dataclass_fields__:
            known = merged.setdefault(field, {})
            if field == "sinks":
                known.update(_beside(known, part.sinks))
            else:
                known.update(getattr(part, field))
    return replace(Models(), **merged)


def _beside(
    known: Mapping[str, tuple[SinkRow, ...]], more: Mapping[str, tuple[SinkRow, ...]]
) -> Mapping[str, tuple[SinkRow, ...]]:
    """Sinks of a name that others have rows for: theirs of other kinds stay."""
    found: dict[str, tuple[SinkRow, ...]] = {}
    for name, rows in more.items():
        kinds = {row.kind for row in rows}
        found[name] = (*rows, *(row for row in known.get(name, ()) if row.kind not in kinds))
    return found


def united(parts: Iterable[Models]) -> Models:
    """Rows of files that belong together: what two of them say of one name holds at once.

    Raises:
        ValueError: they say different things of a name.
    """
    merged: dict[str, dict[str, Any]] = {}
    for part in parts:
        for section in Models.__dataclass_fields__:
            known = merged.setdefault(section, {})
            for name, row in getattr(part, section).items():
                known[name] = _both(name, known[name], row) if name in known else row
    return replace(Models(), **merged)


def _both(name: str, one: Any, other: Any) -> Any:
    """What two rows of a name say: each what the other leaves open, both the kinds that they clean."""
    if one == other:
        return one
    if isinstance(one, tuple):
        both = (*cast("Iterable[Any]", other), *cast("Iterable[Any]", one))
        return tuple(dict.fromkeys(both))
    if isinstance(one, str):
        raise ValueError(f"{name!r} is said to be {one!r} and {other!r}")
    found = {each.name: _either(name, each, getattr(one, each.name), getattr(other, each.name))
             for each in fields(one)}  # fmt: skip
    return replace(one, **found)


def _either(name: str, field: Field[Any], one: Any, other: Any) -> Any:
    if field.name == "clean":
        return one | other
    if one == other or other == field.default:
        return one
    if one == field.default:
        return other
    raise ValueError(
        f"{name!r} has two rows, and `{field.name}` is {one!r} in one and {other!r} in the other"
    )


def _one_each(rows: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Rows by name, those of one name as one."""
    found: dict[str, T] = {}
    for name, row in rows:
        found[name] = _both(name, found[name], row) if name in found else row
    return found


def _named(rows: Iterable[N]) -> dict[str, N]:
    return _one_each((row.name, row) for row in rows)


def _models(name: str, found: Mapping[str, Any]) -> Models:
    sinks: dict[str, tuple[SinkRow, ...]] = {}
    for row in _read(found, "sink", _sinks):
        sinks[row.name] = (*sinks.get(row.name, ()), row)
    patterns: dict[str, tuple[PatternRow, ...]] = {}
    for pattern in _read(found, "pattern", _patterns):
        patterns[pattern.name] = (*patterns.get(pattern.name, ()), pattern)
    marks: dict[str, tuple[MarkRow, ...]] = {}
    for mark in _read(found, "mark", _marks):
        marks[mark.name] = (*marks.get(mark.name, ()), mark)
    guards: dict[str, tuple[GuardRow, ...]] = {}
    for guard in _read(found, "guard", _guards):
        guards[guard.name] = (*guards.get(guard.name, ()), guard)
    addresses: dict[str, tuple[AddressRow, ...]] = {}
    for written, address in _read(found, "address", _addresses):
        addresses[written] = (*addresses.get(written, ()), address)
    operations: dict[str, tuple[OperationRow, ...]] = {}
    for operation in _read(found, "operation", _operations):
        operations[operation.name] = (*operations.get(operation.name, ()), operation)
    sources = list(_read(found, "source", _sources))
    steps = [*_read(found, "step", _steps), *_read(found, "sanitizer", _sanitizers)]
    return Models(
        sources=_named(row for row in sources if row.calls),
        reads=_named(row for row in sources if not row.calls),
        sinks=sinks,
        stores=_named(_read(found, "store", _sinks)),
        steps=_named(steps),
        parts=_named(_read(found, "part", _parts)),
        guards=guards,
        addresses=addresses,
        entries=_named(_read(found, "entry", _entries)),
        patterns=patterns,
        marks=marks,
        checks=_one_each(_read(found, "authorization", _checks)),
        operations=operations,
        resources=_named(_read(found, "resource", _resources)),
        credentials=_one_each(_read(found, "credential", _credentials)),
        selections={
            each: name for names in _read(found, "selection", _selections) for each in names
        },
        types=dict(found.get("types", {})),
        packages={name: tuple(found.get("packages", ()))},
    )


def _read(
    found: Mapping[str, Any], section: str, reader: Callable[[list[Mapping[str, Any]]], Iterable[T]]
) -> Iterator[T]:
    """What the rows of a section say.

    Raises:
        ValueError: a row says something else; it is named.
    """
    rows: object = found.get(section, [])
    if not isinstance(rows, list):
        raise ValueError(f"{section} is {rows!r}, not rows that begin with [[{section}]]")
    for number, row in enumerate(cast("list[object]", rows), 1):
        where = f"[[{section}]] {number}{_called(row)}"
        try:
            if not isinstance(row, dict):
                raise ValueError(f"{row!r} is no row")
            yield from reader([cast("dict[str, Any]", row)])
        except KeyError as error:
            raise ValueError(f"{where} has no {error}") from error
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"{where}: {error}") from error


def _called(row: object) -> str:
    """The first name of a row, to find it by."""
    names: object = cast("dict[str, object]", row).get("names") if isinstance(row, dict) else None
    first = cast("list[object]", names)[:1] if isinstance(names, list) else []
    return f" ({first[0]})" if first and isinstance(first[0], str) else ""


def _severity(row: Mapping[str, Any], default: Severity) -> Severity:
    """How bad it is, where a row says so."""
    if "severity" not in row:
        return default
    word = one_of(row["severity"], [each.name.lower() for each in Severity], "severity")
    return Severity[word.upper()]


_PORTS: Final = {"receiver": RECEIVER, "result": RESULT, "*": EVERY}


def _port(value: object) -> tuple[Where, ...]:
    """`0`, `"name"`, `"0:name"`, `"0[1]"` (an element), `"receiver"`, `"result"`, `"*"`."""
    if isinstance(value, int):
        return (Where(value),)
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no port")
    if value in _PORTS:
        return (Where(_PORTS[value]),)
    if value.endswith("]") and "[" in value:
        outer, _, item = value.removesuffix("]").partition("[")
        if not item.isdecimal():
            raise ValueError(f"{value!r} is no port")
        return tuple(port._replace(item=int(item)) for port in _port(outer))
    number, _, name = value.partition(":")
    if number.isdigit():
        return (Where(int(number), name),)
    return (Where(-9, value),)


def _ports(values: Iterable[object]) -> tuple[Where, ...]:
    return tuple(port for value in values for port in _port(value))


def _conditions(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Conditions of a row, whose words are known."""
    found = tuple(row.get(name, ()))
    for each in found:
        head, equals, _ = each.partition("=")
        word = head.rpartition(":")[0]
        if word not in (COMPARING if equals else HOLDING):
            raise ValueError(f"{each!r} is no condition")
    return found


_CALLERS: Final = frozenset(("request data", "body of a request", "header of the request"))
"""What a source is where somebody who calls chooses the data."""


def _names(row: Mapping[str, Any]) -> list[str]:
    if not isinstance(row["names"], list):
        raise ValueError(f"`names` is {row['names']!r}, not a list of dotted names")
    for name in cast("list[object]", row["names"]):
        if not isinstance(name, str) or not name or name != name.strip() or _is_torn(name):
            raise ValueError(f"{name!r} is no dotted name, like os.path.join or *.join()")
    return cast("list[str]", row["names"])


def _is_torn(name: str) -> bool:
    """Whether a part between dots is missing."""
    return name.startswith(".") or name.endswith(".") or ".." in name


def _credentials(rows: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    return ((each, row.get("where", "field")) for row in rows for each in _names(row))


def _selections(rows: Iterable[Mapping[str, Any]]) -> Iterable[list[str]]:
    return map(_names, rows)


def _sanitizers(rows: Iterable[Mapping[str, Any]]) -> Iterable[StepRow]:
    return _steps(rows, "*")


def _sources(rows: Iterable[Mapping[str, Any]]) -> Iterable[SourceRow]:
    for row in rows:
        kinds = bits(row["kinds"]) if "kinds" in row else ALL_KINDS
        if row.get("what") not in _CALLERS:
            kinds &= ~MAY
        gives = _ports(row.get("gives", ("result",)))
        for name in _names(row):
            calls = name.endswith("()")
            yield SourceRow(name=name.removesuffix("()") if calls else name,
                            what=row.get("what", name), calls=calls, gives=gives, kinds=kinds,
                            limit=row.get("limit", False), when=_conditions(row, "when"),
                            format=row.get("format", -1), whole=bool(row.get("whole", False)),
                            steady=bool(row.get("steady", False)))  # fmt: skip


def _sinks(rows: Iterable[Mapping[str, Any]]) -> Iterable[SinkRow]:
    for row in rows:
        kind = one_of(row["kind"], KINDS, "kind")
        severity = _severity(row, SEVERITIES.get(kind, Severity.HIGH))
        for name in _names(row):
            yield SinkRow(
                name=name,
                kind=kind,
                ports=_ports(row.get("ports", (0,))),
                severity=severity,
                cwe=row.get("cwe", CWE[kind]),
                when=_conditions(row, "when"),
                unless=_conditions(row, "unless"),
            )


def _steps(rows: Iterable[Mapping[str, Any]], clean: str = "") -> Iterable[StepRow]:
    for row in rows:
        kinds = bits(row.get("kinds", (clean,) if clean else ()))
        for word in row.get("says", ()):
            kinds |= HIDDEN[one_of(word, HIDDEN, "text")]
        container, returns = row.get("container", ""), row.get("returns", "")
        one_of(returns, RETURNS, "result of a call with a callback")
        if container:
            one_of(container, WORDS, "container's doing")
        replaces = row.get("replaces", "")
        if replaces:
            one_of(replaces, REPLACES, "thing that is replaced")
        for name in _names(row):
            yield StepRow(
                name=name,
                takes=_ports(row.get("takes", ("*", "receiver"))),
                gives=_ports(row.get("gives", ("result",))),
                clean=kinds,
                container=container,
                replaces=replaces,
                of=_ports(row.get("of", (0, 1))),
                callback=row.get("callback", -1),
                passes=tuple(row.get("passes", ())),
                returns=returns,
                ends=bool(row.get("ends", False)),
                raises=bool(row.get("raises", False)),
                format=row.get("format", -1),
                whole=bool(row.get("whole", False)),
                begins=_ports((row["begins"],))[0].place if "begins" in row else RESULT,
                constant=_ports((row["constant"],))[0].place if "constant" in row else RESULT,
                part=bool(row.get("part", False)),
            )


def _parts(rows: Iterable[Mapping[str, Any]]) -> Iterable[PartRow]:
    for row in rows:
        word = row.get("alike", "")
        alike = ALIKE[one_of(word, ALIKE, "likeness")] if word else 0
        for name in _names(row):
            yield PartRow(name=name, alike=alike, moves=bool(row.get("moves", False)))


def _guards(rows: Iterable[Mapping[str, Any]]) -> Iterable[GuardRow]:
    for row in rows:
        text = row.get("text", "")
        if text:
            one_of(text, TEXTS, "test of a text")
        for name in _names(row):
            yield GuardRow(
                name=name,
                port=_port(row.get("port", 0))[0],
                kinds=bits(row.get("kinds", ("*",))),
                truth=row.get("truth", True),
                text=text,
                at=_port(row.get("at", 0))[0].place,
                when=_conditions(row, "when"),
                unless=_conditions(row, "unless"),
                returns=bool(row.get("returns", False)),
                found=bool(row.get("found", False)),
            )


def _addresses(rows: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, AddressRow]]:
    for row in rows:
        gives = one_of(row["gives"], ADDRESS, "part of an address")
        for name in _names(row):
            yield (
                name,
                AddressRow(name=name.removesuffix("()"), gives=gives, calls=name.endswith("()"),
                           port=_port(row.get("of", "receiver"))[0], when=_conditions(row, "when"),
                           clean=bits(row.get("kinds", ()))),
            )  # fmt: skip


def _entries(rows: Iterable[Mapping[str, Any]]) -> Iterable[EntryRow]:
    for row in rows:
        result = row.get("result", "")
        if result:
            one_of(result, KINDS, "kind")
        for name in _names(row):
            yield EntryRow(
                name=name,
                argument=row.get("argument", -1),
                params=tuple(row.get("params", ())),
                rest=row.get("rest", ""),
                more=tuple(row.get("more", ())),
                result=result,
                handler=bool(result or row.get("params") or row.get("rest") or row.get("handler")),
                typed=bool(row.get("typed", False)),
                bare=bool(row.get("bare", False)),
            )


def _marks(rows: Iterable[Mapping[str, Any]]) -> Iterable[MarkRow]:
    for row in rows:
        for name in _names(row):
            yield MarkRow(
                name=name,
                mark=row["mark"],
                port=_port(row.get("port", "receiver"))[0],
                when=_conditions(row, "when"),
                unless=_conditions(row, "unless"),
            )


def _patterns(rows: Iterable[Mapping[str, Any]]) -> Iterable[PatternRow]:
    for row in rows:
        for name in _names(row):
            yield PatternRow(
                name=name,
                kind=row["kind"],
                severity=_severity(row, Severity.MEDIUM),
                cwe=row["cwe"],
                when=_conditions(row, "when"),
                unless=_conditions(row, "unless"),
            )


_SPELLED: Final = {
    "decorator": "@{}", "base": "class {}", "field": "field {}", "parameter": "parameter {}",
    "option": "{}=", "word": "~{}", "role": "*.{}", "filter": "filter {}",
}  # fmt: skip
"""How checks are known that are no reads and calls."""


def _checks(rows: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, CheckRow]]:
    for row in rows:
        does = one_of(row["does"], CHECKS, "authorization's doing")
        kinds = bits(row["kinds"]) if "kinds" in row else PERMISSION
        for name in _names(row):
            key = _SPELLED[does].format(name) if does in _SPELLED else name
            yield (
                key,
                CheckRow(name=key, does=does, kinds=kinds, truth=row.get("truth", True),
                         raises=bool(row.get("raises", False)), when=_conditions(row, "when"), unless=_conditions(row, "unless")),
            )  # fmt: skip


def _operations(rows: Iterable[Mapping[str, Any]]) -> Iterable[OperationRow]:
    for row in rows:
        for name in _names(row):
            yield OperationRow(
                name=name,
                what=row["what"],
                objects=_ports(row.get("objects", ())),
                selects=bool(row.get("selects", False)),
                kinds=tuple(row.get("kinds", ("permission", "ownership"))),
                severity=_severity(row, Severity.HIGH),
                cwe=row.get("cwe", 862),
                when=_conditions(row, "when"),
                unless=_conditions(row, "unless"),
            )


_DOES: Final = ("acquire", "release", "renew", "borrow", "ends", "lock", "unlock")


def _resources(rows: Iterable[Mapping[str, Any]]) -> Iterable[ResourceRow]:
    for row in rows:
        one_of(row["does"], _DOES, "resource's doing")
        for name in _names(row):
            yield ResourceRow(
                name=name,
                does=row["does"],
                what=row.get("what", ""),
                port=row.get("port", 0),
                fails=row.get("fails", True),
                gives=row.get("gives", -1),
                ends=tuple(row.get("ends", ())),
                again=bool(row.get("again", False)),
                by=tuple(row.get("by", ())),
                cwe=row.get("cwe", 772),
            )
