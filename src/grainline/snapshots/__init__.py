"""Reading repositories: git objects, work trees and plain folders, all of them hostile."""

from __future__ import annotations

from grainline.snapshots.estimate import Estimate, estimate
from grainline.snapshots.flags import Attributes, path_flags
from grainline.snapshots.git import user_excludes_file
from grainline.snapshots.options import ReadOptions
from grainline.snapshots.repository import Read, Repository, RepositoryInfo, open_repository
from grainline.snapshots.worktree import Known, Signature

__all__ = [
    "Attributes",
    "Estimate",
    "Known",
    "Read",
    "ReadOptions",
    "Repository",
    "RepositoryInfo",
    "Signature",
    "estimate",
    "open_repository",
    "path_flags",
    "user_excludes_file",
]
