"""Findings whose files stand as they were indexed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grainline.model.flow import Finding
    from grainline.retrieval.relations.asking import Opened


def shown(opened: Opened, pairs: Sequence[tuple[Finding, Sequence[int]]]) -> list[Finding]:
    """The findings none of whose files (entries) changed since they were indexed."""
    entries = sorted({entry for _, mine in pairs for entry in mine})
    fine = dict(zip(entries, opened.admit(entries), strict=True))
    return [finding for finding, mine in pairs if all(fine[entry] for entry in mine)]
