"""Data flow: findings with a verdict, the paths that carry it, and what cut the search.

The words are those of taint analysis: a source brings data in, a sink must not get it, a sanitizer
or a guard makes it harmless for some kinds of sink.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple

from grainline.model.edge import Symbol, Tier
from grainline.model.position import Span
from grainline.model.relations import Verdict
from grainline.model.search import CoverageRecord


class Severity(IntEnum):
    """How bad a finding is, least first."""

    NOTE = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4


class Role(StrEnum):
    """What a step of a path does."""

    SOURCE = "source"
    PROPAGATOR = "propagator"  # the value is handed on
    CALL = "call"  # into a function
    RETURN = "return"  # out of a function
    GUARD = "guard"  # a test that dominates what follows
    SANITIZER = "sanitizer"
    TEST = "test"  # a condition on the data that the way passes, whether or not it helps
    SINK = "sink"

    __hash__ = str.__hash__


class Cut(StrEnum):
    """Why nothing certain can be said: a boundary on the frontier of paths."""

    REFLECTION = "reflection"  # called by a computed name
    EVAL = "eval"  # code made of text
    DYNAMIC_IMPORT = "dynamic import"
    INJECTION = "injection"  # the value is handed in by a caller that is not there
    DISPATCH = "unresolved dispatch"
    NATIVE = "native"  # code that is not source
    DEPTH = "depth"  # a bound of the search
    FAN_OUT = "fan-out"  # too many targets
    EXTERNAL = "unmodelled external"
    KEY = "unknown key"  # what was put into a container under one is read under another
    PARSE = "parse error"
    NO_LANGUAGE = "language without flow"

    __hash__ = str.__hash__


BROKEN_SOURCE: Final = "broken source"
"""The name of a `Cut.PARSE` that stands where the parser gave up."""


class Boundary(NamedTuple):
    """A place where the search stopped, or went on by assumption. `name` is what stands there."""

    path: bytes
    span: Span
    cut: Cut
    name: str


class FlowStep(NamedTuple):
    """One step of a path: bytes of a file, in the function `symbol`.

    `tier` is that of the edge that led here (`RESOLVED` inside a function), `note` says what
    happened in words of the model ("os.system", "returned by", "the test excludes: command").
    """

    path: bytes
    span: Span
    role: Role
    symbol: Symbol
    tier: Tier
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowWay:
    """One more way to a sink, beside the best one; the words are those of `FlowPath`."""

    verdict: Verdict
    reasons: tuple[Boundary, ...] = ()
    steps: tuple[FlowStep, ...]
    stops: tuple[FlowStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPath:
    """A finding as the analysis has it, before it is placed in a snapshot.

    Attributes:
        kind: of the sink ("command", "sql", ...) or of the pattern ("weak hash", ...).
        cwe: number of the weakness, 0 when none fits.
        severity: of the sink's row.
        rule: name of the row of the model that the sink is.
        verdict: `PATH` when every step is known; `UNDETERMINED` when `reasons` say what is
            assumed; `NO_PATH` of a path that a guard or sanitizer stops (only when asked for).
        reasons: boundaries that the path leans on.
        steps: from the source to the sink, in order.
        stops: guards and sanitizers that were seen on the way, also those that do not help.
        total_paths: how many ways from sources to this sink were found.
        alternates: the best of the other ways: the surest, then the shortest, then by place.
    """

    kind: str
    cwe: int
    severity: Severity
    rule: str
    verdict: Verdict
    reasons: tuple[Boundary, ...] = ()
    steps: tuple[FlowStep, ...]
    stops: tuple[FlowStep, ...] = ()
    total_paths: int = 1
    alternates: tuple[FlowWay, ...] = ()


class Region(NamedTuple):
    """Bytes of a file that somebody asks about."""

    path: bytes
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowQuestion:
    """What an analysis is asked about in place of what models say.

    Attributes:
        sources: everything that is evaluated there brings data in; empty: what models say.
        sinks: arguments of calls and values there must not get it; empty: what models say.
    """

    sources: tuple[Region, ...] = ()
    sinks: tuple[Region, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowReport:
    """What one analysis of a visible set of files found.

    `paths` are in the order of their sinks; `boundaries` are all places where the search stopped;
    `unmatched` names models whose package is imported though nothing of them is used as known.
    `frontier`: where data of the sources of a `FlowQuestion` was lost sight of; `absent`: the ends of
    it (`sources`, `sinks`) where nothing is evaluated.
    """

    paths: tuple[FlowPath, ...]
    boundaries: tuple[Boundary, ...] = ()
    unmatched: tuple[str, ...] = ()
    frontier: tuple[Boundary, ...] = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedStep:
    """A step in its snapshot. Columns are characters from 1.

    `text` is its first line; `slice` all of its lines, of many the first and the last, "" where
    `text` is all of them.
    """

    repository: str
    commit: str
    path: bytes
    line: int
    end_line: int
    column: int
    end_column: int
    role: Role
    symbol: str
    tier: Tier
    text: str
    note: str = ""
    slice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedBoundary:
    """A boundary in its snapshot. `text` is its first line."""

    cut: Cut
    name: str
    repository: str
    commit: str
    path: bytes
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedWay:
    """One more way to the sink of a finding, in its snapshot."""

    verdict: Verdict
    reasons: tuple[PlacedBoundary, ...] = ()
    steps: tuple[PlacedStep, ...]
    stops: tuple[PlacedStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding of `trace` or `scan`.

    Attributes:
        id: stable while the code of the path stays: a digest of kind, symbols and texts of source
            and sink, not of lines.
        weakest: the step with the weakest tier, None without steps.
        test: whether the sink stands in test code.
        alternates: the best of the other ways; `total_paths` counts all.
    """

    id: str
    kind: str
    cwe: int
    severity: Severity
    rule: str
    verdict: Verdict
    reasons: tuple[PlacedBoundary, ...]
    steps: tuple[PlacedStep, ...]
    stops: tuple[PlacedStep, ...] = ()
    total_paths: int = 1
    weakest: PlacedStep | None = None
    test: bool = False
    alternates: tuple[PlacedWay, ...] = ()


class ModelFile(NamedTuple):
    """A file of models as it was read; `name` is for messages."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions:
    """Options of `scan`.

    Attributes:
        kinds: only these; empty: all.
        models: rows beside the built-in ones, which they go before.
        known: ids of a baseline: left out and counted.
        floor: weakest verdict that is shown: `UNDETERMINED` shows both.
    """

    kinds: tuple[str, ...] = ()
    models: tuple[ModelFile, ...] = ()
    known: tuple[str, ...] = ()
    floor: Verdict = Verdict.UNDETERMINED


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOptions:
    """Options of `trace`.

    Attributes:
        depth: calls and returns that a path may pass; None: as many as there are.
        models: as of `ScanOptions`.
    """

    depth: int | None = None
    models: tuple[ModelFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowResult:
    """Findings in the order of severity, then place.

    Attributes:
        findings: what was found.
        coverage: what was looked at.
        known: findings that a baseline, or the other state of `--diff`, has too.
        verdict: of `trace`: whether the one reaches the other; `findings` are the ways.
        reasons: of `trace`: what stands against a certain verdict.
    """

    findings: tuple[Finding, ...]
    coverage: CoverageRecord
    known: int = 0
    verdict: Verdict | None = None
    reasons: tuple[PlacedBoundary, ...] = ()
