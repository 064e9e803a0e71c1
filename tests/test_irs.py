"""IR of stored blobs: made once, kept, the same from a worker as here, never believed unchecked."""

from __future__ import annotations

import struct
from concurrent.futures import Future

import pytest

from grainline.engine import MEMORY, Engine
from grainline.indexing import irs as keeping
from grainline.indexing.frames import FrameError, Job, Task, decode_jobs, encode_jobs
from grainline.indexing.irs import Irs, LowerHere, ir_key, lowering_crew
from grainline.indexing.lower import CODES, Lowered, lower_all, read_lowered
from grainline.indexing.pipeline import IndexOptions
from grainline.indexing.workers import WorkerLimits
from grainline.model.irbytes import decode_ir
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


def test_once_more_others_are_kept_they_are_forgotten(corpus):
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
