"""Findings of data flow in texts, for tests."""

from __future__ import annotations

from grainline.flow.analysis import analyse
from grainline.flow.builtin import builtin
from grainline.graph.resolve import resolve
from helpers.graphs import language_of, unit


def flows_of(files, models=None, *, stopped=True):
    """The report on `{path: text}`; what has no language shapes resolution."""
    units = [unit(path, text.encode()) for path, text in files.items() if language_of(path)]
    rest = {path: text.encode() for path, text in files.items() if not language_of(path)}
    return analyse(units, resolve(units, rest), models or builtin(), stopped=stopped)


def line_of(files, step):
    """(path, line) of a step."""
    path = step.path.decode()
    return path, files[path].encode().count(b"\n", 0, step.span.start) + 1
