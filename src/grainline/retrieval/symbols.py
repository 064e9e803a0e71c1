"""The symbol channel: definitions by exact name, qualified suffix, then folded case."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.errors import BadInput
from grainline.model.position import LineSpan, quote_path
from grainline.model.snapshot import FlagName
from grainline.model.symbol import SymbolKind
from grainline.retrieval.lines import line_of
from grainline.retrieval.modules import module_name, qualified_parts
from grainline.retrieval.order import Docs, Scores, distinct
from grainline.retrieval.places import docs_at, entries_named
from grainline.retrieval.router import Location, SymbolName, parse_symbol, route
from grainline.storage.base import Corpus, SymbolHit, SymbolPlaces

MAX_SUGGESTIONS = 5
SUGGESTION_POOL = 20_000
"""Names compared with an unknown one; edit distance over all names of a large scope takes seconds."""

MAIN_KINDS = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.STRUCT,
        SymbolKind.INTERFACE,
        SymbolKind.TRAIT,
        SymbolKind.ENUM,
        SymbolKind.UNION,
        SymbolKind.TYPE,
        SymbolKind.FUNCTION,
        SymbolKind.METHOD,
        SymbolKind.CONSTRUCTOR,
        SymbolKind.MACRO,
        SymbolKind.TABLE,
    }
)
_DEMOTED = sum(
    1 << position
    for position, name in enumerate(FlagName)
    if name
    in {
        FlagName.TEST,
        FlagName.DOCS,
        FlagName.EXAMPLE,
        FlagName.VENDORED,
        FlagName.GENERATED,
        FlagName.MINIFIED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What a symbol name stands for. `hits` best first; `ambiguous` when they are not one symbol."""

    hits: tuple[SymbolHit, ...]
    ambiguous: bool


def resolve_symbol(corpus: Corpus, text: str) -> Resolution:
    """The symbols that `text` names: a full or partial qualified name, or `PATH:LINE`.

    Raises:
        BadInput: nothing in scope is called so; the hint lists names in scope that are alike.
    """
    location = _location(text)
    hits = _at_line(corpus, location) if location else _named(corpus, text)
    if not hits:
        raise _unknown(corpus, text, location)
    names = {(corpus.repository(hit.entry).id, qualified_name(corpus, hit)) for hit in hits}
    return Resolution(hits=tuple(hits), ambiguous=len(names) > 1)


def qualified_name(corpus: Corpus, hit: SymbolHit) -> str:
    """The dotted name of a definition: module, scopes, name."""
    return ".".join(_parts(corpus, hit)[0])


def match_symbol(corpus: Corpus, name: SymbolName) -> list[SymbolHit]:
    """Definitions that `name` may mean, best match first; [] when its qualifier fits none."""
    return _match(corpus, name.parts).hits(corpus)


class Named(NamedTuple):
    """Chunks of the definitions that a question names.

    `cut` definitions were not looked at; `unknown` are the names that nothing is called by.
    """

    docs: Docs
    scores: Scores
    cut: int
    unknown: tuple[SymbolName, ...]


