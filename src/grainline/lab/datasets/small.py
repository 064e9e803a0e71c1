"""The 266-line experiment: five modules, 27 functions, twelve questions."""

from __future__ import annotations

from grainline.lab.datasets._builtin import BuiltIn

DATASET = BuiltIn("small")
