"""IR of stored blobs: made once, kept, the same from a worker as here, never believed unchecked."""

from __future__ import annotations

import struct
from concurrent.futures import Future
from dataclasses import replace

import pytest

from grainline.engine import MEMORY, Engine
from grainline.indexing import analyse
from grainline.indexing import fill as filling
from grainline.indexing import irs as keeping
from grainline.indexing.analyse import Analyser
from grainline.indexing.frames import (
    FrameError,
    Job,
    Task,
    decode_answer,
    decode_jobs,
    encode_answer,
    encode_jobs,
)
from grainline.indexing.irs import Fresh, Irs, LowerHere, ir_key, lowering_crew
from grainline.indexing.lower import CODES, Lowered, lower_all, read_lowered
from grainline.indexing.pipeline import IndexOptions
from grainline.indexing.workers import WorkerLimits
from grainline.model.irbytes import decode_ir, encode_ir
from grainline.storage.base import BlobKey

PYTHON = b"def f(x):\n    return g(x)\n"
FILES = {
    "a.py": PYTHON,
    "latin.py": b"# -*- coding: latin-1 -*-\ndef caf\xe9(x):\n    return x\n",
    "notes.txt": b"nothing to lower\n",
    "broken.py": b"def f(:\n  class\n",
}


@pytest.fixture
def corpus(tmp_path):
    tree = tmp_path / "repo"
    tree.mkdir()
    for name, data in FILES.items():
        (tree / name).write_bytes(data)
    engine = Engine.open(MEMORY)
    engine.index(str(tree), options=IndexOptions(workers=0))
    yield engine.corpus()
    engine.close()


def entries(corpus):
    return {ir_key(corpus, entry): entry for entry in range(corpus.n_entries)}


def silent(done, of):
    pass


def made(corpus, crew=LowerHere):
    return Irs(crew).of(corpus, entries(corpus), silent)


class Counting:
    """What lowers here, and counts what it was asked for."""

    ahead = 0

    def __init__(self):
        self.jobs = 0

    def submit(self, jobs):
        self.jobs += len(jobs)
        return LowerHere().submit(jobs)

    def close(self):
        pass


def test_ir_is_made_once(corpus):
    crew = Counting()
    kept = Irs(lambda: crew)
    first = kept.of(corpus, entries(corpus), silent)
    assert len(first) == crew.jobs == len(FILES)
    assert kept.of(corpus, entries(corpus), silent) == first
    assert crew.jobs == len(FILES)


def test_what_was_saved_is_lowered_by_workers_that_run_already(tmp_path, monkeypatch):
    tree = tmp_path / "repo"
    tree.mkdir()
    (tree / "a.py").write_bytes(PYTHON)
    engine = Engine.open(str(tmp_path / "home"))
    engine.index(str(tree), options=IndexOptions(workers=1))
    (view,) = engine.work_trees()
    (tree / "a.py").write_bytes(PYTHON + b"def g(x):\n    return x\n")
    engine.refresh(view, options=IndexOptions(workers=1))
    monkeypatch.setattr(filling, "lowering_crew", None)
    found = engine.callers("g")
    engine.close()
    assert [row.src for row in found.rows] == ["a.f"]


SECRET = "ghp_" + "k3Xz9QpL7vWm2RtY8bNc4JhF6sDg1AeU5iOo"
MORE = FILES | {
    "wide.py": "\ufeffdef f(x):\n    return x.café()\n".encode("utf-16"),
    "secret.py": f"token = '{SECRET}'\ndef f(): return g(token)\n".encode(),
    "main.go": b"package main\nfunc main() { run() }\n",
}


def along(tmp_path, *, workers=0):
    """The IR that is made with the analysis, and that of the stored blobs, where both are."""
    tree = tmp_path / "repo"
    tree.mkdir()
    for name, data in MORE.items():
        (tree / name).write_bytes(data)
    engine = Engine.open(MEMORY)
    engine.index(str(tree), options=IndexOptions(workers=workers, ir=True))
    fresh = engine._fresh.take()
    stored = made(engine.corpus())
    paths = {ir_key(engine.corpus(), e): engine.corpus().path(e) for e in range(len(stored))}
    engine.close()
    return {paths[key]: (each.ir(), stored[key].ir()) for key, each in fresh.items()}


@pytest.mark.parametrize("workers", [0, 1])
def test_ir_that_is_made_along_is_that_of_the_stored_blob(tmp_path, workers):
    found = along(tmp_path, workers=workers)
    assert {path.decode() for path in found} == MORE.keys() - {"notes.txt"}
    assert all(one == other for one, other in found.values())


def test_ir_that_was_not_placed_would_be_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(analyse, "placed_ir", lambda ir, offsets: encode_ir(ir) if ir else b"")
    with pytest.raises(FrameError):  # beyond the end of `latin.py`
        along(tmp_path)


