"""What a model is asked, and how its answer is read. The words are the same for every strategy."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from grainline.lab.values import Context, Query
from grainline.llm.base import Message

VERDICTS = ("vulnerable", "safe", "unknown")

COMPLETION = """You complete code. You are given excerpts of the repository, and then the code before a hole.
Write only the code that belongs into the hole: no explanation, no fence, nothing of what stands before it."""

REPAIR = """You repair code. You are given excerpts of a repository and a report of what goes wrong. Answer with blocks of this form
and nothing else; the lines to be replaced must be written exactly as they stand in the file, and enough of them to stand there once:
path/to/file.py
<<<<<<<
lines to be replaced
=======
lines in their place
>>>>>>>"""

FLOW = """You review code. You are given excerpts of a repository and a question about it. Use nothing but the excerpts.
Answer with one JSON object and nothing else:
{"verdict": "vulnerable" | "safe" | "unknown", "steps": [{"path": "...", "line": 1}], "because": "..."}
"steps" are the lines that the data passes, from where it comes in to where it does harm or is stopped. Say "unknown" when
the excerpts do not show it."""

PLAIN = """You answer questions about code. You are given excerpts of a repository. Use nothing but the excerpts.
Cite every claim as path:line. Say so when the excerpts do not answer the question."""


def messages(query: Query, context: Context) -> tuple[Message, ...]:
    """A system message by the kind of question, then the context and the question."""
    if query.at is not None:
        text = f"{context.text}\n# The code before the hole:\n{query.text}"
        return Message("system", COMPLETION), Message("user", text)
    if query.task == "repair":
        text = f"{context.text}\n# What goes wrong\n{query.text}"
        return Message("system", REPAIR), Message("user", text)
    system = FLOW if query.profile in ("injection", "lifetime", "permission") else PLAIN
    return Message("system", system), Message("user", f"{context.text}\n# Question\n{query.text}")


class Cited(NamedTuple):
    """A line that an answer names."""

    path: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What an answer says of a flow. `verdict` is "" where it cannot be read."""

    verdict: str
    steps: tuple[Cited, ...]


_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_CITED = re.compile(r"([\w./-]+\.\w+):(\d{1,7})")


def read_answer(text: str) -> Said:
    """The JSON object in an answer; without one, no verdict and the lines that are cited in words."""
    found = _OBJECT.search(text)
    try:
        row: Any = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        return Said(verdict="", steps=tuple(Cited(a, int(b)) for a, b in _CITED.findall(text)))
    known = cast("dict[str, Any]", row)
    verdict = known.get("verdict")
    steps = known.get("steps")
    rows = cast("list[object]", steps) if isinstance(steps, list) else []
    return Said(
        verdict=verdict if verdict in VERDICTS else "",
        steps=tuple(each for each in map(_cited, rows) if each is not None),
    )


def _cited(row: object) -> Cited | None:
    if not isinstance(row, dict):
        return None
    known = cast("dict[str, Any]", row)
    path, line = known.get("path"), known.get("line")
    if not isinstance(path, str) or not isinstance(line, int) or isinstance(line, bool):
        return None
    return Cited(path, line)
