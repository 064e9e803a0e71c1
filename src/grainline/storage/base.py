"""The seam of storage: what the write path hands in, what a scoped read gives back.

Two stores implement it: `memory` and `folder` (SQLite + immutable segments). Every read goes
through a `Corpus`, which exists only for a `Scope`: no statistic, count or text of anything outside
the scope can be reached through it (law 1).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grainline.model.access import Policy, Scope, View
from grainline.model.chunk import ChunkKind
from grainline.model.position import Span
from grainline.model.search import Filters, SnapshotState
from grainline.model.snapshot import (
    BlobId,
    Entry,
    Flag,
    Mode,
    Outcome,
    Reason,
    RepositoryId,
    Snapshot,
    SourceEntry,
)
from grainline.model.symbol import Definition, Import, Role

# --------------------------------------------------------------------------- what is written


class BlobKey(NamedTuple):
    """What the facts of a blob depend on: its stored bytes and the language hint of its path."""

    raw_id: bytes
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobContent:
    """One analysed blob. Offsets in its columns are bytes of `text`, the masked view.

    `text` is b"" when `outcome` is skipped or failed. `chunks`, `definitions`, `imports`,
    `references` are `[start, end)` row ranges in the columns of the batch. `symbols` counts
    definitions. `masked` is the id of the masked view.
    """

    key: BlobKey
    masked: BlobId
    language: str
    outcome: Outcome
    reason: Reason | None
    detail: str
    flags: tuple[Flag, ...]
    encoding: str
    text: bytes
    chunks: tuple[int, int]
    definitions: tuple[int, int]
    imports: tuple[int, int]
    references: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentBatch:
    """Analysed blobs in columns. Rows of a column belong to blobs by their ranges, in order.

    Chunks (n): `chunk_start`, `chunk_end` uint32; `chunk_kind` uint8 (position in `ChunkKind`);
    `chunk_symbol`, `chunk_parent` int32 (row relative to the blob's first definition, -1 none);
    `chunk_part`, `chunk_parts` uint16; `chunk_tokens` uint32; `chunk_keys` `(n, 16)` uint8, the
    chunk ids; `chunk_lengths` `(n, N_FIELDS)` uint16 tokens per field, saturating.
    Terms: `vocabulary` sorted distinct byte strings; `rows` uint64, sorted, each
    `term << 40 | chunk << 8 | field << 5 | min(count, 31)` with term and chunk numbers local to
    the batch.
    """

    blobs: tuple[BlobContent, ...]
    chunk_start: NDArray[np.uint32]
    chunk_end: NDArray[np.uint32]
    chunk_kind: NDArray[np.uint8]
    chunk_symbol: NDArray[np.int32]
    chunk_parent: NDArray[np.int32]
    chunk_part: NDArray[np.uint16]
    chunk_parts: NDArray[np.uint16]
    chunk_tokens: NDArray[np.uint32]
    chunk_keys: NDArray[np.uint8]
    chunk_lengths: NDArray[np.uint16]
    definitions: Sequence[Definition]
    imports: tuple[Import, ...]
    reference_start: NDArray[np.uint32]
    reference_end: NDArray[np.uint32]
    reference_role: NDArray[np.uint8]
    vocabulary: tuple[bytes, ...]
    rows: NDArray[np.uint64]


class MemberEntry(NamedTuple):
    """One path of a view as the write path commits it.

    `key` is None when the path was skipped before its content was read; then `outcome`, `reason`
    and `detail` say why. With a key they come from the blob (and are ignored here).
    `flags` are those that the path set. `signature` is the stat signature of a work-tree file;
    `dirty` says that it is not what the commit under the work tree holds.
    """

    path: bytes
    mode: Mode
    size: int
    key: BlobKey | None
    outcome: Outcome
    reason: Reason | None
    detail: str
    flags: tuple[Flag, ...]
    signature: tuple[int, ...] = ()
    dirty: bool = False


class MemberRows(Protocol):
    """The rows of one view, by path in byte order."""

    @property
    def paths(self) -> Sequence[bytes]:
        """Every path."""
        ...

    @property
    def missing(self) -> tuple[bytes, ...]:
        """Paths that the commit under a work tree holds and the work tree does not."""
        ...

    def find(self, path: bytes) -> int:
        """The row of a path, or -1."""
        ...

    def unlike(
        self, members: Sequence[MemberEntry], *, stat: bool = True, dirty: bool = True
    ) -> list[MemberEntry]:
        """Those of `members` that no row says all of, in their order.

        Args:
            members: in any order.
            stat: whether the stat signature counts.
            dirty: whether the difference to the commit counts.
        """
        ...

    def doubtful(self, entries: Sequence[SourceEntry]) -> list[SourceEntry]:
        """Those of `entries` that a row may say otherwise, or not at all.

        Left out is what was known by its stat signature, is stored, and has the flags of its row.
        """
        ...

    def signatures(self) -> Mapping[bytes, tuple[tuple[int, ...], bytes]]:
        """Path -> (stat signature, raw id), looked up when asked for."""
        ...

    def known(self) -> Mapping[bytes, tuple[tuple[int, ...], bytes]]:
        """The same for all paths at once."""
        ...


class Committed(NamedTuple):
    """What a commit made of a view.

    `reasons` counts (outcome, reason) of what was not fully indexed; `failures` are some of the
    failed entries, in path order.
    """

    generation: str
    snapshot: Snapshot
    counts: Mapping[Outcome, int]
    reasons: tuple[tuple[Outcome, Reason, int], ...]
    failures: tuple[Entry, ...]


class Based(NamedTuple):
    """A view that the next commit of its repository may build on.

    `retry` are its paths whose outcome may be another one next time.
    """

    view: View
    snapshot: Snapshot
    retry: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryRecord:
    """A repository as the catalog knows it.

    `identity` is the canonical path of the git common directory (and work tree); `root` the path
    that was indexed (a folder inside a monorepo has a `prefix`), `kind` one of bare, worktree,
    folder.
    """

    id: RepositoryId
    name: str
    identity: str
    root: str
    prefix: bytes
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What an index was made with; content of different fingerprints is never mixed.

    `tiling` repeats what the chunker declares: its chunks joined give the text back.
    """

    chunker: str
    chunker_version: int
    options: tuple[tuple[str, str], ...]
    features: tuple[tuple[str, int], ...]
    tiling: bool = True

    def text(self) -> str:
        """One stable line."""
        options = ",".join(f"{key}={value}" for key, value in self.options)
        features = ",".join(f"{key}={value}" for key, value in self.features)
        return f"{self.chunker}/{self.chunker_version} [{options}] {features}"

    @classmethod
    def parse(cls, text: str, *, tiling: bool = True) -> Fingerprint | None:
        """Inverse of `text`, which leaves `tiling` out; None for what it never gives."""
        found = _FINGERPRINT.fullmatch(text)
        if found is None:
            return None
        chunker, version, options, features = found.groups()
        return cls(
            chunker=chunker,
            chunker_version=int(version),
            options=tuple((key, value) for key, value in _PAIR.findall(options)),
            features=tuple((key, int(value)) for key, value in _PAIR.findall(features)),
            tiling=tiling,
        )


_FINGERPRINT = re.compile(r"(\S+)/(\d+) \[([^]]*)\] (.*)")
_PAIR = re.compile(r"([^=,]+)=([^,]*)")


class Writer(Protocol):
    """The one writer of a home; holds the writer lock while it lives."""

    def known(self, keys: Sequence[BlobKey]) -> frozenset[BlobKey]:
        """Those of `keys` whose content is stored for the writer's fingerprint."""
        ...

    def add(self, batch: ContentBatch) -> None:
        """Take a batch; its content is durable at the latest when `flush` returns."""
        ...

    def flush(self) -> None:
        """Make all added content durable (still invisible)."""
        ...

    def signatures(self, view: View) -> Mapping[bytes, tuple[tuple[int, ...], bytes]]:
        """Path -> (stat signature, raw id) of the view's last generation; {} for a new view."""
        ...

    def state(self, view: View) -> tuple[Snapshot, MemberRows] | None:
        """The snapshot and the rows of a view, None for an unknown one."""
        ...

    def based(self, repository: RepositoryId, view: View, rules: str) -> Based | None:
        """The indexed view from which `view` is best updated: itself, else another commit.

        Only one that was indexed with the writer's fingerprint and the same `rules`.
        """
        ...

    def commit(
        self,
        repository: RepositoryRecord,
        view: View,
        snapshot: Snapshot,
        entries: Sequence[MemberEntry],
        *,
        missing: Sequence[bytes] = (),
        rules: str = "",
        historic: bool = False,
    ) -> Committed:
        """Flip a new generation in which `view` holds exactly `entries` (sorted by path).

        Args:
            repository: as the catalog is to know it.
            view: what is replaced.
            snapshot: its version and dirtiness are filled in here for a work tree.
            entries: every path with its outcome.
            missing: paths that the commit under a work tree holds and the work tree does not.
            rules: digest of what decided which paths are read.
            historic: the view may be dropped when it is no longer asked for.

        Everything named is durable before the flip.
        """
        ...

    def amend(
        self,
        repository: RepositoryRecord,
        view: View,
        snapshot: Snapshot,
        base: View,
        changed: Sequence[MemberEntry],
        gone: Sequence[bytes],
        *,
        missing: Sequence[bytes] = (),
        rules: str = "",
        historic: bool = False,
    ) -> Committed:
        """Like `commit`, with the entries of `base` minus `gone`, `changed` put in their places."""
        ...

    def tidy(self, keys: Sequence[BlobKey] = ()) -> None:
        """Merge small parts and free what is dead, where commits put that off: in memory.

        For a moment in which nobody waits. Nothing happens while added content waits for its commit.

        Args:
            keys: content that is kept for the next commit although no view may have it now.
        """
        ...

    def remove(self, repository: RepositoryId) -> None:
        """Flip a generation without any view of `repository`."""
        ...

    def drop(self, views: Sequence[View]) -> None:
        """Flip a generation without `views`; large parts of what only they held are freed."""
        ...

    def collect(self, *, max_dead: float = 0.0) -> None:
        """Free what no view of the newest generation reaches; what no run has finished, too.

        Args:
            max_dead: share of dead bytes that a part may keep; 0 frees every dead byte.
        """
        ...

    def __enter__(self) -> Writer: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


# --------------------------------------------------------------------------- what is read


class Postings(NamedTuple):
    """Raw counts of one term inside a scope.

    Row i says that `docs[i]` holds the term `counts[i]` times in field `fields[i]`, which `cells`
    holds as field << 5 | count. Sorted by doc, then field; a doc may have several rows.
    """

    docs: NDArray[np.int32]
    cells: NDArray[np.uint8]

    @property
    def fields(self) -> NDArray[np.uint8]:
        """The field of each row."""
        return self.cells >> np.uint8(5)

    @property
    def counts(self) -> NDArray[np.uint8]:
        """The count of each row."""
        return self.cells & np.uint8(31)


class PathPostings(NamedTuple):
    """Entries whose path holds a term: entry numbers (sorted) and counts."""

    entries: NDArray[np.int32]
    counts: NDArray[np.uint8]


class Placement(NamedTuple):
    """A chunk at a place.

    `entry` is an entry number of the corpus; offsets are bytes of the masked view; `symbol` and
    `parent` index the outline of that entry, or -1.
    """

    entry: int
    start: int
    end: int
    kind: ChunkKind
    symbol: int
    parent: int
    part: int
    parts: int
    tokens: int
    chunk_id: str


class SymbolHit(NamedTuple):
    """A definition in an entry: `row` is its row in the outline."""

    entry: int
    row: int
    definition: Definition


class SymbolPlaces(NamedTuple):
    """The definitions of one name, a row each, by entry, then outline row.

    `entries`, `rows`, `starts`: where each stands, with the offset of its name; `kinds` index
    `tuple(SymbolKind)`. `scopes` index `scope_names`: the last scope of the descriptor, -1 where
    only the outline tells it. `same`: the name as it was asked for, not another case of it.
    """

    entries: NDArray[np.int64]
    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    scopes: NDArray[np.int64]
    scope_names: tuple[str, ...]
    same: bool


class ReferenceRow(NamedTuple):
    """A reference in an entry; `role` is a word of `model.symbol.Role`."""

    start: int
    end: int
    name: str
    role: str


class Piece(NamedTuple):
    """Neighbouring chunks as one text, each of which begins and ends with a line.

    Chunk `i` begins at `offsets[i]` of `text`; in `entries[i]` it stands at `starts[i]`.
    """

    text: bytes
    offsets: NDArray[np.int64]
    entries: NDArray[np.int64]
    starts: NDArray[np.int64]


class SeveralPlaces(NamedTuple):
    """The docs that stand in several places; the entries of all others are `doc_entry`.

    `often` says of each doc of the corpus whether it is one of `docs`, which ascend. The entries of
    row `i` are `entries[starts[i]:starts[i + 1]]`.
    """

    often: NDArray[np.bool_]
    docs: NDArray[np.int64]
    starts: NDArray[np.int64]
    entries: NDArray[np.int32]

    def of(self, docs: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The entries of some of `docs`, flattened, and where those of each begin."""
        rows = np.searchsorted(self.docs, docs)
        start = self.starts[rows]
        width = self.starts[rows + 1] - start
        first = np.cumsum(width) - width
        at = np.arange(int(width.sum())) - np.repeat(first - start, width)
        return self.entries[at], first


class Corpus(Protocol):
    """One scope of one pinned generation. Numbers (docs, entries) live as long as the corpus.

    A *doc* is a distinct (repository, chunk) of the scope, numbered from 0. An *entry* is a
    (view, path) of the scope that has content, numbered from 0 in order (repository name, ref,
    path bytes). Nothing here is stable across corpora: rank ties must use content.
    """

    @property
    def scope(self) -> Scope:
        """The scope that was asked for."""
        ...

    @property
    def snapshots(self) -> tuple[SnapshotState, ...]:
        """The snapshots in scope, in view order."""
        ...

    @property
    def fingerprint(self) -> str:
        """What all views in scope were made with, as `Fingerprint.text` spells it."""
        ...

    @property
    def n_docs(self) -> int:
        """Number of docs: the N of every formula."""
        ...

    @property
    def n_entries(self) -> int:
        """Number of entries with content."""
        ...

    @property
    def field_totals(self) -> NDArray[np.int64]:
        """`(N_FIELDS,)` sums of field lengths over all docs."""
        ...

    @property
    def field_lengths(self) -> NDArray[np.uint16]:
        """`(n_docs, N_FIELDS)` tokens per field."""
        ...

    @property
    def doc_entry(self) -> NDArray[np.int32]:
        """`(n_docs,)` the best entry of each doc.

        Source before config, docs, test, example, vendored, generated; then (repository, ref, path).
        """
        ...

    @property
    def doc_start(self) -> NDArray[np.uint32]:
        """`(n_docs,)` the span start of each doc at its best entry."""
        ...

    @property
    def entry_flags(self) -> NDArray[np.uint32]:
        """`(n_entries,)` bit `1 << i` for the i-th `FlagName`."""
        ...

    @property
    def path_lengths(self) -> NDArray[np.uint16]:
        """`(n_entries,)` path tokens of each entry."""
        ...

    def postings(self, term: bytes) -> Postings:
        """Rows of `term` inside the scope (empty when there are none)."""
        ...

    def terms_starting(self, prefix: bytes, *, limit: int) -> tuple[bytes, ...]:
        """In-scope terms that start with `prefix`, sorted; at most `limit`."""
        ...

    def path_postings(self, term: bytes) -> PathPostings:
        """Entries whose path holds `term`."""
        ...

    def terms_containing(self, part: bytes, *, limit: int) -> tuple[bytes, ...]:
        """In-scope terms that contain `part`, sorted; at most `limit`."""
        ...

    def docs_with_part(self, part: bytes, *, limit: int) -> NDArray[np.int32] | None:
        """Docs that hold a term which contains `part`, may repeat; None for over `limit` terms."""
        ...

    def select(self, filters: Filters) -> NDArray[np.bool_] | None:
        """`(n_docs,)` which docs have a placement that passes `filters`; None when all do."""
        ...

    def select_entries(self, filters: Filters) -> NDArray[np.bool_] | None:
        """`(n_entries,)` which entries pass the filters on entries; None when all do."""
        ...

    def path(self, entry: int) -> bytes:
        """Path of an entry."""
        ...

    def language(self, entry: int) -> str:
        """Language of an entry, "text" for plain text."""
        ...

    def docs_of(self, entries: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """(entry, doc) pairs, flattened, for `entries`; by entry, then position in the file."""
        ...

    def entries_of(self, doc: int, *, limit: int | None = None) -> tuple[Placement, ...]:
        """The in-scope placements of a doc, best entry first; at most `limit`."""
        ...

    def entry(self, entry: int) -> Entry:
        """The entry."""
        ...

    def repository(self, entry: int) -> RepositoryRecord:
        """The repository of an entry."""
        ...

    def snapshot(self, entry: int) -> Snapshot:
        """The snapshot of an entry."""
        ...

    def find_entries(self, path: bytes) -> tuple[int, ...]:
        """Entries with exactly this path."""
        ...

    def encoding(self, entry: int) -> str:
        """Codec name of the stored bytes."""
        ...

    def raw_id(self, entry: int) -> bytes:
        """Git blob id of the stored bytes, for re-reading; never printed."""
        ...

    def text(self, entry: int) -> bytes:
        """The masked view of the entry's blob."""
        ...

    def chunks(self, entry: int) -> tuple[Placement, ...]:
        """Placements of the entry, in file order."""
        ...

    def starts(self, entry: int) -> NDArray[np.uint32]:
        """Span starts of the placements of an entry, in file order."""
        ...

    def starts_of(self, entries: NDArray[np.int32]) -> NDArray[np.uint32]:
        """Span starts of the placements of `entries`, in the order in which `docs_of` lists them."""
        ...

    def first_docs(self) -> NDArray[np.int32]:
        """The doc with which each entry begins that has some, by entry; may repeat."""
        ...

    def several_places(self) -> SeveralPlaces | None:
        """The docs that stand in several places; None when there are none."""
        ...

    def lined(self) -> NDArray[np.bool_]:
        """`(n_entries,)` entries whose chunks tile the text at line ends."""
        ...

    def pieces(
        self, entries: NDArray[np.bool_], docs: NDArray[np.bool_] | None, *, max_bytes: int
    ) -> tuple[Iterator[Piece], int]:
        """The chunks of `entries` (all of them `lined`) that are in `docs`, in order of place.

        Returns:
            (the pieces of the first entries, until `max_bytes` are read; number of entries left).
        """
        ...

    def occurrences(
        self,
        entries: NDArray[np.bool_],
        docs: NDArray[np.bool_] | None,
        needle: bytes,
        *,
        max_bytes: int,
        room: int,
    ) -> tuple[NDArray[np.int64], int]:
        """Where `needle`, which holds no line end, stands in what `pieces` gives.

        Returns:
            (`(n, 3)` entry, start and end of the first `room`, in order; number of entries left).
        """
        ...

    def doc(self, entry: int, ordinal: int) -> int:
        """The doc number of the `ordinal`-th chunk of an entry."""
        ...

    def outline(self, entry: int) -> tuple[Definition, ...]:
        """The definitions of the entry, offsets in its masked view."""
        ...

    def definition(self, entry: int, row: int) -> Definition:
        """One row of the entry's outline, without building the others."""
        ...

    def definitions(self, entry: int, span: Span) -> tuple[tuple[int, Definition], ...]:
        """(row, definition) of the entry's outline where it starts in `span`, in file order."""
        ...

    def imports(self, entry: int) -> tuple[Import, ...]:
        """The imports of the entry."""
        ...

    def references(
        self, entry: int, span: Span | None = None, role: Role | None = None
    ) -> tuple[ReferenceRow, ...]:
        """The references of the entry (that start in `span`, of one role), in file order."""
        ...

    def symbols_named(self, name: str) -> tuple[SymbolHit, ...]:
        """Definitions whose own name equals `name` (case-sensitively, then folded if none)."""
        ...

    def symbol_places(self, name: str, *, scoped: bool = True) -> SymbolPlaces:
        """Where the definitions of `symbols_named` stand, without reading their outlines.

        `scoped`: whether the scopes are wanted; else all are -1.
        """
        ...

    def symbol_names(self) -> Sequence[str]:
        """Distinct definition names in scope, sorted: the source of suggestions."""
        ...


class ViewStatus(NamedTuple):
    """A view of the newest generation, for `status` and for building scopes.

    `indexed_at` is the time of its last commit, in seconds since 1970 (UTC); `historic` views are
    kept only while they are asked for; `rules` decided which paths it has. `in_part` counts files of
    which not all could be parsed.
    """

    repository: RepositoryRecord
    view: View
    snapshot: Snapshot
    generation: str
    state: str
    counts: Mapping[Outcome, int]
    fingerprint: str
    indexed_at: int
    historic: bool = False
    rules: str = ""
    in_part: int = 0


class Derived(Protocol):
    """Values that follow from stored content, by kind and key; losing one costs time only."""

    def get(self, kind: str, key: str) -> bytes | None:
        """The value, None when it is not there (any more, or whole)."""
        ...

    def has(self, kind: str, key: str) -> bool:
        """Whether there is such a value, whole or not."""
        ...

    def put(self, kind: str, key: str, value: bytes) -> None:
        """Keep a value. `kind` is a word, `key` a hexadecimal digest of what it was made from."""
        ...

    def keys(self, kind: str) -> frozenset[str]:
        """Keys of all values of a kind."""
        ...

    def keep(self, kind: str, keys: Collection[str]) -> None:
        """Forget the values of a kind whose key is not in `keys`."""
        ...

    def size(self) -> int:
        """Bytes of all values."""
        ...

    def damaged(self) -> tuple[str, ...]:
        """Names of the values that are not what was written."""
        ...


class Lost(NamedTuple):
    """A view that repairing dropped ("" for all of an unreadable catalog), and why."""

    repository: str
    ref: str
    root: str
    why: str


class Store(Protocol):
    """A home."""

    def views(
        self, classes: frozenset[int] | None = None, epoch: int = 0
    ) -> tuple[ViewStatus, ...]:
        """The views of the newest generation, by repository name, then ref. For `access/`.

        Args:
            classes: None for everything; else only views with a path that one of these access
                classes may read, with the counts, dirtiness and generation of what they may read.
            epoch: of the policy that `classes` belong to.

        Raises:
            BadInput: `policy_changed`, another policy is in force.
        """
        ...

    def policy(self) -> Policy | None:
        """The access policy in force; None: whoever can read the home reads everything."""
        ...

    def set_policy(self, policy: Policy | None) -> None:
        """Put a policy in force from the next request on, also while a writer is at work.

        Its epoch is given by the store.
        """
        ...

    def held(self) -> AbstractContextManager[None]:
        """Keep everything that the newest generation names until the context ends."""
        ...

    def corpus(self, scope: Scope) -> Corpus:
        """The scoped read of the newest generation; pinned while the corpus lives."""
        ...

    def outcomes(self, scope: Scope) -> Iterator[tuple[View, Entry]]:
        """Every path of the scope with its outcome, skipped ones included, in path order."""
        ...

    def paths(self) -> Iterator[tuple[RepositoryRecord, Sequence[bytes]]]:
        """The sorted paths of every view, whoever may read them: for who sets a policy."""
        ...

    @property
    def derived(self) -> Derived:
        """What was made from its content; only the writer of a home may `put` and `keep`."""
        ...

    def overlaid(self) -> Store:
        """A store whose writer keeps everything in memory, above the newest generation of this."""
        ...

    def is_current(self) -> bool:
        """False for an overlay that stands on a generation of the past: it shows that no more."""
        ...

    def writer(self, fingerprint: Fingerprint) -> Writer:
        """The writer.

        Raises:
            Locked: another process has it; the message names its pid.
        """
        ...

    def dump(self, scope: Scope) -> Iterator[str]:
        """The canonical dump: lines that depend on content and membership only (law 3)."""
        ...

    def last_used(self, view: View) -> float:
        """When a historic view was last read, in seconds since 1970; 0.0 when nobody noted it."""
        ...

    def size(self) -> int:
        """Bytes that the store takes."""
        ...

    def compact(self) -> bool:
        """Give freed space back to the disk; False when readers held some of it all the time.

        Raises:
            Locked: another process writes.
        """
        ...

    def check(self) -> tuple[tuple[str, bool, str, str], ...]:
        """(name, ok, detail, repair) of every integrity check."""
        ...

    def repair(self) -> tuple[Lost, ...]:
        """Drop what is damaged and every view that needs it; what must be indexed again.

        Raises:
            Locked: another process writes.
        """
        ...
