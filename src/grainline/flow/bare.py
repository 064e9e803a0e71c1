"""Parameters of handlers that nothing is said of: what a framework binds to them by their types alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.flow.machine import Run
from grainline.flow.numbers import inner, is_number, word_of
from grainline.flow.rows import TEXT
from grainline.flow.state import State
from grainline.flow.values import Class
from grainline.model.ir import ABSTRACT, Op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grainline.flow.program import Code, Place
    from grainline.flow.solver import Solver

CHECKED: Final = frozenset(
    ("Valid", "Validated", "NotNull", "NotBlank", "NotEmpty", "Nullable", "NonNull", "Size", "Min",
     "Max", "Email", "Pattern", "DateTimeFormat", "Positive", "PositiveOrZero")
)  # fmt: skip
"""Annotations that ask something of a value, and do not say where it comes from."""

TEXTS: Final = frozenset(("String", "CharSequence"))


def of_type(solver: Solver, place: Place, index: int) -> int | None:
    """Kinds that such a parameter cannot hurt; None where it gets no data, or something else says which."""
    code = solver.program.codes[place[0]]
    kind = next((kind for at, _, _, kind in solver.calls.parameters(place) if at == index), -1)
    if kind < 0 or not _words(code, solver.calls.annotating(place[0], kind)) <= CHECKED:
        return None
    if is_number(code, kind):
        return TEXT
    word = word_of(code, inner(code, kind))
    return 0 if word in TEXTS or _is_data(solver, place[0], word) else None


def _words(code: Code, ops: Sequence[int]) -> frozenset[str]:
    """The last words of annotations."""
    found = [code.ops[op][1] if code.ops[op][0] in (Op.CALL, Op.NEW) else op for op in ops]
    return frozenset(word_of(code, op) for op in found)


def _is_data(solver: Solver, unit: int, word: str) -> bool:
    """Whether a type is a class of the code that can be made."""
    run = Run(solver, unit, 0, State(), None)
    named = solver.variables.value((unit, 0, word)).refs or solver.outside(run, -1, word).refs
    return any(isinstance(ref, Class)
               and not solver.program.codes[ref.unit].scopes[ref.scope].flags & ABSTRACT
               for ref in named)  # fmt: skip
