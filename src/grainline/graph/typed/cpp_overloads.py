"""Which of several functions of one name a call means in C++, and where a function is defined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from grainline.graph.typed.cpp_names import Names, Place, bare, substitute
from grainline.graph.typed.cpp_program import INIT, Entity, Function, Type
from grainline.model.ir import CONSTANT, Op, Param

EXACT: Final = 5
GENERIC: Final = 4  # a parameter of a template
PROMOTED: Final = 3  # another type of the language, a class above
USER: Final = 1  # by a constructor or conversion
NO: Final = 0
UNKNOWN: Final = -1

ZERO: Final = ("p", "0")

MAX_UNSURE: Final = 32
"""Functions that a call may mean; more are no answer."""

_INTEGERS: Final = frozenset(
    ["char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
     "unsigned", "long", "unsigned long", "long long", "unsigned long long", "bool", "float",
     "double", "long double", "char8_t", "char16_t", "char32_t", "wchar_t"]
)  # fmt: skip
_OTHER_NAMES: Final = frozenset(
    ["size_t", "ptrdiff_t", "ssize_t", "intptr_t", "uintptr_t", "uint", "ulong", "off_t"]
    + [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    + [f"{sign}int_{kind}{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)
       for kind in ("fast", "least")]
)  # fmt: skip


def numeric(kind: Type) -> str:
    """The name of a type of numbers, "" of another; "?" of one whose size is not known."""
    kind = bare(kind)
    if kind is None or kind[0] not in ("p", "x"):
        return ""
    name = "int" if kind == ZERO else kind[1].removeprefix("std::")
    if kind[0] == "p":
        return name if name in _INTEGERS or name == "?" else "?" if name in _OTHER_NAMES else ""
    return "?" if name in _OTHER_NAMES else ""


class Choice(NamedTuple):
    """The functions that a call means; `sure` when there is one and nothing else can be meant."""

    functions: tuple[Function, ...]
    sure: bool
    bindings: Mapping[tuple[Any, str], Type]


class Signatures:
    """Types of parameters and results, and how arguments fit."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.program = names.program
        self._groups: dict[tuple[Any, ...], list[Function]] = {}
        self._linked: dict[Function, tuple[int, list[Function]]] = {}
        self._nest()
        self._attach()
        for file in self.program.files:
            for each in file.functions.values():
                if file.scopes[file.scopes[each.scope].parent].kind in (0, 1):
                    self._groups.setdefault(_key(each), []).append(each)

    # -------------------------------------------------------------------------- places

    def _nest(self) -> None:
        """Classes that are defined outside of the class they belong to."""
        for file in self.program.files:
            for space, local, op in file.attached:
                _, owner, name, value, _, _ = file.ops[op]
                if file.ops[value][0] != Op.CLASS:
                    continue
                kind = self.names.named(file, owner, Place(file.number, space))
                number = file.classes[file.ops[value][1]]
                if kind is not None and kind[0] == "c" and kind[1] != number:
                    self.program.classes[number].outer = kind[1]
                    entity = Entity("class", file.number, number, local, space, kind[1])
                    members = self.program.of(kind).members
                    members.setdefault(file.names[name], []).append(entity)

    def _attach(self) -> None:
        """Functions that are defined outside of their class, or of their namespace."""
        for file in self.program.files:
            for space, local, op in file.attached:
                _, owner, name, value, _, _ = file.ops[op]
                if file.ops[value][0] == Op.CLASS:
                    continue
                made = file.functions.get(file.ops[value][1])
                if made is None:
                    continue
                variables = tuple((each, _owner(made)) for each in made.variables)
                kind = self.names.named(file, owner, Place(file.number, space, -1, variables))
                if kind is not None and kind[0] == "c":
                    made.owner = kind[1]
                elif kind is not None and kind[0] == "n":
                    made.space = kind[1]
                    file.spaces[made.scope] = made.space
                    entity = Entity("function", file.number, made, local, made.space)
                    self.program.names.setdefault((made.space, file.names[name]), []).append(entity)
                else:
                    made.owner = -2

    def place(self, function: Function) -> Place:
        """Where the parameters and the body of a function stand."""
        variables = tuple((name, _owner(function)) for name in function.variables)
        file = self.program.files[function.unit]
        space = function.space
        if function.owner >= 0:
            variables += self.names.class_variables(function.owner)
            space = self.program.classes[function.owner].space
        del file
        return Place(function.unit, space, max(function.owner, -1), variables, function.scope)

    def types(self, function: Function) -> tuple[Type, ...]:
        """The types of the parameters."""
        if function.types is None:
            function.types = (None,) * len(function.parameters)
            file = self.program.files[function.unit]
            place = self.place(function)
            function.types = tuple(
                bare(self.names.named(file, op, place)) if op >= 0 else None
                for _, _, op in function.parameters
            )
            if function.returns >= 0:
                function.result = self.names.named(file, function.returns, place)
        return function.types

    def result(self, function: Function) -> Type:
        """The declared type of the result."""
        self.types(function)
        return function.result

    # -------------------------------------------------------------------------- linkage

    def linked(self, function: Function) -> tuple[int, list[Function]]:
        """The definitions that a function stands for, and the tier of that."""
        known = self._linked.get(function)
        if known is None:
            known = self._linked[function] = self._definitions(function)
        return known

    def _definitions(self, function: Function) -> tuple[int, list[Function]]:
        group = self._groups.get(_key(function), [function])
        same = [each for each in group if each is function or self.same(each, function)]
        visible = self.names.visible
        if not function.abstract:  # branches of the preprocessor may have one each
            return 0, [
                each for each in same
                if each is function or (
                    not each.abstract and len(each.variables) == len(function.variables)
                    and not function.macro
                    and (each.unit == function.unit or each.unit in visible[function.unit])
                )
            ]  # fmt: skip
        if function.owner >= 0:
            found = [each for each in same if not each.abstract]
            if found:
                return 0, found
        mine = [each for each in same if not each.abstract and each.unit == function.unit]
        others = [
            each for each in same
            if not each.abstract and not each.local and function.unit in visible[each.unit]
        ]  # fmt: skip
        if mine or others:
            found = mine or others
            return 0, found
        if not function.local:
            groups = self.names.groups
            near = [
                each for each in same
                if not each.abstract and not each.local
                and groups[each.unit] == groups[function.unit]
            ]  # fmt: skip
            if len(near) == 1:
                return 1, near
        declared = [each for each in same if each.abstract and each.local == function.local]
        seen = [each for each in declared if each.unit in visible[function.unit]]
        return 0, [min(seen or [function], key=lambda each: (each.unit, each.scope))]

    def same(self, one: Function, other: Function) -> bool:
        """Whether two declarations are of one function."""
        if self.program.files[one.unit].plain or self.program.files[other.unit].plain:
            return one.owner == other.owner
        if (one.flags ^ other.flags) & CONSTANT or one.starred != other.starred:
            return False
        if len(one.parameters) != len(other.parameters):
            return False
        return all(
            alike(mine, theirs)
            for mine, theirs in zip(self.types(one), self.types(other), strict=True)
        )

    # -------------------------------------------------------------------------- overloads

    def choose(
        self,
        functions: Sequence[Function],
        arguments: Sequence[Type],
        *,
        torn: bool = False,
        bindings: Mapping[tuple[Any, str], Type] | None = None,
        changing: bool | None = None,
        given: tuple[Type, ...] = (),
    ) -> Choice:
        """The functions that a call with such arguments means.

        Args:
            functions: all that are visible under the name.
            arguments: their types.
            torn: there may be more arguments.
            bindings: what parameters of classes stand for.
            changing: whether what the function is called on may change, None when unknown.
            given: arguments of the template.
        """
        bound = dict(bindings or {})
        distinct = self.distinct(functions)
        if given:
            distinct = [each for each in distinct if each.variables] or distinct
        fitting: list[tuple[Function, list[int]]] = []
        for each in distinct:
            ranks = self._ranks(each, arguments, bound, torn=torn)
            if ranks is not None:
                fitting.append((each, ranks))
        if torn:
            return Choice(tuple(each for each, _ in fitting), len(fitting) == 1, bound)
        if len(fitting) > 1:
            fitting = self._best(fitting, changing)
        if len(fitting) > MAX_UNSURE:
            return Choice((), False, bound)
        if len(fitting) == 1:
            bound.update(self.deduced(fitting[0][0], arguments, given))
        return Choice(tuple(each for each, _ in fitting), self._one(fitting), bound)

    def _one(self, fitting: list[tuple[Function, list[int]]]) -> bool:
        """Whether all of them are, in the end, one function."""
        if len(fitting) <= 1:
            return len(fitting) == 1
        targets = [self.linked(each)[1] for each, _ in fitting]
        return len(targets[0]) == 1 and all(each == targets[0] for each in targets)

    def distinct(self, functions: Iterable[Function]) -> list[Function]:
        """One of all declarations of each function, that with the most defaults."""
        found: list[Function] = []
        for each in dict.fromkeys(functions):
            for at, other in enumerate(found):
                if self._again(each, other):
                    if each.defaults > other.defaults:
                        found[at] = each
                    break
            else:
                found.append(each)
        return found

    def _again(self, one: Function, other: Function) -> bool:
        """Whether two are surely declarations of one function."""
        if _key(one) != _key(other) or not self.same(one, other):
            return False
        outside = (one.owner >= 0) and (one.receives != other.receives)
        if len(one.variables) != len(other.variables) and not outside:
            return False
        return None not in self.types(one) and None not in self.types(other)

    def _ranks(
        self,
        function: Function,
        arguments: Sequence[Type],
        bindings: Mapping[tuple[Any, str], Type],
        *,
        torn: bool,
    ) -> list[int] | None:
        types = self.types(function)
        count = len(types)
        packs = [at for at, (kind, _, _) in enumerate(function.parameters) if kind == Param.STAR]
        least = count - function.defaults - len(packs)
        if function.macro:
            return [UNKNOWN] * len(arguments)
        if not torn and len(arguments) < least:
            return None
        if len(arguments) > count and not function.starred:
            return None
        ranks: list[int] = []
        for at, argument in enumerate(arguments):
            if packs and at >= packs[0]:
                ranks.append(GENERIC - 1)
                continue
            if at >= count:
                ranks.append(NO + 1)
                continue
            rank = self.fits(argument, substitute(types[at], bindings))
            if rank == NO:
                return None
            ranks.append(rank)
        return ranks

    def fits(self, argument: Type, wanted: Type) -> int:
        """How an argument fits a parameter."""
        argument, wanted = bare(argument), bare(wanted)
        if wanted is not None and wanted[0] == "v":
            return GENERIC
        if argument is None or wanted is None or argument[0] == "v":
            return UNKNOWN
        if argument == wanted:
            return EXACT if not _vague(argument) else UNKNOWN
        if argument == ZERO and wanted == ("p", "int"):
            return EXACT
        mine, theirs = numeric(argument), numeric(wanted)
        if mine and theirs:
            return PROMOTED if "?" not in (mine, theirs) else UNKNOWN
        if argument[0] == "*" and wanted[0] == "*":
            return self._pointers(bare(argument[1]), bare(wanted[1]))
        if argument[0] == "c" and wanted[0] == "c":
            return self._classes(argument, wanted)
        if argument[0] == "c":
            return self._converted(argument, wanted)
        if wanted[0] == "c":
            return self._made(argument, wanted)
        if argument == ("p", "nullptr"):
            return NO if theirs else UNKNOWN
        if wanted[0] == "*" and mine:
            return UNKNOWN if argument == ZERO else NO
        if argument[0] == "*" and theirs:
            return PROMOTED if theirs == "bool" else NO
        return UNKNOWN

    def _pointers(self, one: Type, other: Type) -> int:
        if one is None or other is None or "v" in (one[0], other[0]):
            return GENERIC if other is not None and other[0] == "v" else UNKNOWN
        if one == other:
            return EXACT
        if other == ("p", "void"):
            return PROMOTED
        if one[0] == "c" and other[0] == "c":
            below = one[1] == other[1] or self.names.is_below(one, other)
            return PROMOTED if below else UNKNOWN if below is None else NO
        if (one[0] == "p" and other[0] == "c") or (one[0] == "c" and other[0] == "p"):
            return NO
        return UNKNOWN

    def _classes(self, one: Type, other: Type) -> int:
        assert one is not None
        assert other is not None
        if one[1] == other[1]:
            return UNKNOWN if one[2] != other[2] else EXACT
        below = self.names.is_below(one, other)
        if below:
            return PROMOTED
        if below is None:
            return UNKNOWN
        made, converted = self._made(one, other), self._converted(one, other)
        return max(made, converted) if NO in (made, converted) else UNKNOWN

    def _made(self, argument: Type, wanted: Type) -> int:
        """Whether a class can be made of one argument."""
        assert wanted is not None
        made = self.program.of(wanted)
        if made.special or made.variables:
            return UNKNOWN
        del argument
        own = [each.value for each in made.members.get(INIT, ()) if each.kind == "function"]
        if any(_takes_one(each) for each in own):
            return USER
        return UNKNOWN if INIT not in made.members and made.bases else NO

    def _converted(self, argument: Type, wanted: Type) -> int:
        """Whether a class has an operator that converts it; an enumeration is a number."""
        assert argument is not None
        if self.program.of(argument).flags & CONSTANT:
            return PROMOTED if numeric(wanted) else UNKNOWN
        level: list[Type] = [argument]
        deep = 0
        while level and deep < 20:
            deep += 1
            at = level.pop()
            if at is None or at[0] != "c":
                return UNKNOWN
            made = self.program.of(at)
            if any(name.startswith("operator ") for name in made.members):
                return USER
            level += self.names.supers(made.number)
        return NO

    def _best(
        self, fitting: list[tuple[Function, list[int]]], changing: bool | None
    ) -> list[tuple[Function, list[int]]]:
        """Those that no other one beats."""
        left = [
            each for each in fitting
            if not any(other is not each and self._beats(other, each, changing) for other in fitting)
        ]  # fmt: skip
        return left or fitting

    def _beats(
        self,
        one: tuple[Function, list[int]],
        other: tuple[Function, list[int]],
        changing: bool | None,
    ) -> bool:
        better = False
        mine, theirs = self.types(one[0]), self.types(other[0])
        for at, (rank, its) in enumerate(zip(one[1], other[1], strict=True)):
            alike_ = at < len(mine) and at < len(theirs) and mine[at] == theirs[at]
            if alike_ and mine[at] is not None:
                continue
            if UNKNOWN in (rank, its) or rank < its:
                return False
            better = better or rank > its
        if better:
            return True
        if (one[0].flags ^ other[0].flags) & CONSTANT and changing is not None:
            return bool(one[0].flags & CONSTANT) != changing
        if bool(one[0].variables) != bool(other[0].variables) and mine == theirs:
            return not one[0].variables
        if len(one[1]) and not one[0].variables and other[0].variables:
            return all(rank == EXACT for rank in one[1])
        return False

    def deduced(
        self, function: Function, arguments: Sequence[Type], given: tuple[Type, ...]
    ) -> dict[tuple[Any, str], Type]:
        """What the parameters of a template stand for in a call."""
        if not function.variables:
            return {}
        owner = _owner(function)
        found: dict[tuple[Any, str], Type] = {}
        for wanted, argument in zip(self.types(function), arguments, strict=False):
            _unify(wanted, bare(argument), owner, found)
        for name, kind in zip(function.variables, given, strict=False):
            found[owner, name] = kind
        return found


