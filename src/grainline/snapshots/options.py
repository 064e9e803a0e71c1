"""What a reader of repositories may be told."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace


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

    @property
    def rules(self) -> str:
        """What decides which paths are read, as text; equal texts, equal paths."""
        return json.dumps(
            [
                sorted(self.include),
                sorted(self.exclude),
                self.max_file_bytes,
                self.max_path_bytes,
                self.global_excludes,
            ]
        )

    def ruled(self, rules: str) -> ReadOptions:
        """These options with the rules of another time, so that the same paths are read again."""
        if not rules.startswith("["):
            return self
        include, exclude, max_file_bytes, max_path_bytes, global_excludes = json.loads(rules)
        return replace(
            self,
            include=tuple(include),
            exclude=tuple(exclude),
            max_file_bytes=max_file_bytes,
            max_path_bytes=max_path_bytes,
            global_excludes=global_excludes,
        )
