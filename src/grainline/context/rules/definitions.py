"""Level 3: definitions of the names that the anchor uses without calling them, along edges."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.edges import CALLS, USES, Link
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import along, capped, outside
from grainline.context.rules.signature_types import signature_links
from grainline.model.evidence import EvidenceRole


class Definitions:
    """Follows references, reads, decorators and types of what stands inside the anchor."""

    name = "definitions"
    level = 3
    share = Share.DIRECT

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """One neighbour per definition that no call and no signature leads to, by first use."""
        called = ask.edges.out(anchor.entry, anchor.span, CALLS)
        told = {link.edge.dst for link in (*called, *signature_links(ask, anchor))}
        found = [
            link
            for link in ask.edges.out(anchor.entry, anchor.span, USES)
            if link.edge.dst not in told
        ]
        links = capped(ask, anchor, self.name, outside(ask, anchor, found, incoming=False))
        file = ask.reader.file(anchor.entry)

        def why(link: Link) -> str:
            return f"used at line {file.line_at(link.edge.site.start)}"

        return along(ask, links, incoming=False, role=EvidenceRole.DEFINITION, why=why, weight=0.6)


RULE = Definitions()
