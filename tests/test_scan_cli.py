"""`scan` and `trace` on the command line: options, exit codes, and errors for people."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest

from grainline.surfaces.cli import main

OLD = """\
import os
from flask import request


def old():
    os.system(request.args["old"])
"""
NEW = (
    OLD
    + """

def new():
    os.system(request.args["new"])
"""
)
ENV = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "t@example.invalid" for who in ("AUTHOR", "COMMITTER")
       for what in ("NAME", "EMAIL")},
}  # fmt: skip
ROWS = """languages = ["python"]
packages = ["shop"]

[[source]]
names = ["shop.message()"]

[[sink]]
kind = "command"
names = ["shop.shell"]
ports = [0]
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Two commits; the work tree has code of a package that no model knows, too."""
    root = tmp_path_factory.mktemp("scan") / "shop"
    root.mkdir()

    def git(*words):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, env=ENV)

    git("init", "-q", "-b", "main")
    for text in (OLD, "\n" + NEW):  # lines move, ids do not
        (root / "run.py").write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", "a change")
    (root / "own.py").write_text("import shop\n\n\ndef f():\n    shop.shell(shop.message())\n")
    folder = str(tmp_path_factory.mktemp("home") / "index")
    for ref in ((), ("--ref", "main"), ("--ref", "main~1")):
        assert main.run(["--home", folder, "index", str(root), *ref, "--workers", "1"]) == 0
    return folder


@pytest.fixture
def cli(home, capsys):
    def call(*arguments, settings=None):
        capsys.readouterr()
        code = main.run(["--home", home, *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def lines(out):
    return [(row["path"], row["line"]) for row in json.loads(out)["findings"]]


def test_diff_leaves_what_is_there_at_the_other_ref_though_lines_moved(cli, home):
    code, out, _ = cli("scan", "--json")
    assert (code, lines(out)) == (0, [("run.py", 7), ("run.py", 11)])
    first = next(view for view in views(cli) if view != "main")
    code, out, _ = cli("scan", "--diff", first, "--json")
    assert (code, lines(out), json.loads(out)["known"]) == (0, [("run.py", 11)], 1)
    code, out, _ = cli("scan", "--diff", "main", "--fail-on", "note", "--json")
    assert (code, lines(out)) == (0, [])
    assert cli("scan", "--diff", first, "--fail-on", "high")[0] == 7
    assert "1 known one left out" in cli("scan", "--diff", first)[1]


def views(cli):
    status = json.loads(cli("status", "--json")[1])
    found = [ref["ref"] or ref["commit"] for each in status["repositories"] for ref in each["refs"]]
    return [name.removeprefix("refs/heads/") for name in found if name != "WORKTREE"]


def test_models_of_a_file_count_beside_the_built_in_ones(cli, tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(ROWS)
    code, out, _ = cli("scan", "--models", str(file), "--json")
    assert (code, lines(out)) == (0, [("own.py", 5), ("run.py", 7), ("run.py", 11)])
    code, out, _ = cli("trace", "--to", "shop.shell", "--models", str(file), "--json")
    assert (code, json.loads(out)["verdict"]) == (0, "path")


@pytest.mark.parametrize(
    ("least", "code"), [("note", 7), ("high", 7), ("critical", 7), ("HIGH", 7)]
)
def test_fail_on_exits_with_7_and_still_prints(cli, least, code):
    found, out, _ = cli("scan", "--fail-on", least, "--json")
    assert (found, len(lines(out))) == (code, 2)


def test_fail_on_needs_a_finding_as_bad(cli):
    assert cli("scan", "--kind", "weak hash", "--fail-on", "note")[0] == 0


def test_a_baseline_is_what_was_written_or_the_output_of_scan(cli, tmp_path):
    written, printed = tmp_path / "a.json", tmp_path / "b.json"
    assert cli("scan", "--write-baseline", str(written))[0] == 0
    printed.write_text(cli("scan", "--json")[1])
    for file in (written, printed):
        code, out, _ = cli("scan", "--baseline", str(file), "--fail-on", "note", "--json")
        assert (code, lines(out), json.loads(out)["known"]) == (0, [], 2)


def test_a_report_goes_to_a_file_and_the_code_stays(cli, tmp_path):
    file = tmp_path / "found.sarif"
    code, out, err = cli("scan", "--format", "sarif", "--output", str(file), "--fail-on", "high")
    assert (code, out) == (7, "")
    assert "2 findings" in err
    assert json.loads(file.read_text())["version"] == "2.1.0"


@pytest.mark.parametrize("words", [("scan",), ("trace", "--to", "os.system")])
@pytest.mark.parametrize("form", ["text", "json", "sarif", "markdown", "html"])
def test_every_form_goes_to_the_file_that_is_named(cli, tmp_path, words, form):
    """Seeded fault: the form for people was printed, and the file never made."""
    given = () if form == "text" else ("--format", form)
    shown = cli(*words, *given)[1]
    file = tmp_path / form
    code, out, err = cli(*words, *given, "--output", str(file))
    assert (code, out) == (0, "")
    assert f"finding: {file}" in err or f"findings: {file}" in err
    assert timeless(file.read_text()) == timeless(shown) != ""


def timeless(text):
    """Without the moment at which the tree was looked at."""
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?", "T", text)


@pytest.mark.parametrize("words", [("scan",), ("trace", "--to", "os.system")])
def test_a_file_that_cannot_be_written_is_said_and_nothing_is_printed(cli, tmp_path, words):
    code, out, err = cli(*words, "--output", str(tmp_path / "none" / "file"))
    assert (code, out) == (2, "")
    assert "could not be written (No such file or directory)" in err


@pytest.mark.parametrize("words", [("scan",), ("trace", "--to", "os.system"), ("graph",)])
def test_two_formats_at_once_are_refused(cli, words):
    other = "dot" if words == ("graph",) else "sarif"
    code, out, _ = cli(*words, "--format", other, "--json")
    assert code == 2
    assert f"--json and --format {other} are two formats" in json.loads(out)["error"]["message"]
    assert cli(*words, "--format", "json", "--json")[0] == 0
    assert cli(*words, "--json")[0] == 0


# ------------------------------------------------------------------------------ wrong input

BROKEN = {
    "empty.json": "",
    "list.json": "[]",
    "other.json": '{"findings": 3}',
    "rows.json": '{"findings": [{"name": "x"}]}',
    "binary.json": "\x00\x01",
    "broken.toml": "languages = [",
    "section.toml": 'languages = ["python"]\n[[nonsense]]\nnames = ["a.b"]\n',
    "row.toml": 'languages = ["python"]\n[[sink]]\nnames = ["a.b"]\nkind = "nonsense"\nports = [0]\n',
    "language.toml": 'languages = ["klingon"]\n[[source]]\nnames = ["a.b"]\n',
    "nothing.toml": "",
}


@pytest.fixture
def broken(tmp_path):
    for name, text in BROKEN.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder").mkdir()
    closed = tmp_path / "closed"
    closed.write_text("{}")
    closed.chmod(0)
    yield tmp_path
    closed.chmod(0o600)


WRONG = [
    (("scan", "--baseline", "missing"), "bad_baseline"),
    (("scan", "--baseline", "folder"), "bad_baseline"),
    *(((("scan", "--baseline", name)), "bad_baseline") for name in BROKEN if "json" in name),
    (("scan", "--models", "missing"), "bad_models"),
    (("scan", "--models", "folder"), "bad_models"),
    *((("scan", "--models", name), "bad_models") for name in BROKEN if "toml" in name),
    (("trace", "--to", "os.system", "--models", "broken.toml"), "bad_models"),
    (("scan", "--kind", "nonsense"), "unknown_kind"),
    (("scan", "--diff", "nowhere"), "unknown_ref"),
    (("scan", "--repo", "nowhere"), "unknown_repository"),
    (("scan", "--fail-on", "awful"), "usage"),
    (("scan", "--format", "pdf"), "usage"),
    (("trace",), "no_place"),
    (("trace", "--from", "nothing_like_it"), "unknown_symbol"),
    (("trace", "--from", "missing.py:3"), "unknown_path"),
    (("trace", "--from", "run.py:3000"), "no_such_line"),
    (("trace", "--from", "run.py:7-5"), "bad_position"),
    (("trace", "--to", "missing.py:7-5"), "bad_position"),
    (("context", "--at", "run.py:7-5"), "bad_position"),
    (("trace", "--from", "run.py:4"), "nothing_there"),
    (("trace", "--from", "run.py:7", "--depth", "0"), "usage"),
]


@pytest.mark.parametrize(("words", "code"), WRONG, ids=lambda each: " ".join(each) if isinstance(each, tuple) else each)  # fmt: skip
def test_wrong_input_is_an_error_for_people(cli, broken, monkeypatch, words, code):
    monkeypatch.chdir(broken)
    exit_code, out, err = cli(*words)
    assert (exit_code, out) == (2, "")
    assert f"error[{code}]" in err or code == "usage"
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) <= 4
    as_json = cli(*words, "--json")
    assert as_json[0] == 2
    assert code == "usage" or json.loads(as_json[1])["error"]["code"] == code


def test_a_backwards_range_is_called_so(cli):
    code, _, err = cli("trace", "--from", "run.py:7-5")
    assert code == 2
    assert "run.py: the range 7-5 of lines is backwards; write run.py:5-7" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
@pytest.mark.parametrize("option", ["--baseline", "--models"])
def test_a_file_that_may_not_be_read_is_said(cli, broken, option):
    code, _, err = cli("scan", option, str(broken / "closed"))
    assert code == 2
    assert "Permission denied" in err


def test_a_file_of_models_that_is_too_long_is_refused(cli, tmp_path, monkeypatch):
    from grainline.surfaces.cli import flows

    monkeypatch.setattr(flows, "MAX_MODELS", 10)
    file = tmp_path / "long.toml"
    file.write_text(ROWS)
    code, _, err = cli("scan", "--models", str(file))
    assert (code, "longer than 10 bytes" in err) == (2, True)


@pytest.mark.parametrize("option", ["--output", "--write-baseline"])
def test_a_name_that_no_file_can_have_is_refused_with_what_to_do(cli, tmp_path, option):
    form = ("--format", "json") if option == "--output" else ()
    (tmp_path / "file").write_text("x")
    for name, todo in (
        ("none/file", "make its folder first"),
        ("", "it is a folder: name a file"),
        ("file/x", "one of its folders is a file"),
        ("x" * 300, "give it a shorter name"),
    ):
        code, _, err = cli("scan", *form, option, str(tmp_path / name))
        assert (code, todo in err) == (2, True), err
        assert "error[cannot_write]" in err


@pytest.mark.parametrize("verb", [("scan",), ("trace", "--to", "os.system")], ids=["scan", "trace"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_solved(
    cli, tmp_path, monkeypatch, verb
):
    def solved(*_, **__):
        raise AssertionError("it was solved first")

    monkeypatch.setattr(f"grainline.engine.Engine.{verb[0]}", solved)
    for place in (tmp_path, tmp_path / "none" / "file"):
        code, _, err = cli(*verb, "--output", str(place))
        assert (code, "error[cannot_write]" in err) == (2, True)


def test_nothing_is_written_when_the_question_is_wrong(cli, tmp_path):
    file = tmp_path / "known.json"
    assert cli("scan", "--kind", "nonsense", "--write-baseline", str(file))[0] == 2
    assert not file.exists()
