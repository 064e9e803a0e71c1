"""The seam of the graph: one `LanguageRules` per family of languages, found by the module name.

Adding a language to the graph takes three things, one file (and `_parts` of it) each:

1. `languages/lowering/<name>.py`: `lower` makes the IR; `LanguageSpec.lower` names it. What a
   language *says* goes into the IR, so that the resolution need not know who said it:
   - `Param.RECEIVER`: a function that is called on something (`this`, Go's and Rust's receivers).
     A function in a class gets an instance of it there, with the flag `STATIC` the class itself;
     elsewhere the annotation of the parameter says its type. Without such a parameter the
     function has no receiver (static methods, free functions).
   - `Op.ATTACH`: a member that is defined outside of its type (methods of Go, `impl` of Rust,
     `Foo::bar` of C++, extension functions): the resolution adds it to whatever class the operand
     names, in whatever file.
   - `CLASS` with ports: `POSITIONAL` bases are extended or embedded, `INTERFACE` ones implemented.
     Flag `ABSTRACT`: interfaces, traits; functions without a body. A call on a receiver of such a
     type reaches the function that the type declares; `OVERRIDES` leads on to what runs.
   - `ANNOTATE` and annotations of parameters and results: declared types. What they name is
     loaded like any value (`LOAD`, `GETATTR`, `GETITEM` for type arguments).
   - `NEW` where making an instance is said apart from calling; `EXPORT` where a module says what
     it gives; `PACKAGE` for what others of a package see without an import; `IMPORT`.
   - Names that come into being before they are written (functions of JavaScript) are stored first.
     A name that is read in its own scope before any store means whatever the scope binds it to.
2. `languages/modules/<name>.py`: a resolver of module names (`modules/base.py`).
3. `graph/rules/<name>.py`: `RULES = LanguageRules(...)`, this file's value. Each field says what
   it changes; the defaults are those of a statically typed language with classes.

Everything else (scopes, flow, members, method resolution, components, edges) is shared. Units of
different rules never meet: `resolve` solves every family by itself, component by component.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from grainline.languages.modules.base import Module, Modules, Project
from grainline.model.ir import FileIr
from grainline.registry import Registry

if TYPE_CHECKING:
    from grainline.graph.classes import Classes
    from grainline.graph.parts import Call
    from grainline.graph.world import World

Model: TypeAlias = "Callable[[World, Call, int, int], None]"
"""(world, call, number of the call, tier): what something external does when it is called."""

Method: TypeAlias = "Callable[[World, Call, int, int], None]"
"""(world, call, container, tier): what a method of a container does."""

UseHandler: TypeAlias = "Callable[[World, Any, Any, int, int, int], None]"
"""(world, x, y, value, tier, node): what is done with a value that arrives where a use stands."""

Accepts: TypeAlias = "Callable[[World, Call, int, int], bool]"
"""(world, call, function, receiver or -1): whether the call can mean this function."""


FreeName: TypeAlias = "Callable[[World, int, str, int], None]"
"""(world, unit, name, node): what a name that nothing in the file binds means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocols:
    """Members that statements call without saying so; `()` and "" where there is no such thing."""

    call: str = ""
    iterators: tuple[str, ...] = ()
    nexts: tuple[str, ...] = ()
    get_item: str = ""
    set_item: str = ""
    enters: tuple[str, ...] = ()
    exits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Types:
    """Words of annotations.

    Attributes:
        own: mean the class around (`Self`).
        transparent: `W[X]` is an X, for every X in it; `last`: the last one only.
        classes: `W[X]` is the class X itself.
        elements: a list of X; `keyed`: of the last one; `mappings`: an object or dictionary of the
            last one; `tuples`: one by one.
        opaque: say nothing of a value.
    """

    own: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset()
    last: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    elements: frozenset[str] = frozenset()
    keyed: frozenset[str] = frozenset()
    mappings: frozenset[str] = frozenset()
    tuples: frozenset[str] = frozenset()
    opaque: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Idioms:
    """Names that mean something special when they are called; "" and empty: no such thing.

    Attributes:
        narrows: `narrows(x, C)` as a condition: x is a C.
        updates: `x.updates({...})` sets the keys.
        variables: `T = variables(...)` makes a type variable; "#": the lowering says which are.
        wraps: applied to `wraps(f)`, and `rewraps(g, f)`: stands for f.
        statics: decorators behind which a function has no receiver; `class_functions`: functions
            (or decorators) whose receiver is the class.
        property_suffix: decorators of external names that end so make a property.
    """

    narrows: str = ""
    updates: str = ""
    variables: str = ""
    wraps: str = ""
    rewraps: str = ""
    statics: frozenset[str] = frozenset()
    class_functions: frozenset[str] = frozenset()
    property_suffix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """What languages with declared types know without a file.

    Attributes:
        library: classes that come with them, in the words of `typed/library.py`.
        implicit: packages whose names need no import, the best one first, by language.
        more: what is added to the library where a file of the languages `extending` is there, whose
            functions may extend types and whose files may call those of the others.
        namespaces: names mean what they mean in C#: namespaces inside of others, partial classes,
            methods that extend a type, optional and named arguments; the library is a part of it.
    """

    library: str
    implicit: Mapping[str, tuple[str, ...]]
    more: str = ""
    extending: frozenset[str] = frozenset()
    namespaces: bool = False


