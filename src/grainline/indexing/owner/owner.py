"""The owner of a home: follows its work trees and answers, on one thread that has the engine.

    watcher ── candidates ──┐
    socket ──── questions ──┼── the engine's thread: refresh what changed, then answer the next one
    clock ── git folders ───┘

**Invariants**: one process per home is the owner, by a lock that ends with it. Nothing is written to
the home but by a commit that was asked for, so `index` is refused during a commit only. A question is
answered after the changes that were reported before it: by a step that began when it had been asked,
for a step takes its changes at its start. One about relations may wait for edges that a process makes; others
are answered meanwhile.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from grainline.errors import GrainlineError, Locked, ResourceExhausted
from grainline.indexing.owner.client import LOOKED_TREES, Asker
from grainline.indexing.owner.controls import Controls, controls, is_git_at_work
from grainline.indexing.owner.flows import FLOW_NAMES
from grainline.indexing.owner.methods import Refreshing
from grainline.indexing.owner.protocol import OwnerLock, socket_path
from grainline.indexing.owner.relations import RELATION_NAMES
from grainline.indexing.owner.server import Server
from grainline.indexing.watch import Changed, Watcher
from grainline.model.access import WORKTREE, View
from grainline.model.answers import RefreshReport, RepositoryStatus, StatusResult
from grainline.model.search import CoverageRecord
from grainline.snapshots.layout import Layout
from grainline.snapshots.options import ReadOptions

TICK = 0.5
"""Seconds between two looks at what no event tells: git folders, new generations of the home."""

SYNC_SHARE = 50  # such a look at many trees is repeated after this many times its own time
QUEUE = 64  # questions that may wait
POLL = 2.0  # seconds between two looks at a tree that cannot be watched
POLL_SHARE = 20  # a look that takes longer is repeated after this many times its own time
STALE = 0.5  # seconds after which such a tree is looked at before a question is answered
PATIENCE = 3.0  # seconds to wait for git to finish its work in a tree
GIT_STEP = 0.01  # seconds between two looks whether it did
HELD = 20.0  # seconds that a question waits, and others do not, for edges that are being made
MAX_CANDIDATES = 5_000  # kept for one tree; for more of them all of it is looked at


class Kind(StrEnum):
    """What happened."""

    WATCHING = "watching"
    POLLING = "polling"
    REFRESHED = "refreshed"
    COMMITTED = "committed"
    WAITING = "waiting"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that people may want to know of a followed tree. `seconds` that it took."""

    kind: Kind
    repository: str
    text: str = ""
    changed: int = 0
    failed: int = 0
    full: bool = False
    seconds: float = 0.0


class Following(Protocol):
    """The part of `Watcher` that an owner uses."""

    polled: dict[View, str]

    def follow(self, roots: Mapping[View, str]) -> None:
        """See `Watcher.follow`."""
        ...

    def relist(self, view: View) -> None:
        """See `Watcher.relist`."""
        ...

    def layout(self, view: View) -> Layout | None:
        """See `Watcher.layout`."""
        ...

    @property
    def alive(self) -> bool:
        """See `Watcher.alive`."""
        ...

    def close(self) -> None:
        """See `Watcher.close`."""
        ...


MakeWatcher: TypeAlias = Callable[[Changed, ReadOptions], Following]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerOptions:
    """What an owner does.

    Attributes:
        repositories: names; only these are followed; empty: all.
        read: what to read of each repository; `global_excludes` is watched too.
        commit_every: seconds between two commits of what changed to the home; None: never.
        warm: keep a worker ready, so that the first change does not wait for one to start.
    """

    repositories: tuple[str, ...] = ()
    read: ReadOptions = field(default_factory=ReadOptions)
    commit_every: float | None = None
    warm: bool = False


@dataclass(slots=True, kw_only=True)
class _Tree:
    """What the owner knows of a followed tree."""

    view: View
    name: str
    root: str
    controls: Controls | None = None
    polled: bool | None = None
    last_look: float = 0.0
    look_cost: float = 0.0
    busy_since: float = 0.0
    uncommitted: bool = False
    delay: str = ""
    trouble: str = ""