def _unify(wanted: Type, given: Type, owner: Any, found: dict[tuple[Any, str], Type]) -> None:
    wanted = bare(wanted)
    if wanted is None or given is None:
        return
    if wanted[0] == "v":
        if wanted[1] == owner:
            known = found.setdefault((owner, wanted[2]), given)
            if known != given:
                found[owner, wanted[2]] = None
    elif wanted[0] == "*" and given[0] == "*":
        _unify(wanted[1], bare(given[1]), owner, found)
    elif wanted[0] in ("c", "x") and given[0] == wanted[0] and given[1] == wanted[1]:
        for inner, each in zip(wanted[2], given[2], strict=False):
            _unify(inner, bare(each), owner, found)


def _takes_one(function: Function) -> bool:
    count = len(function.parameters)
    return function.starred or (count >= 1 and count - function.defaults <= 1)


def _vague(kind: Type) -> bool:
    return numeric(kind) == "?"


def _owner(function: Function) -> tuple[str, int, int]:
    return ("f", function.unit, function.scope)


def _key(function: Function) -> tuple[Any, ...]:
    """What all declarations of a function, and of those beside it, have in common."""
    name = INIT if function.constructor else function.name
    if function.owner >= 0:
        return (function.owner, name)
    if function.owner == -2 or function.macro:
        return ("lost", function.unit, function.scope)
    if function.local:
        return (function.space, name, function.unit)
    return (function.space, name)


def alike(one: Type, other: Type) -> bool:
    """Whether two types that are written in different places may be one."""
    one, other = bare(one), bare(other)
    if one is None or other is None or (one[0] == "v" and other[0] == "v"):
        return True
    if one[0] != other[0]:
        return False
    if one[0] in ("c", "x"):
        names = one[1] == other[1]
        if one[0] == "x":
            names = one[1].rpartition("::")[2] == other[1].rpartition("::")[2]
        return names and all(alike(a, b) for a, b in zip(one[2], other[2], strict=False))
    if one[0] == "*":
        return alike(one[1], other[1])
    if one[0] == "p":
        return _plain(one[1]) == _plain(other[1])
    return True


def _plain(name: str) -> str:
    words = [word for word in name.split() if word not in ("signed", "int")] or ["int"]
    return " ".join(sorted(words))
