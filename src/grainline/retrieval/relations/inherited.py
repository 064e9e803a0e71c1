"""Members that a class has from above: `Card.settle` where `settle` stands in a base of `Card`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grainline.errors import BadInput
from grainline.graph.table import EdgeTable, Numbers
from grainline.model.access import View
from grainline.model.edge import EdgeType, Symbol, Tier
from grainline.retrieval.modules import descriptor_parts
from grainline.retrieval.relations.book import Book, view_of
from grainline.retrieval.relations.views import ViewGraph
from grainline.retrieval.relations.walk import Steps, starts, walk
from grainline.retrieval.router import parse_symbol
from grainline.retrieval.symbols import resolve_symbol

MAX_BASES = 32
"""Steps from a class to what it inherits from."""

_UP = Steps(frozenset({EdgeType.INHERITS, EdgeType.IMPLEMENTS}), Tier.FLOWED, incoming=False)


class Member(NamedTuple):
    """A member in the class that has it."""

    view: View
    symbol: Symbol


def owner_of(text: str) -> tuple[str, str]:
    """`A.B.member` as ("A.B", "member"); ("", "") where that is no name of a member."""
    name = parse_symbol(text)
    if name is None or len(name.parts) < 2:
        return "", ""
    *owner, member = name.parts
    return ".".join(owner), member


def inherited(book: Book, graphs: Sequence[ViewGraph], text: str) -> tuple[Member, ...]:
    """What `CLASS.MEMBER` means when the class itself has no such member.

    The nearest bases that have it, all of them where several are as near; () when none has.
    """
    owner, member = owner_of(text)
    if not owner:
        return ()
    try:
        hits = resolve_symbol(book.corpus, owner).hits
    except BadInput:
        return ()
    tables = {each.view: each.table for each in graphs if each.table is not None}
    found: dict[Member, None] = {}
    for hit in hits:
        view = view_of(book.corpus, hit.entry)
        table = tables.get(view)
        if table is not None:
            of = Symbol(book.corpus.path(hit.entry), hit.definition.descriptor)
            found |= dict.fromkeys(_above(book, view, table, of, member))
    return tuple(found)


def _above(book: Book, view: View, table: EdgeTable, of: Symbol, name: str) -> list[Member]:
    levels, _ = walk(table, starts(table, of, inside=False), _UP, MAX_BASES)
    for level in levels:
        found = list(_members(book, view, table, level.symbols, name))
        if found:
            return found
    return []


def _members(
    book: Book, view: View, table: EdgeTable, classes: Numbers, name: str
) -> Iterator[Member]:
    for number in classes.tolist():
        path, above = table.symbol(number)
        for descriptor, found in book.file(view, path).definitions.items():
            inside = descriptor.removeprefix(above)
            if found.name == name and inside != descriptor and len(descriptor_parts(inside)) == 1:
                yield Member(view, Symbol(path, descriptor))
