"""`context`: cited evidence inside a budget."""

from __future__ import annotations

from grainline.errors import BadInput
from grainline.model.evidence import ContextOptions, Profile
from grainline.surfaces.mcp.base import CAP, Arguments, Session, schema


class Context:
    """The budget of the context is the cap, so nothing is ever cut off its end."""

    name = "context"
    description = (
        "Explain a question, lines (at), a symbol (target) or pasted code with the smallest cited "
        "set of code: the pieces themselves, where their data comes from and goes to, what they call "
        "and who calls them, the imports, types and class members they need, overrides, tests and documents. Never longer than budget tokens."
    )
    schema = schema(
        query={"type": "string", "description": "The question, in words or names."},
        at={"type": "string", "description": "Lines to explain: PATH:LINE or PATH:A-B."},
        target={"type": "string", "description": "A symbol to explain, e.g. Session.close."},
        pasted={"type": "string", "description": "Code or text to explain."},
        budget={
            "type": "integer",
            "description": "Most tokens of the answer.",
            "minimum": 200,
            "maximum": CAP,
            "default": 6000,
        },
        profile={
            "type": "string",
            "enum": [str(profile) for profile in Profile],
            "description": "What kind of question it is.",
        },
        format={
            "type": "string",
            "enum": ["markdown", "compact", "xml", "json"],
            "description": "Output format (default markdown).",
        },
    )

    def call(self, session: Session, arguments: Arguments) -> str:
        """The rendered context."""
        query, at = arguments.text("query"), arguments.text("at")
        target, pasted = arguments.text("target"), arguments.text("pasted")
        if not (query or at or target or pasted):
            raise BadInput(
                "empty_query",
                "no question and no target",
                hint="give query, at, target or pasted",
            )
        result = session.engine.context(
            query,
            scope=session.scope(arguments),
            options=ContextOptions(
                budget=arguments.number("budget"),
                profile=Profile(arguments.text("profile") or "auto"),
                format=arguments.text("format") or "markdown",
                models=session.models(),
            ),
            at=at or None,
            target=target or None,
            pasted=pasted or None,
        )
        return result.rendered


TOOL = Context()
