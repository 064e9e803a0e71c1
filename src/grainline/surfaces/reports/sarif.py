"""SARIF 2.1.0 (OASIS): one run for each repository, with the whole way of each finding.

A finding that leans on an assumption is a result of kind `open`: there is not enough information
to decide, and such results have no level.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from grainline.model.edge import Tier
from grainline.model.flow import (
    Finding,
    FlowResult,
    PlacedBoundary,
    PlacedStep,
    PlacedWay,
    Role,
    Severity,
)
from grainline.model.relations import Verdict
from grainline.surfaces.reports.base import About, because, levels, said, sentence, title

Object: TypeAlias = dict[str, Any]

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT: Final = "SRCROOT"
FINGERPRINT: Final = "grainlineFinding/v1"
CWE: Final = "CWE"
LEVELS: Final = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
    Severity.NOTE: "note",
}
SCORES: Final = {
    Severity.CRITICAL: "9.5",
    Severity.HIGH: "8.0",
    Severity.MEDIUM: "5.5",
    Severity.LOW: "2.0",
    Severity.NOTE: "0.0",
}
"""CVSS-like numbers that code hosts sort by."""

_KINDS: Final = {Verdict.PATH: "fail", Verdict.UNDETERMINED: "open", Verdict.NO_PATH: "pass"}


class Sarif:
    """The log."""

    def write(self, result: FlowResult, about: About) -> str:
        """The log as JSON text."""
        names = {state.repository for state in result.coverage.snapshots}
        names |= {found.steps[-1].repository for found in result.findings}
        log = {
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [_run(name, result, about) for name in sorted(names)],
        }
        return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _run(name: str, result: FlowResult, about: About) -> Object:
    found = [each for each in result.findings if each.steps[-1].repository == name]
    kinds = sorted({each.kind for each in found})
    numbers = {kind: number for number, kind in enumerate(kinds)}
    weaknesses = weaknesses_of(found)
    return {
        "tool": {
            "driver": {
                "name": "grainline",
                "semanticVersion": about.version,
                "rules": [_rule(kind, found) for kind in kinds],
                "supportedTaxonomies": [{"name": CWE, "index": 0}],
            }
        },
        "taxonomies": [_taxonomy(weaknesses)],
        "invocations": [_invocation(result)],
        "automationDetails": {"id": f"grainline/{about.verb}/{name}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": f"the repository {name}"}}},
        **_provenance(name, result, about),
        "results": [_result(each, numbers[each.kind]) for each in found],
        "properties": {
            "state": str(result.coverage.state),
            "notCovered": dict(result.coverage.not_covered),
            "known": result.known,
        },
    }


def _provenance(name: str, result: FlowResult, about: About) -> Object:
    rows: list[Object] = []
    root = about.roots.get(name, "")
    for state in result.coverage.snapshots:
        if state.repository == name and state.snapshot.commit and root:
            row: Object = {
                "repositoryUri": Path(root).as_uri(),
                "revisionId": state.snapshot.commit,
                "mappedTo": {"uriBaseId": ROOT},
            }
            if state.snapshot.ref and state.snapshot.ref.startswith("refs/heads/"):
                row["branch"] = state.snapshot.ref.removeprefix("refs/heads/")
            rows.append(row)
    return {"versionControlProvenance": rows} if rows else {}


def _invocation(result: FlowResult) -> Object:
    return {
        "executionSuccessful": True,
        "toolExecutionNotifications": [
            {"level": "warning", "message": {"text": text}} for text in result.coverage.warnings
        ],
    }


def _rule(kind: str, found: Sequence[Finding]) -> Object:
    mine = [each for each in found if each.kind == kind]
    worst = max(each.severity for each in mine)
    weaknesses = weaknesses_of(mine)
    return {
        "id": _rule_id(kind),
        "name": "".join(word.capitalize() for word in kind.split()),
        "shortDescription": {"text": f"{title(kind)}."},
        "defaultConfiguration": {"level": LEVELS[worst]},
        "relationships": [
            {"target": _taxon(cwe, weaknesses_of(found)), "kinds": ["superset"]}
            for cwe in weaknesses
        ],
        "properties": {
            "tags": ["security", *(f"external/cwe/cwe-{cwe:03d}" for cwe in weaknesses)],
            "security-severity": SCORES[worst],
            "precision": "high",
        },
    }


def weaknesses_of(found: Iterable[Finding]) -> list[int]:
    """Numbers of weaknesses, in the order of the taxonomy."""
    return sorted({each.cwe for each in found if each.cwe})


def _rule_id(kind: str) -> str:
    return kind.replace(" ", "-")


def _taxonomy(weaknesses: Sequence[int]) -> Object:
    return {
        "name": CWE,
        "organization": "MITRE",
        "shortDescription": {"text": "Common Weakness Enumeration"},
        "informationUri": "https://cwe.mitre.org/",
        "isComprehensive": False,
        "taxa": [
            {
                "id": f"CWE-{cwe}",
                "helpUri": f"https://cwe.mitre.org/data/definitions/{cwe}.html",
            }
            for cwe in weaknesses
        ],
    }


def _taxon(cwe: int, weaknesses: Sequence[int]) -> Object:
    return {
        "id": f"CWE-{cwe}",
        "index": weaknesses.index(cwe),
        "toolComponent": {"name": CWE, "index": 0},
    }


# ------------------------------------------------------------------------------------- results


def _result(found: Finding, rule: int) -> Object:
    last = found.steps[-1]
    kind = _KINDS[found.verdict]
    related = [*_stops(found), *_reasons(found)]
    return {
        "ruleId": _rule_id(found.kind),
        "ruleIndex": rule,
        "kind": kind,
        "level": LEVELS[found.severity] if kind == "fail" else "none",
        "message": {"text": sentence(found)},
        "locations": [_location(last)],
        "codeFlows": [_code_flow(found), *map(_code_flow, found.alternates)],
        **({"relatedLocations": _numbered(related)} if related else {}),
        **({"taxa": [{"id": f"CWE-{found.cwe}", "toolComponent": {"name": CWE, "index": 0}}]}
           if found.cwe else {}),
        "partialFingerprints": {FINGERPRINT: found.id},
        "properties": {
            "severity": found.severity.name.lower(),
            "rule": found.rule,
            "verdict": str(found.verdict),
            "totalPaths": found.total_paths,
            "test": found.test,
            "commit": last.commit,
        },
    }  # fmt: skip


def _code_flow(found: Finding | PlacedWay) -> Object:
    places = [
        {
            "location": {**_location(step), "message": {"text": said(step)}},
            "kinds": _step_kinds(step),
            "nestingLevel": depth,
            "executionOrder": number,
            "importance": "essential" if step.role in _ESSENTIAL else "important",
            "properties": {"tier": step.tier.name.lower()},
        }
        for number, (step, depth) in enumerate(
            zip(found.steps, levels(found.steps), strict=True), 1
        )
    ]
    return {"threadFlows": [{"locations": places}]}


_ESSENTIAL: Final = (Role.SOURCE, Role.SINK, Role.SANITIZER, Role.GUARD)


def _step_kinds(step: PlacedStep) -> list[str]:
    weak = ["uncertain"] if step.tier > Tier.FLOWED else []
    return ["taint", str(step.role), *weak]


def _stops(found: Finding) -> Iterable[Object]:
    for step in found.stops:
        yield {**_location(step), "message": {"text": f"seen on the way: {said(step)}"}}


def _reasons(found: Finding) -> Iterable[Object]:
    for each in found.reasons:
        yield {**_boundary(each), "message": {"text": f"assumed: {because(each)}"}}


def _numbered(locations: Sequence[Object]) -> list[Object]:
    return [{"id": number, **location} for number, location in enumerate(locations, 1)]


def _location(step: PlacedStep) -> Object:
    region = {
        "startLine": step.line,
        "startColumn": step.column,
        "endLine": step.end_line,
        "endColumn": step.end_column,
    }
    one = step.line == step.end_line
    around = {"startLine": step.line, "snippet": {"text": step.text}}
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(step.path),
            "region": region,
            **({"contextRegion": around} if one else {}),
        },
        "logicalLocations": [{"fullyQualifiedName": step.symbol}],
    }


def _boundary(found: PlacedBoundary) -> Object:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(found.path),
            "region": {"startLine": max(found.line, 1), "snippet": {"text": found.text}},
        }
    }


def _artifact(path: bytes) -> Object:
    uri = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in path)
    return {"uri": uri, "uriBaseId": ROOT}


_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
"""Bytes that stand for themselves in a URI (RFC 3986)."""


REPORT = Sarif()
