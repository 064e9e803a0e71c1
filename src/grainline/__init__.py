"""grainline: index source repositories and answer questions with cited evidence.

    from grainline import Engine

    engine = Engine.open("index")
    engine.index("path/to/repository")
    for hit in engine.search("where are refunds paid out?").hits:
        print(hit.place.citation)

Names are loaded on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grainline.engine import Engine
    from grainline.errors import GrainlineError
    from grainline.model.evidence import ContextOptions, Profile
    from grainline.model.position import Citation
    from grainline.model.search import Filters, SearchOptions

__all__ = (
    "Citation",
    "ContextOptions",
    "Engine",
    "Filters",
    "GrainlineError",
    "Profile",
    "SearchOptions",
)

_HOMES = {
    "Citation": "grainline.model.position",
    "ContextOptions": "grainline.model.evidence",
    "Engine": "grainline.engine",
    "Filters": "grainline.model.search",
    "GrainlineError": "grainline.errors",
    "Profile": "grainline.model.evidence",
    "SearchOptions": "grainline.model.search",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
