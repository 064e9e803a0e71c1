"""Level 3: who calls the anchor, along edges; else who uses its only name in the same file."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.cite import innermost
from grainline.context.edges import CALLS, Link, Place
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import (
    along,
    capped,
    head,
    is_small,
    merge,
    outside,
    places,
    step,
    whole,
)
from grainline.model.evidence import EvidenceRole, Profile
from grainline.model.position import Span


class Callers:
    """Follows calls, and references of the same file, back to the definition they stand in."""

    name = "callers"
    level = 3
    share = Share.DIRECT

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """Callers along edges, the strongest first, then one neighbour per user of the name.

        Test code is left to the rule for tests. For `impact` the callers of callers follow.
        """
        direct = self._callers(ask, anchor, places(ask, anchor))
        yield from along(
            ask, direct, incoming=True, role=EvidenceRole.CALLER, why=_calls, weight=0.65
        )
        if ask.profile is Profile.IMPACT:
            yield from self._further(ask, anchor, direct)
        yield from self._by_name(ask, anchor)

    def _callers(self, ask: Ask, anchor: Anchor, called: list[Place]) -> list[Link]:
        own = ask.edges.is_test(anchor.entry)
        found = outside(ask, anchor, ask.edges.into(called, CALLS), incoming=True)
        return capped(
            ask,
            anchor,
            self.name,
            [each for each in found if ask.edges.is_test(each.source) == own],
        )

    def _further(self, ask: Ask, anchor: Anchor, direct: list[Link]) -> Iterable[Neighbour]:
        """Who calls the callers, up to `max_neighbours` of all."""
        left = ask.max_neighbours - len(direct)
        seen = {link.edge.src for link in direct}
        for link in direct:
            between = ask.edges.place(link.source, link.edge.src)
            found = outside(ask, anchor, ask.edges.into([between], CALLS), incoming=True)
            fresh = [
                each
                for each in found
                if each.edge.src not in seen and not ask.edges.is_test(each.source)
            ]
            seen.update(each.edge.src for each in fresh)
            ask.left_out[self.name, anchor] += max(0, len(fresh) - max(0, left))
            yield from along(
                ask,
                fresh[: max(0, left)],
                incoming=True,
                role=EvidenceRole.CALLER,
                why=_calls_caller,
                weight=0.45,
                beyond=(ask.edges.step(link),),
            )
            left -= len(fresh)

    def _by_name(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        if anchor.symbol < 0:
            return
        file = ask.reader.file(anchor.entry)
        own = file.outline[anchor.symbol]
        if sum(found.name == own.name for found in file.outline) != 1:
            return
        told = ask.edges.elsewhere(anchor.entry, Span(0, len(file.text)))
        seen: set[int] = set()
        for row in file.references:
            if row.name != own.name or own.start <= row.start < own.end or row.start in told:
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


def _calls(link: Link) -> str:
    return "may call it" if link.edge.candidates > 1 else "calls it"


def _calls_caller(link: Link) -> str:
    return f"{_calls(link)} through another"


RULE = Callers()
