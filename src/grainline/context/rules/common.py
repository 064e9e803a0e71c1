"""What several rules need: names inside a span, heads of definitions, steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from grainline.context.cite import Reader, SourceFile
from grainline.context.edges import Link, Place
from grainline.context.expansion import Anchor, Ask, Neighbour
from grainline.model.edge import Tier
from grainline.model.evidence import EvidenceRole, Step
from grainline.model.position import LineSpan, Span
from grainline.model.symbol import Definition, SymbolKind

NAME = re.compile(r"[^\W\d]\w*")
CLASSES = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.STRUCT,
        SymbolKind.INTERFACE,
        SymbolKind.TRAIT,
        SymbolKind.ENUM,
        SymbolKind.UNION,
        SymbolKind.TYPE,
    }
)
CALLABLES = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.MACRO}
)
SMALL = 40  # lines; a definition up to this long may come along whole
DOC_LINES = 6  # of a head


SUBJECTS = 6  # definitions of one anchor that a rule follows


def subjects(file: SourceFile, anchor: Anchor) -> tuple[int, ...]:
    """Rows of what the anchor is and of the callables and classes that start inside it."""
    inside = (
        row
        for row, found in enumerate(file.outline)
        if anchor.span.start <= found.start < anchor.span.end
        and (found.kind in CALLABLES or found.kind in CLASSES)
    )
    own = (anchor.symbol,) if anchor.symbol >= 0 else ()
    return tuple(dict.fromkeys([*own, *inside]))[:SUBJECTS]


def names_in(file: SourceFile, span: Span) -> frozenset[str]:
    """Every name written in `span`."""
    return frozenset(NAME.findall(file.decode(span)))


def head(file: SourceFile, definition: Definition) -> tuple[Span, ...]:
    """Whole lines of a definition's decorators, signature and first doc lines, not its body."""
    end = max(definition.signature_end, definition.name_end)
    lines = [file.lines(Span(definition.start, end))]
    if definition.doc_end > definition.doc_start:
        doc = file.lines(Span(definition.doc_start, definition.doc_end))
        lines.append(LineSpan(doc.start, min(doc.end, doc.start + DOC_LINES - 1)))
    return merge([file.widen(_inside(file, part, definition)) for part in lines])


def _inside(file: SourceFile, lines: LineSpan, definition: Definition) -> Span:
    whole = file.line_span(lines)
    first = min(definition.start, definition.doc_start or definition.start)
    return Span(max(whole.start, min(first, whole.end)), max(whole.start, whole.end))


def whole(file: SourceFile, definition: Definition) -> Span:
    """The lines of a definition, leading doc comment included."""
    start = definition.start
    if definition.doc_end > definition.doc_start:
        start = min(start, definition.doc_start)
    return file.widen(Span(start, definition.end))


def is_small(file: SourceFile, definition: Definition) -> bool:
    """Whether a definition is short enough to come along whole."""
    lines = file.lines(Span(definition.start, definition.end))
    return lines.end - lines.start < SMALL


_SEPARATORS = re.compile(r"::|[./:\\\\]")


def may_mean(module: str, name: str, home: str) -> bool:
    """Whether an import of `module` can mean the file whose module is `home`, or its package."""
    words = [word for word in _SEPARATORS.split(module) if word]
    words = [word for word in words if word not in ("crate", "self", "super")]
    if words and words[-1] == name:
        words.pop()
    parts = home.split(".")
    if not words:
        return module.startswith(".")
    return parts[-len(words) :] == words or parts[:-1][-len(words) :] == words


def merge(spans: list[Span]) -> tuple[Span, ...]:
    """`spans` in order, those that touch or overlap joined."""
    out: list[Span] = []
    for span in sorted(spans):
        if span.end <= span.start:
            continue
        if out and span.start <= out[-1].end:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    return tuple(out)


def step(
    reader: Reader,
    kind: str,
    *,
    source: tuple[int, int],
    target: tuple[int, int],
    at: tuple[int, int],
    tier: str,
    method: str,
    candidates: int = 1,
) -> Step:
    """A relation between two (entry, outline row) pairs, seen at `(entry, offset)`."""
    entry, offset = at
    file = reader.file(entry)
    return Step(
        type=kind,
        src=label(reader, *source),
        dst=label(reader, *target),
        tier=tier,
        methods=(method,),
        candidates=candidates,
        repository=reader.corpus.repository(entry).name,
        path=file.path,
        line=file.line_at(offset),
    )


def label(reader: Reader, entry: int, symbol: int) -> str:
    """Qualified name of a symbol, or the path of a file."""
    info = reader.symbol(entry, symbol)
    if info is not None:
        return info.qualified_name
    return reader.file(entry).path.decode("utf-8", "replace")


# ----------------------------------------------------------------------- along the symbol graph

FLOWED = 0.85
"""Of the weight of an edge that a value had to flow along, beside one that is resolved."""


def along(
    ask: Ask,
    links: Iterable[Link],
    *,
    incoming: bool,
    role: EvidenceRole,
    why: Callable[[Link], str],
    weight: float,
    beyond: tuple[Step, ...] = (),
) -> Iterator[Neighbour]:
    """The far ends of `links` as neighbours, each definition once; of a whole file its site alone."""
    seen: set[Place] = set()
    for link in links:
        entry, symbol = (link.source, link.edge.src) if incoming else (link.target, link.edge.dst)
        place = ask.edges.place(entry, symbol)
        if place in seen or (place.row < 0 and not incoming):
            continue
        seen.add(place)
        spans, brief = _shown(ask.reader.file(entry), place.row, link, incoming=incoming)
        sure = 1.0 if link.edge.tier < Tier.FLOWED else FLOWED
        yield Neighbour(
            entry=entry,
            spans=spans,
            brief=brief,
            symbol=place.row,
            role=role,
            step=ask.edges.step(link),
            beyond=beyond,
            why=why(link),
            weight=weight * sure / link.edge.candidates**0.5,
            by_edge=True,
        )


def _shown(
    file: SourceFile, row: int, link: Link, *, incoming: bool
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """(spans, brief) of the far end; of one that leads here the brief form has the site."""
    site = [file.widen(link.edge.site)] if incoming else []
    if row < 0:
        return tuple(site), ()
    found = file.outline[row]
    brief = merge([*head(file, found), *site])
    return ((whole(file, found),), brief) if is_small(file, found) else (brief, ())


def outside(ask: Ask, anchor: Anchor, links: Iterable[Link], *, incoming: bool) -> list[Link]:
    """Those whose far end does not stand in the anchor."""
    span = anchor.span
    if incoming:
        return [
            link
            for link in links
            if link.source != anchor.entry or not span.start <= link.edge.site.start < span.end
        ]
    return [link for link in links if not _within(ask, anchor, link)]


def _within(ask: Ask, anchor: Anchor, link: Link) -> bool:
    if link.target != anchor.entry:
        return False
    row = ask.edges.place(link.target, link.edge.dst).row
    found = ask.reader.file(anchor.entry).outline[row] if row >= 0 else None
    return found is None or (found.start < anchor.span.end and anchor.span.start < found.end)


def capped(ask: Ask, anchor: Anchor, rule: str, links: list[Link]) -> list[Link]:
    """The first `max_neighbours`; the others are counted as left out."""
    ask.left_out[rule, anchor] = max(0, len(links) - ask.max_neighbours)
    return links[: ask.max_neighbours]


def places(ask: Ask, anchor: Anchor) -> list[Place]:
    """The definitions of the anchor that a rule follows."""
    return [Place(anchor.entry, row) for row in subjects(ask.reader.file(anchor.entry), anchor)]
