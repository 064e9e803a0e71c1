"""Level 2: the heads of the classes (and functions) around the anchor."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import head, step
from grainline.model.evidence import EvidenceRole
from grainline.model.symbol import SymbolKind

_FILES = frozenset({SymbolKind.MODULE, SymbolKind.NAMESPACE})


class Enclosing:
    """Follows the outline upwards."""

    name = "enclosing"
    level = 2
    share = Share.STRUCTURE

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """One neighbour per enclosing definition, innermost first."""
        if anchor.symbol < 0:
            return
        file = ask.reader.file(anchor.entry)
        weight = 0.6
        parent = file.outline[anchor.symbol].parent
        while parent >= 0:
            found = file.outline[parent]
            if found.kind not in _FILES:
                yield Neighbour(
                    entry=anchor.entry,
                    spans=head(file, found),
                    symbol=parent,
                    role=EvidenceRole.PARENT,
                    step=step(
                        ask.reader,
                        "DEFINES",
                        source=(anchor.entry, parent),
                        target=(anchor.entry, anchor.symbol),
                        at=(anchor.entry, found.start),
                        tier="resolved",
                        method="outline",
                    ),
                    why=f"{found.kind} that encloses {file.outline[anchor.symbol].name}",
                    weight=weight,
                )
                weight *= 0.6
            parent = found.parent


RULE = Enclosing()
