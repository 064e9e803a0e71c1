"""From what somebody typed to the symbols it means: a name, `PATH:LINE`, a file or a module."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from grainline.errors import BadInput
from grainline.graph.rules.base import rules_of
from grainline.languages.base import LANGUAGES, LanguageSpec
from grainline.model.access import View
from grainline.model.edge import Symbol
from grainline.model.position import unquote_path
from grainline.model.relations import Node
from grainline.model.symbol import SymbolKind
from grainline.retrieval.modules import module_name
from grainline.retrieval.places import entries_named
from grainline.retrieval.relations.book import Book, view_of
from grainline.retrieval.relations.inherited import inherited, owner_of
from grainline.retrieval.relations.views import ViewGraph
from grainline.retrieval.symbols import resolve_symbol
from grainline.storage.base import Corpus

_DATA = frozenset(
    {SymbolKind.HEADING, SymbolKind.KEY, SymbolKind.ELEMENT, SymbolKind.RULE, SymbolKind.TABLE}
)
"""Kinds of what is written in documents and data; code of the same name is meant."""


_WITHOUT_EDGES = frozenset(
    {
        *map(str, _DATA - {SymbolKind.KEY, SymbolKind.TABLE}),
        SymbolKind.VARIABLE,
        SymbolKind.CONSTANT,
        SymbolKind.FIELD,
        SymbolKind.ENUM_MEMBER,
    }
)


class Subject(NamedTuple):
    """A symbol that is asked about, of one view; descriptor "" for a whole file."""

    view: View
    symbol: Symbol
    node: Node


class Subjects(NamedTuple):
    """All that a name means; `ambiguous` when that is several things, not one in several views."""

    found: tuple[Subject, ...]
    ambiguous: bool

    def languages(self) -> frozenset[str]:
        """Their languages."""
        return frozenset(each.node.language for each in self.found)


def views_named(corpus: Corpus, names: Iterable[str]) -> frozenset[View]:
    """The views in which one of `names` means something: no graph of another one bears on it."""
    entries = {entry for name in names for entry in _entries_named(corpus, name)}
    return frozenset(view_of(corpus, entry) for entry in entries)


def _entries_named(corpus: Corpus, text: str) -> Iterable[int]:
    return (
        _files(corpus, text)
        or _hits(corpus, text)
        or _modules(corpus, text.strip())
        or _hits(corpus, owner_of(text)[0])
    )


def _hits(corpus: Corpus, text: str) -> list[int]:
    try:
        return [hit.entry for hit in resolve_symbol(corpus, text).hits] if text else []
    except BadInput:
        return []


def subjects(book: Book, graphs: Sequence[ViewGraph], text: str) -> Subjects:
    """What `text` names in the scope; of a member that a class inherits, the member above it.

    Raises:
        BadInput: nothing; the hint lists names that are alike.
    """
    corpus = book.corpus
    entries = _files(corpus, text)
    if entries:
        return _of_files(book, entries)
    try:
        resolved = resolve_symbol(corpus, text)
    except BadInput:
        entries = _modules(corpus, text.strip())
        if entries:
            return _of_files(book, entries)
        above = inherited(book, graphs, text)
        if not above:
            raise
        return _told([Subject(*each, book.node(*each)) for each in above])
    hits = [hit for hit in resolved.hits if hit.definition.kind not in _DATA] or resolved.hits
    found = [_subject(book, hit.entry, hit.definition.descriptor) for hit in hits]
    return _told(found)


def _files(corpus: Corpus, text: str) -> tuple[int, ...]:
    path = unquote_path(text.strip())
    if not path:
        return ()
    return corpus.find_entries(path) or (entries_named(corpus, path) if _is_path(path) else ())


def _is_path(path: bytes) -> bool:
    return b"/" in path and b" " not in path and b":" not in path and b"#" not in path


def _modules(corpus: Corpus, text: str) -> tuple[int, ...]:
    """Files whose own imports would call them `text`."""
    return tuple(
        entry
        for entry in range(corpus.n_entries)
        if text and module_name(corpus.path(entry), corpus.language(entry)) == text
    )


def _of_files(book: Book, entries: tuple[int, ...]) -> Subjects:
    return _told([_subject(book, entry, "") for entry in entries])


def _subject(book: Book, entry: int, descriptor: str) -> Subject:
    view, path = view_of(book.corpus, entry), book.corpus.path(entry)
    symbol = Symbol(path, descriptor)
    return Subject(view, symbol, book.node(view, symbol))


def _told(found: list[Subject]) -> Subjects:
    names = {(each.view.repository, each.symbol) for each in found}
    return Subjects(tuple(found), len(names) > 1)


def unsaid(named: Subjects) -> tuple[str, ...]:
    """Of which of the symbols no graph says anything, in sentences for people."""
    kinds = sorted({each.node.kind for each in named.found} & _WITHOUT_EDGES)
    return (
        *(
            f"the symbol graph does not know {language} yet: nothing is said of its symbols"
            for language in without_graph(named.languages())
        ),
        *(f"the symbol graph holds no edges of a {kind}: nothing is said of it" for kind in kinds),
    )


def without_graph(languages: frozenset[str]) -> list[str]:
    """Those of `languages` with functions of which there are no edges in any graph."""
    specs = [LANGUAGES.get(each) for each in sorted(languages & frozenset(LANGUAGES.names()))]
    return [each.name for each in specs if rules_of(each.name) is None and _calls(each)]


def _calls(spec: LanguageSpec) -> bool:
    """Whether things are called in a language."""
    return "@ref.call" in spec.query
