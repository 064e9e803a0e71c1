"""Language servers: a fake one that behaves, and every way in which it may not."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline import precise
from grainline.errors import BadInput
from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier
from grainline.precise import lsp, sidecar
from grainline.precise.index import Encoding
from grainline.precise.jsonrpc import Inbox, Nonsense, encode
from grainline.precise.lsp import SERVERS, Limits
from grainline.precise.servers.base import NEVER
from helpers import precise as small

FAKE = Path(small.__file__).with_name("fake_lsp.py")
LIMITS = Limits(
    start=20, request=1.0, patience=2, total=40, memory=200 << 20, message=1 << 20, output=4 << 20
)
LIB = "def f():\n    pass\n\n\nclass Base:\n    pass\n"
APP = "from lib import f, Base\n\nx = '🚀é'; f()\nBase()\nprint(f())\n"
FILES = [small.file("lib.py", LIB), small.file("pkg/app.py", APP)]
SITES = lsp.call_sites(FILES)


def program(tmp_path, mode, *more):
    script = tmp_path / "fake"
    words = " ".join(map(shlex.quote, (sys.executable, str(FAKE), mode, *map(str, more))))
    script.write_text(f"#!/bin/sh\nexec {words}\n", encoding="utf-8")
    script.chmod(0o700)
    return str(script)


def ask(tmp_path, mode, *more, limits=LIMITS, files=FILES):
    return lsp.ask("pyright", files, SITES, limits, program=program(tmp_path, mode, *more))


def running(word):
    shown = subprocess.run(("ps", "-axo", "args"), capture_output=True, text=True, check=True)
    return [line for line in shown.stdout.split("\n") if word in line]


# ------------------------------------------------------------------------------ good servers


def test_sites_come_back_with_what_they_mean(tmp_path):
    found = ask(tmp_path, "good")
    assert (found.problem, found.refused, found.asked) == (None, 0, len(SITES))
    assert found.consumed == (b"lib.py", b"pkg/app.py")
    rows = small.rows(lsp.edges(found, FILES).edges, FILES)
    assert rows == [
        ("calls", "", "f", "f()."),
        ("instantiates", "", "Base", "Base#"),
        ("calls", "", "f", "f()."),
    ]


def test_answers_are_compared_like_an_index(tmp_path):
    found = ask(tmp_path, "good")
    site = SITES[0].span
    wrong = Edge(
        EdgeType.CALLS, Symbol(b"pkg/app.py", ""), Symbol(b"lib.py", "Base#"), site, (Method.SCOPE,), Tier.RESOLVED, 1
    )  # fmt: skip
    right = wrong._replace(dst=Symbol(b"lib.py", "f()."))
    result = lsp.edges(found, FILES, [wrong, right])
    assert [each.edge for each in result.comparison.contradicted] == [wrong]
    assert result.comparison.upgraded == (right,)
    upgraded = [edge for edge in result.edges if edge.site == site]
    assert [edge.methods for edge in upgraded] == [(Method.LSP, Method.SCOPE)]
    assert len(precise.merge([wrong, right], result.edges)) == len(result.edges) + 1


def test_a_server_is_told_nothing_and_sees_only_its_own_files(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "abc")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    others = [
        small.file(".vscode/settings.py", ""),
        small.file("node_modules/evil/x.py", "def f(): pass\n"),
        small.file("web/app.ts", "f();\n"),
    ]
    assert ask(tmp_path, "told", tmp_path / "out", files=[*FILES, *others]).problem is None
    told = json.loads((tmp_path / "out").read_text())
    assert told["tree"] == ["lib.py", "pkg", "pkg/app.py"]
    seen = told["environment"]
    assert set(seen) - {"_", "PWD", "SHLVL", "OLDPWD"} == {
        "GRAINLINE_SIDECAR", "HOME", "LC_ALL", "PATH", "TMPDIR", "XDG_CACHE_HOME",
    }  # fmt: skip
    assert not Path(seen["HOME"]).exists()
    assert not running(f"{FAKE} told")


def test_questions_of_a_server_get_our_settings_and_nothing_is_done(tmp_path):
    assert ask(tmp_path, "asks", tmp_path / "out").problem is None
    settings, edit, noted, refused = json.loads((tmp_path / "out").read_text())
    assert settings == [SERVERS.get("pyright").settings["python"], None]
    assert edit == {"applied": False}
    assert noted is None
    assert refused["code"] == -32601


# ------------------------------------------------------------------------------ bad servers


@pytest.mark.parametrize(
    ("mode", "code"),
    [
        ("dies-start", "died"), ("dies-ask", "died"), ("silent-ask", "slow"),
        ("flood-start", "flood"), ("flood-ask", "flood"), ("memory", "memory"),
        ("refuses", "refused"), ("words", "nonsense"), ("length", "nonsense"),
        ("no-length", "nonsense"), ("no-json", "nonsense"), ("deep", "nonsense"),
        ("list", "nonsense"), ("number", "nonsense"), ("other-number", "slow"), ("chatty", "slow"), ("questions", "flood"),
    ],
)  # fmt: skip
def test_a_bad_server_is_a_problem_and_never_an_exception(tmp_path, mode, code):
    started = time.monotonic()
    found = ask(tmp_path, mode)
    assert found.problem is not None
    assert found.problem.code == code
    assert found.answers == ()
    assert lsp.edges(found, FILES).edges == ()
    assert time.monotonic() - started < 30
    assert not running(f"{FAKE} {mode}")


def test_a_server_that_is_not_ready_in_time_is_slow(tmp_path):
    found = ask(tmp_path, "silent-start", limits=replace(LIMITS, start=0.5))
    assert found.problem.code == "slow"


def test_the_time_for_everything_ends_a_server_that_answers_slowly(tmp_path):
    limits = replace(LIMITS, total=1.0, request=60, start=60)
    started = time.monotonic()
    assert ask(tmp_path, "silent-ask", limits=limits).problem.code == "late"
    assert time.monotonic() - started < 10


def test_a_server_that_does_not_read_does_not_hold_us(tmp_path):
    big = [*FILES, small.file("big.py", "f()\n" + "x = 1\n" * 200_000)]
    limits = replace(LIMITS, start=1.0)
    assert ask(tmp_path, "deaf", limits=limits, files=big).problem.code == "slow"


def test_a_pipe_that_nobody_reads_is_slow_too(tmp_path):
    found = sidecar.find(("sleep",))
    told = sidecar.environment(tmp_path, (found,), {})
    bounds = sidecar.Bounds(seconds=20, memory=1 << 30, output=1 << 20)
    process = sidecar.Sidecar((found, "20"), tmp_path, told, bounds)
    try:
        with pytest.raises(sidecar.Stopped) as stopped:
            process.write(b"x" * (1 << 22), 0.5, bytes)
    finally:
        process.close()
    assert stopped.value.code == "slow"


def test_odd_answers_are_refused_one_by_one_and_the_rest_is_kept(tmp_path):
    files = [FILES[0], small.file("pkg/app.py", "from lib import f\n" + "f()\n" * 20)]
    found = lsp.ask(
        "pyright", files, lsp.call_sites(files), LIMITS, program=program(tmp_path, "odd")
    )
    assert found.problem is None
    assert found.asked == 20
    assert found.refused >= 7
    assert len(lsp.edges(found, files).edges) == 9


def test_errors_are_counted(tmp_path):
    found = ask(tmp_path, "error")
    assert (found.problem, found.refused) == (None, len(SITES))


def test_places_outside_of_the_copy_are_foreign(tmp_path):
    found = ask(tmp_path, "outside")
    assert found.problem is None
    assert {target.path for answer in found.answers for target in answer.targets} == {None}
    result = lsp.edges(found, FILES)
    assert result.edges == ()
    assert result.reading.foreign == len(found.answers)


@pytest.mark.skipif(
    sys.platform != "linux", reason="a process that left its session is found by /proc"
)
def test_whatever_a_server_started_is_ended_even_in_a_session_of_its_own(tmp_path):
    assert ask(tmp_path, "children", NAP).problem is None
    until = time.monotonic() + 5
    while sleepers() and time.monotonic() < until:
        time.sleep(0.05)
    assert sleepers() == []


@pytest.mark.skipif(sys.platform != "linux", reason="as above")
def test_without_the_mark_a_child_that_left_its_session_would_live_on(tmp_path, monkeypatch):
    monkeypatch.setattr(sidecar, "_marked", lambda mark: [])
    ask(tmp_path, "children", NAP)
    left = sleepers()
    for pid in left:
        os.kill(pid, 9)
    assert left


NAP = f"300.{os.getpid()}"


def sleepers():
    shown = subprocess.run(("ps", "-axo", "pid=,args="), capture_output=True, text=True, check=True)
    rows = (line.split(None, 1) for line in shown.stdout.splitlines())
    return [int(row[0]) for row in rows if row[1] == f"sleep {NAP}"]


def test_an_answer_that_reads_otherwise_is_not_believed():
    site = SITES[1]
    assert site.path == b"pkg/app.py"
    target = lsp.Target(b"lib.py", small.place(LIB, "f"), "lib.py")
    lie = lsp.Answers(server="x", answers=(lsp.Answer(site, (target,)),), encoding=Encoding.UTF16)
    found = lsp.edges(lie, FILES)
    assert found.edges == ()
    assert found.reading.unreadable == 1


# ------------------------------------------------------------------------------ starting none


def test_a_server_that_is_not_installed_is_a_problem_with_a_way_to_get_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    found = lsp.ask("pyright", FILES, SITES, LIMITS)
    assert found.problem.code == "absent"
    assert "npm install" in found.problem.detail


def test_a_program_of_the_current_folder_is_never_taken(tmp_path, monkeypatch):
    program(tmp_path, "good")
    (tmp_path / "fake").rename(tmp_path / "pyright-langserver")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert lsp.ask("pyright", FILES, SITES, LIMITS).problem.code == "absent"


def test_a_name_that_is_none_is_an_error():
    with pytest.raises(BadInput):
        lsp.ask("nope", FILES, SITES, LIMITS)


def test_too_many_files_start_nothing(tmp_path):
    found = ask(tmp_path, "told", tmp_path / "out", limits=replace(LIMITS, files=1))
    assert found.problem.code == "too_large"
    assert not (tmp_path / "out").exists()


def test_importing_the_room_starts_and_loads_no_server():
    code = (
        "import subprocess, sys\n"
        "subprocess.Popen = None\n"
        "import grainline.precise.lsp\n"
        "print([m for m in sys.modules if 'precise.servers.' in m])\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert shown == "['grainline.precise.servers.base']\n"


@pytest.mark.parametrize("name", SERVERS.names())
def test_every_server_says_how_to_get_it_and_what_it_may_execute(name):
    server = SERVERS.get(name)
    assert server.name == name
    assert server.languages
    assert server.programs
    assert server.install
    assert server.executes
    for folder in NEVER:
        assert not server.sees(f"a/{folder}/x".encode(), next(iter(server.languages)))
    assert not server.sees(b"build.gradle", "groovy")
    assert not server.sees(b"pyrightconfig.json", "json")
    assert isinstance(server.options("/usr/lib/node_modules/x/lib/program"), dict)


# ------------------------------------------------------------------------------ framing


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.text(max_size=4), st.integers()), max_size=4), st.integers(1, 9))
def test_messages_come_out_as_they_went_in_however_they_are_cut(messages, step):
    data = b"".join(encode(each) for each in messages)
    inbox = Inbox(1 << 16)
    found = []
    for at in range(0, len(data), step):
        found += inbox.feed(data[at : at + step])
    assert found == [{"jsonrpc": "2.0", **each} for each in messages]


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_messages_or_nonsense(data):
    try:
        found = Inbox(1 << 10).feed(b"Content-Length: 20\r\n\r\n" + data)
    except Nonsense:
        return
    assert all(isinstance(each, dict) for each in found)


def test_the_page_for_people_names_every_server_and_says_the_danger():
    page = (Path(__file__).resolve().parent.parent / "docs/precise.md").read_text(encoding="utf-8")
    assert "hostile project can execute code" in page
    for server in SERVERS:
        assert f"| `{server.name}` |" in page
        if server.install.startswith(("npm", "pip", "go")):
            assert server.install.partition(" (")[0] in page


@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="no ps")
def test_memory_is_seen_by_proc_and_by_ps_alike():
    process = subprocess.Popen((sidecar.find(("sleep",)), "20"), start_new_session=True)
    try:
        by_ps = sidecar._members_of_ps(process.pid)
        assert set(by_ps) == {process.pid}
        assert 0 < by_ps[process.pid] < 1 << 30
        assert set(sidecar.members(process.pid)) == {process.pid}
    finally:
        process.kill()
        process.wait()
