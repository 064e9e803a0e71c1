"""Holes cut into the built-in repositories: a line, the arguments of a call, or a body.

Each is in a commit of its own: no other question takes away what fills it.
"""

from __future__ import annotations

from grainline.lab.completion import SET, cut_repository, holes
from grainline.lab.datasets._versions import Versions

DATASET = Versions(SET, cut_repository, holes)
