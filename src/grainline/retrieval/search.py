"""Search: route a question, ask every channel inside the scope, fuse, order, page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from grainline.errors import BadInput
from grainline.model.position import LineSpan, Span, parse_citation
from grainline.model.search import CoverageRecord, SearchOptions, SearchResult, State
from grainline.retrieval.cursor import Page, digest_of, read_cursor, write_cursor
from grainline.retrieval.filtering import docs_left, entries_left, idle
from grainline.retrieval.focus import Asked
from grainline.retrieval.fusion import UNIT, Channel, Fused, fuse
from grainline.retrieval.hits import Ranked, build_hit, version_of
from grainline.retrieval.lexical import LexicalIndex, weigh_terms
from grainline.retrieval.lines import lines_of
from grainline.retrieval.literal import Matches, find_literal
from grainline.retrieval.options import DEFAULT_RANKING, Bounds, RankOptions
from grainline.retrieval.order import Docs, Scores, best_first
from grainline.retrieval.places import EntryDocs, docs_at, docs_at_lines, entries_named, entry_of
from grainline.retrieval.priors import ONE, active_priors, flag_factors
from grainline.retrieval.regex import find_regex
from grainline.retrieval.router import (
    QueryKind,
    Route,
    SymbolName,
    is_dotted,
    is_empty_literal,
    parse_symbol,
    route,
    torn_regex,
)
from grainline.retrieval.symbols import score_symbols
from grainline.storage.base import Corpus

MAX_K = 1000
PROSE = frozenset({"text", "markdown"})
"""Languages whose chunks all say the same kind of thing: a page needs few of one file."""

MAX_LOOKUPS = 8
"""Names, literals or places of each sort that are looked up for one question."""

MAX_JOINED = 4
"""Joined words, and dotted names of nothing, that are looked for as texts for one question."""

CHANNELS = ("lexical", "symbol", "literal", "location")

RARE = 1024
"""The worth of one match of a literal that stands in few documents."""

LIFT = 100
"""Standard deviations that an exactly asked thing is lifted by: more than any fused score.

