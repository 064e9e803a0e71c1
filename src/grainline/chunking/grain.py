"""The default strategy: cut along the outline.

A definition is a chunk with its comments; a class, section or record that is above the target is
opened, so that its own text (the head with the fields) and each member are chunks; small siblings
are merged up to the target; what is above the cap is divided between statements. Imports and the
comment at the head of a file stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from grainline.chunking.base import ChunkOptions, Source
from grainline.chunking.emit import emit
from grainline.chunking.merge import Piece, Role, join, merge, stretch
from grainline.chunking.outline import (
    CALLABLES,
    NAMESPACES,
    TINY,
    TYPES,
    VALUES,
    Outline,
    binds_import,
    is_member,
    measure,
    pieces_of,
)
from grainline.chunking.split import SKELETON_LIMIT
from grainline.model.chunk import ChunkSpan, Coverage
from grainline.model.symbol import Definition

GRAIN_CAP = 800
"""Grainline tokens of the longest chunk, about 90 lines; with the target chosen on 238 sentences of
doc comments: cap/target 400/160 function MRR .525, 800/160 .558, 800/260 .599, 1400/160 .560, at
the same recall for 100 lines shown (.66)."""

GRAIN_TARGET = 260
"""Grainline tokens up to which small siblings are merged, about 25 lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrainChunker:
    """Symbol chunks with headers; see the module."""

    name: str = "grain"
    version: int = 2
    coverage: Coverage = Coverage.TILING
    skeleton_limit: int = SKELETON_LIMIT

    def chunk(self, source: Source, options: ChunkOptions) -> tuple[ChunkSpan, ...]:
        """Spans that tile the file; none for an empty one."""
        if not source.text:
            return ()
        cap = options.cap or GRAIN_CAP
        target = min(options.target or GRAIN_TARGET, cap)
        if is_nested_lambdas(source):
            whole = Piece(
                0, len(source.text), source.tokens(0, len(source.text)), Role.LOOSE, -1, ()
            )
            return emit(source, [whole], cap, cap)
        definitions = source.facts.definitions
        pieces = pieces_of(source, _outline(source, cap, target), target)
        pieces = _settle(pieces, definitions, cap)
        groups = merge(pieces, lambda group, piece: _joinable(group, piece, definitions, target))
        return emit(source, groups, cap, target)


CHUNKER = GrainChunker()


def is_nested_lambdas(source: Source) -> bool:
    """Whether the structure of a file is calls with lambdas in lambdas (Gradle, routing, tests).

    Half of the file stands in lambdas, some of them inside others, and next to nothing in
    definitions. Such lambdas make sense together only: the file stays whole up to the cap.
    """
    facts = source.facts
    size = len(source.text)
    outline = (d for d in facts.definitions if d.parent < 0 and d.kind not in VALUES)
    if sum(d.end - d.start for d in outline) * _HARDLY > size:
        return False
    inside: list[bool] = []
    covered = 0
    nested = False
    for start, end, parent, kind in source.skeleton():
        within = parent >= 0 and inside[parent]
        is_lambda = _is_lambda(kind)
        inside.append(within or is_lambda)
        if is_lambda:
            nested = nested or within
            covered += 0 if within else end - start
    return nested and 2 * covered >= size


_HARDLY = 10  # definitions may be a tenth of the file
_LAMBDAS = frozenset({"lambda", "closure", "arrow", "do"})


@lru_cache(maxsize=4096)
def _is_lambda(kind: str) -> bool:
    return kind == "function_expression" or not _LAMBDAS.isdisjoint(kind.split("_"))


def _outline(source: Source, cap: int, target: int) -> Outline:
    """Which definitions are opened to show their members.

    Types, sections and records above the target; functions and values only above the cap, and only
    if members are at least half of them.
    """
    definitions, tokens, containers = measure(source)
    inner = [0] * len(definitions)
    member: list[bool] = []
    for definition, size, container in zip(definitions, tokens, containers, strict=True):
        if container < 0:
            member.append(not binds_import(source, definition, size))
        elif is_member(definition, size, definitions[container]):
            member.append(True)
            inner[container] += size
        else:
            member.append(definitions[container].kind in NAMESPACES)
    opened: list[bool] = []
    visible: list[int] = []
    for index, container in enumerate(containers):
        opens = False
        if container < 0 or opened[container]:
            size, within = tokens[index], inner[index]
            if within and size > target:
                kind = definitions[index].kind
                whole = kind in CALLABLES or kind in VALUES
                opens = not whole or (size > cap and 2 * within >= size)
            if opens or member[index]:
                visible.append(index)
        opened.append(opens)
    return Outline(opened, visible)


def _settle(pieces: Sequence[Piece], definitions: Sequence[Definition], cap: int) -> list[Piece]:
    """Text that is too short to be found goes to a neighbour.

    Heads and comments go to the next piece, brackets and statements to the one before.
    """
    settled: list[Piece] = []
    for piece in pieces:
        last = settled[-1] if settled else None
        if last is None or last.tokens + piece.tokens > cap:
            settled.append(piece)
        elif _leads(last, piece, definitions):
            if last.role is Role.OWN and last.owner == piece.owner:
                settled[-1] = join(last, piece)
            else:
                settled[-1] = stretch(piece, last.start, piece.end, last.tokens + piece.tokens)
        elif _trails(piece, last, definitions):
            settled[-1] = stretch(last, last.start, piece.end, last.tokens + piece.tokens)
        else:
            settled.append(piece)
    return settled


def _leads(piece: Piece, following: Piece, definitions: Sequence[Definition]) -> bool:
    """Whether a piece is the short beginning of the one that follows, on its level or below."""
    if piece.tokens >= TINY or piece.role in (Role.SYMBOL, Role.IMPORT):
        return False
    if piece.role is Role.OWN and definitions[piece.owner].kind in TYPES:
        return False
    if piece.role is Role.OWN and not _is_head(piece, definitions):
        return False
    if piece.owner == following.owner:
        return True
    return (
        piece.owner >= 0
        and _is_head(piece, definitions)
        and following.start < definitions[piece.owner].end
    )


def _trails(piece: Piece, last: Piece, definitions: Sequence[Definition]) -> bool:
    if piece.tokens >= TINY or last.role is Role.IMPORT:
        return False
    if piece.role is Role.OWN:
        return not _is_head(piece, definitions)
    return piece.role is Role.LOOSE and not (
        piece.owner >= 0 and definitions[piece.owner].start >= piece.start
    )


def _is_head(piece: Piece, definitions: Sequence[Definition]) -> bool:
    return definitions[piece.owner].start >= piece.start


def _joinable(group: Piece, piece: Piece, definitions: Sequence[Definition], target: int) -> bool:
    if group.owner != piece.owner or group.tokens + piece.tokens > target:
        return False
    if Role.IMPORT in (group.role, piece.role):
        return group.role is piece.role
    if _stands_alone(group, target) or _stands_alone(piece, target):
        return False
    if Role.OWN in (group.role, piece.role) and definitions[piece.owner].kind in TYPES:
        other = piece if group.role is Role.OWN else group
        return all(definitions[symbol].kind in VALUES for symbol in other.symbols)
    return True


def _stands_alone(piece: Piece, target: int) -> bool:
    """A definition of more than half the target is no small sibling."""
    return piece.role is Role.SYMBOL and len(piece.symbols) == 1 and 2 * piece.tokens > target
