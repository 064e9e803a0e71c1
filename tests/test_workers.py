from __future__ import annotations

import dataclasses
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.chunking.base import ChunkOptions
from grainline.errors import ResourceExhausted
from grainline.indexing import workers
from grainline.indexing.frames import (
    FrameError,
    Job,
    decode_answer,
    decode_jobs,
    encode_answer,
    encode_jobs,
)
from grainline.indexing.setup import Setup
from grainline.indexing.views import masked_view
from grainline.indexing.workers import InProcess, Pool, WorkerLimits, analysis, worker_command
from grainline.model.snapshot import FlagName, Outcome, Reason
from grainline.snapshots.scratch import Scratch, sweep
from grainline.storage.base import BlobKey
from grainline.text.digest import git_blob_id, masked_id

SETUP = Setup(chunker="grain", chunk=ChunkOptions())
LIMITS = WorkerLimits(batch_cpu=10.0, blob_cpu=1.0, wall=10.0)

# Runs in the worker before it serves: the analysis trips over marked blobs.
SABOTAGE = """
import os, signal, time, numpy
from grainline.indexing import analyse
honest = analyse.Analyser.analyse
def analyse_or_die(self, tasks):
    for task in tasks:
        if b"@segv" in task.data and not (task.text_only and b"@tree" in task.data):
            os.kill(os.getpid(), signal.SIGSEGV)
        if b"@sleep" in task.data: time.sleep(1000)
        if b"@spin" in task.data:
            while True: pass
        if b"@swell" in task.data:
            hoard = []
            while True: hoard.append(bytearray(os.urandom(1 << 20)) * 16)
        if b"@reserve" in task.data: numpy.ones(1 << 40, "u1")
        if b"@bug" in task.data: raise KeyError("the text of a file: SECRETWORD")
        if b"@leave" in task.data: os._exit(0)
        if b"@print" in task.data: os.write(1, b"stray output"); print("more", flush=True)
        if b"@forge" in task.data: return FORGERY
        if b"@once" in task.data and not os.path.exists(FLAG):
            open(FLAG, "w").close(); os.kill(os.getpid(), signal.SIGKILL)
    return honest(self, tasks)
analyse.Analyser.analyse = analyse_or_die
"""


def job(data: bytes, hint: str = "*.py") -> Job:
    return Job(BlobKey(git_blob_id(data), hint), data)


def python(name: str, mark: str = "") -> Job:
    return job(f"def {name}(value):\n    # {mark}\n    return value + 1\n".encode())


def sabotaged(limits: WorkerLimits, flag: Path) -> list[str]:
    command = list(worker_command(limits))
    at = command.index(workers.BOOT)
    command[at] = workers.BOOT.replace("main()\n", f"FLAG = {str(flag)!r}\n{SABOTAGE}main()\n")
    return command


@pytest.fixture
def pool(tmp_path):
    pool = Pool(
        analysis(SETUP), size=1, limits=LIMITS, command=sabotaged(LIMITS, tmp_path / "flag")
    )
    yield pool
    pool.close()


def outcomes(pieces):
    return [(blob.outcome, blob.reason) for piece in pieces for blob in piece.batch.blobs]


GOOD = (Outcome.INDEXED, None)


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("@segv", (Outcome.FAILED, Reason.PARSER_CRASH)),
        ("@segv @tree", (Outcome.INDEXED_AS_TEXT, Reason.PARSER_CRASH)),
        ("@sleep", (Outcome.FAILED, Reason.PARSER_TIMEOUT)),
        ("@spin", (Outcome.FAILED, Reason.PARSER_TIMEOUT)),
        ("@swell", (Outcome.FAILED, Reason.PARSER_MEMORY)),
        ("@reserve", (Outcome.FAILED, Reason.PARSER_MEMORY)),
        ("@bug", (Outcome.FAILED, Reason.PARSER_CRASH)),
        ("@leave", (Outcome.FAILED, Reason.PARSER_CRASH)),
        ("@print", GOOD),
        ("@once", GOOD),
    ],
)
def test_a_blob_that_harms_its_worker_is_quarantined_and_its_neighbours_are_indexed(
    tmp_path, mark, expected
):
    wall = 1.5 if mark == "@sleep" else 60.0
    limits = WorkerLimits(batch_cpu=1.0, blob_cpu=1.0, wall=wall, resident=400 << 20)
    pool = Pool(analysis(SETUP), size=1, limits=limits, command=sabotaged(limits, tmp_path / "f"))
    try:
        jobs = [python("before"), python("harmful", mark), python("after")]
        pieces = pool.submit(jobs).result()
    finally:
        pool.close()
    assert outcomes(pieces) == [GOOD, expected, GOOD]
    assert [blob.key for piece in pieces for blob in piece.batch.blobs] == [j.key for j in jobs]


