"""A: pieces of a fixed number of tokens, cut at line ends."""

from __future__ import annotations

from grainline.lab.strategies._composed import Composed

STRATEGY = Composed(name="fixed", chunker="fixed")