class _Question(NamedTuple):
    """A call of a method of `Answers`."""

    name: str
    arguments: Mapping[str, Any]
    future: Future[object]


_OF_EDGES = frozenset((*RELATION_NAMES, *FLOW_NAMES))
_SYMBOLS = ("symbol", "source", "target")
"""Parameters of `RelationAnswers` that name a symbol."""


def _waits(engine: Refreshing, question: _Question) -> bool:
    """Whether a question is about edges that are being made."""
    given = question.arguments
    about = [given[name] for name in _SYMBOLS if name in given and question.name in RELATION_NAMES]
    return question.name in _OF_EDGES and engine.makes_edges(given.get("scope"), about)


def become_owner(
    home: Path,
    open_engine: Callable[[], Refreshing],
    *,
    options: OwnerOptions | None = None,
    report: Callable[[Event], None] = lambda _: None,
    make_watcher: MakeWatcher = Watcher,
) -> Owner | None:
    """The running owner of a home, in this process; None when another process is it.

    Args:
        home: the folder of the index.
        open_engine: opens its engine; called on the thread that will use it.
        options: what to follow.
        report: told what happened, on that thread.
        make_watcher: makes what follows the file system.

    Raises:
        ResourceExhausted: the home cannot be written.
        OSError: no socket can be made.
    """
    lock = OwnerLock(home)
    if not lock.take():
        return None
    try:
        return Owner(home, lock, open_engine, options or OwnerOptions(), report, make_watcher)
    except BaseException:
        lock.release()
        raise


