"""Level 3: heads of other symbols of the file whose name shares a term with the question."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import CALLABLES, CLASSES, head, step
from grainline.model.evidence import EvidenceRole

MIN_SHARE = 0.15  # of the question's term weight that a name must hold


class Related:
    """Follows the outline sideways, by the words of the question."""

    name = "related"
    level = 3
    share = Share.STRUCTURE

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """Heads, the names closest to the question first."""
        file = ask.reader.file(anchor.entry)
        ranked = sorted(
            (-ask.relevance.share(found.name), index)
            for index, found in enumerate(file.outline)
            if (found.kind in CALLABLES or found.kind in CLASSES)
            and not (found.start < anchor.span.end and anchor.span.start < found.end)
        )
        for score, index in ranked[: ask.max_neighbours]:
            if -score < MIN_SHARE:
                break
            found = file.outline[index]
            yield Neighbour(
                entry=anchor.entry,
                spans=head(file, found),
                symbol=index,
                role=EvidenceRole.DEFINITION,
                step=step(
                    ask.reader,
                    "DEFINES",
                    source=(anchor.entry, -1),
                    target=(anchor.entry, index),
                    at=(anchor.entry, found.start),
                    tier="resolved",
                    method="outline",
                ),
                why="same file, and its name answers to the question",
                weight=min(0.45, 0.2 - score),
            )


RULE = Related()
