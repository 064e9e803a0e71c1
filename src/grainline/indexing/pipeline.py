"""The write path: what changed in a snapshot is analysed once, stored, and made visible last.

    entries ─ skip rules ─ keys ─ minus what the store knows ─ read ─ batches ─ workers ─ writer
                                                                    members ─ commit (the flip) ─┘

**Invariants**: every entry of a snapshot gets exactly one outcome. A blob that the store knows is
neither read nor analysed again. Batches reach the writer in the order of the entries, whatever the
number of workers. Nothing is visible before `commit`; what was added before a crash is kept.
"""

from __future__ import annotations

import contextlib
import errno
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from grainline.chunking.base import ChunkOptions
from grainline.errors import Interrupted, ResourceExhausted
from grainline.indexing.difference import difference
from grainline.indexing.frames import Analysed, Job
from grainline.indexing.hints import hint_of
from grainline.indexing.setup import Setup
from grainline.indexing.workers import (
    Analysts,
    InProcess,
    Pool,
    WorkerLimits,
    analysis,
    cores,
)
from grainline.model.access import WORKTREE, View
from grainline.model.answers import IndexReport, PathRow, Progress, ViewReport
from grainline.model.snapshot import Entry, Outcome, Reason, Snapshot, SourceEntry
from grainline.snapshots.estimate import Estimate, estimate
from grainline.snapshots.repository import Repository
from grainline.storage.base import (
    Based,
    BlobKey,
    Committed,
    ContentBatch,
    Fingerprint,
    MemberEntry,
    MemberRows,
    RepositoryRecord,
    Writer,
)
from grainline.text.secrets import is_secret_path

BATCH_BYTES = 1 << 20
BATCH_BLOBS = 200
FLUSH_BYTES = 32 << 20  # text between two moments at which a killed run loses nothing
SUSPICIOUS_FILES = 20  # files with definition nodes and without one symbol, of one language
PROGRESS_STEP = 50  # files between two reports of progress

# What depends on the machine or the moment: not stored, so that the next run tries again.
TRANSIENT = frozenset({Reason.PARSER_TIMEOUT, Reason.PARSER_MEMORY, Reason.CHANGED_WHILE_READING})
FAILURES = TRANSIENT | {Reason.PARSER_CRASH}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """How to index.

    Attributes:
        chunker: a name of `CHUNKERS`.
        chunk: options of the chunker.
        workers: processes; None for one per core, 0 for none (trusted bytes only).
        limits: what one request to a worker may cost.
        historic: keep the views only as long as they are asked for (see `gc`).
        ir: make the IR of files along, which costs less than making it from another tree later.
    """

    chunker: str = "grain"
    chunk: ChunkOptions = field(default_factory=ChunkOptions)
    workers: int | None = None
    limits: WorkerLimits = field(default_factory=WorkerLimits)
    historic: bool = False
    ir: bool = False

    def setup(self) -> Setup:
        """What the workers are told."""
        return Setup(chunker=self.chunker, chunk=self.chunk, ir=self.ir)


def fingerprint(options: IndexOptions) -> Fingerprint:
    """What the content is made with: equal fingerprints give equal content for equal blobs."""
    return options.setup().fingerprint()


ReportProgress = Callable[[Progress], None]
KeepIr = Callable[[BlobKey, bytes], None]
"""Told the IR of a blob, as `encode_ir` writes it."""


