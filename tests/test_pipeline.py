from __future__ import annotations

import dataclasses
import errno
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.chunking.base import ChunkOptions
from grainline.errors import BadInput, Interrupted, ResourceExhausted
from grainline.indexing import pipeline
from grainline.indexing.hints import hint_of, language_of
from grainline.indexing.pipeline import IndexOptions, fingerprint, index
from grainline.languages.detect import detect
from grainline.model.access import WORKTREE, View
from grainline.model.facts import Diagnostic
from grainline.model.snapshot import (
    Entry,
    Mode,
    Outcome,
    Reason,
    RepositoryId,
    Snapshot,
    SourceEntry,
)
from grainline.storage.base import BlobKey, Committed, MemberEntry, RepositoryRecord
from grainline.text.digest import git_blob_id

HERE = IndexOptions(workers=0)


class FakeRepository:
    """Snapshots as dictionaries: path -> bytes, or a reason that stands before or behind reading."""

    def __init__(self, refs, *, unread=(), unhashed=False):
        self.refs = refs
        self.unread = dict(unread)
        self.unhashed = unhashed
        self.reads = []
        self.record = RepositoryRecord(
            id=RepositoryId("r"), name="repo", identity="/r", root="/r", prefix=b"", kind="bare"
        )

    def default_refs(self):
        return tuple(self.refs)[:1]

    rules = "rules"

    def resolve(self, ref):
        if ref not in self.refs:
            raise BadInput("unknown_ref", f"{ref!r}: no such ref")
        version = f"v-{ref}"
        return Snapshot(
            repository=self.record.id, ref=ref, commit=version, version=version, dirty=False
        )

    def snapshot(self, ref, known=()):
        entries = [self._entry(path, data, known) for path, data in self.refs[ref].items()]
        return self.resolve(ref), tuple(entries)

    def changes(self, base, commit, also):
        """Everything, as a repository says that cannot compare."""

    def deviations(self, commit, entries):
        return frozenset(), ()

    def read(self, entries) -> Iterator:
        for entry in entries:
            self.reads.append(entry.path)
            data = next(files[entry.path] for files in self.refs.values() if entry.path in files)
            reason = self.unread.get(entry.path)
            entry = entry._replace(raw_id=git_blob_id(data))
            yield entry, reason or data, "detail" if reason else ""

    def _entry(self, path, data, known):
        if isinstance(data, Reason):
            return SourceEntry(path=path, mode=Mode.FILE, raw_id=None, size=-1, skip=data)
        raw_id = git_blob_id(data)
        signature = (len(data), hash(data) & 0xFFFF) if self.unhashed else ()
        if self.unhashed:
            seen, stored = known.get(path, ((), None))
            raw_id = stored if seen == signature else None
        return SourceEntry(
            path=path, mode=Mode.FILE, raw_id=raw_id, size=len(data), signature=signature
        )


class FakeWriter:
    """A store of one home in memory: added content is lost unless flushed."""

    def __init__(self):
        self.stored = {}
        self.pending = {}
        self.batches = []
        self.views = {}
        self.flushes = 0

    def known(self, keys):
        return frozenset(key for key in keys if key in self.stored or key in self.pending)

    def add(self, batch):
        self.batches.append(batch)
        for blob in batch.blobs:
            assert blob.key not in self.known([blob.key]), "content is stored once"
            self.pending[blob.key] = blob

    def flush(self):
        self.flushes += 1
        self.stored |= self.pending
        self.pending = {}

    def signatures(self, view):
        members = self.views.get(view, ())
        return {m.path: (m.signature, m.key.raw_id) for m in members if m.key and m.signature}

    def state(self, view):
        """Nothing: every commit of this store is a whole one."""

    def based(self, repository, view, rules):
        """Nothing: every commit of this store is a whole one."""

    def commit(self, repository, view, snapshot, entries, *, missing=(), rules="", historic=False):
        self.flush()
        lost = [entry.key for entry in entries if entry.key and entry.key not in self.stored]
        assert not lost, "everything named is durable before the flip"
        assert [entry.path for entry in entries] == sorted(entry.path for entry in entries)
        self.views[view] = tuple(entries)
        written = self.outcomes(view)
        reasons = Counter((each.outcome, each.reason) for each in written if each.reason)
        return Committed(
            generation="generation",
            snapshot=snapshot,
            counts=Counter(each.outcome for each in written),
            reasons=tuple((*which, count) for which, count in sorted(reasons.items())),
            failures=tuple(each for each in written if each.outcome is Outcome.FAILED),
        )

    def outcomes(self, view):
        return [self._entry(member) for member in self.views[view]]

    def _entry(self, member: MemberEntry):
        blob = self.stored[member.key] if member.key else member
        text = member.key is not None and blob.text
        return Entry(
            path=member.path,
            mode=member.mode,
            blob=blob.masked if text else None,
            language=blob.language if member.key else "",
            outcome=blob.outcome,
            reason=blob.reason,
            detail=blob.detail,
            flags=(),
            symbols=blob.definitions[1] - blob.definitions[0] if member.key else 0,
            size=member.size,
        )


