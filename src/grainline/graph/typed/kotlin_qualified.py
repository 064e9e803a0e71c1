"""Calls of Kotlin with something before the name, of values and of classes."""

from __future__ import annotations

from grainline.graph.typed.kotlin_extensions import KotlinExtensions
from grainline.graph.typed.kotlin_frames import KotlinFrame
from grainline.graph.typed.kotlin_overloads import Given
from grainline.graph.typed.kotlin_search import Meant, Search, constructs, shown
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.types import OBJECT, Kind, Type
from grainline.model.edge import Method, Why


class KotlinQualified(KotlinExtensions):
    """What `x.f()`, `A.f()`, `a.b.f()` and a call of a value mean."""

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
        search = Search(self.signatures.fits, given)
        found = self.members.methods(kind, name)
        if kind[0] == "c" and search.ends(found.candidates, method=Method.TYPE):
            return self.ended(search, name, Why.DYNAMIC)
        if kind[0] == "x" and found.candidates and name not in self._extending_names():
            fits = self.library_fits([*found.candidates, *library.extending(kind, name)], given)
            shape = self.signatures.functional(kind) if name == "invoke" else None
            if shape is not None:
                return Meant([], True, name, Why.DYNAMIC, shape=shape, place=frame.file.ops[a][1])
            return Meant(fits, True, f"{shown(kind)}.{name}", Why.EXTERNAL)
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
            return Meant(fits, True, f"{shown(kind)}.{name}", Why.EXTERNAL, known=known)
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

    def _of_super(self, number: int, name: str, given: Given) -> Meant:
        """`super.f()`: of what is extended, or of an interface with a body."""
        made = self.program.classes[number]
        kinds = [self.names.erased(kind) for kind in made.supers]
        search = Search(self.signatures.fits, given)
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
            return Meant(fits, True, f"{shown(kind)}.{name}", Why.EXTERNAL, Method.SCOPE)
        search = Search(self.signatures.fits, given)
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
        search = Search(self.signatures.fits, given)
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
            search = Search(self.signatures.fits, given)
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
            return Meant(fits, True, shown(kind), Why.EXTERNAL, Method.SCOPE, kind)
        return Meant([], False, name, Why.NATIVE)

    def _constructors_of(self, number: int) -> list[Candidate]:
        if self.names.singleton(self.names.raw(number)):
            return []
        return self.members.constructors(number)

    def _class_ends(self, kind: Kind, search: Search, made: list[Type], *, doubt: bool) -> bool:
        made.append(kind)
        return search.ends(self._constructors_of(kind[1]), doubt=doubt)

    def ended(
        self, search: Search, name: str, why: Why, kind: Type = None, *, known: bool = False
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
