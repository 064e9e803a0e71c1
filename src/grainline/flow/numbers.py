"""Types whose values are no texts: numbers, truths, dates, and what routes say of their parameters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from grainline.model.ir import Const, Make, Op, Port

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grainline.flow.program import Code

_JVM: Final = frozenset(("Long", "Short", "Double", "Float", "Boolean", "BigInteger", "UUID",
                         "LocalDate", "LocalDateTime", "LocalTime", "Instant"))  # fmt: skip
_C_LIKE: Final = frozenset(("int", "long", "short", "double", "float"))

_NUMBERS: Final[Mapping[str, frozenset[str]]] = {
    "java": _JVM | _C_LIKE | frozenset(("boolean", "Integer", "AtomicInteger", "AtomicLong")),
    "kotlin": _JVM | frozenset(("Int", "UInt", "ULong")),
    "go": frozenset(("int", "int16", "int32", "int64", "uint", "uint16", "uint32", "uint64",
                     "float32", "float64", "bool")),
    "rust": frozenset(("u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
                       "isize", "f32", "f64", "bool", "Uuid")),
    "php": frozenset(("int", "float", "bool")),
    "python": frozenset(("int", "float", "bool", "UUID", "Decimal", "date", "datetime")),
}  # fmt: skip

ENFORCED: Final = frozenset(("java", "kotlin", "go", "rust", "php"))
"""Languages in which nothing else is ever in a variable of such a type."""

_AROUND: Final = frozenset(("Optional", "List", "Set", "Collection", "list", "set", "List`1", "Set`1",
                            "Option", "Vec", "Path", "Query", "Form", "Json", "Annotated",
                            "Collection`1", "Optional`1"))  # fmt: skip
"""Types that hold what stands between their brackets, of which the first counts."""

_CONVERTED: Final = re.compile(
    r"<(?:(?:int|float|uuid|slug|bool|number)(?:\([^)]*\))?:(\w+)|(\w+):(?:int|float|uuid|number|ymd))>"
    r"|\{(\w+)(?::(?:int|float|uuid)|:\\d[+*]?|:\[0-9\][+*]?)\}"
)
"""What a route says of a parameter: `<int:n>`, `<n:int>`, `{n:int}`, `{n:[0-9]+}`."""


def is_number(code: Code, at: int) -> bool:
    """Whether the type that an operation is holds no texts."""
    words = _NUMBERS.get(code.language)
    return words is not None and at >= 0 and _counts(code, at, words)


def _counts(code: Code, at: int, words: frozenset[str]) -> bool:
    for _ in range(4):
        kind, a, b, c = code.ops[at][:4]
        if kind == Op.GETITEM and word_of(code, a) == "Union":
            return all(_is_none(code, each) or _counts(code, each, words) for each in _all(code, b))
        if kind == Op.GETITEM and word_of(code, a) in _AROUND:
            at = _first(code, b)
        elif kind == Op.OPERATE and b < 0:  # `int[]`, `Int?`, `&u32`
            at = a
        elif kind == Op.OPERATE and code.names[c] == "|":
            return all(_is_none(code, each) or _counts(code, each, words) for each in (a, b))
        else:
            return word_of(code, at) in words
    return False


def _all(code: Code, at: int) -> list[int]:
    """Several types between brackets, or one."""
    kind, a, b, c = code.ops[at][:4]
    if kind == Op.MAKE and a in (Make.TUPLE, Make.LIST):
        return [item for _, _, item in code.ports[b : b + c]]
    return [at]


def _first(code: Code, at: int) -> int:
    """The first of several types between brackets."""
    kind, a, b, c = code.ops[at][:4]
    if (
        kind == Op.MAKE
        and a in (Make.TUPLE, Make.LIST)
        and c
        and code.ports[b][0] == Port.POSITIONAL
    ):
        return code.ports[b][2]
    return at


def inner(code: Code, at: int) -> int:
    """The type that counts of one that holds others (`List<String>`, `String[]`, `T?`)."""
    for _ in range(4):
        kind, a, b = code.ops[at][:3]
        if kind == Op.GETITEM and word_of(code, a) in _AROUND:
            at = _first(code, b)
        elif kind == Op.OPERATE and b < 0:
            at = a
        else:
            break
    return at


def word_of(code: Code, at: int) -> str:
    """The last word of the name that an operation is, "" where it is none."""
    kind, a, b = code.ops[at][:3]
    if kind == Op.CONST:
        return code.names[b] if a == Const.OTHER and b >= 0 else ""
    if kind == Op.LOAD:
        return code.names[a]
    if kind == Op.GETATTR:
        return code.names[b]
    if kind == Op.IMPORT:
        return code.names[b if b >= 0 else a].rpartition("::")[2]
    return ""


def _is_none(code: Code, at: int) -> bool:
    return code.ops[at][:2] == [Op.CONST, Const.NONE]


def converted(code: Code, op: int) -> dict[str, bool]:
    """Parameters that the route of a registration names, and whether it takes only numbers there."""
    texts = [code.names[code.ops[at][2]] for at in _constants(code, op)]
    found: dict[str, bool] = {}
    for text in texts:
        numbers = {name for match in _CONVERTED.finditer(text) for name in match.groups() if name}
        for name in re.findall(r"[<{](?:[^<>{}]*?:)?(\w+)(?:[:(][^<>{}]*)?[>}]", text):
            found.setdefault(name, False)
        found.update(dict.fromkeys(numbers, True))
    return found


def _constants(code: Code, op: int) -> list[int]:
    """The texts among the arguments of a call, or of the call that gives a decorator."""
    kind, a, b, c = code.ops[op][:4]
    if kind == Op.DECORATE:
        return _constants(code, a) if code.ops[a][0] == Op.CALL else []
    if kind != Op.CALL:
        return []
    ports = [
        port[2] for port in code.ports[b : b + c] if port[0] in (Port.POSITIONAL, Port.KEYWORD)
    ]
    return [
        at for at in ports if code.ops[at][:2] == [Op.CONST, Const.STR] and code.ops[at][2] >= 0
    ]
