"""Contexts along the edges of the symbol graph: each rule, what an item says of its edge, bounds."""

from __future__ import annotations

import pytest

from grainline.access.policy import make_policy
from grainline.engine import MEMORY, Engine
from grainline.indexing import graphs
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import AccessRule
from grainline.model.edge import Method
from grainline.model.evidence import ContextOptions, EvidenceRole, Profile

FILES = {
    "src/shop/__init__.py": "",
    "src/shop/pay.py": """\
from shop.base import Base
from shop.money import Money, as_money
from shop.rules import audited


class Card(Base):
    def pay(self, order: Money) -> Money:
        return send(as_money(order))

    @audited
    def refund(self, order):
        return self.pay(order)


def send(order):
    return order
""",
    "src/shop/base.py": """\
class Base:
    def pay(self, order):
        raise NotImplementedError
""",
    "src/shop/gold.py": """\
from shop.pay import Card


class GoldCard(Card):
    def pay(self, order):
        return order
""",
    "src/shop/money.py": """\
class Money:
    pass


def as_money(order):
    return Money()
""",
    "src/shop/rules.py": """\
def audited(function):
    return function
""",
    "src/shop/cli.py": """\
from shop.pay import Card


def main():
    return Card().refund(1)


def run():
    return main()
""",
    "src/other/pay.py": """\
def as_money(order):
    return "another of the same name"
""",
    "tests/test_pay.py": """\
from shop.pay import Card


def test_that_money_goes_back():
    assert Card().refund(1)
""",
}


