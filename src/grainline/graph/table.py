"""`EdgeTable`: edges and unresolved calls of many files as columns, to be walked either way.

Symbols are numbered in the order of (path, descriptor). Edges stand in the order of their source,
then site, type, target: what leads out of a symbol is one run, and `into` holds the numbers of
edges by their target. A table says the same whatever it was put together from: `joined` tables of
the parts of a repository equal the table of the whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier, Unresolved, Why
from grainline.model.position import Span

if TYPE_CHECKING:
    from grainline.graph.results import Graph

Word = TypeVar("Word", str, bytes)

Numbers: TypeAlias = NDArray[np.int64]
"""`(n,)` numbers of edges, symbols or unresolved calls."""

TYPES: Final = tuple(EdgeType)
TYPE_CODE: Final = {kind: code for code, kind in enumerate(TYPES)}
METHODS: Final = tuple(Method)
METHOD_CODE: Final = {method: code for code, method in enumerate(METHODS)}
WHYS: Final = tuple(Why)
WHY_CODE: Final = {why: code for code, why in enumerate(WHYS)}
MAX_CANDIDATES: Final = (1 << 16) - 1
"""A set of more targets is counted as so many."""


class EdgeColumns(NamedTuple):
    """One row per edge. `src`, `dst`: symbols; `methods`: bit `1 << i` for the i-th `Method`."""

    src: NDArray[np.int32]
    dst: NDArray[np.int32]
    type: NDArray[np.uint8]
    start: NDArray[np.uint32]
    end: NDArray[np.uint32]
    methods: NDArray[np.uint32]
    tier: NDArray[np.uint8]
    candidates: NDArray[np.uint16]


class UnresolvedColumns(NamedTuple):
    """One row per call without a target. `src`: symbol; `name`: number of a name."""

    src: NDArray[np.int32]
    start: NDArray[np.uint32]
    end: NDArray[np.uint32]
    name: NDArray[np.int32]
    why: NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True, eq=False)
class EdgeTable:
    """Edges between the symbols of one view, as one reader may see them.

    Attributes:
        keys: of every symbol its path, a zero byte and its descriptor, sorted.
        edges: in the order of (source, site, type, target).
        unresolved: in the order of (source, site, name).
        names: of unresolved calls, sorted.
        cuts: how many values a bound kept from where they belong; targets may be missing for it.
    """

    keys: tuple[bytes, ...]
    edges: EdgeColumns
    unresolved: UnresolvedColumns
    names: tuple[str, ...]
    cuts: int

    def __len__(self) -> int:
        """Number of edges."""
        return len(self.edges.src)

    # ------------------------------------------------------------------ symbols

    def symbol(self, number: int) -> Symbol:
        """A symbol by its number."""
        path, _, descriptor = self.keys[number].partition(b"\0")
        return Symbol(path, descriptor.decode("utf-8", "surrogatepass"))

    def find(self, symbol: Symbol) -> int:
        """The number of a symbol, -1 when no edge and no unresolved call has it."""
        key = _key(symbol)
        at = bisect_left(self.keys, key)
        return at if at < len(self.keys) and self.keys[at] == key else -1

    def symbols_of(self, path: bytes) -> range:
        """Numbers of the symbols of a file."""
        low = bisect_left(self.keys, path + b"\0")
        return range(low, bisect_left(self.keys, path + b"\1", low))

    # ------------------------------------------------------------------ edges

    @cached_property
    def _out(self) -> Numbers:
        return _ends(self.edges.src, len(self.keys))

    @cached_property
    def _into(self) -> tuple[Numbers, Numbers]:
        order = np.argsort(self.edges.dst, kind="stable").astype(np.int64)
        return _ends(self.edges.dst, len(self.keys)), order

    def out(self, symbol: int) -> range:
        """Numbers of the edges that lead out of a symbol, by site."""
        return range(int(self._out[symbol]), int(self._out[symbol + 1]))

    def into(self, symbol: int) -> Numbers:
        """Numbers of the edges that lead into a symbol, by source, then site."""
        ends, order = self._into
        return order[int(ends[symbol]) : int(ends[symbol + 1])]

    def out_of_all(self, symbols: Numbers) -> Numbers:
        """Numbers of the edges that lead out of any of `symbols`, in their order."""
        return _runs(self._out, symbols)

    def into_all(self, symbols: Numbers) -> Numbers:
        """Numbers of the edges that lead into any of `symbols`, in their order."""
        ends, order = self._into
        return order[_runs(ends, symbols)]

    def edge(self, number: int) -> Edge:
        """An edge by its number."""
        row = self.edges
        bits = int(row.methods[number])
        return Edge(
            TYPES[row.type[number]],
            self.symbol(int(row.src[number])),
            self.symbol(int(row.dst[number])),
            Span(int(row.start[number]), int(row.end[number])),
            tuple(method for code, method in enumerate(METHODS) if bits >> code & 1),
            Tier(int(row.tier[number])),
            int(row.candidates[number]),
        )

    # ------------------------------------------------------------------ unresolved calls

    @cached_property
    def _unresolved_out(self) -> Numbers:
        return _ends(self.unresolved.src, len(self.keys))

    @cached_property
    def _by_last_word(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, name in enumerate(self.names):
            found.setdefault(name.rpartition(".")[2], []).append(number)
        return found

    def unresolved_of(self, symbol: int) -> range:
        """Numbers of the unresolved calls in a symbol, by site."""
        ends = self._unresolved_out
        return range(int(ends[symbol]), int(ends[symbol + 1]))

    def unresolved_called(self, word: str) -> Numbers:
        """Numbers of the unresolved calls of anything whose last name is `word`."""
        names = np.array(self._by_last_word.get(word, []), np.int32)
        return np.flatnonzero(np.isin(self.unresolved.name, names)).astype(np.int64)

    def unresolved_call(self, number: int) -> Unresolved:
        """An unresolved call by its number."""
        row = self.unresolved
        return Unresolved(
            self.symbol(int(row.src[number])),
            Span(int(row.start[number]), int(row.end[number])),
            self.names[int(row.name[number])],
            WHYS[row.why[number]],
        )

    def reasons(self) -> dict[Why, int]:
        """How many calls have no target, by reason."""
        counts = np.bincount(self.unresolved.why, minlength=len(WHYS)).tolist()
        return {why: count for why, count in zip(WHYS, counts, strict=True) if count}

    # ------------------------------------------------------------------ parts

    def only(self, paths: Iterable[bytes]) -> EdgeTable:
        """The edges and unresolved calls in the files `paths`; their targets stay."""
        inside = np.zeros(len(self.keys) + 1, np.bool_)
        for path in paths:
            found = self.symbols_of(path)
            inside[found.start : found.stop] = True
        edges = EdgeColumns._make(column[inside[self.edges.src]] for column in self.edges)
        kept = inside[self.unresolved.src]
        unresolved = UnresolvedColumns._make(column[kept] for column in self.unresolved)
        return _compact(self.keys, edges, unresolved, self.names, 0)

    def without(self, methods: Iterable[Method]) -> EdgeTable:
        """The edges that were not found by any of `methods`, and every unresolved call."""
        kept = (self.edges.methods & np.uint32(bits_of(methods))) == 0
        edges = EdgeColumns._make(column[kept] for column in self.edges)
        return _compact(self.keys, edges, self.unresolved, self.names, self.cuts)


_EDGE_TYPES = (
    np.int32, np.int32, np.uint8, np.uint32, np.uint32, np.uint32, np.uint8, np.uint16,
)  # fmt: skip
_CALL_TYPES = (np.int32, np.uint32, np.uint32, np.int32, np.uint8)

EMPTY: Final = EdgeTable(
    keys=(),
    edges=EdgeColumns._make(np.empty(0, kind) for kind in _EDGE_TYPES),
    unresolved=UnresolvedColumns._make(np.empty(0, kind) for kind in _CALL_TYPES),
    names=(),
    cuts=0,
)
"""No file, no edge."""


def table_of(graph: Graph) -> EdgeTable:
    """The columns of a graph."""
    edges, unresolved = graph.edges, graph.unresolved
    pairs = [(_key(edge.src), _key(edge.dst)) for edge in edges]
    sources = [_key(call.src) for call in unresolved]
    keys = sorted({key for pair in pairs for key in pair}.union(sources))
    number = {key: at for at, key in enumerate(keys)}
    names = sorted({call.name for call in unresolved})
    name_number = {name: at for at, name in enumerate(names)}
    columns = EdgeColumns(
        np.array([number[src] for src, _ in pairs], np.int32),
        np.array([number[dst] for _, dst in pairs], np.int32),
        np.array([TYPE_CODE[edge.type] for edge in edges], np.uint8),
        np.array([edge.site.start for edge in edges], np.uint32),
        np.array([edge.site.end for edge in edges], np.uint32),
        np.array([bits_of(edge.methods) for edge in edges], np.uint32),
        np.array([edge.tier for edge in edges], np.uint8),
        np.array([min(edge.candidates, MAX_CANDIDATES) for edge in edges], np.uint16),
    )
    calls = UnresolvedColumns(
        np.array([number[src] for src in sources], np.int32),
        np.array([call.site.start for call in unresolved], np.uint32),
        np.array([call.site.end for call in unresolved], np.uint32),
        np.array([name_number[call.name] for call in unresolved], np.int32),
        np.array([WHY_CODE[call.why] for call in unresolved], np.uint8),
    )
    return _ordered(tuple(keys), columns, calls, tuple(names), graph.cuts)


def joined(tables: Sequence[EdgeTable]) -> EdgeTable:
    """One table with all that `tables` say; each file's edges are in one of them."""
    if len(tables) == 1:
        return tables[0]
    keys, symbols = _united([table.keys for table in tables])
    names, words = _united([table.names for table in tables])
    edges = [
        table.edges._replace(src=mine[table.edges.src], dst=mine[table.edges.dst])
        for table, mine in zip(tables, symbols, strict=True)
    ]
    calls = [
        table.unresolved._replace(src=mine[table.unresolved.src], name=said[table.unresolved.name])
        for table, mine, said in zip(tables, symbols, words, strict=True)
    ]
    return _ordered(
        tuple(keys),
        EdgeColumns._make(map(np.concatenate, zip(EMPTY.edges, *edges, strict=True))),
        UnresolvedColumns._make(map(np.concatenate, zip(EMPTY.unresolved, *calls, strict=True))),
        tuple(names),
        sum(table.cuts for table in tables),
    )


