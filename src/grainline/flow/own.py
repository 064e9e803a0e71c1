"""What the language does with instances: by methods of their own, else with what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.flow.state import Thing
from grainline.flow.values import NOTHING, Object, Value, join, ordered, pointing
from grainline.model.flow import Cut

if TYPE_CHECKING:
    from grainline.flow.machine import Run

MAX_STEPS: Final = 3
"""Things that give others to go over in their place; a fourth is taken for the elements' holder itself."""


def iterated(run: Run, op: int, whole: Value) -> Value:
    """What has the elements that a loop over `whole` gets: by its own iterator, else itself."""
    for _ in range(MAX_STEPS):
        given = run.own(op, whole, "iterate", [])
        if run.is_over():
            return NOTHING
        if given is None or given.refs == whole.refs:
            break
        whole = given
    element = run.own(op, whole, "next", [])
    if run.is_over():
        return NOTHING
    if element is None:
        return opened(run, op, whole, "a loop")
    assert run.state is not None
    ref = Object((run.unit, op, "elements"))
    run.state.heap[ref] = Thing({}, run.semantics.stepped(run, element))
    return pointing(ref)


def opened(run: Run, op: int, value: Value, what: str) -> Value:
    """A value with what may come out of it by something that neither its class nor the language explains.

    Out of instances it is what they hold, and that is assumed: nothing where it is known what
    their elements are.
    """
    assert run.state is not None
    mine = [ref for ref in ordered(value.refs)
            if isinstance(ref, Object) and run.thing(ref).klass is not None]  # fmt: skip
    if not mine:
        return value
    things = pointing(*mine)
    known = run.state.read(things, None)
    if known.taints or known.refs:
        return value
    taints = run.state.held(things)
    if not taints:
        return value
    found = run.solver.modelled.assumed(run, op, [Value(taints)], Cut.DISPATCH, what)
    return join(value, found)
