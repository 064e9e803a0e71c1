"""Reading work trees and plain folders: git's list, our own eyes."""

from __future__ import annotations

import os
import random
import socket
import stat
from dataclasses import replace

import pytest

from grainline.errors import BadInput, Refused
from grainline.model.snapshot import Mode, Reason
from grainline.snapshots import ReadOptions, open_repository

FILES = {"a.py": "a = 1\n", "pkg/b.py": "b = 2\n"}
OLD = 1_600_000_000


def contents(found):
    return {path: data for path, (_, data) in found.items()}


def open_at(git, **options):
    return open_repository(str(git.path), ReadOptions(**options))


def age(path):
    """Let the clock of file times pass: a file touched just now is not trusted yet."""
    os.utime(path, (OLD, OLD))


def patient(monkeypatch):
    """Move the reader's clock on, so that files made a moment ago count as old."""
    now = __import__("time").time_ns
    monkeypatch.setattr("grainline.snapshots.worktree.time.time_ns", lambda: now() + 10**10)


# --------------------------------------------------------------------------- which paths


WORDS = ("a", "b", "build", "c.py", "d.log", "e é", "f[1]", "-g", ".h", "i.tmp")
RULES = ("*.log", "build/", "/a/b", "!d.log", "**/c.py", "a/**/b", "*.tmp", "\\-g", "f\\[1]", "e*",
         "[a-b]", "!a/", "/*", "!/a", ".h", "b/*", "# no", "a/*.py", "!*.py")  # fmt: skip


def grow(git, chance, depth=0, folder=""):
    for word in chance.sample(WORDS, chance.randint(1, 5)):
        path = f"{folder}{word}"
        if depth < 3 and chance.random() < 0.5:
            grow(git, chance, depth + 1, path + "/")
        else:
            git.write_all({path: path})
    if chance.random() < 0.5:
        rules = chance.sample(RULES, chance.randint(1, 4))
        git.write_all({f"{folder}.gitignore": "\n".join(rules) + "\n"})


