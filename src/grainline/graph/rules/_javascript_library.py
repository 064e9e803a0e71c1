"""What functions of JavaScript's library do with values, and the methods that all values have."""

from __future__ import annotations

from typing import Final

from grainline.graph.containers import DICT, LIST, argument_of, callback, container_of, give_first
from grainline.graph.parts import Argument, Call, Use
from grainline.graph.rules.base import Method, Model
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.model.ir import Port


def _element(world: World, made: Call, owner: int) -> tuple[Argument, ...]:
    """What a callback of a container gets."""
    if world.values.kinds[owner] != Kind.CONTAINER:
        return ()
    return (Argument(Port.POSITIONAL, "", world.items(owner)),)


def _fresh(world: World, made: Call, tier: int) -> int:
    """The container that the call gives; -1 when nobody takes it."""
    if made.result < 0:
        return -1
    container = container_of(world, made, LIST)
    world.solver.add(made.result, container, tier)
    return container


def _each(*, gives: str) -> Method:
    """Calls the first argument on every element; `gives` what comes of it."""

    def each(world: World, made: Call, owner: int, tier: int) -> None:
        argument = argument_of(made, 0)
        if argument is None:
            return
        result = -1
        if made.result >= 0 and gives == "results":
            result = world.item(_fresh(world, made, tier), None)
        elif made.result >= 0 and gives == "elements":
            container = _fresh(world, made, tier)
            world.solver.copy(world.items(owner), world.item(container, None), 0)
        elif made.result >= 0 and gives == "element":
            world.solver.copy(world.items(owner), made.result, tier)
        callback(world, made, argument.node, _element(world, made, owner), result)

    return each


def _reduce(world: World, made: Call, owner: int, tier: int) -> None:
    function, first = argument_of(made, 0), argument_of(made, 1)
    if function is None:
        return
    start = world.solver.new()
    if first is not None:
        world.solver.copy(first.node, start, 1)
        if made.result >= 0:
            world.solver.copy(first.node, made.result, 1)
    passed = (Argument(Port.POSITIONAL, "", start), *_element(world, made, owner))
    callback(world, made, function.node, passed, made.result)


def _stores(at: int) -> Method:
    """Arguments from `at` on become elements."""

    def stores(world: World, made: Call, owner: int, tier: int) -> None:
        if world.values.kinds[owner] != Kind.CONTAINER:
            return
        for argument in made.arguments[at:]:
            if argument.kind == Port.POSITIONAL:
                world.solver.copy(argument.node, world.item(owner, None), 1)
        if made.result >= 0:
            world.solver.add(made.result, owner, tier)

    return stores


def _reads(world: World, made: Call, owner: int, tier: int) -> None:
    if made.result >= 0 and world.values.kinds[owner] == Kind.CONTAINER:
        world.solver.copy(world.items(owner), made.result, 1)


def _same(world: World, made: Call, owner: int, tier: int) -> None:
    """Another container of the same elements."""
    if made.result < 0 or world.values.kinds[owner] != Kind.CONTAINER:
        return
    container = _fresh(world, made, tier)
    world.solver.copy(world.items(owner), world.item(container, None), 0)
    for argument in made.arguments:
        world.solver.use(argument.node, Use.SPREAD, made.op, made.result)


# ------------------------------------------------------------------------------ functions


def _call(world: World, made: Call, owner: int, tier: int) -> None:
    """`f.call(x, ...)`: f, on x."""
    _apply_to(world, made, owner, made.arguments[1:], tier)


def _apply(world: World, made: Call, owner: int, tier: int) -> None:
    """`f.apply(x, xs)`."""
    rest = tuple(Argument(Port.STAR, "", each.node) for each in made.arguments[1:2])
    _apply_to(world, made, owner, rest, tier)


def _apply_to(
    world: World, made: Call, owner: int, passed: tuple[Argument, ...], tier: int
) -> None:
    function = _function(world, owner)
    if function < 0:
        return
    _receive(world, made, function)
    node = world.solver.new()
    world.solver.add(node, function, tier)
    callback(world, made, node, passed, made.result)


def _bind(world: World, made: Call, owner: int, tier: int) -> None:
    """`f.bind(x)`: f, that will be called on x."""
    function = _function(world, owner)
    if function >= 0:
        _receive(world, made, function)
        if made.result >= 0:
            world.solver.add(made.result, function, tier)


def _function(world: World, owner: int) -> int:
    kinds = world.values.kinds
    if kinds[owner] == Kind.BOUND:
        owner = world.values.integer(owner)
    return owner if kinds[owner] == Kind.FUNCTION else -1


def _receive(world: World, made: Call, function: int) -> None:
    node = world.function(function).receiver
    if node >= 0 and made.arguments:
        world.solver.copy(made.arguments[0].node, node, 1)


# ------------------------------------------------------------------------------ promises


def _then(world: World, made: Call, owner: int, tier: int) -> None:
    """Callbacks of a value that may be waited for, which is not told from the value."""
    node = world.solver.new()
    world.solver.add(node, owner, 1)
    passed = (Argument(Port.POSITIONAL, "", node),)
    for argument in made.arguments:
        callback(world, made, argument.node, passed, made.result)


def _passes(world: World, made: Call, owner: int, tier: int) -> None:
    """`catch`, `finally`: callbacks that get something else; the value stays."""
    for argument in made.arguments:
        callback(world, made, argument.node, (), made.result)
    if made.result >= 0:
        world.solver.add(made.result, owner, tier)


