"""Windows of twenty lines that overlap by three."""

from __future__ import annotations

from grainline.lab.strategies._composed import Composed

STRATEGY = Composed(name="lines", chunker="lines")
