"""The command line over the real engine: a small project, every verb, the errors people meet."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from grainline.surfaces.cli import main

REFUND = '''\
"""Refunds."""
from pay.money import Money


class RefundService:
    """Pays money back."""

    def apply(self, order, amount: Money):
        """Refund part of an order."""
        fee = refund_fee(amount)
        return amount - fee


def refund_fee(amount):
    """The fee that is kept."""
    return amount * 0.02
'''
FILES = {
    "src/pay/refund.py": REFUND,
    "src/pay/money.py": 'class Money:\n    """An amount."""\n',
    "tests/test_refund.py": "from pay.refund import refund_fee\n\n\ndef test_fee():\n"
    "    assert refund_fee(100) == 2\n",
    "README.md": "# Pay\n\nThe fee comes from refund_fee.\n",
    "logo.png": "\x89PNG\x00\x00",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A git work tree with one commit."""
    root = tmp_path_factory.mktemp("work") / "pay"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for command in (
        "init -q -b main",
        "add -A",
        "-c user.name=a -c user.email=a@b.c commit -q -m start",
    ):
        subprocess.run(["git", *command.split()], cwd=root, check=True, capture_output=True)
    return root


@pytest.fixture(scope="module")
def home(project, tmp_path_factory):
    folder = tmp_path_factory.mktemp("home") / "index"
    assert main.run(["--home", str(folder), "index", str(project), "--workers", "1"]) == 0
    return folder


