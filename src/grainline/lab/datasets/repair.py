"""Faults put into a built-in program: a report asks, a patch is to mend it, and tests decide."""

from __future__ import annotations

from grainline.lab.datasets._versions import Versions
from grainline.lab.repairs import SET, questions, repository

DATASET = Versions(SET, repository, questions)
