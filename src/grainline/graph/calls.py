"""Calls: which functions they reach, and how arguments and results pass."""

from __future__ import annotations

from typing import Final

from grainline.graph.members import bind
from grainline.graph.parts import Argument, Call, Function, Parameter, Use
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import Op, Param, Port

CONSTRUCT: Final = len(Use) + 4
"""A use: x: number of the call, y: the instance (or class) that is the first argument."""
MAX_ARGUMENTS: Final = 64
"""Arguments of partial applications of partial applications."""
MAX_STARRED: Final = 12
"""Parameters that one `*args` is spread over."""


def call(world: World, number: int, _: object, value: int, tier: int, node: int) -> None:
    """A value is called."""
    if world.early:
        world.later.append((Use.CALL, number, _, value, tier, node))
        return
    made = world.calls[number]
    values = world.values
    kind = values.kinds[value]
    if kind == Kind.FUNCTION:
        if made.new and world.rules.objects:
            _make_object(world, made, value, tier)
        else:
            invoke(world, made, value, -1, tier)
    elif kind == Kind.BOUND:
        _call_bound(world, made, value, tier)
    elif kind == Kind.CLASS:
        instantiate(world, made, number, value, tier)
    elif kind == Kind.INSTANCE:
        _call_instance(world, made, value, tier)
    elif kind == Kind.EXTERNAL:
        _call_external(world, made, number, value, tier)
    elif kind == Kind.METHOD:
        _call_method(world, made, value, tier)
    elif kind == Kind.SUPER:
        _call_super(world, number, value, tier)
    elif kind == Kind.PARTIAL:
        _call_partial(world, made, value, tier)
    elif kind == Kind.SETTER and made.result >= 0:
        world.solver.add(made.result, values.integer(value), tier)
    elif kind in (Kind.STATIC, Kind.CLASS_METHOD):
        invoke(world, made, values.integer(value), -1, tier)


def _call_external(world: World, made: Call, number: int, value: int, tier: int) -> None:
    """Something external is called."""
    name = world.values.text(value)
    model = world.rules.models.get(name)
    suffix = world.rules.idioms.property_suffix
    if model is None and made.decorates and suffix and name.endswith(suffix):
        model = world.rules.models.get(PROPERTY)
    if model is not None:
        model(world, made, number, tier)
        return
    if name.rpartition(".")[2] in world.rules.callbacks:
        run_callbacks(world, made)
    if made.result < 0:
        return
    if made.decorates:  # what decorates and is not there is taken to give back what it got
        world.solver.copy(made.arguments[0].node, made.result, 0)
        world.solver.add(made.result, world.values.outside(f"{name}()"), 1)
    else:
        world.solver.add(made.result, world.values.outside(f"{name}()"), tier)


def run_callbacks(world: World, made: Call) -> None:
    """Functions among the arguments are called with what is not known."""
    for argument in made.arguments:
        key = (argument.node, Use.CALL, made.op, made.unit)
        if argument.kind == Port.POSITIONAL and key not in world.once:
            world.once.add(key)
            flowed = world.flowing(argument.node)
            world.calls.append(
                made._replace(callee=flowed, arguments=(), result=-1, decorates=False, new=False)
            )
            world.solver.use(flowed, Use.CALL, len(world.calls) - 1, -1)


PROPERTY: Final = "builtins.property"
"""The model of decorators that make a property."""


def _call_method(world: World, made: Call, value: int, tier: int) -> None:
    """A method of a container or function, as the rules know it."""
    name = world.values.second[value]
    owner = world.values.integer(value)
    if world.values.kinds[owner] == Kind.INSTANCE:
        if made.result >= 0:
            world.solver.add(made.result, owner, tier)
        return
    method = world.rules.methods.get(name) if isinstance(name, str) else None
    if method is not None:
        method(world, made, world.values.integer(value), tier)


