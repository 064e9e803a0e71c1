"""Filters by path: what a glob and the name of a module mean, and that nonsense is refused."""

from __future__ import annotations

import pytest

from grainline.errors import BadInput
from grainline.storage.patterns import glob_pattern, module_pattern


@pytest.mark.parametrize(
    ("glob", "fits", "misfits"),
    [
        ("*.py", ["a.py", "src/a.py"], ["a.pyc", "a.py2"]),
        ("/*.py", ["a.py"], ["src/a.py"]),
        ("./a.py", ["a.py"], ["src/a.py"]),
        ("src", ["src", "src/a.py", "lib/src/a.py"], ["srcs/a.py"]),
        ("src/", ["src/a.py", "lib/src/a.py"], ["src.py"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "lib/src/a.py"]),
        ("src/**/a.py", ["src/a.py", "src/x/y/a.py"], ["a.py"]),
        ("**", ["a.py", "src/a.py"], []),
        ("?.py", ["a.py", "中.py"], ["ab.py", ".py"]),
        ("[中a].py", ["中.py", "a.py"], ["文.py"]),
        ("[!a].py", ["b.py"], ["a.py"]),
        ("app/[id]/page.tsx", ["app/[id]/page.tsx", "app/i/page.tsx"], ["app/id/page.tsx"]),
        ("[[]x", ["[x"], ["x"]),
        ("a.c", ["a.c"], ["abc"]),
    ],
)
def test_a_glob_means_paths(glob: str, fits: list[str], misfits: list[str]) -> None:
    pattern = glob_pattern(glob)
    assert [path for path in (*fits, *misfits) if pattern.match(path)] == fits


@pytest.mark.parametrize(
    ("glob", "what"),
    [
        ("[", "'[' is not closed"),
        ("src/[a-z*.py", "'[' is not closed"),
        ("[z-a]", "[z-a] is no character"),
        ("", "it is empty"),
        ("/", "it is empty"),
        ("../src", "no path holds '.' or '..'"),
        ("src/./a.py", "no path holds '.' or '..'"),
    ],
)
def test_a_glob_that_cannot_be_one_is_refused(glob: str, what: str) -> None:
    with pytest.raises(BadInput) as refused:
        glob_pattern(glob)
    assert refused.value.code == "bad_glob"
    assert repr(glob) in refused.value.message
    assert what in refused.value.message
    assert refused.value.hint


def test_a_module_is_its_folders() -> None:
    pattern = module_pattern("shop.pay")
    found = ["src/shop/pay.py", "shop/pay/charge.py", "shop/payments.py"]
    assert [path for path in found if pattern.match(path)] == found[:2]
    for nothing in ("", ".", "::", " "):
        with pytest.raises(BadInput, match="names no module"):
            module_pattern(nothing)
