"""`grainline imports SYMBOL`: who imports a symbol, and what it imports."""

from __future__ import annotations

from grainline.surfaces.cli.relations import verb

COMMAND = verb("imports", "Print who imports SYMBOL, and what it imports.")