def _call_super(world: World, number: int, value: int, tier: int) -> None:
    """The constructor of the bases runs on the receiver."""
    klass, receiver = world.values.integer(value), world.values.second[value]
    assert isinstance(receiver, int)
    if world.values.kinds[receiver] != Kind.INSTANCE:
        return
    own = world.values.integer(receiver)
    order = world.classes.shape(own).order if world.is_class(own) else []
    rest = order[order.index(klass) + 1 :] if klass in order else []
    for name in world.rules.constructors:
        member = world.classes.member(rest, name)
        if member >= 0:
            flow = CONSTRUCT if tier == 0 else CONSTRUCT + 1
            world.solver.use(member, flow, number, receiver)
            return


def _make_object(world: World, made: Call, function: int, tier: int) -> None:
    """`new f()`: the function runs on an object that has its prototype."""
    instance = world.values.of(Kind.INSTANCE, function)
    world.fact(EdgeType.CALLS, made, function, tier, Method.FLOW if tier else Method.SCOPE)
    pass_arguments(world, made, function, instance)
    if made.result >= 0:
        world.solver.add(made.result, instance, tier)
        world.solver.copy(world.function(function).returns, made.result, 1)


def _call_bound(world: World, made: Call, value: int, tier: int) -> None:
    receiver = world.values.second[value]
    assert isinstance(receiver, int)
    function = world.values.integer(value)
    if made.new and world.rules.objects:
        _make_object(world, made, function, tier)
    elif world.values.kinds[function] == Kind.FUNCTION:
        invoke(world, made, function, receiver, tier)


def _call_instance(world: World, made: Call, value: int, tier: int) -> None:
    klass = world.values.integer(value)
    if not world.is_class(klass):
        return
    if world.underlying(value) >= 0:
        _call_underlying(world, made, value, tier)
        return
    shape = world.classes.shape(klass)
    member = world.classes.member(shape.order, world.rules.protocols.call)
    if member >= 0:
        callee = world.solver.new()
        bind(world, member, value, callee, tier)
        world.calls.append(made._replace(callee=callee, decorates=False))
        world.solver.use(callee, Use.CALL, len(world.calls) - 1, -1)
    elif shape.outside and made.result >= 0:
        world.solver.add(made.result, world.values.outside(f"{shape.outside[0]}()()"), tier)


def _call_underlying(world: World, made: Call, value: int, tier: int) -> None:
    """A value of a type of functions: what the type gives, and what may have been converted to it.

    In a method of the type its receiver is one of these. Any other value of the type came from
    somewhere, and the function with it where that is known.
    """
    key = (made.unit, made.op, "underlying", value << 1 | tier)
    if key not in world.protocols:
        number = world.protocols[key] = len(world.calls)
        world.calls.append(made)
        world.solver.use(world.underlying(value), Use.CALL, number, -1)
        around = world.parts[made.unit].functions.get(made.scope)
        converted = world.field(value, CONVERTED)
        if around is not None and around.receiver == made.callee:
            world.solver.use(converted, Use.CALL, number, -1)
        else:
            world.solver.use(converted, Use.SUPPOSE, made, -1)


def suppose(world: World, made: Call, _: object, value: int, tier: int, node: int) -> None:
    """What was converted to the type of what is called: likely only where nothing else is known."""
    if world.values.kinds[value] == Kind.BOUND:
        value = world.values.integer(value)
    if world.values.kinds[value] == Kind.FUNCTION and not world.nameless(value):
        world.supposed.setdefault((made.unit, made.op), (made.scope, set()))[1].add(value)


def _call_partial(world: World, made: Call, value: int, tier: int) -> None:
    """A partial application: its arguments, then those of the call."""
    first = world.calls[world.values.integer(value)]
    arguments = (*first.arguments[1:], *made.arguments)
    if not first.arguments:
        return
    if len(arguments) > MAX_ARGUMENTS:
        world.solver.cuts += 1
        return
    joined = made._replace(callee=first.arguments[0].node, arguments=arguments, decorates=False)
    key = (made.unit, made.op, "partial", value)
    if key not in world.protocols:
        world.protocols[key] = len(world.calls)
        world.calls.append(joined)
        world.solver.use(joined.callee, Use.CALL, len(world.calls) - 1, -1)


