"""What things outside do with values: functions of Python and its standard library.

Rows of data; what has no row is a leaf.
"""

from __future__ import annotations

from typing import Final

from grainline.graph.calls import give_argument
from grainline.graph.containers import DICT, LIST, argument_of, callback, container_of
from grainline.graph.members import CLASS_OF, WRAP
from grainline.graph.parts import Argument, Call, Use
from grainline.graph.rules.base import Model
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.model.ir import Make, Port


def _gives(at: int) -> Model:
    """The result is an argument."""

    def gives(world: World, made: Call, number: int, tier: int) -> None:
        argument = argument_of(made, at)
        if argument is not None and made.result >= 0:
            give_argument(world, made, argument, tier)

    return gives


def _decorator(world: World, made: Call, number: int, tier: int) -> None:
    """Gives back a function, or, called with anything else, something that does."""
    _gives(0)(world, made, number, tier)


def _declaration(world: World, made: Call, number: int, tier: int) -> None:
    """Gives nothing that runs: what the name is bound to behind it does."""
    world.once.add((number, -1, "decorator", 0))  # nor does it give back what it decorates


def _collects(kind: int) -> Model:
    """A container of the elements of every argument."""

    def collects(world: World, made: Call, number: int, tier: int) -> None:
        if made.result < 0:
            return
        container = container_of(world, made, kind)
        world.solver.add(made.result, container, tier)
        for argument in made.arguments:
            if argument.kind == Port.POSITIONAL:
                world.solver.use(argument.node, Use.SPREAD, made.op, made.result)
            elif argument.kind == Port.KEYWORD and kind == DICT:
                item = world.item(container, f"'{argument.name}")
                world.solver.copy(argument.node, item, 1)

    return collects


def _calls(world: World, made: Call, number: int, tier: int) -> None:
    """Calls every function among the arguments, on elements of the others; collects the results."""
    if made.result >= 0:
        world.solver.add(made.result, container_of(world, made, LIST), tier)
    elements = world.solver.new()
    passed = (Argument(Port.POSITIONAL, "", elements),)
    results = world.item(container_of(world, made, LIST), None) if made.result >= 0 else -1
    for argument in made.arguments:
        callback(world, made, argument.node, passed, results)
        world.iterating(made, argument.node, elements)


def _filters(world: World, made: Call, number: int, tier: int) -> None:
    """As `_calls`, but what is collected are the elements."""
    if made.result >= 0:
        world.solver.add(made.result, container_of(world, made, LIST), tier)
    elements = world.solver.new()
    passed = (Argument(Port.POSITIONAL, "", elements),)
    for argument in made.arguments:
        callback(world, made, argument.node, passed, -1)
        world.iterating(made, argument.node, elements)
    if made.result >= 0:
        world.solver.copy(elements, world.item(container_of(world, made, LIST), None), 1)


def _ordered(*, collects: bool) -> Model:
    """Orders elements by `key=`; gives all of them or one."""

    def ordered(world: World, made: Call, number: int, tier: int) -> None:
        elements = world.solver.new()
        for argument in made.arguments:
            if argument.kind == Port.KEYWORD and argument.name in ("key", "default"):
                passed = (Argument(Port.POSITIONAL, "", elements),)
                callback(world, made, argument.node, passed, -1)
            elif argument.kind == Port.POSITIONAL:
                world.iterating(made, argument.node, elements)
        if made.result < 0:
            return
        if collects:
            container = container_of(world, made, LIST)
            world.solver.add(made.result, container, tier)
            world.solver.copy(elements, world.item(container, None), 1)
        else:
            world.solver.copy(elements, made.result, 1)

    return ordered


def _next(world: World, made: Call, number: int, tier: int) -> None:
    argument = argument_of(made, 0)
    if argument is not None and made.result >= 0:
        world.advancing(made, argument.node, made.result)


def _pairs(world: World, made: Call, number: int, tier: int) -> None:
    """`enumerate`, `zip`: tuples of elements."""
    if made.result < 0:
        return
    outer = container_of(world, made, LIST)
    world.solver.add(made.result, outer, tier)
    node = world.solver.new()
    inner = world.containers[node] = world.values.of(Kind.CONTAINER, node, int(Make.TUPLE))
    world.solver.add(node, inner, tier)
    world.solver.copy(node, world.item(outer, None), 0)
    numbered = len(made.arguments) == 1 or any(a.name == "start" for a in made.arguments)
    for at, argument in enumerate(made.arguments):
        if argument.kind == Port.POSITIONAL:
            world.iterating(made, argument.node, world.item(inner, f"#{at + numbered}"))


def _partial(world: World, made: Call, number: int, tier: int) -> None:
    if made.result >= 0:
        world.solver.add(made.result, world.values.of(Kind.PARTIAL, number), tier)


