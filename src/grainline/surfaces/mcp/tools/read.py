"""`read`: the lines behind a citation."""

from __future__ import annotations

from grainline.context.formats.markdown import code, fenced
from grainline.model.answers import ReadResult
from grainline.model.position import Citation, LineSpan
from grainline.surfaces.mcp.base import CAP, Arguments, Session, fit, schema

NOTE = 400  # tokens kept for the heading and the note; citations can be long


class Read:
    """Whole lines up to the cap; the note names the citation of the rest."""

    name = "read"
    description = (
        "Open a citation (path:12-18@commit, as search and context print them): the exact lines of "
        "that version. Widen the numbers to see more around it."
    )
    schema = schema(
        required=["citation"],
        citation={"type": "string", "description": "path:12-18@commit"},
    )

    def call(self, session: Session, arguments: Arguments) -> str:
        """The cited lines in a fence."""
        result = session.engine.read(
            arguments.text("citation"), scope=session.everything(arguments)
        )
        lines = result.text.splitlines(keepends=True)
        kept, whole = fit(lines, CAP - NOTE)
        text = "".join(kept)
        shown = fenced(text, result.place.language)
        head = f"{code(str(_citation(result, 0, len(kept) if not whole else None)))}\n"
        if whole:
            return head + shown
        rest = code(str(_citation(result, len(kept), None)))
        if not kept:
            return head + f"[truncated: line {result.place.lines.start} alone is over the cap]"
        return f"{head}{shown}\n[truncated: for the rest call read with {rest}]"


def _citation(result: ReadResult, skip: int, count: int | None) -> Citation:
    own = result.place.citation
    start = own.lines.start + skip
    end = own.lines.end if count is None else max(start, start + count - 1)
    return Citation(path=own.path, lines=LineSpan(start, end), version=own.version)


TOOL = Read()
