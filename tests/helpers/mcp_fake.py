"""A fake engine, and an MCP server over it when run as a program; tests load it by path."""

from __future__ import annotations

from grainline.errors import BadInput
from grainline.model.access import Scope
from grainline.model.answers import ReadResult, RefStatus, RepositoryStatus, StatusResult
from grainline.model.chunk import ChunkKind
from grainline.model.edge import EdgeType, Tier
from grainline.model.evidence import ContextResult, Profile
from grainline.model.flow import (
    Cut,
    Finding,
    FlowResult,
    PlacedBoundary,
    PlacedStep,
    Role,
    Severity,
)
from grainline.model.position import Citation, LineSpan, Span, parse_citation
from grainline.model.relations import (
    Node,
    PathResult,
    Relation,
    RelationResult,
    RelationRow,
    Verdict,
)
from grainline.model.search import CoverageRecord, Hit, Place, SearchResult
from grainline.model.snapshot import BlobId, Outcome, RepositoryId, Snapshot

COMMIT = "ab" * 20
SNAPSHOT = Snapshot(
    repository=RepositoryId("r"), ref="refs/heads/main", commit=COMMIT, version=COMMIT, dirty=False
)
COVERAGE = CoverageRecord(snapshots=())
LINES = [
    f"value_{number} = compute_{number}(order, amount)  # ``` {number}\n" for number in range(2000)
]
OPENED = []


