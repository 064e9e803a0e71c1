"""The wire between the write path and its workers: flat, bounded, checked, no pickle.

A request is a count, fixed records and the bytes of the blobs. An answer is a JSON header and raw
numpy columns of fixed types in a fixed order, whose sizes follow from the counts in the header.
Everything in an answer is treated as hostile: a worker has run native code over hostile bytes.
"""

from __future__ import annotations

import json
import operator
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise, starmap
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from grainline.model.chunk import N_FIELDS, ChunkKind
from grainline.model.irbytes import decode_ir
from grainline.model.snapshot import BlobId, Flag, FlagName, Outcome, Reason
from grainline.model.symbol import Definition, Import, Role
from grainline.storage.base import BlobContent, BlobKey, ContentBatch
from grainline.storage.rows import KIND_NUMBER, KINDS, DefinitionRows
from grainline.text.digest import masked_id

MAX_ANSWER = 192 << 20  # bytes; 1 MiB of source answers with about 3 MiB
MAX_TERM = 4096  # bytes of one term
MAX_WORD = 1 << 16  # characters of one name, signature or detail
TERM_SHIFT, CHUNK_SHIFT, FIELD_SHIFT = 40, 8, 5  # the layout of `ContentBatch.rows`


# Every message is a head and that many bytes. A request's head also says how many CPU seconds it
# may take, and whether IR is asked for instead of what the setup says. The first request is the
# setup, its answer READY: every import worked.
REQUEST_HEAD = struct.Struct("<Qd?")
ANSWER_HEAD = struct.Struct("<Q")
READY = b"ready"
EXIT_BUG = 70  # the analysis raised
EXIT_MEMORY = 71  # the analysis raised MemoryError


class FrameError(Exception):
    """An answer breaks the format; it came from a worker that is not to be believed."""


class Job(NamedTuple):
    """One blob to be analysed: its key, its stored bytes, and whether it may be parsed at all."""

    key: BlobKey
    data: bytes
    text_only: bool = False


# ------------------------------------------------------------------------------------ requests


_RECORD = struct.Struct("<I?H")  # bytes of the blob, text only, bytes of the hint
_COUNT = struct.Struct("<I")


class Task(NamedTuple):
    """A job as the worker sees it: without its key."""

    hint: str
    data: bytes
    text_only: bool


def encode_jobs(jobs: Sequence[Job]) -> bytes:
    """The request for `jobs`; a worker is trusted with their bytes, so it is not checked."""
    hints = [job.key.hint.encode("utf-8", "surrogateescape") for job in jobs]
    records = [
        _RECORD.pack(len(job.data), job.text_only, len(hint))
        for job, hint in zip(jobs, hints, strict=True)
    ]
    return b"".join((_COUNT.pack(len(jobs)), *records, *hints, *(job.data for job in jobs)))


def decode_jobs(payload: bytes) -> list[Task]:
    """Inverse of `encode_jobs`."""
    (count,) = _COUNT.unpack_from(payload)
    head = _COUNT.size + count * _RECORD.size
    records = list(_RECORD.iter_unpack(payload[_COUNT.size : head]))
    hints = _cut(payload, head, [record[2] for record in records])
    at = head + sum(record[2] for record in records)
    blobs = _cut(payload, at, [record[0] for record in records])
    return [
        Task(hint.decode("utf-8", "surrogateescape"), data, text_only)
        for hint, data, (_, text_only, _) in zip(hints, blobs, records, strict=True)
    ]


def _cut(payload: bytes, at: int, sizes: Iterable[int]) -> list[bytes]:
    bounds = accumulate(sizes, initial=at)
    return [payload[start:end] for start, end in pairwise(bounds)]


# ------------------------------------------------------------------------------------- answers


