"""What a language server answered, as values, and the edges that come of it (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grainline.model.edge import Edge, Method, Symbol
from grainline.model.position import Span
from grainline.precise.claims import Claim, Reading
from grainline.precise.files import CALLABLE, File, Sheet
from grainline.precise.index import Encoding, Problem, Range
from grainline.precise.matching import Precise, conclude
from grainline.precise.words import reads, renames


class Site(NamedTuple):
    """A word of a file that is asked about."""

    path: bytes
    span: Span


class Target(NamedTuple):
    """Where something is defined. `path` is None outside of the copy, `name` its file name then."""

    path: bytes | None
    range: Range
    name: str


class Answer(NamedTuple):
    """What a server says of a site; nothing when `targets` is empty."""

    site: Site
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """One run of a server.

    Attributes:
        server: name of the description; `version` is what the program says of itself.
        done: sites that it was asked about, in order.
        answers: one for each that it answered well, in the order asked.
        refused: questions that it answered with an error or with nonsense.
        problem: why it ended before the end: `absent`, `refused`, `died`, `slow`, `late`, `memory`, `flood`,
            `nonsense`, `too_large`, `interrupted`; None when it did not.
        consumed: paths that it was given, in order.
        encoding: units of the ranges.
    """

    server: str
    version: str = ""
    done: tuple[Site, ...] = ()
    answers: tuple[Answer, ...] = ()
    refused: int = 0
    problem: Problem | None = None
    consumed: tuple[bytes, ...] = ()
    encoding: Encoding = Encoding.UTF16

    @property
    def asked(self) -> int:
        """How many sites it was asked about."""
        return len(self.done)


def edges(answers: Answers, files: Iterable[File], known: Sequence[Edge] = ()) -> Precise:
    """The exact edges of what a server answered, compared like those of an index."""
    sheets = {file.path: Sheet(file) for file in files}
    counts: Counter[str] = Counter()
    claims: list[Claim] = []
    renamed = renames(sheets.values())
    for answer in answers.answers:
        claim, word = _claim(answer, answers.encoding, sheets, renamed)
        counts[word] += 1
        if claim is not None:
            claims.append(claim)
    reading = Reading(
        documents=len(answers.consumed),
        matched=tuple(path for path in answers.consumed if path in sheets),
        unknown=tuple(path for path in answers.consumed if path not in sheets),
        occurrences=len(answers.answers),
        mapped=counts["mapped"],
        foreign=counts["foreign"],
        inside=counts["inside"],
        unreadable=counts["unreadable"],
    )
    return conclude(claims, (), sheets, known, Method.LSP, answers.consumed, reading=reading)


def _claim(
    answer: Answer,
    encoding: Encoding,
    sheets: Mapping[bytes, Sheet],
    renamed: frozenset[tuple[str, str]],
) -> tuple[Claim | None, str]:
    """The claim of an answer, and what to count it as."""
    path, span = answer.site
    sheet = sheets.get(path)
    if sheet is None or sheet.word(span) is None:
        return None, "unreadable"
    symbols: dict[Symbol, None] = {}
    foreign = ""
    for target in answer.targets:
        if target.path is None:
            foreign = foreign or target.name
        elif (symbol := _symbol(target, encoding, sheets)) is not None:
            symbols[symbol] = None
            symbols.update(dict.fromkeys(_overloads(symbol, sheets)))
    if symbols:
        found = tuple(sorted(symbols))
        if not reads(sheet, span, found, None, sheets, renamed):
            return None, "unreadable"
        return Claim(path, span, found), "mapped"
    if foreign and all(target.path is None for target in answer.targets):
        return Claim(path, span, (), foreign), "foreign"
    return Claim(path, span, ()), "inside"


ONE_BODY = frozenset({"tsx", "typescript"})
"""Languages whose overloads are declarations of one function: a server names the one that fits."""


def _overloads(symbol: Symbol, sheets: Mapping[bytes, Sheet]) -> tuple[Symbol, ...]:
    sheet = sheets[symbol.path]
    known = sheet.definition(symbol.descriptor)
    if known is None or known.kind not in CALLABLE or sheet.facts.language not in ONE_BODY:
        return ()
    return sheet.declarations(symbol.descriptor)


def _symbol(target: Target, encoding: Encoding, sheets: Mapping[bytes, Sheet]) -> Symbol | None:
    sheet = sheets.get(target.path) if target.path is not None else None
    if sheet is None:
        return None
    first, character, last, end = target.range
    start = sheet.lines.offset(first, character, encoding)
    stop = sheet.lines.offset(last, end, encoding)
    if start is None or stop is None:
        return None
    return sheet.defined_at(Span(start, stop))
