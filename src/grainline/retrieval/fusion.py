"""Joining channels: z-scores of scored channels, a fixed boost for exact ones, in integers.

A document that a scored channel did not return gets that channel's lowest z-score; equal scores
give 0. The sum is shifted so that a document which is last in every channel has the score 1, which
makes it positive: the prior can multiply it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.retrieval.order import Docs, Scores, distinct

UNIT = 1 << 20
"""Fused scores are integers in units of 1 / `UNIT` standard deviations."""


class Channel(NamedTuple):
    """What one channel returned.

    Distinct documents in any order, their scores, and how many documents there were before the
    cut. `exact` channels say yes or no; others say how much.
    """

    name: str
    docs: Docs
    scores: Scores
    total: int
    weight: float
    exact: bool


class Fused(NamedTuple):
    """The union of the channels' documents, ascending, their scores, and each channel's share.

    `shares` is `(n_channels, n_docs)` in units of 1 / `UNIT`, 0 where a channel lacks a document.
    """

    docs: Docs
    scores: Scores
    shares: NDArray[np.int64]


def fuse(channels: Sequence[Channel]) -> Fused:
    """The union of the channels with fused scores, whatever the order of documents."""
    docs = distinct(np.concatenate([np.empty(0, np.int64), *(each.docs for each in channels)]))
    scores = np.full(len(docs), UNIT, np.int64)
    shares = np.zeros((len(channels), len(docs)), np.int64)
    for number, channel in enumerate(channels):
        if not len(channel.docs):
            continue
        share = _boosts(channel) if channel.exact else _z_scores(channel)
        at = np.searchsorted(docs, channel.docs)
        shares[number, at] = share
        # shifted by the lowest: a document that is missing has the lowest, so it adds nothing
        scores[at] += share if channel.exact else share - share.min()
    return Fused(docs, scores, shares)


def _z_scores(channel: Channel) -> Scores:
    """Z = (n x - S) / sqrt(n Q - S^2) with exact integer sums S and Q (population deviation)."""
    values = channel.scores.tolist()
    n, total = len(values), sum(values)
    spread = n * sum(map(mul, values, values)) - total * total
    if spread == 0:
        return np.zeros(n, np.int64)
    unit = channel.weight * UNIT / math.sqrt(spread)
    # scores are below 2 ** 40, so the products fit; numpy rounds as Python does
    found: Scores = np.rint((n * channel.scores - total) * unit).astype(np.int64)
    return found


def _boosts(channel: Channel) -> Scores:
    best = int(channel.scores.max())
    if best <= 0:
        return np.zeros(len(channel.scores), np.int64)
    return np.rint(channel.scores / best * (channel.weight * UNIT)).astype(np.int64)
