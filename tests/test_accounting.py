"""Law 4: nothing is lost silently. Outcomes add up to what git lists, path by path."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from grainline.engine import MEMORY, Engine
from grainline.model.access import WORKTREE
from grainline.model.answers import ViewReport

ROOT = Path(__file__).parent.parent
BARE_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder: Path, *arguments: str) -> list[bytes]:
    """NUL-separated records that git prints; only for repositories that this test trusts."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], env=BARE_ENV, check=True, capture_output=True
    )
    return [record for record in done.stdout.split(b"\0") if record]


def outcome_paths(engine: Engine, ref: str) -> set[bytes]:
    status = engine.status(scope=engine.scope(refs=[ref]), paths=True)
    return {row.path for row in status.repositories[0].refs[0].paths}


def total(view: ViewReport) -> int:
    return sum(count for _, count in view.counts)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_the_outcomes_of_this_repository_at_head_are_what_git_lists() -> None:
    engine = Engine.open(MEMORY)
    report = engine.index(str(ROOT), refs=["HEAD"])
    listed = set(git(ROOT, "ls-tree", "-r", "-z", "--name-only", "HEAD"))
    ref = engine.status().repositories[0].refs[0].ref
    assert outcome_paths(engine, ref) == listed
    assert total(report.views[0]) == len(listed)
    assert not report.views[0].failures


def test_the_outcomes_of_a_work_tree_are_what_git_lists(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    subprocess.run(["git", "init", "-q", str(tree)], check=True, env=BARE_ENV)
    files = {
        ".gitignore": "*.log\nbuild/\n!keep.log\n",
        "a.py": "def a(): pass\n",
        "gone.py": "x = 1\n",
        "sub/b.py": "def b(): pass\n",
        "sub/.gitignore": "c.py\n",
        "sub/c.py": "ignored = 1\n",
        "keep.log": "kept by a negation\n",
        "other.log": "ignored\n",
        "build/out.py": "ignored = 1\n",
    }
    for name, text in files.items():
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(text)
    git(tree, "add", "-A")
    git(tree, "-c", "user.name=t", "-c", "user.email=t@e", "commit", "-qm", "x")
    (tree / "gone.py").unlink()
    (tree / "untracked.py").write_text("new = 1\n")
    (tree / "link.py").symlink_to("a.py")
    os.mkfifo(tree / "pipe")
    engine = Engine.open(MEMORY)
    engine.index(str(tree))
    listed = set(git(tree, "ls-files", "-co", "--exclude-standard", "-z"))
    deleted = set(git(tree, "ls-files", "-d", "-z"))
    assert outcome_paths(engine, WORKTREE) == (listed - deleted) | {b"pipe"}


def test_each_blob_id_is_the_id_of_its_masked_view(tmp_path: Path) -> None:
    import hashlib

    (tmp_path / "a.py").write_text("def a(): return 1\n")
    engine = Engine.open(MEMORY)
    engine.index(str(tmp_path))
    (hit,) = engine.search("return").hits
    data = (tmp_path / "a.py").read_bytes()
    assert hit.place.blob == hashlib.sha256(b"blob %d\0" % len(data) + data).hexdigest()


def test_a_tracked_file_of_secrets_does_not_make_a_clean_tree_dirty(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, env=BARE_ENV)
    (tmp_path / ".env").write_text("PASSWORD=x\n")
    (tmp_path / "a.py").write_text("a = 1\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "-c", "user.name=t", "-c", "user.email=t@e", "commit", "-qm", "x")
    engine = Engine.open(MEMORY)
    assert not engine.index(str(tmp_path)).views[0].snapshot.dirty
    (tmp_path / ".env").write_text("PASSWORD=y\n")
    assert engine.index(str(tmp_path)).views[0].snapshot.dirty
