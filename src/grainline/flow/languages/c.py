"""C."""

from __future__ import annotations

from typing import Final

from grainline.flow.native import Native


class _C(Native):
    through = "*="
    moves = True


SEMANTICS: Final = _C()
