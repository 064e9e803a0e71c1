"""Cases of `tests/cases/parsing/<language>.md`: a source, and what it must say by itself.

## A sentence
````python                 the language
source
````
```outline
class A# | class A(B) | Its doc.            kind, descriptor, signature, documentation
  method A#f(). | def f(self)               indented below its parent
```
```imports
os.path join as j                           module, member, alias
```
```references
call print                                  in file order
```

The blocks `imports` and `references` are optional; `outline` is complete.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grainline.parsing import parse

FOLDER = Path(__file__).parent / "cases" / "parsing"
BLOCK = r"(?:```{name}\n(?P<{name}>.*?)^```\n+)"
CASE = re.compile(
    r"^## (?P<title>[^\n]+)\n+^````(?P<language>\w+)\n(?P<source>.*?)^````\n+"
    + BLOCK.format(name="outline")
    + "".join(BLOCK.format(name=name) + "?" for name in ("imports", "references"))
    + r"(?=## |\Z)",
    re.MULTILINE | re.DOTALL,
)


def cases():
    for path in sorted(FOLDER.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        found = list(CASE.finditer(text))
        titles = re.sub(r"^````.*?^````$", "", text, flags=re.MULTILINE | re.DOTALL)
        assert len(found) == titles.count("\n## ") > 0, f"{path.name}: not of the form above"
        for case in found:
            yield pytest.param(case, id=f"{path.stem}: {case['title']}")


@pytest.mark.parametrize("case", list(cases()))
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_source_says_what_its_case_expects(case, newline):
    text = case["source"].replace("\n", newline).encode()
    facts = parse(text, case["language"], skeleton_limit=1000)
    assert outline(text, facts) == case["outline"].splitlines()
    if case["imports"] is not None:
        assert imports(facts) == case["imports"].splitlines()
    if case["references"] is not None:
        assert references(text, facts) == case["references"].splitlines()


def outline(text, facts):
    lines = []
    depths = []
    for found in facts.definitions:
        depths.append(depths[found.parent] + 1 if found.parent >= 0 else 0)
        words = [f"{found.kind} {found.descriptor}"]
        words.append(line(text[found.signature_start : found.signature_end]))
        if found.doc_end > found.doc_start:
            words.append(line(text[found.doc_start : found.doc_end]))
        lines.append("  " * depths[-1] + " | ".join(words))
    return lines


def imports(facts):
    return [
        " ".join(
            [found.module, *([found.name] if found.name else [])]
            + ([f"as {found.alias}"] if found.alias else [])
        )
        for found in facts.imports
    ]


def references(text, facts):
    return [f"{found.role} {line(text[found.start : found.end])}" for found in facts.references]


def line(text):
    return " ".join(text.decode().split())
