"""The IR of stored blobs, made once and kept in packs.

A pack is a value of kind `ir`: keys of blobs, and of each its IR or the word for why it has none.
What a worker could not do this time (killed for time or memory) is not kept, so the next run tries
again.
"""

from __future__ import annotations

import hashlib
import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import zstandard

from grainline.indexing.frames import Job, decode_jobs, encode_jobs
from grainline.indexing.hints import hint_of
from grainline.indexing.lower import CODES, Lowered, lower_all, read_lowered
from grainline.indexing.setup import LOWER
from grainline.indexing.workers import Crew, Death, Errand, Pool, WorkerLimits
from grainline.languages.lowering.base import LOWERING_VERSION
from grainline.model.irbytes import IR_VERSION
from grainline.storage.base import BlobKey, Corpus, Derived
from grainline.text.decode import DECODE_VERSION
from grainline.text.secrets import RULES_VERSION

KIND = "ir"
KEY = 16
PACK_BYTES = 32 << 20
"""Compressed IR behind which the next pack begins."""

MAX_PACKS = 12
"""More are put together into few."""

BATCH_BYTES = 1 << 20
BATCH_BLOBS = 200
LEVEL = 3
_HEAD = struct.Struct("<4sI")
_MAGIC = b"GLP1"
_VERSIONS = f"{IR_VERSION} {LOWERING_VERSION} {DECODE_VERSION} {RULES_VERSION}".encode()

Report = Callable[[int, int], None]
"""(blobs done, all of them)"""


class Packed(NamedTuple):
    """The IR of a blob as it is kept: compressed, b"" for none, and the word for why."""

    data: bytes
    code: str

    def ir(self) -> bytes:
        """As `encode_ir` gave it."""
        return zstandard.ZstdDecompressor().decompress(self.data) if self.data else b""


def ir_key(corpus: Corpus, entry: int) -> bytes:
    """What the IR of an entry depends on, as 16 bytes."""
    hint = hint_of(corpus.path(entry)).encode("utf-8", "surrogateescape")
    said = b"\0".join((_VERSIONS, hint, corpus.raw_id(entry)))
    return hashlib.blake2b(said, digest_size=KEY).digest()


def irs(
    corpus: Corpus,
    entries: Mapping[bytes, int],
    derived: Derived,
    crew: Callable[[], Crew[tuple[Lowered, ...]]],
    report: Report,
) -> dict[bytes, Packed]:
    """The IR of `entries` (by `ir_key`): from packs, and what no pack has from workers.

    New ones are kept. What failed for a passing reason is there without being kept.
    """
    packs = dict(read_packs(derived))
    have: dict[bytes, Packed] = {}
    for pack in packs.values():
        have |= pack
    missing = {key: entry for key, entry in entries.items() if key not in have}
    if missing:
        made: dict[bytes, Packed] = {}
        for key, lowered in _make(corpus, missing, crew, report):
            packed = _packed(lowered)
            have[key] = packed
            if lowered.code in CODES:
                made[key] = packed
        _keep(derived, packs, made)
    return {key: have[key] for key in entries}


def read_packs(derived: Derived) -> Iterator[tuple[str, dict[bytes, Packed]]]:
    """Every pack by its name."""
    for name in sorted(derived.keys(KIND)):
        value = derived.get(KIND, name)
        if value is not None and value[:4] == _MAGIC:
            yield name, _unpack(value)


def forget(derived: Derived, used: Iterable[bytes], *, spare: int = 0) -> None:
    """Keep the IR of the blobs `used` only, once more than `spare` others are kept."""
    wanted = frozenset(used)
    packs = dict(read_packs(derived))
    left = {key: ir for pack in packs.values() for key, ir in pack.items() if key in wanted}
    if len(left) + spare < sum(map(len, packs.values())):
        derived.keep(KIND, _write(derived, left))


# ------------------------------------------------------------------------------------- packs


def _packed(lowered: Lowered) -> Packed:
    data = zstandard.ZstdCompressor(LEVEL).compress(lowered.ir) if lowered.ir else b""
    return Packed(data, lowered.code)


