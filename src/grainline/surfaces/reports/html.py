"""HTML: one page with every way as a column of cards, one for each function that data passes.

The page holds no script and loads nothing. What comes from a repository is text in it.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Final, NamedTuple

from grainline.context.formats.objects import uncovered
from grainline.model.edge import Tier
from grainline.model.flow import Finding, FlowResult, PlacedStep, Role
from grainline.model.position import quote_path
from grainline.model.relations import Verdict
from grainline.surfaces.reports.base import About, because, levels, others, sentence
from grainline.text.plural import counted
from grainline.text.printing import one_line

LINE: Final = 400
"""Characters of a line of code."""

OPEN: Final = 12
"""Findings that are unfolded when the page is opened."""

_ARROW: Final = (
    '<svg width="18" height="30" viewBox="0 0 18 30" aria-hidden="true">'
    '<path class="line" d="M9 1v24"/><path d="M4 20l5 6 5-6"/></svg>'
)


class _Card(NamedTuple):
    """Steps that follow each other in one function, and how deep in calls it is."""

    steps: tuple[PlacedStep, ...]
    depth: int
    arrow: PlacedStep | None
    """The step that led here."""
    called: bool
    """Whether that was a call, not a return."""


class Html:
    """The page."""

    def write(self, result: FlowResult, about: About) -> str:
        """The page as text."""
        heading = "Ways of data" if about.verb == "trace" else "Findings of data flow"
        page = _part("findings.html")
        for name, text in (
            ("TITLE", heading),
            ("STYLE", _part("findings.css")),
            ("HEAD", _head(heading, result)),
            ("FOOT", _foot(result, about)),
            ("FINDINGS", "\n".join(_finding(*each) for each in enumerate(result.findings))),
        ):
            page = page.replace(f"/*{name}*/", text, 1)
        return page


def _part(name: str) -> str:
    return (pkgutil.get_data("grainline.surfaces.reports", f"page/{name}") or b"").decode()


def _text(text: str) -> str:
    return escape(one_line(text))


def _head(heading: str, result: FlowResult) -> str:
    scope = ", ".join(
        f"{state.repository}@{state.snapshot.ref or state.snapshot.commit}"
        for state in result.coverage.snapshots
    )
    lines = [f"<h1>{heading}</h1>", f"<p>{_text(scope)}</p>"]
    if result.verdict is not None:
        word = str(result.verdict)
        lines.append(f'<p>verdict <span class="badge {word}">{word.replace("_", " ")}</span></p>')
        lines += [f"<p>because of {_text(because(each))}</p>" for each in result.reasons]
    known = f", {counted(result.known, 'known one')} left out" if result.known else ""
    lines.append(
        f"<p>{counted(len(result.findings), 'finding')}{known}; coverage"
        f" {result.coverage.state}</p>"
    )
    return "".join(lines)


def _foot(result: FlowResult, about: About) -> str:
    lines = [f"<p>{_text(uncovered(*each))}</p>" for each in result.coverage.not_covered]
    lines += [f"<p>{_text(warning)}</p>" for warning in result.coverage.warnings]
    return "".join([*lines, f"<p>grainline {_text(about.version)}</p>"])


# ------------------------------------------------------------------------------------- findings


def _finding(number: int, found: Finding) -> str:
    last = found.steps[-1]
    severity = found.severity.name.lower()
    badges = [f'<span class="badge {severity}">{severity}</span>'] if found.rule != "asked" else []
    if found.verdict is not Verdict.PATH:
        word = str(found.verdict)
        shown = "stopped" if found.verdict is Verdict.NO_PATH else word
        badges.append(f'<span class="badge {word}">{shown}</span>')
    if found.cwe:
        badges.append(f'<span class="badge note">CWE-{found.cwe}</span>')
    if found.test:
        badges.append('<span class="badge note">test code</span>')
    opened = " open" if number < OPEN else ""
    return (
        f'<details class="finding" id="{escape(found.id)}"{opened}><summary>{"".join(badges)}'
        f"<h2>{_text(found.kind)}</h2>"
        f'<span class="where">{_text(quote_path(last.path))}:{last.line}</span></summary>'
        f'<div class="body"><p>{_text(sentence(found))}</p>'
        f'<ol class="way">{"".join(map(_card, cards(found.steps)))}</ol>{_notes(found)}</div>'
        "</details>"
    )


def _notes(found: Finding) -> str:
    rows = [
        f"<li><b>{step.role}</b> {_text(step.note or step.text.strip())} at"
        f" {_text(quote_path(step.path))}:{step.line}</li>"
        for step in found.stops
    ]
    rows += [f"<li><b>assumed</b> {_text(because(each))}</li>" for each in found.reasons]
    if found.total_paths > 1:
        rows.append(f"<li>{found.total_paths} ways lead here; this one is the surest</li>")
        rows += [f"<li>{_text(line)}</li>" for line in others(found)]
    return f'<ul class="notes">{"".join(rows)}</ul>' if rows else ""


def cards(steps: Sequence[PlacedStep]) -> list[_Card]:
    """The cards of a way. What goes into a function stands one deeper."""
    found: list[_Card] = []
    number, led = 0, None
    depths = levels(steps)
    for _, group in groupby(steps, key=lambda step: (step.path, step.symbol)):
        run = tuple(group)
        found.append(
            _Card(run, depths[number], led, bool(found) and depths[number] > depths[number - 1])
        )
        number += len(run)
        led = run[-1]
    return found


def _card(card: _Card) -> str:
    first = card.steps[0]
    arrow = "" if card.arrow is None else _arrow(card, card.arrow)
    return (
        f'<li style="--depth:{card.depth}">{arrow}<section class="card"><div class="name">'
        f'<b>{_text(first.symbol)}</b><span class="where">{_text(quote_path(first.path))}</span>'
        f'</div><div class="lines">{"".join(_rows(card.steps))}</div></section></li>'
    )


def _arrow(card: _Card, before: PlacedStep) -> str:
    """From one card to the next: the call or return that led there, dashed where it is not sure."""
    led = before if card.called else card.steps[0]
    words = "calls" if card.called else "comes back to"
    weak = led.tier > Tier.RESOLVED
    tier = f" <b>{led.tier.name.lower()}</b>" if weak else ""
    note = f" {_text(led.note)}" if led.note else ""
    return f'<div class="arrow{" weak" if weak else ""}">{_ARROW}<span>{words}{note}{tier}</span></div>'


def _rows(steps: Sequence[PlacedStep]) -> Iterable[str]:
    before = 0
    for line, group in groupby(steps, key=lambda step: step.line):
        run = list(group)
        if before and line != before + 1:
            yield '<div class="gap">⋮</div>'
        before = line
        yield (
            f'<div class="row"><span class="no">{line}</span><pre>{_marked(run)}</pre>'
            f'<span class="say">{_said(run)}</span></div>'
        )


def _said(run: Sequence[PlacedStep]) -> str:
    """What happens in a line: the roles that say something."""
    told = [step for step in run if step.role is not Role.PROPAGATOR] or [
        step for step in run if step.note
    ]
    return "; ".join(
        dict.fromkeys(
            f'<b class="{step.role}">{step.role}</b>'
            f"{' ' + _text(step.note) if step.note and step.note not in step.text else ''}"
            for step in told
        )
    )


_STRENGTH: Final = (Role.SINK, Role.SOURCE, Role.SANITIZER, Role.GUARD, Role.CALL, Role.RETURN)
"""Whose colour wins where steps lie over each other."""


def _marked(run: Sequence[PlacedStep]) -> str:
    """A line with the expressions that hold the data marked; the innermost keeps its colour."""
    text = run[0].text[:LINE]
    roles: list[Role | None] = [None] * len(text)
    for step in sorted(run, key=_width, reverse=True):
        for at in range(*_extent(step, text)):
            roles[at] = step.role
    pieces: list[str] = []
    for role, signs in groupby(zip(roles, text, strict=True), key=lambda pair: pair[0]):
        piece = _text("".join(sign for _, sign in signs))
        pieces.append(piece if role is None else f'<mark class="{role}">{piece}</mark>')
    return "".join(pieces)


def _extent(step: PlacedStep, text: str) -> tuple[int, int]:
    """The signs of a line that a step is about."""
    end = step.end_column - 1 if step.end_line == step.line else len(text)
    return min(step.column - 1, len(text)), min(end, len(text))


def _width(step: PlacedStep) -> tuple[int, int]:
    start, end = _extent(step, step.text)
    strength = _STRENGTH.index(step.role) if step.role in _STRENGTH else len(_STRENGTH)
    return end - start, strength


REPORT = Html()
