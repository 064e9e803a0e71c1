"""Putting what was written where it belongs in a built-in program, and running the program's tests.

Only questions of the lab's own sets have a trial (`Question.trial`); the code around what was
written is always the lab's own.
"""

from __future__ import annotations

import re
import textwrap
from functools import cache

from grainline.errors import BadInput
from grainline.lab.completion import SET as COMPLETION
from grainline.lab.completion import hole_of
from grainline.lab.corpora import BUILTIN, corpus
from grainline.lab.labels import rows
from grainline.lab.loose import Files
from grainline.lab.patches import applied
from grainline.lab.programs import Verdict, passes
from grainline.lab.questions import Question
from grainline.lab.repairs import SET as REPAIR
from grainline.lab.repairs import broken

_FENCE = re.compile(r"\A\s*```[^\n]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def trial(question: Question, written: str) -> Verdict | None:
    """What the tests say of the program with `written` in it; None for a question without a trial."""
    if not question.trial:
        return None
    name, _, _ = question.trial.partition("/")
    if name == COMPLETION:
        files, tests = _completed(question.trial, written)
    elif name == REPAIR:
        fixed = applied(broken(question.trial), written)
        if fixed is None:
            return Verdict(False, "it is no patch of this program")
        files, tests = fixed, _tests(REPAIR, REPAIR)
    else:
        raise BadInput("bad_dataset", f"no trial {question.trial!r}")
    return passes(files, tests)


@cache
def _tests(set_name: str, program: str) -> str:
    return (BUILTIN / set_name / "tests" / f"{program}.py").read_text("utf-8")


# ------------------------------------------------------------------ completions


def _completed(trial_id: str, written: str) -> tuple[Files, str]:
    (row,) = [each for each in rows(COMPLETION) if each["id"] == trial_id]
    files = dict(corpus(row["of"]).files())
    hole = hole_of(row)
    text = files[hole.path].decode().split("\n")
    first, last = hole.lines
    inside = _indented(written, text[first - 1]) if hole.column == 0 else _code(written).strip()
    text[first - 1 : last] = (text[first - 1][: hole.column] + inside).split("\n")
    files[hole.path] = "\n".join(text).encode()
    python = {path: data for path, data in files.items() if path.endswith(b".py")}
    return python, _tests(COMPLETION, row["of"])


def _code(written: str) -> str:
    """Without a fence around it and without empty lines before and after."""
    fenced = _FENCE.match(written)
    return (fenced[1] if fenced else written).strip("\n").rstrip()


def _indented(written: str, stood: str) -> str:
    """Whole lines at the indentation at which the hole begins, however the writer set them off.

    A first line without indentation before others that have it is one that continues the line
    where the hole begins.
    """
    indent = stood[: len(stood) - len(stood.lstrip())]
    first, _, rest = _code(written).partition("\n")
    if first == first.lstrip() and all(
        line.startswith(indent) for line in rest.split("\n") if line.strip()
    ):
        return indent + "\n".join([first, rest]).rstrip("\n")
    return textwrap.indent(textwrap.dedent(_code(written)), indent)
