"""What an MCP server was started for is all that there is, and citations are opened in any version."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from grainline.access.policy import parse_policy
from grainline.engine import Engine
from grainline.indexing.owner.client import Asker
from grainline.indexing.owner.owner import OwnerOptions, become_owner
from grainline.indexing.pipeline import IndexOptions
from grainline.snapshots import ReadOptions
from grainline.surfaces.cli import main
from grainline.surfaces.mcp.server import Session, answer

OPTIONS = IndexOptions(workers=0)
RULES = b'{"users": {"bob": ["all"]}, "paths": [{"repo": "shop", "prefix": "", "groups": ["all"]}]}'


def git(path: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(path), *identity, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def repository(path: Path) -> dict[str, str]:
    """A repository with the tags one and two; the commit of each."""
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    commits = {}
    for tag in ("one", "two"):
        (path / f"{tag}.py").write_text(f"def refund_{tag}():\n    return {path.name!r}\n")
        git(path, "add", "-A")
        git(path, "commit", "-qm", tag)
        git(path, "tag", tag)
        commits[tag] = git(path, "rev-parse", "HEAD")
    return commits


@pytest.fixture
def commits(tmp_path: Path) -> dict[str, str]:
    return repository(tmp_path / "shop")


@pytest.fixture
def home(tmp_path: Path, commits: dict[str, str]) -> str:
    """Both tags of `shop`, and `secret` with its branch."""
    home = str(tmp_path / "home")
    repository(tmp_path / "secret")
    engine = Engine.open(home)
    engine.index(str(tmp_path / "shop"), refs=("one", "two"), options=OPTIONS)
    engine.index(str(tmp_path / "secret"), refs=("main",), options=OPTIONS)
    engine.close()
    return home


def serving(home: str, **started: object) -> Session:
    return Session(open_engine=lambda: Engine.open(home), **started)  # type: ignore[arg-type]


def calls(citation: str) -> list[tuple[str, dict[str, str]]]:
    return [
        ("search", {"query": "refund"}),
        ("context", {"query": "refund"}),
        ("status", {}),
        ("read", {"citation": citation}),
    ]


def test_a_server_started_for_a_ref_answers_for_no_other(
    home: str, commits: dict[str, str]
) -> None:
    session = serving(home, repos=("shop",), refs=("one",))
    for name, values in calls(f"one.py:1-2@{commits['one']}"):
        told = [
            answer(session, name, {**values, "ref": ref})
            for ref in ("two", "refs/tags/two", commits["two"], "nope")
        ]
        for (text, failed), ref in zip(
            told, ("two", "refs/tags/two", commits["two"], "nope"), strict=True
        ):
            assert failed, name
            assert text.replace(ref, "X") == told[3][0].replace("nope", "X"), "as if not there"
        assert json.loads(told[0][0])["error"]["code"] == "unknown_ref"
        assert "two" not in told[3][0]
        for ref in ("one", "refs/tags/one", "tags/one"):
            text, failed = answer(session, name, {**values, "ref": ref})
            assert not failed, text
            assert "refund_two" not in text
        text, failed = answer(session, name, values)
        assert not failed, text
        assert "tags/two" not in text
    citation = f"two.py:1-2@{commits['two']}"
    assert "unknown_citation" in answer(session, "read", {"citation": citation})[0]
    session.close()


def test_several_started_refs_are_the_default_and_the_choice(home: str) -> None:
    session = serving(home, refs=("one", "two", "main"))
    assert answer(session, "status", {})[0].count("\n") == 2
    assert answer(session, "status", {"repo": "shop"})[0].count("\n") == 1
    assert "tags/two" in answer(session, "status", {"ref": "two"})[0]
    session.close()


def test_an_owner_learns_of_a_start_option_that_means_nothing(home: str) -> None:
    for started, code in (
        ({"repos": ("shpo",)}, "unknown_repository"),
        ({"refs": ("nope",)}, "unknown_ref"),
    ):
        session = serving(home, **started)
        assert json.loads(answer(session, "status", {})[0])["error"]["code"] == code
        session.close()


def test_a_start_option_is_no_news_for_who_may_not_see_it(home: str) -> None:
    engine = Engine.open(home)
    engine.set_policy(parse_policy(RULES, "rules"))
    session = serving(home, repos=("shop", "secret"), principal="bob")
    text, failed = answer(session, "status", {"repo": "x", "ref": "one"})
    with pytest.raises(Exception, match="no repository is called 'x'") as caught:
        engine.scope(repos=("x",), refs=("one",), principal="bob")
    assert failed
    assert json.loads(text)["error"]["hint"] == caught.value.hint == "indexed: 'shop'"  # type: ignore[attr-defined]
    for values in ({"repo": "secret"}, {"ref": "main"}, {"ref": "one"}, {"repo": "shop"}):
        assert "secret" not in answer(session, "status", values)[0].replace("'secret'", "", 1)
    assert not answer(session, "search", {"query": "refund", "ref": "one"})[1]
    session.close()
    engine.close()


def test_a_citation_is_opened_whatever_ref_it_is_of(
    home: str, commits: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    session = serving(home)
    for ref, commit in commits.items():
        citation = f"one.py:1-2@{commit}"
        text, failed = answer(session, "read", {"citation": citation})
        assert not failed, (ref, text)
        for options in ((), ("--repo", "shop"), ("--ref", ref)):
            code = main.run(["--home", home, "read", citation, *options])
            assert code == 0, (ref, options)
    assert main.run(["--home", home, "read", f"one.py:1@{commits['two']}", "--ref", "one"]) == 2
    assert main.run(["--home", home, "read", f"one.py:1@{commits['two']}", "--repo", "secret"]) == 2
    capsys.readouterr()
    session.close()


def test_a_principal_opens_no_citation_of_what_it_may_not_read(
    home: str, tmp_path: Path, commits: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    engine = Engine.open(home)
    engine.set_policy(parse_policy(RULES, "rules"))
    engine.close()
    theirs = git(tmp_path / "secret", "rev-parse", "HEAD")
    session = serving(home, principal="bob")
    assert not answer(session, "read", {"citation": f"one.py:1@{commits['one']}"})[1]
    assert "unknown_citation" in answer(session, "read", {"citation": f"one.py:1@{theirs}"})[0]
    session.close()


def test_the_owner_of_a_home_answers_so_too(
    home: str, tmp_path: Path, commits: dict[str, str]
) -> None:
    owner = become_owner(
        Path(home), lambda: Engine.open(home), options=OwnerOptions(read=ReadOptions())
    )
    assert owner is not None

    def none() -> Engine:
        raise AssertionError("the owner does not answer")

    session = Session(
        open_engine=lambda: Asker(Path(home), none, ReadOptions, lambda _: None), refs=("one",)
    )
    try:
        assert json.loads(answer(session, "status", {"ref": "two"})[0])["error"]["code"] == (
            "unknown_ref"
        )
        assert not answer(session, "read", {"citation": f"one.py:1@{commits['one']}"})[1]
        assert answer(session, "read", {"citation": f"two.py:1@{commits['two']}"})[1]
    finally:
        session.close()
        owner.close()
