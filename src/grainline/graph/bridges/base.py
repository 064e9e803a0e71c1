"""The seam of bridges: rules that read a whole view, and the edges of its languages, as found.

A rule is one file: `bridges/<name>.py` with `BRIDGE = Bridge(...)`. Only these rules make edges that
lead from one language into another. They are made for the whole view each time, so nothing of them
is taken over from a table that is kept (`EdgeTable.without(METHODS)`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from grainline.graph.results import Graph
from grainline.graph.table import EdgeTable, table_of
from grainline.graph.units import Unit
from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from grainline.model.snapshot import FlagName
from grainline.model.symbol import Definition
from grainline.registry import Registry

MAX_TEXT: Final = 1 << 20
"""Bytes of a document, manifest or configuration file; a larger one says nothing."""


@dataclass(frozen=True, kw_only=True, eq=False)
class File:
    """One file of a view.

    Attributes:
        path: of the entry.
        language: "" for plain text.
        flags: what its path says of it.
        read: gives its text.
        outlined: gives its outline.
        unit: its IR and outline, for code of a language with a graph.
    """

    path: bytes
    language: str
    flags: frozenset[FlagName]
    read: Callable[[], bytes]
    outlined: Callable[[], Sequence[Definition]]
    unit: Unit | None = None

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition(b"/")[2].decode("utf-8", "surrogateescape")

    @property
    def folder(self) -> bytes:
        """The path of its folder with a slash behind it, b"" at the top."""
        return self.path[: self.path.rfind(b"/") + 1]

    @cached_property
    def text(self) -> bytes:
        """All of it, b"" when that is more than `MAX_TEXT`."""
        text = self.read()
        return text if len(text) <= MAX_TEXT else b""

    @cached_property
    def outline(self) -> tuple[Definition, ...]:
        """What it defines."""
        return tuple(self.outlined())

    def around(self, span: Span) -> Symbol:
        """The innermost symbol of the outline that holds a span, else the file."""
        around = [row for row in self.outline if row.start <= span.start and span.end <= row.end]
        inner = min(around, key=lambda row: row.end - row.start, default=None)
        return Symbol(self.path, "" if inner is None else inner.descriptor)


@dataclass(frozen=True, kw_only=True, eq=False)
class Ground:
    """A view as one reader sees it, and what is known of its code.

    Attributes:
        files: by path.
        table: the edges inside of languages.
        named: name -> the definitions that are called so, with their paths.
    """

    files: tuple[File, ...]
    table: EdgeTable
    named: Callable[[str], Sequence[tuple[bytes, Definition]]]

    @cached_property
    def by_path(self) -> Mapping[bytes, File]:
        """The files by their paths."""
        return {file.path: file for file in self.files}

    def flagged(self, path: bytes, flags: frozenset[FlagName]) -> bool:
        """Whether a file has one of `flags`."""
        return not self.by_path[path].flags.isdisjoint(flags)


class Found(NamedTuple):
    """A target of a site, before it is known how many the site has.

    `candidates` is the least number of targets to tell: one of several alike that stand elsewhere.
    """

    src: Symbol
    dst: Symbol
    site: Span
    tier: Tier
    candidates: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """A plug-in.

    Attributes:
        type: of its edges.
        method: how they were found; that of this rule alone.
        find: what it finds, in any order, the same whatever the order of the files.
    """

    type: EdgeType
    method: Method
    find: Callable[[Ground], Iterable[Found]]


BRIDGES: Final = Registry[Bridge]("grainline.graph.bridges", "BRIDGE", skip=frozenset({"base"}))

METHODS: Final = frozenset(
    (Method.TEST, Method.MENTION, Method.ROUTE, Method.SETTING, Method.MANIFEST, Method.OPERATION)
)
"""Those of bridges: edges that have one of them may lead from one language into another."""


def bridged(ground: Ground, rules: Iterable[Bridge] | None = None) -> EdgeTable:
    """The edges that the rules (all of them) find."""
    return bridges([edge for rule in rules or BRIDGES for edge in found_by(rule, ground)])


def bridges(edges: Iterable[Edge]) -> EdgeTable:
    """What the rules found, one after the other."""
    return table_of(Graph(edges=tuple(edges), unresolved=(), cuts=0))


def found_by(rule: Bridge, ground: Ground) -> Iterator[Edge]:
    """The edges that a rule finds."""
    best: dict[tuple[Symbol, Span, Symbol], Found] = {}
    sites: dict[tuple[bytes, Span], set[Symbol]] = {}
    for found in rule.find(ground):
        key = (found.src, found.site, found.dst)
        known = best.get(key)
        if known is None or (found.tier, found.candidates) < (known.tier, known.candidates):
            best[key] = found
        sites.setdefault((found.src.path, found.site), set()).add(found.dst)
    for found in best.values():
        count = max(found.candidates, len(sites[found.src.path, found.site]))
        yield Edge(
            rule.type, found.src, found.dst, found.site, (rule.method,), found.tier, count
        )  # fmt: skip
