"""C#."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from grainline.flow.machine import Run
from grainline.flow.rows import TEXT
from grainline.flow.semantics import Semantics
from grainline.flow.state import State
from grainline.flow.values import (
    Class,
    Object,
    Value,
    constant,
    join,
    merge,
    ordered,
    pointing,
)
from grainline.model.flow import Role
from grainline.model.ir import (
    ABSTRACT,
    CONSTRUCTOR,
    GETTER,
    SETTER,
    Const,
    Op,
    ScopeKind,
)

if TYPE_CHECKING:
    from grainline.flow.program import Code, Place
    from grainline.flow.solver import Solver

PREDEFINED: Final = {"string": "String", "int": "Int32", "long": "Int64", "object": "Object"}
TEXTUAL: Final = frozenset(("string", "object", "dynamic", "char", "void"))
"""Types of the language whose values may be texts; the others are numbers and truths."""

HOLDERS: Final = frozenset(
    (
        "List",
        "IList",
        "IEnumerable",
        "ICollection",
        "Dictionary",
        "IDictionary",
        "HashSet",
        "Nullable",
    )
)
SIZES: Final = frozenset(("Length", "LongLength", "Count"))
"""Members of texts and lists that are numbers."""

GIVEN: Final = frozenset(("FromBody", "FromQuery", "FromRoute", "FromForm", "FromHeader", "Bind"))
"""Marks of parameters that hold data of a request."""

SERVICES: Final = frozenset(("FromServices", "FromKeyedServices"))


class _CSharp(Semantics):
    own = MappingProxyType({
        "text": "ToString", "item": "this", "put": "this=", "iterate": "GetEnumerator",
        "next": "Current", "convert": "op_Implicit", "unary -": "operator -", "unary ~": "operator ~",
        **{word: f"operator {word}" for word in ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]},
    })  # fmt: skip
    functional = frozenset(("Invoke", "DynamicInvoke"))
    static_operators = True
    unsaid = frozenset(("System", "Microsoft"))
    receivers = frozenset(("this", "super"))
    parents = frozenset(("super",))
    implicit = True
    shifted = False
    typed = True
    pointers = True
    read_once = True
    constructors = ()
    quoted = True
    outs = frozenset(("out", "ref"))
    texts = frozenset(("String()",))
    plain = frozenset(("String()", "Int32()", "Object()"))

    # ------------------------------------------------------------------ operators, constants

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others, and what is made of a text is one; `x += y` stores both."""
        if word in ("+=", "??=") and right is not None:
            return self._added(run, op, word, left, right)
        if word == "with" and right is not None:
            taints = run.longer(right.taints, op, Role.PROPAGATOR) if right.taints else {}
            return Value(merge((left.taints, taints)), left.refs)
        found = super().operate(run, op, word, left, right)
        if right is None or word != "+":
            return found
        if any(isinstance(v.const, str) or v.refs & self.texts for v in (left, right)):
            return Value(found.taints, found.refs | self.texts, found.const, found.facts)
        return found

    def _added(self, run: Run, op: int, word: str, left: Value, right: Value) -> Value:
        """The store that follows takes the register of the right side."""
        if word == "??=":
            value = join(left, right)
        else:
            made = super().operate(run, op, "+", left, right)
            value = Value(made.taints, left.refs | right.refs, made.const)
        run.regs[run.ops[op][2]] = value
        return value

    def constant(self, kind: Const, text: str | None) -> Value:
        """A letter is a text of one."""
        if kind is Const.OTHER and text is not None and len(text) > 2 and text[0] == "'":
            return constant(self.unquoted(f'"{text[1:-1]}"'))
        return super().constant(kind, text)

    def unquoted(self, text: str) -> str:
        """Also of texts in which nothing is escaped."""
        if text.startswith('@"'):
            return text[2:-1].replace('""', '"')
        if text.startswith('"""'):
            return text.strip('"').strip()
        return super().unquoted(text)

    def truth(self, const: object) -> bool | None:
        return const if isinstance(const, bool) else None

    # ------------------------------------------------------------------ names

    def spellings(self, word: str) -> tuple[str, ...]:
        known = PREDEFINED.get(word)
        return () if known is None else (known,)

    def outside(self, run: Run, name: str) -> list[str]:
        """A name that nothing in the file binds: of a namespace that is around or used."""
        word = name.partition("`")[0]
        word = PREDEFINED.get(word, word)
        known = run.program.named
        for space in _spaces(run):
            each = f"{space}.{word}" if space else word
            if (run.code.language, each) in known:
                return [each]
        return [word]

    def short(self, run: Run, name: str) -> str:
        """Rows know classes of the platform without their namespaces."""
        if not name.startswith(("System.", "Microsoft.")):
            return name
        last = name.rpartition(".")[2]
        return last if run.solver.begins(run.code.language, last) else name

    def place(self, run: Run, op: int) -> int:
        """Also a variable that is declared where it is handed over."""
        row = run.ops[op]
        if row[0] == Op.LOAD:
            return row[1]
        if row[0] in (Op.CONST, Op.NARROW):
            for at in range(op + 1, min(op + 4, run.row.last)):
                if run.ops[at][0] == Op.ANNOTATE:
                    return run.ops[at][1]
                if run.ops[at][0] not in (Op.CONST, Op.LOAD):
                    break
        return -1

    # ------------------------------------------------------------------ what frameworks hand in

    def taken(self, solver: Solver, place: Place, index: int) -> int | None:
        """Numbers are no texts; services are no data."""
        calls = solver.calls
        marks = calls.marks(place, index)
        if marks & SERVICES:
            return None
        kind = next((kind for at, _, _, kind in calls.parameters(place) if at == index), -1)
        run = Run(solver, place[0], 0, State(), None)
        found = self._of_type(run, kind) if kind >= 0 else 0
        return 0 if found is None and marks & GIVEN else found

    def returned(self, solver: Solver, place: Place, value: Value) -> Value:
        """A function that gives a number gives no text."""
        code = solver.program.codes[place[0]]
        if not value.taints or not _counts(code, code.scopes[place[1]].returns):
            return value
        taints = {origin: taint._replace(clean=taint.clean | TEXT)
                  for origin, taint in value.taints.items()}  # fmt: skip
        return Value(taints, value.refs, value.const, value.facts)

    def stored(self, run: Run, op: int, value: Value) -> Value | None:
        """What is put into a variable of another type is converted where its class says how."""
        kind = self._declared(run, run.ops[op][1], op)
        if kind < 0 or not value.refs or run.ops[kind][0] != Op.CONST:
            return value
        if run.ops[kind][2] < 0:  # `var`
            return value
        mine = run.own(op, value, "convert", [])
        return value if mine is None else mine

    @staticmethod
    def _declared(run: Run, name: int, op: int) -> int:
        """The type that a variable is declared with just before `op`, -1 where it is not."""
        before = run.ops[op - 1] if op > run.row.first else [Op.CONST, -1, -1]
        return before[2] if before[0] == Op.ANNOTATE and before[1] == name else -1

    def element(self, run: Run, op: int, whole: Value, index: int, found: Value) -> Value:
        """An instance is taken apart by its own method, or in the order of the header of its class."""
        for ref in ordered(whole.refs):
            klass = run.thing(ref).klass if isinstance(ref, Object) else None
            if klass is None or not isinstance(ref, Object):
                continue
            place = run.program.member(klass, "Deconstruct")
            if place is not None:
                outs = run.solver.calls.outs(run, op, place, pointing(ref))
                return outs.get(index, found)
            named = self.by_header(run, whole, klass, index)
            if named is not None:
                return named
        return super().element(run, op, whole, index, found)

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """A number in a model is no text; `Success` of what was matched is whether it was."""
        if name == "Success" and holder.facts:
            return Value(found.taints, found.refs, found.const, holder.facts)
        if not found.taints:
            return found
        classes = [run.thing(ref).klass for ref in ordered(holder.refs) if isinstance(ref, Object)]
        known = [klass for klass in classes if klass is not None]
        if any(_is_number(run, klass, name) for klass in known) or (
            name in SIZES and not any(run.solver.has_field(klass, name) for klass in known)
        ):
            taints = {origin: taint._replace(clean=taint.clean | TEXT)
                      for origin, taint in found.taints.items()}  # fmt: skip
            return Value(taints, found.refs, found.const, found.facts)
        return found

    def _of_type(self, run: Run, at: int) -> int | None:
        row = run.ops[at]
        if _is_bytes(run.code, at):
            return 0
        while row[0] == Op.OPERATE:  # `string[]`, `int?`
            row = run.ops[row[1]]
        names = run.names
        if row[0] == Op.GETITEM:
            holder = run.ops[row[1]]
            word = names[holder[1]].partition("`")[0] if holder[0] == Op.LOAD else ""
            return 0 if word in HOLDERS else None
        if row[0] == Op.CONST:
            return 0 if row[2] < 0 or names[row[2]] in TEXTUAL else TEXT
        if row[0] != Op.LOAD:
            return None
        word = names[row[1]]
        if word in TEXTUAL:
            return 0
        classes = [ref for ref in run.solver.outside(run, -1, word).refs if isinstance(ref, Class)]
        classes += [ref for ref in run.solver.variables.value((run.unit, 0, word)).refs
                    if isinstance(ref, Class)]  # fmt: skip
        return 0 if any(_is_model(run, ref) for ref in classes) else None


