"""`path`: how one symbol calls another."""

from __future__ import annotations

from grainline.model.edge import Tier
from grainline.model.relations import RelationOptions
from grainline.surfaces.mcp.base import CAP, Arguments, Session, fit, schema
from grainline.surfaces.mcp.relating import FLOOR, NOTE, SYMBOL, line, reasons, subject


class Path:
    """The steps of one shortest path, or what stands against one."""

    name = "path"
    description = (
        "Find a shortest chain of calls from one symbol to another, with the citation and source"
        " line of every step. Without one it tells whether that is certain: which calls on the way"
        " have no known target, and whether the search was cut."
    )
    schema = schema(
        required=["source", "target"],
        source=SYMBOL,
        target=SYMBOL,
        depth={
            "type": "integer",
            "description": "Most steps.",
            "minimum": 1,
            "maximum": 100,
            "default": 30,
        },
        floor=FLOOR,
    )

    def call(self, session: Session, arguments: Arguments) -> str:
        """The path."""
        floor = Tier[(arguments.text("floor") or "flowed").upper()]
        result = session.engine.path(
            arguments.text("source"),
            arguments.text("target"),
            scope=session.scope(arguments),
            options=RelationOptions(depth=arguments.number("depth"), floor=floor),
        )
        kept, _ = fit(map(line, result.rows), CAP - NOTE)
        head = f"From {subject(result.source[0])} to {subject(result.target[0])}"
        notes = [f"Verdict: {str(result.verdict).replace('_', ' ')}; floor {floor.name.lower()}."]
        if result.rows:
            notes.append(f"{result.total} shortest paths; one is shown.")
        else:
            notes.append(f"{result.reached} symbols were looked at.")
        if result.unresolved:
            notes.append(f"Calls without a known target: {reasons(result.unresolved)}.")
        return "\n".join([head, *kept, *notes])


TOOL = Path()
