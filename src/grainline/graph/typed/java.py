"""Java alone: all files of a component, or some again while the others declare what they did.

**Invariant**: what a body says is decided by its file and by what other files declare. Only functions
that are values lead from body to body (`flow.py`): a file that says the same of them as before, under
whatever numbers (`Graph.apart`), leaves them where they were. Declarations are looked up when they are asked for, so the order of questions shows nowhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import cast, overload

from grainline.graph.results import Flows, Graph
from grainline.graph.rules.base import Platform
from grainline.graph.typed.bodies import Bodies
from grainline.graph.typed.edges import collect
from grainline.graph.typed.facts import FLOWED, Fact
from grainline.graph.typed.flow import Flow, Place, Said
from grainline.graph.typed.heads import Tops
from grainline.graph.typed.library import Library
from grainline.graph.typed.members import Members
from grainline.graph.typed.names import Names, Packages
from grainline.graph.typed.overloads import Signatures
from grainline.graph.typed.program import Class, File, Program
from grainline.graph.typed.types import Kind, Type
from grainline.graph.units import Unit
from grainline.languages.modules.base import Modules
from grainline.model.edge import EdgeType, Method, Symbol


def attribute(units: list[Unit], platform: Platform, modules: Modules) -> Graph:
    """The graph of the files of a component, in the order of their paths."""
    return _graph(Program(units), platform, modules, None)


def again(
    units: list[Unit],
    tops: Sequence[Tops],
    some: Mapping[int, Sequence[Sequence[Symbol]]],
    platform: Platform,
    modules: Modules,
) -> Graph:
    """What leads out of `some` of the files, as in the graph of all; others are read as they are needed.

    Args:
        units: of a component, in the order of their paths.
        tops: of each.
        some: numbers of units -> for each of their calls of functions that are values, the functions.
        platform: of the language.
        modules: of the component.
    """
    return _graph(Opened(units, tops), platform, modules, some)


def _graph(
    program: Program,
    platform: Platform,
    modules: Modules,
    some: Mapping[int, Sequence[Sequence[Symbol]]] | None,
) -> Graph:
    names = JavaNames(program, _library(platform.library), platform, cast("Packages", modules))
    bodies = Bodies(Members(Signatures(names)))
    bodies.run(None if some is None else [program.files[number] for number in sorted(some)])
    cuts = bodies.flow.run()
    for number, called in (some or {}).items():
        _arrive(bodies, number, called)
    seen = range(len(program.units)) if some is None else some
    apart = {program.units[number].path: flows(program, bodies.flow, number) for number in seen}
    return replace(collect(bodies, cuts, some), apart=apart)


def _arrive(bodies: Bodies, number: int, called: Sequence[Sequence[Symbol]]) -> None:
    """Functions that come from other files, call by call."""
    units = {unit.path: at for at, unit in enumerate(bodies.program.units)}
    known: dict[Symbol, tuple[int, int]] = {}
    for path in {each.path for functions in called for each in functions}:
        for scope, symbol in enumerate(bodies.program.units[units[path]].symbols):
            known[symbol] = units[path], scope
    sites = [said[2:] for said in bodies.flow.said.get(number, ()) if said[0] == "call"]
    for (scope, op), functions in zip(sites, called, strict=False):
        for place in [known[function] for function in functions if function in known]:
            fact = Fact(EdgeType.CALLS, number, scope, op, place, Method.FLOW)
            bodies.facts.setdefault(fact, FLOWED)


def flows(program: Program, flow: Flow, number: int) -> Flows:
    """What a file does with functions that are values, whatever its operations are numbered."""
    rows = flow.said.get(number, ())
    teller = _Teller(program, number)
    said = repr([teller.told(row) for row in rows])
    calls = tuple(row[3] for row in rows if row[0] == "call")
    return Flows(
        hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest(), calls
    )


class _Teller:
    """Operations by when they are first spoken of; scopes and classes by their symbols."""

    def __init__(self, program: Program, number: int) -> None:
        self._program = program
        self._number = number
        self._ops: dict[int, int] = {}

    def told(self, said: Said) -> tuple[object, ...]:
        """What was said, without numbers."""
        if said[0] == "made":
            return ("made", self._op(said[1]), self._symbol(*said[2]))
        if said[0] == "move":
            return ("move", self._place(said[1]), self._place(said[2]))
        return (
            "call",
            self._place(said[1]),
            self._symbol(self._number, said[2]),
            self._op(said[3]),
        )

    def _place(self, place: Place) -> tuple[object, ...]:
        if place[0] == "o":
            mine = place[1] == self._number
            return ("o", mine, self._op(place[2]) if mine else place[1:])
        if place[0] == "f":
            number: int = place[1]
            made = self._program.classes[number]
            return ("f", self._symbol(made.unit, made.scope), place[2])
        return (place[0], self._symbol(place[1], place[2]), place[3:])

    def _op(self, op: int) -> int:
        return self._ops.setdefault(op, len(self._ops))

    def _symbol(self, unit: int, scope: int) -> Symbol:
        return self._program.units[unit].symbols[scope]


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
