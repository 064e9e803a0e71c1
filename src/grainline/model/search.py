"""Questions and ranked answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from grainline.model.chunk import ChunkKind
from grainline.model.edge import Tier
from grainline.model.position import Citation, LineSpan, Span
from grainline.model.snapshot import BlobId, Flag, Snapshot


class State(StrEnum):
    """How much of the scope an answer looked at."""

    COMPLETE = "complete"
    BOUNDED = "bounded"
    PARTIAL = "partial"


class TestFilter(StrEnum):
    """Whether test code may answer: always, never, or demoted unless asked for."""

    __test__ = False  # not a test class

    YES = "yes"
    NO = "no"
    AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Narrow candidates before top-k; never change df, N or lengths."""

    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    tests: TestFilter = TestFilter.AUTO


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotState:
    """A snapshot that an answer covers. `generation` is a digest of the scope's own membership."""

    repository: str
    snapshot: Snapshot
    generation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRecord:
    """What an answer did and did not look at; every answer carries one."""

    snapshots: tuple[SnapshotState, ...]
    state: State = State.COMPLETE
    not_covered: tuple[tuple[str, int], ...] = ()
    omitted: int = 0
    floor: str | None = None
    channels: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a result stands: a re-read, cited piece of one entry.

    `text` is the decoded text of the span; `blob` the masked id; `lines` 1-based.
    """

    repository: str
    snapshot: Snapshot
    path: bytes
    blob: BlobId
    language: str
    span: Span
    lines: LineSpan
    citation: Citation
    flags: tuple[Flag, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolInfo:
    """A symbol as answers show it. `qualified_name` is dotted: module path, scopes, name."""

    name: str
    qualified_name: str
    kind: str
    signature: str
    doc: str
    descriptor: str
    parent: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """What a result calls or makes: its qualified name, its head as written, and where that stands.

    `tier` is that of the strongest edge that leads there.
    """

    name: str
    kind: str
    signature: str
    repository: str
    path: bytes
    citation: Citation
    tier: Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One ranked result.

    `symbol` is the definition in the chunk that the question means; `focus` the lines of the match,
    or of that definition, when they are known. `chunk_symbol` is what the chunk itself is filed as.
    `called_by` names what calls or makes that definition, `signatures` tell what the chunk calls and
    does not hold itself: both where edges were asked for and are kept.
    """

    rank: int
    place: Place
    chunk_id: str
    kind: ChunkKind
    symbol: SymbolInfo | None
    module: str
    imports: tuple[str, ...]
    calls: tuple[str, ...]
    score: float
    channels: tuple[tuple[str, float], ...]
    also_at: tuple[Citation, ...]
    text: str
    focus: LineSpan | None = None
    chunk_symbol: SymbolInfo | None = None
    called_by: tuple[str, ...] = ()
    signatures: tuple[Called, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Options of one search.

    Attributes:
        k: results of a page, from 1 to 1000.
        filters: narrow candidates before top-k.
        cursor: of the page before.
        exclude: citations of what is left out.
        callers: whether results name what calls them; ranks never depend on it.
        signatures: whether results have the signatures of what they call.
    """

    k: int = 10
    filters: Filters = field(default_factory=Filters)
    cursor: str | None = None
    exclude: tuple[str, ...] = ()
    callers: bool = False
    signatures: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A page of a ranking. `total` counts the distinct results of all pages."""

    query: str
    hits: tuple[Hit, ...]
    total: int
    cursor: str | None
    coverage: CoverageRecord
