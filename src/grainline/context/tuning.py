"""Every number that a context depends on and that an experiment varies, with the values that won.

They are the weights of `alpha dense + beta lexical + gamma graph + delta evidence - lambda cost` as
this room has them: what was found has a score (dense and lexical fused), a neighbour has part of
that of what leads to it. `grainline lab run weights` shows what each of them does.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Numbers without unit, unless said otherwise.

    Attributes:
        score: of the utility of what was found, the part that follows its score; the rest is fixed.
        rank: how fast utility falls with the rank.
        lexical: of a neighbour's utility, the part that follows the words that it shares with the
            question (beta).
        graph: of a neighbour along edges, when nothing was named (gamma; bench/context.py).
        evidence: how much the weights of a profile count: 0 not at all, 1 as they stand (delta).
        cost: utility that a piece which takes the whole budget loses (lambda).
        first: utility from which a piece has its place before those below it, however many of these
            its tokens would hold (`lab run weights`).
        floor: utility below which a piece stays out even when there is room.
        shares: of the budget for the target, direct evidence, structure, metadata; sixteenths.
        rules: factors of what single rules of expansion find, by name; 0 leaves a rule out.
    """

    score: float = 0.85
    rank: float = 0.12
    lexical: float = 0.4
    graph: float = 0.3
    evidence: float = 1.0
    cost: float = 0.0
    first: float = 0.4
    floor: float = 0.1
    shares: tuple[int, int, int, int] = (4, 6, 4, 2)
    rules: tuple[tuple[str, float], ...] = ()

    def factor(self, rule: str) -> float:
        """Of what a rule finds."""
        return dict(self.rules).get(rule, 1.0)


DEFAULT_TUNING = Tuning()
