"""Level 3: definitions of the same file that the anchor references by their only name there.

Where an edge tells that a name means something in another file, it is not followed.
"""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.cite import SourceFile
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import CALLABLES, CLASSES, head, is_small, step, whole
from grainline.model.evidence import EvidenceRole
from grainline.model.symbol import Definition
from grainline.storage.base import ReferenceRow


class Helpers:
    """Follows a reference to the one definition of that name in the file."""

    name = "helpers"
    level = 3
    share = Share.DIRECT

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """One neighbour per referenced definition, in the order of first use."""
        file = ask.reader.file(anchor.entry)
        told = ask.edges.elsewhere(anchor.entry, anchor.span)
        seen: set[str] = set()
        for row in file.references_in(anchor.span):
            if row.name in seen or row.start in told:
                continue
            seen.add(row.name)
            rows = _definitions(file, row.name)
            if len(rows) == 1 and not _overlaps(anchor, file.outline[rows[0]]):
                yield self._neighbour(ask, anchor, row, rows[0])

    def _neighbour(self, ask: Ask, anchor: Anchor, row: ReferenceRow, index: int) -> Neighbour:
        file = ask.reader.file(anchor.entry)
        found = file.outline[index]
        brief = head(file, found)
        small = is_small(file, found)
        called = row.role == "call" and found.kind in CALLABLES
        return Neighbour(
            entry=anchor.entry,
            spans=(whole(file, found),) if small else brief,
            brief=brief if small else (),
            symbol=index,
            role=_role(found, called=called),
            step=step(
                ask.reader,
                "CALLS" if called else "REFERENCES",
                source=(anchor.entry, anchor.symbol),
                target=(anchor.entry, index),
                at=(anchor.entry, row.start),
                tier="named",
                method="same_file",
            ),
            why=f"{'called' if called else 'referenced'} at line {file.line_at(row.start)}",
            weight=0.75 if called else 0.6,
        )


def _role(found: Definition, *, called: bool) -> EvidenceRole:
    if called:
        return EvidenceRole.CALLEE
    return EvidenceRole.TYPE if found.kind in CLASSES else EvidenceRole.DEFINITION


def _definitions(file: SourceFile, name: str) -> list[int]:
    return [index for index, found in enumerate(file.outline) if found.name == name]


def _overlaps(anchor: Anchor, found: Definition) -> bool:
    return found.start < anchor.span.end and anchor.span.start < found.end


RULE = Helpers()
