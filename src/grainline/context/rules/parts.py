"""Level 0: the neighbouring parts of a long symbol that was found by one of its parts."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import step
from grainline.model.evidence import EvidenceRole
from grainline.model.position import Span


class Parts:
    """Follows the chunks of one symbol to the parts before and after."""

    name = "parts"
    level = 0
    share = Share.DIRECT

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """The next part, then the previous one."""
        if anchor.symbol < 0:
            return
        file = ask.reader.file(anchor.entry)
        rows = [
            row
            for row in ask.reader.corpus.chunks(anchor.entry)
            if row.symbol == anchor.symbol and row.parts > 1
        ]
        own = [row.part for row in rows if row.start <= anchor.span.start < row.end]
        if not own or (anchor.span.start <= rows[0].start and rows[-1].end <= anchor.span.end):
            return
        name = file.outline[anchor.symbol].name
        for row in rows:
            if abs(row.part - own[0]) != 1:
                continue
            yield Neighbour(
                entry=anchor.entry,
                spans=(file.widen(Span(row.start, row.end)),),
                symbol=anchor.symbol,
                role=EvidenceRole.PARENT,
                step=step(
                    ask.reader,
                    "DEFINES",
                    source=(anchor.entry, anchor.symbol),
                    target=(anchor.entry, anchor.symbol),
                    at=(anchor.entry, row.start),
                    tier="resolved",
                    method="chunk_parts",
                ),
                why=f"part {row.part + 1} of {row.parts} of {name}",
                weight=0.5 if row.part > own[0] else 0.45,
            )


RULE = Parts()
