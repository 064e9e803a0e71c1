"""Domain values as the JSON objects of the machine interface; one error shape for all surfaces.

Keys are stable and their order is fixed. Domain values never travel as they are: a renamed field
is a change here, and so a visible one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from grainline.context.formats.objects import (
    boundary,
    coverage,
    finding,
    item,
    path_fields,
    place_fields,
    tier,
)
from grainline.model.position import quote_path
from grainline.model.snapshot import Outcome

if TYPE_CHECKING:
    from grainline.errors import GrainlineError
    from grainline.indexing.owner.owner import Event
    from grainline.model.access import Policy
    from grainline.model.answers import (
        Check,
        EdgeReport,
        ExactReport,
        GcReport,
        IndexReport,
        OutlineNode,
        OutlineResult,
        PathRow,
        ReadResult,
        RefStatus,
        ShownSymbol,
        ShowResult,
        StatusResult,
        ViewReport,
        WhyResult,
    )
    from grainline.model.evidence import ContextResult
    from grainline.model.flow import FlowResult
    from grainline.model.relations import (
        Depths,
        GraphResult,
        Link,
        Node,
        PathResult,
        RelationResult,
        RelationRow,
        ScipResult,
    )
    from grainline.model.search import Called, Hit, SearchResult

Object: TypeAlias = dict[str, Any]

SCHEMA = 1
_SURROGATE = re.compile("[\ud800-\udfff]")


def dumps(value: Object, *, indent: int | None = None) -> str:
    """`value` as one JSON text that is valid UTF-8: what was no text becomes U+FFFD."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    return _SURROGATE.sub("\ufffd", text)


def event(found: Event) -> Object:
    """Something that happened to a followed work tree."""
    return {
        "schema": SCHEMA,
        "event": str(found.kind),
        "repo": found.repository,
        "text": found.text,
        "changed": found.changed,
        "failed": found.failed,
        "full": found.full,
        "ms": round(1000 * found.seconds, 1),
    }


def search(result: SearchResult) -> Object:
    """A page of a ranking."""
    return {
        "schema": SCHEMA,
        "query": result.query,
        "results": [hit(row) for row in result.hits],
        "total": result.total,
        "cursor": result.cursor,
        "coverage": coverage(result.coverage),
    }


def hit(row: Hit) -> Object:
    """One ranked result."""
    symbol = row.symbol
    return {
        "rank": row.rank,
        **place_fields(row.place),
        "language": row.place.language,
        "module": row.module,
        "symbol": symbol.name if symbol else None,
        "qualified_name": symbol.qualified_name if symbol else None,
        "signature": symbol.signature if symbol else None,
        "kind": symbol.kind if symbol else str(row.kind),
        "parent": symbol.parent if symbol else None,
        "imports": list(row.imports),
        "calls": list(row.calls),
        "called_by": list(row.called_by),
        "score": row.score,
        "channels": dict(row.channels),
        "citation": str(row.place.citation),
        "also_at": [str(citation) for citation in row.also_at],
        "flags": [str(flag.name) for flag in row.place.flags],
        "focus_line": (row.focus or row.place.lines).start,
        **({} if row.signatures is None else {"signatures": [*map(_called, row.signatures)]}),
        "text": row.text,
    }


def _called(each: Called) -> Object:
    return {
        "symbol": each.name,
        "kind": each.kind,
        "signature": each.signature,
        "repo": each.repository,
        **path_fields(each.path),
        "citation": str(each.citation),
        "tier": tier(each.tier),
    }


def context(result: ContextResult) -> Object:
    """A context. A JSON rendering is the object already; `markdown` holds only Markdown."""
    if result.rendered.startswith('{"schema":'):
        rendered: Object = json.loads(result.rendered)
        return rendered
    return {
        "schema": SCHEMA,
        "query": result.query,
        "profile": str(result.profile),
        "budget": result.budget,
        "tokens": result.tokens,
        "tokenizer": result.tokenizer,
        "items": [item(value) for value in result.items],
        "paths": [finding(each) for each in result.paths],
        "omitted": result.omitted,
        "cursor": result.cursor,
        "coverage": coverage(result.coverage),
        "markdown": result.rendered,
    }


def read(result: ReadResult) -> Object:
    """The text behind a citation."""
    place = result.place
    return {
        "schema": SCHEMA,
        "citation": str(place.citation),
        **place_fields(place),
        "text": result.text,
        "coverage": coverage(result.coverage),
    }


def show(result: ShowResult) -> Object:
    """The symbols that a name means."""
    return {
        "schema": SCHEMA,
        "symbols": [_shown(symbol) for symbol in result.symbols],
        "ambiguous": result.ambiguous,
        "coverage": coverage(result.coverage),
    }


def _shown(symbol: ShownSymbol) -> Object:
    return {
        "symbol": symbol.info.qualified_name,
        "kind": symbol.info.kind,
        "signature": symbol.info.signature,
        "doc": symbol.info.doc,
        **place_fields(symbol.place),
        "citation": str(symbol.place.citation),
        "text": symbol.text,
    }


