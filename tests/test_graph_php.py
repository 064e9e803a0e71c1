"""PHP: what decides which file a name means, and what keeps broken files from doing harm."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from grainline.graph.resolve import resolve
from grainline.languages.modules import php
from grainline.languages.modules.base import Project
from grainline.model.edge import EdgeType
from grainline.model.ircheck import check_ir
from helpers.graphs import edges_of, graph_of, unit

CASES = Path(__file__).parent / "cases" / "graph"
PIECES = [b"(", b")", b"{", b"}", b"use ", b"class ", b"=>", b"::", b"new ", b"static ", b"namespace ",
          b"function ", b"match", b"$", b'"', b"?->", b"...", b"trait ", b"yield ", b"parent"]  # fmt: skip
TESTED = {
    "src/a.php": "<?php\nnamespace App;\nfunction run() { new Fake(); }\n",
    "tests/Fake.php": "<?php\nnamespace App;\nclass Fake {}\n",
}


def modules(files, **packages):
    paths = tuple(f"{name}.php" for name in packages)
    named = {f"{name}.php": (what,) for name, what in packages.items()}
    return php.PhpModules(Project(paths=paths, files=files, packages=named))


def test_production_does_not_reach_tests_of_its_namespace():
    assert edges_of(graph_of(TESTED), EdgeType.INSTANTIATES) == []


def test_tests_that_are_not_told_apart_are_noticed(monkeypatch):
    monkeypatch.setattr(php, "is_test", lambda path: False)
    assert edges_of(graph_of(TESTED), EdgeType.INSTANTIATES) != []


def test_more_definitions_than_a_set_are_no_answer():
    names = [f"f{number}" for number in range(php.MAX_SET + 1)]
    assert len(modules({}, **dict.fromkeys(names[:-1], "f()")).defining("a.php", "f()")) == 8
    assert modules({}, **dict.fromkeys(names, "f()")).defining("a.php", "f()") == ()


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"null", b'{"autoload": 1}', b'{"autoload": {"psr-4": [1, {"a": 2}]}}',
     b"\xff\xfe", b"[" * 100_000, b'{"autoload": {"files": {"a": [3]}, "psr-0": "x"}}'],
)  # fmt: skip
def test_a_broken_composer_file_says_nothing(text):
    found = modules({"composer.json": text}, a="A", b="A").defining("c.php", "A")
    assert found == ("a.php", "b.php")


def test_the_nearest_composer_file_decides_then_any():
    one, other = (b'{"autoload": {"psr-4": {"": "%s"}}}' % place for place in (b".", b"x"))
    known = php.PhpModules(
        Project(
            paths=("p/A.php", "q/x/A.php", "r/A.php"),
            files={"p/composer.json": one, "q/composer.json": other},
            packages=dict.fromkeys(("p/A.php", "q/x/A.php", "r/A.php"), ("A",)),
        )
    )
    assert known.defining("p/main.php", "A") == ("p/A.php",)
    assert known.defining("q/main.php", "A") == ("q/x/A.php",)
    assert known.defining("main.php", "A") == ("p/A.php", "q/x/A.php")


@pytest.mark.parametrize("seed", range(3))
def test_broken_files_have_sound_ir(seed):
    draw = random.Random(seed)
    texts = [path.read_bytes().partition(b"<?php")[2] for path in sorted(CASES.glob("php_*.md"))]
    units = []
    for number in range(20):
        text = bytearray(b"<?php" + draw.choice(texts)[:4000])
        for _ in range(draw.randrange(1, 12)):
            at = draw.randrange(len(text))
            text[at : at + draw.choice([0, 0, 5, 30])] = draw.choice(PIECES)
        units.append(unit(f"f{number}.php", bytes(text)))
        check_ir(units[-1].ir, size=len(text))
    resolve(units)
