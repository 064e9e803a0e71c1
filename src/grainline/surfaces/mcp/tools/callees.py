"""`callees`: what a symbol calls."""

from __future__ import annotations

from grainline.model.relations import Relation
from grainline.surfaces.mcp.relating import Related

TOOL = Related(
    Relation.CALLEES,
    "List what a symbol calls; names outside of what is indexed are leaves.",
    depth=1,
)
