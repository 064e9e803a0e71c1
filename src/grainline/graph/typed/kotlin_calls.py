"""What calls of Kotlin mean: members, functions of packages, constructors."""

from __future__ import annotations

from typing import Any

from grainline.graph.typed.facts import RESOLVED, UNSURE
from grainline.graph.typed.kotlin_frames import KotlinFrame
from grainline.graph.typed.kotlin_overloads import IMPLICIT, Fit, Given, said
from grainline.graph.typed.kotlin_qualified import KotlinQualified
from grainline.graph.typed.kotlin_search import Meant, Search, constructs, shown
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import File, Function
from grainline.graph.typed.types import Type, cut, substitute
from grainline.model.edge import EdgeType, Method, Why
from grainline.model.ir import ARGUMENTS, BROKEN, QUALIFIER, REFERENCE, Op, Port


class KotlinCalls(KotlinQualified):
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
        if kind is not None and kind[0] == "f":
            scope: int = kind[1]
            if file.scopes[scope].flags & ARGUMENTS:
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

    def _plain(self, frame: KotlinFrame, op: int, a: int, name: str, given: Given) -> Meant:
        """`f(x)`."""
        search = Search(self.signatures.fits, given)
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
        search: Search,
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
        self, frame: KotlinFrame, name: str, search: Search, made: list[Type], *, doubt: bool
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

    def _member_import_ends(
        self, outer: int, word: str, search: Search, made: list[Type], *, doubt: bool
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

    def _extending_this(self, frame: KotlinFrame, name: str) -> list[Candidate]:
        return self.names.library.extending(self.receiver(frame, ""), name)

    def _above_or_own(self, frame: KotlinFrame, op: int, name: str, given: Given) -> Meant:
        """`this(...)`, `super(...)`."""
        del op
        number = self.around(frame)
        if number < 0:
            return Meant([], False, name, Why.DYNAMIC)
        kind = self.names.raw(number) if name == "this" else self._super(number)
        if kind is None or kind[0] != "c":
            return Meant(
                [], True, shown(kind) if kind else name, Why.EXTERNAL if kind else Why.DYNAMIC
            )
        search = Search(self.signatures.fits, given)
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

    def _result_of(self, function: Function, bound: dict[tuple[Any, str], Type]) -> Type:
        result = self.signatures.result(function)
        if result is None:
            return None
        if function.unit >= 0:
            key = (function.unit, function.scope)
            for name, _ in function.variables:
                bound.setdefault((key, name), None)
        return cut(self._erase(substitute(result, bound)))

    def _bound(self, fit: Fit, given: Given) -> dict[tuple[Any, str], Type]:
        """What variables stand for, by the arguments that are no functions."""
        function = fit.each.function
        bound = dict(fit.each.bindings)
        bound.update(said(function, given.explicit))
        types = self.signatures.types(function)
        for number, kind, met, word in zip(
            fit.order, given.kinds, fit.types, given.words, strict=True
        ):
            if kind is not None and kind[0] not in "fr" and word != "*":
                wanted = types[number]
                if met is not None and wanted is not None and wanted[0] == "a" and kind[0] != "a":
                    wanted = wanted[1] if fit.expanded else wanted
                self.unify(wanted, kind, bound)
        return bound