Of `n` values the z-scores span at most sqrt(2 n): 20 per scored channel of 200, two of them and the
boosts stay below 60."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """A ranking: documents and scores best first, all results, and each channel's share.

    `shares` is `(n_channels, n)`, in the order of `docs`; scores and shares in 1 / `UNIT`.
    `named` are entries that the question names: the cap per file does not hold for them.
    """

    docs: Docs
    scores: Scores
    names: tuple[str, ...]
    shares: NDArray[np.int64]
    coverage: CoverageRecord
    named: frozenset[int]
    asked: Route

    @property
    def ranked(self) -> Order:
        """The results in total order."""
        return Order(self, range(len(self.docs)))

    def at(self, row: int) -> Ranked:
        """One result."""
        shares = zip(self.names, self.shares[:, row].tolist(), strict=True)
        return Ranked(
            doc=int(self.docs[row]),
            score=int(self.scores[row]) / UNIT,
            channels=tuple((name, share / UNIT) for name, share in shares if share),
        )


class Order(Sequence[Ranked]):
    """Results of a ranking in some order, made when they are asked for."""

    def __init__(self, ranking: Ranking, rows: Sequence[int]) -> None:
        self._ranking = ranking
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Ranked: ...

    @overload
    def __getitem__(self, index: slice) -> Order: ...

    def __getitem__(self, index: int | slice) -> Ranked | Order:
        if isinstance(index, slice):
            return Order(self._ranking, self._rows[index])
        return self._ranking.at(self._rows[index])


def search(
    corpus: Corpus,
    query: str,
    options: SearchOptions | None = None,
    ranking: RankOptions = DEFAULT_RANKING,
    *,
    admit: Callable[[Sequence[int]], Sequence[bool]] = lambda entries: [True] * len(entries),
) -> SearchResult:
    """One page of results of `query` inside the scope of `corpus`.

    Args:
        corpus: the scope.
        query: what is asked.
        options: page, filters, exclusions.
        ranking: every number that ranking depends on.
        admit: which of some entries may be shown; a result whose entry may not makes room for
            the next.

    Raises:
        BadInput: an empty question, `k` out of range, a bad regex, filter or exclusion, a cursor
            of another question.
    """
    options = options or SearchOptions()
    if not 1 <= options.k <= MAX_K:
        raise BadInput("bad_k", f"k is {options.k!r}", hint=f"k is from 1 to {MAX_K}")
    if not query.strip():
        raise BadInput("empty_query", "the question is empty", hint="say what to look for")
    if is_empty_literal(query):
        raise BadInput("empty_literal", "the quotes are empty", hint="say which text to look for")
    if torn := torn_regex(query):
        raise BadInput(
            "bad_regex",
            f"{query.strip()} is no regex: {torn}",
            hint='a regex looks like /regex/, flags i, m and s behind it; a text goes in "quotes"',
        )
    digest = digest_of(corpus, query, options, ranking)
    page = read_cursor(options.cursor, digest) if options.cursor else Page(0, options.k)
    found = rank(corpus, query, options, ranking)
    order = first_page(corpus, found, page.first, ranking.bounds)
    entries = entries_left(corpus, options.filters)
    shown: list[Ranked] = []
    end = page.offset
    while end < len(order) and len(shown) < options.k:
        following = list(order[end : end + options.k - len(shown)])
        end += len(following)
        fit = admit([_shown_entry(corpus, each, entries) for each in following])
        shown += compress(following, fit)
    asked = Asked(corpus, found.asked, ranking.query)
    hits = tuple(
        build_hit(corpus, each, rank=page.offset + number, entries=entries, asked=asked)
        for number, each in enumerate(shown, 1)
    )
    more = write_cursor(Page(end, page.first), digest) if shown and end < len(order) else None
    left_out = end - page.offset - len(shown)
    omitted = len(order) - end
    return SearchResult(
        query=query,
        hits=hits,
        total=len(order) - left_out,
        cursor=more,
        coverage=replace(found.coverage, omitted=omitted),
    )


def _shown_entry(corpus: Corpus, each: Ranked, entries: NDArray[np.bool_] | None) -> int:
    """The entry at which `build_hit` shows a result."""
    if entries is None:
        return int(corpus.doc_entry[each.doc])
    places = corpus.entries_of(each.doc)
    return next((place.entry for place in places if entries[place.entry]), places[0].entry)


def rank(
    corpus: Corpus,
    query: str,
    options: SearchOptions,
    ranking: RankOptions = DEFAULT_RANKING,
) -> Ranking:
    """Every result of `query`, best first, in total order (not yet spread over files)."""
    return stages(corpus, query, options, ranking).ranking


class Stages(NamedTuple):
    """How a ranking came about. `factors` (in 1 / `ONE`) and `lift` are those of `fused.docs`."""

    channels: Sequence[Channel]
    fused: Fused
    factors: NDArray[np.int64]
    lift: NDArray[np.int64]
    ranking: Ranking


def stages(
    corpus: Corpus,
    query: str,
    options: SearchOptions,
    ranking: RankOptions = DEFAULT_RANKING,
) -> Stages:
    """A ranking with all that led to it."""
    return _Search(corpus, route(query), options, ranking).run()


class _Search:
    """One question on its way through the channels."""

    def __init__(
        self, corpus: Corpus, asked: Route, options: SearchOptions, ranking: RankOptions
    ) -> None:
        self.corpus = corpus
        self.asked = asked
        self.options = options
        self.ranking = ranking
        self.bounds = ranking.bounds
        self.allowed = _allowed(corpus, options)
        self.factors = _entry_factors(corpus, asked, options, ranking)
        self.notes: dict[str, str] = {}
        self.not_covered: dict[str, int] = {}
        self.named: set[int] = set()
        self.unknown: tuple[SymbolName, ...] = ()

    def run(self) -> Stages:
        channels = self._channels()
        fused = fuse(channels)
        factors = self.factors[self.corpus.doc_entry[fused.docs]]
        lift = self._lift(channels, fused)
        scores = fused.scores * factors // ONE + lift
        docs, scores = best_first(self.corpus, fused.docs, scores, len(fused.docs))
        ranking = Ranking(
            docs=docs,
            scores=scores,
            names=tuple(channel.name for channel in channels),
            shares=fused.shares[:, np.searchsorted(fused.docs, docs)],
            coverage=self._coverage(),
            named=frozenset(self.named),
            asked=self.asked,
        )
        return Stages(channels, fused, factors, lift, ranking)

    # ------------------------------------------------------------------ channels

    def _channels(self) -> list[Channel]:
        if self.asked.exact is QueryKind.REGEX:
            self.notes["lexical"] = "off: the question is a regex"
            return [self._regex()]
        if self.asked.exact is QueryKind.LITERAL:
            bounds = self.bounds
            counts = self._counts(self.asked.literals, bounds.literal_bytes, bounds.matches)
            literal = self._exact("literal", counts)
            if len(literal.docs):
                self.notes["lexical"] = "off: the question is a literal that stands in the scope"
                return [literal]
            return [self._lexical(), literal]
        located = self._locations()
        # a file that the question names is wanted, whatever it is
        self.factors[list(self.named)] = ONE
        return [
            self._lexical(),
            self._symbols(),
            self._texts(),
            located,
        ]

    def _lexical(self) -> Channel:
        weights = self.ranking.weights
        index = LexicalIndex.of(self.corpus, weights)
        terms = weigh_terms(self.asked.query, self.ranking.query)
        found = index.candidates(terms, self.ranking.query)
        weight = self.ranking.fusion.lexical
        return self._cut("lexical", found.docs, found.total, weight, exact=False)

    def _symbols(self) -> Channel:
        names = self.asked.symbols or tuple(_frame_names(self.asked))
        self._left_out("lookups", len(names) - MAX_LOOKUPS)
        found = score_symbols(self.corpus, names[:MAX_LOOKUPS], limit=self.bounds.symbol_hits)
        self.unknown = found.unknown
        self._left_out("symbol", found.cut)
        weight = self.ranking.fusion.symbol
        return self._cut("symbol", found.docs, found.scores, weight, exact=True)

    def _texts(self) -> Channel:
        """Texts beside words: quoted ones, error codes, dotted names of nothing, joined words."""
        dotted = [each.text.removesuffix("()") for each in self.unknown if is_dotted(each)]
        joined = self.asked.compounds
        for found in (dotted, joined):
            self._left_out("lookups", len(found) - MAX_JOINED)
        self._left_out("long_texts", self.asked.long_texts)
        plain = (*self.asked.literals, *self.asked.error_codes)
        dotted, joined = dotted[:MAX_JOINED], joined[:MAX_JOINED]
        texts = len(plain[:MAX_LOOKUPS]) + len(dotted) + len(joined)
        room = self.bounds.aside_bytes // max(texts, 1)
        most = self.bounds.aside_matches
        counts = self._counts(plain, room, most)
        share = self.ranking.fusion.joined / (self.ranking.fusion.literal or 1.0)
        for words, worth in ((dotted, 1.0), (joined, share)):
            for doc, score in self._counts(words, room, most, whole=True).items():
                counts[doc] = counts.get(doc, 0) + round(score * worth)
        return self._exact("literal", counts)

    def _counts(
        self, literals: Sequence[str], max_bytes: int, max_matches: int, *, whole: bool = False
    ) -> dict[int, int]:
        """What each document is worth that holds some of the literals; of each so much is read."""
        counts: dict[int, int] = {}
        self._left_out("lookups", len(literals) - MAX_LOOKUPS)
        for literal in literals[:MAX_LOOKUPS]:
            matches = find_literal(
                self.corpus,
                literal,
                max_bytes=max_bytes,
                max_matches=max_matches,
                within=self._entries(),
                whole=whole,
            )
            self._count(counts, matches)
        return counts

    def _regex(self) -> Channel:
        counts: dict[int, int] = {}
        for pattern in self.asked.regexes:
            matches = find_regex(
                self.corpus,
                pattern,
                max_bytes=self.bounds.regex_bytes,
                max_matches=self.bounds.matches,
                within=self._entries(),
            )
            self._count(counts, matches)
        return self._exact("literal", counts)

    def _count(self, counts: dict[int, int], matches: Matches) -> None:
        """Add up matches per document; several in one document count little more than one.

        What stands in few documents says more than what stands in many: by information content.
        """
        _, found = docs_at(self.corpus, matches.rows[:, 0], matches.rows[:, 1])
        times = np.bincount(found)
        docs = np.flatnonzero(times)
        told = _information(len(docs), self.corpus.n_docs, self.ranking.fusion.few)
        worth = (RARE + RARE // 8 * np.minimum(times[docs] - 1, 3)) * told
        for doc, score in zip(docs.tolist(), np.rint(worth).astype(int).tolist(), strict=True):
            counts[doc] = counts.get(doc, 0) + score
        self._left_out("literal_files", matches.unread)

    def _left_out(self, reason: str, count: int) -> None:
        """Tell of what a bound left out; a count that is not positive says that it left nothing."""
        if count > 0:
            self.not_covered[reason] = self.not_covered.get(reason, 0) + count

    def _exact(self, name: str, counts: dict[int, int]) -> Channel:
        docs = np.array(sorted(counts), np.int64)
        scores = np.array([counts[doc] for doc in docs.tolist()], np.int64)
        weight = self.ranking.fusion.literal * min(max(counts.values(), default=0), RARE) / RARE
        return self._cut(name, docs, scores, weight, exact=True)

    def _locations(self) -> Channel:
        places = [
            *((place.path, LineSpan(place.start, place.end)) for place in self.asked.locations),
            *((each.path, each.lines) for each in self.asked.citations),
            *(
                (frame.path, LineSpan(frame.line, frame.line))
                for frame in self.asked.frames
                if frame.path and frame.line
            ),
        ]
        scores: dict[int, int] = {}
        distinct_places = list(dict.fromkeys(places))
        self._left_out("lookups", len(distinct_places) - 4 * MAX_LOOKUPS)
        self._left_out("lookups", len(self.asked.paths) - MAX_LOOKUPS)
        for path, lines in distinct_places[: 4 * MAX_LOOKUPS]:
            for entry in self._files_named(path):
                for doc in docs_at_lines(self.corpus, entry, lines):
                    scores[doc] = 2
        for path in self.asked.paths[:MAX_LOOKUPS]:
            for entry in self._files_named(path):
                for doc in EntryDocs(self.corpus, entry).docs:
                    scores.setdefault(doc, 1)
        docs = np.array(sorted(scores), np.int64)
        values = np.array([scores[doc] for doc in docs.tolist()], np.int64)
        return self._cut("location", docs, values, self.ranking.fusion.location, exact=True)

    def _files_named(self, path: bytes) -> Sequence[int]:
        """The first entries that a path of the question means."""
        found = entries_named(self.corpus, path)
        self._left_out("location_files", len(found) - MAX_LOOKUPS)
        self.named.update(found[:MAX_LOOKUPS])
        return found[:MAX_LOOKUPS]

    def _cut(self, name: str, docs: Docs, scores: Scores, weight: float, *, exact: bool) -> Channel:
        """The channel's best documents inside the filters, demoted files behind, files spread."""
        if self.allowed is not None and len(docs):
            keep = self.allowed[docs]
            docs, scores = docs[keep], scores[keep]
        total = len(docs)
        recall = self.bounds.recall
        if total > recall:
            demoted = scores * self.factors.take(self.corpus.doc_entry.take(docs))
            first, _ = best_first(self.corpus, docs, demoted, 5 * recall)
            kept = _spread(self.corpus, first, recall, self.bounds.recall_per_file)
            at = np.searchsorted(docs, np.sort(kept))
            docs, scores = docs[at], scores[at]
            self._left_out(name, total - recall)
        return Channel(name, docs, scores, total, weight, exact)

    def _lift(self, channels: Sequence[Channel], fused: Fused) -> NDArray[np.int64]:
        """What a question names exactly stands above everything else."""
        lift = np.zeros(len(fused.docs), np.int64)
        exact = (
            {
                QueryKind.SYMBOL: "symbol",
                QueryKind.LOCATION: "location",
                QueryKind.CITATION: "location",
                QueryKind.PATH: "location",
            }.get(self.asked.exact)
            if self.asked.exact
            else None
        )
        for channel in channels:
            if channel.name == exact and len(channel.docs):
                lift[np.searchsorted(fused.docs, channel.docs)] = LIFT * UNIT
        return lift

    def _entries(self) -> NDArray[np.bool_] | None:
        return entries_left(self.corpus, self.options.filters)

    # ------------------------------------------------------------------ coverage

    def _coverage(self) -> CoverageRecord:
        on = {"lexical": "on", "symbol": "on", "literal": "on", "dense": "off: no model"}
        on.update(self.notes)
        for name in CHANNELS:
            left = (
                (name, "more"),
                ("literal_files", "files not wholly searched"),
                ("location_files", "files of a name not looked up"),
            )
            more = [
                f"{self.not_covered[reason]} {said}"
                for reason, said in left
                if reason in self.not_covered and reason.startswith(name)
            ]
            if more:
                on[name] = f"bounded: {', '.join(more)}"
        return CoverageRecord(
            snapshots=self.corpus.snapshots,
            state=State.BOUNDED if self.not_covered else State.COMPLETE,
            not_covered=tuple(sorted(self.not_covered.items())),
            channels=tuple(sorted(on.items())),
            warnings=tuple(idle(self.corpus, self.options.filters)),
        )