def run(repository, writer, refs=(), options=HERE, **more):
    return index(
        repository,
        writer,
        record=repository.record,
        refs=refs,
        options=options,
        **more,
    )


def view_of(ref):
    return View(repository=RepositoryId("r"), ref=ref)


def members(writer, ref="main"):
    return {member.path: member for member in writer.views[view_of(ref)]}


FILES = {
    b"src/app.py": b"def run():\n    return 1\n",
    b"web/app.js": b"function run() {}\n",
    b"copy/app.py": b"def run():\n    return 1\n",
    b"copy/app.txt": b"def run():\n    return 1\n",
    b"empty.py": b"",
    b"logo.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(64),
    b".env": b"TOKEN=abc\n",
    b"link": Reason.SYMLINK,
    b"lost.py": b"lost = 1\n",
    b"wide.html": b'<a id="x">y</a>\n' * 5000,
}
LOST = {b"lost.py": Reason.MISSING_OBJECT}


def test_every_path_gets_exactly_one_outcome_and_the_report_counts_them():
    writer = FakeWriter()
    report = run(FakeRepository({"main": FILES}, unread=LOST), writer)
    assert sorted(members(writer)) == sorted(FILES)
    assert sum(count for _, count in report.views[0].counts) == len(FILES)
    rows = {entry.path: (entry.outcome, entry.reason) for entry in writer.outcomes(view_of("main"))}
    assert rows == {
        b"src/app.py": (Outcome.INDEXED, None),
        b"web/app.js": (Outcome.INDEXED, None),
        b"copy/app.py": (Outcome.INDEXED, None),
        b"copy/app.txt": (Outcome.INDEXED_AS_TEXT, None),
        b"empty.py": (Outcome.SKIPPED, Reason.EMPTY),
        b"logo.png": (Outcome.SKIPPED, Reason.BINARY),
        b".env": (Outcome.SKIPPED, Reason.SECRET),
        b"link": (Outcome.SKIPPED, Reason.SYMLINK),
        b"lost.py": (Outcome.SKIPPED, Reason.MISSING_OBJECT),
        b"wide.html": (Outcome.INDEXED_AS_TEXT, Reason.TOO_LARGE),
    }
    assert (Outcome.SKIPPED, "symlink", 1) in report.views[0].reasons


def test_equal_blobs_are_read_and_analysed_once_and_a_secret_path_never():
    repository, writer = FakeRepository({"main": FILES}), FakeWriter()
    run(repository, writer)
    assert Counter(repository.reads)[b"src/app.py"] + Counter(repository.reads)[b"copy/app.py"] == 1
    assert b".env" not in repository.reads
    keys = [blob.key for batch in writer.batches for blob in batch.blobs]
    assert len(keys) == len(set(keys))
    found = members(writer)
    assert found[b"src/app.py"].key == found[b"copy/app.py"].key != found[b"copy/app.txt"].key


def test_a_second_run_reads_nothing_and_a_second_ref_only_what_differs():
    changed = {**FILES, b"new.py": b"new = 1\n"}
    repository, writer = FakeRepository({"main": FILES, "next": changed}), FakeWriter()
    run(repository, writer)
    repository.reads.clear()
    run(repository, writer)
    assert repository.reads == []
    run(repository, writer, refs=("main", "next"))
    assert repository.reads == [b"new.py"]
    assert set(members(writer, "next")) == set(changed)


