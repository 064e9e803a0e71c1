"""`refs`: where a symbol is referred to."""

from __future__ import annotations

from grainline.model.relations import Relation
from grainline.surfaces.mcp.relating import Related

TOOL = Related(
    Relation.REFS,
    "List every place that refers to a symbol: calls, imports, types, subclasses.",
    depth=1,
)
