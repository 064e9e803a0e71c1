"""IR of stored blobs: made once, kept, the same from a worker as here, never believed unchecked."""

from __future__ import annotations

import struct

import pytest

from grainline.engine import MEMORY, Engine
from grainline.indexing import irs as keeping
from grainline.indexing.frames import FrameError, Job, Task, decode_jobs, encode_jobs
from grainline.indexing.irs import LowerHere, ir_key, irs, lowering_crew
from grainline.indexing.lower import CODES, lower_all, read_lowered
from grainline.indexing.pipeline import IndexOptions
from grainline.indexing.workers import WorkerLimits
from grainline.model.irbytes import decode_ir
from grainline.storage.base import BlobKey
from grainline.storage.derived import MemoryDerived

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


def made(corpus, derived, crew=LowerHere):
    return irs(corpus, entries(corpus), derived, crew, lambda done, of: None)


def nobody():
    raise AssertionError("everything is kept already")


def test_ir_is_made_once(corpus):
    derived = MemoryDerived()
    first = made(corpus, derived)
    assert len(first) == len(FILES)
    assert made(corpus, derived, nobody) == first


def test_a_worker_process_makes_the_same(corpus):
    found = made(corpus, MemoryDerived(), lambda: lowering_crew(1, WorkerLimits()))
    assert {key: each.ir() for key, each in found.items()} == {
        key: each.ir() for key, each in made(corpus, MemoryDerived()).items()
    }


def test_positions_are_those_of_the_stored_bytes(corpus):
    entry = next(e for e in range(corpus.n_entries) if corpus.path(e) == b"latin.py")
    data = made(corpus, MemoryDerived())[ir_key(corpus, entry)].ir()
    text = corpus.text(entry)
    scope = decode_ir(data, size=len(text)).scope_rows()[1]
    assert text[scope.name_start :].startswith(b"caf\xe9(x)")
    assert text[scope.start : scope.end].startswith(b"def caf\xe9")


def test_many_packs_become_few(corpus, monkeypatch):
    derived = MemoryDerived()
    monkeypatch.setattr(keeping, "MAX_PACKS", 2)
    for key, entry in entries(corpus).items():
        irs(corpus, {key: entry}, derived, LowerHere, lambda done, of: None)
    assert len(derived.keys("ir")) <= 3
    assert made(corpus, derived, nobody) == made(corpus, MemoryDerived())


def test_unused_ir_is_forgotten(corpus):
    derived = MemoryDerived()
    whole = made(corpus, derived)
    used = sorted(whole)[:1]
    keeping.forget(derived, used)
    (name,) = derived.keys("ir")
    assert {key for _, pack in keeping.read_packs(derived) for key in pack} == set(used)
    keeping.forget(derived, used)
    assert derived.keys("ir") == {name}


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
