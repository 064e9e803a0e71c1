"""Edges between definitions of a checkout, as the engine resolves them, for strategies that follow them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from grainline.errors import BadInput
from grainline.lab.ground import Ground, SourceText
from grainline.lab.homes import Home
from grainline.languages.base import CALLABLE_KINDS
from grainline.model.edge import EdgeType, Symbol, Tier
from grainline.model.position import Span
from grainline.model.relations import GraphOptions, GraphResult
from grainline.model.symbol import Definition


class Related(NamedTuple):
    """The other end of an edge, and what leads there in words: `called by`."""

    symbol: Symbol
    relation: str


_WORDS: dict[EdgeType, tuple[str, str]] = {
    EdgeType.CALLS: ("called by", "calls"),
    EdgeType.INSTANTIATES: ("made by", "makes"),
    EdgeType.DATA_FLOWS_TO: ("gets data from", "hands data to"),
    EdgeType.INHERITS: ("inherited by", "inherits"),
    EdgeType.OVERRIDES: ("overridden by", "overrides"),
    EdgeType.IMPLEMENTS: ("implemented by", "implements"),
}
"""What an end is to the other: (of the target to the source, of the source to the target)."""


class Links:
    """The edges of some types, to be walked either way; in the order of the graph."""

    def __init__(
        self, home: Home, types: Sequence[EdgeType], ref: str | None, floor: Tier = Tier.FLOWED
    ) -> None:
        self._out: defaultdict[Symbol, dict[Related, None]] = defaultdict(dict)
        self._into: defaultdict[Symbol, dict[Related, None]] = defaultdict(dict)
        found = _graph(home, types, ref, floor)
        if found is None:
            return
        symbols = [Symbol(node.path, node.descriptor) for node in found.nodes]
        for link in found.links:
            source, target = symbols[link.src], symbols[link.dst]
            if source != target:
                to, back = _WORDS.get(link.type, (f"{link.type} of", f"{link.type}"))
                self._out[source][Related(target, f"{to} {_name(source)}")] = None
                self._into[target][Related(source, f"{back} {_name(target)}")] = None

    @classmethod
    def of(cls, ground: Ground, types: Sequence[EdgeType], ref: str | None) -> Links:
        """Those of a checkout, made once; none where the engine has no graph of the language."""
        home = ground.home()
        ground.once("filled", home.engine.fill)  # kept, so that nobody makes them again
        return ground.once(("links", tuple(types), ref), lambda: cls(home, types, ref))

    def __len__(self) -> int:
        return sum(map(len, self._out.values()))

    def out(self, symbol: Symbol) -> Iterable[Related]:
        """What a symbol does something to."""
        return self._out.get(symbol, ())

    def into(self, symbol: Symbol) -> Iterable[Related]:
        """What does something to a symbol."""
        return self._into.get(symbol, ())

    def both(self, symbol: Symbol) -> Iterator[Related]:
        """What leads out of it, then what leads into it."""
        yield from self.out(symbol)
        yield from self.into(symbol)

    def siblings(self, symbol: Symbol) -> Iterator[Related]:
        """What reaches the same targets: for reads and writes, what shares its state."""
        for state in self.out(symbol):
            for other in self.into(state.symbol):
                if other.symbol != symbol:
                    yield Related(
                        other.symbol, f"shares {_name(state.symbol)} with {_name(symbol)}"
                    )


def _graph(
    home: Home, types: Sequence[EdgeType], ref: str | None, floor: Tier
) -> GraphResult | None:
    try:
        options = GraphOptions(types=tuple(types), floor=floor)
        return home.engine.graph(scope=home.scope(ref), options=options)
    except BadInput as error:
        if error.code != "graph_off":
            raise
        return None


def _name(symbol: Symbol) -> str:
    return symbol.descriptor.rstrip(".").removesuffix("()") or symbol.path.decode(
        "utf-8", "replace"
    )


def functions_in(file: SourceText, span: Span) -> list[Definition]:
    """The outermost functions that a span touches, in file order; their lambdas belong to them."""
    found: list[Definition] = []
    for each in file.facts.definitions:
        if each.kind not in CALLABLE_KINDS or each.end <= span.start or each.start >= span.end:
            continue
        if not (found and each.end <= found[-1].end):
            found.append(each)
    return found


def definition_of(file: SourceText, descriptor: str) -> Definition | None:
    """A definition by its descriptor; of something inside a function, that function."""
    best: Definition | None = None
    for each in file.facts.definitions:
        if each.descriptor == descriptor:
            return each
        holds = each.kind in CALLABLE_KINDS and descriptor.startswith(each.descriptor)
        if holds and (best is None or len(each.descriptor) > len(best.descriptor)):
            best = each
    return best
