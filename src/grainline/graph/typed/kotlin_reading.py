"""Names and members that are read in Kotlin."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grainline.graph.typed.bodies import Bodies
from grainline.graph.typed.facts import RESOLVED, UNSURE
from grainline.graph.typed.frames import Frame
from grainline.graph.typed.kotlin_frames import KotlinFrame, Level, Path
from grainline.graph.typed.kotlin_library import is_function
from grainline.graph.typed.kotlin_members import KotlinMembers
from grainline.graph.typed.kotlin_names import KotlinNames
from grainline.graph.typed.kotlin_overloads import KotlinSignatures
from grainline.graph.typed.overloads import MAYBE, YES
from grainline.graph.typed.program import File, Function
from grainline.graph.typed.types import OBJECT, STRING, Kind, Type, boxed, substitute
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import BROKEN, REFERENCE, Op, ScopeKind


class KotlinReader(Bodies):
    """Names and members as values."""

    names: KotlinNames
    members: KotlinMembers
    signatures: KotlinSignatures

    def __init__(self, members: KotlinMembers) -> None:
        super().__init__(members)
        self._inside: dict[tuple[int, int], dict[str, list[Function]]] = {}
        """(unit, scope) -> functions of a function."""
        for file in self.program.files:
            for scope, function in file.functions.items():
                row = file.scopes[scope]
                around = file.scopes[row.parent].kind
                if row.kind == ScopeKind.FUNCTION and around not in (
                    ScopeKind.CLASS,
                    ScopeKind.MODULE,
                ):
                    inside = self._inside.setdefault((file.number, row.parent), {})
                    inside.setdefault(function.name, []).append(function)

    # -------------------------------------------------------------------------- levels

    def levels(self, frame: KotlinFrame) -> Iterator[Level]:
        """Where a name with nothing before it is looked for, nearest first."""
        static = doubt = False
        for at in frame.around():
            if at.number < 0:
                yield Level(at, None, doubt)
                if at.called and not static:
                    if at.receiver is not None:
                        yield Level(None, at.receiver, doubt)
                    doubt = doubt or self.names.open(self.names.erased(at.receiver))
                doubt = doubt or at.doubt
                continue
            own = self.names.own(at.number)
            if at.env:  # what a class is made with is seen where it is made
                yield Level(at, None, doubt)
            if not static:
                yield Level(None, own, doubt)
                doubt = doubt or self.names.open(own)
            for companion in self.names.companion_chain(at.number):
                yield Level(None, self.names.own(companion), doubt)
            static = static or self.names.without_outer(at.number)

    def receiver(self, frame: KotlinFrame, label: str) -> Type:
        """`this`, or `this@label`."""
        for at in frame.around():
            if at.number >= 0:
                if not label or self.program.classes[at.number].name == label:
                    return self.names.own(at.number)
            elif at.doubt and not label:
                return None
            elif at.called and (not label or at.label == label):
                return at.receiver
        return None

    # -------------------------------------------------------------------------- names

    def name(self, frame: KotlinFrame, op: int, name: str) -> Type:
        """What a name that is read holds; a type or package where it is one."""
        word, _, label = name.partition("@")
        if word == "this":
            return self.receiver(frame, label)
        if word == "super":
            return self._super_of(frame, label)
        found = self._variable(frame, op, name)
        known = frame.narrowed((name,))
        return self.better(found, known)

    def better(self, found: Type, known: Type) -> Type:
        """Of what is declared and what a condition says, that which says more."""
        if known is None:
            return found
        same = found is not None and found != OBJECT and found[0] in "cx"
        return found if same and self.signatures.assignable(found, known) == YES else known

    def _super_of(self, frame: KotlinFrame, label: str) -> Type:
        for at in frame.around():
            if at.number >= 0 and label in ("", self.program.classes[at.number].name):
                return ("s", at.number)
        return None

    def _variable(self, frame: KotlinFrame, op: int, name: str) -> Type:
        unit = frame.file.number
        for level in self.levels(frame):
            if level.frame is not None:
                if name in level.frame.env:
                    kind = level.frame.env[name]
                    if self.carries(kind):
                        place = ("v", level.frame.file.number, level.frame.scope, name)
                        self.flow.where[unit, op] = place
                    return kind
                continue
            found = self.property(frame, op, level.receiver, name, doubt=level.doubt)
            if found is not None:
                return found[0]
        return self._of_module(frame, op, name)

    def _of_module(self, frame: KotlinFrame, op: int, name: str) -> Type:
        """A property of a package or object, a class, a package."""
        file = frame.file
        lexical = self.names.lexical(file, frame.scope, name)
        if lexical is not None:
            return self.as_value(lexical)
        for level in self.names.modules_of(file, name):
            for module, word in level:
                files = self.names.value(file, module, word)
                if len(files) > 1:
                    return None
                if files:
                    return self._of_package(frame, op, files[0], word)
                number = self.names.dotted(file, module)
                if number >= 0 and module != file.package:
                    found = self.property(frame, op, self.names.raw(number), word, doubt=False)
                    if found is not None:
                        return found[0]
        kind = self.names.type_of_name(file, frame.scope, name)
        if kind is None or kind[0] == "k":
            return kind
        if kind[0] == "x" and kind[1] == name and name[:1].islower():
            return None
        return self.as_value(kind)

    def _of_package(self, frame: KotlinFrame, op: int, file: File, name: str) -> Type:
        getter = self.names.getters.get((file.number, 0, name))
        if getter is not None:
            self.read(frame, op, getter, doubt=False)
        kind = self.members.declared(file, file.values[name], 0)
        if kind is None and getter is not None:
            kind = self.signatures.result(getter)
        if self.carries(kind):
            self.flow.where[frame.file.number, op] = ("g", file.number, name)
        return kind

    def as_value(self, kind: Type) -> Type:
        """A class where a value stands: an object is its own instance."""
        if kind is not None and self.names.singleton(kind):
            return kind
        return ("t", kind) if kind is not None else None

    # -------------------------------------------------------------------------- properties

    def property(
        self, frame: KotlinFrame, op: int, kind: Type, name: str, *, doubt: bool
    ) -> tuple[Type] | None:
        """The type of a property of a value; None when it has none of that name."""
        found = self.members.field(kind, name)
        if found is not None and self.names.of_kotlin(found[0].number):
            made = found[0]
            self._read(frame, op, found, name)
            getter = self.members.getter(made, name)
            if getter is not None:
                self.read(frame, op, getter, doubt=doubt)
            return (found[1],)
        called = self.members.java_getter(kind, name)
        if called is not None:
            self.read(frame, op, called.function, doubt=doubt)
            return (substitute(self.signatures.result(called.function), called.bindings),)
        if found is not None:
            self._read(frame, op, found, name)
            return (found[1],)
        return self._extension_property(frame, op, kind, name)

    def _extension_property(
        self, frame: KotlinFrame, op: int, kind: Type, name: str
    ) -> tuple[Type] | None:
        kind = self.names.erased(kind)
        if kind is None:
            return None
        for found in self._getters(frame, name):
            fitting = [each for each in found if self.extends(each, kind) is not None]
            if len(fitting) > 1:
                return (None,)
            if fitting:
                getter = fitting[0]
                self.read(frame, op, getter, doubt=self.names.open(kind) and kind[0] == "c")
                bound = self.extends(getter, kind) or {}
                return (substitute(self.signatures.result(getter), bound),)
        return None

    def _getters(self, frame: KotlinFrame, name: str) -> Iterator[list[Function]]:
        for at in frame.around():
            if at.number >= 0:
                yield self.members.extension_properties(self.names.own(at.number), name)
                for companion in self.names.companion_chain(at.number):
                    yield list(self.names.inner_properties.get((companion, name), ()))
        for level in self.names.modules_of(frame.file, name):
            together: list[Function] = []
            for module, word in level:
                for found in self.names.properties(frame.file, module, word):
                    together += found
                    break
            yield together

    def extends(self, function: Function, kind: Kind) -> dict[tuple[object, str], Type] | None:
        """What variables of an extension stand for when it is called on a type; None: it is not."""
        file = self.program.files[function.unit]
        parent = file.scopes[function.scope].parent
        wanted = self.names.type_of(file, function.receiver, parent, function.scope)
        if wanted is None:
            return None
        bound: dict[tuple[object, str], Type] = {}
        self.unify(wanted, kind, bound)
        if wanted[0] == "v":
            limit = self.names.erased(wanted)
            fits = limit == OBJECT or self._is(kind, limit)
            return bound if fits else None
        return bound if self._is(kind, self.names.erased(substitute(wanted, bound))) else None

    def _is(self, kind: Kind, wanted: Type) -> bool:
        if wanted is None:
            return False
        if kind[:2] == wanted[:2] and kind[0] in "cx":
            # arguments that are known to differ are other types
            return not any(
                a is not None and b is not None and a[0] in "cxp" and b[0] in "cxp"
                and self.signatures.assignable(boxed(a), boxed(b)) < MAYBE
                for a, b in zip(kind[2], wanted[2], strict=False)
            )  # fmt: skip
        if kind[0] == "p" or wanted[0] == "p":
            return boxed(kind) == boxed(wanted) or wanted == OBJECT
        return wanted == OBJECT or self.signatures.assignable(kind, wanted) == YES

    def read(self, frame: Frame, op: int, getter: Function, *, doubt: bool) -> None:
        """A property is read whose value code makes."""
        broken = frame.file.scopes[0].flags & BROKEN
        tier = UNSURE if doubt or broken else RESOLVED
        place = (getter.unit, getter.scope)
        self.fact(EdgeType.READS, frame, op, place, Method.TYPE, tier)

    # -------------------------------------------------------------------------- members

    def member(self, frame: KotlinFrame, op: int, a: int, name: str) -> Type:
        """A member that is read."""
        found = self._member(frame, op, a, name)
        path = self.path(frame.file, op)
        return self.better(found, frame.narrowed(path)) if path else found

    def _member(self, frame: KotlinFrame, op: int, a: int, name: str) -> Type:
        file = frame.file
        owner = self.before(frame, a)
        if name == "super<>":
            return owner[1] if owner is not None and owner[0] == "t" else None
        if name == "class":
            return self._class_object(frame, a, owner)
        if owner is None:
            return None
        if owner[0] == "t":
            return self._of_class(frame, op, owner[1], name)
        if owner[0] == "k":
            return self._of_path(frame, op, owner, name)
        if owner[0] == "s":
            owner = self._super(owner[1])
        owner = self.names.erased(owner)
        if owner is None or owner[0] in "fr":
            return None
        found = self.property(frame, op, owner, name, doubt=False)
        if found is not None:
            return found[0]
        if owner[0] == "c":
            if self.names.singleton(owner):
                inner = self.names.nested(self.program.of(owner), name)
                if inner >= 0:
                    return self.as_value(self.names.raw(inner))
            return _of_enumeration(name)
        return self._of_platform(file, owner, name)

    def _class_object(self, frame: KotlinFrame, a: int, owner: Type) -> Type:
        kind = owner[1] if owner is not None and owner[0] == "t" else owner
        if kind is not None and kind[0] == "c" and frame.file.ops[a][0] in (Op.LOAD, Op.GETATTR):
            named = owner is not None and (owner[0] == "t" or self.names.singleton(owner))
            if named:
                place = self.place(kind[1])
                self.fact(EdgeType.REFERENCES, frame, a, place, Method.SCOPE, RESOLVED)
        return ("x", "kotlin.reflect.KClass", (kind,))

    def _of_class(self, frame: KotlinFrame, op: int, kind: Type, name: str) -> Type:
        """A member of a class by its name: of the object that stands for it, an inner class."""
        if kind is None or kind[0] not in "cx":
            return None
        if kind[0] == "x":
            return self._inner(frame.file, kind, name)
        companion = self.names.companions.get(kind[1], -1)
        if companion >= 0:
            found = self.property(frame, op, self.names.own(companion), name, doubt=False)
            if found is not None:
                return found[0]
        field = self.members.field(kind, name)
        if field is not None:
            self._read(frame, op, field, name)
            return field[1]
        inner = self.names.nested(self.program.of(kind), name)
        if inner >= 0:
            return self.as_value(self.names.raw(inner))
        if name == "entries":
            return ("x", "java.util.List", (kind,))
        return None

    def _inner(self, file: File, kind: Kind, name: str) -> Type:
        inner = self.names.inside(file, kind, name)
        if inner is not None and inner[0] == "x" and (not name[:1].isupper() or name.isupper()):
            return None  # a constant
        return ("t", inner) if inner is not None else None

    def _of_path(self, frame: KotlinFrame, op: int, owner: Kind, name: str) -> Type:
        files = self.names.value(frame.file, owner[1], name)
        if len(files) == 1:
            return self._of_package(frame, op, files[0], name)
        kind = self.names.inside(frame.file, owner, name)
        return kind if kind is None or kind[0] == "k" else self.as_value(kind)

    def _of_platform(self, file: File, owner: Kind, name: str) -> Type:
        """Properties of what is not there."""
        del file
        if owner[0] == "a":
            return ("p", "int") if name in {"size", "lastIndex"} else None
        if owner == STRING:
            return ("p", "int") if name in {"length", "lastIndex"} else None
        if owner[0] == "p":
            return None
        for each in self.names.supers(owner):
            at = _PROPERTIES.get((str(each[1]), name))
            if at is None:
                continue
            return at(each[2])
        return None

    def before(self, frame: KotlinFrame, op: int) -> Type:
        """The type of a value, or the type that stands where a value could."""
        code, _, b, c, _, _ = frame.file.ops[op]
        mark = b if code == Op.LOAD else c if code in (Op.GETATTR, Op.GETITEM) else 0
        if 0 < mark < REFERENCE:
            return ("t", self.names.type_of(frame.file, op, frame.scope))
        if code == Op.OPERATE and frame.file.names[c] == "?":
            return ("t", self.names.type_of(frame.file, op, frame.scope))
        return self.values[frame.file.number][op]

    def path(self, file: File, op: int) -> Path:
        """A variable and members of it; () for anything else."""
        found: list[str] = []
        code, a, b, c, _, _ = file.ops[op]
        while code == Op.GETATTR and c < 0 and len(found) < 8:
            found.append(file.names[b])
            code, a, b, c, _, _ = file.ops[a]
        if code != Op.LOAD or b > 0:
            return ()
        return (file.names[a], *reversed(found))

    def carries(self, kind: Type) -> bool:
        """Whether values of a type may be functions."""
        return is_function(kind) or super().carries(kind)


def _of_enumeration(name: str) -> Type:
    return {"name": STRING, "ordinal": ("p", "int"), "message": STRING}.get(name)


Arguments = tuple[Type, ...]


def _argument(number: int) -> Callable[[Arguments], Type]:
    return lambda given: given[number] if number < len(given) else None


def _always(kind: Type) -> Callable[[Arguments], Type]:
    return lambda given: kind


def _entries(given: Arguments) -> Type:
    return ("x", "java.util.Set", (("x", "java.util.Map.Entry", given),))


_INT = _always(("p", "int"))
_PROPERTIES: dict[tuple[str, str], Callable[[Arguments], Type]] = {
    ("java.util.Collection", "size"): _INT, ("java.util.Map", "size"): _INT,
    ("java.util.List", "lastIndex"): _INT, ("java.lang.CharSequence", "length"): _INT,
    ("java.util.Map", "keys"): lambda given: ("x", "java.util.Set", given[:1]),
    ("java.util.Map", "values"): lambda given: ("x", "java.util.Collection", given[1:2]),
    ("java.util.Map", "entries"): _entries,
    ("java.util.Map.Entry", "key"): _argument(0), ("java.util.Map.Entry", "value"): _argument(1),
    ("kotlin.Pair", "first"): _argument(0), ("kotlin.Pair", "second"): _argument(1),
    ("kotlin.Triple", "first"): _argument(0), ("kotlin.Triple", "second"): _argument(1), ("kotlin.Triple", "third"): _argument(2),
    ("kotlin.Lazy", "value"): _argument(0), ("kotlin.collections.IndexedValue", "value"): _argument(0),
    ("kotlin.collections.IndexedValue", "index"): _INT,
    ("java.lang.Throwable", "message"): _always(STRING),
    ("java.lang.Throwable", "cause"): _always(("x", "java.lang.Throwable", ())),
    ("kotlin.text.MatchResult", "value"): _always(STRING),
}  # fmt: skip
