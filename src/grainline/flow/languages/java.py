"""Java."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.flow.semantics import Semantics
from grainline.flow.values import NOTHING, Value, constant
from grainline.model.ir import Const, Op

if TYPE_CHECKING:
    from grainline.flow.machine import Run


class _Java(Semantics):
    receivers = frozenset(("this", "super"))
    parents = frozenset(("super",))
    implicit = True
    shifted = False
    typed = True
    constructors = ()
    quoted = True
    plain = frozenset(("String()", "java.lang.Integer()", "java.lang.Object()"))

    texts = frozenset(("String()",))

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others, and what is made of a text is one."""
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
