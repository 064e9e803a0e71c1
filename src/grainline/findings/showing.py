"""Findings whose files stand as they were indexed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grainline.findings.placing import Placed
    from grainline.model.flow import Finding
    from grainline.retrieval.relations.asking import Opened


def shown(opened: Opened, placed: Sequence[Placed]) -> list[Finding]:
    """The findings none of whose files changed since they were indexed, with such alternates."""
    entries = sorted({entry for each in placed for way in _ways(each) for entry in way})
    fine = dict(zip(entries, opened.admit(entries), strict=True))
    return [
        replace(each.finding, alternates=tuple(
            way for way, mine in zip(each.finding.alternates, each.others, strict=True)
            if all(fine[entry] for entry in mine)
        ))
        for each in placed
        if all(fine[entry] for entry in each.entries)
    ]  # fmt: skip


def _ways(placed: Placed) -> tuple[tuple[int, ...], ...]:
    return (placed.entries, *placed.others)
