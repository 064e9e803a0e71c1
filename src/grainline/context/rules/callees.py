"""Level 3: what the anchor calls, in any file, where an edge leads to its definition."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.edges import CALLS, Link
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import along, capped, outside
from grainline.model.evidence import EvidenceRole


class Callees:
    """Follows calls to the definitions of what is called."""

    name = "callees"
    level = 3
    share = Share.DIRECT

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """One neighbour per definition, in the order of the calls."""
        found = ask.edges.out(anchor.entry, anchor.span, CALLS)
        links = capped(ask, anchor, self.name, outside(ask, anchor, found, incoming=False))
        file = ask.reader.file(anchor.entry)

        def why(link: Link) -> str:
            several = link.edge.candidates > 1
            line = file.line_at(link.edge.site.start)
            return f"{'may be called' if several else 'called'} at line {line}"

        return along(ask, links, incoming=False, role=EvidenceRole.CALLEE, why=why, weight=0.75)


RULE = Callees()
