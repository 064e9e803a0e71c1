"""Merging: neighbours that are too small to stand alone become one piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import NamedTuple


class Role(IntEnum):
    """What a piece of a file is to the outline."""

    SYMBOL = 0
    """A definition."""
    OWN = 1
    """Text of a definition outside the definitions in it, such as the head of a class."""
    LOOSE = 2
    """Text outside definitions."""
    COMMENT = 3
    """Comments that stand above no definition."""
    IMPORT = 4


class Piece(NamedTuple):
    """A stretch of a file with its length in grainline tokens.

    `symbols` are the definitions that it is, in order; `owner` is the definition in which the
    piece stands, or -1 (for `Role.OWN` that is the symbol itself).
    """

    start: int
    end: int
    tokens: int
    role: Role
    owner: int
    symbols: tuple[int, ...]


def join(first: Piece, second: Piece) -> Piece:
    """Both as one. A symbol outweighs loose text, and the text of the owner a symbol in it."""
    return Piece(
        first.start,
        second.end,
        first.tokens + second.tokens,
        first.role if _WEIGHT[first.role] >= _WEIGHT[second.role] else second.role,
        first.owner,
        first.symbols + second.symbols,
    )


_WEIGHT = {Role.COMMENT: 0, Role.LOOSE: 1, Role.IMPORT: 2, Role.SYMBOL: 3, Role.OWN: 4}


def stretch(piece: Piece, start: int, end: int, tokens: int) -> Piece:
    """`piece` with other borders."""
    return Piece(start, end, tokens, piece.role, piece.owner, piece.symbols)


def merge(pieces: Iterable[Piece], joinable: Callable[[Piece, Piece], bool]) -> list[Piece]:
    """Greedy, from the start: a piece joins the group before it when `joinable(group, piece)`."""
    merged: list[Piece] = []
    for piece in pieces:
        if merged and joinable(merged[-1], piece):
            merged[-1] = join(merged[-1], piece)
        else:
            merged.append(piece)
    return merged