def test_nothing_is_lowered_for_edges_where_ir_was_made_along(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_bytes(PYTHON)
    engine = Engine.open(MEMORY)
    engine.index(str(tmp_path), options=IndexOptions(workers=0, ir=True))
    monkeypatch.setattr(LowerHere, "submit", None)
    (made,) = engine.fill(options=IndexOptions(workers=0))
    assert made.calls_without_target == 1
    engine.close()


def test_ir_that_came_along_is_bounded():
    fresh = Fresh(most=200)
    for number in range(20):
        fresh.keep(BlobKey(b"%d" % number, "*.py"), PYTHON)
    assert 1 < len(fresh.take()) < 20
    assert fresh.take() == {}


def test_an_answer_with_ir_that_is_none_is_refused():
    jobs = [Job(BlobKey(b"\1" * 20, "*.py"), PYTHON)]
    analyser = Analyser(IndexOptions(ir=True).setup())
    answer = analyser.analyse(decode_jobs(encode_jobs(jobs)))
    assert decode_answer(b"".join(encode_answer(answer)), jobs).irs == tuple(answer.irs)
    bad = replace(answer, irs=[answer.irs[0][:-1]])
    with pytest.raises(FrameError):
        decode_answer(b"".join(encode_answer(bad)), jobs)


def test_a_worker_process_makes_the_same(corpus):
    found = made(corpus, lambda: lowering_crew(1, WorkerLimits()))
    assert {key: each.ir() for key, each in found.items()} == {
        key: each.ir() for key, each in made(corpus).items()
    }


def test_positions_are_those_of_the_stored_bytes(corpus):
    entry = next(e for e in range(corpus.n_entries) if corpus.path(e) == b"latin.py")
    data = made(corpus)[ir_key(corpus, entry)].ir()
    text = corpus.text(entry)
    scope = decode_ir(data, size=len(text)).scope_rows()[1]
    assert text[scope.name_start :].startswith(b"caf\xe9(x)")
    assert text[scope.start : scope.end].startswith(b"def caf\xe9")


def test_what_is_made_piece_by_piece_is_what_is_made_at_once(corpus, monkeypatch):
    whole = made(corpus)
    monkeypatch.setattr(keeping, "BATCH_BLOBS", 1)
    assert made(corpus) == whole
    kept = Irs(LowerHere)
    found = {}
    for key, entry in entries(corpus).items():
        found |= kept.of(corpus, {key: entry}, silent)
    assert found == whole


def test_once_more_others_are_kept_they_are_forgotten(corpus, monkeypatch):
    monkeypatch.setattr(keeping, "MAX_PART", 0)
    crew = Counting()
    kept = Irs(lambda: crew)
    whole = kept.of(corpus, entries(corpus), silent)
    used = dict(sorted(entries(corpus).items())[:1])
    for _ in range(2):
        assert kept.of(corpus, used, silent) == {key: whole[key] for key in used}
    assert crew.jobs == len(FILES)
    assert kept.of(corpus, entries(corpus), silent) == whole
    assert crew.jobs == 2 * len(FILES) - 1


def test_what_failed_in_passing_is_tried_again(corpus):
    class Dying(Counting):
        def submit(self, jobs):
            self.jobs += len(jobs)
            future = Future()
            future.set_result(((Lowered(b"", "failed: parser_timeout"),) * len(jobs),))
            return future

    crew = Dying()
    kept = Irs(lambda: crew)
    for times in (1, 2):
        found = kept.of(corpus, entries(corpus), silent)
        assert {each.code for each in found.values()} == {"failed: parser_timeout"}
        assert crew.jobs == times * len(FILES)


def answer():
    jobs = [Job(BlobKey(b"\1" * 20, "*.py"), PYTHON), Job(BlobKey(b"\2" * 20, "*"), b"\0\1\2")]
    return jobs, b"".join(lower_all(decode_jobs(encode_jobs(jobs))))


def test_an_answer_says_why_there_is_no_ir():
    jobs, payload = answer()
    good, binary = read_lowered(payload, jobs)
    assert good.ir
    assert (good.code, binary) == ("", (b"", "no_text"))
    (large,) = read_lowered(
        b"".join(lower_all([Task("*.py", b"x = 1\n" * 300_000, False)])),
        [Job(BlobKey(b"", "*.py"), b"")],
    )
    assert (large.ir, large.code) == (b"", "too_large")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: struct.pack("<I", 3) + data[4:],
        lambda data: data[:4] + bytes([len(CODES)]) + data[5:],
        lambda data: data[:20] + bytes([data[20] ^ 255]) + data[21:],
        lambda data: b"",
    ],
    ids=["short", "long", "count", "code", "ir", "empty"],
)
def test_a_spoiled_answer_is_refused(spoil):
    jobs, payload = answer()
    with pytest.raises(FrameError):
        read_lowered(spoil(payload), jobs)
