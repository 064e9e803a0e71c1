"""Which code answered: our commit for people, digests of source for the cache."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import platform
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import grainline
from grainline.errors import GrainlineError
from grainline.model.access import WORKTREE
from grainline.snapshots.repository import open_repository

PACKAGE = Path(grainline.__file__).parent
APART = ("lab", "surfaces")
"""Rooms whose code is no part of the engine's answers."""

DATA = frozenset({".py", ".toml", ".tsv", ".scm", ".txt"})


@lru_cache(maxsize=1)
def code_version() -> str:
    """Twelve digits of the commit that this package is checked out at, else its version.

    With `+dirty` when files of the package are not as in that commit.
    """
    if not (PACKAGE.parents[1] / ".git").exists():
        return version("grainline")
    try:
        with open_repository(str(PACKAGE)) as repository:
            snapshot, entries = repository.snapshot(WORKTREE)
            changed, gone = repository.deviations(snapshot.commit, entries)
    except GrainlineError:
        return version("grainline")
    return snapshot.commit[:12] + ("+dirty" if changed or gone else "")


def machine() -> str:
    """What timings depend on."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def versions() -> dict[str, str]:
    """Of Python and of what ranks."""
    found = {"python": platform.python_version()}
    for name in ("grainline", "numpy", "tree-sitter", "PyStemmer"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


@lru_cache(maxsize=1)
def engine_digest() -> str:
    """Of every source and data file of the engine."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(PACKAGE.rglob("*")):
        name = path.relative_to(PACKAGE)
        if path.suffix in DATA and name.parts[0] not in APART:
            digest.update(name.as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@lru_cache(maxsize=256)
def module_digest(*names: str) -> str:
    """Of the sources of modules and of all modules of the lab that they import, at any depth."""
    digest = hashlib.blake2b(digest_size=16)
    for name, source in sorted(_sources(names)):
        digest.update(name.encode() + b"\0" + source)
    return digest.hexdigest()


def _sources(names: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    seen: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None or not Path(found.origin).is_file():
            continue
        source = Path(found.origin).read_bytes()
        yield name, source
        left += _lab_imports(source)


def _lab_imports(source: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("grainline.lab."):
            yield node.module or ""
