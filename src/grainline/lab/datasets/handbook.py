"""A handbook in English and Chinese: questions that need several of its sections, or rows of its tables."""

from __future__ import annotations

from grainline.lab.datasets._builtin import BuiltIn

DATASET = BuiltIn("handbook")
