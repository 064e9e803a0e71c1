# ruff: noqa: PTH109, PTH117, PTH118, PTH119, PTH120
# Paths are bytes in this file, which pathlib does not hold.
"""From a path as a person gives it, or as `search` printed it, to a path of a repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from grainline.errors import BadInput
from grainline.model.position import unquote_path
from grainline.surfaces.cli.common import make_scope

if TYPE_CHECKING:
    from grainline.indexing.owner.methods import Answers
    from grainline.model.access import Scope

_LINES = re.compile(rb"(.+):[0-9]+(?:-[0-9]+)?", re.DOTALL)


def meant(
    engine: Answers,
    text: str,
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
) -> Iterator[tuple[bytes, Scope]]:
    """What `text` may mean, most likely first: a path of a repository, and where to look for it.

    A file that is there, from the current folder; then the path as it stands; then both without
    the line at its end.

    Raises:
        BadInput: only places outside of every repository in scope can be meant.
    """
    scope = make_scope(engine, repos, refs, principal)
    roots = engine.roots(scope=scope)
    raw = unquote_path(text)
    if raw is None:
        raw = text.encode("utf-8", "surrogateescape")
    found = _LINES.fullmatch(raw)
    outside = True
    for path in (raw, found[1]) if found else (raw,):
        places = list(_inside(path, roots))
        for repository, inside in places:
            narrow = len(roots) > 1
            one = make_scope(engine, (repository,), refs, principal) if narrow else scope
            yield inside, one
        if places or not _leads_out(path):
            outside = False
            yield path, scope
    if outside:
        raise BadInput(
            "unknown_path",
            "it lies outside of every repository in scope",
            subject=text,
            hint="paths are as search prints them, absolute, or relative to their repository",
        )


def _leads_out(path: bytes) -> bool:
    """Whether a path cannot be one of a repository, whichever that is."""
    return os.path.isabs(path) or os.path.normpath(path).split(b"/")[0] == b".."


def _inside(path: bytes, roots: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """(repository, path in it) of a path from the current folder."""
    full = os.path.normpath(os.path.join(os.getcwdb(), path))
    if not (os.path.isabs(path) or path.startswith(b"../") or os.path.lexists(full)):
        return
    real = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
    for name, root in sorted(roots.items(), key=lambda row: (-len(row[1]), row[0])):
        folder = os.fsencode(root)
        for top in dict.fromkeys((_top(folder), folder)):
            for spelled in dict.fromkeys((full, real)):
                if spelled.startswith(top.rstrip(b"/") + b"/"):
                    yield name, os.path.relpath(spelled, top)


def _top(folder: bytes) -> bytes:
    """Where the paths of a repository begin, of which perhaps only a folder is indexed."""
    top = folder
    while not os.path.lexists(os.path.join(top, b".git")):
        above = os.path.dirname(top)
        if above == top:
            return folder
        top = above
    return top
