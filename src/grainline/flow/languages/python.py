"""Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.flow.semantics import Semantics
from grainline.flow.values import Object, Value, ordered

if TYPE_CHECKING:
    from grainline.flow.machine import Run
    from grainline.flow.program import Place


class _Python(Semantics):
    def element(self, run: Run, op: int, whole: Value, index: int, found: Value) -> Value:
        """An instance is taken apart by a pattern in the order of the fields of its class."""
        assert run.state is not None
        for ref in ordered(whole.refs):
            klass = run.thing(ref).klass if isinstance(ref, Object) else None
            names = _fields(run, op, klass) if klass is not None else []
            if 0 <= index < len(names):
                return run.state.read(whole, (".", names[index]))
        return found


def _fields(run: Run, op: int, klass: Place) -> list[str]:
    """Fields by place: those that are declared, else the parameters of the constructor."""
    found = run.solver.variables.fields(klass)
    if found:
        return found
    constructor = run.solver.calls.constructor(run, op, klass)
    known = [] if constructor is None else run.solver.calls.parameters(constructor)
    return [name for index, _, name, _ in known if index >= 0]


SEMANTICS: Final = _Python()
