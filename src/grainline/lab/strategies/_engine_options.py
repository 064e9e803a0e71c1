"""What of the engine a strategy may vary, by short names; the defaults are the engine's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from grainline.context.expansion import RULES
from grainline.context.tuning import DEFAULT_TUNING, Tuning
from grainline.lab.values import Settings, Value
from grainline.model.snapshot import FlagName
from grainline.retrieval.options import (
    DEFAULT_RANKING,
    FieldWeight,
    FusionOptions,
    LexicalWeights,
    RankOptions,
)

_LEXICAL = DEFAULT_RANKING.weights
_FIELDS = tuple(
    each.name for each in fields(LexicalWeights) if isinstance(getattr(_LEXICAL, each.name), tuple)
)
_PRIORS = {f"demote_{prior.flag}": prior.factor for prior in DEFAULT_RANKING.priors}

RANKING: Mapping[str, Value] = {
    **{f"weight_{name}": getattr(_LEXICAL, name).weight for name in _FIELDS},
    "weight_path": _LEXICAL.path,
    "k1": _LEXICAL.k1,
    **{f"fuse_{name}": value for name, value in asdict(DEFAULT_RANKING.fusion).items()},
    **_PRIORS,  # 1: as any other file
}

SHARES: Mapping[str, int] = dict(
    zip(("target", "direct", "structure", "metadata"), DEFAULT_TUNING.shares, strict=True)
)
_APART = ("shares", "rules")

TUNING: Mapping[str, Value] = {
    **{
        f"tune_{each.name}": getattr(DEFAULT_TUNING, each.name)
        for each in fields(Tuning)
        if each.name not in _APART
    },
    **{f"rule_{name}": 1.0 for name in RULES.names()},
    **{f"share_{name}": value for name, value in SHARES.items()},
}


def ranking_of(settings: Settings) -> RankOptions:
    """The numbers of ranking that the settings name."""
    weighed: dict[str, Any] = {
        name: FieldWeight(settings.number(f"weight_{name}"), getattr(_LEXICAL, name).b)
        for name in _FIELDS
    }
    lexical = replace(
        _LEXICAL, **weighed, path=settings.number("weight_path"), k1=settings.number("k1")
    )
    fused = {each.name: settings.number(f"fuse_{each.name}") for each in fields(FusionOptions)}
    priors = tuple(
        replace(prior, factor=settings.number(f"demote_{FlagName(prior.flag)}"))
        for prior in DEFAULT_RANKING.priors
    )
    return replace(DEFAULT_RANKING, weights=lexical, fusion=FusionOptions(**fused), priors=priors)


def tuning_of(settings: Settings) -> Tuning:
    """The numbers of selection that the settings name."""
    target, direct, structure, metadata = (settings.count(f"share_{name}") for name in SHARES)
    plain = {
        each.name: settings.number(f"tune_{each.name}")
        for each in fields(Tuning)
        if each.name not in _APART
    }
    rules = tuple(
        (name, factor)
        for name in RULES.names()
        if (factor := settings.number(f"rule_{name}")) != 1.0
    )
    return replace(
        DEFAULT_TUNING, **plain, shares=(target, direct, structure, metadata), rules=rules
    )
