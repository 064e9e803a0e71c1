"""Names of rows that no case mentions: each file of models has at most so many, and ever fewer.

`pytest -s tests/test_flow_rows.py` prints them. A name counts as mentioned when its last word stands
in code of a case in a language of its file; that is less than a hit, and what is not even mentioned
is surely not hit.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from grainline.flow import builtin

MODELS = Path(builtin.__file__).parent / "models"
CASES = Path(__file__).parent / "cases" / "flow"
BLOCK = re.compile(r"^```([a-z]+) path=\S+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
TABLES = ("source", "sink", "store", "step", "sanitizer", "guard", "entry", "pattern", "mark")
SHARE = {
    "c": 0.789,
    "cpp": 0.563,
    "csharp": 0.596,
    "csharp_secrets": 0.648,
    "dom": 0.364,
    "express": 0.321,
    "fastify": 0.236,
    "go": 0.572,
    "go_permission": 0.455,
    "go_secrets": 0.500,
    "go_sql": 0.400,
    "go_web": 0.500,
    "hono": 0.223,
    "java": 0.369,
    "java_permission": 0.530,
    "java_servlet": 0.158,
    "java_spring": 0.537,
    "java_sql": 0.280,
    "java_xml": 0.154,
    "javascript_core": 0.509,
    "javascript_libraries": 0.480,
    "javascript_patterns": 0.400,
    "javascript_permission": 0.500,
    "javascript_sql": 0.513,
    "javascript_templates": 0.389,
    "jquery": 0.600,
    "koa": 0.130,
    "kotlin": 0.821,
    "kotlin_android": 0.483,
    "kotlin_web": 0.436,
    "mongodb": 0.546,
    "nextjs": 0.286,
    "node": 0.588,
    "php": 0.592,
    "php_frameworks": 0.443,
    "php_permission": 1.000,
    "php_secrets": 0.667,
    "python_builtins": 0.590,
    "python_data": 0.481,
    "python_os": 0.330,
    "python_patterns": 0.523,
    "python_permission": 0.600,
    "python_secrets": 0.196,
    "python_web": 0.355,
    "ruby": 0.621,
    "ruby_web": 0.666,
    "rust": 0.691,
    "rust_web": 0.409,
}
"""Share of the names of a file that no case mentions: it may only go down."""


def words_of_cases():
    """Language -> words of the code of its cases."""
    found = {}
    for path in CASES.glob("*.md"):
        for language, text in BLOCK.findall(path.read_text(encoding="utf-8")):
            found.setdefault(language, set()).update(WORD.findall(text))
    return found


def unmentioned(rows, words):
    """(names that no case mentions, all names) of a file of models."""
    known = set().union(*(words.get(language, set()) for language in rows["languages"]))
    names = {name for table in TABLES for row in rows.get(table, ()) for name in row["names"]}
    said = {name: WORD.findall(name)[-1:] for name in names}
    return sorted(name for name in names if said[name] and said[name][0] not in known), names


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.toml")), ids=lambda path: path.stem)
def test_no_file_has_more_names_without_a_case(path):
    missing, names = unmentioned(tomllib.loads(path.read_text(encoding="utf-8")), words_of_cases())
    share = len(missing) / max(len(names), 1)
    print(f"{path.stem}: {len(missing)} of {len(names)} names: {', '.join(missing)}")  # noqa: T201
    assert share <= SHARE.get(path.stem, 0) + 0.005, "a new row needs a case"


def test_a_row_without_a_case_is_found():
    """Seeded fault: a name that stands in no case."""
    rows = {"languages": ["java"], "sink": [{"names": ["a.b().getParameter", "a.b().zzzNowhere"]}]}
    assert unmentioned(rows, words_of_cases())[0] == ["a.b().zzzNowhere"]
