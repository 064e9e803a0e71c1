"""Level 1: the import statements whose names the anchor uses."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import merge, names_in, step
from grainline.model.evidence import EvidenceRole
from grainline.model.position import Span
from grainline.model.symbol import Import


class Imports:
    """Follows a used name to the import that brings it."""

    name = "imports"
    level = 1
    share = Share.STRUCTURE

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """One neighbour: every used import of the file."""
        file = ask.reader.file(anchor.entry)
        names = names_in(file, anchor.span)
        used = [row for row in file.imports if not names.isdisjoint(local_names(row))]
        outside = [row for row in used if not anchor.span.start <= row.start < anchor.span.end]
        if not outside:
            return
        spans = merge([file.widen(Span(row.start, row.end)) for row in outside])
        first = outside[0]
        yield Neighbour(
            entry=anchor.entry,
            spans=spans,
            symbol=-1,
            role=EvidenceRole.IMPORT,
            step=step(
                ask.reader,
                "IMPORTS",
                source=(anchor.entry, anchor.symbol),
                target=(anchor.entry, -1),
                at=(anchor.entry, first.start),
                tier="resolved",
                method="import_statement",
            ),
            why="imports used here: " + ", ".join(_shown(row) for row in outside[:6]),
            weight=0.5,
        )


def local_names(row: Import) -> frozenset[str]:
    """The names under which an import may appear in the file."""
    if row.alias:
        return frozenset({row.alias})
    if row.name and row.name != "*":
        return frozenset({row.name})
    parts = row.module.replace("::", ".").replace("/", ".").replace("\\", ".").split(".")
    words = [part for part in parts if part.isidentifier()]
    return frozenset({words[0], words[-1]}) if words else frozenset()


def _shown(row: Import) -> str:
    return row.alias or row.name or row.module


RULE = Imports()
