"""The seam of expansion: a rule looks at one anchor and names what stands near it, and why.

A rule is one file `context/rules/<name>.py` with a `RULE`. It reads only through the `Reader` of
the request, so it cannot leave the scope; it never decides what is shown, only what could be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from grainline.context.cite import Reader
from grainline.context.edges import Edges
from grainline.context.relevance import Relevance
from grainline.context.tuning import DEFAULT_TUNING, Tuning
from grainline.model.evidence import EvidenceRole, Profile, Step
from grainline.model.position import Span
from grainline.registry import Registry

if TYPE_CHECKING:
    from grainline.context.ways import Ways


class Share(IntEnum):
    """The reserved parts of a budget, in the order in which they are filled."""

    TARGET = 0
    DIRECT = 1
    STRUCTURE = 2
    METADATA = 3


class Anchor(NamedTuple):
    """What is being explained: a span of an entry, and the definition it is (part of), or -1.

    `utility` is in (0, 2]; anchors are visited from the highest down.
    """

    entry: int
    span: Span
    symbol: int
    utility: float
    target: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What every rule of one request sees.

    `aimed`: the asker named what is to be explained, or asks what a change reaches; what only
    ranks high may be the wrong thing, and so is all that stands around it.

    A rule that stops at `max_neighbours` says in `left_out` how many more there are, by its name
    and the anchor.
    """

    reader: Reader
    relevance: Relevance
    max_neighbours: int
    edges: Edges
    ways: Ways
    profile: Profile
    aimed: bool
    tuning: Tuning = DEFAULT_TUNING
    left_out: dict[tuple[str, Anchor], int] = field(default_factory=dict[tuple[str, Anchor], int])


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """Something near an anchor. `brief` is a shorter form of `spans` (a head without its body).

    Spans are in order, do not overlap and stand in one entry. `weight` in (0, 1] says how much of
    the anchor's utility comes along. `step` leads to the anchor, `beyond` from there on when it
    leads to something between; `by_edge` when it is an edge of the symbol graph, not only a name;
    `aimed` when it is what the question is about.
    """

    entry: int
    spans: tuple[Span, ...]
    symbol: int
    role: EvidenceRole
    step: Step
    why: str
    weight: float
    brief: tuple[Span, ...] = ()
    beyond: tuple[Step, ...] = ()
    by_edge: bool = False
    aimed: bool = False


class Rule(Protocol):
    """An expansion rule. `level` is the parent level (0 to 4) from which it applies."""

    name: str
    level: int
    share: Share

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """Neighbours of `anchor`, the most useful first; never the anchor itself."""
        ...


RULES: Registry[Rule] = Registry("grainline.context.rules", "RULE", skip=frozenset({"common"}))
