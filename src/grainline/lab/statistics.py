"""Means with bootstrap intervals; paired for differences; seeded, so that reruns agree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SEED = 20261130
SAMPLES = 10_000  # percentile bounds move by less than .002 between seeds
LEVEL = 0.95


class Interval(NamedTuple):
    """A mean and the bounds of its percentile bootstrap interval."""

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float], *, seed: int = SEED) -> Interval:
    """The mean of per-question scores.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values to average")
    scores = np.asarray(values, dtype=np.float64)
    low, high = np.quantile(_resampled_means(scores, seed), ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return Interval(float(scores.mean()), float(low), float(high))


def paired_interval(new: Sequence[float], base: Sequence[float], *, seed: int = SEED) -> Interval:
    """The mean of `new - base` over the same questions in the same order.

    Raises:
        ValueError: the lengths differ, or there are no values.
    """
    if len(new) != len(base):
        raise ValueError(f"{len(new)} scores are not paired with {len(base)}")
    return mean_interval([a - b for a, b in zip(new, base, strict=True)], seed=seed)


def _resampled_means(scores: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    means: NDArray[np.float64] = _draws(len(scores), seed) @ scores / len(scores)
    return means


@lru_cache(maxsize=12)
def _draws(count: int, seed: int) -> NDArray[np.float64]:
    """`(SAMPLES, count)`: how often each of so many scores is drawn; the same for all of a set."""
    draws = np.random.default_rng(seed).integers(0, count, size=(SAMPLES, count))
    places = draws + count * np.arange(SAMPLES)[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=SAMPLES * count)
    return counts.reshape(SAMPLES, count).astype(np.float64)
