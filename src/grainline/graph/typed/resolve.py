"""`attribute`: units of languages with declared types in, edges and leaves out."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.graph.results import Graph
from grainline.graph.rules.base import Platform
from grainline.graph.typed import csharp, java, kotlin
from grainline.graph.units import Unit
from grainline.languages.modules.base import Modules


def attribute(units: list[Unit], platform: Platform, modules: Modules) -> Graph:
    """The graph of the files of a component, in the order of their paths."""
    if platform.namespaces:
        return csharp.attribute(units, platform, modules)
    if not alone(units, platform):
        return kotlin.attribute(units, platform, modules)
    return java.attribute(units, platform, modules)


def alone(units: Iterable[Unit], platform: Platform) -> bool:
    """Whether the files are of Java alone."""
    if platform.namespaces:
        return False
    return not any(unit.language in platform.extending for unit in units)
