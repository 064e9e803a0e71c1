"""Branches, old commits and access rules: the right version, or nothing and no trace of it."""

from __future__ import annotations

from grainline.lab.datasets._builtin import BuiltIn

DATASET = BuiltIn("versions")