class Verdict(NamedTuple):
    """What became of one blob, and how many rows of each column are its own.

    `text` is the masked view, None when it equals the stored bytes (nearly always).
    """

    language: str
    outcome: Outcome
    reason: Reason | None
    detail: str
    flags: tuple[Flag, ...]
    encoding: str
    text: bytes | None
    chunks: int
    definitions: int
    imports: int
    references: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The analysis of the blobs of one request, in columns (see `ContentBatch` for their types).

    `barren` counts, by language, the files that hold definition nodes but gave no symbol;
    `fruitful` those that gave some. `irs` holds the IR of each blob as bytes, b"" for none.
    """

    verdicts: Sequence[Verdict]
    columns: Sequence[NDArray[Any]]
    definitions: Sequence[Definition]
    imports: Sequence[Import]
    vocabulary: Sequence[bytes]
    rows: NDArray[np.uint64]
    barren: dict[str, int]
    fruitful: dict[str, int]
    irs: Sequence[bytes] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysed:
    """A checked answer as the write path uses it; `irs` in the order of the blobs, b"" for none."""

    batch: ContentBatch
    barren: dict[str, int]
    fruitful: dict[str, int]
    irs: tuple[bytes, ...] = ()


class Column(NamedTuple):
    """Type of a column; `width` 0 means one value per row, else a row of that many."""

    name: str
    dtype: type[np.generic]
    width: int = 0


CHUNK_COLUMNS = (
    Column("chunk_start", np.uint32),
    Column("chunk_end", np.uint32),
    Column("chunk_kind", np.uint8),
    Column("chunk_symbol", np.int32),
    Column("chunk_parent", np.int32),
    Column("chunk_part", np.uint16),
    Column("chunk_parts", np.uint16),
    Column("chunk_tokens", np.uint32),
    Column("chunk_keys", np.uint8, 16),
    Column("chunk_lengths", np.uint16, N_FIELDS),
)
REFERENCE_COLUMNS = (
    Column("reference_start", np.uint32),
    Column("reference_end", np.uint32),
    Column("reference_role", np.uint8),
)
DEFINITION_NUMBERS = 9  # the integers of a Definition, from `start` to `parent`
IMPORT_NUMBERS = 2

CHUNK_KINDS = tuple(ChunkKind)
CHUNK_KIND_CODE = {kind: code for code, kind in enumerate(CHUNK_KINDS)}
ROLES = tuple(Role)
ROLE_CODE = {role: code for code, role in enumerate(ROLES)}


def encode_answer(answer: Answer) -> list[bytes]:
    """The answer in pieces, to be written one after the other."""
    names, kinds, descriptors, *numbers = columns_of(answer.definitions, 3 + DEFINITION_NUMBERS)
    starts, ends, *modules = columns_of(answer.imports, 5)
    vocabulary = b"\n".join(answer.vocabulary)
    header = {
        "blobs": [_pack_verdict(verdict) for verdict in answer.verdicts],
        "names": names,
        "descriptors": descriptors,
        "modules": modules,
        "terms": [len(answer.vocabulary), len(vocabulary), len(answer.rows)],
        "barren": answer.barren,
        "fruitful": answer.fruitful,
        "irs": list(map(len, answer.irs)),
    }
    arrays = (
        *answer.columns,
        np.array([KIND_NUMBER[kind] for kind in kinds], np.uint8),
        np.array(numbers, np.int32),
        np.array((starts, ends), np.int32),
        answer.rows,
    )
    pieces = [json.dumps(header, separators=(",", ":")).encode(), vocabulary]
    pieces += [array.tobytes() for array in arrays]
    pieces += [verdict.text for verdict in answer.verdicts if verdict.text is not None]
    pieces += answer.irs
    return [_COUNT.pack(len(pieces[0])), *pieces]


def columns_of(rows: Sequence[tuple[Any, ...]], width: int) -> Sequence[Sequence[Any]]:
    """The columns of `rows`, also of none."""
    return tuple(zip(*rows, strict=True)) if rows else ((),) * width


def _pack_verdict(verdict: Verdict) -> list[Any]:
    flags = [(flag.name, flag.rule) for flag in verdict.flags]
    size = -1 if verdict.text is None else len(verdict.text)
    return [*verdict[:4], flags, verdict.encoding, size, *verdict[7:]]


def decode_answer(payload: bytes, jobs: Sequence[Job]) -> Analysed:
    """The answer to `jobs`, every value of it checked against what the format allows.

    Raises:
        FrameError: the payload is not a well-formed answer to exactly these jobs.
    """
    try:
        return _Reader(payload).answer(jobs)
    except (ValueError, TypeError, LookupError, struct.error, RecursionError) as error:
        raise FrameError(f"{type(error).__name__}") from error


class _Reader:
    """Takes an answer apart, front to back."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._at = 0

    def answer(self, jobs: Sequence[Job]) -> Analysed:
        (size,) = _COUNT.unpack(self._take(_COUNT.size))
        header = json.loads(self._take(size))
        verdicts = [_unpack_verdict(row) for row in header["blobs"]]
        _require(len(verdicts) == len(jobs), "one verdict per job")
        vocabulary = self._vocabulary(header["terms"])
        counts = np.array([verdict[7:] for verdict in verdicts], np.int64).reshape(-1, 4)
        _require(bool((counts >= 0).all()), "counts are not negative")
        n_chunks, n_definitions, n_imports, n_references = (int(n) for n in counts.sum(axis=0))
        chunks = {c.name: self._column(c, n_chunks) for c in CHUNK_COLUMNS}
        references = {c.name: self._column(c, n_references) for c in REFERENCE_COLUMNS}
        kinds = self._array(np.uint8, n_definitions)
        numbers = self._array(np.int32, n_definitions * DEFINITION_NUMBERS)
        spans = self._array(np.int32, n_imports * IMPORT_NUMBERS)
        rows: NDArray[np.uint64] = self._array(np.uint64, _count(header["terms"][2]))
        texts = [self._text(verdict.size, job) for verdict, job in zip(verdicts, jobs, strict=True)]
        irs = self._irs(header["irs"], [len(text) for text in texts])
        _require(self._at == len(self._payload), "nothing after the last column")

        limits = np.array([len(text) for text in texts], np.int64)
        _check_chunks(chunks, limits, counts)
        _check_references(references, np.repeat(limits, counts[:, 3]))
        _check_rows(rows, len(vocabulary), n_chunks)
        numbers = numbers.reshape(DEFINITION_NUMBERS, -1)
        _check_definitions(numbers, limits, counts[:, 1])
        spans = spans.reshape(IMPORT_NUMBERS, -1)
        _check_spans(spans, np.repeat(limits, counts[:, 2]))
        batch = ContentBatch(
            blobs=tuple(_blobs(jobs, verdicts, texts, counts)),
            **chunks,
            **references,
            definitions=_definitions(header, kinds, numbers),
            imports=_imports(header, spans),
            vocabulary=vocabulary,
            rows=rows,
        )
        return Analysed(
            batch=batch,
            barren=_tally(header["barren"]),
            fruitful=_tally(header["fruitful"]),
            irs=irs,
        )

    def _irs(self, sizes: Sequence[object], limits: Sequence[int]) -> tuple[bytes, ...]:
        """The IR of every blob, all of it checked."""
        _require(len(sizes) in (0, len(limits)), "IR for every blob or for none")
        found = tuple(self._take(_count(size)) for size in sizes)
        for ir, limit in zip(found, limits, strict=False):
            if ir:
                decode_ir(ir, size=limit)
        return found

    def _take(self, size: int) -> bytes:
        start, self._at = self._at, self._at + size
        _require(size >= 0 and self._at <= len(self._payload), "a section ends in the payload")
        return self._payload[start : self._at]

    def _array(self, dtype: type[np.generic], count: int) -> NDArray[Any]:
        return np.frombuffer(self._take(count * np.dtype(dtype).itemsize), dtype)

    def _column(self, column: Column, rows: int) -> NDArray[Any]:
        flat = self._array(column.dtype, rows * (column.width or 1))
        return flat.reshape(rows, column.width) if column.width else flat

    def _vocabulary(self, terms: Sequence[object]) -> tuple[bytes, ...]:
        count, size = _count(terms[0]), _count(terms[1])
        joined = self._take(size)
        words = joined.split(b"\n") if count else []
        _require(len(words) == count, "as many terms as announced")
        _require(not count or min(map(len, words)) > 0, "no term is empty")
        _require(not count or max(map(len, words)) <= MAX_TERM, "no term is too long")
        _require(all(starmap(operator.lt, pairwise(words))), "terms are sorted and distinct")
        return tuple(words)

    def _text(self, size: int, job: Job) -> bytes:
        if size < 0:
            return job.data
        _require(size in (0, len(job.data)), "a masked view has the length of its blob")
        return self._take(size)


