"""The folder store: SQLite holds the truth, immutable part files hold the content.

    home/
      catalog.sqlite      repositories, parts, blobs, memberships, generations, the pointer
      parts/*.segment     content, counts and facts
      parts/*.paths       path index
      derived/            what was made from content, by what it was made from: see `derived`
      uses/               when historic views were last read: hints, not truth
      writer.lock         OS lock of the one writer, with its pid
      readers.lock        OS lock of readers that are opening a generation

A part is written under a temporary name, synced, renamed and only then registered; a generation is
one transaction that ends with the pointer. A killed writer leaves files that no row names: the
next writer removes them.

Members and parts carry the generation from which (`born`) and the one from which no longer (`died`)
they count. Readers hold `readers.lock` together from reading the pointer until everything that the
generation names is open; what died is freed under the same lock held alone. What is open stays
readable, for a mapped file outlives its name.

SQLite notices damage to its structure only, so what a generation is read from stands under a seal in
the pointer, each blob row under a mark, and a membership under the digest that is its name.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import mmap
import os
import sqlite3
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from grainline.errors import BadInput, Damaged, Locked, ResourceExhausted
from grainline.model.access import AccessRule, Policy, View
from grainline.model.snapshot import Outcome, RepositoryId, Snapshot
from grainline.processes import is_alive
from grainline.storage.base import BlobKey, RepositoryRecord
from grainline.storage.catalog import (
    NONE_GIVEN,
    Change,
    Given,
    MemberRow,
    PartKind,
    PartRow,
    Pinned,
)
from grainline.storage.derived import FolderDerived
from grainline.storage.membership import Packed
from grainline.storage.segments.columns import Buffer
from grainline.storage.store import PartStore

FORMAT_VERSION = 2
"""1: first format. 2: members and parts by generation, membership differences, policy, seals.
Readers accept exactly this."""

APPLICATION_ID = 0x6772616E
"""Marks a SQLite file as ours: `gran` in ASCII."""

_SCHEMA = """
CREATE TABLE fingerprint(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE part(
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, fingerprint INTEGER NOT NULL, repository TEXT,
  file TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, base INTEGER NOT NULL, count INTEGER NOT NULL,
  blob_base INTEGER NOT NULL, blobs INTEGER NOT NULL, born INTEGER NOT NULL, died INTEGER);
CREATE TABLE blob(
  fingerprint INTEGER NOT NULL, raw_id BLOB NOT NULL, hint TEXT NOT NULL, number INTEGER NOT NULL,
  mark INTEGER NOT NULL, PRIMARY KEY(fingerprint, raw_id, hint)) WITHOUT ROWID;
CREATE INDEX blob_number ON blob(number);
CREATE TABLE membership(digest TEXT PRIMARY KEY, base TEXT, data BLOB NOT NULL);
CREATE TABLE member(
  id INTEGER PRIMARY KEY, repository TEXT NOT NULL, ref TEXT NOT NULL, data TEXT NOT NULL,
  membership TEXT NOT NULL, base TEXT, born INTEGER NOT NULL, died INTEGER);
CREATE INDEX member_view ON member(repository, ref) WHERE died IS NULL;
CREATE TABLE policy(one INTEGER PRIMARY KEY CHECK(one = 1), epoch INTEGER NOT NULL, data TEXT);
CREATE TABLE pointer(
  one INTEGER PRIMARY KEY CHECK(one = 1), generation INTEGER NOT NULL, seal TEXT NOT NULL);
CREATE TABLE sequence(one INTEGER PRIMARY KEY CHECK(one = 1), part INTEGER NOT NULL);
INSERT INTO sequence VALUES(1, 1);
INSERT INTO pointer VALUES(1, 0, '');
INSERT INTO policy VALUES(1, 0, NULL);
"""

OPEN_WAIT = 10.0
"""Seconds that a reader waits for one that frees space; that takes milliseconds."""

POLICY_WAIT = 60.0
"""Seconds that a policy waits for one transaction of a writer, which takes far less."""

ORPHAN_WAIT = 5.0
"""Seconds that a writer waits for what a killed one left behind: a command that it was just starting
holds its lock until it runs."""

POLL = 0.01  # seconds between two tries of a lock

_REPAIR = "run: grainline doctor --repair"


class SqliteCatalog:
    """A catalog in a folder. Readers never write; one connection per process."""

    packs = True

    def __init__(self, home: Path) -> None:
        self._home = home
        self._database = home / "catalog.sqlite"
        self._parts = home / "parts"
        self.derived = FolderDerived(home / "derived")
        self._lock: int | None = None
        self._read: sqlite3.Connection | None = None
        self._write: sqlite3.Connection | None = None
        self._pinned: tuple[tuple[int, int], Pinned] | None = None

    # ------------------------------------------------------------------ lock

    def lock(self) -> None:
        """Take the writer lock and remove what a killed writer left.

        Raises:
            Locked: another process has it; the message names its pid.
            ResourceExhausted: the folder cannot be written.
        """
        with _disk(self._home):
            self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._parts.mkdir(exist_ok=True, mode=0o700)
            (self._home / "uses").mkdir(exist_ok=True, mode=0o700)
            os.close(os.open(self._home / "readers.lock", os.O_RDWR | os.O_CREAT, 0o600))
            handle = os.open(self._home / "writer.lock", os.O_RDWR | os.O_CREAT, 0o600)
        holder = _lock_or_holder(handle)
        if holder is not None:
            os.close(handle)
            raise Locked(
                "locked",
                f"process {holder} writes this home",
                subject=str(self._home),
                hint="wait for it, or use another --home",
            )
        with _disk(self._home):
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        self._lock = handle
        try:
            with self._guard():
                self._write = self._connect_writer()
                self._pinned = None
                self._remove_orphans(self._write)
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Give the writer lock back."""
        self._pinned = None  # what a connection counts means nothing to another one
        if self._write is not None:
            with suppress(sqlite3.Error):  # the next writer, or gc, does it else
                self._write.execute("PRAGMA busy_timeout = 0")
                self._write.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._write.close()
            self._write = None
        if self._lock is not None:
            os.ftruncate(self._lock, 0)
            fcntl.flock(
                self._lock, fcntl.LOCK_UN
            )  # a command that is being started has it open, too
            os.close(self._lock)
            self._lock = None

    def _connect_writer(self, *, wait: float = 5.0) -> sqlite3.Connection:
        connection = sqlite3.connect(self._database, isolation_level=None, timeout=wait)
        self._database.chmod(0o600)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            for statement in _SCHEMA.strip().split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
            _seal(connection)
        connection.execute("COMMIT")
        self._check_format(connection)
        return connection

    def _remove_orphans(self, connection: sqlite3.Connection) -> None:
        named = {row[0] for row in connection.execute("SELECT file FROM part")}
        for found in self._parts.iterdir():
            if found.name not in named:
                found.unlink()

    # ------------------------------------------------------------------ reading

    @contextmanager
    def pinned(self) -> Generator[Pinned]:
        """The newest generation; nothing that it names is freed while the context is open."""
        handle = self._shared()
        try:
            yield self.pin()
        finally:
            if handle is not None:
                os.close(handle)

    def _shared(self) -> int | None:
        """A handle that holds the lock of the readers, None where no writer has been yet."""
        try:
            handle = os.open(self._home / "readers.lock", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        if not _flock(handle, fcntl.LOCK_SH, OPEN_WAIT):
            os.close(handle)
            raise Locked(
                "locked",
                "another process frees space in this home and does not end",
                subject=str(self._home),
                hint="end it, and ask again",
            )
        return handle

    def pin(self) -> Pinned:
        """The newest generation; an absent or empty home holds none."""
        if not self._database.exists():
            if self._has_parts():
                raise Damaged(
                    "damaged_index",
                    "the catalog is missing, parts are there",
                    subject=str(self._home),
                    hint=_REPAIR,
                )
            return Pinned(generation=0, members=(), parts=(), policy=None)
        with self._guard():
            connection = self._reader()
            connection.execute("BEGIN")
            try:
                return self._pin(connection)
            finally:
                connection.execute("COMMIT")

    def _pin(self, connection: sqlite3.Connection) -> Pinned:
        # both move when another connection commits, the second also when this one does
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        key = (version, connection.total_changes)
        if self._pinned is None or self._pinned[0] != key:
            self._pinned = (key, _read_pinned(connection, self._home))
        return self._pinned[1]

    def membership(self, digest: str) -> Packed:
        """Packed rows of a view."""
        with self._guard():
            row = (
                self._reader()
                .execute("SELECT base, data FROM membership WHERE digest = ?", (digest,))
                .fetchone()
            )
        if row is None:
            raise Damaged(
                "damaged_index",
                f"membership {digest[:12]} is missing",
                subject=str(self._home),
                hint=_REPAIR,
            )
        packed = Packed(row[0], row[1])
        if packed.digest != digest:
            raise _damaged(self._home, f"membership {digest[:12]} is not what was stored")
        return packed

    def buffer(self, part: PartRow) -> Buffer:
        """The mapped file of a part.

        Raises:
            Damaged: it is missing or has another length than the manifest says.
        """
        path = self._parts / part.file
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            raise Damaged(
                "damaged_index", "a part of the index is missing", subject=str(path), hint=_REPAIR
            ) from None
        try:
            size = os.fstat(handle).st_size
            if size != part.size:
                raise Damaged(
                    "damaged_index",
                    f"the file has {size} bytes, the manifest says {part.size}",
                    subject=str(path),
                    hint=_REPAIR,
                )
            return mmap.mmap(handle, size, access=mmap.ACCESS_READ)
        finally:
            os.close(handle)

    def owns(self, part: PartRow) -> bool:
        """Every part is this catalog's own."""
        return True

    def find_blobs(self, fingerprint: str, keys: Sequence[BlobKey]) -> dict[BlobKey, int]:
        """Numbers of the stored blobs among `keys`."""
        if not self._database.exists():
            return {}
        with self._guard():
            connection = self._reader()
            row = connection.execute(
                "SELECT id FROM fingerprint WHERE text = ?", (fingerprint,)
            ).fetchone()
            if row is None:
                return {}
            found: dict[BlobKey, int] = {}
            for key in keys:
                held = connection.execute(
                    "SELECT number, mark FROM blob WHERE fingerprint = ? AND raw_id = ? AND hint = ?",
                    (row[0], key.raw_id, key.hint),
                ).fetchone()
                if held is not None:
                    if held[1] != _mark(row[0], key.raw_id, key.hint, held[0]):
                        raise _damaged(self._home, "the number of a blob is not what was stored")
                    found[key] = held[0]
            return found

    def _has_parts(self) -> bool:
        return any(self._parts.glob("*.segment"))

    def _reader(self) -> sqlite3.Connection:
        if self._write is not None:
            return self._write
        if self._read is None:
            connection = sqlite3.connect(
                f"file:{_uri(self._database)}?mode=ro{self._unchanging()}",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
            )
            self._check_format(connection)
            self._read = connection
        return self._read

    def _unchanging(self) -> str:
        """An option for a home that nobody can write: SQLite would make a file beside it to read."""
        log = self._database.with_name(self._database.name + "-wal")
        written = log.exists() and log.stat().st_size > 0
        return "" if written or os.access(self._home, os.W_OK) else "&immutable=1"

    def _check_format(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        if application != APPLICATION_ID or version != FORMAT_VERSION:
            raise Damaged(
                "incompatible_index",
                f"catalog format {version}, this version reads {FORMAT_VERSION}",
                subject=str(self._home),
                hint="index again into a new home",
            )

    # ------------------------------------------------------------------ writing

    def given(self) -> Given:
        """No more than the parts have."""
        return NONE_GIVEN

    def next_part(self) -> int:
        """An unused part id; ids of killed runs are not given out again."""
        with self._guard():
            connection = self._writer()
            number: int = connection.execute(
                "SELECT max(part, (SELECT coalesce(max(id), 0) + 1 FROM part)) FROM sequence"
            ).fetchone()[0]
            connection.execute("UPDATE sequence SET part = ?", (number + 1,))
            return number

    def write_part(self, part: PartRow, data: bytes) -> None:
        """Write, sync and rename the file of a part."""
        with _disk(self._home):
            _write_durably(self._parts / part.file, data)

    def add_part(self, part: PartRow, data: bytes, blobs: Sequence[tuple[BlobKey, int]]) -> None:
        """Write the part, then register it and its blobs in one transaction."""
        self.write_part(part, data)
        with self._transaction() as connection:
            fingerprint = _insert_part(connection, part, born=0)
            connection.executemany(
                "INSERT OR REPLACE INTO blob VALUES(?, ?, ?, ?, ?)",
                [
                    (
                        fingerprint, key.raw_id, key.hint, number,
                        _mark(fingerprint, key.raw_id, key.hint, number),
                    )
                    for key, number in blobs
                ],
            )  # fmt: skip

    def flip(self, change: Change) -> None:
        """One transaction: memberships, members, parts, pointer."""
        with self._transaction() as connection:
            born: int = 1 + connection.execute("SELECT generation FROM pointer").fetchone()[0]
            for name, packed in (change.memberships or {}).items():
                assert isinstance(packed, Packed), "this catalog packs"
                connection.execute(
                    "INSERT OR IGNORE INTO membership VALUES(?, ?, ?)", (name, *packed)
                )
            ended = [*change.gone, *(row.view for row in change.members)]
            connection.executemany(
                "UPDATE member SET died = ? WHERE repository = ? AND ref = ? AND died IS NULL",
                [(born, view.repository, view.ref) for view in ended],
            )
            connection.executemany(
                "INSERT INTO member(repository, ref, data, membership, base, born)"
                " VALUES(?, ?, ?, ?, ?, ?)",
                [
                    (
                        row.view.repository, row.view.ref, json.dumps(_member_json(row)),
                        row.membership, row.base, born,
                    )
                    for row in change.members
                ],
            )  # fmt: skip
            connection.executemany(
                "UPDATE part SET died = ? WHERE id = ?",
                [(born, part.id) for part in change.dropped],
            )
            for part in change.added:
                _insert_part(connection, part, born=born)
            connection.executemany(
                "DELETE FROM blob WHERE number = ?", [(number,) for number in change.forgotten]
            )
            connection.execute("UPDATE pointer SET generation = ?", (born,))
        self.tidy()

    def tidy(self, *, wait: float = 0.0) -> bool:
        """Free what died, unless readers are opening something for `wait` seconds."""
        handle = os.open(self._home / "readers.lock", os.O_RDONLY | os.O_CLOEXEC)
        try:
            if not _flock(handle, fcntl.LOCK_EX, wait):
                return False
            self._free()
            return True
        finally:
            os.close(handle)

    def _free(self) -> None:
        with self._transaction() as connection:
            files = connection.execute("SELECT file FROM part WHERE died IS NOT NULL").fetchall()
            for statement in _FREE:
                connection.execute(statement)
        for (file,) in files:
            (self._parts / file).unlink(missing_ok=True)

    def set_policy(self, policy: Policy | None) -> None:
        """Put a policy in force; its epoch is one more than that of the last.

        Without the writer lock: a run that indexes for minutes must not keep a right alive. Its
        transactions are short, and the next one seals the policy with the rest.
        """
        text = None if policy is None else json.dumps(_policy_json(policy))
        if not self._database.exists():
            self.lock()
            self.release()
        with self._guard(), closing(self._connect_writer(wait=POLICY_WAIT)) as connection:
            with self._transaction(connection):
                connection.execute("UPDATE policy SET epoch = epoch + 1, data = ?", (text,))
            # damage at the end of the log would take the policy back without a word
            connection.execute("PRAGMA busy_timeout = 1000")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def drop_parts(self, parts: Sequence[PartRow], blobs: Iterable[int] = ()) -> None:
        """Forget damaged parts and `blobs` of others; unlink the files of the parts."""
        with self._transaction() as connection:
            connection.executemany(
                "DELETE FROM blob WHERE number = ?", [(int(number),) for number in blobs]
            )
            for part in parts:
                connection.execute("DELETE FROM part WHERE id = ?", (part.id,))
                if part.kind is PartKind.SEGMENT:
                    fingerprint = _fingerprint(connection, part.fingerprint)
                    connection.execute(
                        "DELETE FROM blob WHERE fingerprint = ? AND number >= ? AND number < ?",
                        (fingerprint, part.blob_base, part.blob_base + part.blobs),
                    )
        for part in parts:
            (self._parts / part.file).unlink(missing_ok=True)

    def compact(self) -> None:
        """Give the space of freed rows back to the disk."""
        with self._guard():
            self._writer().execute("VACUUM")
            self._writer().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def size(self) -> int:
        """Bytes of all files of the home."""
        return sum(path.stat().st_size for path in self._home.rglob("*") if path.is_file())

    def touch(self, view: View) -> None:
        """Set the time of a file that stands for the view; a home that cannot be written stays so."""
        with suppress(OSError):
            self._use(view).touch(mode=0o600)

    def last_used(self, view: View) -> float:
        """The time of the file that stands for the view."""
        try:
            return self._use(view).stat().st_mtime
        except OSError:
            return 0.0

    def _use(self, view: View) -> Path:
        name = hashlib.sha256(f"{view.repository}\0{view.ref}".encode()).hexdigest()[:32]
        return self._home / "uses" / name

    def check(self) -> list[tuple[str, bool, str, str]]:
        """SQLite's own integrity check."""
        if not self._database.exists():
            if self._has_parts():
                return [
                    (
                        "catalog",
                        False,
                        "it is missing, parts are there",
                        "grainline doctor --repair",
                    )
                ]
            return [("catalog", True, "no index yet", "")]
        try:
            with self._guard():
                connection = self._reader()
                rows = connection.execute("PRAGMA integrity_check").fetchall()
                connection.execute("BEGIN")
                try:
                    _read_pinned(connection, self._home)
                    _check_marks(connection, self._home)
                finally:
                    connection.execute("COMMIT")
        except Damaged as error:
            return [("catalog", False, error.message, "grainline doctor --repair")]
        detail = "; ".join(str(row[0]) for row in rows[:3])
        return [("catalog", detail == "ok", detail, "grainline doctor --repair")]

    def set_aside_if_damaged(self) -> str:
        """Rename an unreadable catalog; the next writer starts an empty one."""
        if all(ok for _, ok, _, _ in self.check()):
            return ""
        if not self._database.exists():
            return "the catalog was missing"
        if self._read is not None:
            self._read.close()
            self._read = None
        number = 1
        while (aside := self._home / f"catalog.sqlite.damaged-{number}").exists():
            number += 1
        self._database.rename(aside)
        for suffix in ("-wal", "-shm"):
            self._database.with_name(self._database.name + suffix).unlink(missing_ok=True)
        self._pinned = None
        return f"the catalog could not be read and is put aside as {aside.name}"

    def _writer(self) -> sqlite3.Connection:
        assert self._write is not None, "writing needs the writer lock"
        return self._write

    @contextmanager
    def _transaction(
        self, connection: sqlite3.Connection | None = None
    ) -> Generator[sqlite3.Connection]:
        connection = connection or self._writer()
        with self._guard():
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                _seal(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _guard(self) -> Generator[None]:
        """SQLite's errors become ours: damage, a full disk, a lock held too long."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "full" in str(error) or "I/O" in str(error):
                raise _exhausted(self._home, error) from error
            if "locked" in str(error):
                raise Locked("locked", str(error), subject=str(self._home)) from error
            raise _damaged(self._home, error) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # it quotes damaged text
            raise _damaged(self._home, error) from error


def open_folder(home: str) -> PartStore:
    """The store in folder `home`; nothing is created before the first writer.

    Raises:
        BadInput: `home` is a file.
    """
    path = Path(home)
    if path.exists() and not path.is_dir():
        raise BadInput("not_a_home", "the home is not a folder", subject=home)
    return PartStore(SqliteCatalog(path))


def _write_durably(path: Path, data: bytes) -> None:
    temporary = path.with_suffix(path.suffix + ".tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _disk(home: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise _exhausted(home, error) from error


def _exhausted(home: Path, error: Exception) -> ResourceExhausted:
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    if not home.exists():
        return ResourceExhausted(
            "cannot_write",
            f"the folder cannot be created ({reason})",
            subject=str(home),
            hint="choose another --home",
        )
    return ResourceExhausted(
        "cannot_write",
        reason,
        subject=str(home),
        hint="free space or choose another --home; the last generation still answers",
    )


def _damaged(home: Path, error: Exception | str) -> Damaged:
    return Damaged("damaged_index", f"{error}", subject=str(home), hint=_REPAIR)


def _uri(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _fingerprint(connection: sqlite3.Connection, text: str) -> int:
    connection.execute("INSERT OR IGNORE INTO fingerprint(text) VALUES(?)", (text,))
    number: int = connection.execute(
        "SELECT id FROM fingerprint WHERE text = ?", (text,)
    ).fetchone()[0]
    return number


_FREE = (
    "DELETE FROM member WHERE died IS NOT NULL",
    "DELETE FROM part WHERE died IS NOT NULL",
    "DELETE FROM membership WHERE digest NOT IN"
    " (SELECT membership FROM member UNION SELECT base FROM member WHERE base IS NOT NULL)",
)


def _lock_or_holder(handle: int) -> str | None:
    """Lock the file; else what it says of the process that has it ("unknown" when nothing)."""
    if _flock(handle, fcntl.LOCK_EX, 0.0):
        return None
    holder = os.pread(handle, 32, 0).decode("ascii", "replace").strip()
    if (
        holder.isdecimal()
        and not is_alive(int(holder))
        and _flock(handle, fcntl.LOCK_EX, ORPHAN_WAIT)
    ):
        return None
    return holder or "unknown"


def _flock(handle: int, kind: int, wait: float) -> bool:
    """Whether the lock came within `wait` seconds."""
    end = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(POLL)
        else:
            return True


def _insert_part(connection: sqlite3.Connection, part: PartRow, *, born: int) -> int:
    """Register a part; the number of its fingerprint."""
    fingerprint = _fingerprint(connection, part.fingerprint)
    connection.execute(
        "INSERT INTO part VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        (
            part.id, part.kind, fingerprint, part.repository, part.file, part.size,
            part.base, part.count, part.blob_base, part.blobs, born,
        ),
    )  # fmt: skip
    return fingerprint


class _Live(NamedTuple):
    """What a generation is read from, as stored: what the seal covers."""

    generation: int
    members: list[str]
    parts: list[tuple[Any, ...]]
    policy: tuple[int, str | None]

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> _Live:
        """The rows of the newest generation."""
        (generation,) = connection.execute("SELECT generation FROM pointer").fetchone()
        members = connection.execute("SELECT data FROM member WHERE died IS NULL ORDER BY id")
        parts = connection.execute(
            "SELECT part.id, kind, text, repository, file, size, base, count, blob_base, blobs"
            " FROM part LEFT JOIN fingerprint ON fingerprint.id = part.fingerprint"
            " WHERE died IS NULL ORDER BY part.id"
        )
        return cls(
            generation,
            [data for (data,) in members],
            parts.fetchall(),
            connection.execute("SELECT epoch, data FROM policy").fetchone(),
        )

    @property
    def seal(self) -> str:
        """Digest of all of it."""
        return hashlib.blake2b(
            repr(self).encode("utf-8", "surrogatepass"), digest_size=16
        ).hexdigest()


def _seal(connection: sqlite3.Connection) -> None:
    """Put the seal on what this transaction leaves."""
    connection.execute("UPDATE pointer SET seal = ?", (_Live.read(connection).seal,))


def _mark(*row: object) -> int:
    """Checksum of a blob row: fingerprint, raw id, hint, number."""
    return crc32(repr(row).encode("utf-8", "surrogatepass"))


def _check_marks(connection: sqlite3.Connection, home: Path) -> None:
    for *row, mark in connection.execute(
        "SELECT fingerprint, raw_id, hint, number, mark FROM blob"
    ):
        if mark != _mark(*row):
            raise _damaged(home, "the number of a blob is not what was stored")


def _read_pinned(connection: sqlite3.Connection, home: Path) -> Pinned:
    sealed = connection.execute("SELECT seal FROM pointer").fetchone()
    if sealed is None or connection.execute("SELECT one FROM policy").fetchone() is None:
        raise _damaged(home, "the catalog names no generation")
    live = _Live.read(connection)
    if live.seal != sealed[0]:
        raise _damaged(home, "the catalog is not what was stored")
    members = [_member(json.loads(data)) for data in live.members]
    parts = tuple(
        PartRow(
            id=value[0],
            kind=PartKind(value[1]),
            fingerprint=value[2] or "",
            repository=None if value[3] is None else RepositoryId(value[3]),
            file=value[4],
            size=value[5],
            base=value[6],
            count=value[7],
            blob_base=value[8],
            blobs=value[9],
        )
        for value in live.parts
    )
    epoch, data = live.policy
    return Pinned(
        generation=live.generation,
        members=tuple(sorted(members, key=lambda row: (row.repository.name, row.view.ref))),
        parts=parts,
        policy=None if data is None else _policy(epoch, json.loads(data)),
    )


def _policy_json(policy: Policy) -> dict[str, object]:
    return {
        "users": [[name, list(groups)] for name, groups in policy.users],
        "rules": [
            [rule.repository, rule.prefix.decode("utf-8", "surrogateescape"), list(rule.groups)]
            for rule in policy.rules
        ],
    }


def _policy(epoch: int, value: dict[str, Any]) -> Policy:
    return Policy(
        epoch=epoch,
        users=tuple((name, tuple(groups)) for name, groups in value["users"]),
        rules=tuple(
            AccessRule(
                repository=repository,
                prefix=prefix.encode("utf-8", "surrogateescape"),
                groups=tuple(groups),
            )
            for repository, prefix, groups in value["rules"]
        ),
    )


def _member_json(row: MemberRow) -> dict[str, object]:
    record = row.repository
    return {
        "repository": {
            "id": record.id,
            "name": record.name,
            "identity": record.identity,
            "root": record.root,
            "prefix": record.prefix.decode("utf-8", "surrogateescape"),
            "kind": record.kind,
        },
        "ref": row.view.ref,
        "snapshot": {
            "ref": row.snapshot.ref,
            "commit": row.snapshot.commit,
            "version": row.snapshot.version,
            "dirty": row.snapshot.dirty,
        },
        "fingerprint": row.fingerprint,
        "membership": row.membership,
        "base": row.base,
        "sum": f"{row.sum:x}",
        "rules": row.rules,
        "historic": row.historic,
        "generation": row.generation,
        "counts": {str(outcome): count for outcome, count in sorted(row.counts.items())},
        "in_part": row.in_part,
        "at": row.at,
    }


def _member(value: dict[str, Any]) -> MemberRow:
    record = RepositoryRecord(
        id=RepositoryId(value["repository"]["id"]),
        name=value["repository"]["name"],
        identity=value["repository"]["identity"],
        root=value["repository"]["root"],
        prefix=value["repository"]["prefix"].encode("utf-8", "surrogateescape"),
        kind=value["repository"]["kind"],
    )
    snapshot = Snapshot(
        repository=record.id,
        ref=value["snapshot"]["ref"],
        commit=value["snapshot"]["commit"],
        version=value["snapshot"]["version"],
        dirty=value["snapshot"]["dirty"],
    )
    counts: dict[str, int] = value["counts"]
    return MemberRow(
        repository=record,
        view=View(repository=record.id, ref=value["ref"]),
        snapshot=snapshot,
        fingerprint=value["fingerprint"],
        membership=value["membership"],
        base=value["base"],
        sum=int(value["sum"], 16),
        rules=value["rules"],
        historic=value["historic"],
        generation=value["generation"],
        counts={Outcome(name): count for name, count in counts.items()},
        in_part=value.get("in_part", 0),  # absent in rows of older versions
        at=value["at"],
    )
