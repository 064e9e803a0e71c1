"""One chunk for each declaration, however it is nested."""

from __future__ import annotations

from grainline.lab.strategies._composed import Composed

STRATEGY = Composed(name="declaration", chunker="declaration")
