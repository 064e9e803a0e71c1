"""FileIr: what one file does, as columns; the same for every language.

A file is a list of scopes (module, class, function, lambda), each a run of operations in the
order of evaluation. The register of an operation is its number, so operands are numbers of
earlier operations; structured regions (`BRANCH ARM ... END`, `LOOP ... END`) stand as brackets in
the run, so that a control-flow graph can be made of it. Names are numbers of a table. A name
`x#3` is a binding of a block of its own (a comprehension) and is called `x` in the source.

Absent operands are -1. Positions are bytes of the working text: of a name for what mentions one
(`LOAD`, `GETATTR`, `STORE`, ...), of the whole expression or statement else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grainline.model.numbers import Numbers

Columns: TypeAlias = NDArray[np.int32]


class ScopeKind(Numbers):
    """What a scope is."""

    MODULE = 0
    CLASS = 1
    FUNCTION = 2
    LAMBDA = 3


class Scope(NamedTuple):
    """One scope. Its operations are `[first, last)`, its parameters `[params, params_end)`.

    `parent` is smaller than the own number, -1 for the module, which is scope 0. `start:end` is
    the whole definition, `name_start` where its name stands (a lambda: where it starts).
    `returns` is the operation of the parent that evaluates the annotation of the return value.
    `flags` are the sum of those below. `name` of a lambda is its ordinal among its siblings.
    Parameters of a class are those of its header and its type parameters.
    """

    kind: int
    parent: int
    name: int
    start: int
    end: int
    name_start: int
    first: int
    last: int
    params: int
    params_end: int
    returns: int
    flags: int


ASYNC: Final = 1
GENERATOR: Final = 2
STATIC: Final = 4
"""Of a function in a class: its receiver is the class itself, when it has one."""
GETTER: Final = 8
SETTER: Final = 16
"""Reading (setting) the member calls it. What sets `x` is bound as `x=` in its class."""
ABSTRACT: Final = 32
"""A function without a body, a class that only says what others have (interface, trait)."""
CONSTRUCTOR: Final = 64
"""Runs when the class is called."""
ARGUMENTS: Final = 128
"""Takes any number of arguments, whatever its parameters say."""
PRIVATE: Final = 256
"""Only the outermost class around it sees it."""
OVERRIDE: Final = 512
"""Of a function: it says that it overrides another one."""
PARTIAL: Final = 1024
"""Other definitions of the same name are parts of the same thing."""
BROKEN: Final = 2048
"""Of a module: its source is broken in a way that may hide or misplace members. Of a function of
C: its body is."""
SINGLETON: Final = 4096
"""Of a class: its name is also that of its one instance."""
COMPANION: Final = 8192
"""Of a class with one instance: the class around answers for its members."""
VIRTUAL: Final = 16384
"""Of a function in a class: another one may override it."""
RECORD: Final = 16384
"""Of a class: its text, its equality and its parts are those of what its header holds."""
CONSTANT: Final = 32768
"""Of a function in a class: it leaves what it is called on as it is (`const`). Of a class: it is an
enumeration."""
MAX_FLAGS: Final = 65536

DECLARED: Final = 1
MENTIONED: Final = 2
QUALIFIER: Final = 3
REFERENCE: Final = 4
"""Marks of what names a type, in languages that tell types from values: it declares something, it
is mentioned (`(A) x`), what stands around it says what for (`new A()`). `REFERENCE`: the function
itself (`A::f`)."""
LEAVES_SWITCH: Final = 1
"""Of a BREAK: it leaves the nearest `Branch.MATCH`."""
LIMITED: Final = 2
"""Of a STORE: only the class or file around sees the variable."""
ASSIGNS: Final = 1
"""Of a STORE: the variable is that of the scope that declares it, by a STORE without this."""

SETS: Final = 1
GETS: Final = 2
"""Of a LOST: it stands for a variable of a computed name, that is set to what a holds, or that a gets."""

FAR: Final = 1
"""Of a BREAK or CONTINUE: it may be about any of the loops around."""

BREAKS: Final = 1
"""Of a LOOP: it is left by BREAK alone."""


class Op(Numbers):
    """Operations `(code, a, b, c)`; those above the line have a value.

    Call ports, elements of displays and class bases are rows of the table of ports, `b` the
    first and `c` the number of them.
    """

    CONST = 0  # a: kind of `Const`, b: its text (name) or -1
    LOAD = 1  # a: name, b: mark or -1
    GETATTR = 2  # a: object, b: name, c: mark or -1
    GETITEM = 3  # a: object, b: key, c: mark or -1
    CALL = 4  # a: callee, ports
    MAKE = 5  # a: kind of `Make`, ports
    FUNCTION = 6  # a: scope
    CLASS = 7  # a: scope, ports: bases and keywords
    DECORATE = (
        8  # a: decorator, b: what is decorated: a function, class, or the type of a parameter
    )
    OPERATE = 9  # a: left, b: right or -1, c: name of the operator
    EITHER = (
        10  # a or b; c: what decides (true: a), -1 where that is not said; a itself for `a or b`
    )
    ITER = 11  # an element of a; b: 1 asynchronous
    ENTER = 12  # what a gives as context manager; b: 1 asynchronous
    AWAIT = 13  # a
    YIELD = 14  # a: value or -1, b: 1 delegates to it; its own value is what is sent
    ELEMENT = 15  # item b of a unpacked into c targets (b counts from the end when negative)
    REST = 16  # items b up to c (from the end) of a unpacked, as a list
    NARROW = 17  # a (-1: what is caught) known to be an instance of b
    SLICE = 18  # a: start, b: stop, c: step
    IMPORT = 19  # a: module with leading dots, b: member, -1 for the module, c: 1 binds its root, 2: whatever the package is called
    NEW = 20  # a: class, ports: called to make an instance, where that is said apart from CALL
    # ---
    STORE = 21  # a: name, b: value, c: `ASSIGNS` where the name may be declared in a scope around
    SETATTR = 22  # a: object, b: name, c: value
    SETITEM = 23  # a: object, b: key, c: value
    DELETE = 24  # a: name
    ANNOTATE = 25  # a: name, b: annotation, c: object of the attribute or -1
    GLOBAL = 26  # a: name; in a class: a field that it has itself, not its instances
    NONLOCAL = 27  # a: name
    RETURN = 28  # a: value or -1
    RAISE = 29  # a: value or -1, b: cause or -1
    ASSERT = 30  # a: value
    BRANCH = 31  # a: its END, b: kind of `Branch`
    ARM = 32  # a: kind of `Arm`, b: condition (evaluated before the BRANCH) or -1
    LOOP = 33  # a: its END, b: condition or -1, c: `BREAKS` or -1
    END = 34  # a: the operation it closes
    BREAK = 35  # a: `LEAVES_SWITCH` where it is said that it leaves no loop; b: `FAR` or -1
    CONTINUE = 36  # b: `FAR` or -1
    ATTACH = 37  # a: type, b: name, c: value: a member that is defined outside of its type
    EXPORT = (
        38  # a: name under which the module gives b to others, b: value; where names are explicit
    )
    PACKAGE = 39  # a: package (or namespace) that the file, from here on, belongs to
    JUMP = 40  # to the LABEL a of the same function
    LABEL = 41  # a: its name
    LOST = 42  # source that the parser gave up names the variable a (-1: any); b: how many such operations say so of this text, 0 behind the first; c: -1, or `SETS` or `GETS`


class Const(Numbers):
    """Kinds of constants."""

    NONE = 0
    BOOL = 1
    INT = 2
    STR = 3
    BYTES = 4
    OTHER = 5


class Make(Numbers):
    """Kinds of displays; COMPREHENSION kinds have one port, the element."""

    LIST = 0
    TUPLE = 1
    SET = 2
    DICT = 3
    TEXT = 4
    GENERATOR = 5


class Port(Numbers):
    """Kinds of ports `(kind, key, value)`; `key` is a name of KEYWORD, an operation of ITEM."""

    POSITIONAL = 0
    KEYWORD = 1
    STAR = 2
    DOUBLE_STAR = 3
    ITEM = 4
    EACH = 5  # any number of such elements: what a comprehension collects
    INTERFACE = 6  # of a class: what it implements, beside what it extends (POSITIONAL)


class Param(Numbers):
    """Kinds of parameters `(kind, name, default, annotation, start)`."""

    POSITIONAL = 0
    PLAIN = 1
    KEYWORD = 2
    STAR = 3
    DOUBLE_STAR = 4
    RECEIVER = 5  # takes what the function is called on, never an argument; at most one, the first
    TYPE = 6  # a type parameter of a function or class, a row for each bound


class Branch(Numbers):
    """Kinds of branches."""

    IF = 0
    MATCH = 1
    TRY = 2
    WITH = 3


class Arm(Numbers):
    """Kinds of arms; without ELSE (or BODY) a branch may be passed by."""

    THEN = 0
    ELSE = 1
    BODY = 2
    HANDLER = 3
    AFTER = 4  # `else` of a `try`: continues BODY
    FINALLY = 5


OP_WIDTH: Final = 6
PORT_WIDTH: Final = 3
PARAM_WIDTH: Final = 5
SCOPE_WIDTH: Final = len(Scope._fields)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileIr:
    """The IR of one file.

    Attributes:
        names: identifiers, modules, texts of constants, operators.
        scopes: `(n, 12)`, rows of `Scope`; the module first.
        ops: `(n, 6)` code, a, b, c, start, end.
        ports: `(n, 3)`, see `Port`.
        params: `(n, 5)`, see `Param`.
    """

    names: tuple[str, ...]
    scopes: Columns
    ops: Columns
    ports: Columns
    params: Columns

    def scope_rows(self) -> list[Scope]:
        """The scopes as values."""
        return list(map(_scope, self.scopes.tolist()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FileIr):
            return NotImplemented
        return self.names == other.names and all(
            np.array_equal(getattr(self, table), getattr(other, table)) for table in TABLES
        )

    __hash__ = None  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]


_scope = partial(tuple.__new__, Scope)  # pyright: ignore[reportUnknownMemberType]

TABLES: Final = ("scopes", "ops", "ports", "params")
WIDTHS: Final = (SCOPE_WIDTH, OP_WIDTH, PORT_WIDTH, PARAM_WIDTH)
