"""Markdown: a list for a review, with the way of each finding."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.formats.markdown import code, plain
from grainline.context.formats.objects import uncovered
from grainline.model.edge import Tier
from grainline.model.flow import Finding, FlowResult
from grainline.model.relations import Verdict
from grainline.surfaces.reports.base import About, at, because, others, said, sentence
from grainline.text.plural import counted

LINE = 200
"""Characters of a line of code."""


class Markdown:
    """The list."""

    def write(self, result: FlowResult, about: About) -> str:
        """The list as text."""
        del about
        return "\n".join([*_head(result), *(line for each in result.findings for line in
                          finding(each)), *_foot(result)]) + "\n"  # fmt: skip


def _head(result: FlowResult) -> Iterable[str]:
    if result.verdict is not None:
        yield f"**verdict: {str(result.verdict).replace('_', ' ')}**"
        yield ""
        for each in result.reasons:
            yield f"- because of {plain(because(each))}"
        if result.reasons:
            yield ""
    known = f", {counted(result.known, 'known one')} left out" if result.known else ""
    yield f"{counted(len(result.findings), 'finding')}{known}; coverage {result.coverage.state}"
    yield ""


def finding(found: Finding) -> Iterable[str]:
    """One finding."""
    weakness = f" CWE-{found.cwe}" if found.cwe else ""
    marks = "" if found.verdict is Verdict.PATH else f" ({str(found.verdict).replace('_', ' ')})"
    test = " in test code" if found.test else ""
    last = found.steps[-1]
    yield (
        f"## {found.severity.name.lower()}: {plain(found.kind)}{weakness}{marks}{test} at"
        f" {plain(at(last))}"
    )
    yield ""
    yield f"{plain(sentence(found))} `{found.id}`"
    yield ""
    for number, step in enumerate(found.steps, 1):
        tier = f" [{step.tier.name.lower()}]" if step.tier > Tier.RESOLVED else ""
        yield (
            f"{number}. {step.role} {code(at(step))} in {code(step.symbol)}{tier}:"
            f" {code(step.text.strip()[:LINE])} ({plain(said(step))})"
        )
    for step in found.stops:
        yield f"- seen on the way: {step.role} {code(at(step))} ({plain(said(step))})"
    for line in others(found):
        yield f"- {plain(line)}"
    for each in found.reasons:
        yield f"- assumed: {plain(because(each))}"
    yield ""


def _foot(result: FlowResult) -> Iterable[str]:
    for reason, count in result.coverage.not_covered:
        yield f"- {uncovered(reason, count)}"
    for warning in result.coverage.warnings:
        yield f"- warning: {plain(warning)}"


REPORT = Markdown()