def test_a_work_tree_file_with_a_known_signature_is_not_read_again():
    repository = FakeRepository({WORKTREE: dict(FILES)}, unhashed=True)
    writer = FakeWriter()
    run(repository, writer)
    assert b"src/app.py" in repository.reads
    repository.reads.clear()
    repository.refs[WORKTREE][b"web/app.js"] = b"var other;\n"
    run(repository, writer)
    assert repository.reads == [b"web/app.js"]
    key = members(writer, WORKTREE)[b"web/app.js"].key
    assert key == BlobKey(git_blob_id(b"var other;\n"), hint_of(b"web/app.js"))


def test_equal_work_tree_files_are_analysed_once():
    files = {b"a.py": b"x = 1\n", b"b.py": b"x = 1\n"}
    writer = FakeWriter()
    run(FakeRepository({WORKTREE: files}, unhashed=True), writer)
    assert sum(len(batch.blobs) for batch in writer.batches) == 1
    assert len(members(writer, WORKTREE)) == 2


def many(count=60):
    return {
        b"f%03d.py" % n: b"def f%d():\n    return g%d(%d)\n" % (n, n * 7 % 5, n) * (1 + n % 3)
        for n in range(count)
    }


def same(one, other):
    for field in dataclasses.fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        assert np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b, field.name


def test_the_number_of_workers_changes_nothing(monkeypatch):
    monkeypatch.setattr(pipeline, "BATCH_BLOBS", 7)
    writers = {}
    for workers in (0, 2):
        writers[workers] = FakeWriter()
        run(
            FakeRepository({"main": many()}),
            writers[workers],
            options=IndexOptions(workers=workers),
        )
    assert len(writers[0].batches) == len(writers[2].batches) > 5
    for one, other in zip(writers[0].batches, writers[2].batches, strict=True):
        same(one, other)
    assert writers[0].views == writers[2].views


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("moment", range(12))
def test_a_killed_run_leaves_no_view_and_the_next_one_goes_on_where_it_stopped(monkeypatch, moment):
    monkeypatch.setattr(pipeline, "BATCH_BLOBS", 6)
    monkeypatch.setattr(pipeline, "FLUSH_BYTES", 300)
    repository, writer = FakeRepository({"main": many()}), FakeWriter()
    honest = writer.add

    def dying(batch):
        if len(writer.batches) == moment:
            raise Killed
        honest(batch)

    writer.add = dying
    try:
        run(repository, writer)
    except Killed:
        assert writer.views == {}
    writer.pending.clear()
    kept = set(writer.stored)
    assert moment < 2 or kept
    writer.add = honest
    repository.reads.clear()
    run(repository, writer)
    assert not {git_blob_id(repository.refs["main"][path]) for path in repository.reads} & {
        key.raw_id for key in kept
    }
    rebuilt = FakeWriter()
    run(FakeRepository({"main": many()}), rebuilt)
    assert writer.views == rebuilt.views
    assert writer.outcomes(view_of("main")) == rebuilt.outcomes(view_of("main"))


def test_an_interrupt_keeps_what_is_finished(monkeypatch):
    monkeypatch.setattr(pipeline, "BATCH_BLOBS", 6)
    monkeypatch.setattr(pipeline, "PROGRESS_STEP", 1)
    writer = FakeWriter()

    def impatient(progress):
        if progress.stage == "read" and progress.done >= 30:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as raised:
        run(FakeRepository({"main": many()}), writer, progress=impatient)
    assert raised.value.exit_code == 130
    assert writer.stored
    assert not writer.views


@pytest.mark.parametrize(
    ("error", "code"),
    [(OSError(errno.ENOSPC, "full"), "disk_full"), (MemoryError(), "out_of_memory")],
)
def test_a_full_disk_or_memory_is_said_and_nothing_becomes_visible(error, code):
    writer = FakeWriter()

    def failing(batch):
        raise error

    writer.add = failing
    with pytest.raises(ResourceExhausted) as raised:
        run(FakeRepository({"main": many()}), writer)
    assert raised.value.code == code
    assert not writer.views


