"""The JSON objects that a context is made of; the keys are those of the machine interface."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, TypeAlias

from grainline.model.position import quote_path
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.model.edge import Tier
    from grainline.model.evidence import ContextItem, Step
    from grainline.model.flow import Finding, PlacedBoundary, PlacedStep, PlacedWay
    from grainline.model.search import CoverageRecord, Place, SnapshotState

Object: TypeAlias = dict[str, Any]


def path_fields(path: bytes) -> Object:
    """`path`, and `path_b64` beside an escaped one when it is not UTF-8."""
    try:
        return {"path": path.decode("utf-8")}
    except UnicodeDecodeError:
        return {"path": quote_path(path), "path_b64": base64.b64encode(path).decode("ascii")}


def place_fields(place: Place) -> Object:
    """Where something stands: repository to last line."""
    return {
        "repo": place.repository,
        "ref": place.snapshot.ref,
        "commit": place.snapshot.commit,
        "blob": place.blob,
        **path_fields(place.path),
        "start_line": place.lines.start,
        "end_line": place.lines.end,
    }


def edge(step: Step) -> Object:
    """EDGE. `confidence` is null where the tier's precision is not measured for the language."""
    return {
        "type": step.type,
        "src": step.src,
        "dst": step.dst,
        "repo": step.repository,
        **path_fields(step.path),
        "line": step.line,
        "tier": step.tier,
        "confidence": step.confidence,
        "methods": list(step.methods),
        "candidates": step.candidates,
    }


def item(value: ContextItem) -> Object:
    """One item of a context."""
    return {
        **place_fields(value.place),
        "spans": [[lines.start, lines.end] for lines in value.spans],
        "symbol": value.symbol.qualified_name if value.symbol else None,
        "level": value.level,
        "role": str(value.role),
        "via": [edge(step) for step in value.via],
        "why": value.why,
        "tokens": value.tokens,
        "citation": str(value.place.citation),
        "text": value.text,
    }


def snapshot(state: SnapshotState) -> Object:
    """One snapshot that an answer covers."""
    return {
        "repo": state.repository,
        "ref": state.snapshot.ref,
        "commit": state.snapshot.commit,
        "dirty": state.snapshot.dirty,
        "generation": state.generation,
    }


UNREAD = {
    "literal_files": "files that may hold more and were not, or not wholly, searched: {}",
    "location_files": "more files that a name in the question means, not looked up: {}",
    "lookups": "more names, texts and places in the question, not looked up: {} or more",
    "long_texts": "texts in quotes that are too long to be looked for as they stand, taken as words: {}",
}
"""What was not looked at."""

UNRANKED = frozenset({"lexical", "symbol", "literal", "location"})
"""Channels, which may find more than they rank."""


def uncovered(reason: str, count: int) -> str:
    """What an answer did not cover, in words for people."""
    if reason in UNRANKED:
        return f"{count} more {reason} candidates were not ranked"
    if reason in UNREAD:
        return UNREAD[reason].format(count)
    if reason == "deeper":
        return f"{counted(count, 'symbol')} further away: see --depth"
    return f"not covered: {count} {reason}"


def coverage(record: CoverageRecord) -> Object:
    """COVERAGE."""
    return {
        "snapshots": [snapshot(state) for state in record.snapshots],
        "state": str(record.state),
        "not_covered": dict(record.not_covered),
        "omitted": record.omitted,
        "floor": record.floor,
        "channels": dict(record.channels),
        "warnings": list(record.warnings),
    }


def tier(value: Tier | None) -> str | None:
    """A tier in words; null where there is none."""
    return None if value is None else value.name.lower()


def finding(found: Finding) -> Object:
    """FLOW, and what a list of findings is sorted by."""
    last = found.steps[-1]
    return {
        "id": found.id,
        "kind": found.kind,
        "cwe": f"CWE-{found.cwe}" if found.cwe else None,
        "severity": found.severity.name.lower(),
        "rule": found.rule,
        "verdict": str(found.verdict),
        "repo": last.repository,
        **path_fields(last.path),
        "line": last.line,
        "test": found.test,
        "reasons": [boundary(each) for each in found.reasons],
        "steps": [_flow_step(each) for each in found.steps],
        "stops": [_flow_step(each) for each in found.stops],
        "total_paths": found.total_paths,
        "alternates": [_way(each) for each in found.alternates],
        "weakest": None if found.weakest is None else _weakest(found),
    }


def _way(way: PlacedWay) -> Object:
    return {
        "verdict": str(way.verdict),
        "reasons": [boundary(each) for each in way.reasons],
        "steps": [_flow_step(each) for each in way.steps],
        "stops": [_flow_step(each) for each in way.stops],
    }


def _weakest(found: Finding) -> Object:
    step = found.weakest
    assert step is not None
    return {
        "step": found.steps.index(step),
        "tier": tier(step.tier),
        **path_fields(step.path),
        "line": step.line,
    }


def _flow_step(step: PlacedStep) -> Object:
    return {
        "repo": step.repository,
        "commit": step.commit,
        **path_fields(step.path),
        "line": step.line,
        "end_line": step.end_line,
        "column": step.column,
        "end_column": step.end_column,
        "role": str(step.role),
        "symbol": step.symbol,
        "tier": tier(step.tier),
        "note": step.note,
        "text": step.text,
        "slice": step.slice or step.text,
    }


def boundary(found: PlacedBoundary) -> Object:
    """A reason why a way is not known to its end, or a place where data was lost sight of."""
    return {
        "reason": str(found.cut),
        "name": found.name,
        "repo": found.repository,
        "commit": found.commit,
        **path_fields(found.path),
        "line": found.line,
        "text": found.text,
    }
