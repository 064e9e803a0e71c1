"""The questions of `small` inside 5,000 lines of other code."""

from __future__ import annotations

from grainline.lab.datasets._sized import SmallIn

DATASET = SmallIn("small_in_5k", 5_000)
