"""C: the whole file as one chunk."""

from __future__ import annotations

from grainline.lab.strategies._composed import Composed

STRATEGY = Composed(name="file", chunker="file")