# --------------------------------------------------------------------------- candidates


def _allowed(corpus: Corpus, options: SearchOptions) -> NDArray[np.bool_] | None:
    """`(n_docs,)` what filters and exclusions leave; None for everything."""
    mask = docs_left(corpus, options.filters)
    excluded = [doc for text in options.exclude for doc in _excluded(corpus, text)]
    if excluded:
        mask = np.ones(corpus.n_docs, np.bool_) if mask is None else mask.copy()
        mask[excluded] = False
    return mask


def _excluded(corpus: Corpus, text: str) -> list[int]:
    """Documents that stand wholly inside the cited lines.

    Raises:
        BadInput: `text` is no citation.
    """
    cited = parse_citation(text)
    if cited is None:
        raise BadInput(
            "bad_citation",
            f"--exclude {text!r} is no citation",
            hint="citations look like src/app.py:12-18@4f2c1e9",
        )
    found: list[int] = []
    for entry in corpus.find_entries(cited.path):
        version = version_of(corpus.snapshot(entry), corpus.entry(entry))
        if not version.startswith(cited.version):
            continue
        content = corpus.text(entry)
        for ordinal, place in enumerate(corpus.chunks(entry)):
            lines = lines_of(content, Span(place.start, place.end))
            if cited.lines.start <= lines.start and lines.end <= cited.lines.end:
                found.append(corpus.doc(entry, ordinal))
    return found


