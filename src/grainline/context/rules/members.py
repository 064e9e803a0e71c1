"""Level 2: the members of the enclosing class that the anchor names, and its constructor."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import (
    CALLABLES,
    CLASSES,
    head,
    is_small,
    names_in,
    step,
    whole,
)
from grainline.model.evidence import EvidenceRole
from grainline.model.symbol import Definition, SymbolKind

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
        names = names_in(file, anchor.span)
        for index, found in enumerate(file.outline):
            if found.parent != owner or index == anchor.symbol:
                continue
            used = found.name in names
            if not used and not _builds(found, file.outline[owner]):
                continue
            brief = head(file, found)
            small = is_small(file, found)
            yield Neighbour(
                entry=anchor.entry,
                spans=(whole(file, found),) if small else brief,
                brief=brief if small else (),
                symbol=index,
                role=EvidenceRole.CALLEE if used and _called(found) else EvidenceRole.DEFINITION,
                step=step(
                    ask.reader,
                    "REFERENCES" if used else "DEFINES",
                    source=(anchor.entry, anchor.symbol if used else owner),
                    target=(anchor.entry, index),
                    at=(anchor.entry, anchor.span.start if used else found.start),
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


def _called(found: Definition) -> bool:
    return found.kind in CALLABLES


RULE = Members()
