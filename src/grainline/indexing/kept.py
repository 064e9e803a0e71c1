"""Tables of edges that are kept: found by the state of a view, and joined with its exact edges.

Looking up what is there needs none of what makes it, and is loaded without it.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from grainline.graph.table import EdgeTable, table_of
from grainline.graph.tablebytes import TABLE_VERSION
from grainline.graph.version import GRAPH_VERSION
from grainline.indexing.tables import pack, paths_of, unpack, words_of
from grainline.languages.lowering.base import LOWERING_VERSION
from grainline.model.access import View
from grainline.model.edge import Edge
from grainline.model.irbytes import IR_VERSION
from grainline.retrieval.cache import ByteLru
from grainline.storage.base import Corpus, Derived
from grainline.storage.recent import Recent

KIND = "graph"
EXACT = "exact"
RECENT = 4
"""Decoded tables that are kept in memory, and tables of a repository that are looked at again."""

VERSIONS = f"{GRAPH_VERSION} {TABLE_VERSION} {IR_VERSION} {LOWERING_VERSION}"
_MAGIC = b"GLG1"
_EXACT_MAGIC = b"GLX2"
_SIZE = struct.Struct("<Q")
_REPOSITORY = 16
"""Characters of a key that name the repository."""


class ViewEdges(NamedTuple):
    """The table of a view, and how many files of its languages are not in it, by reason.

    `contradicted` counts edges of our own that exact ones contradict, None without exact ones.
    """

    table: EdgeTable
    left_out: tuple[tuple[str, int], ...]
    contradicted: int | None = None


Components: TypeAlias = Mapping[str, tuple[tuple[bytes, ...], int]]
"""Digest of a component -> the paths of its files, and what bounds cut there."""


class Kept(NamedTuple):
    """A table with its components."""

    edges: ViewEdges
    components: Components


class Exact(NamedTuple):
    """What one source said: edges, the paths that it has seen, and how many edges of our own it contradicts."""

    source: str
    table: EdgeTable
    consumed: tuple[bytes, ...]
    contradicted: int


RECENT_EDGES = 400_000
"""Edges of decoded tables that are held: of many small views all."""


def _edges_of(kept: Kept) -> int:
    return len(kept.edges.table.edges.src)


class Tables:
    """Kept tables; those that were used last are held decoded.

    Args:
        derived: where they are.
    """

    def __init__(self, derived: Derived) -> None:
        self.derived = derived
        self._recent = Recent[str, Kept](RECENT, RECENT_EDGES, _edges_of)
        self._exact: ByteLru[tuple[Exact, ...]] = ByteLru(RECENT, lambda _: 1)
        self._joint: ByteLru[ViewEdges] = ByteLru(RECENT, lambda _: 1)

    def whole(self, view: View, generation: str) -> ViewEdges | None:
        """The edges of a whole view in one state; None where they would have to be made."""
        key = graph_key(view, generation)
        found = self.find(key)
        if found is None:
            return None
        return self.joint(key, found.edges, *self.exact_of(view, generation))

    def find(self, key: str) -> Kept | None:
        """A table with its components."""
        kept = self._recent.get(key)
        if kept is None:
            value = self.derived.get(KIND, key)
            kept = None if value is None else decode_kept(value)
        if kept is not None:
            self.remember(key, kept)
        return kept

    def remember(self, key: str, kept: Kept) -> None:
        """Hold a table."""
        self._recent.keep(key, kept)

    def relatives(self, key: str) -> Iterator[Kept]:
        """Tables of the same repository: those in memory, the last used first, then others."""
        here = list(self._recent)
        elsewhere = sorted(self.derived.keys(KIND).difference(here))
        related = [name for name in (*here, *elsewhere) if name[:_REPOSITORY] == key[:_REPOSITORY]]
        for name in related[:RECENT]:
            found = self.find(name)
            if found is not None:
                yield found

    def exact_of(self, view: View, generation: str) -> tuple[str, tuple[Exact, ...]]:
        """(digest, what each source said) of a state of a view."""
        value = self.derived.get(EXACT, exact_key(view, generation))
        if value is None:
            return "", ()
        said = hashlib.blake2b(value, digest_size=16).hexdigest()
        return said, self._exact.get(said, lambda: read_exact(value))

    def joint(self, key: str, found: ViewEdges, said: str, exact: tuple[Exact, ...]) -> ViewEdges:
        """The edges of a table together with exact ones, of those with the digest `said`."""
        if not exact:
            return found

        def make() -> ViewEdges:
            table = with_exact(found.table, *(each.table for each in exact))
            return ViewEdges(table, found.left_out, sum(each.contradicted for each in exact))

        return self._joint.get((key, said, tuple(each.source for each in exact)), make)


# ------------------------------------------------------------------------------------- keys


def graph_key(view: View, generation: str) -> str:
    """What the edges of a view depend on: its repository, and the generation that its reader sees."""
    repository = hashlib.blake2b(view.repository.encode(), digest_size=_REPOSITORY // 2)
    said = f"{VERSIONS}|{generation}".encode()
    return repository.hexdigest() + hashlib.blake2b(said, digest_size=16).hexdigest()


def exact_key(view: View, generation: str) -> str:
    """What the exact edges of a view belong to: one state of it."""
    said = f"{TABLE_VERSION}|{view.repository}|{view.ref}|{generation}".encode()
    return hashlib.blake2b(said, digest_size=24).hexdigest()


def is_kept(view: View, generation: str, derived: Derived) -> bool:
    """Whether the edges of a view need not be made."""
    return derived.has(KIND, graph_key(view, generation))


def serves(exact: Exact, corpus: Corpus) -> bool:
    """Whether the reader of `corpus`, of one view, may read all that the index has seen."""
    return all(map(corpus.find_entries, exact.consumed))


def with_exact(table: EdgeTable, *exact: EdgeTable) -> EdgeTable:
    """All together; a call that has an exact target is not unresolved."""
    from grainline.graph.results import Graph
    from grainline.precise import merge

    said = [edge for each in exact for edge in rows_of(each)]
    sites = {(edge.src.path, edge.site) for edge in said}
    calls = (table.unresolved_call(number) for number in range(len(table.unresolved.src)))
    left = tuple(call for call in calls if (call.src.path, call.site) not in sites)
    return table_of(Graph(edges=merge(rows_of(table), said), unresolved=left, cuts=table.cuts))


def rows_of(table: EdgeTable) -> tuple[Edge, ...]:
    """Every edge of a table."""
    return tuple(table.edge(number) for number in range(len(table)))


# ------------------------------------------------------------------------------------- bytes


def encode_kept(kept: Kept) -> bytes:
    """A table with its components as bytes."""
    components = {
        digest: (words_of(paths), cuts) for digest, (paths, cuts) in kept.components.items()
    }
    head = {"left": kept.edges.left_out, "components": components}
    return pack(_MAGIC, head, kept.edges.table)


def decode_kept(value: bytes) -> Kept | None:
    """Inverse of `encode_kept`; None for what another version wrote."""
    found = unpack(_MAGIC, value)
    if found is None:
        return None
    head, table = found
    left = tuple((str(code), int(count)) for code, count in head["left"])
    components = {
        digest: (paths_of(words), int(cuts)) for digest, (words, cuts) in head["components"].items()
    }
    cuts = sum(count for _, count in components.values())
    return Kept(ViewEdges(replace(table, cuts=cuts), left), components)


def encode_exact(sources: Iterable[Exact]) -> bytes:
    """What each source said as bytes."""
    parts = [
        pack(
            _EXACT_MAGIC,
            {
                "source": each.source,
                "consumed": words_of(each.consumed),
                "contradicted": each.contradicted,
            },
            each.table,
        )
        for each in sources
    ]
    return b"".join(_SIZE.pack(len(part)) + part for part in parts)


def read_exact(value: bytes) -> tuple[Exact, ...]:
    """Inverse of `encode_exact`; () for what another version wrote."""
    found: list[Exact] = []
    at = 0
    while at + _SIZE.size <= len(value):
        (size,) = _SIZE.unpack_from(value, at)
        at += _SIZE.size
        if size < len(_EXACT_MAGIC) or at + size > len(value):
            return ()
        part = unpack(_EXACT_MAGIC, value[at : at + size])
        if part is None:
            return ()
        head, table = part
        found.append(Exact(head["source"], table, paths_of(head["consumed"]), head["contradicted"]))
        at += size
    return tuple(found)
