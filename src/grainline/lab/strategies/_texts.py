"""Composing the text that a chunk is found by. It is never what a reader is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grainline.lab.ground import Chunked, Ground
from grainline.lab.values import Settings
from grainline.model.facts import FileFacts
from grainline.model.position import Span

Compose = Callable[[Ground, Chunked, Settings], str]
"""The text of one chunk."""


def plain(ground: Ground, found: Chunked, settings: Settings) -> str:
    """Path, header and the chunk itself, each as far as the settings want it."""
    del ground
    parts: list[str] = []
    if settings.flag("path"):
        parts.append(found.file.path.decode("utf-8", "replace"))
    if settings.flag("header"):
        header = found.chunk.header
        parts.append(f"{header.scope} {header.name} {header.signature}")
    parts.append(body(found, settings))
    return " ".join(parts)


def body(found: Chunked, settings: Settings) -> str:
    """The chunk, without imports or comments where they are not wanted."""
    dropped: list[Span] = []
    if not settings.flag("imports"):
        dropped += [Span(each.start, each.end) for each in found.facts.imports]
    if not settings.flag("comments"):
        dropped += comments(found.facts)
    return without(found, dropped)


def comments(facts: FileFacts) -> list[Span]:
    """Comments, and documentation wherever a language keeps it."""
    docs = [Span(d.doc_start, d.doc_end) for d in facts.definitions if d.doc_end > d.doc_start]
    return [*facts.comments, *docs]


def without(found: Chunked, dropped: Sequence[Span]) -> str:
    """The text of a chunk with some spans of its file left out."""
    at, end = found.span
    parts: list[str] = []
    for span in sorted(dropped):
        if span.end <= at or span.start >= end:
            continue
        parts.append(found.file.decode(Span(at, max(at, span.start))))
        at = max(at, min(span.end, end))
    parts.append(found.file.decode(Span(at, end)))
    return " ".join(part for part in parts if part)
