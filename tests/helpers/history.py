"""Law 3 as a machine: whatever happened to a repository and a home, an index equals a rebuild.

The machine changes a repository that is written by hand (`gitrepo`), indexes it into one home in
every way that the engine offers, stops and kills it on the way, and compares every view with an
index built from scratch at the moment when the view was indexed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from grainline.engine import MEMORY, Engine
from grainline.errors import GrainlineError, Interrupted
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import WORKTREE, AccessRule, Policy
from helpers import crash
from helpers.facts import facts
from helpers.gitrepo import EXECUTABLE, FILE, LINK, HandMade, Item, clashing, erase, write

NAME = "shop"
MEMORY_FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where homes lie: a disk makes every durable step of an index wait, and what is synced there is no
more durable against the end of a process. Trees lie on the disk, for what it says of their files."""

TICK = 2_000_000_000
"""Nanoseconds between two times that the pretended file system can tell apart: that of FAT."""

PATHS = (
    "a.py",
    "b.py",
    "a.py/in.py",
    "lib",
    "lib/c.py",
    "lib/d.py",
    "tests/test_c.py",
    "docs/r.md",
)
NAMES = ("refund", "charge", "Ship", "pay")
ODD = (b"# only words\n", b"", b"key = 'AKIAIOSFODNN7EXAMPLE'\n", b"\0\1\2")
IGNORES = (b"", b"b.py\n", b"lib/\n", b"*.md\n!docs/\n", b"/a.py\n")
ATTRIBUTES = (b"", b"*.py linguist-generated\n", b"lib/** linguist-vendored\n")
POLICIES = (
    None,
    *(
        Policy(
            epoch=0,
            users=(("ann", ("team",)),),
            rules=(
                AccessRule(repository="", prefix=prefix, groups=("team",)),
                AccessRule(repository=NAME, prefix=b"lib/d.py", groups=("board",)),
            ),
        )
        for prefix in (b"", b"lib", b"docs")
    ),
)
BRANCHES = ("main", "next", "old")
OPTIONS = (IndexOptions(workers=0), IndexOptions(chunker="lines", workers=0))

paths = st.sampled_from(PATHS)
names = st.sampled_from(NAMES)
functions = st.builds(
    "def {}(order):\n    return {}(order, {})\n".format, names, names, st.integers(0, 9)
)
bodies = st.sampled_from(ODD) | st.lists(functions, min_size=1, max_size=3).map(
    lambda parts: "\n".join(parts).encode()
)
branches = st.sampled_from(BRANCHES)