def write(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    root = tmp_path_factory.mktemp("shop")
    write(root, FILES)
    engine = Engine.open(MEMORY)
    engine.index(str(root))
    yield engine
    engine.close()


def ask(engine, target, **options):
    return engine.context(target=target, options=ContextOptions(budget=20_000, **options))


def items(result):
    """(role, name) -> item, of those that came along an edge of the graph."""
    methods = set(map(str, Method))
    return {
        (str(item.role), item.symbol.name if item.symbol else "-"): item
        for item in result.items
        if item.via and set(item.via[0].methods) <= methods
    }


def edge(item):
    (step,) = item.via
    return (step.type, step.src, step.dst, step.path.decode(), step.line, step.tier)


def test_what_is_called_in_another_file_comes_along_the_call(engine):
    found = items(ask(engine, "Card.pay"))
    item = found["callee", "as_money"]
    assert item.place.path == b"src/shop/money.py"
    assert edge(item) == (
        "CALLS", "shop.pay.Card.pay", "shop.money.as_money", "src/shop/pay.py", 8, "resolved",
    )  # fmt: skip
    assert item.via[0].candidates == 1
    assert item.why == "called at line 8"
    assert found["callee", "send"].place.path == b"src/shop/pay.py"


def test_a_namesake_that_no_edge_leads_to_stays_out(engine):
    result = ask(engine, "Card.pay")
    assert b"src/other/pay.py" not in {item.place.path for item in result.items}


def test_callers_come_along_the_call_and_tests_as_tests(engine):
    found = items(ask(engine, "Card.refund"))
    assert edge(found["caller", "main"]) == (
        "CALLS", "shop.cli.main", "shop.pay.Card.refund", "src/shop/cli.py", 5, "resolved",
    )  # fmt: skip
    assert found["caller", "main"].why == "calls it"
    test = found["test", "test_that_money_goes_back"]
    assert edge(test)[:3] == ("CALLS", "tests.test_pay.test_that_money_goes_back", edge(test)[2])
    assert test.why == "test that calls it"
    assert ("caller", "run") not in found


def test_impact_asks_for_the_callers_of_callers_too(engine):
    found = items(ask(engine, "Card.refund", profile=Profile.IMPACT))
    far = found["caller", "run"]
    assert far.why == "calls it through another"
    assert [(step.src, step.dst) for step in far.via] == [
        ("shop.cli.run", "shop.cli.main"),
        ("shop.cli.main", "shop.pay.Card.refund"),
    ]


def test_what_is_used_without_a_call_is_a_definition(engine):
    (item,) = (
        item for (_, name), item in items(ask(engine, "Card.refund")).items() if name == "audited"
    )
    assert item.role in (EvidenceRole.DEFINITION, EvidenceRole.CALLEE)
    assert item.place.path == b"src/shop/rules.py"


def test_types_of_the_signature_and_bases_are_types(engine):
    assert edge(items(ask(engine, "Card.pay"))["type", "Money"])[0] == "HAS_TYPE"
    base = items(ask(engine, "Card"))["type", "Base"]
    assert edge(base)[:3] == ("INHERITS", "shop.pay.Card", "shop.base.Base")
    assert base.why == "base of the class"


def test_overrides_are_followed_up_and_down(engine):
    result = ask(engine, "Card.pay")
    both = {
        item.place.path.decode(): item
        for item in result.items
        if item.via and item.via[0].type == "OVERRIDES"
    }
    assert sorted(both) == ["src/shop/base.py", "src/shop/gold.py"]
    assert both["src/shop/base.py"].why == "overridden here"
    assert both["src/shop/gold.py"].why == "overrides it"
    assert edge(both["src/shop/gold.py"])[1:3] == ("shop.gold.GoldCard.pay", "shop.pay.Card.pay")


def test_of_an_edge_and_a_name_that_lead_to_one_definition_the_edge_is_told(engine):
    result = ask(engine, "Card.pay")
    (item,) = (item for item in result.items if item.symbol and item.symbol.name == "send")
    assert [step.tier for step in item.via] == ["resolved"]


def test_no_weaker_edge_than_the_floor_is_followed(engine):
    for name in ("Card", "Card.pay", "Card.refund", "main", "as_money"):
        for item in items(ask(engine, name, profile=Profile.IMPACT)).values():
            assert {step.tier for step in item.via} <= {"exact", "resolved", "flowed"}


def test_without_edges_names_alone_are_followed(engine):
    result = ask(engine, "Card.pay", edges=False)
    assert items(result) == {}
    assert dict(result.coverage.channels)["graph"] == "off: not asked for"
    assert dict(ask(engine, "Card.pay").coverage.channels)["graph"] == "on"


def test_callers_beyond_the_cap_are_counted(tmp_path):
    users = "".join(f"def user{n}():\n    return one()\n\n\n" for n in range(9))
    write(
        tmp_path, {"a.py": "def one():\n    return 1\n", "b.py": f"from a import one\n\n\n{users}"}
    )
    engine = Engine.open(MEMORY)
    engine.index(str(tmp_path))
    few = ask(engine, "one", max_neighbours=4)
    callers = [item for item in few.items if item.role is EvidenceRole.CALLER]
    assert [item.symbol.name for item in callers] == ["user0", "user1", "user2", "user3"]
    assert few.omitted - ask(engine, "one", max_neighbours=9).omitted == 5
    assert few.coverage.omitted == few.omitted
    engine.close()


def test_large_code_without_kept_edges_is_answered_along_names(tmp_path, monkeypatch):
    write(tmp_path / "code", FILES)
    engine = Engine.open(str(tmp_path / "home"))
    engine.index(str(tmp_path / "code"), options=IndexOptions(workers=1))
    monkeypatch.setattr(graphs, "SPARE", 10)
    off = "off: not filled; run: grainline index PATH"
    before = ask(engine, "Card.pay")
    assert dict(before.coverage.channels)["graph"] == off
    assert dict(before.coverage.channels)["flow"] == off
    assert items(before) == {}

    engine.callers("send")  # what a patient question made changes no other answer
    assert ask(engine, "Card.pay") == before

    engine.fill(options=IndexOptions(workers=1))
    after = ask(engine, "Card.pay")
    assert dict(after.coverage.channels)["graph"] == "on"
    assert items(after)

    everyone = (AccessRule(repository="", prefix=b"", groups=("red",)),)
    engine.set_policy(make_policy([("ann", ["red"])], everyone))
    ann = engine.context(target="Card.pay", scope=engine.everything("ann"))
    assert dict(ann.coverage.channels)["graph"] == off  # kept or not would tell what is hidden
    engine.close()


def test_the_same_question_gives_the_same_bytes_along_edges(engine):
    for form in ("markdown", "compact", "json", "xml"):
        one, two = (ask(engine, "Card.refund", format=form).rendered for _ in range(2))
        assert one == two


def test_the_budget_holds_along_edges(engine):
    for budget in (400, 700, 1200, 2500):
        options = ContextOptions(budget=budget, profile=Profile.IMPACT)
        result = engine.context(target="Card.refund", options=options)
        assert result.tokens <= budget
