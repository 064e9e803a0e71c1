"""Where a question meets a chunk: the definition it means there, and the lines to show first.

Small siblings share a chunk, so the symbol of a chunk need not be what was asked for.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from grainline.model.position import LineSpan, Span
from grainline.model.symbol import Definition
from grainline.retrieval.lexical import weigh_terms
from grainline.retrieval.lines import span_of
from grainline.retrieval.literal import encode_exactly, find_from
from grainline.retrieval.options import QueryOptions
from grainline.retrieval.places import entries_named
from grainline.retrieval.regex import compile_pattern, first_match
from grainline.retrieval.router import QueryKind, Route, SymbolName, is_dotted, parse_symbol
from grainline.retrieval.symbols import MAIN_KINDS, Sort, sort_of
from grainline.storage.base import Corpus, Placement, SymbolHit
from grainline.text.identifiers import token_terms
from grainline.text.tokens import TOKEN, query_terms

MAX_LOOKUPS = 8
"""Names, literals or places of each sort that are looked for in a chunk."""

MAX_ASKED = 2000
"""Characters of a question whose words choose among siblings."""

MAX_SIGNATURE = 400
"""Bytes of a signature whose words are compared with the question."""

MATCH_ROOM = 4096
"""Bytes that a match of a pattern may reach beyond the chunk in which it starts."""


class Focus(NamedTuple):
    """`row` of the outline is the definition that is meant, -1 for none.

    `span` is what the question meets: the match, or the definition itself.
    """

    row: int
    span: Span


class Asked:
    """A question as it is looked for in the chunks that answer it."""

    def __init__(self, corpus: Corpus, asked: Route, options: QueryOptions) -> None:
        self._corpus = corpus
        self._asked = asked
        self._options = options

    def focus(self, place: Placement, text: bytes) -> Focus | None:
        """Where the chunk at `place` answers; `text` is the view of its entry.

        The first that holds: a place of the question, its only pattern or literal, a name, text
        that stands in the chunk, the words of the question among siblings. None: nothing tells.
        """
        rows = _Rows(self._corpus, place)
        match = self._at_place(place, text) or self._exactly(place, text)
        if match is not None:
            return Focus(rows.at(match, text), match)
        named = self._named(rows)
        if named is not None:
            return rows.focus(named)
        match = self._loosely(place, text)
        if match is not None:
            return Focus(rows.at(match, text), match)
        worded = self._worded(rows, text)
        return None if worded is None else rows.focus(worded)

    # ------------------------------------------------------------------ matches

    def _at_place(self, place: Placement, text: bytes) -> Span | None:
        for lines in self._places.get(place.entry, ()):
            asked = span_of(text, lines)
            span = Span(max(asked.start, place.start), min(asked.end, place.end))
            if span.start < span.end:
                return span
        return None

    @cached_property
    def _places(self) -> dict[int, list[LineSpan]]:
        asked = self._asked
        places = [
            *((each.path, LineSpan(each.start, each.end)) for each in asked.locations),
            *((each.path, each.lines) for each in asked.citations),
            *(
                (frame.path, LineSpan(frame.line, frame.line))
                for frame in asked.frames
                if frame.path and frame.line
            ),
        ]
        found: dict[int, list[LineSpan]] = {}
        for path, lines in list(dict.fromkeys(places))[: 4 * MAX_LOOKUPS]:
            for entry in entries_named(self._corpus, path)[:MAX_LOOKUPS]:
                found.setdefault(entry, []).append(lines)
        return found

    def _exactly(self, place: Placement, text: bytes) -> Span | None:
        if self._asked.exact is QueryKind.LITERAL:
            return self._literal(place, text)
        for pattern in self._patterns:
            # a match counts for the chunk in which it starts, and may end behind it
            piece = text[place.start : place.end + MATCH_ROOM]
            found = first_match(pattern, piece, self._corpus.encoding(place.entry))
            if found is not None and place.start + found[0] < place.end:
                return Span(place.start + found[0], min(place.start + found[1], place.end))
        return None

    @cached_property
    def _patterns(self) -> list[Any]:
        return [compile_pattern(each) for each in self._asked.regexes[:MAX_LOOKUPS]]

    def _loosely(self, place: Placement, text: bytes) -> Span | None:
        return None if self._asked.exact is QueryKind.LITERAL else self._literal(place, text)

    def _literal(self, place: Placement, text: bytes) -> Span | None:
        for literal in self._texts[:MAX_LOOKUPS]:
            spelled = encode_exactly(literal, self._corpus.encoding(place.entry))
            if spelled is None:
                continue
            at = find_from(text, *spelled, place.start, place.end + len(spelled[0]) - 1)
            if at >= 0:
                return Span(at, min(at + len(spelled[0]), place.end))
        return None

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        asked = self._asked
        joined = [each.text.removesuffix("()") for each in asked.symbols if is_dotted(each)]
        return (*asked.literals, *asked.error_codes, *asked.compounds, *joined)

    # ------------------------------------------------------------------ names and words

    def _named(self, rows: _Rows) -> int | None:
        """The definition of the chunk that a name of the question fits best."""
        best: tuple[Sort, bool] | None = None
        chosen: int | None = None
        for parts, folded in self._names:
            for row, each in rows.inside:
                if each.name != parts[-1] and each.name.casefold() != folded:
                    continue
                sort = sort_of(self._corpus, SymbolHit(rows.entry, row, each), parts)
                rating = (sort, each.kind in MAIN_KINDS)
                if sort and (best is None or rating > best):
                    best, chosen = rating, row
        return chosen

    @cached_property
    def _names(self) -> list[tuple[tuple[str, ...], str]]:
        """The parts of the names that are asked for, with the last one folded."""
        names: list[SymbolName] = list(self._asked.symbols[:MAX_LOOKUPS])
        if not names:
            functions = [parse_symbol(frame.function) for frame in self._asked.frames]
            names = [name for name in functions if name is not None][:MAX_LOOKUPS]
        spelled = [name.parts for name in names]
        for parts in list(spelled):
            inner = tuple(part for part in parts[-1].split("$") if part)
            if len(inner) > 1:
                spelled.append((*parts[:-1], *inner))
        return [(parts, parts[-1].casefold()) for parts in spelled]

    def _worded(self, rows: _Rows, text: bytes) -> int | None:
        """The sibling whose head shares most words with the question; None when none shares any."""
        siblings = rows.siblings
        if len(siblings) < 2:
            return None
        shared = [
            (-len(self._terms & _head_terms(each, text)), each.kind not in MAIN_KINDS, row)
            for row, each in siblings
        ]
        least, _, row = min(shared)  # of equals, what has a body stands before values
        return row if least else None

    @cached_property
    def _terms(self) -> frozenset[bytes]:
        weighed = weigh_terms(self._asked.query[:MAX_ASKED], self._options)
        return frozenset(each.term for each in weighed)


class _Rows:
    """The definitions of one chunk."""

    def __init__(self, corpus: Corpus, place: Placement) -> None:
        self.entry = place.entry
        self._corpus = corpus
        self._place = place

    def focus(self, row: int) -> Focus:
        """A definition of the chunk, as far as it stands there."""
        each = self._corpus.definition(self.entry, row)
        return Focus(row, Span(each.start, min(each.end, self._place.end)))

    def at(self, match: Span, text: bytes) -> int:
        """The innermost definition over a match, else one that starts on it, else the chunk's."""
        offset = _first_ink(text, match)
        over = [
            (each.end - each.start, -row)
            for row, each in self.inside
            if _first(each) <= offset < each.end
        ]
        if over:
            return -min(over)[1]
        begun = (row for row, each in self.inside if match.start <= each.start < match.end)
        return next(begun, self._place.symbol)

    @property
    def siblings(self) -> list[tuple[int, Definition]]:
        """The definitions that the chunk was merged from."""
        own = self._place.symbol
        parent = next((each.parent for row, each in self.inside if row == own), None)
        return [pair for pair in self.inside if pair[1].parent == parent]

    @cached_property
    def inside(self) -> tuple[tuple[int, Definition], ...]:
        """The definitions that start in the chunk, in file order."""
        if self._place.symbol < 0:
            return ()
        return self._corpus.definitions(self.entry, Span(self._place.start, self._place.end))


def _first(each: Definition) -> int:
    """Where a definition begins, its doc comment included."""
    return min(each.start, each.doc_start) if each.doc_end > each.doc_start else each.start


_INK = re.compile(rb"\S")


def _first_ink(text: bytes, span: Span) -> int:
    found = _INK.search(text, span.start, span.end)
    return found.start() if found else span.start


_WORD = re.compile(rb"[\w$\x80-\xff]+")


def _head_terms(each: Definition, text: bytes) -> frozenset[bytes]:
    """The distinct terms of a definition's name and signature."""
    end = min(each.signature_end, each.signature_start + MAX_SIGNATURE)
    words = {each.name.encode("utf-8", "replace"), *_WORD.findall(text, each.signature_start, end)}
    return frozenset[bytes]().union(*map(_word_terms, words))


@lru_cache(maxsize=1 << 13)
def _word_terms(word: bytes) -> frozenset[bytes]:
    if TOKEN.fullmatch(word):
        terms = token_terms(word) or token_terms(word, keep_stop_words=True)
        return frozenset(each.text for each in terms)
    return frozenset(each.term for each in query_terms(word.decode("utf-8", "replace")))
