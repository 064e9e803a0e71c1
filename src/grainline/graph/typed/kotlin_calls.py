"""What calls of Kotlin mean: members, what extends a type, functions of packages, constructors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from grainline.graph.typed.facts import RESOLVED, UNSURE
from grainline.graph.typed.kotlin_frames import KotlinFrame
from grainline.graph.typed.kotlin_library import RECEIVER, is_function
from grainline.graph.typed.kotlin_names import is_kotlin
from grainline.graph.typed.kotlin_overloads import IMPLICIT, Fit, Given
from grainline.graph.typed.kotlin_reading import KotlinReader
from grainline.graph.typed.overloads import LOOSE, Candidate
from grainline.graph.typed.program import INIT, File, Function
from grainline.graph.typed.types import OBJECT, Kind, Type, boxed, substitute
from grainline.model.edge import EdgeType, Method, Why
from grainline.model.ir import ARGUMENTS, BROKEN, CONSTRUCTOR, QUALIFIER, REFERENCE, Op, Port


class Meant(NamedTuple):
    """What a call means.

    Attributes:
        fits: the functions that it may reach, of the units or not.
        sure: whether nothing else can be meant, given that there is one.
        name: what it is called where nothing of the units is meant; `why` not.
        kind: the type that is made by a constructor.
        shape: what is called when it is a value.
        place: the operation whose value is called, that functions flow to.
        gives: the type of the result where no function says it.
    """

    fits: list[Fit]
    sure: bool = True
    name: str = ""
    why: Why = Why.DYNAMIC
    method: Method = Method.TYPE
    kind: Type = None
    shape: Candidate | None = None
    place: int = -1
    gives: Type = None
    known: bool = False
    """Whether no function that is passed can be called on something."""


class _Search:
    """The levels of a search: what fits for sure ends it, what may fit stays with what follows."""

    __slots__ = ("_fits", "doubt", "found", "given", "method")

    def __init__(self, fits: Callable[[list[Candidate], Given], list[Fit]], given: Given) -> None:
        self._fits = fits
        self.given = given
        self.found: list[Fit] = []
        self.doubt = False
        self.method = Method.SCOPE

    def ends(
        self,
        candidates: list[Candidate],
        *,
        doubt: bool = False,
        rival: bool = False,
        method: Method = Method.SCOPE,
    ) -> bool:
        """Take a level; whether it answers. `rival`: what is not there may be meant beside it."""
        best = self._fits(candidates, self.given) if candidates else []
        if not best:
            return False
        if not self.found:
            self.method = method
        known = {(fit.each.function.unit, fit.each.function.scope) for fit in self.found}
        self.found += [
            fit for fit in best
            if fit.each.function.unit < 0 or (fit.each.function.unit, fit.each.function.scope) not in known
        ]  # fmt: skip
        self.doubt = self.doubt or doubt or (rival and any(fit.rate < LOOSE for fit in best))
        return all(fit.rate >= LOOSE for fit in best)


class KotlinCalls(KotlinReader):
    """What calls mean."""

    def given(self, frame: KotlinFrame, op: int, explicit: tuple[Type, ...]) -> Given:
        """The arguments of a call."""
        file = frame.file
        _, _, first, count, _, _ = file.ops[op]
        rows = file.ports[first : first + count]
        ops = [value for _, _, value in rows]
        kinds = [self.values[file.number][at] for at in ops]
        kinds = [None if kind is not None and kind[0] in "tks" else kind for kind in kinds]
        words = [
            file.names[name] if kind == Port.KEYWORD else "*" if kind == Port.STAR else ""
            for kind, name, _ in rows
        ]
        return Given(
            ops, kinds, [self._written_shape(file, kind) for kind in kinds], words, explicit
        )

    def _written_shape(self, file: File, kind: Type) -> int | None:
        if kind is not None and kind[0] == "f" and file.scopes[kind[1]].flags & ARGUMENTS:
            return IMPLICIT
        return self._shape(file, kind)

    def meant(self, frame: KotlinFrame, op: int, a: int) -> tuple[Meant, Given]:
        """What a call means."""
        file = frame.file
        explicit: tuple[Type, ...] = ()
        code, x, y, c, _, _ = file.ops[a]
        if code == Op.GETITEM and c > 0:
            explicit = self._written(frame, y)
            a = x
            code, x, y, c, _, _ = file.ops[a]
        given = self.given(frame, op, explicit)
        if code == Op.LOAD:
            name = file.names[x]
            if y == QUALIFIER:
                return self.made(self.names.type_of(file, a, frame.scope), given, sure=True), given
            if name in ("this", "super"):
                return self._above_or_own(frame, op, name, given), given
            return self._plain(frame, op, a, name, given), given
        if code == Op.GETATTR and c != REFERENCE:
            return self._qualified(frame, a, self.before(frame, x), file.names[y], given), given
        return self.invoked(frame, self.values[file.number][a], a, "invoke", given), given

    def _written(self, frame: KotlinFrame, key: int) -> tuple[Type, ...]:
        file = frame.file
        code, _, first, count, _, _ = file.ops[key]
        keys = [key]
        if code == Op.MAKE:
            keys = [value for _, _, value in file.ports[first : first + count]]
        return tuple(self.names.type_of(file, each, frame.scope) for each in keys)

    def ended(
        self, search: _Search, name: str, why: Why, kind: Type = None, *, known: bool = False
    ) -> Meant:
        """The answer of a search."""
        found = search.found
        inside = [
            fit for fit in found if fit.each.function.unit >= 0 or constructs(fit.each.function)
        ]
        fits = inside or found
        if fits and not inside:
            why = Why.EXTERNAL
            name = f"kotlin.Any.{name}" if self.names.library.methods(OBJECT, name) else name
        sure = len(found) == 1 and not search.doubt
        return Meant(fits, sure, name, why, search.method, kind, known=known)

    # -------------------------------------------------------------------------- plain names

    def _plain(self, frame: KotlinFrame, op: int, a: int, name: str, given: Given) -> Meant:
        """`f(x)`."""
        search = _Search(self.signatures.fits, given)
        last = False
        for level in self.levels(frame):
            last = level.doubt
            if level.frame is not None:
                if name in level.frame.env:
                    return self.invoked(frame, self.name(frame, a, name), a, name, given)
                inside = self._inside.get((level.frame.file.number, level.frame.scope), {})
                local = [Candidate(each, {}) for each in inside.get(name, ()) if each.receiver < 0]
                if search.ends(local):
                    return self.ended(search, name, Why.DYNAMIC)
                continue
            if self._receiver_ends(frame, a, level.receiver, name, search, doubt=level.doubt):
                return self.ended(search, name, Why.DYNAMIC)
            called = self._called_property(frame, a, level.receiver, name, given)
            if called is not None and not search.found:
                return called
        doubt = last or self._doubt(frame)
        made: list[Type] = []
        if self._package_ends(frame, name, search, made, doubt=doubt):
            return self.ended(search, name, Why.DYNAMIC, made[0] if made else None)
        if search.found:
            return self.ended(search, name, Why.DYNAMIC, made[0] if made else None)
        kind = self._variable(frame, a, name)
        if kind is not None and kind[0] not in "tk":
            return self.invoked(frame, kind, a, name, given)
        if kind is not None and kind[0] == "t" and kind[1] is not None:
            return self.made(kind[1], given, sure=not doubt, name=name)
        return self._of_library(frame, name, given)

    def _doubt(self, frame: KotlinFrame) -> bool:
        """Whether something around may have any name."""
        for at in frame.around():
            if at.number < 0:
                if at.doubt or (at.called and self.names.open(self.names.erased(at.receiver))):
                    return True
            elif self.names.open(self.names.own(at.number)):
                return True
            elif self.names.without_outer(at.number):
                return False
        return False

    def _receiver_ends(
        self,
        frame: KotlinFrame,
        a: int,
        receiver: Type,
        name: str,
        search: _Search,
        *,
        doubt: bool,
    ) -> bool:
        """Members of a receiver that nobody writes, and what extends it."""
        kind = self.names.erased(receiver)
        if kind is None or kind[0] not in "cx":
            return False
        found = self.members.methods(kind, name)
        if kind[0] == "c" and search.ends(found.candidates, doubt=doubt):
            return True
        if kind[0] == "x" and search.ends(found.candidates, doubt=doubt):
            return True
        open_ = kind[0] == "c" and self.names.open(kind)
        for level in self._extensions(frame, kind, name):
            if search.ends(level, doubt=doubt or open_, method=Method.TYPE):
                return True
        del a
        return False

    def _package_ends(
        self, frame: KotlinFrame, name: str, search: _Search, made: list[Type], *, doubt: bool
    ) -> bool:
        """Functions of packages and objects, constructors."""
        file = frame.file
        lexical = self.names.lexical(file, frame.scope, name)
        if (
            lexical is not None
            and lexical[0] == "c"
            and self._class_ends(lexical, search, made, doubt=doubt)
        ):
            return True
        for level in self.names.modules_of(file, name):
            constructors: list[Candidate] = []
            rival = any(not self._is_there(file, module) for module, _ in level)
            for module, word in level:
                number = self.names.in_package(file, module, word)
                if number is not None and number >= 0 and number not in [k[1] for k in made if k]:
                    made.append(self.names.raw(number))
                    constructors += self._constructors_of(number)
                outer = self.names.dotted(file, module) if module != file.package else -1
                if outer >= 0 and self._member_import_ends(outer, word, search, made, doubt=doubt):
                    return True
            groups = [list(self.names.functions(file, module, word)) for module, word in level]
            for rank in range(max(map(len, groups), default=0)):
                functions = [
                    Candidate(each, {})
                    for group in groups
                    if rank < len(group)
                    for each in group[rank]
                    if each.receiver < 0
                ]
                if search.ends([*constructors, *functions], doubt=doubt, rival=rival):
                    return True
                constructors = []
            if constructors and search.ends(constructors, doubt=doubt, rival=rival):
                return True
        return False

    def _is_there(self, file: File, module: str) -> bool:
        """Whether a package or class is one of the units."""
        return module == file.package or self.names.packages.is_package(module) or (
            self.names.dotted(file, module) >= 0
        )  # fmt: skip

    def _constructors_of(self, number: int) -> list[Candidate]:
        if self.names.singleton(self.names.raw(number)):
            return []
        return self.members.constructors(number)

    def _class_ends(self, kind: Kind, search: _Search, made: list[Type], *, doubt: bool) -> bool:
        made.append(kind)
        return search.ends(self._constructors_of(kind[1]), doubt=doubt)

    def _member_import_ends(
        self, outer: int, word: str, search: _Search, made: list[Type], *, doubt: bool
    ) -> bool:
        """What is imported from an object, or from a class of Java."""
        found = self.members.methods(self.names.raw(outer), word).candidates
        if search.ends(found, doubt=doubt):
            return True
        inner = self.names.nested(self.program.classes[outer], word)
        return inner >= 0 and self._class_ends(("c", inner, ()), search, made, doubt=doubt)

    def _of_library(self, frame: KotlinFrame, name: str, given: Given) -> Meant:
        """What is not of the units: by an import, or of the library."""
        file = frame.file
        library = self.names.library
        outside = self.names.imports[file.number].get(name)
        whole = ".".join(outside[0]) if outside else f"kotlin.{name}"
        word = outside[0][1] if outside else name
        fits = self.library_fits(library.top(word), given)
        fits = fits or self.library_fits(self._extending_this(frame, word), given)
        if not fits and outside is None:
            stars = [m for m in file.stars if not self.names.packages.is_package(m)]
            whole = f"{stars[0]}.{name}" if stars and not library.top(name) else whole
        return Meant(
            fits, len(fits) == 1, whole, Why.EXTERNAL, Method.SCOPE,
            known=word in library.plain and not fits,
        )  # fmt: skip

    def library_fits(self, found: list[Candidate], given: Given) -> list[Fit]:
        """Functions of the library that take the arguments: those of Kotlin before those of Java."""
        fits = self.signatures.fits(found, given) if found else []
        fits = [fit for fit in fits if fit.each.function.unit < 0]
        if len(fits) > 1:
            ours = [fit for fit in fits if any(is_function(kind) for kind in fit.types)]
            fits = ours or fits
        results = [self.signatures.result(fit.each.function) for fit in fits]
        return fits[:1] if all(each == results[0] for each in results) else fits

    def _extending_this(self, frame: KotlinFrame, name: str) -> list[Candidate]:
        return self.names.library.extending(self.receiver(frame, ""), name)

    # -------------------------------------------------------------------------- qualified names

    def _qualified(self, frame: KotlinFrame, a: int, owner: Type, name: str, given: Given) -> Meant:
        """`x.f(y)`."""
        library = self.names.library
        if owner is None:
            fits = self.library_fits(library.extending(None, name), given)
            return Meant(fits, False, name, Why.DYNAMIC, known=name in library.plain)
        if owner[0] == "k":
            return self._of_package_call(frame, owner[1], name, given)
        if owner[0] == "t":
            return self._of_class_call(frame, a, owner[1], name, given)
        above = owner[0] == "s"
        kind = self.names.erased(self._super(owner[1]) if above else owner)
        if kind is None or kind[0] in "r":
            return Meant([], False, name, Why.DYNAMIC)
        if kind[0] == "f":
            fits = self.library_fits(library.extending(None, name), given)
            return Meant(fits, False, name, Why.DYNAMIC)
        if above:
            return self._of_super(owner[1], name, given)
        return self._on_value(frame, a, kind, name, given)

    def _on_value(self, frame: KotlinFrame, a: int, kind: Kind, name: str, given: Given) -> Meant:
        library = self.names.library
        search = _Search(self.signatures.fits, given)
        found = self.members.methods(kind, name)
        if kind[0] == "c" and search.ends(found.candidates, method=Method.TYPE):
            return self.ended(search, name, Why.DYNAMIC)
        if kind[0] == "x" and found.candidates and name not in self._extending_names():
            fits = self.library_fits([*found.candidates, *library.extending(kind, name)], given)
            shape = self.signatures.functional(kind) if name == "invoke" else None
            if shape is not None:
                return Meant([], True, name, Why.DYNAMIC, shape=shape, place=frame.file.ops[a][1])
            return Meant(fits, True, f"{_shown(kind)}.{name}", Why.EXTERNAL)
        called = self._called_property(frame, a, kind, name, given)
        if called is not None and not search.found:
            return called
        open_ = kind[0] == "c" and self.names.open(kind)
        for level in self._extensions(frame, kind, name):
            doubt = open_ or (kind[0] == "x" and bool(found.candidates))
            if search.ends(level, doubt=doubt, method=Method.TYPE):
                return self.ended(search, name, Why.DYNAMIC)
        if search.found:
            return self.ended(search, name, Why.DYNAMIC)
        called = self._called_variable(frame, a, name)
        if called is not None:
            return called
        of_array = self._of_array(kind, name)
        fits = self.library_fits(
            [*found.candidates, *of_array, *library.extending(kind, name)], given
        )
        known = name in library.plain
        if kind[0] == "x":
            return Meant(fits, True, f"{_shown(kind)}.{name}", Why.EXTERNAL, known=known)
        if kind[0] in "pa" or fits:
            why = Why.NATIVE if kind[0] in "pa" and not fits else Why.EXTERNAL
            return Meant(
                fits, True, name if why is Why.NATIVE else f"kotlin.{name}", why, known=known
            )
        if kind[0] == "c" and found.open:
            outside = self.names.outside(kind[1])
            return Meant([], True, f"{outside[0]}.{name}", Why.EXTERNAL, known=known)
        if library.methods(OBJECT, name):
            return Meant([], True, f"kotlin.Any.{name}", Why.EXTERNAL)
        why = (
            Why.NATIVE
            if kind[0] == "c" and self._generated(self.program.of(kind), name)
            else Why.MISSING
        )
        return Meant([], True, name, why, gives=kind if name == "copy" else None)

    def _of_array(self, kind: Kind, name: str) -> list[Candidate]:
        """What an array has as everything that is made of elements."""
        if kind[0] != "a":
            return []
        found = self.names.library.methods(("x", "java.lang.Iterable", (boxed(kind[1]),)), name)
        return [Candidate(*each) for each in found]

    def _called_variable(self, frame: KotlinFrame, a: int, name: str) -> Meant | None:
        """`x.f()` where `f` is a variable whose value is called on something."""
        for level in self.levels(frame):
            if level.frame is not None:
                found = level.frame.env.get(name)
            else:
                field = self.members.field(level.receiver, name)
                found = field[1] if field is not None else None
            if found is not None and found[0] == "x" and str(found[1]).startswith(RECEIVER):
                self._variable(frame, a, name)
                shape = self.signatures.functional(found)
                return Meant([], True, name, Why.DYNAMIC, shape=shape, place=a)
        return None

    def _extending_names(self) -> set[str]:
        """Names of functions of the units that extend something."""
        if not hasattr(self, "_extend"):
            self._extend = {
                function.name
                for file in self.program.files
                if is_kotlin(file)
                for function in file.functions.values()
                if function.receiver >= 0
            }
        return self._extend

    def _of_super(self, number: int, name: str, given: Given) -> Meant:
        """`super.f()`: of what is extended, or of an interface with a body."""
        made = self.program.classes[number]
        kinds = [self.names.erased(kind) for kind in made.supers]
        search = _Search(self.signatures.fits, given)
        solid: list[Candidate] = []
        for kind in kinds:
            if kind is None:
                continue
            found = self.members.methods(kind, name).candidates
            solid += [each for each in found if not each.function.abstract] or found
        if solid and search.ends(solid, method=Method.SCOPE):
            return self.ended(search, name, Why.DYNAMIC)
        if search.found:
            return self.ended(search, name, Why.DYNAMIC)
        outside = self.names.outside(number)
        if outside:
            return Meant([], True, f"{outside[0]}.{name}", Why.EXTERNAL)
        return Meant([], True, f"kotlin.Any.{name}", Why.EXTERNAL)

    def _of_class_call(
        self, frame: KotlinFrame, a: int, kind: Type, name: str, given: Given
    ) -> Meant:
        """`A.f()`: of the object that stands for A, of a class of Java, or a class inside."""
        if kind is None or kind[0] not in "cx":
            return Meant([], False, name, Why.DYNAMIC)
        if kind[0] == "x":
            found = self.members.methods(kind, name).candidates
            fits = self.signatures.fits(found, given)
            return Meant(fits, True, f"{_shown(kind)}.{name}", Why.EXTERNAL, Method.SCOPE)
        search = _Search(self.signatures.fits, given)
        java = not self.names.of_kotlin(kind[1])
        if java and search.ends(self.members.methods(kind, name).candidates):
            return self.ended(search, name, Why.DYNAMIC)
        inner = self.names.nested(self.program.of(kind), name)
        made: list[Type] = []
        if inner >= 0 and self._class_ends(("c", inner, ()), search, made, doubt=False):
            return self.ended(search, name, Why.DYNAMIC, made[0])
        companion = self.names.companions.get(kind[1], -1)
        if companion >= 0:
            own = self.names.own(companion)
            assert own is not None
            return self._on_value(frame, a, own, name, given)
        if search.found:
            return self.ended(search, name, Why.DYNAMIC, made[0] if made else None)
        if name in ("values", "valueOf"):
            return Meant([], True, name, Why.NATIVE)
        outside = self.names.outside(kind[1])
        if outside and not self.names.of_kotlin(kind[1]):
            return Meant([], True, f"{outside[0]}.{name}", Why.EXTERNAL)
        return Meant([], True, name, Why.MISSING)

    def _of_package_call(self, frame: KotlinFrame, package: str, name: str, given: Given) -> Meant:
        """`a.b.f()`, written in full."""
        file = frame.file
        search = _Search(self.signatures.fits, given)
        made: list[Type] = []
        number = self.names.in_package(file, package, name)
        if number is not None and number >= 0:
            self._class_ends(("c", number, ()), search, made, doubt=False)
        for functions in self.names.functions(file, package, name):
            plain = [Candidate(each, {}) for each in functions if each.receiver < 0]
            if search.ends(plain):
                break
        if search.found:
            return self.ended(search, name, Why.DYNAMIC, made[0] if made else None)
        kind = self.names.inside(file, ("k", package), name)
        if kind is not None and kind[0] == "x" and name[:1].isupper():
            return Meant([], True, f"{package}.{name}", Why.EXTERNAL, kind=kind)
        return Meant([], True, f"{package}.{name}", Why.EXTERNAL)

    # -------------------------------------------------------------------------- extensions

    def _extensions(self, frame: KotlinFrame, kind: Kind, name: str) -> Iterator[list[Candidate]]:
        """What extends a type and is seen here, nearest first."""
        if name not in self._extending_names():
            return
        file = frame.file
        for at in frame.around():
            if at.number < 0:
                inside = self._inside.get((at.file.number, at.scope), {})
                yield self._extending(kind, (Candidate(e, {}) for e in inside.get(name, ())))
                if at.called and at.receiver is not None:
                    yield self._extending(kind, self._inner_extensions(at.receiver, name))
            else:
                yield self._extending(kind, self._inner_extensions(self.names.own(at.number), name))
                for companion in self.names.companion_chain(at.number):
                    own = self.names.own(companion)
                    yield self._extending(kind, self._inner_extensions(own, name))
        for level in self.names.modules_of(file, name):
            groups = [list(self.names.functions(file, module, word)) for module, word in level]
            for rank in range(max(map(len, groups), default=0)):
                together = [each for group in groups if rank < len(group) for each in group[rank]]
                yield self._extending(kind, (Candidate(each, {}) for each in together))
            for module, word in level:
                outer = self.names.dotted(file, module) if module != file.package else -1
                if outer >= 0:
                    inner = self.members.extensions(("c", outer, ()), word)
                    yield self._extending(kind, inner)

    def _inner_extensions(self, receiver: Type, name: str) -> list[Candidate]:
        kind = self.names.erased(receiver)
        return self.members.extensions(kind, name) if kind is not None else []

    def _extending(self, kind: Kind, found: Iterable[Candidate]) -> list[Candidate]:
        """Those that extend the type; of several, those of the nearest type."""
        fitting: list[tuple[Type, Candidate]] = []
        for each in found:
            function = each.function
            if function.receiver < 0:
                continue
            bound = self.extends(function, kind)
            if bound is not None:
                wanted = self.names.erased(substitute(self._extended(function), bound))
                bindings = {**each.bindings, **bound}
                fitting.append((wanted, Candidate(function, bindings)))
        if len(fitting) <= 1:
            return [each for _, each in fitting]
        return [
            each
            for wanted, each in fitting
            if not any(
                other != wanted
                and self.signatures.assignable(other, wanted) >= LOOSE
                and self.signatures.assignable(wanted, other) < LOOSE
                and len(one.function.parameters) == len(each.function.parameters)
                for other, one in fitting
            )
        ]

    def _extended(self, function: Function) -> Type:
        file = self.program.files[function.unit]
        parent = file.scopes[function.scope].parent
        return self.names.type_of(file, function.receiver, parent, function.scope)

    # -------------------------------------------------------------------------- values, classes

    def _called_property(
        self, frame: KotlinFrame, a: int, kind: Type, name: str, given: Given
    ) -> Meant | None:
        """A property whose value is called."""
        found = self.members.field(kind, name)
        if found is None:
            return None
        self._read(frame, a, found, name)
        return self.invoked(frame, found[1], a, name, given)

    def invoked(self, frame: KotlinFrame, kind: Type, a: int, name: str, given: Given) -> Meant:
        """A call of a value: of a function, or of the operator `invoke` of its type."""
        kind = self.names.erased(kind)
        if kind is None or kind[0] in "frksp":
            return Meant([], False, name, Why.DYNAMIC)
        if kind[0] == "t":
            return self.made(kind[1], given, sure=True, name=name)
        shape = self.signatures.functional(kind) if kind[0] == "x" else None
        if shape is not None:
            return Meant([], True, name, Why.DYNAMIC, shape=shape, place=a)
        if kind[0] == "a":
            return Meant([], False, name, Why.DYNAMIC)
        return self._on_value(frame, a, kind, "invoke", given)

    def made(self, kind: Type, given: Given, *, sure: bool, name: str = "") -> Meant:
        """A call of a class."""
        if kind is None:
            return Meant([], False, name, Why.DYNAMIC)
        if kind[0] == "c":
            search = _Search(self.signatures.fits, given)
            search.ends(self._constructors_of(kind[1]), doubt=not sure)
            if search.found:
                return self.ended(search, name, Why.NATIVE, kind)
            companion = self.names.companions.get(kind[1], -1)
            if companion >= 0:
                found = self.members.methods(self.names.own(companion), "invoke").candidates
                if search.ends(found, doubt=not sure):
                    return self.ended(search, name, Why.DYNAMIC)
            if self.program.of(kind).interface:
                shape = self.signatures.functional(kind)
                return Meant([], sure, name, Why.NATIVE, Method.SCOPE, kind, shape)
            rough = self._constructors_of(kind[1])
            if not rough or len(rough) == 1:
                return Meant([], sure, name, Why.NATIVE, Method.SCOPE, kind)
            return Meant([], False, name, Why.NATIVE, Method.SCOPE, kind)
        if kind[0] == "x":
            known = self.names.library.top(str(kind[1]).rpartition(".")[2])
            fits = self.signatures.fits(known, given)
            return Meant(fits, True, _shown(kind), Why.EXTERNAL, Method.SCOPE, kind)
        return Meant([], False, name, Why.NATIVE)

    def _above_or_own(self, frame: KotlinFrame, op: int, name: str, given: Given) -> Meant:
        """`this(...)`, `super(...)`."""
        del op
        number = self.around(frame)
        if number < 0:
            return Meant([], False, name, Why.DYNAMIC)
        kind = self.names.raw(number) if name == "this" else self._super(number)
        if kind is None or kind[0] != "c":
            return Meant(
                [], True, _shown(kind) if kind else name, Why.EXTERNAL if kind else Why.DYNAMIC
            )
        search = _Search(self.signatures.fits, given)
        search.ends(self.members.constructors(kind[1]))
        return self.ended(search, "", Why.NATIVE)

    def tier(self, frame: KotlinFrame, meant: Meant) -> int:
        """How far edges of a call may be believed."""
        if not meant.sure or frame.file.scopes[0].flags & BROKEN:
            return UNSURE
        for fit in meant.fits:
            owner = fit.each.function.owner
            if owner >= 0 and fit.each.function.unit >= 0 and self.names.torn(("c", owner, ())):
                return UNSURE
        return RESOLVED

    def instantiated(self, frame: KotlinFrame, op: int, meant: Meant) -> None:
        """A constructor is called."""
        kind = meant.kind
        if kind is None or kind[0] != "c":
            return
        if any(not constructs(fit.each.function) for fit in meant.fits):
            return
        sure = meant.sure or len(meant.fits) > 1
        broken = frame.file.scopes[0].flags & BROKEN
        tier = RESOLVED if sure and not broken else UNSURE
        self.fact(EdgeType.INSTANTIATES, frame, op, self.place(kind[1]), Method.SCOPE, tier)


def constructs(function: Function) -> bool:
    """Whether a function makes an instance of its class."""
    return bool(function.flags & CONSTRUCTOR) or function.name == INIT


def _shown(kind: Type) -> str:
    """The name of something external."""
    return str(kind[1]) if kind is not None and kind[0] == "x" else ""
