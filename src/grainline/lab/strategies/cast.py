"""cAST: syntax nodes split and merged up to a size (Zhang et al., 2025)."""

from __future__ import annotations

from grainline.lab.strategies._composed import Composed

STRATEGY = Composed(name="cast", chunker="cast")
