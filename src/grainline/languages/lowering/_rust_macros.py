"""Macros of Rust whose arguments are expressions: they are evaluated where they stand.

The grammar has the inside of a macro as tokens, so each argument is parsed by itself. What is none
of these macros stays a leaf.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Parser, Point, Range

from grainline.languages.lowering._rust_base import load, rust
from grainline.languages.lowering.base import Writer, opaque
from grainline.languages.lowering.blocks import MAKE, POSITIONAL, Work
from grainline.model.ir import Const, Make, Op

if TYPE_CHECKING:
    from tree_sitter import Language, Node

FORMATS = frozenset((b"format", b"format_args"))
"""Macros that are the text which they make."""

EVALUATES = frozenset(
    b"""print println eprint eprintln write writeln panic unreachable todo unimplemented vec dbg
    assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne trace debug info warn
    error anyhow bail ensure""".split()
)
"""Macros that evaluate what they get, as a call does."""

MAX_ARGUMENTS = 24
"""Arguments of a macro that are looked at."""

MAX_NESTING = 6
"""Macros inside of each other that are looked into."""

_HOLE = re.compile(rb"\{\{|\{([A-Za-z_]\w*)?[^{}]*\}")


class Part(NamedTuple):
    """An argument: where it is, its name (`x = 3`), the expression that it is, if it is one."""

    start: int
    end: int
    name: bytes
    value: Node | None


def arguments(low: Writer, node: Node, word: bytes) -> list[Part] | None:
    """The arguments of a macro, None where it is a leaf."""
    if word not in FORMATS and word not in EVALUATES:
        return None
    tree = next((child for child in node.children if child.type == "token_tree"), None)
    if tree is None or rust(low).nesting >= MAX_NESTING or not tree.children:
        return None
    if tree.children[0].type not in ("(", "["):
        return None
    found: list[Part] = []
    for start, end in _spans(low, tree)[:MAX_ARGUMENTS]:
        raw = low.text[start:end]
        named = _NAMED.match(raw)
        name = named[1] if named is not None else b""
        at = start + (named.end() if named is not None else 0)
        found.append(Part(at, end, name, _parsed(low, at, end)))
    return found


_NAMED = re.compile(rb"\s*([A-Za-z_]\w*)\s*=(?![=>])")


def _spans(low: Writer, tree: Node) -> list[tuple[int, int]]:
    """What stands between the commas of a list of tokens."""
    found: list[tuple[int, int]] = []
    at = tree.children[0].end_byte
    for child in tree.children[1:-1]:
        if child.type in (",", ";") or low.text[child.start_byte : child.end_byte] in (b",", b";"):
            found.append((at, child.start_byte))
            at = child.end_byte
    found.append((at, tree.children[-1].start_byte))
    return [(start, end) for start, end in found if low.text[start:end].strip()]


@cache
def _parser(language: Language) -> Parser:
    return Parser(language)


def _parsed(low: Writer, start: int, end: int) -> Node | None:
    """The expression that some bytes are."""
    state = rust(low)
    if state.language is None:
        return None
    parser = _parser(state.language)
    parser.included_ranges = [Range(Point(0, start), Point(0, end), start, end)]
    tree = parser.parse(low.text)
    found = tree.root_node.named_children
    while len(found) == 1 and found[0].type in ("ERROR", "expression_statement"):
        found = found[0].named_children
    if len(found) != 1 or found[0].has_error or not _covers(low, found[0], start, end):
        return None
    return found[0]


def _covers(low: Writer, node: Node, start: int, end: int) -> bool:
    outside = low.text[start : node.start_byte] + low.text[node.end_byte : end]
    return not outside.strip()


# ------------------------------------------------------------------------------ texts


def evaluated(low: Writer, work: tuple[Node, bytes, int, list[Part]]) -> None:
    """The value of a macro, whose callee is an operation."""
    node, word, callee, found = work
    at = next((n for n, each in enumerate(found[:2]) if _is_text(each)), -1)
    if word == b"vec" or at < 0:
        low.push(*_values(low, found), (_made, (node, word, callee, len(found))))
        return
    before, text, behind = found[:at], found[at], found[at + 1 :]
    places = [each for each in behind if not each.name]
    names = {each.name for each in behind if each.name}
    parts, count = _texts(low, text, names)
    low.push(
        *_values(low, before), *parts, *_values(low, [*places, *(e for e in behind if e.name)]),
        (_text, (node, count + len(behind))),
        (_made, (node, word, callee, len(before) + 1)),
    )  # fmt: skip


def _is_text(part: Part) -> bool:
    return part.value is not None and part.value.type in ("string_literal", "raw_string_literal")


def _values(low: Writer, found: list[Part]) -> Work:
    return [(_value, each) for each in found]


def _value(low: Writer, part: Part) -> None:
    if part.value is None:
        low.values.append(low.emit(Op.CONST, Const.OTHER, -1, -1, part.start, part.end))
        return
    rust(low).nesting += 1
    low.push((low.handlers[part.value.kind_id], part.value), (_out, None))


def _out(low: Writer, work: None) -> None:
    del work
    rust(low).nesting -= 1


def _texts(low: Writer, part: Part, names: set[bytes]) -> tuple[Work, int]:
    """What a format consists of: texts, and variables that are named in it."""
    assert part.value is not None
    start, end = part.value.byte_range
    raw = low.text[start:end]
    work: Work = []
    at = raw.index(b'"') + 1
    last = raw.rindex(b'"')
    for hole in _HOLE.finditer(raw, at, last):
        if hole[0] == b"{{":
            continue
        work.append((_fragment, (start + at, start + hole.start())))
        at = hole.end()
        if hole[1] and hole[1] not in names:
            work.append((_variable, (hole[1], start + hole.start(1))))
    work.append((_fragment, (start + at, start + last)))
    return work, len(work)


def _fragment(low: Writer, work: tuple[int, int]) -> None:
    start, end = work
    text = low.name(low.text[start:end])
    low.values.append(low.emit(Op.CONST, Const.STR, text, -1, start, end))


def _variable(low: Writer, work: tuple[bytes, int]) -> None:
    raw, start = work
    load(low, raw, start, start + len(raw))


def _text(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    low.values.append(_taken(low, Make.TEXT, count, node))


def _taken(low: Writer, kind: Make, count: int, node: Node) -> int:
    first = len(low.values) - count
    values = low.values[first:]
    del low.values[first:]
    at, ports = low.write_ports([(POSITIONAL, -1, value) for value in values])
    return low.emit(MAKE, kind, at, ports, *node.byte_range)


def _made(low: Writer, work: tuple[Node, bytes, int, int]) -> None:
    node, word, callee, count = work
    if word in FORMATS and count == 1:
        return  # the text is the value
    if word == b"vec":
        low.values.append(_taken(low, Make.LIST, count, node))
        return
    first = len(low.values) - count
    values = low.values[first:]
    del low.values[first:]
    at, ports = low.write_ports([(POSITIONAL, -1, value) for value in values])
    low.values.append(low.emit(Op.CALL, callee, at, ports, *node.byte_range))


def leaf(low: Writer, node: Node) -> None:
    """A macro without a name."""
    opaque(low, node)
