"""Level 2: the members of the enclosing class that the anchor names, and its constructor."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grainline.context.cite import Reader, SourceFile
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import (
    CALLABLES,
    CLASSES,
    head,
    is_small,
    step,
    whole,
)
from grainline.model.evidence import EvidenceRole
from grainline.model.position import Span
from grainline.model.symbol import Definition, SymbolKind

_MEMBER = re.compile(rb"(?:\.|->|::)\s{0,8}([A-Za-z_\x80-\xff][\w\x80-\xff]{0,127})")
_BUILDERS = frozenset({"__init__", "constructor", "initialize", "init"})


class Members:
    """Follows a used name to the member of the same class, else takes the constructor."""

    name = "members"
    level = 2
    share = Share.STRUCTURE

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """One neighbour per relevant member, in file order."""
        file = ask.reader.file(anchor.entry)
        owner = file.outline[anchor.symbol].parent if anchor.symbol >= 0 else -1
        if owner < 0 or file.outline[owner].kind not in CLASSES:
            return
        uses = _uses(file, anchor.span)
        for index, found in enumerate(file.outline):
            if found.parent != owner or index == anchor.symbol:
                continue
            at = uses.get(found.name, -1)
            if at >= 0 or _builds(found, file.outline[owner]):
                yield _neighbour(ask.reader, anchor, owner, index, at)


def _uses(file: SourceFile, span: Span) -> dict[str, int]:
    """Where each name is first used in code: as a reference, or after a dot (comments name much)."""
    uses: dict[str, int] = {}
    for row in file.references_in(span):
        uses.setdefault(row.name, row.start)
    for found in _MEMBER.finditer(file.text, span.start, span.end):
        uses.setdefault(found[1].decode(file.encoding, "replace"), found.start(1))
    return uses


def _neighbour(reader: Reader, anchor: Anchor, owner: int, index: int, at: int) -> Neighbour:
    file = reader.file(anchor.entry)
    found = file.outline[index]
    used = at >= 0
    brief = head(file, found)
    small = is_small(file, found)
    return Neighbour(
        entry=anchor.entry,
        spans=(whole(file, found),) if small else brief,
        brief=brief if small else (),
        symbol=index,
        role=EvidenceRole.CALLEE if used and found.kind in CALLABLES else EvidenceRole.DEFINITION,
        step=step(
            reader,
            "REFERENCES" if used else "DEFINES",
            source=(anchor.entry, anchor.symbol if used else owner),
            target=(anchor.entry, index),
            at=(anchor.entry, at if used else found.start),
            tier="named" if used else "resolved",
            method="member_name" if used else "outline",
        ),
        why=_why(file.outline[anchor.symbol].name, file.outline[owner].name, used=used),
        weight=0.65 if used else 0.4,
    )


def _why(anchor: str, owner: str, *, used: bool) -> str:
    return f"member of {owner} that {anchor} uses" if used else f"constructor of {owner}"


def _builds(found: Definition, owner: Definition) -> bool:
    return (
        found.kind is SymbolKind.CONSTRUCTOR or found.name in _BUILDERS or found.name == owner.name
    )


RULE = Members()