class _Checked(NamedTuple):
    """A verdict off the wire: like `Verdict`, with the size of its text instead of the text."""

    language: str
    outcome: Outcome
    reason: Reason | None
    detail: str
    flags: tuple[Flag, ...]
    encoding: str
    size: int
    chunks: int
    definitions: int
    imports: int
    references: int


def _unpack_verdict(row: Sequence[Any]) -> _Checked:
    language, outcome, reason, detail, flags, encoding, size, *counts = row
    chunks, definitions, imports, references = counts
    checked = _Checked(
        _word(language),
        Outcome(outcome),
        None if reason is None else Reason(reason),
        _word(detail),
        tuple(Flag(FlagName(name), _word(rule)) for name, rule in flags),
        _word(encoding),
        size if size == -1 else _count(size),
        _count(chunks),
        _count(definitions),
        _count(imports),
        _count(references),
    )
    stored = checked.outcome in (Outcome.INDEXED, Outcome.INDEXED_AS_TEXT)
    _require(stored or (checked.size == 0 and not any(checked[7:])), "only indexed blobs have rows")
    _require(stored or checked.reason is not None, "a skipped or failed blob has a reason")
    return checked


def _check_chunks(
    chunks: dict[str, NDArray[Any]], limits: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    bounds = np.repeat(limits, counts[:, 0])
    _require(bool((chunks["chunk_start"] <= chunks["chunk_end"]).all()), "chunks run forward")
    _require(bool((chunks["chunk_end"] <= bounds).all()), "chunks end inside their blob")
    _require(bool((chunks["chunk_kind"] < len(CHUNK_KINDS)).all()), "chunk kinds are known")
    _require(bool((chunks["chunk_part"] < chunks["chunk_parts"]).all()), "parts are counted")
    symbols = np.repeat(counts[:, 1], counts[:, 0])
    for name in ("chunk_symbol", "chunk_parent"):
        column = chunks[name]
        _require(bool(((column >= -1) & (column < symbols)).all()), "symbols are in the outline")


def _check_references(references: dict[str, NDArray[Any]], bounds: NDArray[np.int64]) -> None:
    start, end = references["reference_start"], references["reference_end"]
    _require(bool(((start <= end) & (end <= bounds)).all()), "references are inside their blob")
    _require(bool((references["reference_role"] < len(ROLES)).all()), "roles are known")


def _check_rows(rows: NDArray[np.uint64], n_terms: int, n_chunks: int) -> None:
    if not len(rows):
        return
    places = rows >> np.uint64(FIELD_SHIFT)
    _require(bool((places[1:] > places[:-1]).all()), "rows are sorted and distinct")
    _require(int(rows[-1]) >> TERM_SHIFT < n_terms, "terms are in the vocabulary")
    within = (rows & np.uint64((1 << TERM_SHIFT) - 1)) >> np.uint64(CHUNK_SHIFT)
    _require(int(within.max()) < n_chunks, "rows belong to chunks")
    _require(int((places & np.uint64(7)).max()) < N_FIELDS, "fields are known")
    _require(bool((rows & np.uint64((1 << FIELD_SHIFT) - 1)).all()), "counts are positive")


def _check_definitions(
    numbers: NDArray[np.int32], limits: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    bounds = np.repeat(limits, counts)
    for row in range(0, DEFINITION_NUMBERS - 1, 2):
        _check_spans(numbers[row : row + 2], bounds)
    parent = numbers[-1]
    first = np.repeat(np.cumsum(counts) - counts, counts)
    own = np.arange(len(parent)) - first
    _require(bool(((parent >= -1) & (parent < own)).all()), "parents come before children")


def _check_spans(spans: NDArray[np.int32], bounds: NDArray[np.int64]) -> None:
    start, end = spans
    _require(bool(((start >= 0) & (start <= end) & (end <= bounds)).all()), "spans are inside")


def _definitions(
    header: dict[str, Any], kinds: NDArray[np.uint8], numbers: NDArray[np.int32]
) -> DefinitionRows:
    names, descriptors = _words(header["names"]), _words(header["descriptors"])
    _require(len(names) == len(descriptors) == len(kinds), "every definition has its names")
    _require(bool((kinds < len(KINDS)).all()), "kinds are known")
    return DefinitionRows(names, descriptors, np.vstack((kinds[None].astype(np.int32), numbers)))


def _imports(header: dict[str, Any], spans: NDArray[np.int32]) -> tuple[Import, ...]:
    modules, names, aliases = (_words(column) for column in header["modules"])
    starts, ends = spans.tolist()
    lengths = {len(column) for column in (modules, names, aliases, starts)}
    _require(len(lengths) == 1, "every import has its names")
    return tuple(map(_import, zip(starts, ends, modules, names, aliases, strict=True)))


# as `Import._make`, without its frame
_new: Callable[..., Any] = tuple[Any, ...].__new__
_import: Callable[[Iterable[Any]], Import] = partial(_new, Import)


def _blobs(
    jobs: Sequence[Job],
    verdicts: Sequence[_Checked],
    texts: Sequence[bytes],
    counts: NDArray[np.int64],
) -> Iterable[BlobContent]:
    ends = np.cumsum(counts, axis=0)
    ranges = np.stack((ends - counts, ends), axis=2).tolist()
    for job, verdict, text, (chunks, definitions, imports, references) in zip(
        jobs, verdicts, texts, ranges, strict=True
    ):
        stored = verdict.outcome in (Outcome.INDEXED, Outcome.INDEXED_AS_TEXT)
        yield BlobContent(
            key=job.key,
            masked=masked_id(text) if stored else NO_BLOB,
            language=verdict.language,
            outcome=verdict.outcome,
            reason=verdict.reason,
            detail=verdict.detail,
            flags=verdict.flags,
            encoding=verdict.encoding,
            text=text,
            chunks=tuple(chunks),
            definitions=tuple(definitions),
            imports=tuple(imports),
            references=tuple(references),
        )


NO_BLOB = BlobId("")  # `masked` of a blob of which nothing was indexed


def failed_batch(job: Job, language: str, reason: Reason, detail: str) -> ContentBatch:
    """A batch of one blob that could not be analysed."""
    blob = BlobContent(
        key=job.key,
        masked=NO_BLOB,
        language=language,
        outcome=Outcome.FAILED,
        reason=reason,
        detail=detail,
        flags=(),
        encoding="",
        text=b"",
        chunks=(0, 0),
        definitions=(0, 0),
        imports=(0, 0),
        references=(0, 0),
    )
    shapes = {
        column.name: np.zeros((0, column.width) if column.width else 0, column.dtype)
        for column in (*CHUNK_COLUMNS, *REFERENCE_COLUMNS)
    }
    empty: dict[str, Any] = dict(shapes)
    return ContentBatch(
        blobs=(blob,),
        **empty,
        definitions=(),
        imports=(),
        vocabulary=(),
        rows=np.zeros(0, np.uint64),
    )


# --------------------------------------------------------------------------------------- checks


def _require(holds: bool, rule: str) -> None:
    if not holds:
        raise FrameError(rule)


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= MAX_ANSWER:
        raise FrameError("counts are small non-negative integers")
    return value


def _word(value: object) -> str:
    if type(value) is not str or len(value) > MAX_WORD:
        raise FrameError("words are short strings")
    return value


def _words(values: object) -> list[str]:
    if type(values) is not list:
        raise FrameError("lists are lists")
    words = cast("list[str]", values)
    _require(set(map(type, words)) <= {str}, "names are words")
    _require(max(map(len, words), default=0) <= MAX_WORD, "words are short")
    return words


def _tally(values: dict[object, object]) -> dict[str, int]:
    return {_word(name): _count(value) for name, value in values.items()}
