"""The numbers that stand for outcomes, reasons, modes and flags in columns."""

from __future__ import annotations

import json
from functools import lru_cache

from grainline.model.snapshot import Flag, FlagName, Mode, Outcome, Reason, Said, standing

MODES = tuple(Mode)
OUTCOMES = tuple(Outcome)
REASONS = tuple(Reason)
NO_REASON = 255
FLAGS = {flag: number for number, flag in enumerate(FlagName)}

MODE_NUMBER = {mode: number for number, mode in enumerate(MODES)}
OUTCOME_NUMBER = {outcome: number for number, outcome in enumerate(OUTCOMES)}
REASON_NUMBER: dict[Reason | None, int] = {
    None: NO_REASON,
    **{reason: number for number, reason in enumerate(REASONS)},
}

KEPT_TEXTS = 1 << 12
"""Texts of flags that are kept as values: a repository has some dozens."""


def flag_bits(flags: tuple[Flag, ...]) -> int:
    """Bit `1 << i` for the i-th `FlagName`."""
    bits = 0
    for flag in flags:
        bits |= 1 << FLAGS[flag.name]
    return bits


def flag_text(flags: tuple[Flag, ...]) -> str:
    """Flags as a text; equal for equal flags."""
    return json.dumps(
        [
            [flag.name, flag.rule, flag.file.decode("utf-8", "surrogateescape"), flag.said]
            if flag.file
            else [flag.name, flag.rule]
            for flag in flags
        ]
    )


@lru_cache(maxsize=KEPT_TEXTS)
def flags_of(text: str) -> tuple[Flag, ...]:
    """Inverse of `flag_text`."""
    return tuple(
        Flag(
            FlagName(name),
            rule,
            file[0].encode("utf-8", "surrogateescape") if file else b"",
            Said(file[1]) if file else Said.SET,
        )
        for name, rule, *file in json.loads(text)
    )


@lru_cache(maxsize=KEPT_TEXTS)
def standing_bits(text: str) -> int:
    """`flag_bits` of the flags that remain of a text."""
    return flag_bits(standing(flags_of(text)))