def _cast(world: World, made: Call, number: int, tier: int) -> None:
    kind, value = argument_of(made, 0), argument_of(made, 1)
    if kind is not None and value is not None and made.result >= 0:
        world.solver.use(kind.node, Use.INSTANCE, None, made.result)
        world.solver.copy(value.node, made.result, tier)


def _getattr(world: World, made: Call, number: int, tier: int) -> None:
    """The attribute of a constant name."""
    value, name, default = (argument_of(made, at) for at in range(3))
    if value is None or name is None or made.result < 0:
        return
    key = world.solver.constants.get(name.node)
    if key is not None and key[0] == "'":
        world.solver.use(value.node, Use.ATTRIBUTE, key[1:], made.result)
    else:
        world.reflected |= {made.result, world.parts[made.unit].base + made.op}
    if default is not None:
        world.solver.copy(default.node, made.result, 1)


def _setattr(world: World, made: Call, number: int, tier: int) -> None:
    target, name, value = (argument_of(made, at) for at in range(3))
    if target is None or name is None or value is None:
        return
    key = world.solver.constants.get(name.node)
    if key is not None and key[0] == "'" and key[1:] in world.stored:
        world.solver.use(target.node, Use.SET_ATTRIBUTE, key[1:], value.node)


def _super(world: World, made: Call, number: int, tier: int) -> None:
    """`super()` in a method: the receiver, looked at from behind its class."""
    owner = world.method_around(made.unit, made.scope)
    if owner is None or made.result < 0:
        return
    function, klass = owner
    if function.parameters:
        world.solver.use(function.parameters[0].node, Use.SUPER, klass, made.result)


def _wrapped(kind: Kind) -> Model:
    """`property`, `staticmethod`, `classmethod`."""

    def wrapped(world: World, made: Call, number: int, tier: int) -> None:
        argument = argument_of(made, 0, "fget")
        if argument is not None and made.result >= 0:
            world.solver.use(argument.node, WRAP, kind, made.result)

    return wrapped


as_property = _wrapped(Kind.PROPERTY)


def _type(world: World, made: Call, number: int, tier: int) -> None:
    argument = argument_of(made, 0)
    if argument is not None and len(made.arguments) == 1 and made.result >= 0:
        world.solver.use(argument.node, CLASS_OF, None, made.result)


def _nothing(world: World, made: Call, number: int, tier: int) -> None:
    """Gives nothing that could be called."""


def _rows() -> dict[str, Model]:
    rows: dict[Model, str] = {
        _calls: "builtins.map builtins.reduce functools.reduce itertools.starmap "
        "itertools.accumulate",
        _filters: "builtins.filter itertools.filterfalse itertools.takewhile itertools.dropwhile",
        _ordered(collects=True): "builtins.sorted heapq.nlargest heapq.nsmallest itertools.groupby",
        _ordered(collects=False): "builtins.min builtins.max",
        _collects(LIST): "builtins.list builtins.tuple builtins.set builtins.frozenset "
        "builtins.reversed builtins.iter collections.deque itertools.chain itertools.cycle "
        "itertools.islice itertools.chain.from_iterable builtins.aiter",
        _collects(DICT): "builtins.dict collections.OrderedDict collections.ChainMap "
        "types.MappingProxyType",
        _pairs: "builtins.zip builtins.enumerate itertools.zip_longest itertools.product",
        _next: "builtins.next builtins.anext",
        _partial: "functools.partial functools.partialmethod",
        _cast: "typing.cast typing_extensions.cast",
        _getattr: "builtins.getattr",
        _setattr: "builtins.setattr",
        _super: "builtins.super",
        as_property: "builtins.property functools.cached_property abc.abstractproperty",
        _wrapped(Kind.STATIC): "builtins.staticmethod",
        _wrapped(Kind.CLASS_METHOD): "builtins.classmethod",
        _type: "builtins.type",
        _decorator: "functools.wraps() functools.lru_cache() functools.lru_cache functools.cache "
        "functools.update_wrapper functools.singledispatch functools.total_ordering "
        "contextlib.contextmanager contextlib.asynccontextmanager dataclasses.dataclass "
        "dataclasses.dataclass() typing.final abc.abstractmethod copy.copy "
        "copy.deepcopy atexit.register weakref.proxy asyncio.run asyncio.create_task "
        "asyncio.shield asyncio.wait_for typing.no_type_check typing.runtime_checkable "
        "typing.override typing_extensions.override typing_extensions.final "
        "typing_extensions.runtime_checkable",
        _declaration: "typing.overload typing_extensions.overload",
        _nothing: "builtins.isinstance builtins.issubclass builtins.len builtins.print "
        "builtins.repr builtins.str builtins.int builtins.float builtins.bool builtins.bytes "
        "builtins.hash builtins.id builtins.hasattr builtins.callable builtins.range "
        "builtins.sum builtins.any builtins.all builtins.abs builtins.round builtins.ord "
        "builtins.chr builtins.format builtins.input",
    }
    return {name: model for model, names in rows.items() for name in names.split()}


MODELS: Final[dict[str, Model]] = _rows()
