"""MCP tools: what they answer, that no answer passes the cap, and the whole over stdio."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path

import anyio
import mcp_types as types
import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.shared.message import SessionMessage

import grainline
from grainline.surfaces.mcp.base import CAP, TOOLS, capped
from grainline.surfaces.mcp.draining import Open
from grainline.surfaces.mcp.server import Session, answer
from grainline.text.budget import estimate_tokens

FAKE = Path(__file__).parent / "helpers" / "mcp_fake.py"


@pytest.fixture
def fake():
    return runpy.run_path(str(FAKE))


@pytest.fixture
def session(fake):
    return Session(open_engine=fake["FakeEngine"])


def test_the_tools_are_there_and_describe_themselves():
    assert TOOLS.names() == (
        "callees", "callers", "context", "impact", "path", "read", "refs", "scan", "search", "status",
        "trace",
    )  # fmt: skip
    for tool in TOOLS:
        assert tool.schema["additionalProperties"] is False
        assert {"repo", "ref"} <= set(tool.schema["properties"])
        assert len(tool.description) > 60


def test_no_answer_passes_the_cap(session):
    for name, values in (
        ("search", {"query": "x", "k": 50}),
        ("read", {"citation": "a.py:1-2000@abab"}),
        ("status", {}),
        ("context", {"query": "x"}),
        ("context", {"query": "", "pasted": "é" * 19_000}),
        ("read", {"citation": "no " * 6000}),
        ("callers", {"symbol": "x", "k": 200}),
        ("impact", {"symbol": "x" * 19_000, "depth": 20}),
        ("path", {"source": "x", "target": "y"}),
        ("scan", {}),
        ("trace", {"source": "x", "target": "y"}),
    ):
        text, _ = answer(session, name, values)
        assert 0 < estimate_tokens(text) <= CAP, name
    huge = "word " * 20_000
    assert CAP - 200 < estimate_tokens(capped(huge)) <= CAP


def test_truncated_rows_go_on_where_they_stopped(session):
    seen, cursor = [], ""
    for _ in range(40):
        values = {"symbol": "x", "k": 200, **({"cursor": cursor} if cursor else {})}
        text, failed = answer(session, "callers", values)
        assert not failed
        seen += re.findall(r"^\d\. `pay\.compute_(\d+)`", text, re.MULTILINE)
        found = re.search(r"cursor='(\d+)'", text)
        cursor = found[1] if found else ""
        if not cursor:
            break
    assert seen == [str(number) for number in range(400)]
    assert "Total: 300 at depth 1, 100 at depth 2; 7 in test code; floor flowed." in text


def test_truncated_findings_go_on_where_they_stopped(session):
    seen, cursor = [], ""
    for _ in range(40):
        text, failed = answer(session, "scan", {"cursor": cursor} if cursor else {})
        assert not failed
        assert "[176 steps left out]" in text
        seen += [int(number) for number in re.findall(r"^(\d+)\. `f", text, re.MULTILINE)]
        found = re.search(r"cursor='(f\d+)'", text)
        cursor = found[1] if found else ""
        if not cursor:
            break
    assert seen == list(range(1, 31))
    assert (
        json.loads(answer(session, "scan", {"cursor": "gone"})[0])["error"]["code"] == "bad_cursor"
    )


def test_findings_are_chosen_by_severity_test_code_and_kind(session):
    def count(**values):
        return int(answer(session, "scan", values)[0].split()[0])

    assert (count(), count(least="high"), count(tests="no")) == (30, 10, 15)
    assert count(kind="sql", sure="yes", diff="main") == 30
    assert session.engine.asked[-1][0].kinds == ("sql",)
    assert session.engine.asked[-1][1] is not None


def test_trace_says_its_verdict_and_why(session):
    text, _ = answer(session, "trace", {"source": "x", "target": "y"})
    assert text.startswith("Verdict: undetermined.\nbecause of depth calls at a.py:1\n")
    assert "and 3 more" in text


def test_trace_speaks_of_its_own_arguments(session):
    hint = json.loads(answer(session, "trace", {})[0])["error"]["hint"]
    assert hint.startswith("give source, target or both")
    assert "--" not in hint
    assert "grainline" not in hint


def test_a_truncated_search_goes_on_where_it_stopped(session):
    seen, cursor = [], ""
    for _ in range(20):
        values = {"query": "x", "k": 20, **({"cursor": cursor} if cursor else {})}
        text, failed = answer(session, "search", values)
        assert not failed
        seen += [int(rank) for rank in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]
        found = re.search(r"call search with cursor='(\d+)'", text)
        if found is None:
            break
        assert "Truncated" in text
        cursor = found[1]
    assert seen == list(range(1, 21))


def test_a_truncated_read_names_the_citation_of_the_rest(session, fake):
    lines, citation = [], "a.py:1-2000@" + fake["COMMIT"]
    for _ in range(40):
        text, failed = answer(session, "read", {"citation": citation})
        assert not failed
        lines += re.findall(r"^value_\d+ = .*$", text, re.MULTILINE)
        found = re.search(r"for the rest call read with `(.+)`\]", text)
        if found is None:
            break
        citation = found[1]
    assert lines == [line.rstrip("\n") for line in fake["LINES"]]


def test_a_truncated_status_says_what_to_call(session):
    text, _ = answer(session, "status", {})
    assert "call status with repo=NAME" in text
    assert text.count("`repo") < 600


def test_nothing_found_says_so(session):
    assert answer(session, "search", {"query": "nothing"})[0].startswith("Nothing found")


@pytest.mark.parametrize(
    ("name", "values", "code"),
    [
        ("search", {}, "bad_argument"),
        ("search", {"query": ""}, "bad_argument"),
        ("search", {"query": 7}, "bad_argument"),
        ("search", {"query": "x" * 20_001}, "bad_argument"),
        ("search", {"query": "x", "k": 0}, "bad_argument"),
        ("search", {"query": "x", "k": 51}, "bad_argument"),
        ("search", {"query": "x", "k": True}, "bad_argument"),
        ("search", {"query": "x", "tests": "maybe"}, "bad_argument"),
        ("search", {"query": "x", "limit": 3}, "bad_argument"),
        ("search", {"query": "x", "language": "klingon"}, "unknown_language"),
        ("search", {"query": "x", "repo": "other"}, "unknown_repository"),
        ("search", {"query": "defect"}, "internal"),
        ("context", {}, "empty_query"),
        ("context", {"query": "x", "budget": CAP + 1}, "bad_argument"),
        ("read", {"citation": "a.py"}, "bad_citation"),
        ("trace", {}, "no_place"),
        ("trace", {"source": "", "target": ""}, "no_place"),
        ("remove", {}, "unknown_tool"),
    ],
)
def test_failures_are_tool_errors_with_the_codes_of_the_command_line(session, name, values, code):
    text, failed = answer(session, name, values)
    assert failed
    found = json.loads(text)["error"]
    assert found["code"] == code
    assert "secret detail" not in text


def test_a_server_for_one_repository_answers_for_no_other(fake):
    session = Session(open_engine=fake["FakeEngine"], repos=("repo1",))
    assert not answer(session, "search", {"query": "x", "repo": "repo1"})[1]
    text, failed = answer(session, "search", {"query": "x", "repo": "repo2"})
    assert failed
    assert "unknown_repository" in text


def test_context_takes_targets_and_its_budget(session):
    values = {"at": "a.py:1", "target": "A.b", "pasted": "x", "budget": 900, "format": "xml"}
    assert answer(session, "context", values) == ("# Context 900 xml a.py:1 A.b x\n", False)


def test_nothing_is_opened_before_the_first_call(session, fake):
    assert fake["OPENED"] == []
    answer(session, "search", {"query": "x"})
    answer(session, "status", {})
    assert len(fake["OPENED"]) == 1
    session.close()
    assert fake["OPENED"][0].closed


def environment():
    return {**os.environ, "PYTHONPATH": str(Path(grainline.__file__).parents[1])}


def test_an_agent_can_use_it_over_stdio():
    async def talk():
        server = StdioServerParameters(command=sys.executable, args=[str(FAKE)], env=environment())
        async with (
            stdio_client(server) as (reading, writing),
            ClientSession(reading, writing) as client,
        ):
            await client.initialize()
            listed = await client.list_tools()
            found = await client.call_tool("search", {"query": "x", "k": 2})
            wrong = await client.call_tool("read", {"citation": "nonsense"})
            return listed, found, wrong

    listed, found, wrong = anyio.run(talk)
    assert [tool.name for tool in listed.tools] == list(TOOLS.names())
    assert not found.is_error
    assert "`a.py:1-40@" in found.content[0].text
    assert wrong.is_error
    assert json.loads(wrong.content[0].text)["error"]["code"] == "bad_citation"


def ask(number, method, **params):
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message) + "\n"


HELLO = ask(
    0, "initialize", protocolVersion="2025-06-18", capabilities={},
    clientInfo={"name": "t", "version": "1"},
)  # fmt: skip


def piped(*messages):
    """The answers by id to what is written before the input ends."""
    done = subprocess.run(
        [sys.executable, str(FAKE)], input="".join(messages), capture_output=True, timeout=60,
        env=environment(), text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {row["id"]: row for row in map(json.loads, done.stdout.splitlines())}


def test_what_was_asked_before_the_input_ended_is_answered():
    calls = [
        ask(number, "tools/call", name="search", arguments={"query": "x"}) for number in range(1, 6)
    ]
    found = piped(HELLO, *calls)
    assert sorted(found) == [0, 1, 2, 3, 4, 5]
    assert all("a.py:1-40@" in found[n]["result"]["content"][0]["text"] for n in range(1, 6))


def test_a_request_that_was_taken_back_is_not_waited_for():
    started = time.monotonic()
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    found = piped(
        HELLO,
        ask(1, "tools/call", name="search", arguments={"query": "slow"}),
        json.dumps(cancelled) + "\n",
        ask(2, "tools/call", name="status", arguments={}),
    )
    assert 2 in found
    assert time.monotonic() - started < 30


def test_an_answer_that_does_not_come_is_not_waited_for_without_end():
    async def wait():
        open_ = Open()
        request = types.JSONRPCRequest(jsonrpc="2.0", id=1, method="x")
        open_.read(SessionMessage(request))
        with anyio.fail_after(10):
            await open_.settled(0.01)

    anyio.run(wait)


def test_stdout_carries_protocol_only_and_the_server_ends_with_its_client():
    done = subprocess.run(
        [sys.executable, str(FAKE)], input=b"", capture_output=True, timeout=60, env=environment()
    )
    assert (done.returncode, done.stdout) == (0, b"")
