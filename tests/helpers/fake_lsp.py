"""A small language server for Python that behaves, or misbehaves as its first argument says.

Run as a program. It finds definitions by `def NAME` and `class NAME` in the files of its folder.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote, urlparse

OUT = sys.stdout.buffer


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    OUT.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    OUT.flush()


def receive():
    size = 0
    while (line := sys.stdin.buffer.readline()) not in (b"\r\n", b""):
        if line.lower().startswith(b"content-length:"):
            size = int(line.partition(b":")[2])
    if not size:
        sys.exit(0)
    return json.loads(sys.stdin.buffer.read(size))


def units(text):
    """Length in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def word_at(line, character):
    for found in re.finditer(r"\w+", line):
        if units(line[: found.start()]) <= character < units(line[: found.end()]):
            return found[0]
    return ""


def places(word):
    found = []
    for path in sorted(Path.cwd().rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
            match = re.search(rf"\b(?:def|class)\s+({re.escape(word)})\b", line)
            if match and word:
                start, end = units(line[: match.start(1)]), units(line[: match.end(1)])
                found.append((path.as_uri(), number, start, end))
    return found


def location(uri, line, start, end):
    return {
        "uri": uri,
        "range": {
            "start": {"line": line, "character": start},
            "end": {"line": line, "character": end},
        },
    }


def definitions(params):
    path = Path(unquote(urlparse(params["textDocument"]["uri"]).path))
    place = params["position"]
    lines = path.read_text(encoding="utf-8").split("\n")
    return [location(*each) for each in places(word_at(lines[place["line"]], place["character"]))]


NONSENSE = {
    "words": b"hello, I am a shell\n" * 500,
    "length": b"Content-Length: 9999999999\r\n\r\n",
    "no-length": b"Content-Type: x\r\n\r\n{}",
    "no-json": b"Content-Length: 5\r\n\r\n{nope",
    "deep": b"Content-Length: 400000\r\n\r\n" + b"[" * 400_000,
    "list": b"Content-Length: 2\r\n\r\n[]",
    "number": b"Content-Length: 20000\r\n\r\n" + b"9" * 20_000,
}
ODD = [
    7, "x", {}, [7], [{}], [{"uri": 7, "range": 7}], {"uri": "file:///etc/passwd"}, [None] * 9,
    location("file:///x", -1, "a", None), {"targetUri": "x", "targetSelectionRange": []},
    location("file:///x", 1 << 70, 0, 1),
]  # fmt: skip


def misbehave(mode, stage):
    """What a mode does before the answer of a stage; whether it answers none."""
    if mode == f"dies-{stage}":
        sys.exit(3)
    if mode == f"silent-{stage}":
        return True
    if mode == f"flood-{stage}":
        while True:
            send({"method": "window/logMessage", "params": {"message": "x" * 10_000}})
    if stage == "ask" and mode in NONSENSE:
        OUT.write(NONSENSE[mode])
        OUT.flush()
        time.sleep(60)
    if mode == "memory" and stage == "ask":
        kept = bytearray(300 << 20)
        kept[::4096] = b"x" * len(kept[::4096])
        time.sleep(60)
    if mode == "chatty" and stage == "ask":
        while True:
            send({"method": "window/logMessage", "params": {}})
            time.sleep(0.01)
    if mode == "questions" and stage == "ask":
        while True:
            send({"id": 1, "method": "x"})
    if mode == "deaf" and stage == "start":
        time.sleep(60)
    return False


def children():
    """A child in our session, and one that leaves it."""
    for new in (False, True):
        subprocess.Popen(("sleep", sys.argv[2]), start_new_session=new)


def told():
    """All that it sees, as the version of itself."""
    tree = sorted(str(path.relative_to(Path.cwd())) for path in Path.cwd().rglob("*"))
    return json.dumps({"environment": dict(os.environ), "tree": tree, "pid": os.getpid()})


def ask_back():
    """Questions to the client; the answers, as text."""
    answers = []
    for number, (method, params) in enumerate(
        (
            ("workspace/configuration", {"items": [{"section": "python"}, {"section": "nope"}]}),
            ("workspace/applyEdit", {"edit": {"changes": {}}}),
            ("client/registerCapability", {"registrations": []}),
            ("window/showDocument", {"uri": "file:///etc/passwd"}),
        )
    ):
        send({"id": f"q{number}", "method": method, "params": params})
        while (answer := receive()).get("id") != f"q{number}":
            pass
        answers.append(answer.get("result", answer.get("error")))
    return answers


def main():
    mode = sys.argv[1]
    odd = list(ODD)
    while True:
        message = receive()
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            if misbehave(mode, "start"):
                continue
            if mode == "children":
                children()
            if mode == "refuses":
                send({"id": number, "error": {"code": 1, "message": "no licence"}})
                continue
            info = {"name": "fake", "version": told() if mode == "told" else "1"}
            if mode == "told":
                Path(sys.argv[2]).write_text(info["version"], encoding="utf-8")
            if mode == "asks":
                Path(sys.argv[2]).write_text(json.dumps(ask_back()), encoding="utf-8")
            send({"id": number, "result": {"capabilities": {}, "serverInfo": info}})
        elif method == "textDocument/definition":
            if misbehave(mode, "ask"):
                continue
            if mode == "odd" and odd:
                send({"id": number, "result": odd.pop()})
            elif mode == "error":
                send({"id": number, "error": {"code": 1, "message": "no"}})
            elif mode == "other-number":
                send({"id": number + 1000, "result": definitions(message["params"])})
            elif mode == "outside":
                outside = (Path.cwd().parent / "tree2/lib.py").as_uri()
                up = Path.cwd().as_uri() + "/../secret.py"
                send({"id": number, "result": [location(u, 0, 0, 1) for u in (outside, up)]})
            else:
                send({"id": number, "result": definitions(message["params"])})
        elif number is not None:
            send({"id": number, "result": None})


if __name__ == "__main__":
    main()
