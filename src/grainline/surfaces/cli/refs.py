"""`grainline refs SYMBOL`: every place that refers to a symbol."""

from __future__ import annotations

from grainline.surfaces.cli.relations import verb

COMMAND = verb("refs", "Print every place that refers to SYMBOL.")
