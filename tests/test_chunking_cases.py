"""Cases of `tests/cases/chunking`: a source, and the chunks that it must become.

## A sentence
```python cap=60 target=30            language or `text`; chunker=, cap=, target=, limit=
source
```
```chunks
1-3 comment
4-9 symbol Store.open part 1/2        lines, kind, scope and names, position
```
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grainline.chunking.base import CHUNKERS, ChunkOptions, Source
from grainline.parsing import parse
from grainline.text.tokens import token_sums

FOLDER = Path(__file__).parent / "cases" / "chunking"
CASE = re.compile(
    r"^## (?P<title>[^\n]+)\n.*?^```(?P<info>[^\n]+)\n(?P<source>.*?)^```\n+```chunks\n(?P<chunks>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def cases():
    for path in sorted(FOLDER.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        found = list(CASE.finditer(text))
        assert len(found) == text.count("\n## "), f"{path.name}: a case is not of the form above"
        for case in found:
            yield pytest.param(case, id=f"{path.stem}: {case['title']}")


@pytest.mark.parametrize("case", list(cases()))
def test_a_source_becomes_the_chunks_of_its_case(case):
    language, *words = case["info"].split()
    settings = dict(word.split("=") for word in words)
    chunker = CHUNKERS.get(settings.get("chunker", "grain"))
    text = case["source"].encode()
    facts = parse(
        text,
        "" if language == "text" else language,
        skeleton_limit=int(settings.get("limit", chunker.skeleton_limit)),
    )
    options = ChunkOptions(
        cap=int(settings["cap"]) if "cap" in settings else None,
        target=int(settings["target"]) if "target" in settings else None,
    )
    source = Source(text=text, facts=facts, token_sums=token_sums(text))
    found = [shown(text, chunk) for chunk in chunker.chunk(source, options)]
    assert found == case["chunks"].splitlines()


def shown(text, chunk):
    first = text.count(b"\n", 0, chunk.start) + 1
    last = text.count(b"\n", 0, chunk.end - 1) + 1
    name = ".".join(part for part in (chunk.header.scope, chunk.header.name) if part)
    part = f"part {chunk.part + 1}/{chunk.parts}" if chunk.parts > 1 else ""
    return " ".join(word for word in (f"{first}-{last}", chunk.kind, name, part) if word)
