"""What an index says about places of our files: claims about sites, and relations of symbols.

Nothing is taken from an index that our own text does not confirm: a place must be a whole word
that reads as what it is said to be, and a document that reads otherwise is ignored as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Final, NamedTuple

from grainline.model.edge import Symbol
from grainline.model.position import Span
from grainline.precise.files import MOST, Sheet
from grainline.precise.index import Document, Index, Occurrence, Roles, SymbolInformation
from grainline.precise.symbols import LOCAL, Package, ScipSymbol, parse
from grainline.precise.words import reads, renames

ROT: Final = 0.05
"""Share of definitions that may not read as their name before a document counts as stale."""


class Claim(NamedTuple):
    """What is said of the word at `site`: it means one of `targets`.

    `foreign` is the name of what lies in another package, "" for what does not. Without targets
    and foreign name, what is meant is here but is no symbol of an outline (a parameter).
    """

    path: bytes
    site: Span
    targets: tuple[Symbol, ...]
    foreign: str = ""
    written: bool = False  # the place is an import by the word of the index


class Relation(NamedTuple):
    """`src` implements (or has as type, `typed`) `dst`."""

    src: Symbol
    dst: Symbol
    typed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How much of an index could be used. Documents, then occurrences that are no definitions.

    Attributes:
        documents: those of the index; the next four say what became of them.
        matched: their text is ours.
        stale: their text is not ours: ignored.
        unknown: paths that we do not have.
        refused: paths that lead out of the root, are none, or come twice.
        occurrences: those of matched documents; the next four say what became of them.
        mapped: they mean symbols of ours.
        foreign: they mean symbols of other packages.
        inside: they mean something here that is no symbol of an outline.
        unreadable: the text there is not what they say.
    """

    documents: int = 0
    matched: tuple[bytes, ...] = ()
    stale: tuple[bytes, ...] = ()
    unknown: tuple[bytes, ...] = ()
    refused: int = 0
    occurrences: int = 0
    mapped: int = 0
    foreign: int = 0
    inside: int = 0
    unreadable: int = 0


class Read(NamedTuple):
    """All that an index says of our files."""

    claims: list[Claim]
    relations: list[Relation]
    reading: Reading


_Key = tuple[int, str]
"""A symbol: of one document (its number) or of all (-1)."""


class _Place(NamedTuple):
    """An occurrence that is no definition, with all spans it can mean (see `Lines.offsets`)."""

    document: int
    spans: tuple[Span, ...]
    symbol: str
    written: bool


def read_claims(index: Index, sheets: Mapping[bytes, Sheet]) -> Read:
    """The claims of an index about files of ours, in order of documents and sites."""
    return _Claims(index, sheets).read()


