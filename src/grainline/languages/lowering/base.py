"""The machine of a lowering: a stack of work, a stack of values, and the tables of the IR.

A handler of a syntax node pushes work on `todo`; work that evaluates leaves exactly one register
on `values`. There is no recursion over nodes, and the work is linear in their number. Scopes are
numbered when they are met and lowered in that order, so that the operations of each are one run.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from tree_sitter import Node

from grainline.languages.lowering.torn import Tear, Torn, tears_of
from grainline.model.ir import OP_WIDTH, TABLES, WIDTHS, Const, FileIr, Op, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Language

Handler: TypeAlias = "Callable[[Writer, Any], None]"
"""Takes the machine and what was pushed with it: a node, or values of the handler's own."""

Tables = tuple[list[Handler], list[Handler], list[Handler]]
"""By number of node kind: handlers that leave one value, that leave none, and those of types."""

Ports = list[tuple[int, int, int]]

LOWERING_VERSION: Final = 22
"""Of what all languages make of a tree: kept IR of another version is made again. 1: first.
2: what decides an `EITHER`, and a case of literals. 3: tests of loops and of arms, changed
variables, fields of classes. 4: of JavaScript, operators of one operand, cases of a `switch`,
texts between values. 5: Kotlin. 6: of Go and PHP, tests of loops and cases, changed variables,
texts of parts. 7: of C, tests, jumps and
labels, what is looked into.
8: of C, loops that run once, variables that stay. 9: of C and C++, texts, what is counted on,
what is caught, taken apart and deleted. 10: of C#, texts, tuples, elements, what is added and yielded.
11: of C++, places of what is made, references, variables that stay. 12: of C, what the
preprocessor tests. 13: parts of texts and lists in Go and Ruby.
14: of Python, elements that are taken out; of Ruby, patterns and what is raised; of C#, parts in patterns,
and what these ask. 15: source that the parser gave up.
16: of PHP, references, computed names, variables of the module. 17: where jumps with labels go.
18: of PHP, what typed properties begin with, computed names of properties, `goto`; of Go and Rust,
what is set through pointers; of Rust, what loops give; operators of C#; records. 19: of Java, what patterns take apart.
20: of Java, what `yield` gives; of Go, what deferred functions set.
21, 22: of JavaScript, patterns by numbers."""

MAX_CONSTANT: Final = 64
"""Bytes of a constant that is kept: longer ones are no keys."""

CONST: Final = int(Op.CONST)


