"""Java."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from grainline.flow.constants import MAX_TEXT
from grainline.flow.semantics import Semantics
from grainline.flow.state import Thing
from grainline.flow.values import (
    NOTHING,
    UNKNOWN,
    Class,
    Function,
    Object,
    Value,
    constant,
    joined,
    ordered,
    pointing,
)
from grainline.model.ir import Const, Op

if TYPE_CHECKING:
    from grainline.flow.calls import Argument
    from grainline.flow.machine import Run

_METHODS: Final = frozenset(("getMethod", "getDeclaredMethod"))
"""Methods of a class that give a method by its name."""

_LOOKS: Final = frozenset(("getDeclaredConstructor", "getConstructor", "asSubclass"))


class _Java(Semantics):
    own = MappingProxyType({"text": "toString", "iterate": "iterator", "next": "next"})
    receivers = frozenset(("this", "super"))
    parents = frozenset(("super",))
    implicit = True
    shifted = False
    typed = True
    functional = frozenset(
        ("get", "apply", "accept", "test", "run", "call", "applyAsInt", "applyAsLong", "compare",
         "applyAsDouble", "getAsInt", "compute", "execute", "handle")
    )  # fmt: skip
    jobs = ("run", "call", "get", "compute")
    constructors = ()
    asserts = False
    quoted = True
    plain = frozenset(("String()", "java.lang.Integer()", "java.lang.Object()"))

    texts = frozenset(("String()",))
    unsaid = frozenset(("java", "lang"))

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others, and what is made of a text is one."""
        if word == "/" and right is not None:
            one, other = left.const, right.const
            if isinstance(one, int) and isinstance(other, int) and other:
                return constant(abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1))
        found = super().operate(run, op, word, left, right)
        if right is None or word != "+":
            return found
        if any(isinstance(v.const, str) or v.refs & self.texts for v in (left, right)):
            return Value(found.taints, found.refs | self.texts, found.const, found.facts)
        return found

    def constant(self, kind: Const, text: str | None) -> Value:
        if kind is Const.OTHER and text is not None and len(text) > 2 and text[0] == "'":
            return constant(text[1:-1])
        if kind is Const.INT and text is not None and text[:1] == "0" and text.isdigit():
            return NOTHING if len(text) > 1 else constant(0)
        if kind is Const.OTHER and text is not None and text[:1].isdigit():
            return _real(text)
        return super().constant(kind, text)

    def unquoted(self, text: str) -> str:
        if text.startswith('"""'):
            return text[3:-3].lstrip()
        return super().unquoted(text)

    def called(
        self, run: Run, op: int, callee: Value, receiver: Value | None, arguments: list[Argument]
    ) -> Value | None:
        """Methods of constant texts, and classes by constant names."""
        code, _, name = run.ops[run.ops[op][1]][:3]
        if code != Op.GETATTR or receiver is None:
            return None
        word = run.names[name]
        consts = [each.value.const for each in arguments]
        if isinstance(receiver.const, str):
            folded = _folded(word, receiver.const, consts)
            if folded is not None:
                return folded
        if word == "forName" and consts and isinstance(consts[0], str):
            known = run.program.named.get((run.code.language, consts[0]))
            return None if known is None else pointing(Class(*known))
        if word == "invoke" and arguments and (found := _functions(receiver)):
            given = [each.value for each in arguments[1:]]
            return joined(run.solver.calls.invoke(run, op, each, arguments[0].value, given)
                          for each in found)  # fmt: skip
        if word in _METHODS and consts and isinstance(consts[0], str):
            found = _functions(_member_of_classes(run, receiver, consts[0]))
            return pointing(*found) if found else None
        classes = [ref for ref in ordered(receiver.refs) if isinstance(ref, Class)]
        if len(classes) != 1 or (word not in _LOOKS and word != "newInstance"):
            return None
        return receiver if word in _LOOKS else _made(run, op, classes[0], arguments)

    def member(self, run: Run, op: int, holder: Value, name: str, found: Value) -> Value:
        """`A.class` is the class."""
        del run, op
        classes = [ref for ref in holder.refs if isinstance(ref, Class)] if name == "class" else []
        return pointing(*classes) if classes else found

    def element(self, run: Run, op: int, whole: Value, index: int, found: Value) -> Value:
        """A record is taken apart in the order of its header."""
        for ref in ordered(whole.refs):
            klass = run.thing(ref).klass if isinstance(ref, Object) else None
            named = None if klass is None else self.by_header(run, whole, klass, index)
            if named is not None:
                return named
        return super().element(run, op, whole, index, found)

    def truth(self, const: object) -> bool | None:
        return const if isinstance(const, bool) else None

    def outside(self, run: Run, name: str) -> list[str]:
        """A name that no import binds: of the package, of `java.lang`, or of what a `*` brings."""
        if not name[:1].isupper():
            return [name]
        known = run.program.named
        packages = _packages(run)
        found = [f"{package}.{name}" if package else name for package in packages]
        for each in found:
            if (run.code.language, each) in known:
                return [each]
        return [each for each in found if run.solver.begins(run.code.language, each)] or [name]