@pytest.fixture
def cli(home, capsys):
    def call(*arguments):
        capsys.readouterr()
        code = main.run(["--home", str(home), *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def as_json(cli, *arguments):
    code, out, err = cli(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_search_finds_and_every_citation_can_be_read_back(cli):
    found = as_json(cli, "search", "refund fee")
    assert found["results"][0]["path"] == "src/pay/refund.py"
    assert found["total"] == len({row["citation"] for row in found["results"]})
    for row in found["results"]:
        read = as_json(cli, "read", row["citation"])
        lines = FILES[row["path"]].split("\n")[row["start_line"] - 1 : row["end_line"]]
        assert read["text"].rstrip("\n") == "\n".join(lines).rstrip("\n")
        assert read["blob"] == row["blob"]


def test_a_place_opens_in_the_editor_from_where_the_person_stands(cli, project, monkeypatch):
    monkeypatch.chdir(project / "src")
    out = cli("search", "refund_fee")[1]
    assert re.match(r"pay/refund\.py:\d+  ", out)


def test_context_explains_inside_its_budget(cli):
    found = as_json(cli, "context", "how is a refund applied", "--budget", "3000")
    roles = {(item["role"], (item["symbol"] or "").split(".")[-1]) for item in found["items"]}
    assert ("target", "RefundService") in roles
    assert ("type", "Money") in roles
    assert found["tokens"] <= 3000
    assert found["markdown"].startswith("# Context")
    code, out, _ = cli("context", "--target", "RefundService.apply", "--format", "xml")
    assert code == 0
    assert 'role="target"' in out
    code, out, _ = cli("context", "--at", "src/pay/refund.py:10", "--format", "json")
    assert json.loads(out)["items"]


def test_show_outline_why_and_status_agree(cli):
    shown = as_json(cli, "show", "RefundService.apply")
    assert shown["ambiguous"] is False
    assert shown["symbols"][0]["text"].lstrip().startswith("def apply(self")
    tree = as_json(cli, "outline", "src/pay/refund.py")
    assert [row["symbol"].split(".")[-1] for row in tree["symbols"]] == [
        "RefundService",
        "refund_fee",
    ]
    assert tree["symbols"][0]["children"][0]["kind"] == "method"
    status = as_json(cli, "status", "--paths")
    (ref,) = status["repositories"][0]["refs"]
    assert sum(ref["counts"].values()) == len(FILES) == len(ref["paths"])
    assert as_json(cli, "why", "logo.png")["reason"] == "binary"
    assert as_json(cli, "why", "src/pay/money.py")["outcome"] == "indexed"
    assert as_json(cli, "doctor")["ok"] is True


def test_pages_bring_every_result_once(cli):
    seen, cursor = [], None
    for _ in range(20):
        found = as_json(
            cli, "search", "refund", "-k", "1", *(["--cursor", cursor] if cursor else [])
        )
        seen += [row["citation"] for row in found["results"]]
        cursor = found["cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == found["total"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("search", "x", "--ref", "nope"), "unknown_ref"),
        (("search", "x", "--repo", "nope"), "unknown_repository"),
        (("show", "refund_fees"), "unknown_symbol"),
        (("outline", "nope.py"), "unknown_path"),
        (("read", "nope"), "bad_citation"),
        (("read", "nope.py:1-2@abcdef12"), "unknown_citation"),
        (("context", "--at", "src/pay/refund.py:9999"), "no_such_line"),
        (("context", "x", "--budget", "3"), "budget_too_small"),
        (("rm", "nope"), "unknown_repository"),
        (("index", "/nonexistent/path"), "not_found"),
        (("index", ".", "--allow-alternate", "/nonexistent"), "not_found"),
        (("index", ".", "--include", "["), "bad_glob"),
        (("search", "x", "--path", "["), "bad_glob"),
        (("search", "x", "--module", "."), "bad_module"),
        (("search", "/regex/("), "bad_regex"),
        (("callers", "refund_fee", "--path", ""), "bad_glob"),
        (("graph", "--module", ""), "bad_module"),
        (("graph", "--output", "/nonexistent/x"), "cannot_write"),
        (("show", ""), "unknown_symbol"),
        (("callers", " "), "unknown_symbol"),
        (("trace", "--from", ""), "unknown_symbol"),
        (("why", ""), "unknown_path"),
        (("outline", "src/pay"), "unknown_path"),
        (("context", "--at", "src/pay:1"), "unknown_path"),
        (("context", "--at", "x"), "bad_position"),
        (("search", "x", "-k", "abc"), "usage"),
        (("access", "set", "nope"), "unreadable"),
    ],
)
def test_wrong_requests_are_errors_with_a_code(cli, arguments, code):
    found, out, err = cli(*arguments)
    assert (found, out) == (2, "")
    assert err.startswith(f"error[{code}]")
    assert err.count("\n") == 1
    assert "; " in err, "what to do"
    found, out, err = cli(*arguments, "--json")
    assert (found, err) == (2, "")
    assert json.loads(out)["error"]["code"] == code


def test_a_citation_without_its_version_says_what_is_missing(cli):
    err = cli("read", "src/pay/refund.py:1-3")[2]
    assert err.startswith(
        "error[bad_citation]: 'src/pay/refund.py:1-3' is not a citation: @COMMIT is missing; "
    )
    assert "@COMMIT is missing" not in cli("read", "nope")[2]


def test_a_home_that_cannot_be_made_says_so_and_why(project, capsys):
    assert main.run(["--home", "/proc/x", "index", str(project), "--workers", "1"]) == 5
    err = capsys.readouterr().err.splitlines()[-1]
    assert err.startswith("error[cannot_write] /proc/x: the folder cannot be created (")
    assert err.endswith("); choose another --home")
    assert "Errno" not in err


def test_a_home_without_an_index_says_what_to_run(tmp_path, capsys):
    assert main.run(["--home", str(tmp_path / "none"), "search", "x", "--json"]) == 2
    out, err = capsys.readouterr()
    assert (json.loads(out)["error"]["code"], err) == ("nothing_indexed", "")
    assert not (tmp_path / "none").exists()


def test_rm_takes_a_repository_out(project, tmp_path, capsys):
    home = ["--home", str(tmp_path / "home")]
    assert main.run([*home, "index", str(project), "--workers", "1", "--name", "gone"]) == 0
    assert main.run([*home, "rm", "gone"]) == 0
    capsys.readouterr()
    assert main.run([*home, "search", "refund", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "nothing_indexed"


def test_a_tag_that_no_index_holds_is_indexed_when_it_is_asked_for(project, tmp_path, capsys):
    home = ["--home", str(tmp_path / "home")]
    assert main.run([*home, "index", str(project), "--workers", "1"]) == 0
    subprocess.run(["git", "tag", "v1"], cwd=project, check=True, capture_output=True)
    capsys.readouterr()
    assert main.run([*home, "show", "refund_fee", "--ref", "v1", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["coverage"]["snapshots"][0]["ref"] == "refs/tags/v1"
    assert "note: pay@refs/tags/v1 was not indexed; it is now, and is kept while used" in err
    assert main.run([*home, "search", "fee", "--ref", "nope", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "unknown_ref"
    assert main.run([*home, "gc", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ended"] == []


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_commands_of_the_readme_name_files_that_are_there(root, name):
    text = (root / name).read_text(encoding="utf-8")
    named = re.findall(r"^\$ grainline (?:outline|read|why) [\"']?([^\s:\"']+)", text, re.MULTILINE)
    assert len(named) == 3
    assert all((root / path).is_file() for path in named)
    assert "@HEAD" not in text


@pytest.mark.parametrize(("new_enough", "code"), [(0, 0), (1, 2)], ids=["new", "old"])
def test_ci_names_the_python_that_it_needs(root, tmp_path, new_enough, code):
    programs = {
        "git": "exit 0",
        "make": "echo made $*",
        "python3": f'case "$2" in *version_info*) exit {new_enough};; *platform*) echo 3.9.1;; esac',
    }
    for name, script in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "dirname").symlink_to(shutil.which("dirname") or "")
    bash = shutil.which("bash") or ""
    environ = {"PATH": str(tmp_path)}
    done = subprocess.run(
        [bash, str(root / ".ci" / "run")], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    if code:
        assert "needs Python 3.11 or newer" in done.stderr
        assert "python3 is 3.9.1" in done.stderr
        assert done.stdout == ""
    else:
        assert (done.stdout, done.stderr) == ("made test\n", "")


def printed_paths(cli, *options):
    """The places of the results as `search` prints them."""
    _, out, _ = cli("search", "refund_fee", *options)
    return re.findall(r"^(\S+:\d+)  ", out, re.MULTILINE)


@pytest.mark.parametrize("folder", [".", "src", "src/pay", "tests", ".."])
def test_what_search_prints_is_what_outline_and_why_take(cli, project, monkeypatch, folder):
    monkeypatch.chdir(project / folder)
    places = [place for place in printed_paths(cli) if ".py:" in place]
    assert len(places) > 1
    for place in places:
        path = place.rpartition(":")[0]
        full = str((project / folder / path).resolve())
        for form in (place, path, full, f"{full}:3", f"./{path}"):
            code, out, err = cli("outline", form)
            assert (code, err) == (0, ""), form
            assert "function" in out
            code, out, _ = cli("why", form)
            assert code == 0
            assert ": indexed" in out, form
    assert cli("outline", "src/pay/refund.py")[0] == 0, "as it stands in its repository, too"
    code, _, err = cli("outline", "gone.py")
    assert code == 2
    assert err.startswith("error[unknown_path] gone.py: ")
    assert cli("why", "gone.py")[1].startswith("gone.py: skipped (unknown)")


def test_a_path_from_here_is_of_the_repository_that_holds_it(tmp_path, monkeypatch, capsys):
    """Two repositories with the same path, one of them indexed from a folder on."""
    home = ["--home", str(tmp_path / "home")]
    for name in ("one", "two"):
        pay = tmp_path / name / "src" / "pay.py"
        pay.parent.mkdir(parents=True)
        pay.write_text(f"def refund_{name}():\n    return 1\n")
        subprocess.run(["git", "init", "-q"], cwd=tmp_path / name, check=True)
    (tmp_path / "two" / "pay.py").write_text("def top():\n    return 1\n")
    assert main.run([*home, "index", str(tmp_path / "one"), "--workers", "1"]) == 0
    assert main.run([*home, "index", str(tmp_path / "two" / "src"), "--workers", "1"]) == 0
    for name in ("one", "two"):
        for folder, path in (("", "src/pay.py"), ("src", "pay.py"), ("src", "../src/pay.py")):
            monkeypatch.chdir(tmp_path / name / folder)
            capsys.readouterr()
            assert main.run([*home, "outline", path]) == 0
            assert f"refund_{name}" in capsys.readouterr().out
            assert main.run([*home, "why", path, "--json"]) == 0
            assert json.loads(capsys.readouterr().out)["path"] == "src/pay.py"


def test_a_folder_is_answered_with_its_files(cli):
    for asked in (("outline", "src/pay"), ("context", "--at", "src/pay:1")):
        assert "it is a folder; name a file: src/pay/money.py, src/pay/refund.py" in cli(*asked)[2]
    assert "it is a folder: 2 paths below it" in cli("why", "src/pay")[1]
    assert "it is a folder" not in cli("why", "src/pa")[1]


def test_a_wrong_word_is_answered_with_the_right_one(cli):
    assert "did you mean 'search'?" in cli("serch", "x")[2]
    assert "did you mean: RefundService.apply" in cli("show", "RefundService.aply")[2]
    code, _, err = cli("search", "fee", "--ref", "nope")
    assert code == 2
    assert "no repository asked has it either; indexed: 'WORKTREE'" in err
    assert "Run:" not in err


@pytest.mark.parametrize(
    ("content", "said"), [(b"# no index\n", "no SCIP index"), (None, "cannot be read")]
)
def test_a_broken_scip_index_is_refused_before_anything_is_written(
    project, tmp_path, capsys, content, said
):
    home, scip = tmp_path / "home", tmp_path / "index.scip"
    if content is not None:
        scip.write_bytes(content)
    code = main.run(["--home", str(home), "index", str(project), "--scip", str(scip)])
    assert (code, home.exists()) == (2, False)
    assert said in capsys.readouterr().err
