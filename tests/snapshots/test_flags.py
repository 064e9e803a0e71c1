"""Flags of paths, and the pattern language that attributes and options use."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grainline.model.snapshot import Flag, FlagName
from grainline.snapshots import Attributes, path_flags
from grainline.snapshots.globs import compile_glob

CASES = Path(__file__).parents[1] / "cases" / "snapshots" / "flags.md"


def rows():
    text = CASES.read_text(encoding="utf-8")
    lines = [
        line
        for block in re.findall(r"```\n(.*?)```", text, re.DOTALL)
        for line in block.split("\n")
    ]
    return [re.split(r"\s{2,}", line.strip()) for line in lines if line.strip()]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_path_has_the_flags_of_the_case(row):
    path, *flags = row
    assert [f"{flag.name}={flag.rule}" for flag in path_flags(path.encode())] == flags


@given(st.binary(max_size=60))
def test_any_bytes_have_flags_in_order(path):
    flags = path_flags(path)
    assert list(flags) == sorted(flags)
    assert len({flag.name for flag in flags}) == len(flags)


def attributes(*files):
    return Attributes([(path.encode(), text.encode()) for path, text in files])


def test_attributes_add_and_withdraw_flags_and_the_last_word_wins():
    rules = attributes(
        (".gitattributes", "*.go linguist-generated\nvendor/** -linguist-vendored\n"
                           "doc/* linguist-documentation=false\n/gen.go linguist-generated=true\n"
                           "a.go !linguist-generated\n# x.go linguist-vendored\n"),
        ("sub/.gitattributes", "*.go -linguist-generated linguist-vendored text\n"),
    )  # fmt: skip
    assert path_flags(b"x.go", rules) == (Flag(FlagName.GENERATED, "gitattributes:*.go"),)
    assert path_flags(b"gen.go", rules) == (Flag(FlagName.GENERATED, "gitattributes:/gen.go"),)
    assert path_flags(b"a.go", rules) == ()
    assert path_flags(b"vendor/x.py", rules) == ()
    assert path_flags(b"doc/x.py", rules) == ()
    assert path_flags(b"doc/deep/x.py", rules) == (Flag(FlagName.DOCS, "path:doc/"),)
    assert path_flags(b"sub/deep/x.go", rules) == (Flag(FlagName.VENDORED, "gitattributes:*.go"),)


# --------------------------------------------------------------------------- patterns

PIECES = ("a", "b", "ab", "*", "**", "?", "[ab]", "[!a]", "[a-c]", "[]a]", "\\*", "a*b", "*.b", "/",
          "/", "**/", "/**", ".", "a?", "[[:alpha:]]", "[^b]", "é", "[a", "b]", "***", "a**")  # fmt: skip
PATTERNS = (
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5)
    .map("".join)
    .filter(
        lambda text: (
            not re.search(r"[^/*]\*\*|\*\*[^/*]", text)
        )  # git takes `a**/` for `a` and `**/`
    )
)
PATHS = st.lists(
    st.sampled_from(("a", "b", "c", "ab", "aab", "x.b", "*", "]", "é", "[a")),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def ignoring(tmp_path_factory):
    """(pattern, paths) -> those that git ignores by that one rule."""
    from subprocess import run

    folder = tmp_path_factory.mktemp("ignore")
    run(("git", "init", "-q", str(folder)), check=True)

    def ask(pattern, paths):
        (folder / ".git" / "info" / "exclude").write_bytes(pattern + b"\n")
        done = run(
            ("git", "-C", str(folder), "check-ignore", "--no-index", "--stdin", "-z"),
            input=b"".join(b"./%s\0" % path for path in paths),
            capture_output=True,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        return {path.removeprefix(b"./") for path in done.stdout.split(b"\0")[:-1]}

    return ask


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pattern=PATTERNS, paths=st.lists(PATHS.map("/".join), min_size=1, max_size=12, unique=True))
def test_patterns_fit_the_paths_that_git_ignores(ignoring, pattern, paths):
    glob = compile_glob(pattern.encode(), below=True)
    names = [path.encode() for path in paths]
    ours = {name for name in names if glob is not None and glob.matches(name)}
    assert ours == ignoring(pattern.encode(), names)


@pytest.mark.parametrize(
    "pattern", ["a*" * 30 + "b", "**/a/" * 30 + "b", "*a" * 40, "[a-z]*" * 30 + "1"]
)
def test_no_pattern_is_slow(pattern):
    glob = compile_glob(pattern.encode(), below=True)
    start = time.process_time()
    assert not glob.matches(b"a" * 250 + b"c")
    assert not glob.matches(b"a/" * 1000 + b"c")
    assert time.process_time() - start < 0.5
