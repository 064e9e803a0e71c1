"""Constants and texts of Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from grainline.languages.lowering.base import Handler, Writer, kids
from grainline.languages.lowering.common import display_end
from grainline.model.ir import Const, Make, Port

if TYPE_CHECKING:
    from tree_sitter import Node


_PREFIX = re.compile(rb"[^'\"]*")


def _string(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    raw = low.text[start:end]
    found = _PREFIX.match(raw)
    prefix = found[0].lower() if found else b""
    if b"f" in prefix or b"t" in prefix:
        _text(low, node)
        return
    body = raw[len(prefix) :]
    quote = 3 if body[:3] in (b'"""', b"'''") else 1
    kind = Const.BYTES if b"b" in prefix else Const.STR
    low.constant(kind, body[quote:-quote] if len(body) >= 2 * quote else b"", node)


def _text(low: Writer, node: Node) -> None:
    """Text that is put together; constant when it has no parts of interest."""
    parts: list[Node] = []
    open_: list[Any] = [node]
    constant = b""
    plain = True
    while open_:
        child = open_.pop()
        kind = child.type
        if kind == "interpolation" or kind == "format_expression":
            parts += kids(child)[:1]
            plain = False
            open_ += [part for part in kids(child)[1:] if part.type == "format_specifier"]
        elif kind == "string_content":
            constant += low.text[child.start_byte : child.end_byte]
            parts.append(child)
        else:
            open_ += reversed(child.named_children)
    if plain:
        low.constant(Const.STR, constant, node)
        return
    low.todo.append((display_end, (node, Make.TEXT, [(int(Port.POSITIONAL), -1)] * len(parts))))
    low.visit_all(parts)


def _content(low: Writer, node: Node) -> None:
    low.constant(Const.STR, low.text[node.start_byte : node.end_byte], node)


def _constant(kind: Const) -> Handler:
    def constant(low: Writer, node: Node) -> None:
        raw = low.text[node.start_byte : node.end_byte] if kind in (Const.INT, Const.BOOL) else None
        low.constant(kind, raw, node)

    return constant


EXPRESSIONS: dict[str, Handler] = {
    "string": _string,
    "string_content": _content,
    "concatenated_string": _text,
    "integer": _constant(Const.INT),
    "float": _constant(Const.OTHER),
    "true": _constant(Const.BOOL),
    "false": _constant(Const.BOOL),
    "none": _constant(Const.NONE),
    "ellipsis": _constant(Const.OTHER),
}
