"""Stack traces: frames as (path, line, function), innermost order as printed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from grainline.text.lazy import lazy_pattern


class Frame(NamedTuple):
    """One frame of a stack trace. `line` is 0 and `path` b"" where the trace does not say.

    `function` is as printed (`pkg.Class.method`, `(*T).Method`, `crate::module::run`), without
    arguments; "" when unknown.
    """

    path: bytes
    line: int
    function: str


MAX_FRAMES = 200
"""Frames read from one question; recursion prints thousands of equal ones."""


def split_trace(text: str) -> tuple[tuple[Frame, ...], str]:
    """(frames of every trace in `text`, in its order, at most `MAX_FRAMES`; the other lines).

    The source line that Python prints below a frame goes with it.
    """
    found: list[Frame] = []
    rest: list[str] = []
    previous = ""
    for line in text.splitlines():
        frame = _frame(line, previous) if len(found) < MAX_FRAMES else None
        if frame is not None:
            found.append(frame)
        elif not _BESIDE.match(line) and not (_PYTHON.match(previous) and line[:4].isspace()):
            rest.append(line)
        previous = line
    return tuple(found), "\n".join(rest) if found else text


_PYTHON = lazy_pattern(r'\s*File "[^"]*", line \d')
_BESIDE = lazy_pattern(
    r"Traceback \(most recent call last\):|\s*goroutine \d+ \[|stack backtrace:|\s*\.\.\. \d+ more"
)


def _frame(line: str, previous: str) -> Frame | None:
    if len(line) > 2000 or not _HINT.search(line):
        return None
    for pattern, read in _READERS:
        match = pattern.match(line)
        if match is not None:
            return read(match, previous)
    return None


_HINT = lazy_pattern(r"\d|\(Native Method\)|\(Unknown Source\)")


def _plain(match: re.Match[str], previous: str) -> Frame:
    groups = match.groupdict()
    return Frame(_path(groups["path"]), int(groups["line"]), groups.get("function") or "")


def _java(match: re.Match[str], previous: str) -> Frame:
    function = match["function"]
    file = match["file"]
    if file is None:
        return Frame(b"", 0, function)
    package = function.split(".")[:-2]
    return Frame("/".join([*package, file]).encode(), int(match["line"] or 0), function)


def _go(match: re.Match[str], previous: str) -> Frame:
    function = re.sub(r"\((?:0x|\.\.\.|\{|\)).*$", "", previous.strip())
    if function.startswith("created by "):
        function = function[len("created by ") :].partition(" in goroutine")[0]
    known = re.fullmatch(r"[\w./()*\[\]·$-]+", function) is not None
    return Frame(_path(match["path"]), int(match["line"]), function if known else "")


_RUST_NAME = lazy_pattern(
    r"\s*\d+:\s+(?:0x[0-9a-f]+ - )?(?P<name>[\w:<>{}$ ,&*\[\]]+?)(?:::h[0-9a-f]{16})?\s*$"
)


def _rust(match: re.Match[str], previous: str) -> Frame:
    named = _RUST_NAME.match(previous)
    return Frame(_path(match["path"]), int(match["line"]), named["name"] if named else "")


def _path(text: str) -> bytes:
    text = re.sub(r"^(?:webpack|webpack-internal):/+(?:\./)?|^file:(?://+(?=/))?|^\./", "", text)
    text = re.sub(r"[?#].*$", "", text) if "://" in text else text
    return text.replace("\\", "/").encode("utf-8", "surrogateescape")


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], Frame]], ...] = (
    # Python:   File "app/views.py", line 12, in index
    (
        lazy_pattern(
            r'\s*File "(?P<path>[^"]+)", line (?P<line>\d{1,9})(?:, in (?P<function>\S+))?'
        ),
        _plain,
    ),
    # C#:   at Shop.Cart.Add(Item item) in /src/Cart.cs:line 41
    (
        lazy_pattern(
            r"\s*at (?P<function>[\w.`<>\[\],+]+)\([^)]*\) in (?P<path>.+?):line (?P<line>\d{1,9})"
        ),
        _plain,
    ),
    # Java, Kotlin, Scala:   at java.base/java.util.Map.get(Map.java:12)
    (
        lazy_pattern(
            r"\s*at (?:[\w.@-]+/)*(?P<function>[\w$.<>]+\.[\w$<>-]+)"
            r"\((?:(?P<file>[\w$-]+\.(?:java|kt|kts|scala|groovy|clj))(?::(?P<line>\d{1,9}))?"
            r"|Native Method|Unknown Source)\)"
        ),
        _java,
    ),
    # JavaScript (V8):   at async Server.handle (file:///app/server.js:10:5)
    (
        lazy_pattern(
            r"\s*at (?:async )?(?:new )?(?P<function>[\w$.<>\[\] ]+?)(?: \[as [^\]]+\])? "
            r"\((?P<path>[^()]+?):(?P<line>\d{1,9}):\d{1,9}\)"
        ),
        _plain,
    ),
    # JavaScript (V8), anonymous:   at /app/server.js:10:5; Rust below a name:  at ./src/main.rs:4:5
    (lazy_pattern(r"\s*at (?P<path>[^\s()]+\.rs):(?P<line>\d{1,9})(?::\d{1,9})?"), _rust),
    (
        lazy_pattern(r"\s*at (?:async )?(?P<path>[^\s()]+?):(?P<line>\d{1,9}):\d{1,9}"),
        _plain,
    ),
    # JavaScript (Firefox, Safari): handle@http://host/app.js:10:5
    (
        lazy_pattern(
            r"\s*(?P<function>[\w$./<>]*)@(?P<path>[^\s@]+?\.\w{1,5}):(?P<line>\d{1,9}):\d{1,9}\s*$"
        ),
        _plain,
    ),
    # Rust panic: thread 'main' panicked at src/main.rs:4:5:
    (
        lazy_pattern(
            r".*panicked at (?:'.*', )?(?P<path>[^\s':,]+):(?P<line>\d{1,9})(?::\d{1,9})?:?\s*$"
        ),
        _plain,
    ),
    # Go: a line with the function, then   /src/server/http.go:88 +0x1d
    (
        lazy_pattern(r"\s+(?P<path>\S+\.(?:go|s|c)):(?P<line>\d{1,9})(?: \+0x[0-9a-f]+)?\s*$"),
        _go,
    ),
    # PHP: #0 /app/index.php(12): Cart->add()
    (
        lazy_pattern(r"\s*#\d+ (?P<path>[^\s()]+)\((?P<line>\d{1,9})\): (?P<function>[\w\\:>-]+)?"),
        _plain,
    ),
    # gdb, sanitizers: #1 0x4f2 in parse_args src/main.c:12:3   #1 0x4f2 in run (argc=1) at main.c:12
    (
        lazy_pattern(
            r"\s*#\d+ +(?:0x[0-9a-f]+ in )?(?P<function>[\w:~<>]+)(?: ?\([^)]*\))?(?: at)? "
            r"(?P<path>[^\s()]+\.\w{1,4}):(?P<line>\d{1,9})"
        ),
        _plain,
    ),
    # Ruby: app/cart.rb:12:in `add'
    (
        lazy_pattern(
            r"\s*(?:from |\d+: from )?(?P<path>[^\s:]+\.rb):(?P<line>\d{1,9}):in "
            r"[`'](?:block (?:\(.*?\) )?in )?(?P<function>[^']+)'"
        ),
        _plain,
    ),
)