def invoke(world: World, made: Call, function: int, receiver: int, tier: int) -> None:
    """A call reaches a function."""
    if world.rules.overloads and not world.rules.accepts(world, made, function, receiver):
        return
    method = Method.FLOW if tier else Method.SCOPE if receiver < 0 else Method.TYPE
    known = world.function(function)
    if not known.nameless:
        world.fact(EdgeType.CALLS, made, function, tier, method)
    if not known.nameless or world.rules.objects:
        pass_arguments(world, made, function, receiver)
    if made.result < 0:
        return
    flow = tier | known.wraps
    if made.decorates:
        # what a decorator makes is known to be meant once it is known not to give back what it got
        world.decorations.setdefault((made.unit, made.op), []).append((function, int(flow)))
        flow = 1
        world.solver.use(known.returns, DECORATED, made, None)
        if known.generator:
            give_result(world, made, function, 1)
    else:
        give_result(world, made, function, int(flow))
    if known.fluent:
        _give_own(world, made, function, receiver, tier)
    known.callers.append((made, receiver, tier))
    for number in known.identity:
        _give_back(world, made, known, number, receiver, tier)


def _give_own(world: World, made: Call, function: int, receiver: int, tier: int) -> None:
    """An instance of what a function is called on; without that one of its class, as flow."""
    values, known = world.values, world.function(function)
    if receiver < 0 and known.owner >= 0:
        receiver, tier = world.klass(values.place(function)[0], known.owner), 1
    if receiver >= 0 and world.is_class(receiver):
        receiver = values.of(Kind.INSTANCE, receiver)
    if receiver >= 0:
        world.solver.add(made.result, receiver, tier)


def give_result(world: World, made: Call, function: int, tier: int) -> None:
    """The result of a call is what the function returns."""
    known = world.function(function)
    if known.generator:
        world.solver.add(made.result, world.values.of(Kind.GENERATOR, function), tier)
    if not known.generator or world.solver.held[known.returns]:
        world.solver.copy(known.returns, made.result, tier)


def _give_back(
    world: World, made: Call, known: Function, number: int, receiver: int, tier: int
) -> None:
    """What a function returns as it got it comes from this call alone."""
    at = number - (receiver >= 0 and world.rules.first_is_receiver)
    if at < 0:
        result = made.result if not _receiver_passed_on(world, made) else kept(world, made)
        if result >= 0:
            world.solver.add(result, receiver, tier)
        return
    parameter = known.parameters[number]
    starred = parameter.kind == Param.STAR
    plain = [each for each in made.arguments if each.kind == Port.POSITIONAL]
    named = [e for e in made.arguments if e.kind == Port.KEYWORD and e.name == parameter.name]
    found = (*plain[at : at + 1], *(() if starred else named))
    if not found and any(each.kind in _STARS for each in made.arguments):
        if starred:
            _once(world, parameter.node, Use.ITEM, FIRST, made.result)
        elif not _rest_passed_on(world, made, at - len(plain)):
            world.solver.copy(parameter.node, made.result, 1)
    elif not found and parameter.default >= 0:
        world.solver.copy(parameter.default, made.result, tier)
    for argument in found:
        give_argument(world, made, argument, tier)


def give_argument(world: World, made: Call, argument: Argument, tier: int) -> None:
    """A call gives back an argument; what its function got and returns comes from its callers."""
    result = made.result if not _passed_on(world, made, argument.node) else kept(world, made)
    if result >= 0:
        world.solver.copy(argument.node, result, tier)


