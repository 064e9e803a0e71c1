"""B: one chunk for each function, blocks for what is between them."""

from __future__ import annotations

from grainline.lab.strategies._composed import Composed

STRATEGY = Composed(name="function", chunker="function")
