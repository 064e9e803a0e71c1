"""The machine of lowering languages with blocks: names are renamed (`x#3`) by their declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from grainline.languages.lowering.base import Handler, Tables, Writer, opaque
from grainline.languages.lowering.names import Names
from grainline.model.ir import Const, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node

LOAD, GETATTR, GETITEM, CALL, MAKE, STORE = map(
    int, (Op.LOAD, Op.GETATTR, Op.GETITEM, Op.CALL, Op.MAKE, Op.STORE)
)
POSITIONAL = int(Port.POSITIONAL)


class BlockWriter(Writer):
    """The state of lowering one file.

    `results` are the named results of the present function, `finals` calls that it leaves for its
    end (callee, first and number of ports, place, and whether they are made for sure), `globals` the variables of the module
    (known once it is lowered, before its functions are), `shared` what a scope has declared to be
    of another one.
    """

    __slots__ = ("finals", "globals", "locals", "results", "shared")

    def __init__(self, text: bytes, tables: Tables) -> None:
        super().__init__(text, tables)
        self.locals = Names(None, 0)
        self.results: list[int] = []
        self.finals: list[tuple[int, int, int, int, int, bool]] = []
        self.globals: set[bytes] = set()
        self.shared: set[tuple[int, int]] = set()

    def raw(self, node: Node) -> bytes:
        """The text of a node."""
        return self.text[node.start_byte : node.end_byte]

    def found(self, node: Node) -> tuple[int, int, int]:
        """Number and place of what an identifier means here."""
        start, end = node.byte_range
        return self.name(self.locals.find(self.text[start:end])), start, end

    def fresh(self, raw: bytes) -> int:
        """The number of a new variable that is called `raw` from here on."""
        self.blocks += 1
        renamed = b"%s#%d" % (raw, self.blocks)
        self.locals.declare(raw, renamed)
        return self.name(renamed)


def machine(low: Writer) -> BlockWriter:
    """The machine as what it is: these handlers run on no other."""
    return cast("BlockWriter", low)


def identifier(low: Writer, node: Node) -> None:
    """A name that is read; `_` means nothing."""
    number, start, end = machine(low).found(node)
    if end - start == 1 and low.text[start] == _BLANK:
        opaque(low, node)
    else:
        low.values.append(low.emit(LOAD, number, -1, -1, start, end))


_BLANK = ord("_")


def assigned(low: Writer, raw: bytes, start: int, end: int) -> int:
    """The number of a variable that is given a new value, -1 when no scope of the file has it.

    One of another scope is said to be that.
    """
    state = machine(low)
    known = state.locals.known(raw)
    if known:
        number = low.name(known)
        if not state.locals.own(raw):
            _declare(low, Op.NONLOCAL, number, start, end)
        return number
    if raw not in state.globals:
        return -1
    number = low.name(raw)
    if low.scope:
        _declare(low, Op.GLOBAL, number, start, end)
    return number


def _declare(low: Writer, code: Op, number: int, start: int, end: int) -> None:
    key = (low.scope, number)
    if key not in machine(low).shared:
        machine(low).shared.add(key)
        low.emit(code, number, -1, -1, start, end)


def unknown(low: Writer, node: Node) -> int:
    """The register of something of which nothing is known."""
    start, end = node.byte_range
    return low.emit(Op.CONST, Const.OTHER, -1, -1, start, end)


def keep(low: Writer, work: tuple[int, Any]) -> None:
    """Of the last values only the one at `work[0]` (from the end) stays."""
    at, count = work
    value = low.values[at]
    del low.values[len(low.values) - count :]
    low.values.append(value)


def open_block(low: Writer, _: Any) -> None:
    """Names declared from here on are those of a block."""
    machine(low).locals.open()


def close_block(low: Writer, _: Any) -> None:
    """The names of the innermost block end."""
    machine(low).locals.close()


Work = list[tuple[Handler, Any]]
