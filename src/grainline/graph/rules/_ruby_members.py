"""What is read from a value and what a call does, in Ruby: handlers in place of the general ones."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final, cast

from grainline.graph import calls, members, protocols
from grainline.graph.linking import NATIVE, member_of
from grainline.graph.members import bind
from grainline.graph.parts import Call, Part, Use
from grainline.graph.rules._ruby_classes import Found, RubyClasses
from grainline.graph.rules._ruby_names import (
    CALLING,
    CLASSES,
    FUNCTIONS,
    MIXINS,
    MODULE,
    OBJECT,
    PASSING,
    PLAIN,
    REFLECTIVE,
)
from grainline.graph.values import Kind
from grainline.graph.world import Fact, World
from grainline.languages.modules.ruby import Meaning, RubyModules
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import Port

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MIX: Final = len(Use) + 12
"""A use at a module; x: (kind, class, call, number of the argument)."""
HOOK: Final = len(Use) + 13
"""A use at a function that a module has for those that include it; x: the class."""
CONSTANT: Final = len(Use) + 14
"""What is done with a constant once bases are known; x: (unit, word, nesting), y: its node."""


def classes_of(world: World) -> RubyClasses:
    """The classes, as what they are."""
    return cast("RubyClasses", world.classes)


def modules_of(world: World) -> RubyModules:
    """The resolver of names, as what it is."""
    return cast("RubyModules", world.modules)


# ------------------------------------------------------------------------------ constants


def give(world: World, files: Sequence[str], name: str, node: int) -> None:
    """`node` takes what files define under a full name."""
    for path in files:
        unit = world.numbers.get(path, -1)
        for given in modules_of(world).given(path, name) if unit >= 0 else ():
            member_of(world, unit, given, node, 0)


def free(world: World, unit: int, name: str, node: int) -> None:
    """A name that nothing in the file binds: a constant, or `self` where no method is around."""
    word, _, behind = name.partition("#")
    if word == "self":
        if behind in ("", "?"):
            world.solver.add(node, world.values.of(Kind.MODULE, unit, behind), 0)
        else:
            member_of(world, unit, behind, node, 0)
    elif "#" in name and (word[:1].isupper() or word[:2] == "::"):
        _constant(world, unit, word, behind, node)


def _constant(world: World, unit: int, word: str, nesting: str, node: int) -> None:
    modules = modules_of(world)
    meant = modules.meaning(world.paths[unit], word, nesting)
    first = word.removeprefix("::").partition("::")[0]
    inherited = bool(nesting) and word[:2] != "::" and modules.nested(world.paths[unit], first)
    if inherited and (meant is None or not meant.lexical):
        world.later.append((CONSTANT, (unit, word, nesting), node, -1, 0, node))
    else:
        _mean(world, unit, word, meant, node)


def _mean(world: World, unit: int, word: str, meant: Meaning | None, node: int) -> None:
    """`node` takes what a constant means; None: what is not there, unless others have it."""
    if meant is not None:
        target = world.solver.new() if meant.rest else node
        give(world, meant.files, meant.name, target)
        _words(world, meant.rest, target, node)
        return
    plain = word.removeprefix("::")
    if plain in CLASSES or plain.partition("::")[0] in CLASSES:
        world.solver.add(node, world.values.outside(f"{NATIVE}.{plain}"), 0)
    else:
        world.solver.add(node, world.values.outside(plain), 0)


def _words(world: World, words: Sequence[str], source: int, node: int) -> None:
    """`node` takes the constant that `words`, one inside of the other, mean in `source`."""
    for at, word in enumerate(words):
        target = node if at == len(words) - 1 else world.solver.new()
        world.solver.use(source, Use.ATTRIBUTE, f"::{word}", target)
        source = target


def constant_late(world: World, x: Any, y: int, value: int, tier: int, node: int) -> None:
    """A constant that a class around may have inherited."""
    unit, word, nesting = cast("tuple[int, str, str]", x)
    modules, path = modules_of(world), world.paths[unit]
    meant = modules.meaning(path, word, nesting)
    first, *rest = word.split("::")
    scope = modules.scopes(nesting)[0]
    klass = classes_of(world).named(scope, modules.groups(scope).get(path, -1))
    for each in classes_of(world).shape(klass).order[1:] if klass >= 0 else ():
        name = f"{classes_of(world).names.get(each, '')}::{first}"
        files = modules.defining(path, name)
        if files:
            target = world.solver.new() if rest else y
            give(world, files, name, target)
            _words(world, rest, target, y)
            return
    _mean(world, unit, word, meant, y)


def _member_constant(world: World, value: int, word: str, target: int) -> None:
    """A constant that is read from a class."""
    known, modules = classes_of(world), modules_of(world)
    path = world.paths[world.values.place(value)[0]]
    for each in known.shape(value).order:
        name = f"{known.names.get(each, '')}::{word}"
        files = modules.defining(path, name)
        if files:
            give(world, files, name, target)
            return
    for outside in known.shape(value).outside[:1]:
        world.solver.add(target, world.values.outside(f"{outside}::{word}"), 0)


# ------------------------------------------------------------------------------ members


def attribute(world: World, name: str, target: int, value: int, tier: int, node: int) -> None:
    """`target` takes the member `name` of `value`."""
    values, kind = world.values, world.values.kinds[value]
    word = name.partition("#")[0]
    if kind in (Kind.INSTANCE, Kind.SUPER, Kind.CLASS):
        if kind == Kind.CLASS and word in MIXINS:
            world.solver.add(target, values.of(Kind.METHOD, value, word), tier)
        elif world.early:
            world.later.append((Use.ATTRIBUTE, name, target, value, tier, node))
        else:
            _OF[kind](world, name, target, value, tier)
    elif kind == Kind.MODULE:
        _of_main(world, name, target, value, tier)
    elif kind in (Kind.FUNCTION, Kind.BOUND):
        if word in CALLING:
            world.solver.add(target, value, tier)
        else:
            world.solver.add(target, values.outside(f"{NATIVE}.{word}"), tier)
    else:
        members.attribute(world, word, target, value, tier, node)


def _of_main(world: World, name: str, target: int, value: int, tier: int) -> None:
    """What is called without a receiver outside of every class."""
    word = name.partition("#")[0]
    unit, where = world.values.integer(value), world.values.second[value]
    if word[:1] == "@":
        return
    found = _functions(world, unit, word, target, tier, own=where == "?")
    if not found and where == "" and word in FUNCTIONS:
        world.solver.add(target, world.values.outside(f"{NATIVE}.{word}"), tier)


def _functions(
    world: World, unit: int, word: str, target: int, tier: int, *, own: bool = False
) -> bool:
    """Functions outside of every class, which every object has; `own`: those of the file."""
    path, name = world.paths[unit], f"{word}()"
    files = modules_of(world).defining(path, name)
    files = tuple(each for each in files if each == path) if own else files
    for each in files:
        member_of(world, world.numbers[each], name, target, tier)
    return bool(files)


def _take(world: World, found: Found, receiver: int, target: int, tier: int) -> None:
    """`target` takes a member that was found."""
    if found.field:
        world.solver.add(target, world.values.of(Kind.METHOD, receiver, found.field), tier)
    else:
        bind(world, found.node, receiver, target, tier)


def _of_instance(world: World, name: str, target: int, value: int, tier: int) -> None:
    values, known = world.values, classes_of(world)
    klass = values.integer(value)
    word = name.partition("#")[0]
    if not world.is_class(klass):
        return
    if word[:1] == "@":
        _read_field(world, value, word, target, tier)
    elif name == "class#":
        world.solver.add(target, klass, tier)
    elif word[:2] == "::":
        _member_constant(world, klass, word[2:], target)
    elif (found := known.of_instance(klass, word)) is not None:
        _take(world, found, value, target, tier)
    elif word in PASSING:
        world.solver.add(target, values.of(Kind.METHOD, value, word), tier)
    else:
        _missing(world, name, target, klass, tier, OBJECT)


def _missing(
    world: World, name: str, target: int, klass: int, tier: int, native: frozenset[str]
) -> None:
    """A member that no class of the units has."""
    known, values = classes_of(world), world.values
    word, _, how = name.partition("#")
    shape = known.shape(klass)
    outside = shape.outside
    plain = all(each.removeprefix(f"{NATIVE}.") in PLAIN for each in outside)
    whole = plain and not shape.unknown and klass not in known.modules
    unit = _unit(world, target)
    if how == "f" and word in FUNCTIONS:
        world.solver.add(target, values.outside(f"{NATIVE}.{word}"), tier)
    elif how == "f" and whole and _functions(world, unit, word, target, tier):
        return
    elif word in REFLECTIVE:
        world.reflected.add(target)
    elif word in native:
        world.solver.add(target, values.outside(f"{NATIVE}.{word}"), tier)
    elif known.of_instance(klass, "method_missing") is not None:
        world.reflected.add(target)
    elif outside:
        world.solver.add(target, values.outside(f"{outside[0]}.{word}"), tier)


def _unit(world: World, node: int) -> int:
    """The unit that a node of an operation belongs to."""
    at = bisect_right(world.parts, node, key=_base) - 1
    return max(at, 0)


def _base(part: Part) -> int:
    return part.base


def _read_field(world: World, value: int, word: str, target: int, tier: int) -> None:
    """A field of an instance or class, in all classes that may have set it."""
    if word not in world.stored and not _generated(world, value, word):
        return
    values = world.values
    instance = values.kinds[value] == Kind.INSTANCE
    klass = values.integer(value) if instance else value
    if word[:2] == "@@":
        for each in classes_of(world).shape(klass).order:
            world.solver.copy(world.field(each, word), target, tier)
    elif instance:
        for each in classes_of(world).shape(klass).order:
            world.solver.copy(world.field(values.of(Kind.INSTANCE, each), word), target, tier)
    else:
        world.solver.copy(world.field(klass, word), target, tier)


def _generated(world: World, value: int, word: str) -> bool:
    """Whether a field is one that instances are made with (`Struct.new(:x)`)."""
    return world.values.kinds[value] == Kind.INSTANCE and (
        word in classes_of(world).fields(world.values.integer(value))
    )


def _of_class(world: World, name: str, target: int, value: int, tier: int) -> None:
    known, values = classes_of(world), world.values
    word = name.partition("#")[0]
    if word[:1] == "@":
        _read_field(world, value, word, target, tier)
    elif word[:2] == "::":
        _member_constant(world, value, word[2:], target)
    elif name == "class#":
        world.solver.add(target, values.outside(f"{NATIVE}.Class"), tier)
    elif (found := known.of_class(known.line(value), word)) is not None:
        _take(world, found, value, target, tier)
    elif word == "new" and value not in known.modules:
        world.solver.add(target, value, tier)
        if known.names.get(value) in CLASSES:
            native = f"{NATIVE}.{known.names[value]}.new"
            world.solver.add(target, values.outside(native), tier)
    else:
        _missing(world, name, target, value, tier, MODULE | OBJECT)


def _of_super(world: World, name: str, target: int, value: int, tier: int) -> None:
    """The member behind that of the class that `super` stands in."""
    values, known = world.values, classes_of(world)
    klass, receiver = values.integer(value), values.second[value]
    assert isinstance(receiver, int)
    found: Found | None = None
    own = values.integer(receiver) if values.kinds[receiver] == Kind.INSTANCE else receiver
    if not world.is_class(own):
        return
    if own != receiver:
        order = known.shape(own).order
        if klass not in order:
            return
        found = known.look(order[order.index(klass) + 1 :], name)
    else:
        line = known.line(own)
        if klass not in line:
            return
        found = known.of_class(line[line.index(klass) :], name, first=False)
    if found is not None:
        _take(world, found, receiver, target, tier)
    elif klass not in known.modules:
        outside = known.shape(klass).outside
        text = f"{outside[0]}.{name}" if outside else f"{NATIVE}.{name}"
        if outside or name in OBJECT or name in MODULE:
            world.solver.add(target, values.outside(text), tier)


_OF: dict[int, Callable[[World, str, int, int, int], None]] = {
    Kind.INSTANCE: _of_instance,
    Kind.CLASS: _of_class,
    Kind.SUPER: _of_super,
}


def set_attribute(world: World, name: str, source: int, value: int, tier: int, node: int) -> None:
    """A field takes what `source` holds."""
    kind = world.values.kinds[value]
    if kind == Kind.INSTANCE and name[:2] == "@@":
        value, kind = world.values.integer(value), Kind.CLASS
    if kind in (Kind.INSTANCE, Kind.CLASS):
        world.solver.copy(source, world.field(value, name), tier)


# ------------------------------------------------------------------------------ calls


def call(world: World, number: int, y: Any, value: int, tier: int, node: int) -> None:
    """A value is called."""
    kind = world.values.kinds[value]
    if kind == Kind.METHOD:
        _call_method(world, number, value, tier)
    elif world.early:
        world.later.append((Use.CALL, number, y, value, tier, node))
    elif kind == Kind.CLASS and value in classes_of(world).modules:
        return
    elif kind == Kind.CLASS and classes_of(world).names.get(value) in CLASSES:
        _make_native(world, number, value, tier)
    elif kind != Kind.INSTANCE:
        calls.call(world, number, y, value, tier, node)


def _make_native(world: World, number: int, klass: int, tier: int) -> None:
    """An instance of a class of the language, of which the units have no more than additions."""
    instance = world.values.of(Kind.INSTANCE, klass)
    if world.calls[number].result >= 0:
        world.solver.add(world.calls[number].result, instance, tier)
    calls.construct(world, number, klass, instance, tier)


def _call_method(world: World, number: int, value: int, tier: int) -> None:
    """A member that the language makes: what mixes in, an accessor, what gives its receiver back."""
    values, made = world.values, world.calls[number]
    owner, name = values.integer(value), values.second[value]
    assert isinstance(name, str)
    if name in MIXINS:
        for at, argument in enumerate(made.arguments if world.early else ()):
            if argument.kind == Port.POSITIONAL:
                world.solver.use(argument.node, MIX, (name, owner, made, at), -1)
    elif name[:1] == "@":
        _access(world, made, owner, name, tier)
    elif values.kinds[owner] == Kind.CONTAINER:
        world.rules.methods[name](world, made, owner, tier)
    elif made.result >= 0:
        world.solver.add(made.result, owner, tier)


def _access(world: World, made: Call, owner: int, name: str, tier: int) -> None:
    """A field is read or set by its accessor."""
    if not name.endswith("="):
        if made.result >= 0:
            _read_field(world, owner, name, made.result, tier)
    elif made.arguments:
        world.stored.add(name[:-1])
        world.solver.copy(made.arguments[0].node, world.field(owner, name[:-1]), tier)


def mixed(world: World, x: Any, y: int, value: int, tier: int, node: int) -> None:
    """A module is included, prepended, or extends a class."""
    name, klass, made, at = cast("tuple[str, int, Call, int]", x)
    if not world.early or world.values.kinds[value] not in (Kind.CLASS, Kind.EXTERNAL):
        return
    known = classes_of(world)
    known.mix(klass, name, (made.unit, made.op, -at), value)
    if not world.is_class(value):
        return
    part = world.parts[made.unit]
    around = made.scope in part.classes and world.klass(made.unit, made.scope) == klass
    if around and value != klass:
        fact = Fact(EdgeType.INHERITS, made.unit, made.scope, made.op, value, Method.SCOPE)
        world.facts[fact] = min(tier, world.facts.get(fact, 2))
    hook = known.look([value], _HOOKS[name] + "#self")
    if hook is not None and hook.node >= 0:
        world.solver.use(hook.node, HOOK, klass, -1)


_HOOKS = {"include": "included", "prepend": "prepended", "extend": "extended"}


def hooked(world: World, klass: int, y: int, value: int, tier: int, node: int) -> None:
    """The hook of a module gets the class that includes it."""
    if world.values.kinds[value] == Kind.FUNCTION:
        parameters = world.function(value).parameters
        if parameters:
            world.solver.add(parameters[0].node, klass, 0)


def item(world: World, x: Any, y: int, value: int, tier: int, node: int) -> None:
    """An item; of a class or function it is not what they are."""
    told = isinstance(x, tuple)
    if world.early:
        world.later.append((Use.ITEM, x, y, value, tier, node))
    elif world.values.kinds[value] not in (Kind.CLASS, Kind.FUNCTION, Kind.BOUND):
        key, site = cast("tuple[str | None, tuple[int, int]]", x) if told else (x, (-1, -1))
        protocols.item(world, key, y, value, tier, site)
