"""Pieces become chunks: those above the cap are divided, all get kind, header and position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from grainline.chunking.base import Source
from grainline.chunking.headers import MAX_NAMES, Headers, clean
from grainline.chunking.merge import Piece, Role
from grainline.chunking.outline import CALLABLES, RECORDS, TYPES, VALUES
from grainline.chunking.split import NO_BREAKS, Breaks, cut_to_cap, skeleton_breaks, tile
from grainline.model.chunk import ChunkKind, ChunkSpan
from grainline.model.symbol import Definition, SymbolKind

PART = 0.75
"""Of the cap: what a part of a long symbol aims at, so that there is room for a better border."""

DATA_LANGUAGES = frozenset({"json", "yaml", "toml", "xml"})
TEXT_LANGUAGES = frozenset({"", "markdown"})


def emit(source: Source, groups: Sequence[Piece], cap: int, target: int) -> tuple[ChunkSpan, ...]:
    """Chunks of the groups, those above the cap divided, with headers and positions."""
    definitions = source.facts.definitions
    headers = Headers(source.text, definitions)
    breaks: Breaks | None = None
    language = source.facts.language
    chunks: list[ChunkSpan] = []
    repeated = False
    count: Counter[int] = Counter()
    for group in groups:
        symbol = _main_symbol(group, definitions)
        if symbol >= 0:
            parent = definitions[symbol].parent
            header = headers.of(symbol, _names(group, definitions))
        else:
            parent = group.owner
            header = headers.within(parent)
        kind = _kind(group, symbol, definitions, language)
        if group.tokens <= cap:
            chunks.append(ChunkSpan(group.start, group.end, kind, symbol, parent, header))
            repeated = repeated or (symbol >= 0 and count[symbol] > 0)
            count[symbol] += 1
            continue
        if breaks is None:
            breaks = skeleton_breaks(source) if source.facts.skeleton else NO_BREAKS
        goal = _goal(kind, language, cap, target)
        borders = cut_to_cap(source, group.start, group.end, cap, breaks, goal)
        for start, end in tile(group.start, group.end, borders):
            chunks.append(ChunkSpan(start, end, kind, symbol, parent, header))
        count[symbol] += len(borders) + 1
        repeated = True
    return _number(chunks, count) if repeated else tuple(chunks)


def _number(chunks: Sequence[ChunkSpan], count: Counter[int]) -> tuple[ChunkSpan, ...]:
    """Chunks of one symbol get their position among them."""
    seen: Counter[int] = Counter()
    numbered: list[ChunkSpan] = []
    for chunk in chunks:
        symbol = chunk.symbol
        if symbol >= 0 and count[symbol] > 1:
            chunk = chunk._replace(part=seen[symbol], parts=count[symbol])
            seen[symbol] += 1
        numbered.append(chunk)
    return tuple(numbered)


def _main_symbol(group: Piece, definitions: Sequence[Definition]) -> int:
    """The owner whose text it is, else the first symbol, one with a body before a value."""
    if group.role is Role.OWN:
        return group.owner
    if len(group.symbols) == 1:
        return group.symbols[0]
    for symbol in group.symbols:
        if definitions[symbol].kind not in VALUES:
            return symbol
    return group.symbols[0] if group.symbols else -1


def _names(group: Piece, definitions: Sequence[Definition]) -> list[str]:
    """Names of the symbols of a group; a whole type brings those of its methods."""
    names: dict[str, None] = {}
    opened = group.owner if group.role is Role.OWN else -1
    for symbol in group.symbols:
        definition = definitions[symbol]
        names[clean(definition.name)] = None
        if symbol != opened and definition.kind in TYPES:
            for inner in range(symbol + 1, len(definitions)):
                member = definitions[inner]
                if member.start >= definition.end or len(names) >= MAX_NAMES:
                    break
                if member.parent == symbol and member.kind in CALLABLES:
                    names[clean(member.name)] = None
        if len(names) >= MAX_NAMES:
            break
    return list(names)


def _kind(group: Piece, symbol: int, definitions: Sequence[Definition], language: str) -> ChunkKind:
    if symbol >= 0:
        kind = definitions[symbol].kind
        if kind is SymbolKind.HEADING:
            return ChunkKind.HEADING
        return ChunkKind.RECORD if kind in RECORDS else ChunkKind.SYMBOL
    if group.role is Role.COMMENT:
        return ChunkKind.COMMENT
    return ChunkKind.RECORD if language in DATA_LANGUAGES else ChunkKind.BLOCK


def _goal(kind: ChunkKind, language: str, cap: int, target: int) -> int:
    """Prose and records are cut near the target; code keeps as much together as fits."""
    if kind is ChunkKind.RECORD or language in TEXT_LANGUAGES:
        return target
    return int(cap * PART)
