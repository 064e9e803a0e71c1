"""What the formats of a graph render: edges, and what their ends are called and where they stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from grainline.model.edge import Edge, Symbol
from grainline.model.facts import FileFacts
from grainline.model.symbol import Definition, SymbolKind
from grainline.registry import Registry


class Node(NamedTuple):
    """A symbol. `kind` is a word of `SymbolKind`, "" for what no outline has; `line` from 1."""

    symbol: Symbol
    name: str
    kind: str
    line: int


class Row(NamedTuple):
    """An edge between nodes, by their numbers, at a line of the file of its source."""

    source: int
    target: int
    edge: Edge
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A graph with all that is shown of it; nodes by path and descriptor, rows as edges come."""

    nodes: tuple[Node, ...]
    rows: tuple[Row, ...]


class Format(Protocol):
    """A plug-in."""

    @property
    def name(self) -> str:
        """That of its module."""
        ...

    def render(self, drawing: Drawing) -> str:
        """The whole text; the same for the same drawing."""
        ...


FORMATS: Final = Registry[Format]("grainline.graph.formats", "FORMAT", skip=frozenset({"base"}))


def draw(
    edges: Iterable[Edge], texts: Mapping[bytes, bytes], facts: Mapping[bytes, FileFacts]
) -> Drawing:
    """The drawing of some edges; neither their order nor that of files matters.

    Args:
        edges: of one snapshot.
        texts: path -> working text, for lines; without it a line is 1.
        facts: path -> facts with the outline, for names and kinds.
    """
    ordered = sorted(edges, key=_order)
    symbols = sorted({end for edge in ordered for end in (edge.src, edge.dst)})
    outlines = {
        path: {each.descriptor: each for each in facts[path].definitions}
        for path in sorted({symbol.path for symbol in symbols})
        if path in facts
    }
    starts = {path: _line_starts(texts.get(path, b"")) for path in {s.path for s in symbols}}
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    return Drawing(
        nodes=tuple(_node(symbol, outlines, starts) for symbol in symbols),
        rows=tuple(
            Row(
                numbers[edge.src],
                numbers[edge.dst],
                edge,
                _line(starts[edge.src.path], edge.site.start),
            )
            for edge in ordered
        ),
    )


def _order(edge: Edge) -> tuple[object, ...]:
    return edge.src.path, edge.site, edge.type, edge.src, edge.dst, edge.tier, edge.methods


def _node(
    symbol: Symbol,
    outlines: Mapping[bytes, Mapping[str, Definition]],
    starts: Mapping[bytes, Sequence[int]],
) -> Node:
    if not symbol.descriptor:
        name = symbol.path.rpartition(b"/")[2].decode("utf-8", "replace")
        return Node(symbol, name, SymbolKind.MODULE.value, 1)
    each = outlines.get(symbol.path, {}).get(symbol.descriptor)
    if each is None:
        return Node(symbol, symbol.descriptor, "", 1)
    return Node(symbol, each.name, each.kind.value, _line(starts[symbol.path], each.name_start))


def _line_starts(text: bytes) -> list[int]:
    return [0, *(found.end() for found in re.finditer(rb"\n", text))]


def _line(starts: Sequence[int], offset: int) -> int:
    return bisect_right(starts, offset)