def _united(lists: Sequence[Sequence[Word]]) -> tuple[list[Word], list[NDArray[np.int32]]]:
    """Sorted distinct values, and for each list the new numbers of its values."""
    values = sorted({value for each in lists for value in each})
    number = {value: at for at, value in enumerate(values)}
    return values, [np.array([number[value] for value in each], np.int32) for each in lists]


def _ordered(
    keys: tuple[bytes, ...],
    edges: EdgeColumns,
    unresolved: UnresolvedColumns,
    names: tuple[str, ...],
    cuts: int,
) -> EdgeTable:
    order = np.lexsort((edges.dst, edges.type, edges.end, edges.start, edges.src))
    rows = EdgeColumns._make(column[order] for column in edges)
    order = np.lexsort((unresolved.name, unresolved.end, unresolved.start, unresolved.src))
    calls = UnresolvedColumns._make(column[order] for column in unresolved)
    return EdgeTable(keys=keys, edges=rows, unresolved=calls, names=names, cuts=cuts)


def _compact(
    keys: tuple[bytes, ...],
    edges: EdgeColumns,
    unresolved: UnresolvedColumns,
    names: tuple[str, ...],
    cuts: int,
) -> EdgeTable:
    """Without symbols and names that no row has."""
    used, new = _used(len(keys), edges.src, edges.dst, unresolved.src)
    said, words = _used(len(names), unresolved.name)
    return EdgeTable(
        keys=tuple(keys[at] for at in used),
        edges=edges._replace(src=new[edges.src], dst=new[edges.dst]),
        unresolved=unresolved._replace(src=new[unresolved.src], name=words[unresolved.name]),
        names=tuple(names[at] for at in said),
        cuts=cuts,
    )


