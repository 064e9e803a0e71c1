"""Level 3: what the anchor overrides, and what overrides it."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.edges import OVERRIDES, Link
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import along, capped, outside, places
from grainline.model.evidence import EvidenceRole


class Overrides:
    """Follows members of the same name along the classes of an anchor, up and down."""

    name = "overrides"
    level = 3
    share = Share.DIRECT

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """What is overridden, in the order of the bases; then what overrides."""
        up = outside(
            ask, anchor, ask.edges.out(anchor.entry, anchor.span, OVERRIDES), incoming=False
        )
        down = outside(ask, anchor, ask.edges.into(places(ask, anchor), OVERRIDES), incoming=True)
        both = capped(ask, anchor, self.name, [*up, *down])
        role, weight = EvidenceRole.DEFINITION, 0.6
        above, below = both[: len(up)], both[len(up) :]
        yield from along(ask, above, incoming=False, role=role, why=self._above, weight=weight)
        yield from along(ask, below, incoming=True, role=role, why=self._below, weight=weight)

    def _above(self, link: Link) -> str:
        return "overridden here"

    def _below(self, link: Link) -> str:
        return "overrides it"


RULE = Overrides()
