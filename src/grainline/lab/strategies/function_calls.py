"""E: functions, and along the call graph what the first of them call and what calls them."""

from __future__ import annotations

from collections.abc import Sequence

from grainline.lab.ground import Ground
from grainline.lab.links import Links
from grainline.lab.strategies._composed import Composed
from grainline.lab.strategies._expanding import EXPANSION, expanded
from grainline.lab.values import Piece, Query, Settings
from grainline.model.edge import EdgeType

TYPES = (EdgeType.CALLS, EdgeType.INSTANTIATES)


def along_calls(
    ground: Ground, query: Query, ranking: Sequence[Piece], settings: Settings
) -> list[Piece]:
    """Callees before callers."""
    links = Links.of(ground, TYPES, query.ref)
    return expanded(ground, query, ranking, settings, links.both)


STRATEGY = Composed(name="function_calls", chunker="function", expand=along_calls, extra=EXPANSION)
