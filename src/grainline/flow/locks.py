"""Locks, as `lifetime` keeps them apart: by the words that they are called by in a function."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

from grainline.flow.program import Code
from grainline.flow.rows import ResourceRow
from grainline.model.ir import Op

Lock: TypeAlias = tuple[str, ...]
"""`self.lock` as ("self", "lock"), `this.lock` as `lock`: the same words are the same lock until one
of them is set."""

LOCKING: Final = frozenset(("lock", "unlock"))
"""What rows do to locks."""

MAX_WORDS: Final = 6


class Held(NamedTuple):
    """How often a function has taken a lock more than it has given it back, and where."""

    times: int
    steps: tuple[tuple[int, int, str], ...]
    row: ResourceRow | None


FREE: Final = Held(0, (), None)
"""Of a lock that the function has not taken."""


def lock_of(code: Code, op: int) -> Lock | None:
    """The words of an expression; None where it is no plain name or member."""
    words: list[str] = []
    while op >= 0 and len(words) < MAX_WORDS:
        row = code.ops[op]
        if row[0] == Op.LOAD:
            name = code.names[row[1]]
            return tuple(reversed(words)) if name == "this" and words else (name, *reversed(words))
        if row[0] == Op.GETATTR:
            words.append(code.names[row[2]])
        elif row[0] != Op.OPERATE or row[2] >= 0 or code.names[row[3]] not in ("&", "->", "*"):
            return None
        op = row[1]
    return None


def of_lock(value: tuple[Any, ...]) -> Lock | None:
    """The lock of which a register says whether it was taken, or that it is not so."""
    while value[:1] == ("not",):
        value = value[1]
    return value[1] if value[:1] in (("got",), ("not got",)) else None


def says(value: tuple[Any, ...], *, got: bool) -> bool:
    """Whether such a register is true where the lock was taken, or was not."""
    return not says(value[1], got=got) if value[0] == "not" else got is (value[0] == "got")


def forget(locks: dict[Lock, Held], name: str) -> None:
    """A variable is set: what is called by it is another lock."""
    for lock in [each for each in locks if each[0] == name]:
        del locks[lock]