@dataclass(slots=True)
class _Claims:
    index: Index
    sheets: Mapping[bytes, Sheet]
    names: dict[str, ScipSymbol | None] = field(default_factory=dict[str, "ScipSymbol | None"])
    targets: dict[_Key, list[Symbol]] = field(default_factory=dict[_Key, list[Symbol]])
    defined: set[_Key] = field(default_factory=set[_Key])
    own: set[Package] = field(default_factory=set[Package])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    renamed: frozenset[tuple[str, str]] = frozenset()

    def read(self) -> Read:
        matched, stale, unknown, twice = self._documents()
        places: list[_Place] = []
        fresh: list[int] = []
        for number in matched:
            found = self._places(number)
            if found is None:
                stale.append(number)
            else:
                fresh.append(number)
                places += found
        self._join_declarations()
        self._follow_definitions(fresh)
        self.renamed = renames(self.sheets.values())
        claims = self._claims(places)
        paths = self.index.documents
        reading = Reading(
            documents=len(paths) + len(self.index.refused),
            matched=tuple(paths[number].path for number in fresh),
            stale=tuple(sorted(paths[number].path for number in stale)),
            unknown=tuple(sorted(paths[number].path for number in unknown)),
            refused=len(self.index.refused) + twice,
            occurrences=len(places),
            **self.counts,
        )
        return Read(claims, self._relations(fresh), reading)

    def _documents(self) -> tuple[list[int], list[int], list[int], int]:
        """Numbers of documents that may match, are stale by their text, are unknown; doubles."""
        matched: list[int] = []
        stale: list[int] = []
        unknown: list[int] = []
        seen: set[bytes] = set()
        for number, document in enumerate(self.index.documents):
            sheet = self.sheets.get(document.path)
            if document.path in seen:
                continue
            seen.add(document.path)
            if sheet is None:
                unknown.append(number)
            elif document.text is not None and document.text != sheet.text:
                stale.append(number)
            else:
                matched.append(number)
            self._note_definitions(number, document)
        return matched, stale, unknown, len(self.index.documents) - len(seen)

    def _note_definitions(self, number: int, document: Document) -> None:
        """What the index defines anywhere is not foreign, whether we have the place or not."""
        for each in document.occurrences:
            if each.roles & Roles.DEFINITION:
                self.defined.add(_key(number, each.symbol))
                name = self._name(each.symbol)
                if name is not None:
                    self.own.add(name.package)

    # -------------------------------------------------------------------------- places

    def _places(self, number: int) -> list[_Place] | None:
        """References of a document; its definitions are noted. None: the text is not ours."""
        document = self.index.documents[number]
        sheet = self.sheets[document.path]
        found: list[_Place] = []
        targets: list[tuple[_Key, Symbol]] = []
        good = bad = 0
        for each in document.occurrences:
            spans = _spans(sheet, document, each)
            if not spans:
                return None
            if not each.roles & Roles.DEFINITION:
                written = bool(each.roles & Roles.IMPORT)
                spans = tuple(map(sheet.imported, spans))
                found.append(_Place(number, spans, each.symbol, written))
                continue
            read = self._reads_as_named(sheet, spans, each.symbol)
            good += read is True
            bad += read is False
            symbols = {sheet.defined_at(span) for span in spans} - {None}
            if len(symbols) == 1 and read is not False:
                targets += [(_key(number, each.symbol), one) for one in symbols if one is not None]
        if bad > ROT * (good + bad):
            return None
        for key, symbol in targets:
            known = self.targets.setdefault(key, [])
            if symbol not in known[-MOST:]:
                known.append(symbol)
        return found

    def _reads_as_named(self, sheet: Sheet, spans: tuple[Span, ...], symbol: str) -> bool | None:
        """Whether a definition reads as its name; None for names that no text spells."""
        name = self._name(symbol)
        if name is None or not name.name.isidentifier() or name.suffix in ("/", ":"):
            return None
        return any(sheet.word(span) == name.name for span in spans)

    def _join_declarations(self) -> None:
        """A symbol means every declaration of its name beside it that is no symbol of its own.

        Tools give overloads and redefinitions one symbol, and some of them one place.
        """
        taken = {symbol for symbols in self.targets.values() for symbol in symbols}
        for key, symbols in self.targets.items():
            beside = [each for symbol in symbols[:MOST] for each in self._beside(symbol)]
            if beside:
                self.targets[key] = sorted({*symbols, *(set(beside) - taken)})
        # what means so much means nothing, and would cost its square
        self.targets = {key: found for key, found in self.targets.items() if len(found) <= MOST}

    def _beside(self, symbol: Symbol) -> tuple[Symbol, ...]:
        return self.sheets[symbol.path].declarations(symbol.descriptor)

    def _follow_definitions(self, documents: Iterable[int]) -> None:
        """A symbol without a place of its own is what its relationships say defines it."""
        for number, info in self._information(documents):
            key = _key(number, info.symbol)
            if key in self.targets:
                continue
            found: list[Symbol] = []
            for each in info.relationships:
                if each.definition:
                    found += self.targets.get(_key(number, each.symbol), ())
            if found:
                self.targets[key] = sorted(set(found))

    # -------------------------------------------------------------------------- claims

    def _claims(self, places: list[_Place]) -> list[Claim]:
        found: list[Claim] = []
        self.counts = dict.fromkeys(("mapped", "foreign", "inside", "unreadable"), 0)
        for place in places:
            claim, word = self._claim(place)
            self.counts[word] += 1
            if claim is not None:
                found.append(claim)
        return found

    def _claim(self, place: _Place) -> tuple[Claim | None, str]:
        """The claim of an occurrence, and what to count it as."""
        sheet = self.sheets[self.index.documents[place.document].path]
        key = _key(place.document, place.symbol)
        targets = tuple(self.targets.get(key, ()))
        name = self._name(place.symbol)
        if targets:
            sites = {
                span
                for span in place.spans
                if reads(sheet, span, targets, name, self.sheets, self.renamed)
            }
            if len(sites) != 1:
                return None, "unreadable"
            return Claim(sheet.path, sites.pop(), targets, "", place.written), "mapped"
        if name is None or key in self.defined or name.package in self.own:
            return (Claim(sheet.path, place.spans[0], ()) if len(place.spans) == 1 else None), (
                "inside"
            )
        sites = {span for span in place.spans if self._spells(sheet, span, name)}
        if len(sites) != 1:
            return None, "foreign"
        foreign = f"{name.package.name} {name.descriptors}"
        return Claim(sheet.path, sites.pop(), (), foreign, place.written), "foreign"

    def _spells(self, sheet: Sheet, span: Span, name: ScipSymbol) -> bool:
        """Whether a site reads as a foreign symbol; a constructor reads as its type."""
        word = sheet.word(span)
        return word is not None and (
            word in (name.name, *sheet.aliases) or f"{word}#" in name.descriptors
        )

    # -------------------------------------------------------------------------- relations

    def _relations(self, documents: list[int]) -> list[Relation]:
        """Without those that follow from two others: tools list all ancestors."""
        direct: dict[tuple[Symbol, bool], dict[Symbol, None]] = {}
        for number, info in self._information(documents):
            sources = self.targets.get(_key(number, info.symbol), ())
            for each in info.relationships:
                if not (each.implementation or each.type_definition):
                    continue
                targets = self.targets.get(_key(number, each.symbol), ())
                if len(sources) * len(targets) > MOST:
                    continue
                for src, dst in product(sources, targets):
                    if src != dst:
                        direct.setdefault((src, not each.implementation), {})[dst] = None
        found: list[Relation] = []
        for (src, typed), above in direct.items():
            if len(above) > MOST:
                continue
            implied = {far for near in above for far in islice(direct.get((near, typed), ()), MOST)}
            found += [
                Relation(src, dst, typed) for dst in above if typed or dst not in implied - {src}
            ]
        return found

    def _information(self, documents: Iterable[int]) -> Iterable[tuple[int, SymbolInformation]]:
        for number in documents:
            for info in self.index.documents[number].symbols:
                if info.relationships:
                    yield number, info

    def _name(self, symbol: str) -> ScipSymbol | None:
        if symbol not in self.names:
            self.names[symbol] = parse(symbol)
        return self.names[symbol]


def _key(document: int, symbol: str) -> _Key:
    return (document, symbol) if symbol.startswith(LOCAL) else (-1, symbol)


def _spans(sheet: Sheet, document: Document, each: Occurrence) -> tuple[Span, ...]:
    """The spans that an occurrence can mean, none when it leads out of the text."""
    start_line, start, end_line, end = each.range
    starts = sheet.lines.offsets(start_line, start, document.encoding)
    ends = sheet.lines.offsets(end_line, end, document.encoding)
    if len(starts) == len(ends) == 1:
        span = Span(starts.pop(), ends.pop())
        return (span,) if span.end >= span.start else ()
    return tuple(sorted(Span(a, b) for a in starts for b in ends if a <= b))