def _is_number(run: Run, klass: Place, name: str) -> bool:
    """Whether a class declares a member as a number or a truth."""
    code = run.program.codes[klass[0]]
    return _counts(code, code.declared(klass[1], run.solver.name_number(klass[0], name)))


def _counts(code: Code, at: int) -> bool:
    """Whether a declared type is one of numbers or truths."""
    if at < 0 or _is_bytes(code, at):
        return False
    row = code.ops[at]
    while row[0] == Op.OPERATE:
        row = code.ops[row[1]]
    return row[0] == Op.CONST and row[2] >= 0 and code.names[row[2]] not in TEXTUAL


def _is_bytes(code: Code, at: int) -> bool:
    """Whether a type is `byte[]`: texts are made of it."""
    row = code.ops[at]
    inner = code.ops[row[1]] if row[0] == Op.OPERATE else [Op.LOAD]
    return inner[0] == Op.CONST and inner[2] >= 0 and code.names[inner[2]] == "byte"


def _is_model(run: Run, klass: Class) -> bool:
    """Whether a class only holds data: it has no functions but those of its properties."""
    code = run.program.codes[klass.unit]
    if code.scopes[klass.scope].flags & ABSTRACT:
        return False
    return all(
        row.flags & (CONSTRUCTOR | GETTER | SETTER)
        for row in code.scopes
        if row.parent == klass.scope and row.kind == ScopeKind.FUNCTION
    )


def _spaces(run: Run) -> list[str]:
    """Namespaces whose names stand alone: those around, and those that are used."""
    module = run.code.scopes[0]
    found: list[str] = []
    for code, a, b, *_ in run.ops[module.first : module.last]:
        if code == Op.PACKAGE:
            space = run.names[a]
            while space:
                found.append(space)
                space = space.rpartition(".")[0]
        elif code == Op.IMPORT and b >= 0 and run.names[b] == "*":
            found.append(run.names[a])
    return [*dict.fromkeys(found), ""]


SEMANTICS: Final = _CSharp()
