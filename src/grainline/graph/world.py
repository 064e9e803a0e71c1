"""What the handlers of uses share: the units, their parts, the solver, and what was found."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.graph.classes import Classes
from grainline.graph.includes import Includes
from grainline.graph.parts import Call, Function, Implicit, Part, Use
from grainline.graph.solver import Solver
from grainline.graph.units import Unit
from grainline.graph.values import INTERNAL, Kind, Values
from grainline.languages.modules.base import Module, Modules
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import Op

if TYPE_CHECKING:
    from grainline.graph.rules.base import LanguageRules


class Fact(NamedTuple):
    """An edge as found: from a site (unit, scope, operation) to a value."""

    type: EdgeType
    unit: int
    scope: int
    op: int
    target: int
    method: Method


fact_of = partial(tuple.__new__, Fact)  # pyright: ignore[reportUnknownMemberType]
"""As `Fact._make`, without its frame."""


@dataclass(slots=True)
class World:
    """One resolution.

    Attributes:
        paths: those of the units; `numbers` is the inverse.
        firsts: for each unit, the first operation of every scope; `parents` likewise.
        calls: every call, those that statements imply behind those that are written.
        facts: what was found -> its tier.
        missing: nodes of members that their modules do not have.
        reads: node of an attribute -> the unit and operations that read it.
        stored: names of attributes that are set somewhere.
        fields: (value, name or key) -> node; "**" stands for all items of a container.
        decorations: (unit, operation) of a decorator -> the functions it is, with tiers.
        includes: what names mean that files include, where that is how they come; while linking.
        linked: unit and scope of a declared function -> tier and places of what it stands for.
        elements: (container, key) -> node of the declared type of the item.
        regions: the component of each unit, where properties of unknown objects meet.
        stores: (region, name) -> nodes of what is stored under that name.
        reflected: results of `getattr` by a computed name.
        withheld: (unit, operation) of a decorator -> functions among what it may give that may be
            other decorators, or what it got elsewhere.
        supposed: (unit, operation) of calls of a type of functions -> scope, functions of that type.
        guessed: (unit, operation) of calls whose targets are guessed by name.
        early: whether bases are still being found, so that orders of classes are not known.
        behind: an object -> names of external ones that have what it has not.
        inherited: (object, name, node) -> tier of what was read of those objects.
        same: unit and scope of a class that is defined in parts -> the value of all of it.
    """

    units: list[Unit]
    parts: list[Part]
    rules: LanguageRules
    modules: Modules
    paths: list[str]
    numbers: dict[str, int]
    solver: Solver
    values: Values
    classes: Classes
    firsts: list[list[int]]
    parents: list[list[int]]
    calls: list[Call] = field(default_factory=list[Call])
    facts: dict[Fact, int] = field(default_factory=dict[Fact, int])
    missing: set[int] = field(default_factory=set[int])
    reads: dict[int, tuple[int, list[int]]] = field(
        default_factory=dict[int, tuple[int, list[int]]]
    )
    stored: set[str] = field(default_factory=set[str])
    fields: dict[tuple[int, str], int] = field(default_factory=dict[tuple[int, str], int])
    keys: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    watchers: dict[int, list[tuple[int, int]]] = field(
        default_factory=dict[int, list[tuple[int, int]]]
    )
    containers: dict[int, int] = field(default_factory=dict[int, int])
    members: dict[tuple[int, str], int] = field(default_factory=dict[tuple[int, str], int])
    bound: dict[tuple[int, int, int], int] = field(default_factory=dict[tuple[int, int, int], int])
    protocols: dict[tuple[int, int, str, int], int] = field(
        default_factory=dict[tuple[int, int, str, int], int]
    )
    early: bool = True
    same: dict[tuple[int, int], int] = field(default_factory=dict["tuple[int, int]", int])
    later: list[tuple[int, object, object, int, int, int]] = field(
        default_factory=list[tuple[int, object, object, int, int, int]]
    )
    once: set[tuple[int, int, object, int]] = field(
        default_factory=set[tuple[int, int, object, int]]
    )
    decorations: dict[tuple[int, int], list[tuple[int, int]]] = field(
        default_factory=dict[tuple[int, int], "list[tuple[int, int]]"]
    )
    withheld: dict[tuple[int, int], dict[int, Call]] = field(
        default_factory=dict["tuple[int, int]", "dict[int, Call]"]
    )
    implicit: list[tuple[int, str, Implicit, int]] = field(
        default_factory=list["tuple[int, str, Implicit, int]"]
    )
    packages: dict[Module, dict[str, list[int]]] = field(
        default_factory=dict[Module, "dict[str, list[int]]"]
    )
    seen: dict[int, list[dict[str, list[int]]]] = field(
        default_factory=dict[int, "list[dict[str, list[int]]]"]
    )
    elements: dict[tuple[int, str | None], int] = field(
        default_factory=dict["tuple[int, str | None]", int]
    )
    includes: Includes | None = None
    linked: dict[tuple[int, int], tuple[int, list[tuple[int, int]]]] = field(
        default_factory=dict["tuple[int, int]", "tuple[int, list[tuple[int, int]]]"]
    )
    regions: list[int] = field(default_factory=list[int])
    stores: dict[tuple[int, str], list[int]] = field(
        default_factory=dict[tuple[int, str], "list[int]"]
    )
    reflected: set[int] = field(default_factory=set[int])
    supposed: dict[tuple[int, int], tuple[int, set[int]]] = field(
        default_factory=dict["tuple[int, int]", "tuple[int, set[int]]"]
    )
    nameless_imports: dict[int, list[str]] = field(default_factory=dict[int, "list[str]"])
    guessed: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    defined: dict[int, dict[int, int]] = field(default_factory=dict[int, dict[int, int]])
    tests: list[bool] = field(default_factory=list[bool])
    behind: dict[int, set[str]] = field(default_factory=dict[int, "set[str]"])
    inherited: dict[tuple[int, str, int], int] = field(
        default_factory=dict[tuple[int, str, int], int]
    )
    parameters: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])

    def function(self, value: int) -> Function:
        """What is known of a function value."""
        unit, scope = self.values.place(value)
        return self.parts[unit].functions[scope]

    def klass(self, unit: int, scope: int) -> int:
        """The value of a class, of which a scope may be a part."""
        known = self.same.get((unit, scope))
        return self.values.of(Kind.CLASS, unit, scope) if known is None else known

    def underlying(self, instance: int) -> int:
        """The node of values of the type that the class of an instance is made of, or -1."""
        klass = self.values.integer(instance)
        return self.classes.row(klass).underlying if self.is_class(klass) else -1

    def package(self, module: Module) -> dict[str, list[int]]:
        """The units that give each name of a package."""
        known = self.packages.get(module)
        if known is None:
            known = self.packages[module] = {}
            for path in self.modules.files(module):
                unit = self.numbers.get(path)
                for name in self.parts[unit].members if unit is not None else ():
                    known.setdefault(name, []).append(unit or 0)
        return known

    def beside(self, unit: int) -> list[dict[str, list[int]]]:
        """The names that a unit sees without an import."""
        known = self.seen.get(unit)
        if known is not None:
            return known
        found = self.seen[unit] = list[dict[str, list[int]]]()
        for module in self.modules.beside(self.paths[unit]):
            number = self.numbers.get(module.path, -1)
            if number >= 0:
                found.append({name: [number] for name in self.parts[number].members})
            elif not module.path:
                found.append(self.package(module))
        return found

    def flowing(self, node: int) -> int:
        """A node of what `node` holds, as flow."""
        key = (node, "flow")
        known = self.fields.get(key)
        if known is None:
            known = self.fields[key] = self.solver.new()
            self.solver.copy(node, known, 1)
        return known

    def has_internal(self, node: int) -> bool:
        """Whether something of the units is held."""
        return any(
            self.values.kinds[v] in INTERNAL and not self.nameless(v)
            for v in self.solver.held[node] or ()
        )

    def fact(self, kind: EdgeType, call: Call, target: int, tier: int, method: Method) -> None:
        """An edge from where a call stands; one that is not written is a matter of protocol."""
        if self.parts[call.unit].ops[call.op][0] not in _WRITTEN:
            method = Method.PROTOCOL
        if tier and self.is_test(self.values.place(target)[0]) and not self.is_test(call.unit):
            return
        fact = fact_of((kind, call.unit, call.scope, call.op, target, method))
        if self.facts.get(fact, 2) > tier:
            self.facts[fact] = tier

    def field(self, value: int, name: str) -> int:
        """The node of a field that is set on a value."""
        node = self.fields.get((value, name))
        if node is None:
            node = self.fields[value, name] = self.solver.new()
        return node

    def item(self, container: int, key: str | None) -> int:
        """The node of an item: of a constant key, or (None) of any other."""
        name = key if key is not None else "*"
        node = self.fields.get((container, name))
        if node is None:
            node = self.fields[container, name] = self.solver.new()
            self.solver.copy(node, self.items(container), 0)
            if key is not None:
                self.keys.setdefault(container, []).append(key)
                for target, first in self.watchers.get(container, ()):
                    self._follow(container, key, target, first)
            else:
                for target, _ in self.watchers.get(container, ()):
                    self.solver.copy(node, self.item(target, None), 0)
        return node

    def put(self, source: int, container: int, key: str | None) -> None:
        """An item takes what a node holds, as flow, as far as its declared type lets it."""
        target = self.item(container, key)
        declared = self.elements.get((container, key), self.elements.get((container, None), -1))
        if declared < 0:
            self.solver.copy(source, target, 1)
            return
        flowed = self.flowing(source)
        asked = (flowed, Use.ASSIGNED, declared, target)
        if asked not in self.once:
            self.once.add(asked)
            self.solver.use(flowed, Use.ASSIGNED, declared, target)

    def items(self, container: int) -> int:
        """The node of all items of a container."""
        node = self.fields.get((container, "**"))
        if node is None:
            node = self.fields[container, "**"] = self.solver.new()
        return node

    def merge(self, source: int, target: int, first: int) -> None:
        """`target` takes the items of `source`, those of a list from `first` on."""
        watching = self.watchers.setdefault(source, [])
        if source == target or (target, first) in watching:
            return
        watching.append((target, first))
        for key in list(self.keys.get(source, ())):
            self._follow(source, key, target, first)
        self.solver.copy(self.item(source, None), self.item(target, None), 0)

    def _follow(self, source: int, key: str, target: int, first: int) -> None:
        node = self.fields[source, key]
        if first and key[0] == "#" and key[1:].isdecimal() and len(key) < 10:
            at = int(key[1:]) - first
            if at >= 0:
                self.solver.copy(node, self.item(target, f"#{at}"), 0)
        else:
            self.solver.copy(node, self.item(target, key), 0)

    def read_item(self, container: int, key: str | None, target: int, tier: int) -> None:
        """`target` takes the item of a constant key, or (None) all items."""
        if key is None:
            self.solver.copy(self.items(container), target, tier)
            return
        self.solver.copy(self.item(container, key), target, tier)
        self.solver.copy(self.item(container, None), target, tier)

    def scope_of(self, unit: int, op: int) -> int:
        """The scope that an operation stands in."""
        return bisect_right(self.firsts[unit], op) - 1

    def method_around(self, unit: int, scope: int) -> tuple[Function, int] | None:
        """The innermost method around a scope, and its class."""
        while scope > 0:
            function = self.parts[unit].functions.get(scope)
            if function is not None and function.owner >= 0:
                return function, self.klass(unit, function.owner)
            scope = self.parents[unit][scope]
        return None

    def iterating(self, made: Call, node: int, target: int) -> None:
        """`target` takes the elements of what `node` holds, at the site of a call."""
        self.solver.use(node, Use.ITERATE, (made.unit, made.op), target)

    def advancing(self, made: Call, node: int, target: int) -> None:
        """`target` takes what the iterators at `node` give, at the site of a call."""
        self.solver.use(node, NEXT, (made.unit, made.op), target)

    def unnamed(self, unit: int) -> list[str]:
        """What a unit imports under the name that only the package knows; kept, as names ask for it."""
        known = self.nameless_imports.get(unit)
        if known is None:
            ir = self.units[unit].ir
            rows = ir.ops[(ir.ops[:, 0] == Op.IMPORT) & (ir.ops[:, 3] == 2)]
            found: list[int] = rows[:, 1].tolist()
            known = self.nameless_imports[unit] = [ir.names[name] for name in found]
        return known

    def is_test(self, unit: int) -> bool:
        """Whether a unit is there for tests alone."""
        if not self.tests:
            self.tests = [self.rules.is_test(path) for path in self.paths]
        return self.tests[unit]

    def nameless(self, value: int) -> bool:
        """Whether a value is a type of functions rather than a function."""
        return self.values.kinds[value] == Kind.FUNCTION and self.function(value).nameless

    def definitions(self, unit: int) -> dict[int, int]:
        """For each scope of a unit, the operation that defines it."""
        known = self.defined.get(unit)
        if known is None:
            ops = self.units[unit].ir.ops
            at = ((ops[:, 0] == Op.FUNCTION) | (ops[:, 0] == Op.CLASS)).nonzero()[0]
            known = dict(zip(ops[at, 1].tolist(), at.tolist(), strict=True))
            self.defined[unit] = known
        return known

    def parameter_nodes(self, unit: int) -> frozenset[int]:
        """The nodes of the parameters of a unit."""
        known = self.parameters.get(unit)
        if known is None:
            functions = self.parts[unit].functions.values()
            known = frozenset(each.node for function in functions for each in function.parameters)
            self.parameters[unit] = known
        return known

    def is_class(self, value: int) -> bool:
        """Whether a value is a class of the units."""
        return self.values.kinds[value] == Kind.CLASS


_WRITTEN = frozenset({int(Op.CALL), int(Op.NEW), int(Op.DECORATE)})
NEXT: Final = len(Use) + 6
"""A use at an iterator; x: the site, y: node of the element."""