def test_what_is_kept_of_a_crash_names_its_place_and_no_source_text(pool):
    (piece,) = pool.submit([python("harmful", "@bug")]).result()
    detail = piece.batch.blobs[0].detail
    assert "KeyError at" in detail
    assert "SECRETWORD" not in detail


def test_a_file_that_crashes_its_parser_is_text_and_keeps_how_it_crashed(pool):
    (piece,) = pool.submit([python("harmful", "@segv @tree")]).result()
    (blob,) = piece.batch.blobs
    assert (blob.outcome, blob.detail) == (Outcome.INDEXED_AS_TEXT, "SIGSEGV")
    assert blob.chunks[1] > 0
    assert blob.definitions == (0, 0)


@pytest.mark.parametrize(
    ("data", "hint", "outcome", "reason"),
    [
        (b"# Title\n\nWords.\n", "*.md", Outcome.INDEXED, None),
        (b"Only words.\n", "*.md", Outcome.INDEXED_AS_TEXT, None),
        (b"Only words.\n", "*", Outcome.INDEXED_AS_TEXT, None),
        (b"print(1)\n", "*.py", Outcome.INDEXED, None),
        (b"for ( in x) { ]\n", "*.py", Outcome.INDEXED_AS_TEXT, None),
        (b"class A: pass\nfor ( in x) { ]\n", "*.py", Outcome.INDEXED, Reason.PARSED_IN_PART),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:../x\nsize -1\n",
            "*.py",
            Outcome.INDEXED_AS_TEXT,
            Reason.LFS_POINTER,
        ),
        (b"a=1;" * 3000, "*.js", Outcome.INDEXED_AS_TEXT, Reason.MINIFIED),
        (b"x = 1\n" * 200_000, "*.py", Outcome.INDEXED_AS_TEXT, Reason.TOO_LARGE),
        (b" \n", "*.py", Outcome.SKIPPED, Reason.EMPTY),
        (b"\x7fELF" + bytes(99), "*", Outcome.SKIPPED, Reason.BINARY),
    ],
    ids=[
        "headings",
        "prose",
        "plain",
        "source",
        "broken",
        "half broken",
        "pointer",
        "minified",
        "large",
        "blank",
        "binary",
    ],
)
def test_every_blob_gets_the_outcome_that_its_content_deserves(data, hint, outcome, reason):
    (analysed,) = InProcess(SETUP).submit([job(data, hint)]).result()
    (blob,) = analysed.batch.blobs
    assert (blob.outcome, blob.reason) == (outcome, reason)


SECRET = "ghp_" + "k3Jd9sLq2Wv8Zx1Cb7Nm4Rt6Yp0Ga5Hf8Ue2"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gbk"])
def test_a_secret_is_masked_in_the_stored_bytes_whatever_their_encoding(encoding):
    text = (
        f"# 这是一个配置文件 请不要提交密码\nTOKEN = '{SECRET}'\n\ndef use():\n    return TOKEN\n"
    )
    data = text.encode(encoding)
    (analysed,) = InProcess(SETUP).submit([job(data)]).result()
    batch = analysed.batch
    (blob,) = batch.blobs
    assert len(blob.text) == len(data)
    shown = blob.text.decode("utf-16" if encoding.startswith("utf-16") else encoding)
    assert SECRET[4:] not in shown
    assert "这是一个配置文件" in shown
    assert any(flag.name is FlagName.SECRET for flag in blob.flags)
    tiles = [slice(int(batch.chunk_start[n]), int(batch.chunk_end[n])) for n in range(*blob.chunks)]
    assert b"".join(blob.text[tile] for tile in tiles) == blob.text
    name = next(found for found in batch.definitions if found.name == "use")
    assert blob.text[name.name_start : name.name_end] == "use".encode(
        blob.encoding.removesuffix("-sig")
    )
    assert masked_view(data) == blob.text
    assert masked_view(blob.text) == blob.text


