"""From paths of the analysis to findings in a snapshot: lines, columns, names, ids."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from grainline.findings.testing import is_test
from grainline.model.access import View
from grainline.model.flow import (
    Boundary,
    Finding,
    FlowPath,
    FlowStep,
    FlowWay,
    PlacedBoundary,
    PlacedStep,
    PlacedWay,
    Role,
)
from grainline.retrieval.hits import decode
from grainline.retrieval.relations.book import Book, File

LONGEST: Final = 2000
"""Bytes of a line that is shown; of a longer one that many from its start."""

ID: Final = 8
"""Bytes of an id."""


SLICE: Final = 8
"""Lines of a step that are shown; of more the first ones and the last."""


class Placed(NamedTuple):
    """A finding with the entries that its way passes, and those that each alternate does."""

    finding: Finding
    entries: tuple[int, ...]
    others: tuple[tuple[int, ...], ...]


class Placer:
    """Places what was found in one view.

    Args:
        book: the scope.
        view: which.
    """

    def __init__(self, book: Book, view: View) -> None:
        self._book = book
        self._view = view
        self._ids: dict[str, int] = {}

    def finding(self, path: FlowPath) -> Finding:
        """A finding; of equal ones the second has another id than the first."""
        steps = tuple(self.step(step) for step in path.steps)
        last = path.steps[-1]
        return Finding(
            id=self._id(path),
            kind=path.kind,
            cwe=path.cwe,
            severity=path.severity,
            rule=path.rule,
            verdict=path.verdict,
            reasons=tuple(self.boundary(each) for each in path.reasons),
            steps=steps,
            stops=tuple(self.step(step) for step in path.stops),
            total_paths=path.total_paths,
            weakest=max(steps, key=lambda step: step.tier),
            test=is_test(self._book.corpus, self._file(last.path).entry),
            alternates=tuple(map(self._way, path.alternates)),
        )

    def placed(self, path: FlowPath) -> Placed:
        """A finding with what it stands on."""
        return Placed(
            self.finding(path), self._entries(path), tuple(map(self._entries, path.alternates))
        )

    def _way(self, way: FlowWay) -> PlacedWay:
        return PlacedWay(
            verdict=way.verdict,
            reasons=tuple(map(self.boundary, way.reasons)),
            steps=tuple(map(self.step, way.steps)),
            stops=tuple(map(self.step, way.stops)),
        )

    def step(self, step: FlowStep) -> PlacedStep:
        """A step."""
        file = self._file(step.path)
        start, end = step.span
        return PlacedStep(
            repository=file.repository,
            commit=file.version,
            path=step.path,
            line=file.line(start),
            end_line=file.line(max(start, end - 1)),
            column=_column(file, start),
            end_column=_column(file, end),
            role=step.role,
            symbol=self._book.name(self._view, step.symbol),
            tier=step.tier,
            text=_line(file, start),
            note=step.note,
            slice=_slice(file, start, end),
        )

    def boundary(self, found: Boundary) -> PlacedBoundary:
        """A boundary."""
        file = self._file(found.path)
        return PlacedBoundary(
            cut=found.cut,
            name=found.name,
            repository=file.repository,
            commit=file.version,
            path=found.path,
            line=file.line(found.span.start),
            text=_line(file, found.span.start).strip(),
        )

    def _entries(self, way: FlowPath | FlowWay) -> tuple[int, ...]:
        """The entries that a way passes."""
        paths = {step.path for step in (*way.steps, *way.stops)}
        return tuple(sorted(self._file(path).entry for path in paths))

    def _file(self, path: bytes) -> File:
        return self._book.file(self._view, path)

    def _id(self, path: FlowPath) -> str:
        digest = hashlib.blake2b(digest_size=ID)
        for word in (path.kind, path.rule, *map(self._said, (path.steps[0], path.steps[-1]))):
            digest.update(word.encode("utf-8", "surrogatepass") + b"\0")
        said = digest.hexdigest()
        count = self._ids[said] = self._ids.get(said, 0) + 1
        return said if count == 1 else f"{said}-{count}"

    def _said(self, step: FlowStep) -> str:
        """What a step says, wherever it stands: function and text, without blanks."""
        file = self._file(step.path)
        text = decode(file.text[step.span.start : step.span.end], file.encoding)
        return f"{self._book.name(self._view, step.symbol)} {''.join(text.split())}"


def _line_start(file: File, offset: int) -> int:
    return file.text.rfind(b"\n", 0, offset) + 1


def _column(file: File, offset: int) -> int:
    return len(decode(file.text[_line_start(file, offset) : offset], file.encoding)) + 1


def _line(file: File, offset: int) -> str:
    """The whole line of a byte, so that columns fit it."""
    start = _line_start(file, offset)
    end = file.text.find(b"\n", start)
    end = len(file.text) if end < 0 else end
    return decode(file.text[start : min(end, start + LONGEST)], file.encoding).rstrip("\r")


def _slice(file: File, start: int, end: int) -> str:
    """The whole lines from one byte to another, where they are several."""
    first, last = file.line(start), file.line(max(start, end - 1))
    if first == last:
        return ""
    lines = [_line(file, start)]
    at = start
    for _ in range(min(last - first, SLICE)):
        at = file.text.find(b"\n", at) + 1
        lines.append(_line(file, at))
    if last - first > SLICE:
        lines[-1] = f"[… lines {first + SLICE}-{last - 1} left out …]"
        lines.append(_line(file, max(start, end - 1)))
    return "\n".join(lines)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings as they are told: the worst first, then by place."""
    return sorted(findings, key=_order)


def _order(finding: Finding) -> tuple[object, ...]:
    sink = finding.steps[-1]
    source = finding.steps[0]
    return (
        -finding.severity,
        sink.repository,
        sink.path,
        sink.line,
        sink.column,
        finding.kind,
        finding.rule,
        (source.path, source.line, source.column),
        sink.commit,
    )


def one_of_each(findings: Sequence[Finding]) -> list[Finding]:
    """Without what stands in several versions of one repository: its first place is told."""
    seen: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        seen.setdefault((finding.steps[-1].repository, finding.id), finding)
    return list(seen.values())


def calls_on(path: FlowPath | FlowWay) -> int:
    """How many calls and returns a path passes."""
    return sum(step.role in (Role.CALL, Role.RETURN) for step in path.steps)
