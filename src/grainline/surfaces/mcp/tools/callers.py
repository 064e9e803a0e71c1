"""`callers`: what calls a symbol."""

from __future__ import annotations

from grainline.model.relations import Relation
from grainline.surfaces.mcp.relating import Related

TOOL = Related(
    Relation.CALLERS,
    "List what calls a symbol, directly and through others.",
    depth=1,
)
