"""Small homes with secrets, and beside each the home that a principal should think it is asking.

A `World` is a live home in memory: repositories, refs, files that change, a policy that changes,
several principals, one process. `compare` asks the live home as a principal, and asks an index
built over the same snapshots with the unreadable entries dropped; every byte has to be the same.
Who reads what is decided here by a search over the rules, not by any code of the product.
"""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from grainline.access.policy import make_policy
from grainline.chunking.base import ChunkOptions
from grainline.engine import MEMORY, Engine
from grainline.errors import GrainlineError
from grainline.indexing.frames import Job
from grainline.indexing.hints import hint_of
from grainline.indexing.setup import Setup
from grainline.indexing.workers import InProcess
from grainline.model.access import WORKTREE, AccessRule, Principal, Scope, View
from grainline.model.snapshot import Mode, Outcome, Reason, RepositoryId, Snapshot
from grainline.snapshots import Attributes, path_flags
from grainline.storage.base import BlobKey, ContentBatch, MemberEntry, RepositoryRecord
from grainline.storage.catalog import Change
from grainline.storage.memory import MemoryCatalog
from grainline.storage.store import PartStore
from grainline.surfaces.cli.questions import Question, Verb, about, answer, followed, named
from grainline.text.digest import git_blob_id
from helpers.facts import facts

REPOSITORIES = ("one", "two")
REFS = ("refs/heads/main", "refs/heads/dev", WORKTREE)
GROUPS = ("red", "blue", "green")
PRINCIPALS = ("ann", "bob", "cyd", "eve")
"""`eve` never stands in a policy."""

PATHS = (
    b"a/pay.py",
    b"a/b/refund.py",
    b"a/b/test_refund.py",
    b"ab/pay.py",
    b"c/README.md",
    b"c/caf\xe9.py",
    b"top.py",
)
PREFIXES = (
    b"",
    b"a",
    b"a/b",
    b"ab",
    b"c",
    b"c/caf\xe9.py",
    b"top.py",
    b"a/b/refund.py",
    b".gitattributes",
    b"a/.gitattributes",
)

_CHARGE = (
    b'def charge(order, amount):\n    """Charge a card."""\n    return send(order, amount)\n\n\n'
)
_REFUND = (
    b"def refund(order):\n    # handler of refunds\n    return charge(order, -order.total)\n\n\n"
)
_SEND = b"def send(order, amount):\n    return gateway.post('E1042 declined', order, amount)\n\n\n"
_ORDER = b"class Order:\n    total = 0\n\n    def pay(self, amount):\n        return charge(self, amount)\n\n\n"
_ODERR = b"class Orders(Order):\n    def refund_all(self):\n        return [refund(each) for each in self]\n\n\n"
_TEST = b"from a.b.refund import refund\n\n\ndef test_refund():\n    assert refund(Order()) == 'handler'\n"
_MORE = b"def handler(event):\n    handler.handler = handler\n    return 'handler handler handler'\n\n\n"
_SETTLE = (
    b"from a.pay import charge\nfrom a.b.refund import refund\nfrom ab.pay import Order\n\n\n"
    b"def settle(order):\n    return charge(refund(order), 1)\n\n\n"
    b"class Late(Order):\n    def pay(self, amount):\n        return settle(self)\n\n\n"
)
PAGE = (
    b"import os\nfrom flask import Flask, request\nfrom ab.pay import launch, safe\n\napp = Flask(__name__)\n\n\n"
    b"@app.route('/pay')\ndef page():\n    os.system('pay ' + request.args['order'])\n"
    b"    os.system(safe(request.args['card']))\n    launch(request.args['line'])\n\n\n"
)
SAFE = (
    b"import os\nimport shlex\n\n\ndef safe(text):\n    return shlex.quote(text)\n\n\n"
    b"def launch(line):\n    os.system(line)\n\n\n"
)
BLOBS: tuple[bytes | Reason, ...] = (
    _CHARGE,
    _REFUND + _CHARGE,
    _SEND,
    b"import gateway\n\n\n" + _SEND + _ORDER,
    _ORDER + _ODERR,
    _TEST,
    _MORE,
    b"# Payments\n\nHow to refund an order: call `refund`.\n\n## Handler\n\nThe handler declined it.\n",
    _MORE + _TEST + _REFUND,
    b"",
    b"\x00\x01binary\x00",
    Reason.TOO_LARGE,
    PAGE,
    SAFE,
    _SETTLE,
)
ATTRIBUTES = (b".gitattributes", b"a/.gitattributes", b"a/b/.gitattributes", b"c/.gitattributes")
"""Paths whose blobs say something of the flags of other paths."""

