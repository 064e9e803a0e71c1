"""Answers that are neither a ranking nor a context: reports, reads, outlines, states, checks."""

from __future__ import annotations

from dataclasses import dataclass

from grainline.model.edge import Edge
from grainline.model.search import CoverageRecord, Place, SymbolInfo
from grainline.model.snapshot import Flag, Outcome, Snapshot

FOLLOW = "flow"
"""The stage in which data is followed, of `Progress`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a long run is: `done` of `total` (None: not known yet) units of `stage`.

    `done_bytes` of `total_bytes` where the units have a size; then both are known.
    """

    stage: str
    done: int
    total: int | None = None
    detail: str = ""
    done_bytes: int = 0
    total_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRow:
    """What became of one path.

    `reason` is a word of `Reason`, or why no snapshot of the scope holds the path ("unknown",
    "ignored"); then `outcome` is skipped, for nothing of it can be found.
    """

    path: bytes
    outcome: Outcome
    reason: str | None = None
    detail: str = ""
    language: str = ""
    symbols: int = 0
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewReport:
    """What one index run did to one view.

    `counts` has every outcome; `reasons` counts (outcome, reason) of what was not fully indexed;
    `failures` names failed paths, at most a few dozen of them.
    """

    repository: str
    snapshot: Snapshot
    generation: str
    counts: tuple[tuple[Outcome, int], ...]
    reasons: tuple[tuple[Outcome, str, int], ...] = ()
    failures: tuple[PathRow, ...] = ()
    warnings: tuple[str, ...] = ()

    def count(self, outcome: Outcome) -> int:
        """Paths with `outcome`."""
        return dict(self.counts).get(outcome, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What an index run did. `suspicious` names languages with >= 20 files and not one symbol."""

    views: tuple[ViewReport, ...]
    warnings: tuple[str, ...] = ()
    suspicious: tuple[str, ...] = ()
    seconds: float = 0.0

    def count(self, outcome: Outcome) -> int:
        """Paths with `outcome`, over all views."""
        return sum(view.count(outcome) for view in self.views)


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeReport:
    """The edges of one view.

    `calls` counts places of calls with a target, `calls_without_target` the others; `left_out` files
    of languages with a graph that are not in it, by reason; `cuts` values that a bound kept from
    where they belong.
    """

    repository: str
    snapshot: Snapshot
    edges: int
    calls: int
    calls_without_target: int
    left_out: tuple[tuple[str, int], ...] = ()
    cuts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactReport:
    """What became of a SCIP index that was given for one view, or of a language server.

    `documents` of the index: `matched` ones count, the text of `stale` ones is another one, `unknown`
    are not in the view, `refused` have no usable path. `unreadable` occurrences are not what they
    say. `counts` says how edges of our own stand to the exact ones (see `precise.Comparison`),
    `contradicted` lists those at whose site another thing is meant.

    Of a server `documents` are the files that it was given, `refused` questions that it answered with
    nonsense; it was asked `asked` of `questions`, in all runs, and `problem` says why this one ended
    before the last ("" when it did not).
    """

    repository: str
    snapshot: Snapshot
    tool: str
    documents: int
    matched: int
    stale: tuple[bytes, ...]
    unknown: int
    refused: int
    unreadable: int
    edges: int
    counts: tuple[tuple[str, int], ...]
    contradicted: tuple[Edge, ...]
    asked: int = 0
    questions: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What `gc` keeps.

    Views that were indexed because someone asked for them once (`historic`) are kept per repository
    up to `historic` of them, the last used first; not longer than `days` without use, and only while
    the home has at most `bytes`; None sets no bound. Views of refs named in `pinned` always stay.
    """

    historic: int = 20
    days: int | None = None
    bytes: int | None = None
    pinned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A view that was taken out, and why."""

    repository: str
    ref: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GcReport:
    """What `gc` did: bytes of the home `before` and `after`, views that ended.

    `notes` says what could not be looked at or freed now.
    """

    before: int
    after: int
    ended: tuple[Ended, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshReport:
    """What a look at a work tree found. `full` when all of it was looked at.

    `changed` counts paths that came, went or changed since the look before; `failed` those of them
    that could not be read or analysed.
    """

    repository: str
    changed: int
    failed: int
    full: bool
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """The text behind a citation."""

    place: Place
    text: str
    coverage: CoverageRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSymbol:
    """A symbol with its whole source."""

    info: SymbolInfo
    place: Place
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowResult:
    """The symbols that a name means; `ambiguous` when it means several."""

    symbols: tuple[ShownSymbol, ...]
    ambiguous: bool
    coverage: CoverageRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineNode:
    """A symbol of a file and what it encloses, in file order."""

    info: SymbolInfo
    place: Place
    children: tuple[OutlineNode, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineResult:
    """The symbol tree of one file."""

    path: bytes
    nodes: tuple[OutlineNode, ...]
    coverage: CoverageRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyResult:
    """Why a path is, or is not, in the index: the rules that decided, in order."""

    repository: str
    row: PathRow
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefStatus:
    """One view: `state` is ready, or what is still missing. `paths` only when asked for.

    `in_part` counts files that are indexed though not all of them could be parsed.
    """

    ref: str
    snapshot: Snapshot
    generation: str
    state: str
    counts: tuple[tuple[Outcome, int], ...]
    paths: tuple[PathRow, ...] = ()
    in_part: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryStatus:
    """A repository of the home. `root` is where it was indexed from."""

    repository: str
    root: str
    refs: tuple[RefStatus, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusResult:
    """What a home holds, by repository name.

    `work_tree` says how new what it knows of work trees is, as the channel of that name does in a
    `CoverageRecord`; "" without a work tree.
    """

    repositories: tuple[RepositoryStatus, ...]
    work_tree: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One integrity check; `repair` says what to run when it is not ok."""

    name: str
    ok: bool
    detail: str = ""
    repair: str = ""
