"""What one file contributes to the resolution, before it meets other files.

Nodes are numbers: operation `i` of a file is node `base + i`; parameters, results, variables and
joins follow. A node stands for the set of values that may arrive there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeAlias

from grainline.model.ir import Param, Scope
from grainline.model.numbers import Numbers


class Use(Numbers):
    """What happens to a value that arrives at a node: `(node, use, x, y)`."""

    ATTRIBUTE = 0  # x: name, y: node of the result
    SET_ATTRIBUTE = 1  # x: name, y: node of what is stored
    CALL = 2  # x: number of the call
    ITEM = 3  # x: key, y: node of the result
    SET_ITEM = 4  # x: key, or (key, operation) of a statement, y: node of what is stored
    KEYED_ITEM = 5  # at the node of a key; x: node of the object, y: node of the result
    KEYED_SET_ITEM = 6  # at the node of a key; x: node of the object, y: node of what is stored
    ITERATE = 7  # x: number of the operation, y: node of the element
    ENTER = 8  # x: number of the operation, y: node of the result
    INSTANCE = 9  # y: node of an instance of the class
    RAISE = 10  # x: number of the operation
    SPREAD = 11  # y: node of the container that takes the elements
    MERGE = 12  # y: node of the container that takes keys and values
    STAR = 13  # at a module; x: name, y: node of the member
    REST = 14  # x: first item, y: node of the container that takes the items behind it
    SUPER = 15  # at a receiver; x: scope of a class, y: node of the receiver as its bases have it
    ASSIGNED = 16  # x: node of the declared type, y: node of the variable
    ATTACH = 17  # at a type; x: name of the member, y: node of its value
    SUPPOSE = 18  # at what was converted to a type of functions; x: call of any value of that type


Key: TypeAlias = "str | None"
"""A constant key with its type (`'a`, `#1`), None for any."""


class Seed(Numbers):
    """Where values come from: `(node, seed, x, y)`."""

    FUNCTION = 0  # x: scope
    CLASS = 1  # x: scope
    CONTAINER = 2  # x: operation, y: kind of `Make`
    MODULE = 3  # x: name of the module, y: 1: bind its root
    MEMBER = 4  # x: name of the module, y: name of the member
    NAME = 5  # x: a name that nothing in the file binds
    SELF = 6  # x: scope of the class; an instance of it
    OWN_CLASS = 7  # x: scope of the class
    IMPLICIT = 8  # x: name, y: `Implicit`: a member of a class around, else something of the file


class Argument(NamedTuple):
    """What a call passes: kind of `Port`, name of the keyword, node."""

    kind: int
    name: str
    node: int


argument = partial(tuple.__new__, Argument)  # pyright: ignore[reportUnknownMemberType]
"""As `Argument._make`, without its frame."""


class Implicit(NamedTuple):
    """What a name may mean where members need no receiver.

    `classes` are the scopes of the classes around, innermost first; `receiver` is the node of a
    receiver whose type is elsewhere, or -1; `fallback` is the node that the name means else.
    """

    classes: tuple[int, ...]
    receiver: int
    fallback: int


class Call(NamedTuple):
    """A call, the application of a decorator (`decorates`), or what makes an instance (`new`)."""

    unit: int
    op: int
    scope: int
    callee: int
    arguments: tuple[Argument, ...]
    result: int
    decorates: bool
    new: bool = False


class Parameter(NamedTuple):
    """Kind of `Param`, name, node, node of the default or -1, node of the declared type or -1."""

    kind: int
    name: str
    node: int
    default: int
    declared: int = -1


class Signature(NamedTuple):
    """The parameters of a function by what arrives at them.

    Attributes:
        plain: take arguments by place.
        starred: takes the rest of these, if any.
        named: take arguments by name.
        rest: the node that takes the rest of these, or -1.
    """

    plain: list[Parameter]
    starred: Parameter | None
    named: dict[str, Parameter]
    rest: int


@dataclass(slots=True)
class Function:
    """What a caller has to know of a function or lambda.

    `returns` is the node of the result, `yields` that of the elements of a generator; `identity`
    are the numbers of parameters that are returned as they are; `wraps`: what is returned wraps one.
    """

    parameters: list[Parameter]
    returns: int
    yields: int
    identity: tuple[int, ...]
    generator: bool
    wraps: bool
    owner: int  # the scope of the class it stands in, -1
    receiver: int = -1  # the node of a receiver that is no argument
    flags: int = 0  # of its scope
    declared: int = -1  # the node of the declared type of the result
    fluent: bool = False  # gives an instance of what it is called on
    nameless: bool = False  # a type of functions: nothing is called
    tail: bool = False  # returns what it calls, so may give back what it got
    callers: list[tuple[Call, int, int]] = field(default_factory=list["tuple[Call, int, int]"])
    """Calls whose results it gives, with receiver (or -1) and tier; filled by the linking."""
    _signature: Signature | None = None

    def signature(self) -> Signature:
        """Its parameters, once they are all known."""
        if self._signature is None:
            self._signature = Signature(
                plain=[each for each in self.parameters if each.kind <= Param.PLAIN],
                starred=next((each for each in self.parameters if each.kind == Param.STAR), None),
                named={each.name: each for each in self.parameters if each.kind in _NAMED},
                rest=next(
                    (each.node for each in self.parameters if each.kind == Param.DOUBLE_STAR), -1
                ),
            )
        return self._signature


_NAMED = frozenset({int(Param.PLAIN), int(Param.KEYWORD)})


@dataclass(slots=True)
class Class:
    """Bases as nodes, the members by name, the annotated ones in order.

    `interfaces` is how many of the bases, the last ones, are implemented rather than extended.
    `underlying` is the node of values of the type that it is made of, or -1.
    """

    bases: list[int]
    interfaces: int = 0
    members: dict[str, int] = field(default_factory=dict[str, int])
    fields: list[str] = field(default_factory=list[str])
    underlying: int = -1
    types: dict[str, int] = field(default_factory=dict[str, int])
    """Declared types of members, as nodes."""


@dataclass(slots=True)
class Part:
    """The contribution of one file.

    Attributes:
        base: its first node; `last` is behind its last one.
        ops: rows of the operations; `scopes` those of the scopes.
        copies: `(from, to, flow)`; values that cross with `flow` 1 are `flowed` from there on.
        uses: `(node, Use, x, y)`.
        seeds: `(node, Seed, x, y)`.
        members: names under which the module gives something to others -> node.
        stars: nodes of the modules whose members are all imported.
        tails: calls (operations) that a scope returns as they are -> the scope.
        decorated: scopes of functions that something decorates; those of `wrapping` are said to stand
            for what they wrap.
        constants: nodes of constants -> the key that they are.
        reads: node of an attribute -> the operations that read it.
        stored: names of attributes that are set somewhere.
        nodes: node of every operation.
        typed: `(operation, scope)` of the names of types in annotations.
        elements: `(node of a container, key, node)`: the declared types of items.
        keyed: `(node of a key, ITEM or SET_ITEM, object, y)`: what to do when the key stays unknown.
    """

    base: int
    ops: list[list[int]]
    scopes: list[Scope]
    last: int = 0
    copies: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    uses: list[tuple[int, int, object, int]] = field(
        default_factory=list[tuple[int, int, object, int]]
    )
    seeds: list[tuple[int, int, object, object]] = field(
        default_factory=list[tuple[int, int, object, object]]
    )
    calls: list[Call] = field(default_factory=list[Call])
    functions: dict[int, Function] = field(default_factory=dict[int, Function])
    classes: dict[int, Class] = field(default_factory=dict[int, Class])
    members: dict[str, int] = field(default_factory=dict[str, int])
    stars: list[int] = field(default_factory=list[int])
    tails: dict[int, int] = field(default_factory=dict[int, int])
    decorated: set[int] = field(default_factory=set[int])
    wrapping: set[int] = field(default_factory=set[int])
    constants: dict[int, str] = field(default_factory=dict[int, str])
    reads: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    stored: set[str] = field(default_factory=set[str])
    nodes: list[int] = field(default_factory=list[int])
    typed: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    elements: list[tuple[int, Key, int]] = field(default_factory=list["tuple[int, Key, int]"])
    keyed: list[tuple[int, int, int, int]] = field(default_factory=list[tuple[int, int, int, int]])