def _entry_factors(
    corpus: Corpus, asked: Route, options: SearchOptions, ranking: RankOptions
) -> NDArray[np.int64]:
    active = active_priors(ranking.priors, asked.intents, options.filters.tests)
    wanted = [prior for prior in ranking.priors if prior.unless & asked.intents]
    return flag_factors(corpus.entry_flags, active, prefer=wanted)


def _frame_names(asked: Route) -> list[SymbolName]:
    """Qualified functions of a trace; a bare name says less than the line beside it."""
    names = [parse_symbol(frame.function) for frame in asked.frames]
    return [name for name in names if name is not None and len(name.parts) > 1]


def _information(found: int, among: int, few: float) -> float:
    """How much `found` of `among` documents tell, of what `few` would: from 1 / 16 to 1."""
    if found <= few:
        return 1.0
    return max(math.log(among / found) / math.log(among / few), 1 / 16)


def _spread(corpus: Corpus, docs: Docs, limit: int, per_file: int) -> Docs:
    """The first `limit` of `docs` with at most `per_file` of one file, filled up by the rest."""
    entries = corpus.doc_entry[docs]
    order = np.argsort(entries, kind="stable")
    starts = np.flatnonzero(np.diff(entries[order], prepend=np.int32(-1)))
    sizes = np.diff(starts, append=len(order))
    nth = np.empty(len(order), np.int64)
    nth[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    within = nth < per_file
    return np.concatenate([docs[within], docs[~within]])[:limit]


# --------------------------------------------------------------------------- pages


def first_page(corpus: Corpus, found: Ranking, size: int, bounds: Bounds) -> Order:
    """All results, reordered so that one file, blob or repeated text cannot fill the first page.

    What exceeds its share follows right after that page, in order. A file that the question names
    has no share. When there is nothing else, the page is filled.
    """
    page: list[int] = []
    later: list[int] = []
    counts: dict[object, int] = {}
    several = len({state.snapshot.repository for state in corpus.snapshots}) > 1
    for row, doc in enumerate(found.docs.tolist()):
        if len(page) == size:
            return Order(found, [*page, *later, *range(row, len(found.docs))])
        entry = int(corpus.doc_entry[doc])
        keys = [] if entry in found.named else _shares(corpus, entry, size, bounds)
        if several and entry not in found.named:
            keys.append((corpus.entries_of(doc, limit=1)[0].chunk_id, 1))
        free = all(counts.get(key, 0) < cap for key, cap in keys)
        (page if free else later).append(row)
        if free:
            counts.update((key, counts.get(key, 0) + 1) for key, _ in keys)
    return Order(found, [*page, *later])


def _shares(corpus: Corpus, entry: int, size: int, bounds: Bounds) -> list[tuple[object, int]]:
    """(what a result uses up, how much of it a first page has)."""
    prose = corpus.language(entry) in PROSE
    per_file = max(1, int(size * (bounds.prose_share if prose else bounds.code_share)))
    return [
        ((corpus.repository(entry).id, corpus.path(entry)), per_file),
        (entry_of(corpus, entry).blob, per_file),
    ]
