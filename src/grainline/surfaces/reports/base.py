"""The seam of reports, and what several of them say in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from grainline.model.flow import Finding, FlowResult, PlacedBoundary, PlacedStep, Role
from grainline.model.position import quote_path
from grainline.model.relations import Verdict
from grainline.registry import Registry
from grainline.text.plural import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a report says of its making. `roots`: where each repository lies, by name."""

    version: str
    verb: str
    roots: Mapping[str, str]


class Report(Protocol):
    """A form in which findings are written."""

    def write(self, result: FlowResult, about: About) -> str:
        """The whole text, with its last line end."""
        ...


REPORTS: Registry[Report] = Registry(
    "grainline.surfaces.reports", "REPORT", skip=frozenset({"base"})
)

TITLES: Mapping[str, str] = {
    "command": "Data runs as a command",
    "sql": "Data becomes part of an SQL statement",
    "code": "Data runs as code",
    "path": "Data names a file",
    "xss": "Data becomes part of a page",
    "ssrf": "Data names a server to talk to",
    "redirect": "Data says where a browser goes",
    "deserialization": "Data is turned into objects",
    "ldap": "Data becomes part of an LDAP query",
    "xpath": "Data becomes part of an XPath expression",
    "xxe": "Data is read as XML with external entities",
    "log": "Data is written to a log",
    "template": "Data is a template",
    "trust boundary": "Data is stored where it is trusted",
    "header": "Data becomes part of a header",
    "format string": "Data is a format string",
    "resource": "Data decides how much is used up",
    "regex": "Data is a regular expression",
    "secret": "A secret is shown",
    "setting": "Data decides a setting",
    "number": "Data is a number that is not checked",
    "data flow": "Data gets from one place to another",
}
"""What a kind means, in a few words."""


TEXT = 100
"""Characters of a line of code that is named beside others."""


def title(kind: str) -> str:
    """A kind in words."""
    return TITLES.get(kind, kind.capitalize())


def sentence(found: Finding) -> str:
    """What was found, in one sentence."""
    first, last = found.steps[0], found.steps[-1]
    name = called(found)
    if len(found.steps) == 1:
        return f"{title(found.kind)}: {name} in {last.symbol}."
    text = f"{title(found.kind)}: {name} in {last.symbol} gets what comes in at {at(first)}."
    if found.verdict is Verdict.NO_PATH:
        stops = ", ".join(step.note or str(step.role) for step in found.stops)
        text += f" It is stopped{' by ' + stops if stops else ''}."
    if found.verdict is Verdict.UNDETERMINED:
        text += f" That is assumed: {'; '.join(map(because, found.reasons))}."
    return text


def others(found: Finding, placed: Callable[[PlacedStep], str] | None = None) -> Iterable[str]:
    """The other ways of a finding, one a line, and how many more; `placed` tells where a step is."""
    placed = placed or at
    here = placed(found.steps[-1])
    for way in found.alternates:
        first, last = way.steps[0], way.steps[-1]
        to = "" if placed(last) == here else f" to {placed(last)}"
        sure = "" if way.verdict is Verdict.PATH else f", {str(way.verdict).replace('_', ' ')}"
        steps = counted(len(one_a_line(way.steps)), "line")
        text = first.text.strip()[:TEXT]
        yield f"another way: from {placed(first)}{to} ({steps}{sure}): {text}"
    more = found.total_paths - 1 - len(found.alternates)
    if more > 0:
        yield f"and {counted(more, 'more way')}"


def called(found: Finding) -> str:
    """What the sink is."""
    return "what was asked about" if found.rule == "asked" else found.rule.removeprefix("*.")


def one_a_line(steps: Sequence[PlacedStep]) -> list[PlacedStep]:
    """One step for each run of steps in one line: the one with the most to say."""
    shown: list[PlacedStep] = []
    for _, group in groupby(steps, key=lambda step: (step.repository, step.path, step.line)):
        run = list(group)
        kept = [step for step in run if step.role not in (Role.PROPAGATOR, Role.RETURN)]
        shown += kept or run[-1:]
    return shown


def levels(steps: Sequence[PlacedStep]) -> list[int]:
    """How deep in calls each step stands: a function that the way was in before, it comes back to."""
    inside: list[tuple[bytes, str]] = []
    found: list[int] = []
    led: PlacedStep | None = None
    for step in steps:
        place = (step.path, step.symbol)
        if place in inside:
            del inside[inside.index(place) + 1 :]
        elif led is not None and led.role is Role.CALL:
            inside.append(place)
        else:  # what called the function before, or something beside it
            inside[-1:] = [place]
        found.append(len(inside) - 1)
        led = step
    return found


def at(step: PlacedStep) -> str:
    """The place of a step."""
    return f"{quote_path(step.path)}:{step.line}"


def because(found: PlacedBoundary) -> str:
    """A boundary in words."""
    name = f" {found.name}" if found.name else ""
    return f"{found.cut}{name} at {quote_path(found.path)}:{found.line}"


def said(step: PlacedStep) -> str:
    """What a step does, in words."""
    words = {
        Role.SOURCE: "data comes in",
        Role.PROPAGATOR: "it is handed on",
        Role.CALL: "it goes into a function",
        Role.RETURN: "it comes out of a function",
        Role.GUARD: "it is tested",
        Role.TEST: "a condition on it",
        Role.SANITIZER: "it is made harmless for some sinks",
        Role.SINK: "it arrives",
    }[step.role]
    return f"{words}: {step.note}" if step.note else words
