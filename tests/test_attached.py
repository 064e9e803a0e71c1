"""What kept edges add to results: callers by name, signatures of what is called."""

from __future__ import annotations

import json

import pytest

from grainline.engine import Engine
from grainline.indexing.pipeline import IndexOptions
from grainline.model.edge import Tier
from grainline.model.search import SearchOptions
from grainline.retrieval.relations import attached
from grainline.surfaces import wire
from grainline.surfaces.cli import main

FILES = {
    "shop/__init__.py": "",
    "shop/pay.py": """\
from shop.base import Base, send


def charge(order):
    "Take money."
    return send(order, 1)


def refund(order, handler):
    charge(order)
    handler.unknown()
    print(order)
    return charge(order)


class Card(Base):
    def pay(self):
        return charge(self)
""",
    "shop/base.py": """\
def send(
    order: object, amount: int
) -> int:
    return amount


class Base:
    pass


def again(n):
    return again(n)
""",
    "shop/cli.py": "from shop.pay import Card, refund\n\n\ndef main():\n    card = Card()\n    refund(card)\n    return card.pay()\n",
}
OFF = "off: not filled; run: grainline index PATH"
BOTH = SearchOptions(callers=True, signatures=True)


@pytest.fixture
def tree(tmp_path):
    for name, text in FILES.items():
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text(text)
    return tmp_path / "tree"


@pytest.fixture
def engine(tree, tmp_path):
    engine = Engine.open(str(tmp_path / "home"))
    engine.index(str(tree), options=IndexOptions(workers=0))
    engine.fill(options=IndexOptions(workers=0))
    yield engine
    engine.close()


def first(engine, name, options=BOTH):
    found = engine.search(name, options=options)
    return next(hit for hit in found.hits if hit.symbol and hit.symbol.name == name)


def test_a_result_names_what_calls_and_what_makes_it(engine):
    assert set(first(engine, "charge").called_by) == {"shop.pay.Card.pay", "shop.pay.refund"}
    assert first(engine, "Card").called_by == ("shop.cli.main",)
    assert first(engine, "main").called_by == ()
    assert first(engine, "again").called_by == ()  # but itself


def test_callers_are_those_that_the_graph_tells(engine):
    for name in ("charge", "refund", "send", "Card", "Card.pay"):
        hit = first(engine, name.rpartition(".")[2])
        rows = engine.callers(name).rows
        assert set(hit.called_by) == {row.node.name for row in rows}


def test_signatures_are_heads_of_what_stands_elsewhere_in_the_order_of_calls(engine):
    found = first(engine, "charge").signatures
    (send,) = (each for each in found if each.name == "shop.base.send")
    assert send.signature == "def send( order: object, amount: int ) -> int"
    assert (send.kind, send.tier, send.repository) == ("function", Tier.RESOLVED, "tree")
    assert str(send.citation).startswith("shop/base.py:1-1@")
    names = [each.name for each in first(engine, "main").signatures]
    assert names[:2] == ["shop.pay.Card", "shop.pay.refund"]
    hit = first(engine, "refund")
    held = [each.name for each in hit.signatures if each.name in hit.text]
    assert held == []  # what the result shows itself is not told again


def test_nothing_is_attached_that_nobody_asked_for(engine):
    hit = first(engine, "charge", SearchOptions())
    assert (hit.called_by, hit.signatures) == ((), None)
    assert "signatures" not in wire.hit(hit)
    assert "graph" not in dict(engine.search("charge").coverage.channels)
    told = wire.hit(first(engine, "charge"))
    assert told["called_by"] == list(first(engine, "charge").called_by)
    assert told["signatures"][0].keys() >= {"symbol", "signature", "citation", "tier"}


def test_ranks_do_not_depend_on_edges(engine):
    plain, with_edges = engine.search("order"), engine.search("order", options=BOTH)
    assert [hit.place for hit in plain.hits] == [hit.place for hit in with_edges.hits]
    assert plain.cursor == with_edges.cursor


def test_edges_that_are_not_kept_are_not_made_but_told(tree, tmp_path):
    engine = Engine.open(str(tmp_path / "other"))
    engine.index(str(tree), options=IndexOptions(workers=0))
    engine.callers("charge")  # what another question made changes no answer
    result = engine.search("charge", options=BOTH)
    assert dict(result.coverage.channels)["graph"] == OFF
    assert {hit.called_by for hit in result.hits} == {()}
    assert {hit.signatures for hit in result.hits} == {()}
    engine.close()


def test_edges_of_an_older_state_are_not_told(engine, tree):
    (tree / "shop" / "cli.py").write_text("def main():\n    return 1\n")
    engine.index(str(tree), options=IndexOptions(workers=0))
    assert first(engine, "Card").called_by == ()
    engine.fill(options=IndexOptions(workers=0))
    result = engine.search("Card", options=BOTH)
    assert dict(result.coverage.channels)["graph"] == "on"


def test_a_file_that_changed_gives_no_signature(engine, tree):
    assert first(engine, "charge").signatures
    (tree / "shop" / "base.py").write_text("def send():\n    return 1\n")
    assert first(engine, "charge").signatures == ()


def test_a_page_opens_a_few_views_and_says_what_it_left(engine, tree, tmp_path, monkeypatch):
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "a.py").write_text("def charge(order):\n    return order\n")
    engine.index(str(tmp_path / "second"), options=IndexOptions(workers=0))
    engine.fill(options=IndexOptions(workers=0))
    monkeypatch.setattr(attached, "MOST_VIEWS", 1)
    result = engine.search("charge", options=BOTH)
    assert dict(result.coverage.channels)["graph"].startswith("on for 1 of 2 views; off: a page")


def test_many_callers_are_cut(engine, tree, monkeypatch):
    monkeypatch.setattr(attached, "MAX_NAMES", 1)
    assert len(first(engine, "charge").called_by) == 1


def test_the_command_line_shows_signatures(engine, tree, tmp_path, capsys):
    home = str(tmp_path / "home")
    assert main.run(["search", "charge", "--signatures", "--home", home]) == 0
    assert " calls  def send( order: object, amount: int ) -> int  " in capsys.readouterr().out
    assert main.run(["search", "charge", "--json", "--home", home]) == 0
    (row, *_) = json.loads(capsys.readouterr().out)["results"]
    assert row["called_by"]
    assert "signatures" not in row