def _keep(
    derived: Derived, packs: Mapping[str, dict[bytes, Packed]], made: dict[bytes, Packed]
) -> None:
    """Write a new pack; when there are many, all of them anew."""
    if len(packs) < MAX_PACKS:
        _write(derived, made)
        return
    for pack in packs.values():
        made = pack | made
    derived.keep(KIND, _write(derived, made))


def _write(derived: Derived, irs: Mapping[bytes, Packed]) -> list[str]:
    """Names of the packs that hold `irs`."""
    names: list[str] = []
    rows: list[tuple[bytes, Packed]] = []
    size = 0
    for key in sorted(irs):
        rows.append((key, irs[key]))
        size += len(irs[key].data)
        if size >= PACK_BYTES:
            names.append(_write_pack(derived, rows))
            rows, size = [], 0
    if rows:
        names.append(_write_pack(derived, rows))
    return names


def _write_pack(derived: Derived, rows: Sequence[tuple[bytes, Packed]]) -> str:
    keys = b"".join(key for key, _ in rows)
    codes = bytes(CODES.index(packed.code) for _, packed in rows)
    ends = np.fromiter(accumulate(len(packed.data) for _, packed in rows), np.uint32, len(rows))
    data = b"".join(packed.data for _, packed in rows)
    name = hashlib.blake2b(keys, digest_size=16).hexdigest()
    head = _HEAD.pack(_MAGIC, len(rows))
    derived.put(KIND, name, b"".join((head, keys, codes, ends.tobytes(), data)))
    return name


def _unpack(value: bytes) -> dict[bytes, Packed]:
    _, count = _HEAD.unpack_from(value)
    at = _HEAD.size
    keys = [value[at + KEY * i : at + KEY * (i + 1)] for i in range(count)]
    at += KEY * count
    codes = value[at : at + count]
    at += count
    ends = np.frombuffer(value[at : at + 4 * count], np.uint32).tolist()
    at += 4 * count
    return {
        key: Packed(value[at + start : at + end], CODES[code])
        for key, code, (start, end) in zip(keys, codes, pairwise([0, *ends]), strict=True)
    }


# ------------------------------------------------------------------------------------ making


def _make(
    corpus: Corpus,
    missing: Mapping[bytes, int],
    crew: Callable[[], Crew[tuple[Lowered, ...]]],
    report: Report,
) -> Iterator[tuple[bytes, Lowered]]:
    """The IR of what is missing, in any order."""
    workers = crew()
    pending: deque[tuple[list[bytes], Future[tuple[tuple[Lowered, ...], ...]]]] = deque()
    done = 0
    try:
        for keys, jobs in _batches(corpus, missing):
            pending.append((keys, workers.submit(jobs)))
            while len(pending) > workers.ahead:
                found = _collect(*pending.popleft())
                done += len(found)
                report(done, len(missing))
                yield from found
        while pending:
            found = _collect(*pending.popleft())
            done += len(found)
            report(done, len(missing))
            yield from found
    finally:
        workers.close()


def _collect(
    keys: list[bytes], future: Future[tuple[tuple[Lowered, ...], ...]]
) -> list[tuple[bytes, Lowered]]:
    pieces = [lowered for piece in future.result() for lowered in piece]
    return list(zip(keys, pieces, strict=True))


def _batches(
    corpus: Corpus, missing: Mapping[bytes, int]
) -> Iterator[tuple[list[bytes], list[Job]]]:
    keys: list[bytes] = []
    jobs: list[Job] = []
    size = 0
    for key, entry in missing.items():
        text = corpus.text(entry)
        keys.append(key)
        jobs.append(Job(BlobKey(corpus.raw_id(entry), hint_of(corpus.path(entry))), text))
        size += len(text)
        if size >= BATCH_BYTES or len(jobs) >= BATCH_BLOBS:
            yield keys, jobs
            keys, jobs, size = [], [], 0
    if jobs:
        yield keys, jobs


def _failed(job: Job, death: Death) -> tuple[Lowered, ...]:
    del job
    return (Lowered(b"", f"failed: {death.reason}"),)


LOWERING = Errand(LOWER, read_lowered, _failed)
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