def test_another_error_of_the_system_stays_itself():
    writer = FakeWriter()

    def failing(batch):
        raise PermissionError(errno.EACCES, "no")

    writer.add = failing
    with pytest.raises(PermissionError):
        run(FakeRepository({"main": many()}), writer)


def test_what_failed_by_time_is_not_stored_and_tried_again(monkeypatch):
    files = {b"slow.py": b"slow = 1\n", b"good.py": b"good = 1\n"}
    writer = FakeWriter()
    with monkeypatch.context() as patch:
        slow_down(patch, b"slow")
        report = run(FakeRepository({"main": files}), writer)
    assert report.count(Outcome.FAILED) == 1
    assert [(row.path, row.reason) for row in report.views[0].failures] == [
        (b"slow.py", Reason.PARSER_TIMEOUT)
    ]
    repository = FakeRepository({"main": files})
    report = run(repository, writer)
    assert repository.reads == [b"slow.py"]
    assert report.count(Outcome.INDEXED) == 2


def slow_down(patch, mark):
    from grainline.indexing import analyse
    from grainline.parsing.facts import as_text, parse_lazily, parse_text

    def slow(text, language, **more):
        if mark in text:
            return as_text(parse_text(text, language, code="parser_timeout", detail="parse"))
        return parse_lazily(text, language, **more)

    patch.setattr(analyse, "parse_lazily", slow)


def test_a_language_whose_definitions_give_no_symbol_is_suspicious(monkeypatch):
    from grainline.indexing import analyse

    honest = analyse.parse_lazily

    def blind(text, language, **more):
        nothing = Diagnostic(code="no_symbols", detail="")
        parsed = honest(text, language, **more)
        facts = dataclasses.replace(parsed.facts, definitions=(), diagnostics=(nothing,))
        return parsed._replace(facts=facts)

    monkeypatch.setattr(analyse, "parse_lazily", blind)
    assert run(FakeRepository({"main": many(20)}), FakeWriter()).suspicious == ("python",)
    assert run(FakeRepository({"main": many(19)}), FakeWriter()).suspicious == ()
    monkeypatch.setattr(analyse, "parse_lazily", honest)
    assert run(FakeRepository({"main": many(20)}), FakeWriter()).suspicious == ()


def test_the_fingerprint_names_what_content_depends_on():
    one = fingerprint(IndexOptions())
    assert one == fingerprint(IndexOptions(workers=1))
    assert one != fingerprint(IndexOptions(chunk=ChunkOptions(cap=100)))
    assert {"decode", "secrets", "tokens", "outline", "references"} <= {
        name for name, _ in one.features
    }
    with pytest.raises(BadInput, match="unknown_chunker"):
        fingerprint(IndexOptions(chunker="nonesuch"))


def test_an_unknown_ref_writes_nothing():
    writer = FakeWriter()
    with pytest.raises(BadInput, match="unknown_ref"):
        run(FakeRepository({"main": FILES}), writer, refs=("nonesuch",))
    assert not writer.batches
    assert not writer.views


NAMES = st.sampled_from(
    [b"a.py", b"A.PY", b"x.test.ts", b"x.d.ts", b"Makefile", b"noext", b".bashrc", b"a.unknown",
     b"dir/with.dot/name", b"x.h", b"x.H", b"x.html.erb", b"\xff\xfe.py", b"\xff.\xfe", b"a.",
     b".", b"Dockerfile", b"Gemfile", b".py", b"pom.xml", b"x.blade.php", b"CMakeLists.txt"]
) | st.binary(min_size=1, max_size=12).filter(lambda name: b"\0" not in name)  # fmt: skip
HEADS = st.sampled_from(
    [b"", b"#!/usr/bin/env python3\n", b"#!/bin/sh\n", b"<?php\n", b"<?xml version='1.0'?>",
     b"<!DOCTYPE html>", b"namespace a { class B {}; }\n", b"int x;\n", b"-*- mode: python -*-"]
)  # fmt: skip


@settings(max_examples=500)
@given(NAMES, HEADS)
def test_a_hint_says_as_much_about_the_language_as_its_path(path, head):
    hint = hint_of(path)
    hint.encode()
    assert language_of(hint, head) == detect(path, head)
