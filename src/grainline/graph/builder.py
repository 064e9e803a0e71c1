"""The state of turning one file into its `Part`: scopes, variables, what holds at this point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grainline.graph.parts import Implicit, Part, Seed, Use
from grainline.graph.rules.base import LanguageRules
from grainline.graph.scopes import Env, Variables
from grainline.model.ir import Const, FileIr, Make, Op, Param, ScopeKind

LOAD, CONST, MAKE, CALL = int(Op.LOAD), int(Op.CONST), int(Op.MAKE), int(Op.CALL)


class Builder:
    """The state of one file."""

    def __init__(self, ir: FileIr, unit: int, base: int, rules: LanguageRules) -> None:
        self.ir = ir
        self.rules = rules
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
        self.typed: dict[tuple[int, int], int] = {}
        """(scope, name) -> node of the declared type."""
        self.regions: list[list[Any]] = []
        self.plain: dict[int, int] = {}
        self.bindings: dict[int, str] = {}
        self.numbers: dict[int, int] = {}
        """Operation of a call -> its number."""
        self.objects: dict[int, int] = {}
        """Scope of a function -> the object that it is written in."""
        self.selves: dict[int, int] = {}
        self.widened: dict[int, int | None] = {}
        """Node of what a condition says -> that of the name before, None where it had none here."""
        self.implicit: dict[tuple[tuple[int, ...], int, int], int] = {}

    def new(self) -> int:
        """A node of no operation."""
        self.part.last += 1
        return self.part.last - 1

    def run(self, steps: list[Step], enter: Callable[[Builder, int], None]) -> Part:
        """All scopes, each after the one it stands in."""
        ops, nodes = self.ops, self.nodes
        for number, scope in enumerate(self.scopes):
            self.scope = number
            self.env, self.free, self.facts = {}, {}, {}
            self.dead = False
            self.plain = {}
            enter(self, number)
            for op in range(scope.first, scope.last):
                code, a, b, c, _, _ = ops[op]
                if code == LOAD:
                    node = self.env.get(a)
                    if node is None:
                        node = self.free.get(a)
                        if node is None:
                            node = self.free[a] = self.read(number, a)
                    nodes[op] = node
                else:
                    steps[code](self, op, a, b, c)
            self._leave(number)
        del self.variables  # it makes nodes by this builder: a cycle
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
        if scope.kind == ScopeKind.MODULE and self.rules.explicit_exports:
            return
        for name in self.variables.bound[number]:
            members[self.names[name]] = self.variables.variable(number, name)

    def assign(self, node: int, declared: int, target: int, flow: int = 0) -> None:
        """`target`, of a declared type (or -1), takes what `node` holds."""
        if declared >= 0 and self.rules.declared:
            self.uses.append((node, Use.ASSIGNED, declared, target))
        else:
            self.copies.append((node, target, flow))

    def read(self, scope: int, name: int) -> int:
        """The node of a name that no binding of this scope reaches."""
        rules = self.rules
        if rules.super_name and self.names[name] == rules.super_name:
            node = self._super(scope)
            if node >= 0:
                return node
        if rules.receiver_name and self.names[name] == rules.receiver_name:
            return self._receiver(scope, name)
        while rules.hides_members and self.scopes[scope].kind == ScopeKind.CLASS:
            scope = self.scopes[scope].parent
        owner = self.variables.owner(scope, name)
        known = owner >= 0 and (owner != scope or name in self.variables.bound[scope])
        if rules.members_in_scope and not (known and owner == scope):
            classes, receiver = self._around(scope, owner if known else -1)
            if classes or receiver >= 0:
                return self._implicit(classes, receiver, name, owner if known else -1)
        return self.variables.variable(owner, name) if known else self._outside(name)

    def _around(self, scope: int, owner: int) -> tuple[tuple[int, ...], int]:
        """The classes between a scope and the one that binds a name; the receiver of elsewhere."""
        classes: list[int] = []
        receiver = -1
        while scope > 0 and scope != owner:
            row = self.scopes[scope]
            if row.kind == ScopeKind.CLASS:
                classes.append(scope)
            elif row.params < row.params_end and self.params[row.params][0] == Param.RECEIVER:
                function = self.part.functions.get(scope)
                if receiver < 0 and function is not None and function.owner < 0:
                    receiver = function.receiver
            scope = row.parent
        return tuple(classes), receiver

    def _implicit(self, classes: tuple[int, ...], receiver: int, name: int, owner: int) -> int:
        key = (classes, receiver, name)
        node = self.implicit.get(key)
        if node is None:
            node = self.implicit[key] = self.new()
            fallback = self.variables.variable(owner, name) if owner >= 0 else self._outside(name)
            word = self.names[name].partition("#")[0]
            meant = Implicit(classes, receiver, fallback)
            self.part.seeds.append((node, Seed.IMPLICIT, word, meant))
        return node

    def _receiver(self, scope: int, name: int) -> int:
        """What the receiver is in a scope: that of the function around, or of a class's fields."""
        while scope > 0:
            row = self.scopes[scope]
            function = self.part.functions.get(scope)
            if function is not None and function.receiver >= 0:
                return function.receiver
            if row.kind == ScopeKind.CLASS:
                node = self.selves.get(scope)
                if node is None:
                    node = self.selves[scope] = self.new()
                    self.part.seeds.append((node, Seed.SELF, scope, None))
                return node
            scope = row.parent
        return self._outside(name)

    def _super(self, scope: int) -> int:
        """The receiver of the method around, as the bases of its class have it; -1 without one."""
        while scope > 0:
            row = self.scopes[scope]
            function = self.part.functions.get(scope)
            receiver, owner = -1, -1
            if function is not None and function.receiver >= 0:
                receiver, owner = function.receiver, function.owner
            elif row.kind == ScopeKind.CLASS:
                receiver, owner = self._receiver(scope, 0), scope
            if receiver >= 0:
                if owner < 0:
                    return -1
                node = self.new()
                self.uses.append((receiver, Use.SUPER, owner, node))
                return node
            scope = row.parent
        return -1

    def _outside(self, name: int) -> int:
        node = self.outside.get(name)
        if node is None:
            node = self.outside[name] = self.new()
            word = self.names[name]
            if self.rules.free is None:
                word = word.partition("#")[0]
            self.part.seeds.append((node, Seed.NAME, word, None))
            for star in self.part.stars if self.rules.star_binds else ():
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
