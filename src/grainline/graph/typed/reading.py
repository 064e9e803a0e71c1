"""Names and attributes that are read."""

from __future__ import annotations

from grainline.graph.typed.flow import Place
from grainline.graph.typed.frames import Frame, State
from grainline.graph.typed.program import Class, File
from grainline.graph.typed.types import OBJECT, Type, boxed
from grainline.model.ir import REFERENCE, Op


class Reader(State):
    """Names as values."""

    def variable(self, frame: Frame, op: int, name: str) -> Type:
        """What a name that is read holds; a type or package where it is one."""
        if name in {"this", "super"}:
            number = self.around(frame)
            if number < 0:
                return None
            return self.names.own(number) if name == "this" else ("s", number)
        at: Frame | None = frame
        while at is not None:
            if at.number < 0:
                if name in at.env:
                    kind = at.env[name]
                    if self.carries(kind):
                        place = ("v", at.file.number, at.scope, name)
                        self.flow.where[frame.file.number, op] = place
                    return kind
            else:
                found = self.members.field(self.names.own(at.number), name)
                if found is not None:
                    self._read(frame, op, found, name)
                    return found[1]
            at = at.parent
        return self._outer(frame, name)

    def _read(self, frame: Frame, op: int, found: tuple[Class, Type], name: str) -> None:
        """A field that may hold a function is read."""
        if self.carries(found[1]):
            self.flow.where[frame.file.number, op] = ("f", found[0].number, name)

    def _outer(self, frame: Frame, name: str) -> Type:
        file = frame.file
        outside = file.imports.get(name)
        modules = [*file.stars] if outside is None else [outside[0]]
        for module in modules:
            number = self.names.dotted(file, module)
            if number >= 0:
                found = self.members.field(self.names.own(number), name)
                if found is not None:
                    return found[1]
        kind = self.names.type_of_name(file, frame.scope, name)
        return kind if kind is None or kind[0] == "k" else ("t", kind)

    def _owner(self, frame: Frame, op: int) -> Type:
        """What stands before `::`."""
        file = frame.file
        code, _, b, c, _, _ = file.ops[op]
        marked = (code == Op.LOAD and b > 0) or (
            code in (Op.GETATTR, Op.GETITEM) and 0 < c < REFERENCE
        )
        if marked or code in (Op.OPERATE, Op.CONST):
            return ("t", self.names.type_of(file, op, frame.scope))
        return self.values[file.number][op]

    def attribute(self, frame: Frame, op: int, a: int, name: str) -> Type:
        """A field, a type inside of another or of a package, `A.this`."""
        file = frame.file
        owner = self.values[file.number][a]
        if name == "class":
            inner = self.names.type_of(file, a, frame.scope) if is_type(file, a) else None
            return ("x", "java.lang.Class", (boxed(inner),))
        if owner is None:
            return None
        if owner[0] == "t":
            return self._of_type(frame, owner[1], name)
        if owner[0] == "k":
            kind = self.names.inside(file, owner, name)
            return kind if kind is None or kind[0] == "k" else ("t", kind)
        if owner[0] == "a":
            return ("p", "int") if name == "length" else None
        if owner[0] == "s":
            owner = self._super(owner[1])
        found = self.members.field(owner, name)
        if found is None:
            return None
        self._read(frame, op, found, name)
        return found[1]

    def _of_type(self, frame: Frame, kind: Type, name: str) -> Type:
        if kind is None:
            return None
        if name == "this":
            return self.names.own(kind[1]) if kind[0] == "c" else kind
        if name == "super":
            if kind[0] == "c" and self.program.of(kind).interface:
                return kind
            return ("s", kind[1]) if kind[0] == "c" else None
        if kind[0] == "c":
            found = self.members.field(kind, name)
            if found is not None:
                return found[1]
        if kind[0] not in "cx":
            return None
        inner = self.names.inside(frame.file, kind, name)
        if inner is not None and inner[0] == "x" and (not name[:1].isupper() or name.isupper()):
            return None  # a constant
        return ("t", inner) if inner is not None else None

    def _super(self, number: int) -> Type:
        """The type above a class that it extends."""
        made = self.program.classes[number]
        for kind, (_, port) in zip(self.names.bases_of(made), made.bases, strict=True):
            if port == 0 and kind is not None:
                return kind
        return OBJECT

    def _stored(self, frame: Frame, name: str) -> tuple[Type, Place | None]:
        """The declared type of a variable that is assigned, and the place that it is."""
        at: Frame | None = frame
        while at is not None:
            if at.number < 0:
                if name in at.env:
                    return at.env[name], ("v", at.file.number, at.scope, name)
            else:
                found = self.members.field(self.names.own(at.number), name)
                if found is not None:
                    return found[1], ("f", found[0].number, name)
            at = at.parent
        return None, None


def is_type(file: File, op: int) -> bool:
    """Whether an operation names a type."""
    code, _, b, c, _, _ = file.ops[op]
    if code == Op.LOAD:
        return b > 0
    if code in (Op.GETATTR, Op.GETITEM):
        return 0 < c < REFERENCE
    return code in (Op.OPERATE, Op.CONST)
