"""What a reader of repositories may be told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Options of reading one repository.

    Patterns have the syntax of `.gitignore` lines, seen from the repository root, without negation;
    a pattern that names a folder means everything below it.

    Attributes:
        include: when not empty, only paths that match one of these are read.
        exclude: paths that match one of these are skipped with reason `excluded`.
        max_files: paths (and folders) of one snapshot; more are refused with `too_many_files`.
        max_file_bytes: larger files are skipped with `too_large` and never read.
        max_path_bytes: longer paths are skipped with `path_too_long`.
        allow_alternates: folders outside the repository whose objects may be borrowed from.
        global_excludes: the user's own ignore file (`git.user_excludes_file`), or None.
        allow_home: read the home folder or a folder of many repositories all the same.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_files: int = 1_000_000
    max_file_bytes: int = 16 << 20
    max_path_bytes: int = 32 << 10
    allow_alternates: tuple[str, ...] = ()
    global_excludes: str | None = None
    allow_home: bool = False
