"""Small siblings that share a chunk: a context names the one that is meant, and shows it first."""

from __future__ import annotations

import pytest

from grainline.context import assemble
from grainline.engine import MEMORY, Engine
from grainline.model.evidence import ContextOptions

SMALL = """\
def following_count(user):
    return user.following.count()


def followers(user):
    return [each.name for each in user.people if each.follows(user)]


def make_reset_token(user, expires):
    return encode({"reset": user.id, "exp": expires})


def verify_reset_token(token):
    return decode(token)["reset"]


def decode(token):
    return loads(token)
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    root = tmp_path_factory.mktemp("members")
    (root / "account.py").write_text(SMALL)
    engine = Engine.open(MEMORY)
    engine.index(str(root), name="members")
    yield engine
    engine.close()


def first(engine, query, budget):
    return engine.context(query, options=ContextOptions(budget=budget, max_level=1)).items[0]


def test_an_item_is_named_after_the_sibling_that_the_question_means(engine):
    assert first(engine, "verify a reset token", 400).symbol.name == "verify_reset_token"
    assert first(engine, "how many users is one following, count", 400).symbol.name == (
        "following_count"
    )


def test_a_small_budget_shows_the_sibling_and_what_comes_close(engine):
    item = first(engine, "verify a reset token", 180)
    assert "def verify_reset_token" in item.text
    assert "def followers" not in item.text
    assert item.spans[-1].end in (14, 18)


def test_a_large_budget_shows_all_siblings_once(engine):
    shown = engine.context("verify a reset token", options=ContextOptions(budget=4000)).rendered
    assert [shown.count(f"def {name}(") for name in ("following_count", "followers")] == [1, 1]


def test_words_that_all_siblings_share_choose_none(engine):
    assert first(engine, "account", 400).symbol.name == "following_count"


def test_a_context_that_forgets_siblings_is_noticed(engine, monkeypatch):
    monkeypatch.setattr(assemble, "members", lambda *_: ())
    with pytest.raises(AssertionError):
        test_an_item_is_named_after_the_sibling_that_the_question_means(engine)