class Writer:
    """The state of lowering one file."""

    __slots__ = (
        "blocks",
        "deferred",
        "handlers",
        "hints",
        "lambdas",
        "names",
        "ops",
        "params",
        "ports",
        "queue",
        "regions",
        "renamed",
        "scope",
        "scopes",
        "statements",
        "text",
        "todo",
        "types",
        "values",
    )

    def __init__(self, text: bytes, tables: Tables) -> None:
        self.text = text
        self.handlers, self.statements, self.types = tables
        self.names: dict[bytes, int] = {}
        self.ops: list[int] = []
        self.ports: list[int] = []
        self.params: list[int] = []
        self.scopes: list[list[int]] = []
        self.queue: deque[tuple[int, Handler, Any, dict[bytes, bytes]]] = deque()
        self.todo: list[tuple[Handler, Any]] = []
        self.values: list[int] = []
        self.regions: list[int] = []
        self.lambdas: dict[int, int] = {}
        self.renamed: dict[bytes, bytes] = {}
        self.hints: dict[int, tuple[int, int]] = {}
        """Where a function without a name starts -> the place of the name that it is bound to."""
        self.deferred: list[Any] = []
        """What is left for the end of the module."""
        self.blocks = 0
        self.scope = 0

    def emit(self, code: int, a: int, b: int, c: int, start: int, end: int) -> int:
        """Append an operation; its register."""
        ops = self.ops
        ops += (code, a, b, c, start, end)
        return len(ops) // OP_WIDTH - 1

    def name(self, raw: bytes) -> int:
        """The number of a name."""
        number = self.names.get(raw)
        if number is None:
            number = self.names[raw] = len(self.names)
        return number

    def variable(self, node: Node) -> tuple[int, int, int]:
        """Number and place of the variable that an identifier means here."""
        start, end = node.byte_range
        raw = self.text[start:end]
        if self.renamed:
            raw = self.renamed.get(raw, raw)
        return self.name(raw), start, end

    def constant(self, kind: Const, raw: bytes | None, node: Node) -> None:
        """Push a constant; `raw` None or long: its text is not kept."""
        start, end = node.byte_range
        kept = -1 if raw is None or len(raw) > MAX_CONSTANT else self.name(raw)
        self.values.append(self.emit(CONST, kind, kept, -1, start, end))

    def visit(self, node: Node) -> None:
        """Put an expression on the stack of work."""
        self.todo.append((self.handlers[node.kind_id], node))

    def visit_all(self, nodes: list[Node]) -> None:
        """Put expressions on the stack of work, the first to be done first."""
        handlers = self.handlers
        self.todo += [(handlers[node.kind_id], node) for node in reversed(nodes)]

    def push(self, *work: tuple[Handler, Any]) -> None:
        """Put work on the stack, the first to be done first."""
        self.todo += reversed(work)

    def write_ports(self, ports: Iterable[tuple[int, int, int]]) -> tuple[int, int]:
        """First row and number of rows."""
        first = len(self.ports) // 3
        for port in ports:
            self.ports += port
        return first, len(self.ports) // 3 - first

    def enter(
        self, kind: ScopeKind, name: int, node: Node, name_start: int, flags: int, returns: int
    ) -> int:
        """A new scope below the present one, its parameters written since the last one."""
        start, end = node.byte_range
        before = self.scopes[-1][9] if self.scopes else 0
        parent = self.scope if self.scopes else -1
        n_params = len(self.params) // 5
        row = [kind, parent, name, start, end, name_start, 0, 0, before, n_params, returns, flags]
        self.scopes.append(row)
        return len(self.scopes) - 1

    def later(self, scope: int, handler: Handler, body: Any, renamed: dict[bytes, bytes]) -> None:
        """Lower the body of `scope` after what is being lowered now."""
        self.queue.append((scope, handler, body, renamed))

    def lambda_name(self) -> int:
        """The name of the next function without a name in this scope."""
        ordinal = self.lambdas[self.scope] = self.lambdas.get(self.scope, 0) + 1
        return self.name(b"%d" % ordinal)

    def open(self, code: int, a: int, b: int, node: Node, c: int = -1) -> None:
        """Begin a region."""
        start, end = node.byte_range
        self.regions.append(self.emit(code, a, b, c, start, end))

    def run(self, root: Node, handler: Handler) -> FileIr:
        """Lower the module and everything in it."""
        self.name(b"")
        self.enter(ScopeKind.MODULE, 0, root, 0, 0, -1)
        self.later(0, handler, root, {})
        todo = self.todo
        tears = tears_of(root, self.text)
        torn = Torn(tears) if tears else None
        while self.queue:
            self.scope, handler, body, self.renamed = self.queue.popleft()
            row = self.scopes[self.scope]
            row[6] = len(self.ops) // OP_WIDTH
            todo.append((handler, body))
            if torn is None:
                while todo:
                    work, argument = todo.pop()
                    work(self, argument)
            else:
                self._run_torn(torn, row)
            row[7] = len(self.ops) // OP_WIDTH
        return self._finished()

    def _run_torn(self, torn: Torn, row: list[int]) -> None:
        """Lower a scope, and what is torn in it: around what begins in its lines, else where it stands."""
        torn.enter(row[3], row[4])
        todo = self.todo
        while todo:
            work, argument = todo.pop()
            if isinstance(argument, Node):
                start = argument.start_byte
                while (tear := torn.before(start)) is not None:
                    self.lose(tear)
                tear = torn.begun(start)
                if tear is not None:
                    self.lose(tear)
                    todo.append((_lost, tear))
            work(self, argument)
        for tear in torn.rest():
            self.lose(tear)

    def lose(self, tear: Tear) -> None:
        """Say that a text is torn, where it belongs to no scope inside of this one."""
        if self._innermost(tear) != self.scope or self._is_told(tear):
            return
        names = [self.name(self.renamed.get(each, each)) for each in tear.names(self.text)]
        for number, name in enumerate(names or [-1]):
            count = len(names) or 1
            self.emit(Op.LOST, name, 0 if number else count, -1, tear.start, tear.end)

    def _is_told(self, tear: Tear) -> bool:
        """Whether nothing was done since it was said last."""
        return self.ops[-OP_WIDTH:-5] == [Op.LOST] and self.ops[-2:] == [tear.start, tear.end]

    def _innermost(self, tear: Tear) -> int:
        scopes = self.scopes
        return next((number for number in range(len(scopes) - 1, 0, -1)
                     if scopes[number][3] <= tear.start and tear.end <= scopes[number][4]), 0)  # fmt: skip

    def _finished(self) -> FileIr:
        rows = [number for row in self.scopes for number in row]
        tables = {
            table: np.frombuffer(array("i", numbers), np.int32).reshape(-1, width)
            for table, width, numbers in zip(
                TABLES, WIDTHS, (rows, self.ops, self.ports, self.params), strict=True
            )
        }
        names = tuple(name.decode("utf-8", "surrogateescape") for name in self.names)
        return FileIr(names=names, **tables)


