"""`trace`: whether data of one place gets to another."""

from __future__ import annotations

from grainline.errors import BadInput
from grainline.model.flow import TraceOptions
from grainline.model.relations import Verdict
from grainline.surfaces.mcp.base import Arguments, Session, schema
from grainline.surfaces.mcp.following import CURSOR, coverage, page, reasons

END = "A symbol, PATH:LINE, PATH:A-B, or something outside that is called (os.system)"


class Trace:
    """The ways, or what stands against one."""

    name = "trace"
    description = (
        "Follow data from one place to another, across functions and files. The verdict is path,"
        " no path (nothing was cut on the way) or undetermined (with the reasons and their lines)."
        " Without source every known source counts, without target every known sink."
    )
    schema = schema(
        source={"type": "string", "description": f"{END}: what is evaluated there."},
        target={"type": "string", "description": f"{END}: what is called with it, or holds it."},
        depth={
            "type": "integer",
            "description": "Calls and returns that a way may pass.",
            "minimum": 1,
            "maximum": 10_000,
            "default": 10_000,
        },
        cursor=CURSOR,
    )

    def call(self, session: Session, arguments: Arguments) -> str:
        """The ways that fit."""
        source, target = arguments.text("source") or None, arguments.text("target") or None
        if source is None and target is None:
            raise BadInput("no_place", "there is neither a source nor a target",
                           hint="give source, target or both: symbols, PATH:LINE or PATH:A-B; for all findings call scan")  # fmt: skip
        result = session.engine.trace(
            source,
            target,
            scope=session.scope(arguments),
            options=TraceOptions(depth=arguments.number("depth"), models=session.models()),
        )
        kept, notes = page(result.findings, arguments.text("cursor"))
        head = f"Verdict: {str(result.verdict).replace('_', ' ')}."
        why = result.reasons if result.verdict is Verdict.UNDETERMINED else ()
        because = [f"because of {text}" for text in reasons(why)]
        return "\n".join([head, *because, *kept, *notes, *coverage(result)])


TOOL = Trace()
