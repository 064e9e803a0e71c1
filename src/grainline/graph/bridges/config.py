"""From keys of configuration files to the code that reads them by that very name.

A read is known by what is called (`os.getenv`, `viper.GetString`) or annotated (`@Value`), which
comes from its package by import, and by a constant key. Which file is in force is a matter of how
the program is run, so an edge is at most `flowed`, and `candidates` counts the definitions of the
key; those of several folders may belong to several programs, and are `ambiguous`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from grainline.graph.bridges._annotations import annotated
from grainline.graph.bridges._keys import keys
from grainline.graph.bridges._reading import Code, edges_at, external_calls
from grainline.graph.bridges.base import Bridge, File, Found, Ground
from grainline.graph.units import Unit
from grainline.model.edge import EdgeType, Method, Symbol, Tier
from grainline.model.ir import Op
from grainline.model.position import Span

MAX_DEFINITIONS: Final = 32
"""A key that more places define says nothing."""

_VARIABLES: Final = re.compile(
    r"os\.getenv|os\.environ\.(?:get|pop|setdefault)|os\.(?:Getenv|LookupEnv)|syscall\.Getenv"
    r"|(?:java\.lang\.)?System\.getenv|std(?:::|\.)env(?:::|\.)var(?:_os)?|decouple\.config"
    r"|environs\.Env\(\)(?:\.\w+)?"
)
"""Calls that read the variable of the environment that their first argument names."""

_PROPERTIES: Final = re.compile(
    r"github\.com/spf13/viper\.(?:\S+\.)?(?:Get\w*|IsSet|InConfig)"
    r"|org\.springframework\.core\.env\.Environment(?:\(\))?\.(?:getProperty|getRequiredProperty)"
)
"""Calls that read a property."""

_PROCESS: Final = "process.env"
_ENVIRONMENTS: Final = {
    "python": "os.environ", "javascript": _PROCESS, "typescript": _PROCESS, "tsx": _PROCESS,
}  # fmt: skip
"""What holds the variables of the environment, by language."""

_VALUE: Final = {"Value": ("org.springframework.beans.factory.annotation",)}
_PLACE: Final = re.compile(r"\$\{([\w.\-]+)(?::[^}]*)?\}")


class _Read(NamedTuple):
    key: str
    variable: bool
    reader: Symbol


def _find(ground: Ground) -> Iterator[Found]:
    reads = set(_reads(ground))
    wanted = {(read.key, read.variable) for read in reads}
    defined: dict[tuple[str, bool], list[tuple[File, Span]]] = {}
    for file in ground.files if wanted else ():
        for key in keys(file):
            if (key.name, key.variable) in wanted:
                defined.setdefault((key.name, key.variable), []).append((file, key.span))
    for read in reads:
        places = defined.get((read.key, read.variable), [])
        near = len({file.folder for file, _ in places}) == 1
        tier = Tier.FLOWED if near else Tier.AMBIGUOUS
        for file, span in places if len(places) <= MAX_DEFINITIONS else ():
            yield Found(file.around(span), read.reader, span, tier, len(places))


def _reads(ground: Ground) -> Iterator[_Read]:
    codes: dict[bytes, Code] = {}
    for pattern, variable in ((_VARIABLES, True), (_PROPERTIES, False)):
        for call in external_calls(ground, codes, pattern):
            key = call.code.text(call.code.argument(call.op, 0, "key"))
            if key:
                yield _Read(key, variable, call.code.scope(call.op))
    for file in ground.files:
        if file.unit is not None and file.unit.language in _ENVIRONMENTS:
            yield from _items(ground, codes, file, file.unit)
    for each in annotated(ground, codes, _VALUE):
        text = each.code.text(each.constant) or ""
        for found in _PLACE.finditer(text):
            path = each.code.unit.path
            reader = ground.by_path[path].around(each.code.span(each.op))
            yield _Read(found[1], False, reader)


def _items(ground: Ground, codes: dict[bytes, Code], file: File, unit: Unit) -> Iterator[_Read]:
    """`os.environ["X"]` and `process.env.X`, which call nothing."""
    environment = _ENVIRONMENTS[unit.language]
    if not unit.mentions(frozenset((environment.rpartition(".")[2],))):
        return
    code = codes.get(file.path) or codes.setdefault(file.path, Code(unit))
    members = environment == _PROCESS
    wanted = (Op.GETITEM, Op.GETATTR) if members else (Op.GETITEM,)
    for op in np.flatnonzero(np.isin(unit.ir.ops[:, 0], wanted)).tolist():
        of, key = code.ops[op][1:3]
        text = code.names[key] if code.ops[op][0] == Op.GETATTR else code.text(key)
        if text and _dotted(ground, code, of) == environment:
            yield _Read(text, True, code.scope(op))


def _dotted(ground: Ground, code: Code, op: int) -> str:
    """What is external and named by an import, or bound by nothing; "" for anything else."""
    row, words = code.ops[op], list[str]()
    while row[0] == Op.GETATTR:
        words.append(code.names[row[2]])
        row = code.ops[row[1]]
    if row[0] != Op.LOAD:
        return ""
    word = code.names[row[1]]
    name, imported = code.imported.get(word, ("", -1))
    if imported < 0 and (word in code.bound or word != _PROCESS.partition(".")[0]):
        return ""
    if imported >= 0 and any(edges_at(ground.table, code.unit.path, code.span(imported))):
        return ""
    return ".".join((name or word, *reversed(words)))


BRIDGE = Bridge(type=EdgeType.CONFIGURES, method=Method.SETTING, find=_find)
