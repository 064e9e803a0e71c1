"""What the tools about data flow share: findings as blocks of steps, and pages that fit the cap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grainline.context.formats.markdown import code, plain
from grainline.context.formats.objects import uncovered
from grainline.errors import BadInput
from grainline.model.edge import Tier
from grainline.model.flow import Finding, FlowResult, PlacedBoundary, PlacedStep
from grainline.model.position import Citation, LineSpan
from grainline.model.relations import Verdict
from grainline.surfaces.mcp.base import CAP, Schema, fit
from grainline.surfaces.reports.base import because, one_a_line, others
from grainline.text.plural import counted

NOTE = 1200  # tokens kept for what stands around the findings
STEPS = 24  # lines of one way; of a longer one the middle is left out
TEXT = 160  # characters of a source line
REASONS = 6  # that are listed; further ones are counted

CURSOR: Schema = {
    "type": "string",
    "description": "Go on after the page that gave this cursor, with the same arguments.",
}


def page(findings: Sequence[Finding], cursor: str) -> tuple[list[str], list[str]]:
    """(blocks, notes): the findings behind a cursor that fit, and how to get the next ones.

    Raises:
        BadInput: no finding has this id (any more).
    """
    first = _start(findings, cursor)
    rest = findings[first:]
    kept, _ = fit((block(each, first + at) for at, each in enumerate(rest, 1)), CAP - NOTE)
    if rest and not kept:  # names of thousands of bytes
        kept = [block(rest[0], first + 1).partition("\n")[0] + " [too long to be shown]"]
    last = first + len(kept)
    if last == len(findings):
        return kept, []
    note = f"Findings to {last} of {len(findings)}; for more call with cursor={findings[last - 1].id!r}."
    return kept, [note]


def _start(findings: Sequence[Finding], cursor: str) -> int:
    if not cursor:
        return 0
    for number, each in enumerate(findings, 1):
        if each.id == cursor:
            return number
    raise BadInput("bad_cursor", "no finding is there any more that it names", hint="start again without cursor")  # fmt: skip


def block(found: Finding, number: int) -> str:
    """One finding: what it is, its steps, what it leans on."""
    words = [f"{number}. {code(found.id)} {found.severity.name.lower()} {plain(found.kind)}"]
    if found.cwe:
        words.append(f"CWE-{found.cwe}")
    words.append(f"[{str(found.verdict).replace('_', ' ')}]")
    if found.test:
        words.append("in test code")
    if found.total_paths > 1:
        words.append(f"({found.total_paths} ways; this one is the surest)")
    return "\n".join([" ".join(words), *_way(found), *_foot(found)])


def _way(found: Finding) -> Iterable[str]:
    steps = one_a_line(found.steps)
    left = len(steps) - STEPS
    for at, step in enumerate(steps):
        if left > 0 and at == STEPS // 2:
            yield f"   [{counted(left, 'step')} left out]"
        if left <= 0 or at < STEPS // 2 or at >= STEPS // 2 + left:
            yield f"   {_step(step)}"


def _step(step: PlacedStep) -> str:
    lines = LineSpan(step.line, step.end_line)
    cited = Citation(path=step.path, lines=lines, version=step.commit)
    tier = f" [{step.tier.name.lower()}]" if step.tier > Tier.RESOLVED else ""
    note = f" ({plain(step.note[:TEXT])})" if step.note and step.note not in step.text else ""
    text = code(step.text.strip()[:TEXT])
    return f"{step.role} {code(str(cited))} in {code(step.symbol[:TEXT])}{tier}: {text}{note}"


def _foot(found: Finding) -> Iterable[str]:
    word = "stopped by" if found.verdict is Verdict.NO_PATH else "seen on the way"
    for step in found.stops[:REASONS]:
        yield f"   {word}: {_step(step)}"
    yield from (f"   {plain(text)}" for text in others(found))
    yield from (f"   assumed: {text}" for text in reasons(found.reasons))


def reasons(found: Sequence[PlacedBoundary]) -> Iterable[str]:
    """The first reasons in words, and how many more there are."""
    for each in found[:REASONS]:
        yield plain(because(each)[:TEXT])
    if len(found) > REASONS:
        yield f"and {len(found) - REASONS} more"


def coverage(result: FlowResult) -> Iterable[str]:
    """What the answer covers."""
    yield f"Coverage {result.coverage.state}."
    for reason, count in result.coverage.not_covered:
        yield f"{uncovered(reason, count)}."
    for warning in result.coverage.warnings[:3]:
        yield f"Warning: {plain(warning)[:200]}"
