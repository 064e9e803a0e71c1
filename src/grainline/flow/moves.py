"""Elements of a list of data that come to stand elsewhere, or each time are others.

Behind `xs.pop(0)` another thing is `xs[0]`: what tests said of that is said of what was taken before, and of
nothing that is taken then. Only what stands at a number moves; what stands under a name stays there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from grainline.flow import hosts
from grainline.flow.values import (
    NOTHING,
    PART,
    Fact,
    Free,
    Key,
    Origin,
    Source,
    Taint,
    Value,
    is_piece,
    piece,
)
from grainline.model.ir import Op, Port

if TYPE_CHECKING:
    from grainline.flow.machine import Run
    from grainline.flow.state import Thing

TAKES: Final = frozenset(
    [
        "pop",
        "popleft",
        "popitem",
        "shift",
        "remove",
        "removeAt",
        "removeFirst",
        "removeLast",
        "remove_at",
        "delete_at",
        "poll",
        "pollFirst",
        "pollLast",
        "Dequeue",
        "Pop",
        "TryDequeue",
        "TryPop",
        "next",
        "nextElement",
        "Next",
        "swap_remove",
        "pop_front",
        "pop_back",
    ]
)
"""Methods that give another element each time."""

STAY: Final = frozenset(("next", "nextElement", "Next"))
"""Those after which all stand where they stood."""

MOVES: Final = TAKES - STAY | frozenset(
    [
        "insert",
        "add",
        "addFirst",
        "offerFirst",
        "push_front",
        "unshift",
        "prepend",
        "splice",
        "reverse",
        "sort",
        "sort_by",
        "rotate",
        "shuffle",
        "fill",
        "copyWithin",
        "appendleft",
        "reverse!",
        "sort!",
        "sort_by!",
        "rotate!",
        "shuffle!",
        "reject!",
        "select!",
        "delete_if",
        "keep_if",
        "uniq!",
        "compact!",
        "map!",
        "collect!",
        "slice!",
        "filter!",
        "removeIf",
        "removeAll",
        "retainAll",
        "retain",
        "drain",
        "truncate",
        "sort_unstable",
        "sort_unstable_by",
        "sort_by_key",
        "swap",
        "Insert",
        "RemoveAt",
        "RemoveAll",
        "RemoveRange",
        "Reverse",
        "Sort",
        "Enqueue",
        "Push",
        "sortBy",
        "sortWith",
        "sortDescending",
        "sortByDescending",
        "replaceAll",
        "delete",
        "dedup",
        "extendleft",
    ]
)
"""Methods after which elements of what they are called on stand elsewhere."""

FUNCTIONS: Final = frozenset(
    [
        "array_shift",
        "array_pop",
        "array_unshift",
        "array_splice",
        "sort",
        "rsort",
        "usort",
        "uasort",
        "asort",
        "arsort",
        "ksort",
        "krsort",
        "uksort",
        "natsort",
        "natcasesort",
        "shuffle",
        "array_multisort",
        "array_walk",
        "heappop",
        "heappush",
        "heapify",
        "heappushpop",
        "heapreplace",
        "Reverse",
        "Sort",
        "reverse",
        "swap",
        "rotate",
        "Slice",
        "SliceStable",
        "Strings",
        "SortFunc",
    ]
)
"""Functions, and methods of what holds no elements, that do so with their first argument."""

NEAR: Final = 64
"""Operations before a change of which an expression may hold elements."""


def after(run: Run, op: int, row: list[int], found: Value) -> Value:
    """What a call gives, and what it leaves of what is known of elements."""
    assert run.state is not None
    callee = run.ops[row[1]]
    if callee[0] == Op.GETATTR:
        word = run.names[callee[2]]
        holder = run.value(callee[1])
    else:
        called = run.value(row[1]).names()
        word, holder = re.split(r"[.\\]", called[0])[-1] if called else "", NOTHING
    if word not in TAKES and word not in MOVES and word not in FUNCTIONS:
        return found
    first = next(
        (run.value(at) for kind, _, at in run.code.ports[row[2] : row[2] + row[3]]
         if kind == Port.POSITIONAL), None,
    )  # fmt: skip
    if first is not None and word in FUNCTIONS and (word not in MOVES or not _is_data(run, holder)):
        holder = first
    elif word not in MOVES and word not in TAKES:
        return found
    elif word == "pop" and first is not None and isinstance(first.const, str):
        return found  # what stands under a name
    if word in TAKES:
        found = _shown(run, found)
    if word not in STAY and (names := change(run, op, holder)) is not None:
        found = names.value(found)
    if word in TAKES and found.taints:
        taints = hosts.parted(run, op, found.taints, moves=True)
        found = Value(taints, found.refs, found.const, found.facts)
    return found


def _is_data(run: Run, holder: Value) -> bool:
    assert run.state is not None
    return bool(run.state.deep(holder))


def _shown(run: Run, value: Value) -> Value:
    """A value that says itself what tests have shown of it."""
    assert run.state is not None
    if not value.taints or not run.state.valid:
        return value
    taints = {
        origin: taint._replace(clean=run.state.harmless(origin, taint))
        for origin, taint in value.taints.items()
    }
    return Value(taints, value.refs, value.const, value.facts)


def change(run: Run, op: int, holder: Value) -> _Names | None:
    """Elements of a container stand elsewhere: what was taken from it before is data of its own."""
    state = run.state
    assert state is not None
    whole = state.deep(holder)
    if not whole or _is_known(run, holder):
        return None
    run.sames.changed(run, holder)
    names = _Names(run, op, whole)
    for name, value in state.env.items():
        state.env[name] = names.value(value)
    for ref, thing in list(state.heap.items()):
        if ref not in holder.refs:  # what stands in it now is called as it was
            state.heap[ref] = names.thing(thing)
    for at in range(max(op - NEAR, 0), op):
        if at in run.regs:
            run.regs[at] = names.value(run.regs[at])
    for origin in [each for each in state.valid if names.is_moved(each)]:
        kinds, trail = state.valid.pop(origin)
        mine = names.of(origin)
        if mine != origin:
            known = state.valid.get(mine)
            if names.is_new(mine):
                state.valid[mine] = (kinds, trail)
            elif known is not None:
                state.valid[mine] = (kinds & known[0], trail)
    return names


def _is_known(run: Run, holder: Value) -> bool:
    """Whether it is one list of which each element is known."""
    return run.items(holder) is not None


class _Names:
    """New names of elements that were taken before a change."""

    def __init__(self, run: Run, op: int, whole: Mapping[Origin, Taint]) -> None:
        self._run = run
        self._op = op
        self._whole = whole
        self._moved: dict[Origin, int] = {}
        self._before: set[Origin] = set()
        """Those that an earlier round has given."""

    def is_moved(self, origin: Origin) -> bool:
        """Whether it is, or is in, an element at a place."""
        return self._at(origin) >= 0

    def _at(self, origin: Origin) -> int:
        found = self._moved.get(origin)
        if found is None:
            found = self._moved[origin] = next(self._places(origin), -1)
        return found

    def _places(self, origin: Origin) -> Iterator[int]:
        for at, key in enumerate(origin.path):
            if _is_place(key) and origin._replace(path=origin.path[:at]) in self._whole:
                yield at

    def of(self, origin: Origin) -> Origin:
        """How data is called now; what may be looked for elsewhere keeps the way there."""
        at = self._at(origin)
        if at < 0:
            if any(is_piece(key) for key in origin.path):
                self._before.add(origin)
            return origin
        key, rest = origin.path[at], origin.path[at + 1 :]
        mark = piece(Source(0, 0, 0), PART, self._run.unit, self._op).path[0]
        if isinstance(origin, Source):
            return origin._replace(path=(*origin.path[:at], f"{mark}[{key}]", *rest))
        if isinstance(origin, Free) or rest or is_piece(key):
            return origin
        return origin._replace(path=(*origin.path[:at], "*", f"{mark}[{key}]"))

    def is_new(self, origin: Origin) -> bool:
        """Whether nothing was called so before."""
        return origin not in self._before

    def value(self, value: Value) -> Value:
        """A value of which the parts have their new names."""
        if not value.taints and not value.facts:
            return value
        moved = False
        taints: dict[Origin, Taint] = {}
        for origin, taint in value.taints.items():
            mine = self.of(origin)
            moved = moved or mine != origin
            taints[mine] = taint if mine not in taints else taints[mine]._replace(
                clean=taints[mine].clean & taint.clean
            )  # fmt: skip
        facts: tuple[Fact, ...] = tuple(
            fact._replace(origin=self.of(fact.origin))
            for fact in value.facts
            if not self.is_moved(fact.origin) or isinstance(fact.origin, Source)
        )
        if not moved and facts == value.facts:
            return value
        return Value(taints, value.refs, value.const, facts)

    def thing(self, thing: Thing) -> Thing:
        """An object that holds such parts."""
        fields = {key: self.value(value) for key, value in thing.fields.items()}
        rest = self.value(thing.rest)
        same = rest is thing.rest and all(
            fields[key] is value for key, value in thing.fields.items()
        )
        return thing if same else thing._replace(fields=fields, rest=rest)


def _is_place(key: Key) -> bool:
    """Whether a key says the place of an element, or any."""
    if isinstance(key, int) or key == "*":
        return True
    mark = str(key).partition(" ")[2] if is_piece(key, PART) else ""
    return mark.startswith("[") and mark[1:-1].lstrip("-").isdigit()
