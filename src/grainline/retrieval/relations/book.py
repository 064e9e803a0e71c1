"""Symbols as people read them: names, places and lines, every file read once per request."""

from __future__ import annotations

import re
from functools import cached_property

from grainline.errors import Damaged
from grainline.model.access import View
from grainline.model.edge import Symbol
from grainline.model.position import Citation, LineSpan, quote_path
from grainline.model.relations import Node
from grainline.model.snapshot import FlagName
from grainline.model.symbol import Definition, SymbolKind
from grainline.retrieval.hits import decode, version_of
from grainline.retrieval.lines import LineIndex
from grainline.retrieval.modules import descriptor_parts, module_name, qualified_parts
from grainline.retrieval.places import entry_of
from grainline.storage.base import Corpus

LONGEST = 200
"""Characters of a shown line; of a longer one that many around the site are shown."""

_TEST = 1 << list(FlagName).index(FlagName.TEST)


class File:
    """One file: its lines and definitions, each looked up when asked for."""

    def __init__(self, corpus: Corpus, entry: int, *, relative: bool = False) -> None:
        self.entry = entry
        self.path = corpus.path(entry)
        self.language = corpus.language(entry)
        above = corpus.repository(entry).prefix.rstrip(b"/") + b"/" if relative else b""
        self.module = module_name(self.path.removeprefix(above), self.language)
        self.test = bool(int(corpus.entry_flags[entry]) & _TEST)
        self.repository = corpus.repository(entry).name
        self.encoding = corpus.encoding(entry)
        self._corpus = corpus
        self._nodes: dict[str, Node] = {}

    @cached_property
    def text(self) -> bytes:
        """The masked view."""
        return self._corpus.text(self.entry)

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Descriptor -> definition."""
        return {found.descriptor: found for found in self._corpus.outline(self.entry)}

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.text)

    @cached_property
    def version(self) -> str:
        """What a citation of the file names."""
        return version_of(self._corpus.snapshot(self.entry), entry_of(self._corpus, self.entry))

    def line(self, offset: int) -> int:
        """The line of a byte."""
        return self._lines.line(offset)

    def cite(self, line: int) -> Citation:
        """The citation of a line."""
        return Citation(path=self.path, lines=LineSpan(line, line), version=self.version)

    def show(self, offset: int) -> str:
        """The line of a byte, without the blanks around it."""
        start = self.text.rfind(b"\n", 0, offset) + 1
        end = self.text.find(b"\n", offset)
        end = len(self.text) if end < 0 else end
        start, end = max(start, offset - LONGEST), min(end, offset + LONGEST)
        return decode(self.text[start:end], self.encoding).strip()[:LONGEST]

    def node(self, descriptor: str) -> Node:
        """A symbol of this file."""
        found = self._nodes.get(descriptor)
        if found is None:
            found = self._nodes[descriptor] = self._node(descriptor)
        return found

    def name(self, descriptor: str) -> str:
        """The qualified name of a symbol, by its descriptor alone."""
        if not descriptor:
            return self.module or quote_path(self.path)
        return ".".join(qualified_parts(self.module, descriptor, last_name(descriptor))[0])

    def _node(self, descriptor: str) -> Node:
        known = self.definitions.get(descriptor)
        name, kind, line = self.name(descriptor), str(SymbolKind.MODULE), 1
        if known is not None:
            name = ".".join(qualified_parts(self.module, descriptor, known.name)[0])
            kind, line = str(known.kind), self.line(known.name_start)
        elif descriptor:
            package = descriptor.endswith(":")
            kind = str(SymbolKind.NAMESPACE if package else SymbolKind.FUNCTION)
            line = self._line_above(descriptor)
        return Node(
            name=name, kind=kind, repository=self.repository, path=self.path, line=line,
            language=self.language, descriptor=descriptor, test=self.test,
        )  # fmt: skip

    def _line_above(self, descriptor: str) -> int:
        """Where a symbol without an outline row stands, as far as known: in the row around it."""
        around = [known for known in self.definitions if known and descriptor.startswith(known)]
        return self.line(self.definitions[max(around, key=len)].name_start) if around else 1


class Book:
    """The files of one scope, by view and path.

    With `relative`, modules are named from the folder that was indexed, not from the top of its
    repository.
    """

    def __init__(self, corpus: Corpus, *, relative: bool = False) -> None:
        self.corpus = corpus
        self._relative = relative
        self._files: dict[tuple[View, bytes], File] = {}

    def file(self, view: View, path: bytes) -> File:
        """A file of a view.

        Raises:
            Damaged: the graph names a file that the scope does not have.
        """
        found = self._files.get((view, path))
        if found is None:
            found = self._files[view, path] = self._open(view, path)
        return found

    def _open(self, view: View, path: bytes) -> File:
        for entry in self.corpus.find_entries(path):
            if view_of(self.corpus, entry) == view:
                return File(self.corpus, entry, relative=self._relative)
        raise Damaged(
            "graph_mismatch",
            "the symbol graph names a file that is not there",
            subject=quote_path(path),
            hint="index it again: grainline index PATH",
        )

    def name(self, view: View, symbol: Symbol) -> str:
        """The qualified name of a symbol of a view; its file is not opened."""
        return self.file(view, symbol.path).name(symbol.descriptor)

    def node(self, view: View, symbol: Symbol) -> Node:
        """A symbol of a view."""
        return self.file(view, symbol.path).node(symbol.descriptor)


def view_of(corpus: Corpus, entry: int) -> View:
    """The view of an entry."""
    snapshot = corpus.snapshot(entry)
    return View(repository=corpus.repository(entry).id, ref=snapshot.ref or snapshot.commit)


def last_name(descriptor: str) -> str:
    """The own name of a symbol, as written; "" of a module."""
    parts = descriptor_parts(descriptor)
    return re.sub(r"\+\d+$", "", parts[-1][0]) if parts else ""