def _used(count: int, *columns: NDArray[np.int32]) -> tuple[list[int], NDArray[np.int32]]:
    used = np.zeros(count, np.bool_)
    for column in columns:
        used[column] = True
    return np.flatnonzero(used).tolist(), (np.cumsum(used, dtype=np.int32) - 1).astype(np.int32)


def _key(symbol: Symbol) -> bytes:
    return symbol.path + b"\0" + symbol.descriptor.encode("utf-8", "surrogatepass")


def bits_of(methods: Iterable[Method]) -> int:
    """The bits of `EdgeColumns.methods` that stand for `methods`."""
    return sum(1 << METHOD_CODE[method] for method in methods)


def _ends(numbers: NDArray[np.int32], count: int) -> Numbers:
    """`(count + 1,)` where the rows of each number end, when they are sorted by it."""
    return np.array([0, *accumulate(np.bincount(numbers, minlength=count).tolist())], np.int64)


def _runs(ends: Numbers, numbers: Numbers) -> Numbers:
    """The rows of each of `numbers`, one run after the other."""
    firsts = ends[numbers]
    sizes = ends[numbers + 1] - firsts
    total = int(sizes.sum())
    shift = np.repeat(firsts - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    return np.arange(total, dtype=np.int64) + shift.astype(np.int64)
