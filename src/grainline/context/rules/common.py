"""What several rules need: names inside a span, heads of definitions, steps."""

from __future__ import annotations

import re

from grainline.context.cite import Reader, SourceFile
from grainline.context.expansion import Anchor
from grainline.model.evidence import Step
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
        method=method,
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
