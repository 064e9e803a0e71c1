"""Flags of paths, and the pattern language that attributes and options use."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grainline.model.snapshot import Flag, FlagName, heard, standing
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

    def flags(path):
        return standing(path_flags(path, rules))

    top, sub = "gitattributes:{} in .gitattributes", "gitattributes:{} in sub/.gitattributes"
    assert flags(b"x.go") == (Flag(FlagName.GENERATED, top.format("*.go")),)
    assert flags(b"gen.go") == (Flag(FlagName.GENERATED, top.format("/gen.go")),)
    assert flags(b"a.go") == ()
    assert flags(b"vendor/x.py") == ()
    assert flags(b"doc/x.py") == ()
    assert flags(b"doc/deep/x.py") == (Flag(FlagName.DOCS, "path:doc/"),)
    assert flags(b"sub/deep/x.go") == (Flag(FlagName.VENDORED, sub.format("*.go")),)


LINES = st.lists(
    st.tuples(
        st.sampled_from(["*", "*.go", "/x.go", "x.*", "vendor/**", "sub/*"]),
        st.sampled_from(["", "-", "!"]),
        st.sampled_from(["linguist-generated", "linguist-vendored", "linguist-documentation"]),
    ),
    max_size=4,
).map(lambda lines: "".join(f"{glob} {mark}{name}\n" for glob, mark, name in lines))
FOLDERS = ("", "sub/", "sub/vendor/", "doc/")


@given(
    st.dictionaries(st.sampled_from(FOLDERS), LINES),
    st.frozensets(st.sampled_from(FOLDERS)),
    st.sampled_from(
        [b"x.go", b"sub/x.go", b"sub/vendor/x.go", b"doc/x.go", b"sub/vendor/a_pb2.py"]
    ),
)
def test_without_some_attribute_files_all_is_as_if_they_were_not_there(files, hidden, path):
    every = {f"{folder}.gitattributes": text for folder, text in files.items()}
    rest = {
        f"{folder}.gitattributes": text for folder, text in files.items() if folder not in hidden
    }
    kept = heard(path_flags(path, attributes(*every.items())), lambda file: file.decode() in rest)
    assert kept == path_flags(path, attributes(*rest.items()))
    assert sorted(flag.name for flag in standing(kept)) == sorted(wanted(rest, path))


def wanted(files, path):
    """The names of the flags, by one walk over all lines from the outer file to the inner one."""
    names = {"linguist-generated": "generated", "linguist-vendored": "vendored",
             "linguist-documentation": "docs"}  # fmt: skip
    said = {}
    for file in sorted(files, key=lambda file: (file.count("/"), file)):
        folder = file.removesuffix(".gitattributes").encode()
        for line in files[file].splitlines() if path.startswith(folder) else ():
            glob, word = line.split()
            if compile_glob(glob.encode(), below=False).matches(path[len(folder) :]):
                name = names[word.lstrip("-!")]
                said.pop(name, None)
                if not word.startswith("!"):
                    said[name] = not word.startswith("-")
    own = [flag.name for flag in path_flags(path) if flag.name not in said]
    return [*own, *(name for name, is_set in said.items() if is_set)]


def test_a_flag_whose_attribute_file_is_not_known_is_not_heard():
    old = Flag(FlagName.GENERATED, "gitattributes:src/web/gen.py")
    assert heard((old, Flag(FlagName.DOCS, "path:doc/")), lambda _: True) == (
        Flag(FlagName.DOCS, "path:doc/"),
    )


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
