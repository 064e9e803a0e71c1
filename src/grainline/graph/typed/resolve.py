"""`attribute`: units of languages with declared types in, edges and leaves out."""

from __future__ import annotations

from functools import cache
from typing import cast

from grainline.graph.results import Graph
from grainline.graph.rules.base import Platform
from grainline.graph.typed import csharp, kotlin
from grainline.graph.typed.bodies import Bodies
from grainline.graph.typed.edges import collect
from grainline.graph.typed.library import Library
from grainline.graph.typed.members import Members
from grainline.graph.typed.names import Names, Packages
from grainline.graph.typed.overloads import Signatures
from grainline.graph.typed.program import Program
from grainline.graph.units import Unit
from grainline.languages.modules.base import Modules


def attribute(units: list[Unit], platform: Platform, modules: Modules) -> Graph:
    """The graph of the files of a component, in the order of their paths."""
    if platform.namespaces:
        return csharp.attribute(units, platform, modules)
    if any(unit.language in platform.extending for unit in units):
        return kotlin.attribute(units, platform, modules)
    program = Program(units)
    names = Names(program, _library(platform.library), platform, cast("Packages", modules))
    bodies = Bodies(Members(Signatures(names)))
    bodies.run()
    return collect(bodies, bodies.flow.run())


@cache
def _library(text: str) -> Library:
    """Parsed once."""
    return Library(text)
