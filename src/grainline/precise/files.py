"""Our side: files as the caller knows them, and look-ups by place in one of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Final, NamedTuple

from grainline.model.edge import Symbol
from grainline.model.facts import FileFacts
from grainline.model.position import Span
from grainline.model.symbol import Definition, Role, SymbolKind
from grainline.precise.index import Encoding
from grainline.precise.positions import Lines

CALLABLE: Final = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})
TYPES: Final = frozenset(
    {
        SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.TRAIT,
        SymbolKind.ENUM, SymbolKind.UNION, SymbolKind.TYPE,
    }
)  # fmt: skip
CONTRACTS: Final = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})
"""What is implemented, not inherited from."""
_SCOPES: Final = CALLABLE | TYPES | {SymbolKind.NAMESPACE, SymbolKind.MODULE, SymbolKind.PROPERTY}

_WORD: Final = re.compile(rb"#?[\w$\x80-\xff]+")
_LETTER: Final = re.compile(rb"[\w$\x80-\xff]")
_PART: Final = re.compile(rb"[\w$\x80-\xff-]+")
"""A part of the name of a module, as paths and dotted names have it."""
_ALIASED: Final = re.compile(rb"([\w$\x80-\xff]++)[ \t]+as[ \t]+([\w$\x80-\xff]++)")
MOST: Final = 64
"""Targets of one symbol, and declarations of one name, that are still a set worth having."""

_INDEX_FILES: Final = frozenset({"__init__", "index", "mod"})
"""Files that are called after their folder."""


class File(NamedTuple):
    """One file of the snapshot: path, working text, and all that the file says by itself."""

    path: bytes
    text: bytes
    facts: FileFacts


class Sheet:
    """A file with look-ups by place, made as they are asked for."""

    def __init__(self, file: File) -> None:
        self.path = file.path
        self.text = file.text
        self.facts = file.facts
        self.lines = Lines(file.text)

    @cached_property
    def named(self) -> dict[int, int]:
        """Where the name of a definition starts -> its number; the outermost of several."""
        found: dict[int, int] = {}
        for number, each in enumerate(self.facts.definitions):
            found.setdefault(each.name_start, number)
        return found

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Descriptor -> number of the definition."""
        return {each.descriptor: number for number, each in enumerate(self.facts.definitions)}

    @cached_property
    def roles(self) -> dict[tuple[int, int], Role]:
        """Place -> role of our own reference there."""
        return {(each.start, each.end): each.role for each in self.facts.references}

    @cached_property
    def aliases(self) -> frozenset[str]:
        """Names under which the file imports something."""
        return frozenset(each.alias for each in self.facts.imports if each.alias)

    @cached_property
    def defaults(self) -> frozenset[str]:
        """Names that the file gives to what others export without one."""
        imports = self.facts.imports
        return frozenset(each.alias for each in imports if each.name == "default" and each.alias)

    @cached_property
    def renamed(self) -> frozenset[tuple[str, str]]:
        """Pairs of a name and what the file calls it: in imports, and `name as alias`."""
        written = _ALIASED.findall(self.text)
        pairs = {(a.decode("utf-8", "replace"), b.decode("utf-8", "replace")) for a, b in written}
        pairs |= {(each.name, each.alias) for each in self.facts.imports if each.alias}
        return frozenset(pairs)

    @cached_property
    def module_words(self) -> frozenset[str]:
        """The words by which others call this file."""
        parts = self.path.decode("utf-8", "replace").split("/")
        stem = parts[-1].partition(".")[0]
        words = {stem, *parts[-2:-1]} if stem in _INDEX_FILES else {stem}
        return frozenset(words)

    @cached_property
    def _starts(self) -> list[int]:
        return [each.start for each in self.facts.definitions]

    @cached_property
    def _import_starts(self) -> list[int]:
        return [span.start for span in self.facts.import_spans]

    def definition(self, descriptor: str) -> Definition | None:
        """The definition of a descriptor; None for the module and what the outline lacks."""
        number = self.numbers.get(descriptor)
        return None if number is None else self.facts.definitions[number]

    @cached_property
    def _declarations(self) -> dict[tuple[int, str], list[int]]:
        found: dict[tuple[int, str], list[int]] = {}
        for number, each in enumerate(self.facts.definitions):
            found.setdefault((each.parent, each.name), []).append(number)
        return found

    def declarations(self, descriptor: str) -> tuple[Symbol, ...]:
        """All symbols of the same name, kind and parent, without those beyond `MOST`."""
        each = self.definition(descriptor)
        if each is None:
            return ()
        beside = self._declarations[each.parent, each.name]
        if not 1 < len(beside) <= MOST:
            return ()
        others = (self.facts.definitions[number] for number in beside)
        return tuple(Symbol(self.path, one.descriptor) for one in others if one.kind is each.kind)

    def defined_at(self, span: Span) -> Symbol | None:
        """The symbol whose name is exactly there; the module for an empty span at the start."""
        number = self.named.get(span.start)
        if number is not None:
            each = self.facts.definitions[number]
            if each.name_end == span.end:
                return Symbol(self.path, each.descriptor)
        first = self.lines.offset(0, 0, Encoding.UTF8)
        return Symbol(self.path, "") if span == (first, first) else None

    def word(self, span: Span) -> str | None:
        """The text of `span` when it is one whole word, else None."""
        if _WORD.fullmatch(self.text, span.start, span.end) is None:
            return None
        if _LETTER.match(self.text, span.end) is not None:
            return None
        if span.start and _LETTER.match(self.text, span.start - 1) is not None:
            return None
        return self.text[span.start : span.end].decode("utf-8", "replace")

    def parts(self, span: Span) -> frozenset[str]:
        """The parts of the name of a module inside of `span`."""
        found = _PART.findall(self.text, span.start, span.end)
        return frozenset(word.decode("utf-8", "replace") for word in found)

    def imported(self, span: Span) -> Span:
        """Of `name as alias` in an import the name, of everything else the whole."""
        found = _ALIASED.fullmatch(self.text, span.start, span.end)
        return Span(*found.span(1)) if found is not None and self.is_import(span) else span

    def is_import(self, span: Span) -> bool:
        """Whether it stands in an import."""
        at = bisect_right(self._import_starts, span.start) - 1
        return at >= 0 and span.end <= self.facts.import_spans[at].end

    def around(self, span: Span, *, heads: bool) -> Symbol:
        """The symbol of the innermost scope around `span`, the module where there is none.

        Args:
            span: a place in the file.
            heads: whether what stands in the head of a definition (annotations, bases) is its
                own; else it belongs to what is around, where it is evaluated.
        """
        definitions = self.facts.definitions
        number = bisect_right(self._starts, span.start) - 1
        while number >= 0:
            each = definitions[number]
            first = each.signature_start if heads else each.signature_end
            if each.kind in _SCOPES and first <= span.start and span.end <= each.end:
                return Symbol(self.path, each.descriptor)
            number = self._containers[number]
        return Symbol(self.path, "")

    @cached_property
    def _containers(self) -> list[int]:
        """For each definition the innermost one around it in the text, -1 for none."""
        found: list[int] = []
        open_ones: list[int] = []
        definitions = self.facts.definitions
        for number, each in enumerate(definitions):
            while open_ones and definitions[open_ones[-1]].end < each.end:
                open_ones.pop()
            found.append(open_ones[-1] if open_ones else -1)
            open_ones.append(number)
        return found
