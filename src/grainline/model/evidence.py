"""Evidence: the cited context that explains."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from grainline.model.flow import Finding, ModelFile
from grainline.model.position import LineSpan
from grainline.model.search import CoverageRecord, Place, SymbolInfo


class Profile(StrEnum):
    """What kind of question is asked."""

    AUTO = "auto"
    INJECTION = "injection"
    LIFETIME = "lifetime"
    PERMISSION = "permission"
    FAILURE = "failure"
    UNDERSTANDING = "understanding"
    IMPACT = "impact"
    COMPLETION = "completion"


class EvidenceRole(StrEnum):
    """Why an item is in the context."""

    TARGET = "target"
    SOURCE = "source"
    PROPAGATOR = "propagator"
    SANITIZER = "sanitizer"
    SINK = "sink"
    CALLER = "caller"
    CALLEE = "callee"
    DEFINITION = "definition"
    TYPE = "type"
    PARENT = "parent"
    IMPORT = "import"
    TEST = "test"
    DOC = "doc"
    SIMILAR = "similar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The relation along which an item came; becomes an EDGE on the wire.

    `repository`, `path` and `line` name the site of the relation (line 0: no single site).
    `confidence` in [0, 1] is that of an edge of the symbol graph, None where it is unmeasured.
    """

    type: str
    src: str
    dst: str
    tier: str
    methods: tuple[str, ...]
    candidates: int
    confidence: float | None = None
    repository: str = ""
    path: bytes = b""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """One cited piece. `spans` are the shown lines (elisions between them); `tokens` its cost."""

    place: Place
    symbol: SymbolInfo | None
    spans: tuple[LineSpan, ...]
    level: int
    role: EvidenceRole
    via: tuple[Step, ...]
    why: str
    tokens: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextOptions:
    """Options of one context request. `budget` in tokens of `tokenizer`; `max_level` 0 to 4.

    Without `edges` nothing comes along the symbol graph and data, only along names. `models` are
    rows of data flow beside the built-in ones.
    """

    budget: int = 8000
    profile: Profile = Profile.AUTO
    format: str = "markdown"
    max_level: int = 3
    max_neighbours: int = 12
    edges: bool = True
    models: tuple[ModelFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextResult:
    """A context inside its budget. `rendered` is what the budget counts.

    `paths` are ways of data whose every step stands in the items.
    """

    query: str
    profile: Profile
    budget: int
    tokens: int
    tokenizer: str
    items: tuple[ContextItem, ...]
    omitted: int
    cursor: str | None
    coverage: CoverageRecord
    rendered: str
    paths: tuple[Finding, ...] = ()