def _lost(low: Writer, tear: Tear) -> None:
    low.lose(tear)


def close(low: Writer, node: Node) -> None:
    """End the innermost region."""
    begin = low.regions.pop()
    end = node.end_byte
    low.ops[begin * OP_WIDTH + 1] = low.emit(Op.END, begin, -1, -1, end, end)


def drop(low: Writer, _: Any) -> None:
    """Forget the value of an expression."""
    low.values.pop()


def evaluate(low: Writer, node: Node) -> None:
    """An expression as a statement: its value is forgotten."""
    low.push((low.handlers[node.kind_id], node), (drop, None))


def opaque(low: Writer, node: Node) -> None:
    """A value of which nothing is known."""
    low.constant(Const.OTHER, None, node)


def kids(node: Node) -> list[Node]:
    """Named children without comments, which may stand anywhere."""
    found = node.named_children
    for child in found:
        if child.is_extra:
            return [child for child in found if not child.is_extra]
    return found


def anything(low: Writer, node: Node) -> None:
    """A node without a meaning of its own, or broken: its parts are evaluated, it is opaque."""
    low.push(*((low.statements[child.kind_id], child) for child in kids(node)), (opaque, node))


def stray(low: Writer, node: Node) -> None:
    """A statement where a value should stand, in broken code."""
    low.push((low.statements[node.kind_id], node), (opaque, node))


def tables(
    language: Language,
    expressions: Mapping[str, Handler],
    statements: Mapping[str, Handler],
    other: Handler,
    types: Mapping[str, Handler] = MappingProxyType({}),
    other_type: Handler | None = None,
) -> Tables:
    """Handlers by the number of a node kind; that of an error is beyond those of the grammar.

    Every kind has a handler in both, so that the stack of values is balanced whatever the tree.
    """
    values: list[Handler] = [other] * (1 << 16)
    rest: list[Handler] = [evaluate] * (1 << 16)
    kinds: list[Handler] = [other_type or other] * ((1 << 16) if types else 0)
    for kind in range(language.node_kind_count):
        name = language.node_kind_for_id(kind) or ""
        if language.node_kind_is_named(kind):
            rest[kind] = statements.get(name, evaluate)
            values[kind] = expressions.get(name, stray if name in statements else other)
            if name in types:
                kinds[kind] = types[name]
    return values, rest, kinds
