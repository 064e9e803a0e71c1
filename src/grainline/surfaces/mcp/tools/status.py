"""`status`: what is indexed."""

from __future__ import annotations

from grainline.context.formats.markdown import code
from grainline.model.answers import RefStatus, RepositoryStatus
from grainline.model.snapshot import Outcome
from grainline.surfaces.mcp.base import CAP, Arguments, Session, fit, schema
from grainline.text.plural import parsed_in_part

NOTE = 80  # tokens kept for the note


class Status:
    """One line per indexed ref."""

    name = "status"
    description = (
        "List the indexed repositories and refs: commit, state, and how many files were indexed, "
        "indexed as text, skipped or failed."
    )
    schema = schema()

    def call(self, session: Session, arguments: Arguments) -> str:
        """The list, cut at the cap between lines."""
        result = session.engine.status(scope=session.scope(arguments))
        blocks = [
            _line(repository, ref) for repository in result.repositories for ref in repository.refs
        ]
        if not blocks:
            return "Nothing is indexed yet. Run: grainline index PATH"
        kept, whole = fit(blocks, CAP - NOTE)
        if not whole:
            more = len(blocks) - len(kept)
            kept.append(f"[truncated: {more} more; call status with repo=NAME]")
        return "\n".join(kept)


def _line(repository: RepositoryStatus, ref: RefStatus) -> str:
    counts = dict(ref.counts)
    numbers = ", ".join(f"{counts.get(outcome, 0)} {outcome}" for outcome in Outcome)
    if ref.in_part:
        numbers += f"; {parsed_in_part(ref.in_part)}"
    dirty = " with local changes" if ref.snapshot.dirty else ""
    commit = ref.snapshot.commit[:12] or "no commit"
    return f"- {code(repository.repository)} {code(ref.ref)} at {commit}{dirty}: {ref.state}; {numbers}"


TOOL = Status()