def index(
    repository: Repository,
    writer: Writer,
    *,
    record: RepositoryRecord,
    refs: Sequence[str] = (),
    options: IndexOptions,
    progress: ReportProgress = lambda _: None,
    keep_ir: KeepIr = lambda _, __: None,
) -> IndexReport:
    """Bring the views of `refs` up to date and report what became of every path.

    Args:
        repository: what to index; without `refs`, its default ones.
        writer: of a store, made for `fingerprint(options)`.
        record: the repository as the catalog is to know it.
        refs: what `Repository.snapshot` takes: ref names, commits, `WORKTREE`.
        options: how.
        progress: called now and then, from this thread; stages are `list`, `estimate` (once, when
            the first index of something large begins; its detail is for people), `read`, `store`.
        keep_ir: takes the IR that was made along.

    Raises:
        BadInput: a ref cannot be meant; nothing was written.
        Refused: a ref cannot be read safely; nothing was written.
        Interrupted: by the user; what was finished is stored and not done again.
        ResourceExhausted: disk or memory gave out; the last generation still answers.
    """
    started = time.monotonic()
    run = _Run(repository, writer, record, options, progress, keep_ir)
    try:
        views = run.views(refs or repository.default_refs())
    except KeyboardInterrupt:
        writer.flush()
        raise Interrupted(
            "interrupted",
            "stopped before the index was complete; the last state still answers",
            subject=record.name,
            hint="run the same command again: it goes on where this run stopped",
        ) from None
    except (OSError, MemoryError) as error:
        raise exhausted(error, record.name) from error
    return IndexReport(views=views, suspicious=run.suspicious(), seconds=time.monotonic() - started)


def analysts_for(setup: Setup, options: IndexOptions) -> Analysts:
    """What analyses blobs in the way of `setup`; to be closed."""
    if options.workers == 0:
        return InProcess(setup)
    size = cores() if options.workers is None else options.workers
    return Pool(analysis(setup), size=size, limits=options.limits)


def exhausted(error: OSError | MemoryError, subject: str) -> BaseException:
    """The error for a person when disk or memory gave out, else the error itself."""
    hint = "the last state still answers; free some space and run the same command again"
    if isinstance(error, MemoryError):
        return ResourceExhausted("out_of_memory", "memory gave out", subject=subject, hint=hint)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return ResourceExhausted("disk_full", "the disk is full", subject=subject, hint=hint)
    return error


# -------------------------------------------------------------------------------------- one run


class _Listed(NamedTuple):
    """A view to index: all its entries, or with a `base` what it has instead of that view's."""

    view: View
    snapshot: Snapshot
    entries: tuple[SourceEntry, ...]
    base: View | None = None
    gone: tuple[bytes, ...] = ()