class Owner:
    """Made by `become_owner`; runs until closed."""

    def __init__(
        self,
        home: Path,
        lock: OwnerLock,
        open_engine: Callable[[], Refreshing],
        options: OwnerOptions,
        report: Callable[[Event], None],
        make_watcher: MakeWatcher,
    ) -> None:
        self._home = home
        self._lock = lock
        self._options = options
        self._report = report
        self._news = threading.Condition()
        self._pending: dict[View, set[bytes] | None] = {}
        self._questions: deque[_Question] = deque()
        self._held: deque[tuple[float, _Question]] = deque()
        self._stopped = self._woken = False
        self._trees: dict[View, _Tree] = {}
        self._unwanted: frozenset[View] = frozenset()
        self._committed = time.monotonic()
        self._next_sync = 0.0
        self._server = Server(socket_path(home), self.ask)
        self._watcher = make_watcher(self._changed, options.read)
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="grainline-engine")
        self.done: Future[None] = self._pool.submit(self._run, open_engine)

    # ------------------------------------------------------------------ from other threads

    def ask(self, name: str, arguments: Mapping[str, Any]) -> Future[object] | None:
        """Put a call of a method of `Answers` in the queue; None when that is full."""
        future: Future[object] = Future()
        with self._news:
            if self._stopped or len(self._questions) + len(self._held) >= QUEUE:
                return None
            self._questions.append(_Question(name, arguments, future))
            self._news.notify()
        return future

    def close(self) -> None:
        """Stop: nothing of what is in memory is lost, for the work trees have it all."""
        with self._news:
            self._stopped = True
            self._news.notify()
        self._server.close()
        self._watcher.close()
        self._pool.shutdown()
        self._lock.release()

    def _changed(self, view: View, paths: Collection[bytes] | None) -> None:
        with self._news:
            earlier = self._pending.get(view, set())
            if paths is None or earlier is None or len(earlier) + len(paths) > MAX_CANDIDATES:
                self._pending[view] = None
            else:
                self._pending[view] = earlier | set(paths)
            self._news.notify()

    # ------------------------------------------------------------------ the engine's thread

    def _run(self, open_engine: Callable[[], Refreshing]) -> None:
        engine = open_engine()
        try:
            while not self._stopped:
                self._check_home()
                self._step(engine)
                busy = not self._waited_for() and engine.rest(self._wake)
                self._answer_held(engine)
                if not busy:
                    self._wait()
        finally:
            engine.close()
            with self._news:
                self._stopped = True
                for question in (*self._questions, *(each for _, each in self._held)):
                    question.future.cancel()

    def _check_home(self) -> None:
        """The home is still the one that this process owns.

        Raises:
            ResourceExhausted: it was removed; what lies there now may have another owner.
        """
        if not self._lock.is_held():
            raise ResourceExhausted(
                "home_gone",
                "this home was removed or made anew while it was followed",
                subject=str(self._home),
                hint="start again: what lies there now is followed by nobody",
            )

    def _step(self, engine: Refreshing) -> None:
        with self._news:
            asked = bool(self._questions)
        try:
            self._sync(engine)
            self._refresh(engine)
            self._commit(engine)
        except (GrainlineError, OSError):
            self._check_home()  # then that is why
            raise
        if asked:
            self._answer(engine)

    def _wait(self) -> None:
        with self._news:
            if not (self._stopped or self._woken or self._questions or self._ready()):
                self._news.wait(GIT_STEP if self._pending else TICK)
            self._woken = False

    def _wake(self) -> None:
        """The engine has something to do again; called from any thread."""
        with self._news:
            self._woken = True
            self._news.notify()

    def _waited_for(self) -> bool:
        """Whether anybody or anything waits for the engine."""
        with self._news:
            return bool(self._stopped or self._questions or self._pending)

    def _ready(self) -> bool:
        """Whether a change waits that git is not still at work on."""
        return any(not tree.busy_since for view in self._pending if (tree := self._trees.get(view)))

    def _sync(self, engine: Refreshing) -> None:
        """See which trees there are, and what bears on all of them."""
        with self._news:
            urgent = bool(self._questions or self._pending)
        started = time.monotonic()
        if not urgent and started < self._next_sync:
            return
        views = set(engine.work_trees())
        if views != self._trees.keys() | self._unwanted or self._is_new(engine):
            self._follow(engine)
        for tree in self._trees.values():
            self._check_controls(engine, tree)
        looked = engine.looked_at()
        for view, tree in self._trees.items():
            if view not in looked or tree.trouble:  # the home has a new generation
                self._changed(view, None)
        now = time.monotonic()
        self._next_sync = now + max(TICK, SYNC_SHARE * (now - started))

    def _is_new(self, engine: Refreshing) -> bool:
        """Whether the home has another generation, in which names may be others."""
        return not self._trees.keys() <= engine.looked_at().keys()

    def _follow(self, engine: Refreshing) -> None:
        found: dict[View, _Tree] = {}
        unwanted: set[View] = set()
        for row in engine.status().repositories:
            for ref in row.refs:
                view = View(repository=ref.snapshot.repository, ref=ref.ref)
                if ref.ref != WORKTREE:
                    continue
                if self._options.repositories and row.repository not in self._options.repositories:
                    unwanted.add(view)
                else:
                    fresh = _Tree(view=view, name=row.repository, root=row.root)
                    found[view] = self._trees.get(view, fresh)
                    if found[view].name != row.repository:
                        found[view].name, found[view].polled = row.repository, None
        others = found.keys() != self._trees.keys()
        self._trees, self._unwanted = found, frozenset(unwanted)
        if others:
            self._watcher.follow({view: tree.root for view, tree in found.items()})

    def _check_controls(self, engine: Refreshing, tree: _Tree) -> None:
        layout = self._watcher.layout(tree.view)
        if layout is None:
            return
        now, before = controls(layout, self._options.read.global_excludes), tree.controls
        tree.controls = now
        if before is None or now == before:
            return
        if now.place != before.place:
            engine.close()  # it holds the folders that were
        if now.place != before.place or now.rules != before.rules:
            self._watcher.relist(tree.view)
        self._changed(tree.view, None)

    # ------------------------------------------------------------------ refreshing

    def _refresh(self, engine: Refreshing) -> None:
        with self._news:
            pending, self._pending = self._pending, {}
            urgent = bool(self._questions)
        for view, tree in self._trees.items():
            self._tell_polled(tree)
            if tree.polled and view not in pending and self._is_due(tree, urgent=urgent):
                pending[view] = None
        for view in self._first_looks(engine, pending)[LOOKED_TREES:]:
            self._changed(view, pending.pop(view))
        for view, paths in pending.items():
            mine = self._trees.get(view)
            if mine is None or paths == set():  # its git folder: the controls were looked at
                continue
            if self._is_busy(mine):
                self._changed(view, paths)
            else:
                self._look(engine, mine, paths)

    def _first_looks(
        self, engine: Refreshing, pending: Mapping[View, Collection[bytes] | None]
    ) -> list[View]:
        """Trees that were not looked at yet.

        Of many a few come at a time, and questions between them: until all are done, an answer is as
        of the last index and says so.
        """
        looked = engine.looked_at()
        return [view for view in pending if view not in looked and view in self._trees]

    def _tell_polled(self, tree: _Tree) -> None:
        why = self._watcher.polled.get(tree.view, "" if self._watcher.alive else "a defect")
        layout = self._watcher.layout(tree.view)
        if bool(why) != tree.polled and (why or layout is not None):
            tree.polled = bool(why)
            text = f"{why}; it is looked at every {POLL:.0f} s" if why else tree.root
            self._report(
                Event(kind=Kind.POLLING if why else Kind.WATCHING, repository=tree.name, text=text)
            )

    def _is_due(self, tree: _Tree, *, urgent: bool) -> bool:
        age = time.monotonic() - tree.last_look
        return age > (STALE if urgent else max(POLL, POLL_SHARE * tree.look_cost))

    def _is_busy(self, tree: _Tree) -> bool:
        """Whether to wait: git is changing the tree, and did not begin too long ago."""
        layout = self._watcher.layout(tree.view)
        if layout is None or not is_git_at_work(layout):
            tree.busy_since = 0.0
            return False
        tree.busy_since = tree.busy_since or time.monotonic()
        return time.monotonic() - tree.busy_since < PATIENCE

    def _look(self, engine: Refreshing, tree: _Tree, paths: Collection[bytes] | None) -> None:
        started = time.monotonic()
        try:
            found = self._refreshed(engine, tree, paths)
        except (GrainlineError, OSError) as failure:
            if getattr(failure, "code", "") != "not_indexed":  # removed: it is followed no more
                self._trouble(tree, str(failure))
            return
        tree.trouble = ""
        if self._options.warm and not tree.last_look:
            engine.warm(tree.view)
        tree.last_look = time.monotonic()
        tree.look_cost = tree.last_look - started
        tree.uncommitted |= found.changed > 0
        if found.changed or (found.full and not tree.polled):
            self._report(
                Event(
                    kind=Kind.REFRESHED,
                    repository=tree.name,
                    changed=found.changed,
                    failed=found.failed,
                    full=found.full,
                    seconds=found.seconds,
                )
            )

    def _refreshed(
        self, engine: Refreshing, tree: _Tree, paths: Collection[bytes] | None
    ) -> RefreshReport:
        """A refresh, and a second one of everything where the first failed: trouble may be passing."""
        with suppress(ResourceExhausted, OSError):
            return engine.refresh(tree.view, paths, read=self._options.read)
        return engine.refresh(tree.view, None, read=self._options.read)

    def _trouble(self, tree: _Tree, text: str) -> None:
        """It answers as indexed, and what is shown is proved; the next tick tries again."""
        tree.last_look = time.monotonic()
        if text != tree.trouble:
            tree.trouble = text
            self._report(Event(kind=Kind.TROUBLE, repository=tree.name, text=text))

    # ------------------------------------------------------------------ committing and answering

    def _commit(self, engine: Refreshing) -> None:
        every = self._options.commit_every
        if every is None or time.monotonic() - self._committed < every:
            return
        self._committed = time.monotonic()
        for tree in self._trees.values():
            if tree.uncommitted:
                started = time.monotonic()
                try:
                    engine.commit(tree.view, read=self._options.read)
                except (GrainlineError, OSError) as failure:  # the next time
                    self._delayed(tree, failure)
                    continue
                tree.uncommitted, tree.delay = False, ""
                seconds = time.monotonic() - started
                self._report(Event(kind=Kind.COMMITTED, repository=tree.name, seconds=seconds))

    def _delayed(self, tree: _Tree, failure: GrainlineError | OSError) -> None:
        """Only the home is behind: what is in memory answers as before."""
        text = "another process writes" if isinstance(failure, Locked) else str(failure)
        if text != tree.delay:
            tree.delay = text
            self._report(Event(kind=Kind.WAITING, repository=tree.name, text=text))

    def _answer(self, engine: Refreshing) -> None:
        with self._news:
            question = self._questions.popleft()
        if _waits(engine, question):
            self._held.append((time.monotonic(), question))
        else:
            self._reply(engine, question)

    def _answer_held(self, engine: Refreshing) -> None:
        """Answer what waited for edges that are there now; nothing waits longer than `HELD`."""
        while self._held and (
            time.monotonic() - self._held[0][0] > HELD or not engine.makes_edges()
        ):
            self._reply(engine, self._held.popleft()[1])

    def _reply(self, engine: Refreshing, question: _Question) -> None:
        name, arguments, future = question
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(self._signed(getattr(engine, name)(**arguments)))
        except BaseException as failure:
            future.set_exception(failure)
            if not isinstance(failure, Exception):
                raise

    def _signed(self, result: object) -> object:
        """`result` saying who looked at the work trees."""
        if isinstance(result, StatusResult):
            names = {row.repository for row in result.repositories if _has_tree(row)}
            return replace(result, work_tree=self._marked(result.work_tree, names))
        coverage: object = getattr(result, "coverage", None)
        if not isinstance(coverage, CoverageRecord):
            return result
        asked = {state.repository for state in coverage.snapshots}
        channels = tuple(
            (name, self._marked(text, asked) if name == "work_tree" else text)
            for name, text in coverage.channels
        )
        changed: Any = result
        return replace(changed, coverage=replace(coverage, channels=channels))

    def _marked(self, text: str, asked: Collection[str]) -> str:
        """The state of work trees of the repositories asked, saying who looks at them."""
        if not text.startswith("as on disk"):
            return text
        return f"{text}; followed by process {os.getpid()}" + "".join(self._behind(asked))

    def _behind(self, asked: Collection[str]) -> Iterator[str]:
        """What keeps the newest changes of the trees that were asked out of an answer.

        Who asks may not read every path of a tree, so the trouble itself is told to the owner only.
        """
        for view, tree in self._trees.items():
            if tree.name in asked and tree.trouble:
                yield f"; {tree.name} cannot be looked at now and answers as before"
            elif tree.name in asked and tree.busy_since and view in self._pending:
                yield f"; {tree.name} answers as before what git is doing there"


