"""`trace`: whether data of one place gets to another, with the ways or what stands against a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from grainline.errors import BadInput
from grainline.findings.covering import coverage_of, parse_boundaries
from grainline.findings.ends import End, end
from grainline.findings.placing import Placed, Placer, calls_on, in_order, one_of_each
from grainline.findings.showing import shown
from grainline.model.access import View
from grainline.model.flow import (
    Boundary,
    Cut,
    Finding,
    FlowQuestion,
    FlowResult,
    PlacedBoundary,
    TraceOptions,
)
from grainline.model.relations import Verdict
from grainline.retrieval.relations.book import Book
from grainline.retrieval.relations.views import check

if TYPE_CHECKING:
    from grainline.findings.views import Analysed
    from grainline.retrieval.relations.asking import Opened

Ask = Callable[[Mapping[View, FlowQuestion]], "list[Analysed]"]

MAX_DEPTH: Final = 10_000

_NOWHERE: Final = End({}, ())


def trace(
    opened: Opened, ask: Ask, source: str | None, target: str | None, options: TraceOptions
) -> FlowResult:
    """The ways from one place to another in the views of a scope.

    Args:
        opened: the scope.
        ask: analyses views with a question each.
        source: see `Flows.trace`.
        target: see `Flows.trace`.
        options: depth and models.
    """
    _check(source, target, options)
    check(opened.graphs)
    book = Book(opened.corpus)
    first = _NOWHERE if source is None else end(book, opened.graphs, source)
    last = _NOWHERE if target is None else end(book, opened.graphs, target)
    questions = _questions(first, last, source, target)
    found = ask(questions)
    _check_there(found, source, target, unknown=bool(first.unknown or last.unknown))
    told = [_Told(opened, book, each, options) for each in found]
    findings = _each_once(in_order(one_of_each(shown(opened, [p for t in told for p in t.placed]))))
    reasons = [row for each in told for row in each.reasons]
    for view, cut in (*first.unknown, *last.unknown):
        reasons.append(Placer(book, view).boundary(cut))
    verdict, why = _verdict(findings, reasons)
    return FlowResult(
        findings=tuple(findings),
        coverage=coverage_of(opened.corpus, opened.graphs, found, _several(first, last)),
        verdict=verdict,
        reasons=why,
    )


def _check(source: str | None, target: str | None, options: TraceOptions) -> None:
    if source is None and target is None:
        raise BadInput("no_place", "there is neither a source nor a target",
                       hint="use --from X, --to Y or both; X and Y are symbols, PATH:LINE or PATH:A-B; for all findings: grainline scan")  # fmt: skip
    if options.depth is not None and not 1 <= options.depth <= MAX_DEPTH:
        raise BadInput("bad_depth", f"depth is {options.depth!r}", hint=f"depth is from 1 to {MAX_DEPTH}")  # fmt: skip


def _questions(
    first: End, last: End, source: str | None, target: str | None
) -> dict[View, FlowQuestion]:
    """What is asked of each view that has both ends."""
    views = [view for view in (first.regions or last.regions)
             if (source is None or view in first.regions)
             and (target is None or view in last.regions)]  # fmt: skip
    if not views:
        raise BadInput(
            "apart",
            "the two places stand in different repositories or versions",
            hint="data is followed inside of one: narrow it with --repo and --ref",
        )
    return {
        view: FlowQuestion(sources=first.regions.get(view, ()), sinks=last.regions.get(view, ()))
        for view in views
    }


def _check_there(
    found: Sequence[Analysed], source: str | None, target: str | None, *, unknown: bool
) -> None:
    for word, text in (("sources", source), ("sinks", target)):
        if text is not None and not unknown and all(word in each.report.absent for each in found):
            raise BadInput(
                "nothing_there",
                "nothing is evaluated there",
                subject=text,
                hint="name a line with code in a function or module, or a function",
            )


class _Told:
    """What one view says: ways that are placed, and what stands against a verdict."""

    def __init__(self, opened: Opened, book: Book, found: Analysed, options: TraceOptions) -> None:
        placer = Placer(book, found.view)
        deep = options.depth
        self.placed: list[Placed] = []
        cuts: list[Boundary] = list(found.report.frontier)
        for path in found.report.paths:
            if deep is not None and calls_on(path) > deep:
                last = path.steps[-1]
                cuts.append(Boundary(last.path, last.span, Cut.DEPTH, f"{calls_on(path)} calls"))
                continue
            if deep is not None:
                near = (way for way in path.alternates if calls_on(way) <= deep)
                path = replace(path, alternates=tuple(near))
            self.placed.append(placer.placed(path))
        cuts += [each for each in found.report.boundaries if each.cut in (Cut.DEPTH, Cut.FAN_OUT)]
        cuts += parse_boundaries(opened.corpus, (found,))
        self.reasons = [placer.boundary(each) for each in sorted(set(cuts))]


def _verdict(
    findings: Sequence[Finding], reasons: Sequence[PlacedBoundary]
) -> tuple[Verdict, tuple[PlacedBoundary, ...]]:
    """The verdict, and what it leans on: a way is one whatever was cut elsewhere."""
    if any(finding.verdict is Verdict.PATH for finding in findings):
        return Verdict.PATH, ()
    assumed = [row for each in findings if each.verdict is Verdict.UNDETERMINED
               for row in each.reasons]  # fmt: skip
    why = tuple(dict.fromkeys(assumed)) or tuple(dict.fromkeys(reasons))
    return (Verdict.UNDETERMINED if why else Verdict.NO_PATH), why


def _each_once(findings: Sequence[Finding]) -> list[Finding]:
    """One finding for the same lines: the surest, then the shortest."""
    best: dict[object, Finding] = {}
    for each in sorted(findings, key=_worth):
        first, last = each.steps[0], each.steps[-1]
        key = (each.kind, each.rule, first.repository, first.commit, first.path, first.line,
               last.path, last.line)  # fmt: skip
        best.setdefault(key, each)
    kept = {id(each) for each in best.values()}
    return [each for each in findings if id(each) in kept]


def _worth(finding: Finding) -> tuple[int, int]:
    order = (Verdict.PATH, Verdict.UNDETERMINED, Verdict.NO_PATH)
    return order.index(finding.verdict), len(finding.steps)


def _several(*ends: End) -> list[str]:
    return [
        f"{each.several} symbols are called so, and the answer is about all of them"
        for each in ends
        if each.several
    ]
