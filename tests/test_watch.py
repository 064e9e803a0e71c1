"""The watcher: what it reports for what happens on disk, and the command around it."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from grainline.engine import Engine
from grainline.indexing import watch
from grainline.indexing.watch import Watcher, rust_notifier
from grainline.model.access import View
from grainline.model.snapshot import RepositoryId

linux_only = pytest.mark.skipif(watch.RECURSIVE, reason="one recursive watch there")
VIEW = View(repository=RepositoryId("r"), ref="WORKTREE")
OTHER = View(repository=RepositoryId("s"), ref="WORKTREE")


def git(path, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(path), *identity, *arguments], check=True, capture_output=True)


def until(check):
    """Wait for what another thread or process does; a hang ends the test, not a slow machine."""
    for _ in range(6000):
        if found := check():
            return found
        time.sleep(0.01)
    raise AssertionError("it never came")


@pytest.fixture
def tree(tmp_path):
    path = tmp_path / "repo"
    (path / "pkg" / "deep").mkdir(parents=True)
    git(path, "init", "-q", "-b", "main")
    (path / "app.py").write_text("def run():\n    return 1\n")
    (path / "pkg" / "deep" / "util.py").write_text("def helper():\n    return 1\n")
    (path / ".gitignore").write_text("out/\n")
    (path / "out" / "deep").mkdir(parents=True)
    git(path, "add", "-A")
    git(path, "commit", "-qm", "one")
    return path


class Reports:
    """What a watcher reported, and with which notifiers it watched."""

    def __init__(self):
        self.lock = threading.Lock()
        self.found, self.made, self.closed = [], [], []

    def __call__(self, view, paths):
        with self.lock:
            self.found.append((view, None if paths is None else set(paths)))

    def make(self, folders, recursive):
        self.made.append((list(folders), recursive))
        return rust_notifier(folders, recursive)

    def clear(self):
        with self.lock:
            self.found.clear()

    def paths(self, view=VIEW):
        with self.lock:
            return set().union(*(paths or set() for which, paths in self.found if which == view))

    def everything(self, view=VIEW):
        with self.lock:
            return (view, None) in self.found


@pytest.fixture
def watching():
    """Makes a watcher that has begun to follow trees: (watcher, what it reported)."""
    opened = []

    def make(roots, make_notifier=None):
        reports = Reports()
        watcher = Watcher(reports, make=make_notifier or reports.make)
        opened.append(watcher)
        watcher.follow(roots)
        for view in roots:
            until(lambda view=view: reports.everything(view) or view in watcher.polled)
        time.sleep(0.05)
        reports.clear()
        return watcher, reports

    yield make
    for each in opened:
        each.close()


def test_what_happens_to_files_is_reported_by_path(tree, watching):
    _, reports = watching({VIEW: str(tree)})
    (tree / "app.py").write_text("changed")
    (tree / "pkg" / "deep" / "new.py").write_text("new")
    (tree / "pkg" / "deep" / "util.py").unlink()
    wanted = {b"app.py", b"pkg/deep/new.py", b"pkg/deep/util.py"}
    until(lambda: wanted <= reports.paths())
    assert not reports.everything()


def test_a_file_that_is_replaced_by_renaming_is_reported(tree, watching):
    _, reports = watching({VIEW: str(tree)})
    (tree / "app.py.tmp").write_text("whole")
    (tree / "app.py.tmp").rename(tree / "app.py")
    until(lambda: b"app.py" in reports.paths())


def test_new_folders_are_watched_all_the_way_down(tree, watching):
    _, reports = watching({VIEW: str(tree)})
    for number in range(4):
        (tree / f"n{number}" / "a" / "b").mkdir(parents=True)
        until(lambda number=number: b"n%d" % number in reports.paths())
    reports.clear()
    for number in range(4):
        (tree / f"n{number}" / "a" / "b" / "late.py").write_text("x")
        # the folder alone, when it was not watched yet: it is looked at when it is reported
        until(
            lambda number=number: (
                {b"n%d/a/b" % number, b"n%d/a/b/late.py" % number} & reports.paths()
            )
        )


@linux_only
def test_what_happens_before_a_new_notifier_watches_is_told_by_the_one_it_replaces(tree, watching):
    armed, meanwhile = [], {b"meanwhile%d.py" % number for number in range(3)}

    def replacing(folders, recursive):
        if armed and str(tree) in folders:  # the one for all
            armed.clear()
            for path in meanwhile:
                (tree / path.decode()).write_text("x")
        return rust_notifier(folders, recursive)

    watcher, reports = watching({VIEW: str(tree)}, replacing)
    armed.append(True)
    for number in range(watch.EXTRAS + 2):
        (tree / f"n{number}").mkdir()
        until(lambda number=number: b"n%d" % number in reports.paths())
    until(lambda: not armed)
    until(lambda: meanwhile <= reports.paths())
    assert not reports.everything()
    until(lambda: not watcher._replaced)


def test_a_renamed_folder_is_watched_under_its_new_name(tree, watching):
    _, reports = watching({VIEW: str(tree)})
    (tree / "pkg").rename(tree / "moved")
    until(lambda: {b"pkg", b"moved"} <= reports.paths())
    reports.clear()
    (tree / "moved" / "deep" / "util.py").write_text("changed")
    until(lambda: b"moved/deep/util.py" in reports.paths())


@linux_only
def test_what_is_ignored_is_neither_watched_nor_are_links_followed(tree, watching, tmp_path):
    outside = tmp_path / "outside"
    (outside / "sub").mkdir(parents=True)
    (tree / "link").symlink_to(outside)
    _, reports = watching({VIEW: str(tree)})
    ((folders, recursive),) = reports.made
    assert not recursive
    git_folder = f"{tree}/.git"
    assert sorted(folders) == sorted(
        [str(tree), f"{tree}/pkg", f"{tree}/pkg/deep", git_folder, git_folder]
    ) or sorted(folders) == sorted([str(tree), f"{tree}/pkg", f"{tree}/pkg/deep", git_folder])
    (tree / "out" / "new").mkdir()
    (tree / "out" / "new" / "x.py").write_text("x")
    (outside / "y.py").write_text("y")
    (tree / "app.py").write_text("changed")
    until(lambda: b"app.py" in reports.paths())
    assert reports.paths() == {b"app.py"}


@linux_only
def test_a_folder_is_watched_once_its_rule_is_gone(tree, watching):
    _, reports = watching({VIEW: str(tree)})
    (tree / ".gitignore").write_text("")
    until(lambda: len(reports.made) > 1 and reports.everything())
    reports.clear()
    (tree / "out" / "deep" / "x.py").write_text("x")
    until(lambda: b"out/deep/x.py" in reports.paths())


def test_the_git_folder_is_reported_without_a_path(tree, watching):
    _, reports = watching({VIEW: str(tree)})
    git(tree, "commit", "-q", "--allow-empty", "-m", "two")
    until(lambda: reports.found)
    assert reports.paths() == set()
    assert not reports.everything()


def test_a_linked_work_tree_and_a_folder_of_a_repository_are_followed(tree, watching, tmp_path):
    git(tree, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    _, reports = watching({VIEW: str(tmp_path / "linked"), OTHER: str(tree / "pkg")})
    (tmp_path / "linked" / "app.py").write_text("x")
    (tree / "pkg" / "deep" / "util.py").write_text("x")
    (tree / "app.py").write_text("x")
    until(lambda: b"app.py" in reports.paths(VIEW))
    until(lambda: b"pkg/deep/util.py" in reports.paths(OTHER))
    assert reports.paths(OTHER) == {b"pkg/deep/util.py"}
    git(tmp_path / "linked", "commit", "-q", "--allow-empty", "-m", "two")
    until(lambda: (VIEW, set()) in reports.found)


def test_a_name_that_the_notifier_cannot_tell_takes_a_look_at_everything(tree, watching):
    _, reports = watching({VIEW: str(tree)})
    Path(os.fsdecode(os.fsencode(tree) + b"/caf\xe9.py")).write_text("x")
    until(reports.everything)
    reports.clear()
    (tree / "app.py").write_text("changed")
    until(lambda: b"app.py" in reports.paths() or reports.everything())


@linux_only
def test_a_folder_that_cannot_be_spelled_has_its_tree_looked_at_now_and_then(tree, watching):
    Path(os.fsdecode(os.fsencode(tree) + b"/caf\xe9")).mkdir()
    watcher, reports = watching({VIEW: str(tree)})
    assert watcher.polled == {VIEW: "the name of a folder is not UTF-8"}
    (tree / "app.py").write_text("changed")
    until(lambda: b"app.py" in reports.paths())


def test_very_many_changes_are_a_look_at_everything(tree, watching, monkeypatch):
    monkeypatch.setattr(watch, "MANY", 3)
    _, reports = watching({VIEW: str(tree)})
    for number in range(50):
        (tree / f"f{number}.py").write_text("x")
    until(reports.everything)


@linux_only
def test_without_a_watch_left_the_largest_tree_is_looked_at_now_and_then(tree, watching, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    (small / "a.py").write_text("a")
    reports = []

    def scarce(folders, recursive):
        reports.append(len(folders))
        if len(folders) > 2:
            raise OSError("OS file watch limit reached.")
        return rust_notifier(folders, recursive)

    watcher, found = watching({VIEW: str(tree), OTHER: str(small)}, scarce)
    assert watcher.polled == {VIEW: "OS file watch limit reached."}
    (small / "a.py").write_text("b")
    until(lambda: b"a.py" in found.paths(OTHER))


@linux_only
def test_the_system_says_when_no_watch_is_left(tmp_path):
    for number in range(5):
        (tmp_path / f"f{number}").mkdir()
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from grainline.indexing.watch import rust_notifier\n"
        "Path('/proc/sys/user/max_inotify_watches').write_text('3')\n"
        "rust_notifier(sys.argv[1:], False)\n"
    )
    folders = [str(path) for path in sorted(tmp_path.iterdir())]
    done = subprocess.run(
        ["unshare", "-Ur", sys.executable, "-c", code, *folders], capture_output=True, check=False
    )
    if b"unshare" in done.stderr or b"max_inotify_watches" in done.stderr:
        pytest.skip("the system lets nobody have limits of their own")
    assert done.returncode == 1
    assert b"OSError: OS file watch limit reached" in done.stderr


@linux_only
def test_the_share_of_watches_is_not_passed(tree, watching, monkeypatch):
    monkeypatch.setattr(watch, "watches", lambda: 2)
    watcher, reports = watching({VIEW: str(tree)})
    assert "the limit of watches is near" in watcher.polled[VIEW]
    assert reports.made == []
    assert watcher.alive


def test_a_tree_that_is_gone_is_told_and_followed_when_it_is_back(tree, watching):
    watcher, reports = watching({VIEW: str(tree)})
    away = tree.with_name("away")
    tree.rename(away)
    watcher.relist(VIEW)
    until(lambda: watcher.polled.get(VIEW) == "the work tree is gone")
    until(lambda: not watcher.layout(VIEW) or reports.everything())
    time.sleep(0.1)
    reports.clear()
    away.rename(tree)
    watcher.relist(VIEW)
    until(lambda: not watcher.polled)
    until(reports.everything)
    reports.clear()
    (tree / "app.py").write_text("changed")
    until(lambda: b"app.py" in reports.paths())


def test_what_is_followed_no_more_is_not_reported(tree, watching):
    watcher, reports = watching({VIEW: str(tree)})
    watcher.follow({})
    until(lambda: watcher.layout(VIEW) is None)
    (tree / "app.py").write_text("changed")
    time.sleep(0.2)
    assert reports.found == []


def test_a_tree_under_a_stream_of_changes_is_reported_all_the_same(tree, watching):
    _, reports = watching({VIEW: str(tree)})
    done = threading.Event()

    def write():
        while not done.wait(0.001):
            (tree / "busy.py").write_text(str(time.monotonic()))

    thread = threading.Thread(target=write)
    thread.start()
    (tree / "app.py").write_text("changed")
    try:
        until(lambda: b"app.py" in reports.paths())
    finally:
        done.set()
        thread.join()


# -------------------------------------------------------------------------------------- command

COMMAND = (sys.executable, "-c", "from grainline.surfaces.cli.main import main; main()")


@pytest.fixture
def indexed(tree, tmp_path):
    home = tmp_path / "home"
    engine = Engine.open(str(home))
    engine.index(str(tree))
    engine.close()
    return home


class Command:
    """A running `grainline watch --json`."""

    def __init__(self, home, *options):
        self.process = subprocess.Popen(
            [*COMMAND, "watch", "--json", "--home", str(home), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "XDG_CONFIG_HOME": "/nonexistent"},
            bufsize=0,  # what a buffer of ours holds, `poll` does not see
        )

    def until(self, **wanted):
        """The next event with these values."""
        while True:
            waiting = select.poll()
            waiting.register(self.process.stdout, select.POLLIN | select.POLLHUP)
            assert waiting.poll(60_000), "no such event came"
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            event = json.loads(line)
            assert event["schema"] == 1
            if wanted.items() <= event.items():
                return event

    def until_watching(self, **wanted):
        """It watches, and has looked at everything since."""
        self.until(event="watching", **wanted)
        self.until(event="refreshed", full=True, **wanted)

    def end(self, number):
        self.process.send_signal(number)
        try:
            _, err = self.process.communicate(timeout=60)
        finally:
            self.process.kill()
        return self.process.returncode, err.decode()


@pytest.fixture
def command(indexed):
    started = []

    def start(*options):
        started.append(Command(indexed, *options))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()
        for pipe in (each.process.stdout, each.process.stderr):
            pipe.close()


def search(home, text):
    done = subprocess.run(
        [*COMMAND, "search", "--json", "--home", str(home), text], capture_output=True, check=True
    )
    found = json.loads(done.stdout)
    return [row["path"] for row in found["results"]], found["coverage"]["channels"]["work_tree"]


def test_a_save_is_found_by_another_command_while_one_watches(tree, indexed, command):
    watching = command()
    watching.until_watching()
    (tree / "fresh.py").write_text("def settle_all():\n    return 1\n")
    event = watching.until(event="refreshed", full=False)
    assert (event["repo"], event["changed"], event["failed"]) == ("repo", 1, 0)
    paths, work_tree = search(indexed, "settle_all")
    assert paths == ["fresh.py"]
    assert work_tree.endswith(f"followed by process {watching.process.pid}")
    assert watching.end(signal.SIGTERM) == (0, "stopped\n")
    paths, work_tree = search(indexed, "settle_all")
    assert paths == ["fresh.py"], "without it a command looks for itself"
    assert "followed" not in work_tree


def test_an_interrupt_is_one_and_leaves_nothing(tree, indexed, command):
    watching = command()
    watching.until_watching()
    assert (indexed / "owner.sock").exists()
    assert watching.end(signal.SIGINT)[0] == 130
    assert not (indexed / "owner.sock").exists()


def test_when_one_is_killed_the_next_takes_over(tree, indexed, command):
    first = command()
    first.until_watching()
    second = command()
    line = second.process.stderr.readline().decode()
    assert line == f"process {first.process.pid} follows this home; waiting to take over from it\n"
    first.process.kill()
    second.until_watching()
    (tree / "fresh.py").write_text("def settle_all():\n    return 1\n")
    second.until(event="refreshed", full=False)
    assert search(indexed, "settle_all")[1].endswith(f"process {second.process.pid}")


def test_it_outlives_index_runs_and_removal(tree, indexed, command):
    watching = command()
    watching.until_watching()
    engine = Engine.open(str(indexed))
    (tree / "fresh.py").write_text("def settle_all():\n    return 1\n")
    engine.index(str(tree))
    watching.until(event="refreshed", full=True)
    engine.remove("repo")
    engine.index(str(tree), name="again")
    watching.until(event="watching", repo="again")
    (tree / "more.py").write_text("def settle_more():\n    return 1\n")
    watching.until(event="refreshed", repo="again", changed=1)
    assert search(indexed, "settle_more")[0][0] == "more.py"
    engine.close()
    assert watching.end(signal.SIGTERM)[0] == 0


def test_a_work_tree_that_vanishes_is_told_and_comes_back(tree, indexed, command):
    watching = command()
    watching.until_watching()
    away = tree.with_name("away")
    tree.rename(away)
    assert "[not_found]" in watching.until(event="trouble")["text"]
    shutil.copytree(away, tree)
    (tree / "fresh.py").write_text("def settle_all():\n    return 1\n")
    watching.until(event="refreshed", full=True)
    assert search(indexed, "settle_all")[0] == ["fresh.py"]


def test_a_home_that_cannot_be_written_is_not_waited_for(indexed):
    (indexed / "owner.lock").mkdir()
    done = subprocess.run(
        [*COMMAND, "watch", "--home", str(indexed)], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 5
    assert done.stderr.startswith(b"error[cannot_write] ")
    assert done.stderr.count(b"\n") == 1


def test_a_home_that_is_made_anew_ends_it(tree, indexed, command):
    first = command()
    first.until_watching()
    shutil.rmtree(indexed)
    engine = Engine.open(str(indexed))
    engine.index(str(tree))
    engine.close()
    second = command()
    second.until_watching()
    assert first.process.wait(60) == 5
    assert json.loads(first.process.stdout.read())["error"]["code"] == "home_gone"
    (tree / "fresh.py").write_text("def settle_all():\n    return 1\n")
    second.until(event="refreshed", full=False)
    assert search(indexed, "settle_all")[1].endswith(f"process {second.process.pid}")


def test_there_must_be_something_to_watch(tmp_path, indexed):
    for home, options, code in (
        (tmp_path / "none", (), "nothing_indexed"),
        (indexed, ("--repo", "other"), "unknown_repository"),
    ):
        done = subprocess.run(
            [*COMMAND, "watch", "--home", str(home), *options], capture_output=True, check=False
        )
        assert done.returncode == 2
        assert f"error[{code}]".encode() in done.stderr
