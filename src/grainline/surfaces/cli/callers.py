"""`grainline callers SYMBOL`: what calls a symbol, directly and through others."""

from __future__ import annotations

from grainline.surfaces.cli.relations import verb

COMMAND = verb("callers", "Print what calls SYMBOL, directly and through others.")
