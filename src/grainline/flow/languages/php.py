"""PHP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.flow.containers import called
from grainline.flow.rows import TEXT
from grainline.flow.semantics import Semantics
from grainline.flow.values import NOTHING, Named, Taint, Value, constant
from grainline.model.flow import Role
from grainline.model.ir import Const

if TYPE_CHECKING:
    from grainline.flow.machine import Run

NUMBERS: Final = frozenset(
    ("(int)", "(integer)", "(float)", "(double)", "(real)", "(bool)", "(boolean)")
)
EFFECTS: Final = frozenset(("echo", "shell", "include"))
"""Words of operations that give nothing."""


class _Php(Semantics):
    receivers = frozenset(("parent",))
    parents = frozenset(("parent",))
    shifted = False
    typed = True
    pointers = True
    constructors = ("__construct",)

    def constant(self, kind: Const, text: str | None) -> Value:
        if kind == Const.OTHER and text and (text[0].isalpha() or text[0] in "_\\"):
            return constant(Named(text.rpartition("\\")[2]))
        return super().constant(kind, text)

    def truth(self, const: object) -> bool | None:
        """Also the text `0` is false."""
        if isinstance(const, Named):
            return None
        return False if const == "0" else super().truth(const)

    def operate(self, run: Run, op: int, word: str, left: Value, right: Value | None) -> Value:
        """As others; `.` joins texts, `+` adds numbers, casts make numbers."""
        if word == "key of":
            return run.step(called(left), op, Role.PROPAGATOR)
        found = super().operate(run, op, word, left, right)
        if right is None:
            return self._alone(run, op, word, left, found)
        if word == "." and isinstance(left.const, str) and isinstance(right.const, str):
            return constant(left.const + right.const)
        return Value(const=found.const) if word == "+" or word == "%" else found

    def _alone(self, run: Run, op: int, word: str, value: Value, found: Value) -> Value:
        if word in EFFECTS:
            return NOTHING
        if word in NUMBERS:
            taints = run.longer(value.taints, op, Role.SANITIZER, word)
            return Value({origin: Taint(taint.clean | TEXT, taint.trail, taint.assumed)
                          for origin, taint in taints.items()})  # fmt: skip
        return value if word in ("(string)", "(array)", "(object)", "@") else found

    def outside(self, run: Run, name: str) -> list[str]:
        """A name that nothing in the file binds; functions of the language have no namespace."""
        word = name.partition("#")[0]
        if word.startswith("$"):
            return [word] if word.startswith("$_") or word in ("$argv", "$GLOBALS") else []
        if word.endswith("()"):
            full = word[:-2].lstrip("\\")
            known = run.solver.begins(run.code.language, full)
            return [full if known else full.rpartition("\\")[2]]
        return [word.lstrip("\\")]


SEMANTICS: Final = _Php()