METHODS: Final[dict[str, Method]] = {
    **dict.fromkeys(["forEach", "some", "every", "findIndex", "findLastIndex"], _each(gives="")),
    **dict.fromkeys(["map", "flatMap"], _each(gives="results")),
    **dict.fromkeys(["filter", "sort", "toSorted"], _each(gives="elements")),
    **dict.fromkeys(["find", "findLast"], _each(gives="element")),
    **dict.fromkeys(["reduce", "reduceRight"], _reduce),
    **dict.fromkeys(["push", "unshift", "add"], _stores(0)),
    "set": _stores(1),
    **dict.fromkeys(["pop", "shift", "at", "get"], _reads),
    **dict.fromkeys(
        ["slice", "concat", "reverse", "values", "flat", "splice", "toReversed"], _same
    ),
    "call": _call,
    "apply": _apply,
    "bind": _bind,
    "then": _then,
    "catch": _passes,
    "finally": _passes,
}

SHARED: Final = frozenset({"then", "catch", "finally"})
"""What a value may have that is waited for."""
CALLBACKS: Final = frozenset(
    [
        "forEach",
        "map",
        "flatMap",
        "filter",
        "find",
        "findIndex",
        "findLast",
        "some",
        "every",
        "reduce",
        "reduceRight",
        "sort",
        "then",
        "catch",
        "finally",
        "addEventListener",
        "on",
        "once",
        "nextTick",
    ]
)
"""Methods that call the functions they get, whatever they are called on."""


# ------------------------------------------------------------------------------ the library


def _runs(world: World, made: Call, number: int, tier: int) -> None:
    """Calls the functions it gets."""
    for argument in made.arguments:
        if argument.kind == Port.POSITIONAL:
            callback(world, made, argument.node, (), -1)


def _assign(world: World, made: Call, number: int, tier: int) -> None:
    """`Object.assign(a, b)`: a, with what b has."""
    give_first(world, made, number, tier)
    first = argument_of(made, 0)
    for argument in made.arguments[1:]:
        if first is not None and argument.kind == Port.POSITIONAL:
            world.solver.use(argument.node, MIX, None, first.node)


MIX: Final = len(Use) + 12
"""A use at an object whose members another, that arrives at y, takes."""


def mix(world: World, _: object, target: int, value: int, tier: int, node: int) -> None:
    """The members of an object become those of every container at `target`."""
    if world.values.kinds[value] != Kind.CONTAINER:
        return
    for other in list(world.solver.held[target] or ()):
        if world.values.kinds[other] == Kind.CONTAINER:
            world.merge(value, other, 0)


def _create(world: World, made: Call, number: int, tier: int) -> None:
    """`Object.create(x)`: what has the members of x, and where x is external others of its own."""
    argument = argument_of(made, 0)
    if argument is not None and made.result >= 0:
        world.solver.use(argument.node, CREATE, tier, made.result)


CREATE: Final = len(Use) + 13
"""A use at a prototype; x: tier of the call, y: node of what is made."""


def create(world: World, flow: int, target: int, value: int, tier: int, node: int) -> None:
    """What is made of something external is an object: members that it gets stand before those behind."""
    if world.values.kinds[value] != Kind.EXTERNAL:
        world.solver.add(target, value, tier | flow)
        return
    known = world.containers.get(target)
    if known is None:
        known = world.containers[target] = world.values.of(Kind.CONTAINER, target, DICT)
    world.behind.setdefault(known, set()).add(world.values.text(value))
    world.solver.add(target, known, flow)


def _collection(world: World, made: Call, number: int, tier: int) -> None:
    container = _fresh(world, made, tier)
    if container >= 0:
        for argument in made.arguments:
            world.solver.use(argument.node, Use.SPREAD, made.op, made.result)


def _wait_for(world: World, made: Call, number: int, tier: int) -> None:
    """`Promise.all(xs)`: xs."""
    give_first(world, made, number, tier)


def _promise(world: World, made: Call, number: int, tier: int) -> None:
    """`new Promise(f)` calls f at once."""
    _runs(world, made, number, tier)
    if made.result >= 0:
        world.solver.add(made.result, world.values.outside("builtins.Promise()"), tier)


def _entries(world: World, made: Call, number: int, tier: int) -> None:
    """`Object.values(x)`: a list of what x holds."""
    argument = argument_of(made, 0)
    container = _fresh(world, made, tier)
    if argument is not None and container >= 0:
        world.solver.use(argument.node, Use.MERGE, None, made.result)


def _rows() -> dict[str, Model]:
    rows: dict[Model, str] = {
        _runs: "setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame "
        "process.nextTick describe it test beforeEach afterEach beforeAll afterAll before after "
        "suite context describe.only it.only test.only describe.skip it.skip test.skip",
        _assign: "Object.assign",
        _create: "Object.create",
        give_first: "Object.freeze Object.seal Object.setPrototypeOf structuredClone Promise.resolve",
        _collection: "Map Set WeakMap WeakSet Array Array.from Array.of",
        _wait_for: "Promise.all Promise.allSettled Promise.race Promise.any",
        _promise: "Promise",
        _entries: "Object.values",
    }
    return {f"builtins.{name}": model for model, names in rows.items() for name in names.split()}


MODELS: Final[dict[str, Model]] = _rows()