def outline(result: OutlineResult) -> Object:
    """The symbol tree of a file, nested by `children`."""
    return {
        "schema": SCHEMA,
        **path_fields(result.path),
        "symbols": [_outlined(node) for node in result.nodes],
        "ambiguous": False,
        "coverage": coverage(result.coverage),
    }


def _outlined(node: OutlineNode) -> Object:
    """A node; iterative, for outlines of data files nest as deep as their author wants."""
    made: dict[int, Object] = {}
    stack = [(node, False)]
    while stack:
        top, ready = stack.pop()
        if not ready:
            stack.append((top, True))
            stack.extend((child, False) for child in top.children)
            continue
        made[id(top)] = {
            "symbol": top.info.qualified_name,
            "kind": top.info.kind,
            "signature": top.info.signature,
            "doc": top.info.doc,
            "start_line": top.place.lines.start,
            "end_line": top.place.lines.end,
            "citation": str(top.place.citation),
            "children": [made[id(child)] for child in top.children],
        }
    return made[id(node)]


def relation(result: RelationResult) -> Object:
    """Rows about a symbol: what calls it, what it calls, and so on."""
    return {
        "schema": SCHEMA,
        "relation": str(result.relation),
        "symbol": result.subjects[0].name,
        "symbols": [_node(node) for node in result.subjects],
        "ambiguous": result.ambiguous,
        "rows": [_row(row) for row in result.rows],
        "totals": _depths(result.totals),
        "tests": _depths(result.tests),
        "weaker": result.weaker,
        "unresolved": dict(result.unresolved),
        "cursor": result.cursor,
        "coverage": coverage(result.coverage),
    }


def relation_path(result: PathResult) -> Object:
    """The steps of a path, or why there is none."""
    return {
        "schema": SCHEMA,
        "symbol": result.source[0].name,
        "to": result.target[0].name,
        "verdict": str(result.verdict),
        "rows": [_row(row) for row in result.rows],
        "totals": {str(row.depth): 1 for row in result.rows},
        "total_paths": result.total,
        "reached": result.reached,
        "unresolved": dict(result.unresolved),
        "coverage": coverage(result.coverage),
    }


def graph(result: GraphResult) -> Object:
    """Nodes and edges; `from` and `to` of an edge are positions in the nodes."""
    return {
        "schema": SCHEMA,
        "types": [kind.upper() for kind in result.types],
        "nodes": [_node(node) for node in result.nodes],
        "edges": [_link(link, result.nodes) for link in result.links],
        "unresolved": dict(result.unresolved),
        "coverage": coverage(result.coverage),
    }


def scip(result: ScipResult) -> Object:
    """What was written as a SCIP index."""
    return {
        "schema": SCHEMA,
        "repo": result.repository,
        "version": result.version,
        "documents": result.documents,
        "edges": result.edges,
        "bytes": len(result.data),
        "coverage": coverage(result.coverage),
    }


def flows(result: FlowResult) -> Object:
    """Findings of `scan` or `trace`; of `trace` with the verdict and what stands against it."""
    asked: Object = {}
    if result.verdict is not None:
        reasons = [boundary(each) for each in result.reasons]
        asked = {"verdict": str(result.verdict), "reasons": reasons}
    return {
        "schema": SCHEMA,
        **asked,
        "findings": [finding(each) for each in result.findings],
        "known": result.known,
        "coverage": coverage(result.coverage),
    }


def _depths(counts: Depths) -> Object:
    return {str(depth): count for depth, count in counts}


def _node(node: Node) -> Object:
    return {
        "symbol": node.name,
        "kind": node.kind,
        "repo": node.repository,
        **path_fields(node.path),
        "line": node.line,
        "language": node.language,
        "test": node.test,
        "external": node.external,
    }


def _row(row: RelationRow) -> Object:
    return {
        "type": row.type.upper(),
        "src": row.src,
        "dst": row.dst,
        "repo": row.repository,
        **path_fields(row.path),
        "line": row.line,
        "tier": tier(row.tier),
        "confidence": row.confidence,
        "methods": list(row.methods),
        "candidates": row.candidates,
        "depth": row.depth,
        "symbol": row.node.name,
        "text": row.text,
        "citation": str(row.citation),
        "sites": row.sites,
        "kind": row.node.kind,
        "test": row.node.test,
        "external": row.node.external,
        "defined": f"{quote_path(row.node.path)}:{row.node.line}" if row.node.path else None,
    }


def _link(link: Link, nodes: Sequence[Node]) -> Object:
    src = nodes[link.src]
    return {
        "type": link.type.upper(),
        "src": src.name,
        "dst": nodes[link.dst].name,
        "repo": src.repository,
        **path_fields(src.path),
        "line": link.line,
        "tier": tier(link.tier),
        "confidence": link.confidence,
        "methods": list(link.methods),
        "candidates": link.candidates,
        "from": link.src,
        "to": link.dst,
    }


