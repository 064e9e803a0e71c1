"""Python."""

from __future__ import annotations

from typing import Final

from grainline.flow.semantics import Semantics

SEMANTICS: Final = Semantics()