class Clock:
    """A clock that the machine moves, and the times of files by it, told apart by whole ticks."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000_000_000
        self._changed: dict[int, int] = {}

    def touch(self, place: Path, *, keep: int | None = None) -> None:
        """`place` changed now; `keep` is a modification time that was put back."""
        stamp = self.now // TICK * TICK
        os.utime(place, ns=(stamp, stamp if keep is None else keep))
        self._changed[place.stat().st_ino] = stamp

    def signature(self, found: os.stat_result) -> tuple[int, ...]:
        """What the pretended file system says of a file, in the order of a stat signature."""
        changed = self._changed.get(found.st_ino, 0)
        return (
            found.st_mtime_ns, changed, found.st_size, found.st_ino, found.st_dev, found.st_mode
        )  # fmt: skip

    def time_ns(self) -> int:
        """The time of day."""
        return self.now

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)


CLOCK = Clock()
"""The clock of every machine; tests put it in place of the real one."""


class Oracle:
    """What an index built from scratch says, kept by all that it depends on."""

    def __init__(self) -> None:
        self._known: dict[object, list[object]] = {}
        self.built = 0

    def view(
        self,
        key: object,
        top: Path,
        ref: str,
        options: IndexOptions,
        policy: Policy | None = None,
    ) -> list[object]:
        """Dump and facts of one view of the repository at `top` as it is now."""
        if (key, policy) not in self._known:
            self.built += 1
            engine = Engine.open(MEMORY)
            refs = () if ref == WORKTREE else (ref,)
            engine.index(str(top), refs=refs, name=NAME, options=options)
            self._known[key, None] = told(engine, ref)
            if policy is not None:
                engine.set_policy(policy)
                self._known[key, policy] = told_to(engine, ref, "ann")
            engine.close()
        return self._known[key, policy]


ORACLE = Oracle()
"""The oracle of every machine; each test starts with one that knows nothing."""


def parts(home: str) -> list[tuple[str, int, int]]:
    """Name, size and time of every part of a home."""
    found = [(path, path.stat()) for path in sorted(Path(home).glob("parts/*"))]
    return [(path.name, each.st_size, each.st_mtime_ns) for path, each in found]


def told(engine: Engine, ref: str) -> list[object]:
    """All that an engine says of one view."""
    scope = engine.scope(repos=[NAME], refs=[ref])
    return [*engine.dump(scope), *facts(engine.corpus(scope)).items()]  # type: ignore[arg-type]


def told_to(engine: Engine, ref: str, principal: str) -> list[object]:
    """All that an engine says of one view to one principal, or that it does not exist.

    How that is said depends on whether the principal may see another view, which the oracle of one
    view cannot know.
    """
    try:
        scope = engine.scope(repos=[NAME], refs=[ref], principal=principal)
        return [*engine.dump(scope), *facts(engine.corpus(scope)).items()]  # type: ignore[arg-type]
    except GrainlineError as error:
        return ["absent" if error.code in ("unknown_ref", "nothing_indexed") else error.code]


class History(RuleBasedStateMachine):
    """One repository, one home, and what each view must say."""

    workers = 0
    """Processes that analyse for the home; the oracle does without."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="grainline-history-"))
        self.memory = Path(tempfile.mkdtemp(prefix="grainline-history-", dir=MEMORY_FOLDER))
        self.home = str(self.memory / "home")
        self.top = self.folder / "tree"
        self.files: dict[str, Item] = {}
        self.staged: dict[str, Item] = {}
        self.branch = "main"
        self.heads: dict[str, str] = {}
        self.commits: dict[str, dict[str, Item]] = {}
        self.options = OPTIONS[0]
        self.expected: dict[str, list[object]] = {}
        self.moments: list[tuple[dict[str, Item], dict[str, Item], str, dict[str, str]]] = []
        self.policy: Policy | None = None
        self.made = self.options
        self.unseen: set[str] | None = None

    @initialize(body=bodies)
    def begin(self, body: bytes) -> None:
        self.repository = HandMade(self.top)
        self.engine = Engine.open(self.home)
        self.reader = Engine.open(self.home)
        self.follower = Engine.open(self.home)
        self._put("a.py", Item(FILE, body))
        self._put("lib/c.py", Item(FILE, b"def pay(order):\n    return order\n"))
        self.commit(leave_out=False)

    def teardown(self) -> None:
        engines = [getattr(self, name, None) for name in ("engine", "reader", "follower")]
        try:
            if engines[1] is not None:
                self.compare(engines[1], self.expected)
        finally:
            for engine in filter(None, engines):
                engine.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            shutil.rmtree(self.memory, ignore_errors=True)

    # ------------------------------------------------------------------ the work tree

    def _changed(self, *paths: str) -> None:
        """A watcher hears of these paths."""
        if self.unseen is not None:
            self.unseen.update(paths)

    def _drop(self, paths: Iterable[str]) -> None:
        for path in paths:
            erase(self.top / path)
            del self.files[path]
            self._changed(path)

    def _put(self, path: str, item: Item) -> None:
        self._drop(clashing(self.files, path))
        self._changed(path)
        place = write(self.top, path, item)
        self.files[path] = item
        if item.mode != LINK:
            CLOCK.touch(place)

    def _regular(self, path: str) -> Item | None:
        item = self.files.get(path)
        return None if item is None or item.mode == LINK else item

    @rule(files=st.dictionaries(paths, bodies, min_size=1, max_size=4))
    def write(self, files: dict[str, bytes]) -> None:
        for path, body in files.items():
            self._put(path, Item(FILE, body))

    @rule(files=st.dictionaries(paths, bodies, min_size=1, max_size=2))
    def write_and_index(self, files: dict[str, bytes]) -> None:
        self.write(files)
        self.index_work_tree()

    @rule(files=st.dictionaries(paths, bodies, min_size=1, max_size=2), head=st.booleans())
    def write_and_commit(self, files: dict[str, bytes], head: bool) -> None:
        self.write(files)
        self.commit(leave_out=False)
        if head:
            self.index_head(others=False)

    @rule(keep=st.booleans(), number=st.integers(0, 9))
    def edit_in_place(self, keep: bool, number: int) -> None:
        """Other bytes, equally many, in the same inode; perhaps with the old time put back."""
        regular = [path for path in sorted(self.files) if self._regular(path)]
        path = regular[number % len(regular)] if regular else ""
        item = self._regular(path)
        if item is None or not item.data:
            return
        data = item.data.swapcase()
        place = self.top / path
        before = place.stat().st_mtime_ns
        with place.open("r+b") as file:
            file.write(data)
        CLOCK.touch(place, keep=before if keep else None)
        self._changed(path)
        self.files[path] = item._replace(data=data)

    @rule(seconds=st.sampled_from([0, 5]), keep=st.booleans(), number=st.integers(0, 9))
    def edit_between_indexes(self, seconds: int, keep: bool, number: int) -> None:
        """The same, of a file that has rested for so long when it is indexed first."""
        self.write({path: item.data + b"\n" for path, item in self.files.items() if path == "a.py"})
        self.wait(seconds)
        self.index_work_tree()
        self.edit_in_place(keep, number)
        self.index_work_tree()

    @rule(path=paths, new=paths)
    def rename(self, path: str, new: str) -> None:
        item = self.files.get(path)
        if item is None or path == new or clashing([path], new):
            return
        self._drop(clashing(self.files, new))
        self._changed(path, new)
        erase(self.top / new)  # a folder that is empty by now
        (self.top / new).parent.mkdir(parents=True, exist_ok=True)
        (self.top / path).rename(self.top / new)
        if item.mode != LINK:
            place = self.top / new
            CLOCK.touch(place, keep=place.stat().st_mtime_ns)
        self.files[new] = self.files.pop(path)

    @rule(path=paths)
    def delete(self, path: str) -> None:
        """Remove a path and everything below it."""
        self._drop(other for other in [*self.files] if (other + "/").startswith(path + "/"))

    @rule(path=paths)
    def change_mode(self, path: str) -> None:
        item = self._regular(path)
        if item is not None:
            mode = FILE if item.mode == EXECUTABLE else EXECUTABLE
            (self.top / path).chmod(0o755 if mode == EXECUTABLE else 0o644)
            CLOCK.touch(self.top / path, keep=(self.top / path).stat().st_mtime_ns)
            self.files[path] = item._replace(mode=mode)
            self._changed(path)

    @rule(path=paths, where=st.sampled_from([b"b.py", b"lib", b"nowhere"]))
    def link(self, path: str, where: bytes) -> None:
        self._put(path, Item(LINK, where))

    @rule(folder=st.sampled_from(["", "lib/"]), text=st.sampled_from(IGNORES))
    def ignore(self, folder: str, text: bytes) -> None:
        self._put(f"{folder}.gitignore", Item(FILE, text))

    @rule(folder=st.sampled_from(["", "lib/"]), text=st.sampled_from(ATTRIBUTES))
    def mark(self, folder: str, text: bytes) -> None:
        self._put(f"{folder}.gitattributes", Item(FILE, text))

    @rule(folder=st.sampled_from(["", "lib/"]), text=st.sampled_from(IGNORES))
    def ignore_and_refresh(self, folder: str, text: bytes) -> None:
        """What a follower hears of rules that come while it follows."""
        if WORKTREE not in self.expected:
            self.index_work_tree()
        if self.unseen is None:
            self.refresh(full=True)
        self.ignore(folder, text)
        self.refresh(full=False)

    @rule(folder=st.sampled_from(["", "lib/"]), text=st.sampled_from(ATTRIBUTES))
    def mark_and_commit(self, folder: str, text: bytes) -> None:
        """What a commit says of files that it does not change."""
        self.index_head(others=False)
        self.mark(folder, text)
        self.commit(leave_out=False)
        self.index_head(others=False)

    @rule(seconds=st.sampled_from([1, 5]))
    def wait(self, seconds: int) -> None:
        CLOCK.now += seconds * 1_000_000_000

    # ------------------------------------------------------------------ commits and branches

    @rule(leave_out=st.booleans())
    def commit(self, leave_out: bool) -> None:
        """Commit what is on disk, ignored or not; perhaps leave the tests untracked."""
        files = {
            path: item
            for path, item in self.files.items()
            if not (leave_out and path.startswith("tests/"))
        }
        self._commit(files, [self.heads[self.branch]] if self.branch in self.heads else [])
        self._stage(files)

    def _stage(self, files: dict[str, Item]) -> None:
        """Track exactly `files`; a watcher of the repository looks at everything then."""
        self.staged = dict(files)
        self.repository.stage(files)
        self.unseen = None

    def _commit(self, files: dict[str, Item], parents: list[str]) -> None:
        commit = self.repository.commit(files, parents)
        self.commits[commit] = files
        self._move(self.branch, commit)

    def _move(self, branch: str, commit: str) -> None:
        self.heads[branch] = commit
        self.repository.move(f"refs/heads/{branch}", commit)

    @rule(branch=branches, number=st.integers(0, 30))
    def move_branch(self, branch: str, number: int) -> None:
        """Create a branch or force it elsewhere."""
        self._move(branch, list(self.commits)[number % len(self.commits)])

    @rule(branch=branches)
    def delete_branch(self, branch: str) -> None:
        if branch != self.branch and branch in self.heads:
            del self.heads[branch]
            self.repository.move(f"refs/heads/{branch}", None)

    @rule(branch=branches)
    def merge(self, branch: str) -> None:
        """A commit with two parents that holds what either side has, theirs first."""
        if branch not in self.heads or branch == self.branch:
            return
        theirs, ours = (self.commits[self.heads[name]] for name in (branch, self.branch))
        files = dict(theirs)
        files.update({path: item for path, item in ours.items() if not clashing(files, path)})
        self._commit(files, [self.heads[self.branch], self.heads[branch]])
        self._check_out(files)

    @rule(branch=branches)
    def check_out(self, branch: str) -> None:
        if branch in self.heads:
            self.branch = branch
            self.repository.point(branch)
            self._check_out(self.commits[self.heads[branch]])

    def _check_out(self, files: dict[str, Item]) -> None:
        """Make tracked paths what a commit holds; untracked ones stay where they can."""
        self._drop([path for path in self.files if path in self.staged and path not in files])
        for path, item in files.items():
            if self.files.get(path) != item:
                self._put(path, item)
        self._stage(files)

    @rule()
    def remember(self) -> None:
        self.moments.append((dict(self.files), dict(self.staged), self.branch, dict(self.heads)))

    @precondition(lambda self: self.moments)
    @rule(number=st.integers(0, 9))
    def revert(self, number: int) -> None:
        """Bring an earlier moment back: files, index, branches."""
        files, staged, branch, heads = self.moments[number % len(self.moments)]
        self._drop([path for path in self.files if self.files[path] != files.get(path)])
        for path, item in files.items():
            if path not in self.files:
                self._put(path, item)
        self._stage(staged)
        for gone in [name for name in self.heads if name not in heads]:
            self.repository.move(f"refs/heads/{gone}", None)
        self.branch, self.heads = branch, {}
        self.repository.point(branch)
        for name, commit in heads.items():
            self._move(name, commit)

    # ------------------------------------------------------------------ the home

    @rule()
    def index_work_tree(self) -> None:
        self._index([WORKTREE])

    @rule(others=st.booleans())
    def index_head(self, others: bool) -> None:
        self._index(["HEAD", *(f"refs/heads/{name}" for name in self.heads if others)])

    @rule(number=st.integers(0, 30))
    def index_commit(self, number: int) -> None:
        self._index([list(self.commits)[number % len(self.commits)]])

    @rule()
    def index_everything(self) -> None:
        self._index([WORKTREE, *(f"refs/heads/{name}" for name in self.heads), "HEAD"])

    @rule(number=st.integers(0, 2))
    def choose_options(self, number: int) -> None:
        self.options = OPTIONS[number == 2]

    @rule(after=st.integers(1, 9), all_refs=st.booleans())
    def cancel(self, after: int, all_refs: bool) -> None:
        refs = [WORKTREE, "HEAD"] if all_refs else [WORKTREE]
        left = [after]

        def impatient(_: object) -> None:
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt

        try:
            self._run(refs, progress=impatient)
        except Interrupted:
            self._either(refs)
        else:
            self._indexed(refs)

    @rule(moment=st.integers(1, 40), all_refs=st.booleans())
    def crash(self, moment: int, all_refs: bool) -> None:
        refs = [WORKTREE, "HEAD"] if all_refs else ["HEAD"]

        def dying() -> None:
            crash.die_at(moment)
            Engine.open(self.home).index(str(self.top), refs=refs, name=NAME, options=self.options)

        status = crash.in_child(dying)
        assert os.WIFSIGNALED(status) or status == 0, "the run neither ended well nor was killed"
        self._either(refs)

    @rule()
    def reopen(self) -> None:
        self.engine.close()
        self.engine = Engine.open(self.home)

    @rule(really=st.integers(0, 3))
    def remove(self, really: int) -> None:
        if self.expected and not really:
            self.engine.remove(NAME)
            self.expected = {}
            assert not self.reader.status().repositories

    @rule(really=st.integers(0, 2))
    def gc(self, really: int) -> None:
        """What nothing in the repository names any more may go; nothing else changes."""
        if really:
            return
        self.engine.gc()
        kept = self._refs()
        for ref in [ref for ref in self.expected if ref not in kept]:
            assert ref.removeprefix("refs/heads/") not in self.heads, "a live branch went"
            assert ref not in (WORKTREE, "HEAD"), "a default view went"
            del self.expected[ref]
        self.compare(self.reader, self.expected)

    @rule(number=st.integers(0, len(POLICIES) - 1))
    def change_policy(self, number: int) -> None:
        """A policy moves what principals see, and nothing that is stored."""
        if not self.expected and not Path(self.home).exists():
            return
        before = parts(self.home)
        self.engine.set_policy(POLICIES[number])
        self.policy = POLICIES[number]
        assert set(parts(self.home)) <= set(before), "a policy edit wrote content"

    @precondition(lambda self: self.policy is not None)
    @rule(ref=st.sampled_from([WORKTREE, "HEAD"]))
    def index_and_ask_as_ann(self, ref: str) -> None:
        self._index([ref])
        expected = self._rebuilt(ref, self.policy)
        self._same(ref, told_to(self.reader, ref, "ann"), expected)

    @rule(
        numbers=st.lists(st.integers(1, len(POLICIES) - 1), min_size=1, max_size=3),
        ref=st.sampled_from([WORKTREE, "HEAD"]),
    )
    def change_policies_and_ask(self, numbers: list[int], ref: str) -> None:
        """Policies one after another, and an answer under each of them."""
        self._index([ref])
        for number in numbers:
            self.change_policy(number)
            self.index_and_ask_as_ann(ref)

    @precondition(lambda self: WORKTREE in self.expected)
    @rule(full=st.booleans())
    def refresh(self, full: bool) -> None:
        """What is kept in memory over the home equals a rebuild of the work tree as it is."""
        (view,) = self.follower.work_trees()
        paths = None if full or self.unseen is None else set(map(os.fsencode, self.unseen))
        self.follower.refresh(view, paths, options=IndexOptions(workers=self.workers))
        self.unseen = set()
        expected = self._rebuilt(WORKTREE, options=self.made)
        self.compare(self.follower, {**self.expected, WORKTREE: expected})

    @rule(files=st.dictionaries(paths, bodies, min_size=1, max_size=2))
    def write_and_refresh(self, files: dict[str, bytes]) -> None:
        if WORKTREE not in self.expected:
            self.index_work_tree()
        if self.unseen is None:
            self.refresh(full=True)
        self.write(files)
        self.refresh(full=False)

    @rule(path=paths)
    def delete_and_refresh(self, path: str) -> None:
        if WORKTREE in self.expected:
            self.delete(path)
            self.refresh(full=False)

    @rule()
    def look(self) -> None:
        self.compare(self.reader, self.expected)

    # ------------------------------------------------------------------ comparing

    def _run(self, refs: list[str], **more: Any) -> None:
        options = replace(self.options, workers=self.workers)
        self.engine.index(str(self.top), refs=refs, name=NAME, options=options, **more)

    def _index(self, refs: list[str]) -> None:
        self._run(refs)
        self._indexed(refs)

    def _indexed(self, refs: list[str]) -> None:
        self.made = self.options if WORKTREE in refs else self.made
        self.expected |= {ref: self._rebuilt(ref) for ref in refs}
        self.compare(self.engine, {ref: self.expected[ref] for ref in refs})

    def _either(self, refs: list[str]) -> None:
        """A run that did not end: each of its views is what it was, or complete."""
        held = self._refs()
        for ref in refs:
            if ref not in held:
                assert ref not in self.expected, f"{ref} is gone"
                continue
            found = told(self.reader, ref)
            if found != self.expected.get(ref):
                self.made = self.options if ref == WORKTREE else self.made
                self.expected[ref] = self._rebuilt(ref)
                self._same(ref, found, self.expected[ref])

    def _refs(self) -> set[str]:
        held = self.reader.status().repositories
        return {row.ref for row in held[0].refs} if held else set()

    def _rebuilt(
        self, ref: str, policy: Policy | None = None, options: IndexOptions | None = None
    ) -> list[object]:
        options = options or self.options
        if ref == WORKTREE:
            state: object = (
                frozenset(self.files.items()), frozenset(self.staged), self.heads[self.branch]
            )  # fmt: skip
        else:
            branch = self.branch if ref == "HEAD" else ref.removeprefix("refs/heads/")
            state = self.heads.get(branch, ref)
        return ORACLE.view((ref, state, options), self.top, ref, options, policy)

    def compare(self, engine: Engine, expected: dict[str, list[object]]) -> None:
        """Every view says what an index from scratch says."""
        for ref, lines in expected.items():
            self._same(ref, told(engine, ref), lines)

    def _same(self, ref: str, found: list[object], expected: list[object]) -> None:
        if found != expected:
            rows = [row for row in zip(found, expected, strict=False) if row[0] != row[1]]
            raise AssertionError(f"{ref}: {len(found)} and {len(expected)} lines; {rows[:2]}")
