"""`explain`: the stages of a question as values. It ranks and selects nothing itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from grainline.context.assemble import Candidate
from grainline.context.cite import Reader
from grainline.model.evidence import ContextResult
from grainline.model.explain import (
    ChannelStage,
    ContextStage,
    Explanation,
    Found,
    RankedStage,
    Term,
)
from grainline.model.position import Span
from grainline.model.search import SearchOptions
from grainline.retrieval.fusion import UNIT, Channel
from grainline.retrieval.lexical import SCALE, TERM_ONE, weigh_terms
from grainline.retrieval.options import DEFAULT_RANKING
from grainline.retrieval.order import best_first
from grainline.retrieval.priors import ONE
from grainline.retrieval.search import Stages, first_page, stages
from grainline.storage.base import Corpus


def explain(
    corpus: Corpus, query: str, k: int, pool: Sequence[Candidate], result: ContextResult
) -> Explanation:
    """Every stage.

    Args:
        corpus: the scope.
        query: the question.
        k: rows of each stage, and results of a page.
        pool: what the context was selected from.
        result: the context.
    """
    reader = Reader(corpus)
    found = stages(corpus, query, SearchOptions(k=k))
    asked = found.ranking.asked
    exact = (asked.exact,) if asked.exact else ()
    return Explanation(
        query=query,
        kinds=tuple(map(str, dict.fromkeys((*exact, *asked.kinds)))),
        exact=asked.exact is not None,
        intents=tuple(sorted(map(str, asked.intents))),
        terms=tuple(_terms(corpus, query)),
        channels=tuple(_channel(reader, each, found, k) for each in found.channels),
        ranked=tuple(_ranked(reader, found, k)),
        context=tuple(_context(reader, pool, result)),
        result=result,
        profile=result.profile,
        coverage=result.coverage,
    )


def _terms(corpus: Corpus, query: str) -> Iterator[Term]:
    weighed = weigh_terms(query, DEFAULT_RANKING.query)
    for each in sorted(weighed, key=lambda term: (-term.weight, term.term)):
        chunks = len(np.unique(corpus.postings(each.term).docs))
        yield Term(each.term.decode("utf-8", "replace"), each.weight / TERM_ONE, chunks)


def _channel(reader: Reader, channel: Channel, found: Stages, k: int) -> ChannelStage:
    docs, scores = best_first(reader.corpus, channel.docs, channel.scores, k)
    pairs = zip(docs[:k].tolist(), scores[:k].tolist(), strict=True)
    unit = 1 if channel.exact else SCALE * TERM_ONE
    states = dict(found.ranking.coverage.channels)
    return ChannelStage(
        name=channel.name,
        state=states.get(channel.name, "on"),
        weight=channel.weight,
        exact=channel.exact,
        total=channel.total,
        best=tuple(_found(reader, doc, score / unit) for doc, score in pairs),
    )


def _found(reader: Reader, doc: int, score: float) -> Found:
    place = reader.corpus.entries_of(doc, limit=1)[0]
    file = reader.file(place.entry)
    symbol = reader.symbol(place.entry, place.symbol)
    lines = file.lines(Span(place.start, place.end))
    return Found(file.path, lines, symbol.qualified_name if symbol else "", score)


def _ranked(reader: Reader, found: Stages, k: int) -> Iterator[RankedStage]:
    ranking, fused = found.ranking, found.fused
    page = first_page(reader.corpus, ranking, k, DEFAULT_RANKING.bounds)
    shown = {each.doc: place for place, each in enumerate(page[:k], 1)}
    rows = {int(doc): row for row, doc in enumerate(fused.docs.tolist())}
    ranks = {int(doc): rank for rank, doc in enumerate(ranking.docs.tolist(), 1)}
    wanted = dict.fromkeys((*ranking.docs[:k].tolist(), *shown))
    for doc in sorted(wanted, key=ranks.__getitem__):
        row = rows[doc]
        each = ranking.at(ranks[doc] - 1)
        entry = int(reader.corpus.doc_entry[doc])
        yield RankedStage(
            found=_found(reader, doc, each.score),
            channels=each.channels,
            fused=int(fused.scores[row]) / UNIT,
            prior=int(found.factors[row]) / ONE,
            flags=tuple(sorted({str(flag.name) for flag in reader.entry(entry).flags})),
            lift=int(found.lift[row]) / UNIT,
            rank=ranks[doc],
            shown=shown.get(doc, 0),
        )


def _context(
    reader: Reader, pool: Sequence[Candidate], result: ContextResult
) -> Iterator[ContextStage]:
    costs: dict[tuple[bytes, str, str], int] = {}
    for item in result.items:
        name = item.symbol.qualified_name if item.symbol else ""
        costs[item.place.path, name, item.why] = item.tokens
    for each in pool:
        yield _stage(reader, each, costs)


def _stage(
    reader: Reader, each: Candidate, costs: Mapping[tuple[bytes, str, str], int]
) -> ContextStage:
    file = reader.file(each.entry)
    symbol = reader.symbol(each.entry, each.symbol)
    name = symbol.qualified_name if symbol else ""
    whole = each.forms[0][0]
    return ContextStage(
        path=file.path,
        lines=file.lines(Span(whole[0].start, whole[-1].end)),
        symbol=name,
        role=str(each.role),
        share=each.share.name.lower(),
        utility=each.utility,
        via=tuple(f"{step.type} {step.src} -> {step.dst}" for step in each.via),
        why=each.why,
        forms=tuple(
            (level, each.utility * factor, sum(file.tokens(span) for span in spans))
            for spans, level, factor in each.forms
        ),
        shown=costs.get((file.path, name, each.why), 0),
    )