def _has_tree(row: RepositoryStatus) -> bool:
    return any(ref.ref == WORKTREE for ref in row.refs)


class Candidate(Asker):
    """`Answers` of a process that becomes the owner as soon as nobody else is.

    Args:
        home: the folder of the index.
        open_engine: opens its engine.
        read: what to read of each repository.
        note: tells people.
    """

    def __init__(
        self,
        home: Path,
        open_engine: Callable[[], Refreshing],
        read: Callable[[], ReadOptions],
        note: Callable[[str], None],
    ) -> None:
        super().__init__(home, open_engine, read, note)
        self._place = home
        self._owner: Owner | None = None

    def close(self) -> None:
        """Leave the home to the next one."""
        if self._owner is not None:
            self._owner.close()
        super().close()

    def _call(self, name: str, **arguments: Any) -> Any:
        if self._owner is None and self._place.is_dir():
            self._become_owner()
        if self._owner is not None:
            future = self._owner.ask(name, arguments)
            if future is not None:
                with suppress(CancelledError):  # it ended before it came to this question
                    return future.result()
            if self._owner.done.done():
                self._leave(self._owner)
        return super()._call(name, **arguments)

    def _become_owner(self) -> None:
        """Without a socket, or in a home that cannot be written, each call looks for itself."""
        options = OwnerOptions(read=self._read())
        try:
            self._owner = become_owner(self._place, self._open, options=options)
        except (ResourceExhausted, OSError) as failure:
            self._tell(f"work trees are not followed: {failure}")

    def _leave(self, owner: Owner) -> None:
        """After a defect, what is asked next is answered without it; a home made anew is another."""
        owner.close()
        failure = owner.done.exception()
        if isinstance(failure, ResourceExhausted):
            self._tell(str(failure))
            self._owner = None