ATTRIBUTE_BLOBS: tuple[bytes, ...] = (
    b"*.py linguist-generated\n",
    b"*.py -linguist-generated linguist-vendored\nb/* linguist-documentation\n",
    b"* !linguist-generated !linguist-documentation\n",
    b"pay.py linguist-generated\n*.md -linguist-documentation\n",
)
BLOBS = (*BLOBS, *ATTRIBUTE_BLOBS)
_SETUP = Setup(chunker="grain", chunk=ChunkOptions())
_PRINT = _SETUP.fingerprint()
HEAD = "c0" * 20


class LeakError(AssertionError):
    """A principal was answered otherwise than an index without the secrets answers."""


# --------------------------------------------------------------------------- homes


class File(NamedTuple):
    """What stands at a path: a position in `BLOBS`; `dirty` counts in work trees only."""

    blob: int
    dirty: bool = False


Files = dict[bytes, File]
Names = tuple[tuple[str, ...], tuple[str, ...]]
"""(repositories, refs) as a client names them; nothing is everything."""

Where = tuple[str, str]
"""(repository, ref)."""


@dataclass(frozen=True, slots=True)
class State:
    """A view: its files, its gone files (of a work tree), the commit it stands on."""

    files: tuple[tuple[bytes, File], ...]
    missing: tuple[bytes, ...]
    commit: str


class Home:
    """A home in memory, written without any repository."""

    def __init__(self) -> None:
        self.store = PartStore(MemoryCatalog())
        self.engine = Engine(self.store, MEMORY, workers=0)

    def lift(self) -> None:
        """From now on what is written stays above the home, as the edits of a followed work tree."""
        self.store = self.store.overlaid()
        self.engine = Engine(self.store, MEMORY, workers=0)

    def put(self, where: Where, state: State, before: State | None = None) -> None:
        """Make a view hold exactly the files of `state`; with `before`, by what differs from it."""
        new = dict(state.files)
        old = _members(before) if before else {}
        entries = {path: row for path, row in _members(state).items() if old.get(path) != row}
        repository, ref = where
        record = record_of(repository)
        view = View(repository=record.id, ref=ref)
        snapshot = Snapshot(
            repository=record.id, ref=ref, commit=state.commit, version=state.commit, dirty=False
        )
        changed = [entries[path] for path in sorted(entries)]
        with self.store.writer(_PRINT) as writer:
            for entry in changed:
                if entry.key is not None and not writer.known([entry.key]):
                    writer.add(analysed(new[entry.path].blob, entry.key))
            if before is None:
                writer.commit(record, view, snapshot, changed, missing=state.missing)
            else:
                gone = sorted(old.keys() - new.keys())
                writer.amend(record, view, snapshot, view, changed, gone, missing=state.missing)
        self._settle()

    def drop(self, where: Where) -> None:
        """Forget a view."""
        with self.store.writer(_PRINT) as writer:
            writer.drop([View(repository=record_of(where[0]).id, ref=where[1])])

    def _settle(self) -> None:
        """Every view was indexed at the same moment."""
        catalog = self.store._catalog
        rows = tuple(replace(row, at=0) for row in catalog.pin().members if row.at)
        catalog.flip(Change(members=rows))


def record_of(repository: str) -> RepositoryRecord:
    """A repository that lies nowhere: what is shown cannot be read again, and says so."""
    root = f"/nowhere/{repository}"
    return RepositoryRecord(
        id=RepositoryId(f"id-{repository}"),
        name=repository,
        identity=root,
        root=root,
        prefix=b"",
        kind="worktree",
    )


_ANALYSED: dict[BlobKey, ContentBatch] = {}


def analysed(blob: int, key: BlobKey) -> ContentBatch:
    """The content of a blob, analysed once in a process."""
    if key not in _ANALYSED:
        data = BLOBS[blob]
        assert isinstance(data, bytes)
        (found,) = InProcess(_SETUP).submit([Job(key, data)]).result()
        _ANALYSED[key] = found.batch
    return _ANALYSED[key]


def _members(state: State) -> dict[bytes, MemberEntry]:
    """The rows of a view: its attribute files speak of the others."""
    texts = [(path, BLOBS[file.blob]) for path, file in state.files if path in ATTRIBUTES]
    attributes = Attributes((path, data) for path, data in texts if isinstance(data, bytes))
    return {path: _member(path, file, attributes) for path, file in state.files}


