"""How an answer came about: every stage of a question with its candidates and their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from grainline.model.evidence import ContextResult, Profile
from grainline.model.position import LineSpan
from grainline.model.search import CoverageRecord


class Term(NamedTuple):
    """A term of the question: its weight, and how many chunks of the scope hold it."""

    text: str
    weight: float
    chunks: int


class Found(NamedTuple):
    """A chunk: where it stands, what it is called (""), and its score in the stage that lists it."""

    path: bytes
    lines: LineSpan
    symbol: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelStage:
    """What one channel returned. `state` as coverage says it; `total` before any bound; best first."""

    name: str
    state: str
    weight: float
    exact: bool
    total: int
    best: tuple[Found, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedStage:
    """One result on its way: `score` = `fused` x `prior` + `lift`, in standard deviations.

    Attributes:
        found: the chunk, with its final score.
        channels: its share of each channel that returned it; `fused` is their sum, shifted so that
            it is positive.
        prior: the factor of what its file is (test, docs, ...), with the flags that set it.
        lift: what a question that names exactly this adds.
        rank: by score.
        shown: its place on the first page, 0 when it comes later: one file cannot fill a page.
    """

    found: Found
    channels: tuple[tuple[str, float], ...]
    fused: float
    prior: float
    flags: tuple[str, ...]
    lift: float
    rank: int
    shown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextStage:
    """Something that could be in the context, and what became of it.

    Attributes:
        path: of its file.
        lines: of its richest form.
        symbol: its qualified name, or "".
        role: why it would be there.
        share: the reserved part of the budget that it draws on.
        utility: what selection maximises.
        via: the relations along which it came; empty: it was found or named.
        why: in words.
        forms: (level, utility, tokens) of each form in which it may enter, richest first.
        shown: tokens that it has in the context, 0 when it was cut.
    """

    path: bytes
    lines: LineSpan
    symbol: str
    role: str
    share: str
    utility: float
    via: tuple[str, ...]
    why: str
    forms: tuple[tuple[int, float, int], ...]
    shown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All stages of one question.

    Attributes:
        query: the question.
        kinds: what the router takes it for, the only kind first where it is just that.
        exact: whether it is one thing only (a name, a path, a quoted message).
        intents: what it is after (tests, docs, ...): priors that this switches off.
        terms: of the lexical channel, heaviest first.
        channels: each with its best.
        ranked: results, best first.
        context: what could be shown, most useful first.
        result: the context itself.
        profile: the kind of context.
        coverage: what was looked at.
    """

    query: str
    kinds: tuple[str, ...]
    exact: bool
    intents: tuple[str, ...]
    terms: tuple[Term, ...]
    channels: tuple[ChannelStage, ...]
    ranked: tuple[RankedStage, ...]
    context: tuple[ContextStage, ...]
    result: ContextResult
    profile: Profile
    coverage: CoverageRecord
