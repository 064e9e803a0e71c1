"""`impact`: what a change may reach."""

from __future__ import annotations

from grainline.model.relations import Relation
from grainline.surfaces.mcp.relating import Related

TOOL = Related(
    Relation.IMPACT,
    "List what a change of a symbol may reach: callers, overrides, subclasses, importers and, apart, tests.",
    depth=3,
)
