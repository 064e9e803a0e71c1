"""The seam of measures: what a ranking found, rank by rank, becomes one number in [0, 1]."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from grainline.errors import BadInput
from grainline.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A ranking of distinct units, judged.

    `found[i]` counts the relevant units that appear first at rank i + 1; `total` how many there
    are. `shown[i]` counts the source lines that rank i + 1 shows and no earlier rank has shown,
    `hit[i]` those of them that are gold; `total_lines` counts the gold lines.
    """

    found: tuple[int, ...]
    total: int
    shown: tuple[int, ...] = ()
    hit: tuple[int, ...] = ()
    total_lines: int = 0


class Family(Protocol):
    """A measure without its cutoff. `symbol` is how it prints; `cutoff` whether it needs one."""

    symbol: str
    needs_cutoff: bool

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """The value in [0, 1]; 0.0 when nothing is relevant."""
        ...


FAMILIES: Registry[Family] = Registry("grainline.lab.measures", "MEASURE", skip=frozenset({"base"}))


class Measure(NamedTuple):
    """A measure as it is named in results: `R@10`, `RR`."""

    family: str
    cutoff: int | None

    def __str__(self) -> str:
        symbol = FAMILIES.get(self.family).symbol
        return symbol if self.cutoff is None else f"{symbol}@{self.cutoff}"

    def __call__(self, judged: Judged) -> float:
        """The value of this measure for one ranking."""
        return FAMILIES.get(self.family).score(judged, self.cutoff)


_NAME = re.compile(r"(?P<symbol>[A-Za-z]+)(?:@(?P<cutoff>[1-9][0-9]{0,5}))?")


def parse_measure(text: str) -> Measure:
    """The measure that `text` names; inverse of `str`.

    Raises:
        BadInput: there is no such measure, or its cutoff is missing.
    """
    found = _NAME.fullmatch(text)
    by_symbol = {FAMILIES.get(name).symbol: name for name in FAMILIES.names()}
    family = by_symbol.get(found["symbol"]) if found else None
    if found is None or family is None:
        known = ", ".join(sorted(by_symbol))
        raise BadInput("unknown_measure", f"no measure is called {text!r}", hint=f"known: {known}")
    cutoff = int(found["cutoff"]) if found["cutoff"] else None
    if cutoff is None and FAMILIES.get(family).needs_cutoff:
        raise BadInput("unknown_measure", f"{text!r} needs a cutoff", hint=f"say {text}@10")
    return Measure(family, cutoff)