def kept(world: World, made: Call) -> int:
    """The node of the variable that takes what a call gives before it is returned, or -1."""
    part = world.parts[made.unit]
    return part.base + made.op if made.result != part.base + made.op else -1


FIRST: Final = "#0"
"""The key of what stands first in a parameter that takes the rest."""


def _rest_passed_on(world: World, made: Call, at: int) -> bool:
    """As `_passed_on` for the argument `at` of those that a parameter of the rest gives."""
    stars = [each.node for each in made.arguments if each.kind == Port.STAR]
    return at == 0 and len(stars) == 1 and _passed_on(world, made, stars[0], starred=True)


def _passed_on(world: World, made: Call, node: int, *, starred: bool = False) -> bool:
    """Whether a function returns this call with a parameter of its own in it, so gives it back.

    One that takes the rest is given back `starred`: the first of what it takes.
    """
    scope = world.parts[made.unit].tails.get(made.op)
    outer = world.parts[made.unit].functions.get(scope) if scope is not None else None
    if outer is None:
        return False
    for number, parameter in enumerate(outer.parameters):
        if parameter.node == node and starred == (parameter.kind == Param.STAR):
            if number not in outer.identity:
                outer.identity += (number,)
                world.solver.tasks += [
                    (_give_back, (world, other, outer, number, receiver, tier))
                    for other, receiver, tier in outer.callers
                ]
            return True
    return False


def _receiver_passed_on(world: World, made: Call) -> bool:
    """As `_passed_on` for what a method is called on; `super()` is the receiver around."""
    part = world.parts[made.unit]
    code, callee, *_ = part.ops[made.op]
    if code != Op.CALL or part.ops[callee][0] != Op.GETATTR:
        return False
    node = part.nodes[part.ops[callee][1]]
    outer = part.functions.get(part.tails.get(made.op, -1))
    if outer is None or not outer.parameters:
        return False
    if any(world.values.kinds[value] == Kind.SUPER for value in world.solver.held[node] or ()):
        node = outer.parameters[0].node
    return _passed_on(world, made, node)


DECORATED: Final = len(Use) + 7
"""A use at what a decorator returns; x: its call."""


def decorated(world: World, made: Call, _: object, value: int, tier: int, node: int) -> None:
    """What a decorator returns, but for what may have another reason to be returned."""
    if world.values.kinds[value] == Kind.FUNCTION:
        known = world.function(value)
        unit, scope = world.values.place(value)
        part = world.parts[unit]
        doubtful = known.tail or known.identity or scope in part.decorated
        if doubtful and scope not in part.wrapping:
            world.withheld.setdefault((made.unit, made.op), {})[value] = made
            return
    world.solver.add(made.result, value, 1)


def release(world: World) -> bool:
    """What was withheld is what decorators give; whether anything was.

    One that gives back what it got stands for nothing that it got elsewhere, nor for a decorator: that is
    what it gives when it is called before it decorates.
    """
    before, world.withheld = world.withheld, {}
    found = False
    for place, values in before.items():
        for value, made in values.items():
            mine = world.solver.held[made.arguments[0].node] or {}
            same = not mine.keys().isdisjoint(world.solver.held[made.result] or ())
            if same and value not in mine and not _is_made(world, value, place):
                continue
            world.solver.add(made.result, value, 1)
            found = True
    return found


def _is_made(world: World, function: int, place: tuple[int, int]) -> bool:
    """Whether a function may be what decorators at a place make of what they get."""
    if world.function(function).identity:
        return False
    unit, scope = world.values.place(function)
    if scope not in world.parts[unit].decorated:
        return True
    makers = {world.values.place(maker) for maker, _ in world.decorations.get(place, ())}
    while scope > 0 and (unit, scope) not in makers:
        scope = world.parents[unit][scope]
    return scope > 0


