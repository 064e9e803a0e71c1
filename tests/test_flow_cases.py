"""Cases of `tests/cases/flow/*.md`: files, and what reaches the sinks in them.

## A sentence
```python path=app.py
import os
from flask import Flask, request
app = Flask(__name__)
@app.route("/")
def run():
    name = request.args["q"]
    os.system(name)                # path: command from 6
    os.system(shlex.quote(name))   # stopped: command
    os.system(unknown(name))       # undetermined: command (unresolved dispatch)
    hashlib.md5(b"")               # pattern: weak hash
```

A line without a comment has no finding; `# safe` says so of one that might be taken for a sink, and may
say why (`# safe: a list`). `from 6` is the line of the source (`from a.py:6` in another file), `via 7, b.py:3`
lists lines that the path passes in this order, `past 4` those that it does not cite. Several findings
of one line stand apart by `;`. Whatever the line endings, the answers are these.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grainline.model.relations import Verdict
from helpers.flows import flows_of, line_of

FOLDER = Path(__file__).parent / "cases" / "flow"
FILE = re.compile(r"^```[a-z]+ path=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXPECTED = re.compile(r"(?:#|//|--)\s*((?:path|stopped|undetermined|pattern): .*|safe(?:: .*)?)$")
FINDING = re.compile(
    r"(?P<verdict>path|stopped|undetermined|pattern): (?P<kind>[a-z ]+?)"
    r"(?: \((?P<why>[^)]+)\))?(?: from (?P<source>\S+))?(?: via (?P<via>.+?))?(?: past (?P<past>.+))?$"
)
VERDICTS = {Verdict.PATH: "path", Verdict.NO_PATH: "stopped", Verdict.UNDETERMINED: "undetermined"}


def cases():
    for path in sorted(FOLDER.glob("*.md")):
        sections = path.read_text(encoding="utf-8").split("\n## ")[1:]
        assert sections, path
        for section in sections:
            title, _, body = section.partition("\n")
            files = dict(FILE.findall(body))
            assert files, title
            yield pytest.param(files, id=f"{path.stem}: {title}")


def expectations(files):
    """{(path, line): [parsed findings]} of the comments."""
    found = {}
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            comment = EXPECTED.search(line)
            if comment is None or comment[1].startswith("safe"):
                continue
            for part in comment[1].split("; "):
                parsed = FINDING.match(part.strip())
                assert parsed, f"{path}:{number}: {part!r} is no expectation"
                found.setdefault((path, number), []).append(parsed.groupdict())
    return found


def place(text, path):
    """`6` or `b.py:6` as (path, line)."""
    file, _, line = text.strip().rpartition(":")
    return (file or path), int(line)


def told(files, finding):
    """(verdict, kind, reasons, lines) of a finding."""
    verdict = VERDICTS[finding.verdict]
    if len(finding.steps) == 1 and finding.cwe and finding.verdict is Verdict.PATH:
        verdict = "pattern"
    reasons = sorted({reason.cut.value for reason in finding.reasons})
    return verdict, finding.kind, reasons, [line_of(files, step) for step in finding.steps]


def check(files):
    wanted = expectations(files)
    found = {}
    for finding in flows_of(files).paths:
        row = told(files, finding)
        found.setdefault(row[3][-1], []).append(row)
    for where in sorted({*wanted, *found}):
        rows = found.get(where, [])
        expected = wanted.get(where, [])
        assert sorted((row[0], row[1]) for row in rows) == sorted(
            (each["verdict"], each["kind"]) for each in expected
        ), f"{where}: {rows}"
        for each in expected:
            row = next(r for r in rows if (r[0], r[1]) == (each["verdict"], each["kind"]))
            assert each["why"] is None or each["why"] in row[2], (where, row)
            if each["source"]:
                assert row[3][0] == place(each["source"], where[0]), (where, row)
            lines = iter(row[3])
            for stop in each["via"].split(",") if each["via"] else ():
                assert place(stop, where[0]) in lines, (where, stop, row)
            for stop in each["past"].split(",") if each["past"] else ():
                assert place(stop, where[0]) not in row[3], (where, stop, row)


@pytest.mark.parametrize("files", list(cases()))
def test_findings(files):
    check(files)
    check({path: text.replace("\n", "\r\n") for path, text in files.items()})


def test_a_line_that_says_nothing_and_one_that_says_too_much_fail():
    text = 'import os\nfrom flask import request\nos.system(request.args["q"])\n'
    with pytest.raises(AssertionError):
        check({"a.py": text})
    with pytest.raises(AssertionError):
        check({"a.py": 'import os\nos.system("ls")  # path: command\n'})
    check({"a.py": text.replace('"])', '"])  # path: command from 3')})
