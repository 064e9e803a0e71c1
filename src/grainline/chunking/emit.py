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

DATA_LANGUAGES = frozenset({"json", "yaml", "toml", "xml"})
TEXT_LANGUAGES = frozenset({"", "markdown"})


def emit(source: Source, groups: Sequence[Piece], cap: int, target: int) -> tuple[ChunkSpan, ...]:
    """Chunks of the groups, those above the cap divided, with headers and positions."""
    definitions = source.facts.definitions
    language = source.facts.language
    headers = Headers(source.text, definitions)
    breaks = _breaks(source, groups, cap)
    chunks: list[ChunkSpan] = []
    seen: set[int] = set()
    repeated = False
    for group in groups:
        start, end, tokens, role, owner, symbols = group
        if role is Role.SYMBOL:
            symbol = symbols[0] if len(symbols) == 1 else _main_symbol(symbols, definitions)
        else:
            symbol = owner if role is Role.OWN else -1
        if symbol >= 0:
            repeated = repeated or symbol in seen or tokens > cap
            seen.add(symbol)
            definition = definitions[symbol]
            parent = definition.parent
            kind = _KINDS.get(definition.kind, ChunkKind.SYMBOL)
            if len(symbols) == 1 and definition.kind not in TYPES:
                header = headers.of(symbol, clean(definition.name))
            else:
                header = headers.of(symbol, _names(symbol, group, definitions))
        else:
            parent = owner
            kind = _loose_kind(role, language)
            header = headers.within(owner)
        if tokens <= cap:
            chunks.append(ChunkSpan(start, end, kind, symbol, parent, header))
            continue
        goal = _goal(kind, language, target)
        borders = cut_to_cap(source, start, end, cap, breaks, goal)
        for at, until in tile(start, end, borders):
            chunks.append(ChunkSpan(at, until, kind, symbol, parent, header))
    return _number(chunks) if repeated else tuple(chunks)


_KINDS = {SymbolKind.HEADING: ChunkKind.HEADING, **dict.fromkeys(RECORDS, ChunkKind.RECORD)}


def _breaks(source: Source, groups: Sequence[Piece], cap: int) -> Breaks:
    regions = [at for group in groups if group.tokens > cap for at in (group.start, group.end)]
    return skeleton_breaks(source, regions) if regions else NO_BREAKS


def _number(chunks: Sequence[ChunkSpan]) -> tuple[ChunkSpan, ...]:
    """Chunks of one symbol get their position among them."""
    count = Counter(chunk.symbol for chunk in chunks if chunk.symbol >= 0)
    seen: Counter[int] = Counter()
    numbered: list[ChunkSpan] = []
    for chunk in chunks:
        symbol = chunk.symbol
        if count[symbol] > 1:
            numbered.append(chunk._replace(part=seen[symbol], parts=count[symbol]))
            seen[symbol] += 1
        else:
            numbered.append(chunk)
    return tuple(numbered)


def _main_symbol(symbols: Sequence[int], definitions: Sequence[Definition]) -> int:
    """The first symbol with a body, or the first value."""
    return next((i for i in symbols if definitions[i].kind not in VALUES), symbols[0])


def _names(main: int, group: Piece, definitions: Sequence[Definition]) -> str:
    """Names of the symbols of a group, `main` first; a whole type brings those of its methods."""
    names: dict[str, None] = {}
    opened = group.owner if group.role is Role.OWN else -1
    for symbol in (main, *group.symbols):
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
    return " ".join(names)


def _loose_kind(role: Role, language: str) -> ChunkKind:
    if role is Role.COMMENT:
        return ChunkKind.COMMENT
    return ChunkKind.RECORD if language in DATA_LANGUAGES else ChunkKind.BLOCK


def _goal(kind: ChunkKind, language: str, target: int) -> int:
    """Prose and records are cut near the target; code keeps as much together as fits."""
    return target if kind is ChunkKind.RECORD or language in TEXT_LANGUAGES else 0
