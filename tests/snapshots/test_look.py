"""A look at candidate paths says what a full listing says, after any edits."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from grainline.errors import BadInput
from grainline.model.snapshot import Reason
from grainline.snapshots import open_repository

WORDS = ("a", "b.py", "build", "c.log", "d.tmp", "e é", "f[1]", "-g", ".h")
RULES = ("*.log", "build/", "/a/b.py", "!c.log", "*.tmp", "a/**", "e*", "\\-g", "[a-b]", "!a/")


class Tree:
    """A work tree under edits, with the candidate paths that a watcher would report for them."""

    def __init__(self, git, chance):
        self.git, self.top, self.chance = git, git.path, chance
        self.seen: set[bytes] = set()

    def note(self, path):
        self.seen.add(os.fsencode(path.relative_to(self.top)))

    def paths(self, *, folders=None):
        found = [p for p in sorted(self.top.rglob("*")) if ".git" not in p.parts]
        if folders is not None:
            found = [p for p in found if (p.is_dir() and not p.is_symlink()) == folders]
        return found

    def new_path(self):
        folder = self.chance.choice([self.top, *self.paths(folders=True)])
        return folder / self.chance.choice(WORDS)

    def clear(self, path):
        if path.is_symlink() or path.is_file() or path.is_fifo():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)

    # ------------------------------------------------------------------ edits

    def write(self):
        path = self.new_path()
        if not path.is_dir():
            self.clear(path)
            path.write_text(str(self.chance.random()))
            self.note(path)

    def edit(self):
        for path in self.chance.sample(files := self.paths(folders=False), min(2, len(files))):
            if path.is_file() and not path.is_symlink():
                path.write_text(str(self.chance.random()))
                self.note(path)

    def chmod(self):
        for path in self.paths(folders=False)[:1]:
            if path.is_file() and not path.is_symlink():
                path.chmod(path.stat().st_mode ^ 0o111)
                self.note(path)

    def delete(self):
        found = self.paths()
        if found:
            path = self.chance.choice(found)
            self.clear(path)
            self.note(path)

    def rename(self):
        found = self.paths()
        if found:
            path, to = self.chance.choice(found), self.new_path()
            if path != to and path not in to.parents and to not in path.parents:
                self.clear(to)
                path.rename(to)
                self.note(path)
                self.note(to)

    def folder(self):
        path = self.new_path()
        self.clear(path)
        self.note(path)
        for name in self.chance.sample(WORDS, 3):
            (path / name).mkdir(parents=True)
            (path / name / self.chance.choice(WORDS)).write_text(name)

    def link(self):
        path = self.new_path()
        self.clear(path)
        path.symlink_to(self.chance.choice(("a", "nowhere", "..")))
        self.note(path)

    def pipe(self):
        path = self.new_path()
        self.clear(path)
        os.mkfifo(path)
        self.note(path)

    def rules(self):
        folder = self.chance.choice([self.top, *self.paths(folders=True)])
        path = folder / ".gitignore"
        self.clear(path)
        path.write_text("\n".join(self.chance.sample(RULES, 2)) + "\n")
        self.note(path)

    def nested(self):
        path = self.new_path()
        self.clear(path)
        subprocess.run(("git", "init", "-q", path), check=True)
        (path / "inner.py").write_text("x")
        self.note(path)
        self.note(path / ".git")

    EDITS = (write, edit, edit, chmod, delete, rename, rename, folder, link, pipe)
    RARE = (rules, nested)


def state(entries):
    known = {e.path: (e.signature, e.raw_id) for e in entries if e.raw_id and e.signature}
    return {e.path: e for e in entries}, known


def grown(new_repository, seed):
    git = new_repository()
    tree = Tree(git, random.Random(seed))
    for _ in range(3):
        tree.folder()
        tree.write()
    (git.path / ".gitignore").write_text(f"{tree.chance.choice(RULES)}\n")
    (git.path / ".gitattributes").write_text("a/* linguist-vendored\n")
    git("add", "-A")
    some = [p for p in tree.paths(folders=False) if p.suffix in (".log", ".tmp")][:2]
    if some:
        git("add", "-f", "--", *map(str, some))
    tree.folder()
    tree.seen.clear()
    return tree


@pytest.mark.parametrize("seed", range(25))
def test_a_look_equals_a_full_listing_after_random_edits(new_repository, seed):
    tree = grown(new_repository, seed)
    looked = 0
    with open_repository(str(tree.top)) as repository:
        entries = [e for e, _, _ in repository.read(repository.snapshot("WORKTREE")[1])]
        for step in range(12):
            have, known = state(entries)
            for _ in range(tree.chance.randint(1, 3)):
                kinds = tree.RARE if tree.chance.random() < 0.06 else tree.EDITS
                tree.chance.choice(kinds)(tree)
            found = repository.look(tree.seen, known, sorted(have))
            with open_repository(str(tree.top)) as fresh:
                wanted = {e.path: e for e in fresh.snapshot("WORKTREE", known)[1]}
            if found is None:
                repository.snapshot("WORKTREE", known)  # as a caller does then
            else:
                looked += 1
                for path, entry in found.items():
                    assert entry == wanted.get(path), (seed, step, path, tree.seen)
                merged = {**have, **found}
                assert {p for p, e in merged.items() if e} == set(wanted), (seed, step, tree.seen)
            tree.seen.clear()
            entries = [e for e, _, _ in repository.read(wanted.values())]
    assert looked >= 3


def looking(git, files=None):
    """(repository, look): looks at candidates since the listing that this made."""
    git.commit(files or {"a.py": "a", "pkg/b.py": "b", ".gitignore": "out/\n*.log\n"})
    repository = open_repository(str(git.path))
    have, known = state([e for e, _, _ in repository.read(repository.snapshot("WORKTREE")[1])])

    def look(*paths):
        found = repository.look(paths, known, sorted(have))
        return found if found is None else {p: e and (e.skip or "file") for p, e in found.items()}

    return repository, look


def calls(repository, monkeypatch):
    """The git commands that run from now on."""
    ran = []
    git = repository._git
    run = git.run
    monkeypatch.setattr(
        git, "run", lambda args, **rest: (ran.append(args[0]), run(args, **rest))[1]
    )
    return ran


def test_known_files_and_ignored_folders_cost_no_call_of_git(new_repository, monkeypatch):
    git = new_repository()
    git.write_all({"out/x.py": "x"})
    repository, look = looking(git)
    ran = calls(repository, monkeypatch)
    git.write_all({"a.py": "changed", "out/y.py": "y", "out/deep/z.py": "z"})
    (git.path / "pkg" / "b.py").unlink()
    assert look(b"a.py", b"pkg/b.py", b"out/y.py", b"out/deep", b".git/HEAD") == {
        b"a.py": "file",
        b"pkg/b.py": None,
    }
    assert ran == ["check-ignore"], "once for each ignored folder"
    ran.clear()
    git.write_all({"out/y.py": "more"})
    assert look(b"a.py", b"out/y.py") == {b"a.py": "file"}
    assert ran == []
    git.write_all({"new.py": "n", "noise.log": "l"})
    assert look(b"new.py", b"noise.log") == {b"new.py": "file", b"noise.log": None}
    assert ran == ["ls-files"], "one call for all new paths"
    git.write_all({"noise.log": "more"})
    assert look(b"noise.log") == {}
    assert ran == ["ls-files"], "an ignored file is asked about once"
    repository.close()


def test_rules_and_repositories_inside_take_a_full_listing(new_repository):
    git = new_repository()
    git.write_all({"out/.gitignore": "x"})
    repository, look = looking(git)
    assert look(b".gitignore") is None
    assert look(b"pkg/.gitignore", b"a.py") is None
    assert look(b".gitattributes") is None
    assert look(b"pkg/.git") is None
    assert look(b"") is None
    assert look(b"out/.gitignore") == {}, "what stands in an ignored folder bears on nothing"
    repository.close()


def test_a_folder_that_took_the_place_of_another_is_seen(new_repository):
    git = new_repository()
    repository, look = looking(git)
    (git.path / "pkg").rename(git.path / "old")
    git.write_all({"pkg/c.py": "c"})
    assert look(b"pkg", b"old") == {
        b"pkg": None,
        b"old": None,
        b"pkg/b.py": None,
        b"pkg/c.py": "file",
        b"old/b.py": "file",
    }
    shutil.rmtree(git.path / "pkg")
    (git.path / "pkg").symlink_to("old")
    assert look(b"pkg") == {b"pkg": Reason.SYMLINK, b"pkg/b.py": None}
    assert look(b"pkg/b.py") == {b"pkg/b.py": None}, "no link is followed"
    repository.close()


def test_a_work_tree_that_moved_away_or_was_replaced_is_noticed(new_repository):
    git = new_repository()
    repository, look = looking(git)
    away = git.path.with_name("away")
    git.path.rename(away)
    with pytest.raises(BadInput, match="the work tree is gone"):
        look(b"a.py")
    assert repository.read_worktree(b"a.py")[1] is Reason.CHANGED_WHILE_READING
    git.path.mkdir()
    git.write_all({"a.py": "another"})
    assert repository.read_worktree(b"a.py")[1] == b"another"
    repository.close()


def test_many_new_paths_take_a_full_listing(new_repository):
    git = new_repository()
    repository, look = looking(git)
    git.write_all({f"n{number}.py": "" for number in range(600)})
    assert look(*(b"n%d.py" % number for number in range(600))) is None
    assert len(look(*(b"n%d.py" % number for number in range(400)))) == 400
    repository.close()


def test_a_change_of_the_users_excludes_is_seen_by_the_next_listing(new_repository):
    git = new_repository()
    git.commit({"a.py": "a"})
    git.write_all({"own.tmp": "t"})
    with open_repository(str(git.path)) as repository:
        assert b"own.tmp" in {e.path for e in repository.snapshot("WORKTREE")[1]}
        Path(git.path, ".git", "info", "exclude").write_text("*.tmp\n")
        assert b"own.tmp" not in {e.path for e in repository.snapshot("WORKTREE")[1]}


def test_a_folder_of_ignored_files_is_not_an_ignored_folder(new_repository):
    git = new_repository()
    git.write_all({"logs/a.log": "x", "logs/deep/b.log": "y"})
    repository, look = looking(git)
    os.mkfifo(git.path / "logs" / "pipe")
    found = {path.path for path in repository.snapshot("WORKTREE")[1]}
    assert b"logs/pipe" in found
    assert look(b"logs/pipe") == {b"logs/pipe": Reason.NOT_REGULAR_FILE}
    git.write_all({"logs/deep/c.py": "c"})
    assert look(b"logs/deep/c.py") == {b"logs/deep/c.py": "file"}
    repository.close()
