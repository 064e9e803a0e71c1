"""What the tables of a report have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

YARDSTICK = "lines"
KEYS = ("function R@10", "result LineRecall@400", "context EvidenceRecall")
DEEP = ("result RR", "context EvidenceRecall")
SIZES = ("small", "small_in_5k", "small_in_50k", "small_in_500k")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows as Markdown."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def shown(value: object) -> str:
    """A setting as TOML spells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