@pytest.mark.parametrize("seed", range(12))
def test_paths_are_those_of_git_for_random_trees_and_rules(new_repository, look, seed):
    git = new_repository()
    chance = random.Random(seed)
    grow(git, chance)
    (git.path / ".git" / "info" / "exclude").write_text(chance.choice(RULES) + "\n")
    wanted = listed = git("ls-files", "-o", "--exclude-standard", "-z").split(b"\0")[:-1]
    if listed:
        some = chance.sample(listed, len(listed) // 2)
        git("add", "-f", "--pathspec-from-file=-", "--pathspec-file-nul", data=b"\0".join(some))
        gone = some[: len(some) // 4]
        for path in gone:
            os.unlink(os.path.join(os.fsencode(git.path), path))  # noqa: PTH108, PTH118
        wanted = git("ls-files", "-co", "--exclude-standard", "-z").split(b"\0")[:-1]
        wanted = set(wanted) - set(gone)
    found = look(git.path)
    assert sorted(found) == sorted(wanted)
    assert all(data == path for path, data in contents(found).items() if b".gitignore" not in path)


def test_a_plain_folder_obeys_its_ignore_files(tmp_path, look):
    folder = tmp_path / "plain"
    (folder / "sub").mkdir(parents=True)
    for name in ("keep.py", "drop.log", "sub/keep.py", "sub/own.txt"):
        (folder / name).write_text(name)
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "sub" / ".gitignore").write_text("own.*\n")
    found = look(folder)
    assert set(found) == {b".gitignore", b"keep.py", b"sub/.gitignore", b"sub/keep.py"}
    with open_repository(str(folder)) as repository:
        snapshot, _ = repository.snapshot("WORKTREE")
        assert (repository.record.kind, snapshot.commit, snapshot.dirty) == ("folder", "", False)
        with pytest.raises(BadInput, match=r"unknown_ref.*plain folder"):
            repository.snapshot("HEAD")


def test_the_users_own_ignore_file_counts_when_it_is_given(new_repository, look, tmp_path):
    git = new_repository()
    git.commit(FILES)
    git.write_all({"scratch.tmp": "x", "kept.txt": "y"})
    own = tmp_path / "own ignore"
    own.write_text("*.tmp\n")
    assert b"scratch.tmp" in look(git.path)
    assert set(look(git.path, global_excludes=str(own))) == {b"a.py", b"pkg/b.py", b"kept.txt"}


def test_the_rule_that_ignores_a_path_is_named(new_repository, tmp_path):
    git = new_repository()
    git.commit(FILES | {".gitignore": "# x\n*.log\n!keep.log\nbuild/\n"})
    git.write_all({"a.log": "", "keep.log": "", "build/x.py": "", "own.tmp": "", "x.local": ""})
    (git.path / ".git" / "info" / "exclude").write_text("*.local\n")
    own = tmp_path / "own"
    own.write_text("*.tmp\n")
    rules = {
        b"a.log": ".gitignore:2: *.log",
        b"keep.log": "",
        b"build/x.py": ".gitignore:4: build/",
        b"x.local": ".git/info/exclude:1: *.local",
        b"own.tmp": "your excludes:1: *.tmp",
        b"a.py": "",
        b"../x": "",
        b"no/such": "",
    }
    with open_at(git, global_excludes=str(own)) as repository:
        assert {path: repository.ignored_by(path) for path in rules} == rules


def test_what_is_no_file_is_reported_outside_ignored_folders_only(new_repository, look):
    git = new_repository()
    git.commit(FILES | {".gitignore": "out/\n*.fifo\n"})
    git.write_all({"out/x": "", "new/y": ""})
    for name in ("out/pipe", "new/pipe", "pipe", "named.fifo"):
        os.mkfifo(git.path / name)
    with socket.socket(socket.AF_UNIX) as sock:
        there = os.open(git.path, os.O_RDONLY)
        sock.bind(f"/proc/self/fd/{there}/sock" if os.path.isdir("/proc/self/fd") else "sock")  # noqa: PTH112
        os.close(there)
    odd = {p for p, d in contents(look(git.path)).items() if d is Reason.NOT_REGULAR_FILE}
    assert odd == {b"new/pipe", b"pipe", b"named.fifo", b"sock"}


def test_a_pipe_in_place_of_an_ignore_file_is_named_not_waited_for(
    new_repository, look, monkeypatch
):
    git = new_repository()
    git.commit(FILES)
    (git.path / "new").mkdir()
    os.mkfifo(git.path / "new" / ".gitignore")
    monkeypatch.setattr("grainline.snapshots.git.PATIENCE", 0.2)
    with pytest.raises(Refused, match=r"not_regular_file.*new/\.gitignore"):
        look(git.path)


def test_a_tracked_file_in_an_ignored_folder_is_listed_and_its_neighbours_are_not(
    new_repository, look
):
    git = new_repository()
    git.write_all({"out/kept.py": "k", "out/dropped.py": "d", ".gitignore": "out/\n"})
    git("add", "-f", "out/kept.py")
    os.mkfifo(git.path / "out" / "pipe")
    assert set(look(git.path)) == {b".gitignore", b"out/kept.py"}


def test_tracked_files_that_are_gone_or_replaced_are_not_listed(new_repository, look):
    git = new_repository()
    git.commit({"gone.py": "g", "folder.py": "f", "dir/x.py": "x", "stays.py": "s"})
    (git.path / "gone.py").unlink()
    (git.path / "folder.py").unlink()
    git.write_all({"folder.py/inner.py": "i"})
    (git.path / "dir" / "x.py").unlink()
    (git.path / "dir").rmdir()
    (git.path / "dir").symlink_to("..")
    found = contents(look(git.path))
    assert found == {b"dir": Reason.SYMLINK, b"folder.py/inner.py": b"i", b"stays.py": b"s"}


def test_nested_repositories_are_one_path_each(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    new_repository("repo/nested").commit({"n.py": "n"})
    new_repository("repo/pkg/empty")
    found = contents(look(git.path))
    assert found[b"nested"] is Reason.NESTED_REPOSITORY
    assert found[b"pkg/empty"] is Reason.NESTED_REPOSITORY
    assert b"nested/n.py" not in found


def test_a_folder_600_deep_is_read_from_disk(new_repository, look):
    git = new_repository()
    here = os.getcwd()  # noqa: PTH109
    try:
        os.chdir(git.path)
        for _ in range(600):
            os.mkdir("d")  # noqa: PTH102
            os.chdir("d")
        with open("deep.py", "wb") as file:  # noqa: PTH123
            file.write(b"deep\n")
    finally:
        os.chdir(here)
    assert contents(look(git.path)) == {b"d/" * 600 + b"deep.py": b"deep\n"}


def test_a_damaged_index_is_replaced_by_the_commit(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    git.commit({".gitignore": "*.py\n"})
    (git.path / ".git" / "index").write_bytes(b"garbage")
    assert set(look(git.path)) == {b"a.py", b"pkg/b.py", b".gitignore"}


def test_an_index_with_paths_that_leave_the_tree_gives_none_of_them(new_repository, look):
    git = new_repository()
    git.commit({"aa/secret.txt": "inside"})
    (git.path.parent / "secret.txt").write_text("outside")
    index = git.path / ".git" / "index"
    data = index.read_bytes().replace(b"aa/secret.txt", b"../secret.txt")
    import hashlib

    index.write_bytes(data[:-20] + hashlib.sha1(data[:-20]).digest())
    assert b"../secret.txt" in git("ls-files", "-z")
    assert contents(look(git.path)) == {b"aa/secret.txt": b"inside"}


def test_a_split_index_is_read(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    git("update-index", "--split-index")
    git.write_all({"c.py": "c"})
    git("add", "c.py")
    (git.path / ".gitignore").write_text("*\n")
    assert set(look(git.path)) == {b"a.py", b"pkg/b.py", b"c.py"}


# --------------------------------------------------------------------------- content


def test_stored_bytes_are_those_on_disk_whatever_attributes_say(new_repository, look):
    git = new_repository()
    git.write_all({".gitattributes": "* text eol=crlf\n*.x filter=trap\n"})
    git("config", "filter.trap.clean", "sed s/a/b/")
    git.commit({"t.txt": "one\ntwo\n", "f.x": "aaa"})
    found = contents(look(git.path))
    assert (found[b"t.txt"], found[b"f.x"]) == (b"one\ntwo\n", b"aaa")
    assert contents(look(git.path, "HEAD"))[b"f.x"] == b"baa"


def test_ids_equal_those_of_git(new_repository, look):
    git = new_repository()
    git.commit(FILES | {"empty": "", "bin": bytes(range(256)) * 100})
    (git.path / "run").write_text("#!/bin/sh\n")
    (git.path / "run").chmod(0o755)
    for path, (entry, _) in look(git.path).items():
        assert entry.raw_id.hex() == git.line("hash-object", "--no-filters", os.fsdecode(path))
        assert entry.mode is (Mode.EXECUTABLE if path == b"run" else Mode.FILE)


def test_an_unreadable_file_or_folder_is_reported(new_repository, look, monkeypatch):
    git = new_repository()
    git.commit(FILES | {"c.py": "c"})
    real = os.open

    def closed(path, *rest, **options):  # root may read everything, so permissions cannot tell
        if path in (b"a.py", b"pkg"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **options)

    monkeypatch.setattr("grainline.snapshots.worktree.os.open", closed)
    found = contents(look(git.path))
    assert found == {b"a.py": Reason.UNREADABLE, b"pkg": Reason.UNREADABLE, b"c.py": b"c"}


def swap_for_link(path):
    path.unlink()
    path.symlink_to("/etc/passwd")


def swap_for_pipe(path):
    path.unlink()
    os.mkfifo(path)


def swap_folder(path):
    elsewhere = path.parent.parent.parent / "elsewhere"
    path.parent.rename(elsewhere)
    path.parent.symlink_to(elsewhere)


@pytest.mark.parametrize(
    ("swap", "reason"),
    [
        (swap_for_link, Reason.NOT_REGULAR_FILE),
        (swap_for_pipe, Reason.NOT_REGULAR_FILE),
        (swap_folder, Reason.NOT_REGULAR_FILE),
        (lambda path: path.unlink(), Reason.CHANGED_WHILE_READING),
    ],
    ids=["link", "pipe", "linked folder", "gone"],
)
def test_a_file_swapped_after_listing_is_not_followed(new_repository, swap, reason):
    git = new_repository()
    git.commit(FILES)
    with open_at(git) as repository:
        _, entries = repository.snapshot("WORKTREE")
        swap(git.path / "pkg" / "b.py")
        assert {e.path: data for e, data, _ in repository.read(entries)}[b"pkg/b.py"] is reason


def test_a_file_that_never_stops_changing_is_given_up(new_repository, monkeypatch):
    git = new_repository()
    git.commit(FILES)
    real = os.read

    def read_and_touch(fd, size):
        if stat.S_ISREG(os.fstat(fd).st_mode):
            with (git.path / "a.py").open("ab") as file:
                file.write(b"#")
        return real(fd, size)

    with open_at(git) as repository:
        _, entries = repository.snapshot("WORKTREE")
        entry = next(e for e in entries if e.path == b"a.py")
        monkeypatch.setattr("grainline.snapshots.worktree.os.read", read_and_touch)
        ((_, reason, _),) = repository.read([entry])
        monkeypatch.undo()
    assert reason is Reason.CHANGED_WHILE_READING


@pytest.mark.parametrize("path", [b"../x", b"/etc/passwd", b".git/config", b"a//b", b"", b"."])
def test_a_path_that_leaves_the_tree_cannot_be_asked_for(new_repository, path):
    git = new_repository()
    git.commit(FILES)
    with open_at(git) as repository, pytest.raises(BadInput, match="not_found"):
        repository.read_worktree(path)


def test_one_file_can_be_read_again(new_repository):
    git = new_repository()
    git.commit(FILES)
    with open_at(git) as repository:
        entry, data, _ = repository.read_worktree(b"pkg/b.py")
        assert (entry.size, data) == (6, b"b = 2\n")
        (git.path / "pkg" / "b.py").write_text("b = 33\n")
        assert repository.read_worktree(b"pkg/b.py")[1] == b"b = 33\n"


# --------------------------------------------------------------------------- what is known already


def known_of(repository):
    _, entries = repository.snapshot("WORKTREE")
    read = [entry for entry, _, _ in repository.read(entries)]
    return {e.path: (e.signature, e.raw_id) for e in read if e.raw_id is not None}


def ids(repository, known):
    return {e.path: e.raw_id for e in repository.snapshot("WORKTREE", known)[1]}


def test_an_unchanged_file_keeps_its_id_without_being_read(new_repository, monkeypatch):
    git = new_repository()
    git.commit(FILES)
    patient(monkeypatch)
    with open_at(git) as repository:
        known = known_of(repository)
        lie = {path: (signature, b"\1" * 20) for path, (signature, _) in known.items()}
        assert ids(repository, known) == {path: raw for path, (_, raw) in known.items()}
        assert set(ids(repository, lie).values()) == {b"\1" * 20}


def test_a_file_read_in_the_tick_of_its_change_is_read_again(new_repository):
    git = new_repository()
    git.commit(FILES)
    with open_at(git) as repository:
        assert set(ids(repository, known_of(repository)).values()) == {None}


def rewrite(path):
    path.write_text("a = 9\n")


def rewrite_and_restore_time(path):
    before = path.stat()
    path.write_text("a = 9\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace_file(path):
    before = path.stat()
    other = path.with_name("other")
    other.write_text("a = 9\n")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.rename(path)


@pytest.mark.parametrize(
    "change",
    [rewrite, rewrite_and_restore_time, replace_file, lambda path: path.chmod(0o755)],
    ids=["rewrite", "same size and time", "another file", "mode"],
)
def test_every_change_makes_a_known_id_unknown(new_repository, monkeypatch, change):
    git = new_repository()
    git.commit(FILES)
    patient(monkeypatch)
    with open_at(git) as repository:
        known = known_of(repository)
        change(git.path / "a.py")
        found = ids(repository, known)
        assert (found[b"a.py"], found[b"pkg/b.py"]) == (None, known[b"pkg/b.py"][1])


# --------------------------------------------------------------------------- deviations


def deviations(git, known=None):
    with open_at(git) as repository:
        snapshot, entries = repository.snapshot("WORKTREE", known)
        read = [entry for entry, _, _ in repository.read(entries)]
        return repository.deviations(snapshot.commit, read)


NONE = (frozenset(), ())


def test_deviations_depend_on_content_alone(new_repository):
    git = new_repository()
    git.commit(FILES)
    assert deviations(git) == NONE
    age(git.path / "a.py")
    assert deviations(git) == NONE
    (git.path / "a.py").write_text("a = 3\n")
    assert deviations(git) == (frozenset({b"a.py"}), ())
    (git.path / "a.py").write_text("a = 1\n")
    assert deviations(git) == NONE


@pytest.mark.parametrize(
    ("change", "other", "missing"),
    [
        (lambda path: (path / "new.py").write_text("n"), {b"new.py"}, ()),
        (lambda path: (path / "a.py").unlink(), set(), (b"a.py",)),
        (lambda path: (path / "a.py").chmod(0o755), {b"a.py"}, ()),
        (
            lambda path: (path / "pkg" / "b.py").rename(path / "pkg" / "c.py"),
            {b"pkg/c.py"},
            (b"pkg/b.py",),
        ),
    ],
    ids=["added", "removed", "mode", "renamed"],
)
def test_every_difference_to_the_commit_is_named(new_repository, change, other, missing):
    git = new_repository()
    git.commit(FILES | {"link": ""})
    (git.path / "link").unlink()
    (git.path / "link").symlink_to("a.py")
    git.commit()
    assert deviations(git) == NONE
    change(git.path)
    assert deviations(git) == (frozenset(other), missing)


def test_a_clean_folder_of_a_dirty_repository_is_clean(new_repository):
    git = new_repository()
    git.commit(FILES)
    (git.path / "a.py").write_text("other")
    assert deviations(git) == (frozenset({b"a.py"}), ())
    assert deviations(replace(git, path=git.path / "pkg")) == NONE


def test_a_folder_that_the_repository_around_it_ignores_is_a_plain_folder(new_repository, look):
    git = new_repository("around")
    inner = git.path / "cache" / "pkg"
    inner.mkdir(parents=True)
    (inner / "a.py").write_text("x = 1\n")
    (git.path / ".gitignore").write_text("cache/\n")
    with open_repository(str(inner)) as repository:
        assert repository.record.kind == "folder"
    assert list(look(inner)) == [b"a.py"]
