"""Classes: bases, method resolution order, members and fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from grainline.graph.parts import Class, Part
from grainline.graph.values import Kind, Values

MAX_BASES: Final = 64
MAX_ORDER: Final = 256
"""Classes of one method resolution order."""
MAX_MERGES: Final = 1 << 23
"""Classes that are looked at to merge orders; behind it the first base decides alone."""


@dataclass(slots=True)
class Shape:
    """A class that is known: `order` is its method resolution order, itself first.

    `outside` are the names of bases that are not there; with one of them a missing member may
    be inherited.
    """

    order: list[int]
    outside: list[str] = field(default_factory=list[str])
    unknown: bool = False


class Classes:
    """The classes of one resolution, once their bases are known."""

    def __init__(
        self,
        values: Values,
        parts: list[Part],
        held: list[dict[int, int] | None],
        new_node: Callable[[], int],
        *,
        promotes: bool,
    ) -> None:
        self._promotes = promotes
        self._values = values
        self._parts = parts
        self._held = held
        self._shapes: dict[int, Shape] = {}
        self._left = MAX_MERGES
        self._members: dict[tuple[int, str], int] = {}
        self._new = new_node
        self.attached: dict[int, dict[str, int]] = {}
        """Class -> its members that are defined outside of it, by name."""

    def row(self, value: int) -> Class:
        """What the file says of a class."""
        unit, scope = self._values.place(value)
        return self._parts[unit].classes[scope]

    def bases(self, value: int) -> list[int]:
        """The values of the bases, best first for each base; only classes and external ones."""
        found: list[int] = []
        for node in self.row(value).bases[:MAX_BASES]:
            held = self._held[node] or {}
            known = [
                base for base in held if self._values.kinds[base] in (Kind.CLASS, Kind.EXTERNAL)
            ]
            inside = [base for base in known if self._values.kinds[base] == Kind.CLASS]
            found += sorted(inside or known)[:MAX_BASES] or [-1]
        return found

    def shape(self, value: int) -> Shape:
        """The shape of a class."""
        shape = self._shapes.get(value)
        if shape is None:
            self._order(value)
            shape = self._shapes[value]
        return shape

    def _order(self, start: int) -> None:
        """C3 over the bases, without recursion; a cycle or a conflict falls back to depth first."""
        open_: list[tuple[int, bool]] = [(start, False)]
        doing: set[int] = set()
        while open_:
            value, ready = open_.pop()
            if value in self._shapes:
                continue
            inside = [b for b in self.bases(value) if b >= 0 and self._is_class(b)]
            if not ready and value not in doing:
                doing.add(value)
                open_.append((value, True))
                open_ += [(base, False) for base in inside if base not in doing]
                continue
            self._shapes[value] = self._shape(value, inside)

    def _is_class(self, value: int) -> bool:
        return self._values.kinds[value] == Kind.CLASS

    def _shape(self, value: int, inside: list[int]) -> Shape:
        shapes = [self._shapes[base] for base in inside if base in self._shapes]
        orders = [list(shape.order) for shape in shapes]
        shape = Shape([value, *self._merged([*orders, list(inside)])])
        for base in self.bases(value):
            if base < 0:
                shape.unknown = True
            elif not self._is_class(base):
                shape.outside.append(self._values.text(base))
        for other in shapes:
            shape.unknown = shape.unknown or other.unknown
            shape.outside += [name for name in other.outside if name not in shape.outside]
        known = [name for name in shape.outside if name != "builtins.object"]
        shape.outside = known[:MAX_BASES]
        return shape

    def _merged(self, orders: list[list[int]]) -> list[int]:
        merged: list[int] = []
        while any(orders) and len(merged) < MAX_ORDER:
            orders = [order for order in orders if order]
            self._left -= sum(map(len, orders))
            if self._left < 0:
                return orders[0][:MAX_ORDER]
            tails = {value for order in orders for value in order[1:]}
            head = next((order[0] for order in orders if order[0] not in tails), orders[0][0])
            merged.append(head)
            orders = [[value for value in order if value != head] for order in orders]
        return merged

    def member_of(self, value: int, name: str) -> int:
        """The node of a member of a class, -1 when neither it nor its bases have it."""
        key = (value, name)
        node = self._members.get(key)
        if node is None:
            if self._promotes:
                node = self._promoted(value, name)
            else:
                node = self.member(self.shape(value).order, name)
            self._members[key] = node
        return node

    def _promoted(self, value: int, name: str) -> int:
        """The member at the least depth; two at one depth are none."""
        level, seen = [value], {value}
        while level:
            found = {node for each in level if (node := self.member([each], name)) >= 0}
            if found:
                return found.pop() if len(found) == 1 else -1
            deeper = [base for each in level for base in self.bases(each)]
            level = [b for b in dict.fromkeys(deeper) if b >= 0 and self._is_class(b)]
            level = [base for base in level if base not in seen][:MAX_ORDER]
            seen.update(level)
        return -1

    def extend(self, value: int, node: int) -> None:
        """A class has a base that is told elsewhere: before any shape is asked for."""
        row = self.row(value)
        if node not in row.bases:
            row.bases.append(node)
            row.interfaces += 1

    def member(self, order: Iterable[int], name: str) -> int:
        """The node of the first class of `order` that has `name`, -1 when none has."""
        for value in order:
            node = self.row(value).members.get(name)
            if value in self.attached:
                node = self.attached[value].get(name, node)
            if node is not None:
                return node
        return -1

    def attached_node(self, value: int, name: str) -> int:
        """The node of a member that is defined outside of its class."""
        members = self.attached.setdefault(value, {})
        node = members.get(name)
        if node is None:
            node = members[name] = self._new()
        return node

    def members(self, value: int) -> dict[str, int]:
        """The members that a class has itself."""
        return {**self.row(value).members, **self.attached.get(value, {})}

    def own(self, value: int, row: Class) -> dict[str, int]:
        """The members that a part of a class has, and those from elsewhere that the class has."""
        return {**row.members, **self.attached.get(value, {})}

    def declared(self, value: int, name: str) -> int:
        """The node of the type that a class declares for a member, -1 when none does."""
        for each in self.shape(value).order:
            node = self.row(each).types.get(name)
            if node is not None:
                return node
        return -1

    def fields(self, value: int) -> list[str]:
        """The annotated members of a class and its bases, in the order of a generated `__init__`."""
        found: dict[str, None] = {}
        for each in reversed(self.shape(value).order):
            found.update(dict.fromkeys(self.row(each).fields))
        return list(found)
