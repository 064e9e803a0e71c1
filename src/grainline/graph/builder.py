"""The state of turning one file into its `Part`: scopes, variables, what holds at this point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grainline.graph.parts import Part, Seed, Use
from grainline.graph.scopes import Env, Variables
from grainline.model.ir import Const, FileIr, Make, Op, ScopeKind

LOAD, CONST, MAKE, CALL = int(Op.LOAD), int(Op.CONST), int(Op.MAKE), int(Op.CALL)


class Builder:
    """The state of one file."""

    def __init__(self, ir: FileIr, unit: int, base: int) -> None:
        self.ir = ir
        self.unit = unit
        self.base = base
        self.names = ir.names
        self.name_numbers = {name: number for number, name in enumerate(ir.names)}
        self.ops: list[list[int]] = ir.ops.tolist()
        self.ports: list[list[int]] = ir.ports.tolist()
        self.params: list[list[int]] = ir.params.tolist()
        self.scopes = ir.scope_rows()
        self.nodes = list(range(base, base + len(self.ops)))
        self.part = Part(
            base=base,
            ops=self.ops,
            scopes=self.scopes,
            last=base + len(self.ops),
            nodes=self.nodes,
        )
        self.copies = self.part.copies
        self.uses = self.part.uses
        self.variables = Variables(ir, self.scopes, self.params, self.new, self.copies)
        self.scope = 0
        self.env: Env = {}
        self.dead = False
        self.facts: dict[object, dict[int, int]] = {}
        self.attributes: dict[tuple[int, int], int] = {}
        self.free: dict[int, int] = {}
        self.outside: dict[int, int] = {}
        self.types: dict[int, int] = {}
        self.annotated: dict[int, int] = {}
        self.regions: list[list[Any]] = []
        self.plain: dict[int, int] = {}
        self.bindings: dict[int, str] = {}

    def new(self) -> int:
        """A node of no operation."""
        self.part.last += 1
        return self.part.last - 1

    def run(self, steps: list[Step], enter: Callable[[Builder, int], None]) -> Part:
        """All scopes, each after the one it stands in."""
        for number, scope in enumerate(self.scopes):
            self.scope = number
            self.env, self.free, self.facts = {}, {}, {}
            self.dead = False
            self.plain = {}
            enter(self, number)
            for op in range(scope.first, scope.last):
                code, a, b, c, _, _ = self.ops[op]
                if code == LOAD:
                    node = self.env.get(a)
                    if node is None:
                        node = self.free.get(a)
                        if node is None:
                            node = self.free[a] = self.read(number, a)
                    self.nodes[op] = node
                else:
                    steps[code](self, op, a, b, c)
            self._leave(number)
        return self.part

    def _leave(self, number: int) -> None:
        scope = self.scopes[number]
        self.variables.finish(number, self.env)
        if scope.kind == ScopeKind.CLASS:
            members = self.part.classes[number].members
        elif scope.kind == ScopeKind.MODULE:
            members = self.part.members
        else:
            return
        for name in self.variables.bound[number]:
            members[self.names[name]] = self.variables.variable(number, name)

    def read(self, scope: int, name: int) -> int:
        """The node of a name that no binding of this scope reaches."""
        owner = self.variables.owner(scope, name)
        if owner >= 0 and (owner != scope or name in self.variables.bound[scope]):
            return self.variables.variable(owner, name)
        node = self.outside.get(name)
        if node is None:
            node = self.outside[name] = self.new()
            word = self.names[name].partition("#")[0]
            self.part.seeds.append((node, Seed.NAME, word, None))
            for star in self.part.stars:
                self.uses.append((star, Use.STAR, word, node))
        return node

    def constant_key(self, op: int) -> str | None:
        """The key that a constant is, with its type; None for anything else."""
        code, kind, text, *_ = self.ops[op]
        if code != CONST or text < 0 or kind not in _KEY_MARKS:
            return None
        return _KEY_MARKS[kind] + self.names[text]

    def narrowed(self, classes: int, node: int) -> None:
        """`node` takes instances of what the operation `classes` evaluates to."""
        code, kind, first, count, *_ = self.ops[classes]
        if code == MAKE and kind == Make.TUPLE:
            for _, _, value in self.ports[first : first + count]:
                self.uses.append((self.nodes[value], Use.INSTANCE, None, node))
        else:
            self.uses.append((self.nodes[classes], Use.INSTANCE, None, node))


_KEY_MARKS = {int(Const.STR): "'", int(Const.INT): "#", int(Const.BYTES): "b", int(Const.BOOL): "?"}
Step = Callable[[Builder, int, int, int, int], None]
"""(builder, number of the operation, its operands)"""
