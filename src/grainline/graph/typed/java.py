"""Java alone: all files of a component, or some again while the others declare what they did.

**Invariant**: what a body says is decided by its file and by what other files declare. Only functions
that are values lead from body to body (`flow.py`), and `Graph.apart` names the files without any.
Declarations are looked up when they are asked for, so the order of questions shows nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import cast, overload

from grainline.graph.results import Graph
from grainline.graph.rules.base import Platform
from grainline.graph.typed.bodies import Bodies
from grainline.graph.typed.edges import collect
from grainline.graph.typed.heads import Tops
from grainline.graph.typed.library import Library
from grainline.graph.typed.members import Members
from grainline.graph.typed.names import Names, Packages
from grainline.graph.typed.overloads import Signatures
from grainline.graph.typed.program import Class, File, Program
from grainline.graph.typed.types import Kind, Type
from grainline.graph.units import Unit
from grainline.languages.modules.base import Modules


def attribute(units: list[Unit], platform: Platform, modules: Modules) -> Graph:
    """The graph of the files of a component, in the order of their paths."""
    return _graph(Program(units), platform, modules, None)


def again(
    units: list[Unit],
    tops: Sequence[Tops],
    some: Collection[int],
    platform: Platform,
    modules: Modules,
) -> Graph:
    """What leads out of `some` of the files, as in the graph of all; others are read as they are needed.

    Args:
        units: of a component, in the order of their paths.
        tops: of each.
        some: numbers of units.
        platform: of the language.
        modules: of the component.
    """
    return _graph(Opened(units, tops), platform, modules, some)


def _graph(
    program: Program, platform: Platform, modules: Modules, some: Collection[int] | None
) -> Graph:
    names = JavaNames(program, _library(platform.library), platform, cast("Packages", modules))
    bodies = Bodies(Members(Signatures(names)))
    bodies.run(None if some is None else [program.files[number] for number in sorted(some)])
    graph = collect(bodies, bodies.flow.run(), some)
    seen = range(len(program.units)) if some is None else some
    apart = {program.units[number].path for number in seen} - {
        program.units[number].path for number in bodies.flow.entangled
    }
    return replace(graph, apart=frozenset(apart))


@cache
def _library(text: str) -> Library:
    """Parsed once."""
    return Library(text)


class JavaNames(Names):
    """Names of types, where the bases of a class are found when they are asked for.

    Names that a class inherits are seen once bases are known, and a base may be named so. Three levels
    keep that apart: at the first nothing is inherited; each further one knows bases as the one below does.
    """

    def __init__(
        self,
        program: Program,
        library: Library,
        platform: Platform,
        packages: Packages,
        level: int = 2,
    ) -> None:
        self._below = JavaNames(program, library, platform, packages, level - 1) if level else None
        self._bases: dict[int, list[Type]] = {}
        self._orders: dict[int, tuple[list[Kind], list[str]]] = {}
        super().__init__(program, library, platform, packages)
        self._inherit = level > 0

    def _settle(self) -> None:
        """Nothing is found before it is asked for."""

    def bases_of(self, made: Class) -> list[Type]:
        """The types of the bases of a class."""
        found = self._bases.get(made.number)
        if found is None:
            found = self._bases[made.number] = self._below.seen(made) if self._below else []
        return found

    def seen(self, made: Class) -> list[Type]:
        """The types of the bases of a class as they are named at this level."""
        file = self.program.files[made.unit]
        scope = file.scopes[made.scope].parent
        found = [self.type_of(file, op, scope, made.scope) for op, _ in made.bases]
        return [each[1] if each and each[0] == "t" else each for each in found]

    def above(self, number: int) -> list[Kind]:
        """As for every hierarchy, at this level."""
        return self._order(number)[0]

    def outside(self, number: int) -> list[str]:
        """Likewise."""
        return self._order(number)[1]

    def _order(self, number: int) -> tuple[list[Kind], list[str]]:
        found = self._orders.get(number)
        if found is None:
            found = self._orders[number] = self._above(self.program.classes[number])
        return found


# ------------------------------------------------------------------------------ opened when needed


class Opened(Program):
    """A program whose files are read when they are asked for."""

    def __init__(self, units: list[Unit], tops: Sequence[Tops]) -> None:
        self.units = units
        self.classes: list[Class] = []
        self._tops = tops
        self.files = _Files(self)

    def by_path(self) -> Mapping[str, File]:
        """The files by their paths."""
        return _Paths(self)

    def tops(self) -> Iterator[tuple[str, str, Iterable[str]]]:
        """As they were told."""
        for unit, each in zip(self.units, self._tops, strict=True):
            yield unit.path.decode("utf-8", "surrogateescape"), each.package, each.names


class _Files(Sequence[File]):
    def __init__(self, program: Opened) -> None:
        self._program = program
        self._read: dict[int, File] = {}

    def __len__(self) -> int:
        return len(self._program.units)

    @overload
    def __getitem__(self, at: int) -> File: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[File]: ...
    def __getitem__(self, at: int | slice) -> File | Sequence[File]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        found = self._read.get(at)
        if found is None:
            found = self._read[at] = self._program.read(at, self._program.units[at])
        return found


class _Paths(Mapping[str, File]):
    def __init__(self, program: Opened) -> None:
        self._program = program
        self._numbers = {
            unit.path.decode("utf-8", "surrogateescape"): number
            for number, unit in enumerate(program.units)
        }

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __getitem__(self, path: str) -> File:
        return self._program.files[self._numbers[path]]