def expect(world: World, function: int, declared: list[int]) -> None:
    """Parameters of a function get the types of the function type that is wanted of it."""
    known = world.function(function)
    for value in declared:
        kind = world.values.kinds[value]
        wanted: list[int] = [value] if kind == Kind.FUNCTION and world.nameless(value) else []
        if kind == Kind.INSTANCE and world.is_class(world.values.integer(value)):
            member = world.classes.member_of(
                world.values.integer(value), world.rules.protocols.call
            )
            held = world.solver.held[member] or {} if member >= 0 else {}
            wanted = [each for each in held if world.values.kinds[each] == Kind.FUNCTION]
        for each in wanted:
            for mine, given in zip(known.parameters, world.function(each).parameters, strict=False):
                plain = mine.kind == given.kind == Param.PLAIN
                if plain and mine.declared < 0 <= given.declared:
                    world.solver.copy(given.declared, mine.node, 0)


def pass_arguments(world: World, made: Call, function: int, receiver: int) -> None:
    """Arguments arrive at parameters, as flow."""
    solver = world.solver
    known = world.function(function)
    plain, starred, named, rest = known.signature()
    star = starred.node if starred is not None else -1
    at = 0
    given = made.arguments
    if receiver >= 0 and known.receiver >= 0:
        solver.add(known.receiver, receiver, 1)
    elif known.receiver >= 0 and given and world.rules.receiver_argument:
        given = given[1:]  # its type is declared
    elif receiver >= 0 and plain and world.rules.first_is_receiver:
        solver.add(plain[0].node, receiver, 1)
        at = 1
    extra = 0
    for argument in given:
        if argument.kind == Port.POSITIONAL:
            if at < len(plain):
                _arrive(world, argument.node, plain[at])
                at += 1
            elif star >= 0:
                if world.rules.rest_is_list:
                    _arrive_in_rest(world, argument.node, starred, extra)
                else:
                    world.put(argument.node, world.containers[star], f"#{extra}")
                extra += 1
        elif argument.kind == Port.KEYWORD:
            if argument.name in named:
                _arrive(world, argument.node, named[argument.name])
            elif rest >= 0:
                key = f"'{argument.name}"
                solver.copy(argument.node, world.item(world.containers[rest], key), 1)
        elif argument.kind == Port.STAR:
            for index, each in enumerate(plain[at : at + MAX_STARRED]):
                _once(world, argument.node, Use.ITEM, f"#{index}", each.node)
            if star >= 0:
                _once(world, argument.node, Use.REST, max(0, len(plain) - at), star)
        else:
            _spread_names(world, argument, named, rest)


def _arrive(world: World, node: int, parameter: Parameter) -> None:
    """An argument arrives, as flow."""
    if parameter.declared < 0 or not world.rules.declared:
        world.solver.copy(node, parameter.node, 1)
        return
    flowed = world.flowing(node)
    key = (flowed, Use.ASSIGNED, parameter.declared, parameter.node)
    if key not in world.once:
        world.once.add(key)
        world.solver.use(flowed, Use.ASSIGNED, parameter.declared, parameter.node)


def _arrive_in_rest(world: World, node: int, starred: Parameter | None, at: int) -> None:
    """An argument becomes an item of what takes the rest."""
    if starred is None:
        return
    item = world.item(world.containers[starred.node], f"#{at}")
    declared = world.solver.held[starred.declared] or {} if starred.declared >= 0 else {}
    lists = [value for value in declared if world.values.kinds[value] == Kind.CONTAINER]
    if not lists:
        world.solver.copy(node, item, 1)
    for value in lists:
        wanted = world.fields.get((value, f"#{at}"), world.items(value))
        _arrive(world, node, Parameter(Param.PLAIN, "", item, -1, wanted))


_STARS = frozenset({int(Port.STAR), int(Port.DOUBLE_STAR)})


def _spread_names(world: World, argument: Argument, named: dict[str, Parameter], rest: int) -> None:
    for name, each in list(named.items())[:MAX_STARRED]:
        _once(world, argument.node, Use.ITEM, f"'{name}", each.node)
    if rest >= 0:
        _once(world, argument.node, Use.MERGE, None, rest)