class _Run:
    """One call of `index`: what its views share."""

    def __init__(
        self,
        repository: Repository,
        writer: Writer,
        record: RepositoryRecord,
        options: IndexOptions,
        progress: ReportProgress,
        keep_ir: KeepIr,
    ) -> None:
        self._record = record
        self._keep_ir = keep_ir
        self._repository = repository
        self._writer = writer
        self._options = options
        self._progress = progress
        self._barren: Counter[str] = Counter()
        self._fruitful: Counter[str] = Counter()

    def views(self, refs: Sequence[str]) -> tuple[ViewReport, ...]:
        """Index every ref and flip after each. All of them are listed before anything is written."""
        listed: dict[View, _Listed] = {}
        for ref in refs:
            found = self._list(ref, listed)
            listed[found.view] = found
        with contextlib.closing(analysts_for(self._options.setup(), self._options)) as analysts:
            return tuple(self._view(each, analysts) for each in listed.values())

    def suspicious(self) -> tuple[str, ...]:
        """Languages of which many files hold definitions, and none of them gave a symbol."""
        return tuple(
            language
            for language, files in sorted(self._barren.items())
            if files >= SUSPICIOUS_FILES and not self._fruitful[language]
        )

    def _list(self, ref: str, before: Mapping[View, _Listed]) -> _Listed:
        """What must be looked at for `ref`; the views `before` are written first by the same run."""
        self._progress(Progress(stage="list", done=0, detail=ref))
        snapshot = self._repository.resolve(ref)
        view = View(repository=self._record.id, ref=snapshot.ref or snapshot.commit)
        if ref == WORKTREE:
            known = self._writer.signatures(view)
            return _Listed(view, *self._repository.snapshot(ref, known))
        based = self._based(view, before)
        if based is not None:
            changes = self._repository.changes(based.snapshot.commit, snapshot.commit, based.retry)
            if changes is not None:
                return _Listed(view, snapshot, changes.entries, based.view, changes.gone)
        return _Listed(view, *self._repository.snapshot(ref))

    def _based(self, view: View, before: Mapping[View, _Listed]) -> Based | None:
        """The view from which `view` is updated, as it will be when that happens."""
        based = self._writer.based(view.repository, view, self._repository.rules)
        if based is None:
            first = next((each for each in before.values() if each.view.ref != WORKTREE), None)
        else:
            first = before.get(based.view) if based.view != view else None
        if first is None:
            return based
        return Based(view=first.view, snapshot=first.snapshot, retry=())

    def _view(self, listed: _Listed, analysts: Analysts) -> ViewReport:
        before = self._before(listed)
        entries = before[1].doubtful(listed.entries) if before else listed.entries
        plan = Plan(entries)
        plan.settle(self._writer.known(plan.keys()))
        intake = Intake(self._writer, analysts, self._tally, self._keep_ir)
        while reads := plan.unsettled():  # again only for files that changed while they were read
            self._read(reads, plan, intake)
        intake.finish()
        members = plan.members(intake.failed)
        _check_complete(entries, members)
        view = listed.view
        self._progress(Progress(stage="store", done=0, total=len(listed.entries), detail=view.ref))
        rules = self._repository.rules
        historic = self._options.historic
        if listed.base is not None:
            written = self._writer.amend(
                self._record, view, listed.snapshot, listed.base, members, listed.gone,
                rules=rules, historic=historic,
            )  # fmt: skip
            return _report(self._record.name, written)
        if view.ref == WORKTREE:
            return self._work_tree(listed, plan.entries(), members)
        written = self._writer.commit(
            self._record, view, listed.snapshot, members, rules=rules, historic=historic
        )
        return _report(self._record.name, written)

    def _before(self, listed: _Listed) -> tuple[Snapshot, MemberRows] | None:
        """The rows of a work tree that stands on the commit of the last time, made alike."""
        view = listed.view
        if view.ref != WORKTREE:
            return None
        state = self._writer.state(view)
        if state is None or state[0].commit != listed.snapshot.commit:
            return None
        based = self._writer.based(view.repository, view, self._repository.rules)
        return None if based is None else state

    def _work_tree(
        self, listed: _Listed, entries: Sequence[SourceEntry], members: Sequence[MemberEntry]
    ) -> ViewReport:
        """Commit a work tree: what differs from the last time, where that was made alike."""
        view, snapshot, rules = listed.view, listed.snapshot, self._repository.rules
        state = self._writer.state(view)
        if state is None or self._writer.based(view.repository, view, rules) is None:
            other, missing = self._repository.deviations(snapshot.commit, entries)
            marked = [member._replace(dirty=member.path in other) for member in members]
            written = self._writer.commit(
                self._record, view, snapshot, marked, missing=missing, rules=rules
            )
            return _report(self._record.name, written)
        before, rows = state
        read = {entry.path: entry for entry in entries}
        found = [(member, read[member.path]) for member in members]
        gone = sorted(set(rows.paths) - {entry.path for entry in listed.entries})
        now = difference(self._repository, before, rows, snapshot.commit, found, gone)
        written = self._writer.amend(
            self._record, view, snapshot, view, now.written, now.removed,
            missing=now.missing, rules=rules,
        )  # fmt: skip
        return _report(self._record.name, written)

    def _read(self, reads: Sequence[SourceEntry], plan: Plan, intake: Intake) -> None:
        cost = estimate(reads)
        if cost.large:
            self._progress(Progress(stage="estimate", done=0, detail=_spoken(cost)))
        taken = 0
        for done, (entry, content, detail) in enumerate(self._repository.read(reads)):
            if done % PROGRESS_STEP == 0:
                self._report_reading(done, len(reads), taken, cost.bytes)
            if isinstance(content, Reason):
                plan.refuse(entry, content, detail)
            else:
                taken += len(content)
                intake.take(plan.key_of(entry), content)
        self._report_reading(len(reads), len(reads), taken, cost.bytes)

    def _report_reading(self, done: int, total: int, taken: int, size: int) -> None:
        self._progress(
            Progress(stage="read", done=done, total=total, done_bytes=taken, total_bytes=size)
        )

    def _tally(self, analysed: Analysed) -> None:
        self._barren.update(analysed.barren)
        self._fruitful.update(analysed.fruitful)


def _spoken(cost: Estimate) -> str:
    return (
        f"{cost.files:,} files, {cost.bytes / 1e6:,.0f} MB: about {cost.seconds / 60:,.0f} minutes"
        f" of one processor, at most {cost.disk_bytes / 1e6:,.0f} MB on disk"
    )