def _functions(value: Value) -> list[Function]:
    return [ref for ref in ordered(value.refs) if isinstance(ref, Function)]


def _member_of_classes(run: Run, value: Value, name: str) -> Value:
    """A member, by its name, of classes, or of the one around (`getClass()`)."""
    classes = [ref for ref in ordered(value.refs) if isinstance(ref, Class)]
    own = run.program.class_of((run.unit, run.scope))
    if not classes and own is not None and "getClass()" in "".join(value.names()):
        classes = [Class(*own)]
    places = [run.program.member((ref.unit, ref.scope), name) for ref in classes]
    return pointing(*(Function(*place) for place in places if place is not None))


def _folded(word: str, text: str, others: list[object]) -> Value | None:
    """The result of a method of a constant text, where all that it gets is constant."""
    found = _known(word, text, others)
    if found is UNKNOWN or (isinstance(found, str) and len(found) > MAX_TEXT):
        return None
    return constant(found)


def _known(word: str, text: str, others: list[object]) -> object:
    match word, others:
        case "charAt", [int(at)] if 0 <= at < len(text):
            return text[at]
        case "substring", [int(first)]:
            return text[first:]
        case "substring", [int(first), int(last)]:
            return text[first:last]
        case "length", []:
            return len(text)
        case "trim" | "strip", []:
            return text.strip()
        case "toUpperCase", []:
            return text.upper()
        case "toLowerCase", []:
            return text.lower()
        case "isEmpty", []:
            return not text
        case "equals", [str(other)]:
            return text == other
        case "equalsIgnoreCase", [str(other)]:
            return text.lower() == other.lower()
        case "startsWith", [str(other)]:
            return text.startswith(other)
        case "endsWith", [str(other)]:
            return text.endswith(other)
        case "contains", [str(other)]:
            return other in text
        case "indexOf", [str(other)]:
            return text.find(other)
        case "concat", [str(other)]:
            return text + other
        case "replace", [str(one), str(other)]:
            return text.replace(one, other)
        case _:
            return UNKNOWN


def _made(run: Run, op: int, klass: Class, arguments: list[Argument]) -> Value:
    """A new instance of a class."""
    assert run.state is not None
    made = Object((run.unit, op))
    place = (klass.unit, klass.scope)
    run.state.heap[made] = Thing({}, klass=place, exact=True)
    run.solver.calls.construct(run, op, place, pointing(made), arguments)
    return pointing(made)


def _real(text: str) -> Value:
    try:
        return constant(float(text.rstrip("fFdD").replace("_", "")))
    except ValueError:
        return NOTHING


def _packages(run: Run) -> list[str]:
    """Packages whose classes have bare names in the file, in the order of their weight."""
    names = run.code.names
    own = ""
    found: list[str] = []
    module = run.code.scopes[0]
    for code, a, b, _, _, _ in run.ops[module.first : module.last]:
        if code == Op.PACKAGE:
            own = names[a]
        elif code == Op.IMPORT and b >= 0 and names[b] == "*":
            found.append(names[a])
    return [own, *found, "java.lang"]


SEMANTICS: Final = _Java()