def test_a_worker_that_cannot_start_is_an_error_not_a_thousand_failed_files():
    broken = [sys.executable, "-I", "-c", "raise ImportError('no parser')"]
    pool = Pool(analysis(SETUP), size=1, limits=LIMITS, command=broken)
    with pytest.raises(ResourceExhausted, match="worker_failed"):
        pool.submit([python("f")]).result()
    pool.close()


SPEAK = """
import os, struct, sys
def read(n):
    data = b""
    while len(data) < n:
        got = os.read(0, n - len(data))
        if not got: os._exit(0)
        data += got
    return data
def request(): return read(struct.unpack("<Qd?", read(17))[0])
def answer(data): os.write(1, struct.pack("<Q", len(data)) + data)
request(); answer(b"ready")
"""


@pytest.mark.parametrize(
    "program",
    [
        "while True: request(); answer(os.urandom(2000))",
        "while True: request(); answer(b'')",
        "while True: request(); os.write(1, struct.pack('<Q', 1 << 62))",
        "while True: request(); os.write(1, struct.pack('<Q', 10)); os._exit(0)",
        "while True: request(); answer(struct.pack('<I', 2) + b'{}')",
        "while True: request(); d = b'[' * 100_000; answer(struct.pack('<I', len(d)) + d)",
        "while True: request(); os.close(1); import time; time.sleep(100)",
        "import time; time.sleep(100)",
        "while True:\n import time; request(); os.write(1, struct.pack('<Q', 100))\n"
        " while True: os.write(1, b'x') if time.sleep(.5) else None",
        "while True: request(); os.write(2, b'noise' * 100_000)",
    ],
    ids=[
        "random bytes",
        "empty",
        "huge",
        "cut",
        "no keys",
        "deep json",
        "closed",
        "deaf",
        "drip",
        "noise",
    ],
)
def test_an_answer_that_is_no_answer_is_refused(program):
    limits = WorkerLimits(wall=1.0)
    command = [sys.executable, "-I", "-c", SPEAK + program]
    pool = Pool(analysis(SETUP), size=1, limits=limits, command=command)
    started = time.monotonic()
    pieces = pool.submit([job(b"x = 1\n" * 50_000)]).result()
    pool.close()
    ((outcome, reason),) = outcomes(pieces)
    assert outcome is Outcome.FAILED
    assert reason in (Reason.PARSER_CRASH, Reason.PARSER_TIMEOUT, Reason.PARSER_MEMORY)
    assert time.monotonic() - started < 15


def test_closing_a_pool_ends_its_processes_at_once(tmp_path):
    pool = Pool(analysis(SETUP), size=2, limits=LIMITS, command=sabotaged(LIMITS, tmp_path / "f"))
    futures = [pool.submit([python(f"f{n}", "@sleep")]) for n in range(3)]
    while len(processes := list(pool.processes())) < 2:
        time.sleep(0.01)
    started = time.monotonic()
    pool.close()
    assert time.monotonic() - started < 5
    assert not any(
        future.done() and not future.cancelled() and not future.exception() for future in futures
    )
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_folders_of_killed_runs_are_removed_and_those_of_living_ones_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    names = ("1-a", f"{os.getpid()}-b", f"{gone.pid}-c", "old_one", "new_one", "x-d")
    for name in names:
        (tmp_path / f"grainline-worker-{name}").mkdir()
    os.utime(tmp_path / "grainline-worker-old_one", (0, 0))
    sweep.cache_clear()
    pool = Pool(analysis(SETUP), size=1, limits=LIMITS)
    assert pool.submit([python("f")]).result()
    left = {path.name.removeprefix("grainline-worker-") for path in tmp_path.iterdir()}
    own = {name for name in left if name.startswith(f"{os.getpid()}-")} - {f"{os.getpid()}-b"}
    assert len(own) == 1
    assert left - own == {"1-a", f"{os.getpid()}-b", "new_one", "x-d"}
    pool.close()
    assert not any((tmp_path / f"grainline-worker-{name}").exists() for name in own)


HOLD = """
import sys, tempfile
from grainline.snapshots import scratch
tempfile.tempdir = sys.argv[1]
scratch.os.getpid = lambda: int(sys.argv[2])  # as another container numbers its processes
held = scratch.Scratch("grainline-git-")
print(held.path, flush=True)
sys.stdin.read()
"""