def _once(world: World, node: int, use: Use, x: object, y: int) -> None:
    key = (node, use, x, y)
    if key not in world.once:
        world.once.add(key)
        world.solver.use(node, use, x, y)


# ------------------------------------------------------------------------------ classes


def instantiate(world: World, made: Call, number: int, klass: int, tier: int) -> None:
    """A class is called: an instance, and its constructor."""
    values = world.values
    method = Method.FLOW if tier else Method.SCOPE
    instance = values.of(Kind.INSTANCE, klass)
    if made.result >= 0:
        world.solver.add(made.result, instance, tier)
    if world.rules.conversions and not made.new:
        for argument in made.arguments[:1]:
            world.solver.copy(argument.node, world.field(instance, CONVERTED), 1)
            if made.result >= 0 and _is_of_functions(world, instance):
                world.solver.copy(argument.node, made.result, 0)
        return
    world.fact(EdgeType.INSTANTIATES, made, klass, tier, method)
    if world.underlying(instance) >= 0:
        _fill(world, made, world.underlying(instance))
        return
    construct(world, number, klass, instance, tier)


def _is_of_functions(world: World, instance: int) -> bool:
    """Whether a type is one of functions: what is converted to it stays what it is."""
    underlying = world.underlying(instance)
    held = world.solver.held[underlying] if underlying >= 0 else None
    return any(world.nameless(value) for value in held or ())


CONVERTED: Final = "()"
"""A field: what was converted to a type that is made of another one."""


def _fill(world: World, made: Call, node: int) -> None:
    """What is put into an instance of a type of containers."""
    for at, argument in enumerate(made.arguments):
        key = f"'{argument.name}" if argument.kind == Port.KEYWORD else f"#{at}"
        world.solver.use(node, Use.SET_ITEM, key, argument.node)


def construct(world: World, number: int, klass: int, instance: int, tier: int) -> None:
    """What runs when a class is called."""
    found = False
    rules = world.rules
    members = [(name, instance) for name in rules.constructors]
    members += [(name, klass) for name in rules.factories]
    for name, receiver in members:
        if rules.inherits_constructors:
            member = world.classes.member_of(klass, name)
        else:
            member = world.classes.member([klass], name)
        if member >= 0:
            found = True
            key = (member, number, receiver)
            if world.bound.get(key, 2) > tier:
                world.bound[key] = tier
                world.solver.use(
                    member, CONSTRUCT if tier == 0 else CONSTRUCT + 1, number, receiver
                )
    if not found and rules.generates_constructor:
        _generated_init(world, world.calls[number], klass, instance)


def constructed(world: World, number: int, receiver: int, value: int, tier: int, node: int) -> None:
    """The constructor of a class is known."""
    if world.values.kinds[value] == Kind.FUNCTION:
        made = world.calls[number]
        if world.rules.overloads and not world.rules.accepts(world, made, value, receiver):
            return
        world.fact(EdgeType.CALLS, made, value, tier, Method.FLOW if tier else Method.SCOPE)
        pass_arguments(world, made, value, receiver)


def constructed_flowed(
    world: World, number: int, receiver: int, value: int, tier: int, node: int
) -> None:
    """As `constructed`, for a class that came by flow."""
    constructed(world, number, receiver, value, 1, node)


def _generated_init(world: World, made: Call, klass: int, instance: int) -> None:
    """A class without constructor takes its annotated members, as dataclasses do."""
    fields = world.classes.fields(klass)
    for at, argument in enumerate(made.arguments):
        name = argument.name
        if argument.kind == Port.POSITIONAL and at < len(fields):
            name = fields[at]
        elif argument.kind not in (Port.POSITIONAL, Port.KEYWORD):
            return
        if name in fields:
            world.stored.add(name)
            world.solver.copy(argument.node, world.field(instance, name), 1)
