"""`grainline impact SYMBOL`: what a change of a symbol may reach, tests apart."""

from __future__ import annotations

from grainline.surfaces.cli.relations import verb

COMMAND = verb("impact", "Print what a change of SYMBOL may reach, tests apart.")