def test_a_folder_in_use_stays_though_its_number_means_nothing_here(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    command = [sys.executable, "-c", HOLD, str(tmp_path), str(gone.pid)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        held = Path(other.stdout.readline().strip())
        sweep.cache_clear()
        sweep("grainline-git-")
        assert held.is_dir()
        other.kill()
        other.wait()
        assert held.is_dir()
        sweep.cache_clear()
        sweep("grainline-git-")
        assert not held.exists()


def test_a_folder_that_was_removed_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    scratch = Scratch("grainline-git-")
    assert not scratch.restore()
    scratch.path.rmdir()
    assert scratch.restore()
    assert scratch.path.is_dir()
    scratch.close()
    assert not scratch.restore()
    assert list(tmp_path.iterdir()) == []


def test_a_worker_lives_in_an_empty_folder_without_environment_or_foreign_path(
    tmp_path, monkeypatch
):
    trap = tmp_path / "trap"
    trap.mkdir()
    for name in ("json", "numpy", "grainline", "sitecustomize"):
        (trap / f"{name}.py").write_text("raise SystemExit('trap')\n")
    monkeypatch.chdir(trap)
    monkeypatch.setenv("PYTHONPATH", str(trap))
    monkeypatch.setenv("PYTHONSTARTUP", str(trap / "json.py"))
    look = (
        "import json, os, sys\n"
        + SPEAK
        + (
            "import grainline; request()\n"
            "print(json.dumps([os.listdir('.'), sorted(os.environ), sys.path]), file=sys.stderr)\n"
            "os._exit(3)\n"
        )
    )
    command = list(worker_command(LIMITS))
    at = command.index(workers.BOOT)
    command[at] = workers.BOOT.split("from grainline")[0] + look
    pool = Pool(analysis(SETUP), size=1, limits=LIMITS, command=command)
    (piece,) = pool.submit([python("f")]).result()
    pool.close()
    seen = piece.batch.blobs[0].detail
    assert seen.startswith("[[], ["), seen
    assert str(trap) not in seen


def test_another_worker_starts_only_when_two_batches_wait():
    pool = Pool(analysis(SETUP), size=2, limits=LIMITS)
    few = [pool.submit([python(f"few{n}")]) for n in range(2)]
    assert [outcomes(each.result()) for each in few] == [[GOOD]] * 2
    assert len(pool.processes()) == 1
    many = [pool.submit([python(f"many{n}")] * 150) for n in range(3)]
    assert all(set(outcomes(each.result())) == {GOOD} for each in many)
    assert len(pool.processes()) == 2
    pool.close()


def test_processes_and_no_process_give_the_same_batches():
    jobs = [
        python("one"), job(b"class A:\n    def b(self): ...\n"), job(b"# T\n\ntext\n", "*.md"),
        job(b"", "*.py"), job(b"\x00\x01\x02" * 50, "*.?"), job("x = '中文'\n".encode()),
        job("名前 = 1\n".encode("utf-16"), "*.py"),
    ]  # fmt: skip
    pool = Pool(analysis(SETUP), size=2, limits=LIMITS)
    (apart,) = pool.submit(jobs).result()
    pool.close()
    (here,) = InProcess(SETUP).submit(jobs).result()
    assert_equal_batches(apart.batch, here.batch)


def assert_equal_batches(one, other):
    for field in dataclasses.fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype
            assert np.array_equal(a, b), field.name
        else:
            assert a == b, field.name


def test_rows_of_a_batch_belong_to_their_blobs():
    first, second = python("one"), job(b"import os\n\ndef two(): os.exit()\n")
    (analysed,) = InProcess(SETUP).submit([first, second]).result()
    batch = analysed.batch
    for blob, source in zip(batch.blobs, (first, second), strict=True):
        assert blob.text == source.data
        assert blob.masked == masked_id(source.data)
        pieces = [
            source.data[batch.chunk_start[row] : batch.chunk_end[row]]
            for row in range(*blob.chunks)
        ]
        assert b"".join(pieces) == source.data
    a, b = batch.blobs[1].definitions
    assert [found.name for found in batch.definitions[a:b]] == ["two"]
    a, b = batch.blobs[1].imports
    assert [found.module for found in batch.imports[a:b]] == ["os"]
    a, b = batch.blobs[1].references
    names = [
        second.data[batch.reference_start[row] : batch.reference_end[row]] for row in range(a, b)
    ]
    assert b"exit" in names


@given(st.lists(st.tuples(st.binary(max_size=40), st.text(max_size=8), st.booleans())))
def test_requests_survive_the_wire(blobs):
    jobs = [Job(BlobKey(b"id", hint), data, flag) for data, hint, flag in blobs]
    tasks = decode_jobs(encode_jobs(jobs))
    assert [tuple(task) for task in tasks] == [(hint, data, flag) for data, hint, flag in blobs]


@pytest.fixture(scope="module")
def honest_answer():
    from grainline.indexing.analyse import Analyser

    jobs = [python("one"), python("two"), job(b"import os\nfrom a import b as c\nos.path()\n")]
    return jobs, b"".join(encode_answer(Analyser(SETUP).analyse(decode_jobs(encode_jobs(jobs)))))


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_damaged_answer_is_refused_or_stays_inside_its_bounds(honest_answer, seed):
    jobs, payload = honest_answer
    dice = random.Random(seed)
    damaged = bytearray(payload)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(damaged))
        how = dice.randrange(3)
        if how == 0:
            damaged[at] = dice.randrange(256)
        elif how == 1:
            del damaged[at : at + dice.randint(1, 16)]
        else:
            damaged[at:at] = dice.randbytes(dice.randint(1, 16))
    try:
        batch = decode_answer(bytes(damaged), jobs).batch
    except FrameError:
        return
    assert [blob.key for blob in batch.blobs] == [j.key for j in jobs]
    for blob in batch.blobs:
        assert (batch.chunk_end[slice(*blob.chunks)] <= len(blob.text)).all()
        assert blob.masked == (masked_id(blob.text) if blob.text else blob.masked)
        size = len(blob.text)
        for found in batch.definitions[slice(*blob.definitions)]:
            assert 0 <= found.start <= found.end <= size
            assert 0 <= found.name_start <= found.name_end <= size
            assert -1 <= found.parent < blob.definitions[1] - blob.definitions[0]
    if len(batch.rows):
        assert int(batch.rows.max()) >> 40 < len(batch.vocabulary)
        assert ((batch.rows >> np.uint64(8)) & np.uint64(2**32 - 1)).max() < len(batch.chunk_start)
    assert list(batch.vocabulary) == sorted(set(batch.vocabulary))


def test_a_worker_that_dies_by_signal_is_replaced(pool):
    pool.submit([python("one")]).result()
    (process,) = pool.processes()
    os.kill(process, signal.SIGKILL)
    pieces = pool.submit([python("two")]).result()
    assert outcomes(pieces) == [GOOD]


def begun(pool, jobs):
    """What is begun with an idle worker of the pool."""
    pool.submit([python("warm")]).result()
    future = pool.begin(jobs)
    assert not future.done(), "nobody has asked for the answer"
    assert pool._busy == 1
    return future


def test_what_is_begun_is_answered_as_what_is_submitted(pool):
    jobs = [python("one"), python("two")]
    pool.begin(jobs).result()  # no worker is idle yet
    (first,), (second,) = begun(pool, jobs).result(), pool.submit(jobs).result()
    assert_equal_batches(first.batch, second.batch)
    assert (pool._busy, pool._waiting, len(pool.processes())) == (0, 0, 1)


def test_a_large_request_is_sent_to_its_end(pool):
    large = job(b"".join(b"value_%d = %d\n" % (n, n) for n in range(60_000)))
    small = [job(b"# %d\n" % n + b"x = 1\n" * 100_000, "*.txt") for n in range(4)]
    (answer,) = begun(pool, [large, *small]).result()
    assert len(answer.batch.blobs) == 5


@pytest.mark.parametrize("mark", ["@once", "@segv", "@leave", "@forge"])
def test_a_worker_that_dies_over_what_was_begun_is_replaced(pool, mark):
    jobs = [python("well"), python("ill", mark)]
    found = begun(pool, jobs).result()
    assert outcomes(found) == outcomes(pool.submit(jobs).result())
    assert (pool._busy, pool._waiting) == (0, 0)


def test_what_is_cancelled_leaves_the_pool_as_it_was(pool):
    future = begun(pool, [python("slow", "@sleep")])
    future.cancel()
    assert (pool._busy, pool._waiting, pool.processes()) == (0, 0, ())
    assert pool.submit([python("next")]).result()
