"""`grainline callees SYMBOL`: what a symbol calls; names outside are leaves."""

from __future__ import annotations

from grainline.surfaces.cli.relations import verb

COMMAND = verb("callees", "Print what SYMBOL calls; names outside are leaves.")
