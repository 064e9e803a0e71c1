"""Classes of Ruby: defined in parts, with modules in between, and members of the class itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

from grainline.graph.classes import MAX_ORDER, Classes, Shape
from grainline.graph.parts import Class
from grainline.graph.rules._ruby_names import CLASSES
from grainline.graph.values import Kind
from grainline.languages.modules.ruby import RubyModules, is_test
from grainline.model.ir import ABSTRACT, Const, Op, ScopeKind

if TYPE_CHECKING:
    from grainline.graph.world import World

SELF = "#self"
"""Behind the name of a member of the class itself."""
Place = tuple[int, int]


class Found(NamedTuple):
    """A member: its node, or the name of the field that it reads or (`@x=`) sets."""

    node: int
    field: str


class RubyClasses(Classes):
    """The classes of one resolution.

    Attributes:
        joined: class -> all that its parts say.
        names: class -> its full name; `programs`: (full name, number of the program) -> class.
        accessors: (class, member) -> the field that it stands for.
        mixed: (class, `include`, `prepend` or `extend`) -> place -> module or external value.
        universal: what every object has beside its own: reopened `Object` and `Kernel`.
        modules: those that are not classes.
    """

    joined: dict[int, Class]
    names: dict[int, str]
    programs: dict[tuple[str, int], int]
    accessors: dict[tuple[int, str], str]
    mixed: dict[tuple[int, str], dict[tuple[int, int, int], int]]
    universal: list[int]
    modules: set[int]

    def prepare(self, world: World) -> None:
        """Join the parts of every class."""
        self.joined, self.names, self.accessors, self.programs = {}, {}, {}, {}
        self.mixed, self.universal, self.modules = {}, [], set()
        parts = _parts(world)
        for (name, group), places in sorted(parts.items(), key=_production(world)):
            value = _main(world, name, places)
            self.names[value] = name
            self.programs[name, group] = value
            for unit, scope in places:
                world.same[unit, scope] = value
            if len(places) > 1:
                self.joined[value] = _joined(world, places)
            self._beside(world, name, group, value)
            if name in ("Object", "Kernel") and not is_test(world.paths[places[0][0]]):
                self.universal.append(value)
        for unit, part in enumerate(world.parts):
            for scope, row in enumerate(part.scopes):
                if row.kind == ScopeKind.CLASS:
                    value = world.klass(unit, scope)
                    if row.flags & ABSTRACT:
                        self.modules.add(value)
                    self._read_accessors(world, unit, scope, value)

    def _beside(self, world: World, name: str, group: int, value: int) -> None:
        """What tests add to a class has all that it has without them."""
        modules = cast("RubyModules", world.modules)
        path = world.paths[world.values.place(value)[0]]
        for other in modules.tested(path, name) if is_test(path) else ():
            base = self.programs.get((name, modules.groups(name)[other]), -1)
            if base < 0 or base == value:
                continue
            node = world.solver.new()
            world.solver.add(node, base, 0)
            row = self.row(value)
            self.joined[value] = replace(row, bases=[node, *row.bases])
            return

    def _read_accessors(self, world: World, unit: int, scope: int, value: int) -> None:
        """Members that are bound to the name of a field."""
        part, names = world.parts[unit], world.units[unit].ir.names
        row = part.scopes[scope]
        for op in range(row.first, row.last):
            code, name, what, *_ = part.ops[op]
            if code != Op.STORE:
                continue
            kind, constant, text, *_ = part.ops[what]
            key = (value, names[name])
            told = kind == Op.CONST and constant == Const.STR and text >= 0
            field = names[text] if told else ""
            if field[:1] == "@":
                setter = names[name].partition("#")[0].endswith("=")
                self.accessors[key] = f"{field}=" if setter else field
                world.stored.add(field)
            else:
                self.accessors.pop(key, None)

    def named(self, name: str, group: int) -> int:
        """The class of a full name in a program, -1 for none."""
        return self.programs.get((name, group), -1)

    # -------------------------------------------------------------------------- order

    def row(self, value: int) -> Class:
        """What the parts of a class say."""
        return self.joined.get(value) or super().row(value)

    def mix(self, value: int, kind: str, place: tuple[int, int, int], module: int) -> None:
        """A module becomes a part of a class, before any order is asked for."""
        self.mixed.setdefault((value, kind), {})[place] = module

    def mixins(self, value: int, kind: str) -> list[int]:
        """The modules of a class, the one that counts most first."""
        found = self.mixed.get((value, kind), {})
        return [found[place] for place in sorted(found, reverse=True)]

    def line(self, value: int) -> list[int]:
        """The class, what it extends, and so on."""
        found: list[int] = []
        while value >= 0 and value not in found and len(found) < MAX_ORDER:
            found.append(value)
            inside = [b for b in self.bases(value) if b >= 0 and self._is_class(b)]
            value = inside[0] if inside else -1
        return found

    def shape(self, value: int) -> Shape:
        """The order in which members are looked for: modules stand around the class they are in."""
        shape = self._shapes.get(value)
        if shape is not None:
            return shape
        shape = Shape([])
        order: list[int] = []
        for each in reversed(self.line(value)):
            mine: list[int] = []
            for module in self.mixins(each, "prepend"):
                self._put(module, mine, [])
            mine.append(each)
            for module in self.mixins(each, "include"):
                self._put(module, mine, order)
            order = [*mine, *(known for known in order if known not in mine)]
        shape.order = order[:MAX_ORDER]
        shape.order += [each for each in self.universal if each not in order]
        self._look_outside(shape)
        self._shapes[value] = shape
        return shape

    def _put(self, module: int, into: list[int], known: list[int]) -> None:
        """A module and those that it includes, unless they are there."""
        open_ = [module]
        while open_ and len(into) < MAX_ORDER:
            at = open_.pop()
            if at in into or at in known or not self._is_class(at):
                continue
            into.append(at)
            open_ += reversed(self.mixins(at, "prepend") + self.mixins(at, "include"))

    def _look_outside(self, shape: Shape) -> None:
        """What is above and not there."""
        for each in shape.order:
            above = self.bases(each)
            for kind in ("include", "prepend"):
                above += [one for one in self.mixins(each, kind) if not self._is_class(one)]
            for one in above:
                if one < 0:
                    shape.unknown = True
                elif not self._is_class(one):
                    shape.outside.append(self._values.text(one))
            name = self.names.get(each, "")
            if name in CLASSES and each not in self.universal:
                shape.outside.append(f"builtins.{name}")
        shape.outside = list(dict.fromkeys(shape.outside))

    # -------------------------------------------------------------------------- members

    def look(self, order: list[int], name: str) -> Found | None:
        """The member of the first class of `order` that has it."""
        for value in order:
            field = self.accessors.get((value, name))
            if field is not None:
                return Found(-1, field)
            node = self.attached.get(value, {}).get(name, self.row(value).members.get(name))
            if node is not None:
                return Found(node, "")
        return None

    def of_instance(self, value: int, name: str) -> Found | None:
        """A member of an instance of a class."""
        return self.look(self.shape(value).order, name)

    def of_class(self, line: list[int], name: str, *, first: bool = True) -> Found | None:
        """A member of a class itself: its own, that of what it is extended by, inherited ones."""
        for at, value in enumerate(line):
            if at or first:
                found = self.look([value], name + SELF)
                if found is not None:
                    return found
            modules: list[int] = []
            for module in self.mixins(value, "extend"):
                self._put(module, modules, [])
            found = self.look(modules, name)
            if found is not None:
                return found
        return None


def _production(
    world: World,
) -> Callable[[tuple[tuple[str, int], list[Place]]], tuple[bool, tuple[str, int]]]:
    def key(row: tuple[tuple[str, int], list[Place]]) -> tuple[bool, tuple[str, int]]:
        return is_test(world.paths[row[1][0][0]]), row[0]

    return key


def prepare(world: World) -> None:
    """Join the parts of classes."""
    cast("RubyClasses", world.classes).prepare(world)


def _parts(world: World) -> dict[tuple[str, int], list[Place]]:
    """(full name, number of the program) -> the places where a class is defined."""
    modules = cast("RubyModules", world.modules)
    found: dict[tuple[str, int], list[Place]] = {}
    for unit, part in enumerate(world.parts):
        ir = world.units[unit].ir
        rows: list[list[int]] = ir.ops[ir.ops[:, 0] == Op.EXPORT, 1:3].tolist()
        for name, value in rows:
            if part.ops[value][0] == Op.CLASS:
                full = modules.full(ir.names[name])
                group = modules.groups(full).get(world.paths[unit], -1 - unit)
                found.setdefault((full, group), []).append((unit, part.ops[value][1]))
    return found


def _main(world: World, name: str, places: list[Place]) -> int:
    """The part that stands for all: one with a base, where the name leads, with most in it."""
    wanted = f"/{name.replace('::', '/').lower()}.rb"

    def rank(place: Place) -> tuple[bool, bool, int, Place]:
        unit, scope = place
        row = world.parts[unit].classes.get(scope)
        path = "/" + world.paths[unit].replace("_", "").lower()
        members = len(row.members) if row is not None else 0
        return not (row and row.bases), not path.endswith(wanted), -members, place

    unit, scope = min(places, key=rank)
    return world.values.of(Kind.CLASS, unit, scope)


def _joined(world: World, places: list[Place]) -> Class:
    """All that the parts of a class say; a member of several parts is any of them."""
    joined = Class([])
    several: dict[str, list[int]] = {}
    for unit, scope in sorted(places):
        row = world.parts[unit].classes.get(scope)
        if row is None:
            continue
        joined.bases += row.bases
        joined.fields += row.fields
        for name, node in row.members.items():
            several.setdefault(name, []).append(node)
    for name, nodes in several.items():
        joined.members[name] = nodes[0]
        if len(nodes) > 1:
            joined.members[name] = world.solver.new()
            for node in nodes:
                world.solver.static_copy(node, joined.members[name], 0)
    return joined
