"""Level 1: the types that the anchor's signature names, and the bases of a class.

Along edges where there are some, else where exactly one definition of the name can be meant.
"""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.cite import Reader
from grainline.context.edges import KINDS, Link
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import (
    CLASSES,
    NAME,
    along,
    capped,
    head,
    is_small,
    may_mean,
    outside,
    step,
    subjects,
    whole,
)
from grainline.context.rules.imports import local_names
from grainline.model.edge import EdgeType, Symbol
from grainline.model.evidence import EvidenceRole
from grainline.model.position import Span
from grainline.storage.base import SymbolHit

TYPES = KINDS | {EdgeType.HAS_TYPE}


class SignatureTypes:
    """Follows a type name in a signature to its definition in the file or through an import."""

    name = "signature_types"
    level = 1
    share = Share.STRUCTURE

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """One neighbour per type, in the order of the signatures."""
        file = ask.reader.file(anchor.entry)
        linked = outside(ask, anchor, signature_links(ask, anchor), incoming=False)
        links = capped(ask, anchor, self.name, linked)
        yield from along(ask, links, incoming=False, role=EvidenceRole.TYPE, why=_why, weight=0.55)
        seen: set[str] = set()
        for row in subjects(file, anchor):
            own = file.outline[row]
            signature = Span(own.signature_start, own.signature_end)
            told = _told(ask, anchor.entry, signature)
            for name in NAME.findall(file.decode(signature)):
                if name in seen or name == own.name or name in told:
                    continue
                seen.add(name)
                found = _definition(ask.reader, anchor, name)
                if found is not None and not _holds(anchor, found):
                    yield _neighbour(ask.reader, (anchor.entry, row), found)


def signature_links(ask: Ask, anchor: Anchor) -> list[Link]:
    """Edges to types from the signatures of what the anchor defines."""
    file = ask.reader.file(anchor.entry)
    found: dict[Symbol, Link] = {}
    for row in subjects(file, anchor):
        own = file.outline[row]
        signature = Span(own.signature_start, own.signature_end)
        for link in ask.edges.out(anchor.entry, signature, TYPES):
            found.setdefault(link.edge.dst, link)
    return list(found.values())


def _told(ask: Ask, entry: int, signature: Span) -> frozenset[str]:
    """Names in a signature of which edges tell what they mean."""
    file = ask.reader.file(entry)
    links = ask.edges.out(entry, signature, TYPES)
    return frozenset(name for link in links for name in NAME.findall(file.decode(link.edge.site)))


def _why(link: Link) -> str:
    return "type in the signature" if link.edge.type is EdgeType.HAS_TYPE else "base of the class"


def _neighbour(reader: Reader, source: tuple[int, int], found: SymbolHit) -> Neighbour:
    home = reader.file(found.entry)
    own = reader.file(source[0]).outline[source[1]]
    brief = head(home, found.definition)
    small = is_small(home, found.definition)
    return Neighbour(
        entry=found.entry,
        spans=(whole(home, found.definition),) if small else brief,
        brief=brief if small else (),
        symbol=found.row,
        role=EvidenceRole.TYPE,
        step=step(
            reader,
            "HAS_TYPE",
            source=source,
            target=(found.entry, found.row),
            at=(source[0], own.signature_start),
            tier="named",
            method="same_file" if found.entry == source[0] else "imported_name",
        ),
        why=f"type in the signature of {own.name}",
        weight=0.55,
    )


def _definition(reader: Reader, anchor: Anchor, name: str) -> SymbolHit | None:
    file = reader.file(anchor.entry)
    rows = [
        SymbolHit(anchor.entry, index, found)
        for index, found in enumerate(file.outline)
        if found.name == name and found.kind in CLASSES
    ]
    if not rows:
        rows = _imported(reader, anchor, name)
    return rows[0] if len(rows) == 1 else None


def _imported(reader: Reader, anchor: Anchor, name: str) -> list[SymbolHit]:
    """Definitions called `name` in files that an import of that name can mean."""
    modules = [row.module for row in reader.file(anchor.entry).imports if name in local_names(row)]
    if not modules:
        return []
    corpus = reader.corpus
    home = (corpus.repository(anchor.entry).id, corpus.snapshot(anchor.entry))
    return [
        hit
        for hit in reader.named(name)
        if hit.definition.kind in CLASSES
        and hit.definition.name == name
        and (corpus.repository(hit.entry).id, corpus.snapshot(hit.entry)) == home
        and any(may_mean(module, name, reader.module(hit.entry)) for module in modules)
    ]


def _holds(anchor: Anchor, found: SymbolHit) -> bool:
    return (
        found.entry == anchor.entry
        and found.definition.start < anchor.span.end
        and anchor.span.start < found.definition.end
    )


RULE = SignatureTypes()
