"""Cases of `tests/cases/graph/*.md`: files, and what their calls reach.

## A sentence
```python path=app.py
def f(): ...
f()                    # calls: app.f            resolved
g = [f]
g[0]()                 # flows: app.f            flowed
import os
os.getcwd()            # leaf: external os.getcwd
x.prop                 # reads: app.A.prop       a property
class B(A): ...        # inherits: app.A
```

A line says all that it reaches; `leaf` may be left out. Whatever the line endings, the answers are these.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grainline.model.edge import EdgeType, Tier
from helpers.graphs import dotted, graph_of

FOLDER = Path(__file__).parent / "cases" / "graph"
FILE = re.compile(r"^```[a-z]+ path=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXPECTED = re.compile(
    r"(?:#|//)\s*((?:calls|flows|maybe|leaf|reads|inherits|overrides|imports|makes|types|implements"
    r"|refs|decorates): .*)$"
)
MARK = re.compile(r"(?:#|//)(?=\s*\w+: )")
WORDS = {
    EdgeType.DECORATES: "decorates",
    EdgeType.READS: "reads",
    EdgeType.INHERITS: "inherits",
    EdgeType.OVERRIDES: "overrides",
    EdgeType.IMPORTS: "imports",
    EdgeType.INSTANTIATES: "makes",
    EdgeType.HAS_TYPE: "types",
    EdgeType.IMPLEMENTS: "implements",
    EdgeType.REFERENCES: "refs",
}
TIERS = {Tier.RESOLVED: "calls", Tier.FLOWED: "flows", Tier.NAMED: "maybe", Tier.AMBIGUOUS: "maybe"}


def cases():
    for path in sorted(set(FOLDER.glob("*.md")) - set(FOLDER.glob("bridge_*.md"))):
        sections = path.read_text(encoding="utf-8").split("\n## ")[1:]
        assert sections, path
        for section in sections:
            title, _, body = section.partition("\n")
            files = dict(FILE.findall(body))
            assert files, title
            yield pytest.param(files, id=f"{path.stem}: {title}")


def expectations(files):
    """{(path, line): {word: targets}} of the comments."""
    found = {}
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            comment = EXPECTED.search(line)
            for part in MARK.split(comment[1]) if comment else ():
                word, _, targets = part.strip().partition(": ")
                rows = found.setdefault((path, number), {})
                rows[word] = sorted(target.strip() for target in targets.split(", "))
    return found


def answers(files, words):
    """The same of the graph, for the words that the comments of the files use."""
    graph = graph_of(files)
    found = {}

    def line(path, start):
        return path.decode(), files[path.decode()].encode().count(b"\n", 0, start) + 1

    for edge in graph.edges:
        word = WORDS.get(edge.type, TIERS[edge.tier])
        if word in words:
            row = found.setdefault(line(edge.src.path, edge.site.start), {})
            row[word] = sorted({*row.get(word, ()), dotted(edge.dst)})
    if "leaf" in words:
        for leaf in graph.unresolved:
            row = found.setdefault(line(leaf.src.path, leaf.site.start), {})
            row["leaf"] = sorted([*row.get("leaf", ()), f"{leaf.why.value} {leaf.name}".strip()])
    return found


@pytest.mark.parametrize("files", list(cases()))
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_calls_reach_what_the_case_says(files, newline):
    expected = expectations(files)
    files = {path: text.replace("\n", newline) for path, text in files.items()}
    words = {"calls", "flows", "maybe", *(word for row in expected.values() for word in row)}
    assert answers(files, words) == expected


def test_a_case_that_expects_too_little_or_too_much_fails():
    files = {"a.py": "def f(): ...\nf()\nf()  # calls: a.g\n"}
    assert answers(files, {"calls", "flows"}) != expectations(files)
    assert answers(files, {"calls", "flows"}) == {
        ("a.py", 2): {"calls": ["a.f"]},
        ("a.py", 3): {"calls": ["a.f"]},
    }
