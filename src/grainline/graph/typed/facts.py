"""An edge as found, and how far it may be believed."""

from __future__ import annotations

from typing import Final, NamedTuple

from grainline.model.edge import EdgeType, Method

RESOLVED: Final = 0
FLOWED: Final = 1
UNSURE: Final = 2


class Fact(NamedTuple):
    """An edge as found; the target is a scope of a unit."""

    type: EdgeType
    unit: int
    scope: int
    op: int
    target: tuple[int, int]
    method: Method
