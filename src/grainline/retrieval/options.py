"""Every number that ranking depends on, in frozen values that the lab can vary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from grainline.model.snapshot import FlagName
from grainline.retrieval.intents import Intent


class FieldWeight(NamedTuple):
    """Weight and length normalisation of one field: `b` 0 ignores length, 1 divides by it."""

    weight: float
    b: float


_NAME = FieldWeight(7.0, 0.4)
_SIGNATURE = FieldWeight(2.0, 0.4)
_BODY = FieldWeight(1.0, 0.75)
_COMMENT = FieldWeight(0.85, 0.6)
_STRING = FieldWeight(1.0, 0.6)
_IMPORTS = FieldWeight(0.2, 0.5)
_TYPES = FieldWeight(1.2, 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalWeights:
    """BM25F weights. `path` weighs the path score of an entry against the text of its chunks."""

    name: FieldWeight = _NAME
    signature: FieldWeight = _SIGNATURE
    body: FieldWeight = _BODY
    comment: FieldWeight = _COMMENT
    string: FieldWeight = _STRING
    imports: FieldWeight = _IMPORTS
    types: FieldWeight = _TYPES
    k1: float = 3.0
    path: float = 0.6
    path_b: float = 0.5
    path_k1: float = 1.2

    @property
    def fields(self) -> tuple[FieldWeight, ...]:
        """In the order of `model.chunk.Field`."""
        return (
            self.name,
            self.signature,
            self.body,
            self.comment,
            self.string,
            self.imports,
            self.types,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryOptions:
    """How a question becomes weighted terms.

    `whole` to `number` weigh the kinds of a term. The English words for a Chinese, Japanese or
    Korean term share `translated`; none weighs more than the same word typed. A term that stands
    `n` times counts `n (repeat + 1) / (n + repeat)` (BM25's query saturation). Terms of the first
    line of a question of several lines count `title` times. Only the `max_terms` terms of highest
    weight times idf are looked up: a defined rewriting of the question, the same for every scope of
    equal content, not a bound on the work.
    """

    whole: float = 1.0
    part: float = 1.0
    cjk: float = 1.0
    number: float = 0.7
    translated: float = 0.8
    repeat: float = 1.0
    title: float = 2.0
    max_terms: int = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """Entries with `flag` count `factor` times, unless the question has one of `unless`."""

    flag: FlagName
    factor: float
    unless: frozenset[Intent]


DEFAULT_PRIORS = (
    Prior(flag=FlagName.TEST, factor=0.3, unless=frozenset({Intent.TEST})),
    Prior(flag=FlagName.DOCS, factor=0.3, unless=frozenset({Intent.DOCS, Intent.EXAMPLE})),
    Prior(flag=FlagName.EXAMPLE, factor=0.35, unless=frozenset({Intent.EXAMPLE, Intent.DOCS})),
    Prior(flag=FlagName.VENDORED, factor=0.3, unless=frozenset({Intent.VENDORED})),
    Prior(flag=FlagName.GENERATED, factor=0.3, unless=frozenset({Intent.GENERATED})),
    Prior(flag=FlagName.MINIFIED, factor=0.15, unless=frozenset()),
    Prior(flag=FlagName.CONFIG, factor=0.5, unless=frozenset({Intent.CONFIG})),
    Prior(flag=FlagName.DATA, factor=0.3, unless=frozenset({Intent.DATA, Intent.CONFIG})),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionOptions:
    """How channels join.

    Scored channels (lexical, dense) enter as z-scores times their weight. Exact channels hold a
    handful of equal scores, whose z-score is 0 by definition, so they enter as score / best score
    times `boost`, in the same units (standard deviations). A literal that stands in more than `few`
    documents says less: by its information content. A joined word (`--dry-run`) is looked for
    as a literal of the boost `joined`.
    """

    lexical: float = 1.0
    symbol: float = 3.0
    literal: float = 4.0
    joined: float = 2.5
    location: float = 4.0
    few: float = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Bounds of one search; all of them count inside the scope.

    `recall` documents per channel reach the fusion, at most `recall_per_file` of one file unless
    nothing else is left. One file or blob may fill at most `prose_share` of the first page
    with prose, `code_share` with code, and a text stands there once. Literal and regex search read at most so many bytes of text; for a
    literals that stand in a question beside other words, `aside_bytes` in equal shares, and at most
    `aside_matches` of each.
    """

    recall: int = 200
    recall_per_file: int = 40
    prose_share: float = 0.3
    code_share: float = 0.8
    symbol_hits: int = 200
    literal_bytes: int = 64 << 20
    aside_bytes: int = 4 << 20
    regex_bytes: int = 64 << 20
    matches: int = 10_000
    aside_matches: int = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """All of them."""

    weights: LexicalWeights = field(default_factory=LexicalWeights)
    query: QueryOptions = field(default_factory=QueryOptions)
    priors: tuple[Prior, ...] = DEFAULT_PRIORS
    fusion: FusionOptions = field(default_factory=FusionOptions)
    bounds: Bounds = field(default_factory=Bounds)


DEFAULT_RANKING = RankOptions()
