"""The prior on what an entry is: tests, docs, vendored and generated code stand back unless asked.

Factors multiply a normalised score, so a strong match in a test still beats a weak one in source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from grainline.model.search import TestFilter
from grainline.model.snapshot import FlagName
from grainline.retrieval.intents import Intent
from grainline.retrieval.options import Prior

ONE = 256
"""Factors are integers in units of 1 / ONE, so that a product with an integer score is exact."""

_BITS = {name: 1 << position for position, name in enumerate(FlagName)}


def active_priors(
    priors: Iterable[Prior], intents: frozenset[Intent], tests: TestFilter
) -> tuple[Prior, ...]:
    """The priors that hold for a question with these intents."""
    return tuple(
        prior
        for prior in priors
        if not prior.unless & intents
        and not (prior.flag is FlagName.TEST and tests is TestFilter.YES)
    )


def flag_factors(
    flags: NDArray[np.uint32], priors: Iterable[Prior], *, prefer: Iterable[Prior] = ()
) -> NDArray[np.int64]:
    """Factor of each flag word, in units of 1 / `ONE`; the strongest demotion of several counts.

    `prefer` holds priors that the question switched off: an entry with such a flag is what was
    asked for, so it is not demoted for its other flags either (a test that is also an example).
    """
    found: NDArray[np.int64] = _factors(tuple(priors), tuple(prefer))[flags]
    return found


@lru_cache(maxsize=64)
def _factors(priors: Sequence[Prior], prefer: Sequence[Prior]) -> NDArray[np.int64]:
    """The factor of every flag word there can be."""
    flags = np.arange(1 << len(FlagName), dtype=np.uint32)
    factors = np.full(len(flags), ONE, np.int64)
    for prior in priors:
        weight = round(prior.factor * ONE)
        hit = (flags & np.uint32(_BITS[prior.flag])) != 0
        factors[hit] = np.minimum(factors[hit], weight)
    for prior in prefer:
        factors[(flags & np.uint32(_BITS[prior.flag])) != 0] = ONE
    return factors
