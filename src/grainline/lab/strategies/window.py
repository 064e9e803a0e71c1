"""Sliding windows of a fixed number of tokens, each overlapping the next by half."""

from __future__ import annotations

from grainline.lab.strategies._composed import Composed

STRATEGY = Composed(name="window", chunker="window")