class FakeEngine:
    """Twenty long results, one long file, many repositories."""

    def __init__(self):
        OPENED.append(self)
        self.closed = False
        self.asked = []

    def close(self):
        self.closed = True

    def policy(self):
        return None

    def scope(self, *, repos=(), refs=(), principal=None, within=None):
        for name in repos:
            inside = within is None or name in within.repositories
            if not (inside and name.startswith("repo")):
                raise BadInput("unknown_repository", f"no repository is called {name!r}")
        return Scope(views=())

    def everything(self, principal=None, *, repos=(), within=None):
        return self.scope(repos=repos, within=within)

    def search(self, query, *, scope, options):
        if query == "nothing":
            return SearchResult(query=query, hits=(), total=0, cursor=None, coverage=COVERAGE)
        if query == "defect":
            raise ZeroDivisionError("secret detail")
        first = int(options.cursor or 0)
        last = min(20, first + options.k)
        return SearchResult(
            query=query,
            hits=tuple(self._hit(number) for number in range(first, last)),
            total=20,
            cursor=str(last) if last < 20 else None,
            coverage=COVERAGE,
        )

    def _related(self, relation, symbol, options):
        if symbol == "nothing":
            raise BadInput("unknown_symbol", "no symbol is called so")
        first = int(options.cursor or 0)
        last = min(400, first + options.k)
        return RelationResult(
            relation=relation, subjects=(self._node(0),) * 9, ambiguous=True,
            rows=tuple(self._row(number) for number in range(first, last)),
            totals=((1, 300), (2, 100)), tests=((1, 7),), weaker=3, unresolved=(("dynamic", 5),),
            cursor=str(last) if last < 400 else None, coverage=COVERAGE,
        )  # fmt: skip

    def callers(self, symbol, *, scope, options):
        return self._related(Relation.CALLERS, symbol, options)

    def callees(self, symbol, *, scope, options):
        return self._related(Relation.CALLEES, symbol, options)

    def refs(self, symbol, *, scope, options):
        return self._related(Relation.REFS, symbol, options)

    def impact(self, symbol, *, scope, options):
        return self._related(Relation.IMPACT, symbol, options)

    def path(self, source, target, *, scope, options):
        return PathResult(
            source=(self._node(0),), target=(self._node(1),), verdict=Verdict.PATH, total=4,
            rows=tuple(self._row(number) for number in range(300)), reached=9, unresolved=(),
            coverage=COVERAGE,
        )  # fmt: skip

    def roots(self, *, scope):
        return {"repo1": "/r"}

    def scan(self, *, scope, options, since):
        self.asked.append((options, since))
        return FlowResult(
            findings=tuple(self._finding(number) for number in range(30)), coverage=COVERAGE
        )

    def trace(self, source, target, *, scope, options):
        return FlowResult(
            findings=(self._finding(0),), coverage=COVERAGE, verdict=Verdict.UNDETERMINED,
            reasons=tuple(self._boundary(number) for number in range(9)),
        )  # fmt: skip

    def _finding(self, number):
        steps = tuple(self._flow_step(line) for line in range(200))
        return Finding(
            id=f"f{number}", kind="command", cwe=78, rule="os.system", verdict=Verdict.PATH,
            severity=Severity.HIGH if number < 10 else Severity.LOW, reasons=(), steps=steps,
            test=number % 2 == 1,
        )  # fmt: skip

    def _flow_step(self, line):
        return PlacedStep(
            repository="repo1", commit=COMMIT, path=b"src/pay.py", line=line + 1,
            end_line=line + 1, column=1, end_column=2, role=Role.PROPAGATOR, symbol="pay",
            tier=Tier.RESOLVED, text=LINES[line],
        )  # fmt: skip

    def _boundary(self, number):
        return PlacedBoundary(
            cut=Cut.DEPTH, name="calls", repository="repo1", commit=COMMIT, path=b"a.py",
            line=number + 1,
        )  # fmt: skip

    def _node(self, number):
        return Node(
            name=f"pay.compute_{number}", kind="function", repository="pay", path=b"src/pay.py",
            line=number, language="python", descriptor=f"compute_{number}().",
        )  # fmt: skip

    def _row(self, number):
        lines = LineSpan(number + 1, number + 1)
        return RelationRow(
            type=EdgeType.CALLS, src=f"pay.compute_{number}", dst="pay.compute_0",
            node=self._node(number), repository="pay", path=b"src/pay.py", line=number + 1,
            citation=Citation(path=b"src/pay.py", lines=lines, version=COMMIT),
            text=LINES[number], tier=Tier.RESOLVED, confidence=None, methods=("scope",),
            candidates=1, depth=1 + number // 300,
        )  # fmt: skip

    def _hit(self, number):
        return Hit(
            rank=number + 1,
            place=self._place(LineSpan(1, 40)),
            chunk_id=str(number),
            kind=ChunkKind.BLOCK,
            symbol=None,
            module="",
            imports=(),
            calls=(),
            score=1.0,
            channels=(),
            also_at=(),
            text="".join(LINES[:40]),
        )

    def _place(self, lines):
        return Place(
            repository="repo1",
            snapshot=SNAPSHOT,
            path=b"a.py",
            blob=BlobId("cd" * 20),
            language="python",
            span=Span(0, 1),
            lines=lines,
            citation=parse_citation(f"a.py:{lines.start}-{lines.end}@{COMMIT}"),
            flags=(),
        )

    def context(self, query, *, scope, options, at, target, pasted):
        rendered = f"# Context {options.budget} {options.format} {at} {target} {pasted}\n"
        return ContextResult(
            query=query,
            profile=Profile.UNDERSTANDING,
            budget=options.budget,
            tokens=5,
            tokenizer="t",
            items=(),
            omitted=0,
            cursor=None,
            coverage=COVERAGE,
            rendered=rendered,
        )

    def read(self, citation, *, scope):
        found = parse_citation(citation)
        if found is None:
            raise BadInput(
                "bad_citation", f"{citation!r} is not a citation", hint="path:1-2@commit"
            )
        text = "".join(LINES[found.lines.start - 1 : found.lines.end])
        return ReadResult(place=self._place(found.lines), text=text, coverage=COVERAGE)

    def status(self, *, scope=None, paths=False):
        ref = RefStatus(
            ref="refs/heads/main",
            snapshot=SNAPSHOT,
            generation="7",
            state="ready",
            counts=((Outcome.INDEXED, 4),),
        )
        return StatusResult(
            repositories=tuple(
                RepositoryStatus(repository=f"repo{number}", root="/r", refs=(ref,))
                for number in range(600)
            )
        )


if __name__ == "__main__":
    from grainline.surfaces.mcp.server import Session, serve

    serve(Session(open_engine=FakeEngine))