def score_symbols(corpus: Corpus, names: Sequence[SymbolName], *, limit: int) -> Named:
    """Chunks of the definitions that a question names.

    A name counts by how exactly it matches and less the more definitions share it; at most `limit`
    definitions of a name are looked at, the rest is counted.
    """
    cut = 0
    entries, starts, worths = [_NONE], [_NONE], [_NONE]
    unknown: list[SymbolName] = []
    for name in names:
        matched = _match(corpus, name.parts)
        n = len(matched.entries)
        if not n:
            unknown.append(name)
        cut += max(n - limit, 0)
        share = 1 + n.bit_length()
        first = matched.first(limit)
        entries.append(first.entries)
        starts.append(first.starts)
        worth = _WORTH[first.sorts] + 4 * first.main + 4 * (len(name.parts) > 1)
        worths.append(worth * 1024 // share)
    if not any(map(len, entries)):
        return Named(_NONE, _NONE, cut, tuple(unknown))
    kept, docs = docs_at(corpus, np.concatenate(entries), np.concatenate(starts))
    found = distinct(docs)
    scores = np.zeros(len(found), np.int64)
    np.add.at(scores, np.searchsorted(found, docs), np.concatenate(worths)[kept])
    return Named(found, scores, cut, tuple(unknown))


# --------------------------------------------------------------------------- matching


class Sort(IntEnum):
    """How a definition matches a name; a weaker sort is no substitute for a stronger one."""

    NONE = 0
    FOLDED = 1
    PACKAGE = 2
    EXACT = 3


class _Matched(NamedTuple):
    """Matching definitions in order, a row each; `main`: of a kind in `MAIN_KINDS`."""

    sorts: NDArray[np.int64]
    main: NDArray[np.bool_]
    entries: NDArray[np.int64]
    rows: NDArray[np.int64]
    starts: NDArray[np.int64]

    def first(self, limit: int) -> _Matched:
        """The first `limit` of them."""
        sorts, main, entries, rows, starts = self
        return _Matched(sorts[:limit], main[:limit], entries[:limit], rows[:limit], starts[:limit])

    def hits(self, corpus: Corpus) -> list[SymbolHit]:
        """Their definitions."""
        pairs = zip(self.entries.tolist(), self.rows.tolist(), strict=True)
        return [SymbolHit(entry, row, corpus.definition(entry, row)) for entry, row in pairs]


_NONE = np.empty(0, np.int64)
_WORTH = np.array([{Sort.NONE: 0, Sort.FOLDED: 6}.get(sort, 12) for sort in Sort], np.int64)
_MAIN = np.array([kind in MAIN_KINDS for kind in SymbolKind], np.bool_)


def _match(corpus: Corpus, parts: tuple[str, ...]) -> _Matched:
    """Matching definitions: best sort first, source before tests, types before fields, by place."""
    places = corpus.symbol_places(parts[-1], scoped=len(parts) > 1)
    if not len(places.entries) and "$" in parts[-1]:
        parts = (*parts[:-1], *(part for part in parts[-1].split("$") if part))
        places = corpus.symbol_places(parts[-1]) if parts else places
    sorts = _sorts(corpus, places, parts)
    if not len(sorts):
        return _Matched(sorts, _MAIN[:0], places.entries, places.rows, places.starts)
    main = _MAIN[places.kinds]
    demoted = (corpus.entry_flags[places.entries] & np.uint32(_DEMOTED)) != 0
    order = np.lexsort((places.rows, places.entries, ~main, demoted, -sorts))
    order = order[: np.count_nonzero(sorts)]
    return _Matched(
        sorts[order], main[order], places.entries[order], places.rows[order], places.starts[order]
    )


def _sorts(corpus: Corpus, places: SymbolPlaces, wanted: tuple[str, ...]) -> NDArray[np.int64]:
    """The sort of each place; outlines are read only where the scope above does not rule it out."""
    if len(wanted) == 1:
        return np.full(len(places.entries), Sort.EXACT if places.same else Sort.FOLDED, np.int64)
    sorts = np.zeros(len(places.entries), np.int64)
    if not len(sorts):
        return sorts
    above = wanted[-2].casefold()
    fits = np.array([*(name.casefold() == above for name in places.scope_names), True], np.bool_)
    for at in np.flatnonzero(fits[places.scopes]).tolist():
        entry, row = int(places.entries[at]), int(places.rows[at])
        sorts[at] = sort_of(corpus, SymbolHit(entry, row, corpus.definition(entry, row)), wanted)
    return sorts


def sort_of(corpus: Corpus, hit: SymbolHit, wanted: tuple[str, ...]) -> Sort:
    """How a definition whose name, case folded, is the last of `wanted` matches the whole of it."""
    same = hit.definition.name == wanted[-1]
    if len(wanted) == 1:
        return Sort.EXACT if same else Sort.FOLDED
    parts, n_module = _parts(corpus, hit)
    if same and _ends_with(parts, wanted):
        return Sort.EXACT
    if same and _below(parts, n_module, wanted):
        return Sort.PACKAGE
    folded = tuple(part.casefold() for part in parts)
    if _ends_with(folded, tuple(part.casefold() for part in wanted)):
        return Sort.FOLDED
    return Sort.NONE


def _ends_with(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return parts[-len(wanted) :] == wanted


def _below(parts: tuple[str, ...], n_module: int, wanted: tuple[str, ...]) -> bool:
    """Whether `wanted` is a package above the symbol's module, then all scopes.

    `flask.Flask` stands for `flask.app.Flask`, which the package re-exports.
    """
    scopes = parts[n_module:]
    if len(wanted) <= len(scopes) or wanted[-len(scopes) :] != scopes:
        return False
    package = wanted[: -len(scopes)]
    module = parts[:n_module]
    return any(
        module[at : at + len(package)] == package for at in range(len(module) - len(package) + 1)
    )


def _parts(corpus: Corpus, hit: SymbolHit) -> tuple[tuple[str, ...], int]:
    module = module_name(corpus.path(hit.entry), corpus.language(hit.entry))
    return qualified_parts(module, hit.definition.descriptor, hit.definition.name)


# --------------------------------------------------------------------------- show SYMBOL


def _location(text: str) -> Location | None:
    found = route(text)
    if found.locations and (found.exact is not None or len(found.locations) == 1):
        place = found.locations[0]
        return place if text.strip().endswith(str(place.start)) else None
    return None


def _named(corpus: Corpus, text: str) -> list[SymbolHit]:
    name = parse_symbol(text)
    parts = name.parts if name else tuple(part for part in text.strip().split(".") if part)
    if not parts:
        return []
    found = _match(corpus, parts)
    best = found.first(int(np.count_nonzero(found.sorts == found.sorts[:1])))
    return _without_constructors(best.hits(corpus))


def _without_constructors(hits: list[SymbolHit]) -> list[SymbolHit]:
    """A bare class name means the class, not also the constructors of the same name."""
    types = {(hit.entry, hit.row) for hit in hits}
    return [
        hit
        for hit in hits
        if not (
            hit.definition.kind is SymbolKind.CONSTRUCTOR
            and (hit.entry, hit.definition.parent) in types
        )
    ]


def _at_line(corpus: Corpus, location: Location) -> list[SymbolHit]:
    """The innermost definition over the first line of `location`, in each entry of that path."""
    hits: list[SymbolHit] = []
    for entry in entries_named(corpus, location.path):
        hit = symbol_at(corpus, entry, LineSpan(location.start, location.start))
        if hit is not None:
            hits.append(hit)
    return hits


def symbol_at(corpus: Corpus, entry: int, lines: LineSpan) -> SymbolHit | None:
    """The innermost definition that covers `lines` of an entry."""
    text = corpus.text(entry)
    best: SymbolHit | None = None
    for index, each in enumerate(corpus.outline(entry)):
        start = line_of(text, each.doc_start if each.doc_end > each.doc_start else each.start)
        if line_of(text, each.start) < start:
            start = line_of(text, each.start)
        if start <= lines.start and lines.end <= line_of(text, max(each.start, each.end - 1)):
            size = each.end - each.start
            if best is None or size <= best.definition.end - best.definition.start:
                best = SymbolHit(entry, index, each)
    return best


# --------------------------------------------------------------------------- suggestions


def _unknown(corpus: Corpus, text: str, location: Location | None) -> BadInput:
    if not text.strip():
        return BadInput("unknown_symbol", "the name is empty", hint="give a symbol, or PATH:LINE")
    if location is not None:
        known = entries_named(corpus, location.path)
        what = "no symbol covers that line" if known else "no indexed file has that path"
        return BadInput(
            "unknown_symbol",
            f"{text!r}: {what}",
            hint="list symbols with: grainline outline PATH",
            path=quote_path(location.path),
        )
    names = suggest(corpus, text)
    hint = "did you mean: " + ", ".join(names) if names else "search for it: grainline search WORDS"
    return BadInput("unknown_symbol", f"{text!r}: no symbol in scope is called so", hint=hint)


OWNED = 24
"""Near names that are tried below the owner of a qualified one."""


def suggest(corpus: Corpus, text: str) -> tuple[str, ...]:
    """Names in scope like the last part of `text`, at most `MAX_SUGGESTIONS`.

    Those that stand below its other parts come first and with them; then the nearest.
    """
    name = parse_symbol(text)
    wanted = (name.parts[-1] if name else text.strip())[:200]
    folded = wanted.casefold()
    if not folded:
        return ()
    rated = [(_likeness(folded, each.casefold()), each) for each in _pool(corpus, folded)]
    best = [each for _, each in sorted((-score, each) for score, each in rated if score >= 0.6)]
    owner = name.parts[:-1] if name else ()
    whole = [".".join((*owner, each)) for each in best[:OWNED]] if owner else []
    mine = [text for text in whole if _named(corpus, text)]
    return tuple([*mine, *best][:MAX_SUGGESTIONS])


def _pool(corpus: Corpus, folded: str) -> Iterable[str]:
    """Names worth comparing: of like length with the same start, or holding the name, or held."""
    names = corpus.symbol_names()
    near = [
        name
        for name in names
        if (abs(len(name) - len(folded)) <= 3 and name[:1].casefold() == folded[:1])
        or (len(folded) >= 4 and folded in name.casefold())
        or (abs(len(name) - len(folded)) <= 1 and name[-2:].casefold() == folded[-2:])
    ]
    if len(near) <= SUGGESTION_POOL:
        return near
    at = bisect_left(near, folded)
    return near[max(at - SUGGESTION_POOL // 2, 0) : at + SUGGESTION_POOL // 2]


def _likeness(a: str, b: str) -> float:
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    if a in b or b in a:
        return max(matcher.ratio(), 0.6)
    return matcher.ratio() if matcher.real_quick_ratio() >= 0.6 else 0.0
