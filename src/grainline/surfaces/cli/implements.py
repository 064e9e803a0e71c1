"""`grainline implements SYMBOL`: what implements, extends or overrides a symbol, and what it implements."""

from __future__ import annotations

from grainline.surfaces.cli.relations import verb

COMMAND = verb("implements", "Print what implements or overrides SYMBOL, and the other way.")
