"""Small SCIP indexes over small files, written down by the words that stand in them."""

from __future__ import annotations

import re

from grainline.parsing.facts import parse
from grainline.precise import File
from grainline.precise.index import (
    Document,
    Encoding,
    Index,
    Occurrence,
    Range,
    Relationship,
    Roles,
    SymbolInformation,
)
from grainline.precise.positions import Lines

SUFFIXES = {"py": "python", "ts": "typescript", "java": "java", "js": "javascript"}


def file(path, text):
    raw = text if isinstance(text, bytes) else text.encode()
    language = SUFFIXES[path.rpartition(".")[2]]
    return File(path.encode(), raw, parse(raw, language, skeleton_limit=1000))


def own(descriptors):
    """The string of a symbol of the package that the indexes here are of."""
    return f"tool m own 1 {descriptors}"


def place(text, word, nth=0, encoding=Encoding.UTF16):
    """The range of the nth whole `word` in `text`, as a tool counts it."""
    raw = text if isinstance(text, bytes) else text.encode()
    found = [
        match.start() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)".encode(), raw)
    ]
    at = found[nth]
    lines = Lines(raw)
    start = lines.position(at, encoding)
    return Range(*start, *lines.position(at + len(word.encode()), encoding))


def defines(text, word, symbol, nth=0):
    return Occurrence(place(text, word, nth), symbol, int(Roles.DEFINITION))


def means(text, word, symbol, nth=0, roles=0):
    return Occurrence(place(text, word, nth), symbol, int(roles))


def module(symbol):
    return Occurrence(Range(0, 0, 0, 0), symbol, int(Roles.DEFINITION))


def document(path, *occurrences, symbols=(), encoding=Encoding.UTF16, text=None):
    return Document(
        path=path.encode(), occurrences=tuple(occurrences), symbols=tuple(symbols),
        encoding=encoding, text=text,
    )  # fmt: skip


def implements(symbol, *others):
    relationships = tuple(Relationship(other, implementation=True) for other in others)
    return SymbolInformation(symbol, relationships=relationships)


def index(*documents):
    return Index(tool="tool", documents=tuple(documents))


def rows(edges, files):
    """(type, source, text of the site, target) of edges, in order."""
    texts = {each.path: each.text for each in files}
    return [
        (
            edge.type.value,
            edge.src.descriptor,
            texts[edge.src.path][edge.site.start : edge.site.end].decode(),
            edge.dst.descriptor,
        )
        for edge in edges
    ]