def status(result: StatusResult) -> Object:
    """What a home holds."""
    return {
        "schema": SCHEMA,
        "repositories": [
            {
                "repo": repository.repository,
                "root": repository.root,
                "refs": [_ref(ref) for ref in repository.refs],
            }
            for repository in result.repositories
        ],
        "channels": {"work_tree": result.work_tree} if result.work_tree else {},
    }


def _ref(ref: RefStatus) -> Object:
    return {
        "ref": ref.ref,
        "commit": ref.snapshot.commit,
        "dirty": ref.snapshot.dirty,
        "generation": ref.generation,
        "state": ref.state,
        "counts": counts(ref.counts),
        "parsed_in_part": ref.in_part,
        "paths": [path_row(row) for row in ref.paths],
    }


def counts(rows: Sequence[tuple[Outcome, int]]) -> Object:
    """Every outcome with its number of paths."""
    found = dict(rows)
    return {str(outcome): found.get(outcome, 0) for outcome in Outcome}


def path_row(row: PathRow) -> Object:
    """What became of one path."""
    return {
        **path_fields(row.path),
        "outcome": str(row.outcome),
        "reason": str(row.reason) if row.reason is not None else None,
        "detail": row.detail,
        "language": row.language,
        "symbols": row.symbols,
        "flags": [{"name": str(flag.name), "rule": flag.rule} for flag in row.flags],
    }


def why(result: WhyResult) -> Object:
    """Why a path is, or is not, in the index."""
    return {
        "schema": SCHEMA,
        "repo": result.repository,
        **path_row(result.row),
        "rules": list(result.rules),
    }


def index(
    report: IndexReport, edges: Iterable[EdgeReport] = (), exact: Iterable[ExactReport] = ()
) -> Object:
    """What an index run did."""
    return {
        "schema": SCHEMA,
        "views": [_view(view) for view in report.views],
        "edges": [_edges(made) for made in edges],
        "exact": [_exact(found) for found in exact],
        "suspicious": list(report.suspicious),
        "warnings": list(report.warnings),
        "seconds": round(report.seconds, 3),
    }


def _exact(found: ExactReport) -> Object:
    return {
        "repo": found.repository,
        "ref": found.snapshot.ref or found.snapshot.commit,
        "commit": found.snapshot.commit,
        "tool": found.tool,
        "documents": found.documents,
        "matched": found.matched,
        "stale": [path_fields(path) for path in found.stale],
        "unknown": found.unknown,
        "refused": found.refused,
        "unreadable": found.unreadable,
        "edges": found.edges,
        "counts": dict(found.counts),
        "asked": found.asked,
        "questions": found.questions,
        "problem": found.problem or None,
    }


def _edges(made: EdgeReport) -> Object:
    return {
        "repo": made.repository,
        "ref": made.snapshot.ref or made.snapshot.commit,
        "commit": made.snapshot.commit,
        "edges": made.edges,
        "calls": made.calls,
        "calls_without_target": made.calls_without_target,
        "left_out": dict(made.left_out),
        "cuts": made.cuts,
    }


def _view(view: ViewReport) -> Object:
    return {
        "repo": view.repository,
        "ref": view.snapshot.ref or view.snapshot.commit,
        "commit": view.snapshot.commit,
        "dirty": view.snapshot.dirty,
        "generation": view.generation,
        "counts": counts(view.counts),
        "reasons": [
            {"outcome": str(outcome), "reason": str(reason), "count": count}
            for outcome, reason, count in view.reasons
        ],
        "failures": [path_row(row) for row in view.failures],
        "warnings": list(view.warnings),
    }


def doctor(checks: Iterable[Check]) -> Object:
    """Checks, and whether all of them passed."""
    rows = [
        {"name": check.name, "ok": check.ok, "detail": check.detail, "repair": check.repair}
        for check in checks
    ]
    return {"schema": SCHEMA, "ok": all(row["ok"] for row in rows), "checks": rows}


def access(policy: Policy | None, warnings: Sequence[str] = ()) -> Object:
    """The access policy in force (None: there is none); `policy` is a file for `access set`."""
    from grainline.access.policy import unparse

    return {
        "schema": SCHEMA,
        "epoch": policy.epoch if policy else 0,
        "policy": unparse(policy) if policy else None,
        "warnings": list(warnings),
    }


def removed(name: str) -> Object:
    """A repository was taken out of the home."""
    return {"schema": SCHEMA, "removed": name}


def gc(report: GcReport) -> Object:
    """What freeing space did."""
    return {
        "schema": SCHEMA,
        "before": report.before,
        "after": report.after,
        "ended": [
            {"repo": each.repository, "ref": each.ref, "why": each.why} for each in report.ended
        ],
        "notes": list(report.notes),
    }


def error(failure: GrainlineError) -> Object:
    """The one error shape."""
    message = f"{failure.subject}: {failure.message}" if failure.subject else failure.message
    return {
        "schema": SCHEMA,
        "error": {
            "code": failure.code,
            "message": message,
            "path": failure.path,
            "hint": failure.hint,
        },
    }
