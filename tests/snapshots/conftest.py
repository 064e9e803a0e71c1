"""Repositories made on the spot, and the hostile corpus built once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from grainline.snapshots import ReadOptions, open_repository

GENERATOR = Path(__file__).parents[1] / "hostile" / "make_hostile_repo.py"


def environment(home):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    who = {"NAME": "Test", "EMAIL": "test@example.invalid", "DATE": "1700000000 +0000"}
    stamps = {f"GIT_{role}_{key}": v for role in ("AUTHOR", "COMMITTER") for key, v in who.items()}
    return kept | stamps | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "LC_ALL": "C",
    }  # fmt: skip


@dataclass
class Git:
    """git as a person would run it, in one folder."""

    path: Path
    home: Path

    def __call__(self, *args, data=b"", check=True):
        done = subprocess.run(
            ("git", "-C", str(self.path), *args),
            input=data,
            env=environment(self.home),
            capture_output=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout

    def line(self, *args, **options):
        return self(*args, **options).decode().strip()

    def write(self, **files):
        self.write_all({name.replace("__", "/"): text for name, text in files.items()})

    def write_all(self, files):
        for name, content in files.items():
            path = Path(os.fsdecode(os.path.join(os.fsencode(self.path), os.fsencode(name))))  # noqa: PTH118
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files=None, message="x"):
        self.write_all(files or {})
        self("add", "-A")
        self("commit", "-q", "--allow-empty", "-m", message)
        return self.line("rev-parse", "HEAD")


@pytest.fixture
def new_repository(tmp_path):
    """Makes a repository: `new_repository("name", "--bare")`."""

    def make(name="repo", *options):
        path = tmp_path / name
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        git = Git(tmp_path, home)
        git("init", "-q", "-b", "main", *options, str(path))
        return Git(path, home)

    return make


@pytest.fixture
def look():
    """(path, ref) -> path bytes -> (entry, content or reason): all that a snapshot gives."""

    def make(path, ref=None, known=None, **options):
        with open_repository(str(path), ReadOptions(**options)) as repository:
            ref = repository.default_refs()[0] if ref is None else ref
            _, entries = repository.snapshot(ref, known)
            assert [e.path for e in entries] == sorted({e.path for e in entries})
            return {entry.path: (entry, data) for entry, data, _ in repository.read(entries)}

    return make


@dataclass
class Corpus:
    """The hostile corpus: where it is and what its manifest says."""

    path: Path
    manifest: dict

    def cases(self, *groups):
        return [case for case in self.manifest["cases"] if case["group"] in groups]

    def problems(self):
        """What the generator's own check finds: fired traps, changed refs and blobs."""
        done = subprocess.run(
            (sys.executable, str(GENERATOR), str(self.path), "--check"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        return [row for row in done.stdout.decode().splitlines() if row.startswith("PROBLEM")]


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """The hostile corpus, built once."""
    path = tmp_path_factory.mktemp("hostile") / "out"
    subprocess.run(
        (sys.executable, str(GENERATOR), str(path)),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    return Corpus(path, manifest)