def _check_complete(entries: Sequence[SourceEntry], members: Sequence[MemberEntry]) -> None:
    """Law 4: as many outcomes as entries, one for each path, in order."""
    paths = [member.path for member in members]
    if paths != sorted({entry.path for entry in entries}) or len(paths) != len(entries):
        raise RuntimeError(f"{len(entries)} paths went in, {len(paths)} outcomes came out")


class Plan:
    """Which entries have to be read, and what became of each.

    A key is settled when its content is stored or on its way, or cannot be had.
    """

    def __init__(self, entries: Sequence[SourceEntry]) -> None:
        self._entries = {entry.path: entry for entry in entries}
        self._keys: dict[bytes, BlobKey] = {}
        self._skipped: dict[bytes, tuple[Reason, str]] = {}
        self._refused: dict[BlobKey, tuple[Reason, str]] = {}
        self._settled: set[BlobKey] = set()
        for entry in entries:
            if entry.skip is not None:
                self._skipped[entry.path] = (entry.skip, entry.detail)
            elif is_secret_path(entry.path):
                self._skipped[entry.path] = (Reason.SECRET, "the name says so")
            elif entry.raw_id is not None:
                self._keys[entry.path] = BlobKey(entry.raw_id, hint_of(entry.path))

    def keys(self) -> list[BlobKey]:
        """The distinct keys that are known so far."""
        return list(dict.fromkeys(self._keys.values()))

    def settle(self, keys: Iterable[BlobKey]) -> None:
        """The content of `keys` is stored."""
        self._settled.update(keys)

    def unsettled(self) -> list[SourceEntry]:
        """What must be read: one entry for each unsettled key, and what has no key yet."""
        seen = set(self._settled)
        reads: list[SourceEntry] = []
        for path, entry in self._entries.items():
            key = self._keys.get(path)
            if key is None:
                if path not in self._skipped:
                    reads.append(entry)
            elif key not in seen:
                seen.add(key)
                reads.append(entry)
        return reads

    def key_of(self, entry: SourceEntry) -> BlobKey:
        """Settle the key of an entry that was read; `entry` tells what was really there."""
        assert entry.raw_id is not None, "reading tells the id"
        key = self._keys[entry.path] = BlobKey(entry.raw_id, hint_of(entry.path))
        self._entries[entry.path] = entry
        self._settled.add(key)
        return key

    def refuse(self, entry: SourceEntry, reason: Reason, detail: str) -> None:
        """The reader could not give the content: of a file, or of a git blob and all its paths."""
        self._entries[entry.path] = entry
        key = self._keys.get(entry.path)
        if key is None or entry.signature:
            self._keys.pop(entry.path, None)
            self._skipped[entry.path] = (reason, detail)
        else:
            self._refused[key] = (reason, detail)
            self._settled.add(key)

    def entries(self) -> list[SourceEntry]:
        """The entries as they were read, in their order."""
        return list(self._entries.values())

    def members(self, failed: Mapping[BlobKey, tuple[Reason, str]]) -> list[MemberEntry]:
        """The outcome of every entry, by path."""
        lost = {**self._refused, **failed}
        members = [self._member(entry, lost) for entry in self._entries.values()]
        return sorted(members, key=lambda member: member.path)

    def _member(
        self, entry: SourceEntry, lost: Mapping[BlobKey, tuple[Reason, str]]
    ) -> MemberEntry:
        key = self._keys.get(entry.path)
        verdict = self._skipped.get(entry.path) if key is None else lost.get(key)
        reason, detail = verdict or (None, "")
        return MemberEntry(
            path=entry.path,
            mode=entry.mode,
            size=entry.size,
            key=None if verdict else key,
            outcome=_outcome(reason),
            reason=reason,
            detail=detail,
            flags=entry.flags,
            signature=entry.signature,
        )


def _outcome(reason: Reason | None) -> Outcome:
    """Of a path without content; the content of the others knows its own."""
    if reason is None:
        return Outcome.INDEXED
    return Outcome.FAILED if reason in FAILURES else Outcome.SKIPPED


