"""One file per language (or family): what its operations mean for data flow."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from grainline.flow.semantics import Semantics
from grainline.registry import Registry

FAMILIES: Final[Mapping[str, str]] = {"typescript": "javascript", "tsx": "javascript"}
"""Languages that are meant as another one."""

_REGISTRY: Registry[Semantics] = Registry("grainline.flow.languages", "SEMANTICS", skip=frozenset())


@cache
def semantics_of(language: str) -> Semantics | None:
    """What the operations of a language mean, None where flow is not known for it."""
    name = FAMILIES.get(language, language)
    return _REGISTRY.get(name) if name in _REGISTRY.names() else None
