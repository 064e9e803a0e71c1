"""`scan`: all findings of a scope, placed, each once, the worst first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from grainline.errors import BadInput
from grainline.findings.covering import coverage_of
from grainline.findings.placing import Placed, Placer, in_order, one_of_each
from grainline.findings.showing import shown
from grainline.flow.lifetime import FAULTS
from grainline.flow.rows import KINDS, Models
from grainline.model.flow import Finding, FlowWay, ScanOptions
from grainline.model.relations import Verdict
from grainline.model.search import CoverageRecord
from grainline.retrieval.relations.book import Book

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grainline.findings.views import Analysed
    from grainline.retrieval.relations.asking import Opened


def scan(
    opened: Opened, found: Sequence[Analysed], options: ScanOptions
) -> tuple[list[Finding], CoverageRecord]:
    """The findings of analysed views, and what they cover."""
    book = Book(opened.corpus)
    placed: list[Placed] = []
    for each in found:
        placer = Placer(book, each.view)
        for path in each.report.paths:
            if options.floor is Verdict.PATH:
                path = replace(path, alternates=tuple(filter(_is_sure, path.alternates)))
            found_one = placer.placed(path)
            if _wanted(found_one.finding, options):
                placed.append(found_one)
    findings = in_order(one_of_each(shown(opened, placed)))
    return findings, coverage_of(opened.corpus, opened.graphs, found)


def _is_sure(way: FlowWay) -> bool:
    return way.verdict is Verdict.PATH


def _wanted(finding: Finding, options: ScanOptions) -> bool:
    if options.kinds and finding.kind not in options.kinds:
        return False
    return options.floor is Verdict.UNDETERMINED or finding.verdict is Verdict.PATH


def check_kinds(kinds: Sequence[str], models: Mapping[str, Models]) -> None:
    """Refuse a kind that no row is of.

    Raises:
        BadInput: `unknown_kind`.
    """
    known = {*KINDS, *FAULTS, *(row.kind for rows in models.values() for each in rows.patterns.values()
                       for row in each)}  # fmt: skip
    for kind in kinds:
        if kind not in known:
            raise BadInput(
                "unknown_kind",
                f"no finding is of kind {kind!r}",
                hint="known: " + ", ".join(sorted(known)),
            )
