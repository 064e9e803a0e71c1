"""The IR of stored blobs, made once and kept as long as a process lives.

What a worker could not do this time (killed for time or memory) is not kept, so the next question
tries again.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

import zstandard

from grainline.indexing.frames import Job, decode_jobs, encode_jobs
from grainline.indexing.hints import hint_of
from grainline.indexing.lower import CODES, Lowered, lower_all, read_lowered
from grainline.indexing.setup import LOWER
from grainline.indexing.workers import Crew, Death, Errand, Pool, WorkerLimits
from grainline.languages.lowering.base import LOWERING_VERSION
from grainline.model.irbytes import IR_VERSION, names_of
from grainline.storage.base import BlobKey, Corpus
from grainline.text.decode import DECODE_VERSION
from grainline.text.secrets import RULES_VERSION

KEY = 16
BATCH_BYTES = 1 << 20
BATCH_BLOBS = 200
PIECE_BYTES = 1 << 16
"""Of a batch that a save may have to wait for: it takes about as long as the save."""

LEVEL = 3
MAX_FRESH = 256 << 20
"""Bytes of compressed IR (.6 of its source) that `index` keeps between analysis and edges."""

MAX_PART = 2000
"""Blobs whose IR is kept whatever was asked for last: a part of a view, one of many small views."""

_VERSIONS = f"{IR_VERSION} {LOWERING_VERSION} {DECODE_VERSION} {RULES_VERSION}".encode()

Report = Callable[[int, int], None]
"""(blobs done, all of them)"""


Pieces: TypeAlias = "Generator[Future[tuple[tuple[Lowered, ...], ...]]]"
"""What has to be done before each next piece of work."""


class Packed(NamedTuple):
    """The IR of a blob as it is kept: compressed, b"" for none, and the word for why."""

    data: bytes
    code: str

    def ir(self) -> bytes:
        """As `encode_ir` gave it."""
        return zstandard.ZstdDecompressor().decompress(self.data) if self.data else b""


def ir_key(corpus: Corpus, entry: int) -> bytes:
    """What the IR of an entry depends on, as 16 bytes."""
    return _key_of(BlobKey(corpus.raw_id(entry), hint_of(corpus.path(entry))))


def _key_of(blob: BlobKey) -> bytes:
    said = b"\0".join((_VERSIONS, blob.hint.encode("utf-8", "surrogateescape"), blob.raw_id))
    return hashlib.blake2b(said, digest_size=KEY).digest()


class Fresh:
    """IR that came along with the analysis of blobs, until edges are made of it.

    Args:
        most: bytes that are kept; beyond them what came first is forgotten, and made again when it
            is needed.
    """

    def __init__(self, most: int = MAX_FRESH) -> None:
        self._most = most
        self._kept: dict[bytes, Packed] = {}
        self._size = 0

    def keep(self, blob: BlobKey, ir: bytes) -> None:
        """The IR of a blob, checked."""
        key, packed = _key_of(blob), _packed(Lowered(ir, ""))
        before = self._kept.pop(key, None)
        self._size += len(packed.data) - (len(before.data) if before else 0)
        self._kept[key] = packed
        while self._size > self._most:
            self._size -= len(self._kept.pop(next(iter(self._kept))).data)

    def take(self) -> dict[bytes, Packed]:
        """All of it, by `ir_key`, to be kept elsewhere."""
        taken, self._kept, self._size = self._kept, {}, 0
        return taken


class Irs:
    """The IR of blobs by `ir_key`.

    Args:
        crew: starts what lowers blobs.
        fresh: IR that was made along with something else.
    """

    def __init__(
        self, crew: Callable[[], Crew[tuple[Lowered, ...]]], fresh: Fresh | None = None
    ) -> None:
        self._crew = crew
        self._fresh = fresh or Fresh()
        self._kept: dict[bytes, Packed] = {}
        self._words: dict[tuple[bytes, frozenset[str]], bool] = {}

    @contextmanager
    def sharing(self) -> Generator[None]:
        """Until the context ends, one crew serves every call that needs one."""
        shared = _Shared(self._crew)
        started, self._crew = self._crew, shared.lent
        try:
            yield
        finally:
            self._crew = started
            shared.end()

    def mentions(self, key: bytes, packed: Packed, words: frozenset[str]) -> bool:
        """Whether one of some words is a name of an IR."""
        known = self._words.get((key, words))
        if known is None:
            known = not words.isdisjoint(names_of(packed.ir()))
            self._words[key, words] = known
        return known

    def held(self, key: bytes) -> Packed | None:
        """The IR of a blob that was asked for before, if it is still there."""
        return self._kept.get(key)

    def pieces(self, corpus: Corpus, entries: Mapping[bytes, int]) -> Pieces:
        """Make and keep what is missing of `entries`, a little at a time, each when it was waited for."""
        missing = {key: entry for key, entry in entries.items() if key not in self._kept}
        if not missing:
            return
        workers = self._crew()
        try:
            for keys, jobs in _batches(corpus, missing, PIECE_BYTES):
                future = workers.submit(jobs)
                yield future
                found = (lowered for piece in future.result() for lowered in piece)
                self._keep(dict(zip(keys, map(_packed, found), strict=True)))
        finally:
            workers.close()

    def _keep(self, made: Mapping[bytes, Packed]) -> None:
        """Keep what did not fail in passing."""
        self._kept |= {key: packed for key, packed in made.items() if packed.code in CODES}

    def of(
        self, corpus: Corpus, entries: Mapping[bytes, int], report: Report
    ) -> dict[bytes, Packed]:
        """The IR of `entries`, by key; what is not kept is made, and kept unless it failed in passing.

        Once more others than these are kept, and they are many, the others are forgotten.
        """
        self._kept |= self._fresh.take()
        missing = {key: entry for key, entry in entries.items() if key not in self._kept}
        made = dict(_make(corpus, missing, self._crew, report)) if missing else {}
        self._keep(made)
        if len(self._kept) > max(2 * len(entries), MAX_PART):
            self._kept = {key: each for key, each in self._kept.items() if key in entries}
            self._words = {said: each for said, each in self._words.items() if said[0] in entries}
        return {key: made[key] if key in made else self._kept[key] for key in entries}


class _Shared:
    """A crew that starts with its first work, and that who uses it does not end."""

    def __init__(self, start: Callable[[], Crew[tuple[Lowered, ...]]]) -> None:
        self._start = start
        self._crew: Crew[tuple[Lowered, ...]] | None = None

    def lent(self) -> Crew[tuple[Lowered, ...]]:
        """The crew, for whom `close` means nothing."""
        self._crew = self._crew or self._start()
        return _Lent(self._crew)

    def end(self) -> None:
        """End it, if it started."""
        if self._crew is not None:
            self._crew.close()


class _Lent:
    """A crew of somebody else."""

    def __init__(self, crew: Crew[tuple[Lowered, ...]]) -> None:
        self._crew = crew
        self.ahead = crew.ahead

    def submit(self, jobs: Sequence[Job]) -> Future[tuple[tuple[Lowered, ...], ...]]:
        """See `Crew.submit`."""
        return self._crew.submit(jobs)

    def close(self) -> None:
        """It goes on."""


def _make(
    corpus: Corpus,
    missing: Mapping[bytes, int],
    crew: Callable[[], Crew[tuple[Lowered, ...]]],
    report: Report,
) -> Iterator[tuple[bytes, Packed]]:
    """The IR of what is missing, in its order."""
    workers = crew()
    pending: deque[tuple[list[bytes], Future[tuple[tuple[Lowered, ...], ...]]]] = deque()
    done = 0

    def collected(most: int) -> Iterator[tuple[bytes, Packed]]:
        nonlocal done
        while len(pending) > most:
            keys, future = pending.popleft()
            found = [lowered for piece in future.result() for lowered in piece]
            done += len(found)
            report(done, len(missing))
            yield from zip(keys, map(_packed, found), strict=True)

    try:
        for keys, jobs in _batches(corpus, missing):
            pending.append((keys, workers.submit(jobs)))
            yield from collected(workers.ahead)
        yield from collected(0)
    finally:
        workers.close()


def _packed(lowered: Lowered) -> Packed:
    data = zstandard.ZstdCompressor(LEVEL).compress(lowered.ir) if lowered.ir else b""
    return Packed(data, lowered.code)


def _batches(
    corpus: Corpus, missing: Mapping[bytes, int], most: int = BATCH_BYTES
) -> Iterator[tuple[list[bytes], list[Job]]]:
    keys: list[bytes] = []
    jobs: list[Job] = []
    size = 0
    for key, entry in missing.items():
        text = corpus.text(entry)
        keys.append(key)
        jobs.append(Job(BlobKey(corpus.raw_id(entry), hint_of(corpus.path(entry))), text))
        size += len(text)
        if size >= most or len(jobs) >= BATCH_BLOBS:
            yield keys, jobs
            keys, jobs, size = [], [], 0
    if jobs:
        yield keys, jobs


def _failed(job: Job, death: Death) -> tuple[Lowered, ...]:
    del job
    return (Lowered(b"", f"failed: {death.reason}"),)


LOWERING = Errand(LOWER, read_lowered, _failed, lowering=True)
"""The IR of blobs."""


class LowerHere:
    """The same without a process: no protection, so for tests and trusted bytes only."""

    ahead = 0

    def submit(self, jobs: Sequence[Job]) -> Future[tuple[tuple[Lowered, ...], ...]]:
        """The IR of `jobs`, done when this returns."""
        future: Future[tuple[tuple[Lowered, ...], ...]] = Future()
        pieces = lower_all(decode_jobs(encode_jobs(jobs)))
        future.set_result((read_lowered(b"".join(pieces), jobs),))
        return future

    def close(self) -> None:
        """Nothing to end."""


def lowering_crew(size: int, limits: WorkerLimits) -> Crew[tuple[Lowered, ...]]:
    """What lowers blobs, in `size` processes (0: in this one); to be closed."""
    return Pool(LOWERING, size=size, limits=limits) if size else LowerHere()
