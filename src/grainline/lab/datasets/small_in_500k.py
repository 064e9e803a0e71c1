"""The questions of `small` inside 500,000 lines of other code."""

from __future__ import annotations

from grainline.lab.datasets._sized import SmallIn

DATASET = SmallIn("small_in_500k", 500_000)
