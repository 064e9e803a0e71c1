"""Level 3: the functions of the same file that reference the anchor by its only name there."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.cite import innermost
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import head, is_small, merge, step, whole
from grainline.model.evidence import EvidenceRole
from grainline.model.position import Span


class Callers:
    """Follows references of the same file back to the definition they stand in."""

    name = "callers"
    level = 3
    share = Share.DIRECT

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """One neighbour per referencing definition, in file order."""
        if anchor.symbol < 0:
            return
        file = ask.reader.file(anchor.entry)
        own = file.outline[anchor.symbol]
        if sum(found.name == own.name for found in file.outline) != 1:
            return
        seen: set[int] = set()
        for row in file.references:
            if row.name != own.name or own.start <= row.start < own.end:
                continue
            index = innermost(file.outline, row.start, row.end)
            if index < 0 or index in seen:
                continue
            seen.add(index)
            found = file.outline[index]
            site = file.widen(Span(row.start, row.end))
            brief = merge([*head(file, found), site])
            small = is_small(file, found)
            yield Neighbour(
                entry=anchor.entry,
                spans=(whole(file, found),) if small else brief,
                brief=brief if small else (),
                symbol=index,
                role=EvidenceRole.CALLER,
                step=step(
                    ask.reader,
                    "CALLS" if row.role == "call" else "REFERENCES",
                    source=(anchor.entry, index),
                    target=(anchor.entry, anchor.symbol),
                    at=(anchor.entry, row.start),
                    tier="named",
                    method="same_file",
                ),
                why=f"uses {own.name} at line {file.line_at(row.start)}",
                weight=0.6,
            )


RULE = Callers()
