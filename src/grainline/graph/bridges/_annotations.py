"""Annotations of Java in the IR: which one it is, its constant, what it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np

from grainline.graph.bridges._reading import Code
from grainline.graph.bridges.base import Ground
from grainline.model.ir import MENTIONED, Op

_VALUE: Final = re.compile(rb"(?:\(|\b(?:value|path)\s*=)\s*\{?\s*$")
LANGUAGE: Final = "java"


class Annotation(NamedTuple):
    """An annotation: `op` loads its name, `constant` is the operation of its value or -1."""

    code: Code
    name: str
    op: int
    constant: int


def annotated(
    ground: Ground, codes: dict[bytes, Code], wanted: Mapping[str, tuple[str, ...]]
) -> Iterator[Annotation]:
    """The annotations that are called so and come from one of their packages."""
    words = frozenset(wanted)
    for file in ground.files:
        unit = file.unit
        if unit is None or unit.language != LANGUAGE or not unit.mentions(words):
            continue
        code = codes.get(file.path) or codes.setdefault(file.path, Code(unit))
        loads = (unit.ir.ops[:, 0] == Op.LOAD) & (unit.ir.ops[:, 2] == MENTIONED)
        for op in np.flatnonzero(loads).tolist():
            name = code.names[code.ops[op][1]]
            if _comes_from(ground, code, name, wanted.get(name, ())):
                yield Annotation(code, name, op, _constant(code, op, file.read()))


def _comes_from(ground: Ground, code: Code, name: str, packages: tuple[str, ...]) -> bool:
    """By its import, or a star of its package that nothing beside the file hides."""
    if not packages:
        return False
    starred = False
    for row in code.ops:
        if row[0] != Op.IMPORT or row[2] < 0:
            continue
        module, member = code.names[row[1]], code.names[row[2]]
        if member == name:
            return module in packages
        starred = starred or (member == "*" and module in packages)
    folder = code.unit.path.rpartition(b"/")[0]
    beside = any(path.rpartition(b"/")[0] == folder for path, _ in ground.named(name))
    return starred and not beside


def _constant(code: Code, op: int, text: bytes) -> int:
    """The first constant string between its parentheses that is its value: they are read before."""
    found, start = -1, code.span(op).start
    at = op - 1
    while at >= 0 and code.ops[at][4] > start and code.ops[at][0] in (Op.CONST, Op.MAKE):
        if code.text(at) is not None and _VALUE.search(text, 0, code.ops[at][4]) is not None:
            found = at
        at -= 1
    return found
