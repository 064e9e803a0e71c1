"""Relations between symbols as answers: who calls what, along which path, and the graph itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from grainline.model.edge import EdgeType, Tier
from grainline.model.position import Citation, Span
from grainline.model.search import CoverageRecord, Filters

Counts = tuple[tuple[str, int], ...]
"""(word, how many), sorted by the word."""

Depths = tuple[tuple[int, int], ...]
"""(depth, how many rows stand there), depths from 1 without a gap."""


class Relation(StrEnum):
    """What is asked of a symbol."""

    CALLERS = "callers"
    CALLEES = "callees"
    REFS = "refs"
    IMPLEMENTS = "implements"
    IMPORTS = "imports"
    IMPACT = "impact"


class Verdict(StrEnum):
    """Whether one symbol reaches another."""

    PATH = "path"
    NO_PATH = "no_path"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationOptions:
    """Options of one question about relations.

    Attributes:
        types: only edges of these types; empty: those that the question is about.
        depth: steps from the symbol, from 1.
        floor: the weakest tier that makes a row; weaker ones are counted.
        filters: which rows are kept; what is walked does not change.
        k: rows of a page.
        cursor: of the page before.
    """

    types: tuple[EdgeType, ...] = ()
    depth: int = 1
    floor: Tier = Tier.FLOWED
    filters: Filters = field(default_factory=Filters)
    k: int = 100
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A symbol as relations name it.

    `name` is its qualified name, of a module its own. `line` is that of its definition. Of what is
    not there (`external`) only the name is known: path b"", line 0.
    """

    name: str
    kind: str
    repository: str = ""
    path: bytes = b""
    line: int = 0
    language: str = ""
    descriptor: str = ""
    test: bool = False
    external: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationRow:
    """One symbol that was reached, along the strongest edge that reaches it first.

    Attributes:
        type: what `src` does to `dst`.
        src: the end at the site.
        dst: the other end.
        node: the end that the row is about: `src` of incoming edges, `dst` of outgoing ones.
        repository: of the site.
        path: of the site.
        line: of the site, from 1.
        citation: of that line.
        text: that line.
        tier: None for a name outside of all that is indexed: it is a leaf, not an edge.
        confidence: lower bound of the measured precision; None: unmeasured.
        methods: how the edge was found; `name` for one that is only a matter of names.
        candidates: targets of the site, this one included.
        depth: steps from the symbol that was asked about.
        sites: places at this depth that reach the same symbol, this one included.
    """

    type: EdgeType
    src: str
    dst: str
    node: Node
    repository: str
    path: bytes
    line: int
    citation: Citation
    text: str
    tier: Tier | None
    confidence: float | None
    methods: tuple[str, ...]
    candidates: int
    depth: int
    sites: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationResult:
    """What a question about relations found.

    Attributes:
        relation: what was asked.
        subjects: the symbols that the name means; the answer is about all of them.
        ambiguous: whether they are several symbols, not one in several versions.
        rows: a page of rows, by depth, source before tests.
        totals: rows of all pages by depth, whatever is shown.
        tests: how many of them are test code.
        weaker: direct candidates below the floor.
        unresolved: calls whose target is not known and could matter here, by reason.
        cursor: of the next page.
        coverage: what was looked at.
    """

    relation: Relation
    subjects: tuple[Node, ...]
    ambiguous: bool
    rows: tuple[RelationRow, ...]
    totals: Depths
    tests: Depths
    weaker: int
    unresolved: Counts
    cursor: str | None
    coverage: CoverageRecord

    @property
    def total(self) -> int:
        """Rows of all pages."""
        return sum(count for _, count in self.totals)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathResult:
    """Whether, and how, one symbol calls another, directly or through others.

    `rows` are the steps of one shortest path (none: there is none), `total` counts the shortest
    paths, `unresolved` the calls on the way that have no known target, by reason.
    """

    source: tuple[Node, ...]
    target: tuple[Node, ...]
    verdict: Verdict
    rows: tuple[RelationRow, ...]
    total: int
    reached: int
    unresolved: Counts
    coverage: CoverageRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An edge of a `GraphResult`: positions in its nodes, and bytes of the file of `src`."""

    type: EdgeType
    src: int
    dst: int
    line: int
    site: Span
    tier: Tier | None
    confidence: float | None
    methods: tuple[str, ...]
    candidates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphResult:
    """Edges of some types and their ends. `unresolved` counts calls without a target, by reason."""

    types: tuple[EdgeType, ...]
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    unresolved: Counts
    coverage: CoverageRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ScipResult:
    """The edges of one view as a SCIP index.

    Attributes:
        data: the bytes of the index.
        repository: the package that its symbols belong to.
        version: of that package: the commit, of changed files the generation.
        documents: files of the index.
        edges: that it says.
        coverage: what was looked at; edges without a form in SCIP are counted as not covered.
    """

    data: bytes
    repository: str
    version: str
    documents: int
    edges: int
    coverage: CoverageRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions:
    """What a graph holds.

    Attributes:
        types: of its edges.
        floor: the weakest tier.
        filters: both ends of an edge pass them.
        external: whether names outside of what is indexed are nodes, too.
    """

    types: tuple[EdgeType, ...] = (EdgeType.CALLS,)
    floor: Tier = Tier.FLOWED
    filters: Filters = field(default_factory=Filters)
    external: bool = False