def _nothing_hidden(name: str) -> bool:
    del name
    return False


def _no_import(modules: Modules, path: str, imported: str, word: str) -> tuple[Module, ...]:
    del modules, path, imported, word
    return ()


def _nothing_more(ir: FileIr, path: str, modules: Modules) -> Iterable[Module]:
    del ir, path, modules
    return ()


def _by_number(world: World, made: Call, function: int, receiver: int) -> bool:
    from grainline.graph.overloads import takes

    return takes(world, made, function, receiver)


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageRules:
    """What the resolution of one family of languages has to know.

    Attributes:
        languages: names of the `LanguageSpec`s whose files are resolved together.
        modules: makes the resolver of module names.
        shaping: file names whose bytes the resolver wants (`Project.files`); `*.x`: all that end so.
        reach: modules that a file may name beside its imports and what stands beside it (names
            that are qualified in full); what is left out here breaks components.
        natives: names that the language binds itself.
        free: finds what a name that nothing in the file binds means, in place of `beside` and
            `natives`; what it leads to has to be in `reach`.
        models: dotted name of something external -> what it does; what has none is a leaf.
        methods: methods of containers that say something of what they hold.
        shared_methods: those of `methods` that any value may have.
        universal: methods that every value has, also one that is not seen: that of something that came
            by flow is no more than `ambiguous`.
        callbacks: methods that call the functions they get, also of what is not known.
        uses: uses that only these rules know (numbers from `len(Use) + 12` on) -> their handlers.
        hides: whether a star import leaves a name out.
        constructors: members that run when a class is called, on the instance.
        factories: the same, on the class.
        inherits_constructors: whether those of a base run when the class has none.
        generates_constructor: a class without constructor takes its annotated members.
        super_name: the name that means the receiver as its bases have it ("" none).
        receiver_name: the name of the receiver ("" none): what it means where a class sets its
            fields.
        late_binding: the operator that makes of a class the one that is meant late; a function
            that returns its receiver, an instance of such a class or one of the `own` word of this
            name gives an instance of what it is called on ("" none).
        first_is_receiver: the first parameter of a function in a class takes the receiver.
        members_in_scope: a name in a method may mean a member of a class around.
        explicit_exports: a module gives what it EXPORTs, not what it binds.
        default_export: a name of a module that stands for all that it gives when it is bound:
            other names are members of it ("" none).
        merges: declarations of one name in one scope are one thing: a set of all of them.
        overloads: same-named functions of a scope stand beside each other; a call means those
            that `accepts` it, and is `resolved` when that is one.
        accepts: see `overloads`; by default the number of arguments decides.
        rest_is_list: the declared type of a parameter that takes the rest is that of all of it,
            not of an element.
        declared: the declared type of a variable decides what is called on it, not the classes
            of the values that arrive there.
        first_declares: the first value of a variable declares its type.
        conversions: calling a type converts to it; `NEW` makes instances.
        receiver_argument: a method that is read from its type takes the receiver as its first
            argument; a function without receiver that is read from an instance is not bound to it.
        prepare: what is done once the files are known, before anything is linked.
        classes: the kind of `Classes` where bases, members and their order are a matter of the
            language.
        narrows_inside: what a condition says of the class of a name holds in its branch alone.
        reflective: methods that call what a computed name says.
        promotes: members of what is embedded: the nearest one counts, two at one depth are none.
        links: a function may be declared in one file and defined in another that includes it, and
            a file names what it includes.
        most_outside: values of a node behind which external ones are not told apart.
        hides_members: a name that is written in a class never means a member of it.
        passing: methods that everything has and that give what they are called on.
        is_test: whether the code of a path is there for tests alone: values that tests pass on
            are no reason to call them from elsewhere.
        structural: a type that has the methods of an interface implements it.
        imported: (modules, path, import, word) -> what `word` means when the package that is
            imported so has that name.
        packaged: a package is its files: who imports it imports each of them.
        objects: members of containers are attributes too, and functions make instances
            (prototypes); functions that are read from something are called on it.
        property_flow: what is called on something unknown may be any function that is stored
            under that name (flowed, bounded).
        mentions: functions and classes that are mentioned without a call are references.
        protocols: members that statements call; `types`: words of annotations; `idioms`: names.
        platform: declared types say what expressions are, so `typed/` resolves the units in place of
            the fixpoint; the fields between `reach` and this one are idle then.
        beside: languages of the family whose units `typed/cpp.py` resolves, with what the others
            declare; the fixpoint resolves the others.
    """

    languages: tuple[str, ...]
    modules: Callable[[Project], Modules]
    shaping: frozenset[str] = frozenset()
    reach: Callable[[FileIr, str, Modules], Iterable[Module]] = _nothing_more
    natives: frozenset[str] = frozenset()
    free: FreeName | None = None
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    methods: Mapping[str, Method] = field(default_factory=dict[str, Method])
    uses: Mapping[int, UseHandler] = field(default_factory=dict[int, UseHandler])
    shared_methods: frozenset[str] = frozenset()
    universal: frozenset[str] = frozenset()
    callbacks: frozenset[str] = frozenset()
    hides: Callable[[str], bool] = _nothing_hidden
    constructors: tuple[str, ...] = ()
    factories: tuple[str, ...] = ()
    inherits_constructors: bool = False
    generates_constructor: bool = False
    super_name: str = ""
    receiver_name: str = ""
    late_binding: str = ""
    first_is_receiver: bool = False
    members_in_scope: bool = False
    explicit_exports: bool = False
    default_export: str = ""
    merges: bool = False
    overloads: bool = False
    accepts: Accepts = _by_number
    rest_is_list: bool = False
    declared: bool = True
    first_declares: bool = False
    conversions: bool = False
    receiver_argument: bool = False
    prepare: Callable[[World], None] | None = None
    classes: type[Classes] | None = None
    narrows_inside: bool = False
    reflective: frozenset[str] = frozenset()
    promotes: bool = False
    structural: bool = False
    hides_members: bool = False
    most_outside: int = sys.maxsize
    links: bool = False
    passing: frozenset[str] = frozenset()
    is_test: Callable[[str], bool] = _nothing_hidden
    imported: Callable[[Modules, str, str, str], tuple[Module, ...]] = _no_import
    packaged: bool = False
    objects: bool = False
    property_flow: bool = False
    mentions: bool = False
    protocols: Protocols = field(default_factory=Protocols)
    types: Types = field(default_factory=Types)
    idioms: Idioms = field(default_factory=Idioms)
    platform: Platform | None = None
    beside: frozenset[str] = frozenset()

    @property
    def star_binds(self) -> bool:
        """Whether names of a file that nothing binds may come by a star import.

        Where modules say what they give, a star is what others get; what is included is looked up
        at once (`includes.py`).
        """
        return not self.explicit_exports and not self.links


RULES: Registry[LanguageRules] = Registry(
    "grainline.graph.rules", "RULES", skip=frozenset({"base"})
)


@cache
def _by_language() -> dict[str, LanguageRules]:
    return {language: rules for rules in RULES for language in rules.languages}


def rules_of(language: str) -> LanguageRules | None:
    """The rules for files of a language; None: the graph does not know it."""
    return _by_language().get(language)