def _member(path: bytes, file: File, attributes: Attributes) -> MemberEntry:
    data = BLOBS[file.blob]
    skip = data if isinstance(data, Reason) else None
    return MemberEntry(
        path=path,
        mode=Mode.FILE,
        size=-1 if isinstance(data, Reason) else len(data),
        key=None if isinstance(data, Reason) else BlobKey(git_blob_id(data), hint_of(path)),
        outcome=Outcome.SKIPPED if skip else Outcome.INDEXED,
        reason=skip,
        detail="",
        flags=path_flags(path, attributes),
        dirty=file.dirty,
    )


# --------------------------------------------------------------------------- worlds


class World:
    """A live home, what it holds, and who may read it."""

    def __init__(self) -> None:
        self.live = Home()
        self.states: dict[Where, State] = {}
        self.rules: tuple[AccessRule, ...] = ()
        self.groups: dict[str, frozenset[str]] = {}
        self.compared = 0
        self._edits = 0
        self._others: OrderedDict[object, Home] = OrderedDict()

    def write(
        self, where: Where, files: Files, missing: Sequence[bytes] = (), *, amend: bool = False
    ) -> None:
        """Index a view; its commit is another one each time. `amend` writes what differs."""
        self._edits += 1
        worktree = where[1] == WORKTREE
        commit = HEAD if worktree else hashlib.sha1(b"%d" % self._edits).hexdigest()
        gone = tuple(sorted(set(missing) - set(files))) if worktree else ()
        state = State(tuple(sorted(files.items())), gone, commit)
        before = self.states.get(where) if amend else None
        self.states[where] = state
        self.live.put(where, state, before)

    def edit(self, where: Where, path: bytes, file: File | None, *, amend: bool = False) -> None:
        """Change one file of a view."""
        before = self.states.get(where)
        files = dict(before.files) if before else {}
        missing = set(before.missing) if before else set()
        if file is None:
            files.pop(path, None)
            missing.add(path)
        else:
            files[path] = file
        self.write(where, files, tuple(missing), amend=amend)

    def drop(self, where: Where) -> None:
        """Forget a view."""
        if self.states.pop(where, None):
            self.live.drop(where)

    def allow(self, groups: dict[str, frozenset[str]], rules: Sequence[AccessRule]) -> None:
        """Put another policy in force."""
        self.groups, self.rules = groups, tuple(rules)
        self.live.engine.set_policy(make_policy(groups.items(), rules))

    # ------------------------------------------------------------------ who reads what

    def reads(self, principal: str, repository: str, path: bytes) -> bool:
        """Whether a principal reads a path: the longest rule, of two the repository's."""
        fitting = [
            rule
            for rule in self.rules
            if rule.repository in ("", repository)
            and (b"/" + path + b"/").startswith(b"/" + rule.prefix + b"/" if rule.prefix else b"/")
        ]
        if not fitting:
            return False
        best = max(fitting, key=lambda rule: (len(rule.prefix), rule.repository))
        return not self.groups.get(principal, frozenset()).isdisjoint(best.groups)

    def seen(self, principal: str) -> dict[Where, State]:
        """The snapshots without what a principal may not read."""
        found: dict[Where, State] = {}
        for where, state in self.states.items():
            files = tuple(row for row in state.files if self.reads(principal, where[0], row[0]))
            missing = tuple(path for path in state.missing if self.reads(principal, where[0], path))
            if files:
                found[where] = State(files, missing, state.commit)
        return found

    def hides_a_part(self, principal: str) -> bool:
        """Whether a principal reads something of the home, and not all of it."""
        read = sum(len(state.files) for state in self.seen(principal).values())
        return 0 < read < sum(len(state.files) for state in self.states.values())

    def other(self, principal: str) -> Home:
        """The home over those snapshots, built from nothing (or kept from an equal question)."""
        seen = self.seen(principal)
        key = tuple(sorted(seen.items(), key=lambda item: item[0]))
        if key not in self._others:
            home = self._others[key] = Home()
            for where, state in key:
                home.put(where, state)
            if len(self._others) > 16:
                self._others.popitem(last=False)
        self._others.move_to_end(key)
        return self._others[key]

    # ------------------------------------------------------------------ asking

    def questions(self) -> list[Question]:
        """Questions from every file of the home, read by the owner: forbidden ones included."""
        found: dict[Question, None] = {}
        for (repository, ref), state in self.states.items():
            found |= dict.fromkeys(
                (
                    Question(Verb.STATUS, ""),
                    Question(Verb.STATUS, "paths"),
                    Question(Verb.SCOPE, repository),
                    Question(Verb.SCOPE, f"@{ref}"),
                    Question(Verb.SCOPE, f"@{ref.rpartition('/')[2]}"),
                    Question(Verb.SCOPE, f"@{state.commit[:9]}"),
                    Question(Verb.SCOPE, repository[:-1]),
                )
            )
            for path, file in state.files:
                data = BLOBS[file.blob]
                text = "" if isinstance(data, Reason) else data.decode("utf-8", "replace")
                words = [word.strip("(:,") for word in text.split()]
                names = [b.partition("(")[0] for a, b in pairwise(words) if a in ("def", "class")]
                found |= dict.fromkeys(about(path, text, tuple(names), state.commit))
                found |= dict.fromkeys(followed(path, tuple(names)))
        return list(found)

    def compare(
        self, principal: str, names: Names, questions: Sequence[Question], *, deep: bool = False
    ) -> None:
        """Ask both homes; `deep` compares what stands behind the answers too.

        Raises:
            LeakError: one byte is not the same.
        """
        live, other = self.live.engine, self.other(principal).engine
        policy = live.policy()
        assert policy is not None
        who = Principal(name=principal, groups=self.groups.get(principal, frozenset()))
        other.asker = who
        repos, refs = names
        if repos or refs:
            mine = _scope(lambda: live.scope(repos=repos, refs=refs, principal=principal))
            theirs = _scope(lambda: other.scope(repos=repos, refs=refs))
        else:
            mine = _scope(lambda: live.everything(principal))
            theirs = _scope(other.everything)
        if isinstance(theirs, Scope):
            theirs = replace(theirs, epoch=policy.epoch)
        for question in questions:
            self.compared += 1
            with logged() as ours_said:
                ours = _ask(live, mine, question, principal)
            with logged() as other_said:
                wanted = _ask(other, theirs, question, None)
            if ours != wanted:
                raise LeakError(f"response to {principal}: {question}: {_apart(ours, wanted)}")
            if ours_said != other_said:
                raise LeakError(f"log of {principal}: {question}: {ours_said} {other_said}")
        if deep and isinstance(mine, Scope) and isinstance(theirs, Scope):
            if facts(self.live.store.corpus(mine)) != facts(other_store(other).corpus(theirs)):
                raise LeakError(f"candidates of {principal}: {names}")
            if list(live.dump(mine)) != list(other.dump(theirs)):
                raise LeakError(f"dump of {principal}: {names}")
        self.check_caches()

    def check_caches(self) -> None:
        """No kept corpus of the policy in force holds what its principal may not read."""
        policy = self.live.engine.policy()
        for kept in self.live.store._corpora.values():
            corpus = kept.corpus
            scope = corpus.scope
            if policy is None or scope.classes is None or scope.epoch != policy.epoch:
                continue
            for entry in range(corpus.n_entries):
                name, path = corpus.repository(entry).name, corpus.path(entry)
                if not self.reads(scope.principal.name, name, path):
                    raise LeakError(f"cache of {scope.principal.name}: {name} {path!r}")


def _apart(ours: bytes, wanted: bytes) -> str:
    pairs = enumerate(zip(ours, wanted, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), min(len(ours), len(wanted)))
    return f"byte {at}: {ours[max(at - 60, 0) : at + 60]!r} / {wanted[max(at - 60, 0) : at + 60]!r}"


def other_store(engine: Engine) -> PartStore:
    """The store of an engine in memory."""
    store = engine._store
    assert isinstance(store, PartStore)
    return store


def _scope(make: object) -> Scope | str:
    try:
        return make()  # type: ignore[operator, no-any-return]
    except GrainlineError as error:
        return str(error)


def _ask(engine: Engine, scope: Scope | str, question: Question, principal: str | None) -> bytes:
    if question.verb is Verb.SCOPE:
        return named(engine, principal, question)
    return scope.encode() if isinstance(scope, str) else answer(engine, scope, question)


@contextmanager
def logged() -> Iterator[list[str]]:
    """Every line that the package logs meanwhile."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler, logger = Keep(logging.DEBUG), logging.getLogger("grainline")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