class Intake:
    """From blobs to the writer: batches go out to the analysts and come back in order.

    `failed` holds the keys that failed for a passing reason; nothing is stored for them.
    """

    def __init__(
        self,
        writer: Writer,
        analysts: Analysts,
        tally: Callable[[Analysed], None] = lambda _: None,
        keep_ir: KeepIr = lambda _, __: None,
    ) -> None:
        self._keep_ir = keep_ir
        self._writer = writer
        self._analysts = analysts
        self._tally = tally
        self._jobs: list[Job] = []
        self._bytes = 0
        self._seen: set[BlobKey] = set()
        self._pending: deque[Future[tuple[Analysed, ...]]] = deque()
        self._unflushed = 0
        self.failed: dict[BlobKey, tuple[Reason, str]] = {}

    def take(self, key: BlobKey, content: bytes) -> None:
        """Analyse and store one blob, unless this run or the store has it."""
        if key in self._seen:
            return
        self._seen.add(key)
        self._jobs.append(Job(key, content))
        self._bytes += len(content)
        if self._bytes >= BATCH_BYTES or len(self._jobs) >= BATCH_BLOBS:
            self.dispatch()

    def finish(self) -> None:
        """Wait for everything."""
        self.dispatch(last=True)
        while self._pending:
            self._collect()

    def cancel(self) -> None:
        """What was sent out is not waited for any more."""
        while self._pending:
            self._pending.pop().cancel()

    def dispatch(self, *, last: bool = False) -> None:
        """Send out what was taken, without waiting for it; behind the last, `finish` or `cancel`."""
        jobs, self._jobs, self._bytes = self._jobs, [], 0
        known = self._writer.known([job.key for job in jobs])
        jobs = [job for job in jobs if job.key not in known]
        if jobs:
            alone = last and not self._pending
            ask = self._analysts.begin if alone else self._analysts.submit
            self._pending.append(ask(jobs))
        while len(self._pending) > self._analysts.ahead or self._is_ready():
            self._collect()

    def _is_ready(self) -> bool:
        return bool(self._pending) and self._pending[0].done()

    def _collect(self) -> None:
        for analysed in self._pending.popleft().result():
            self._tally(analysed)
            for blob, ir in zip(analysed.batch.blobs, analysed.irs, strict=False):
                if ir:
                    self._keep_ir(blob.key, ir)
            self._store(analysed.batch)

    def _store(self, batch: ContentBatch) -> None:
        passing = [blob for blob in batch.blobs if blob.reason in TRANSIENT]
        if passing:
            self.failed |= {blob.key: (blob.reason, blob.detail) for blob in passing if blob.reason}
            kept = tuple(blob for blob in batch.blobs if blob.reason not in TRANSIENT)
            batch = replace(batch, blobs=kept)  # a failed blob has no rows: nothing else moves
        self._writer.add(batch)
        self._unflushed += sum(len(blob.text) for blob in batch.blobs)
        if self._unflushed >= FLUSH_BYTES:
            self._writer.flush()
            self._unflushed = 0


def _report(name: str, written: Committed) -> ViewReport:
    """What the store says became of every path."""
    return ViewReport(
        repository=name,
        snapshot=written.snapshot,
        generation=written.generation,
        counts=tuple((outcome, written.counts.get(outcome, 0)) for outcome in Outcome),
        reasons=tuple((outcome, str(reason), count) for outcome, reason, count in written.reasons),
        failures=tuple(map(_row, written.failures)),
        warnings=_barren(name, written.counts),
    )


def _barren(name: str, counts: Mapping[Outcome, int]) -> tuple[str, ...]:
    """What to say of a view in which nothing can be found."""
    if counts.get(Outcome.INDEXED) or counts.get(Outcome.INDEXED_AS_TEXT):
        return ()
    total = sum(counts.values())
    why = f"none of its {total} paths is indexed" if total else "it holds no file"
    return (f"nothing can be found in {name}: {why}",)


def _row(entry: Entry) -> PathRow:
    return PathRow(
        path=entry.path,
        outcome=entry.outcome,
        reason=entry.reason,
        detail=entry.detail,
        language=entry.language,
        symbols=entry.symbols,
        flags=entry.flags,
    )
