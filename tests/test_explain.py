"""`Engine.explain`: the stages are those of the search and the context that users get."""

from __future__ import annotations

import json

import pytest

from grainline.engine import Engine
from grainline.model.access import AccessRule, Policy
from grainline.model.evidence import ContextOptions
from grainline.model.search import SearchOptions
from grainline.surfaces.cli import main

FILES = {
    "pay/refund.py": "def refund_order(order):\n    return send_money(order.customer)\n",
    "pay/money.py": "def send_money(customer):\n    return customer.account.add(1)\n",
    "tests/test_refund.py": "def test_refund_order():\n    assert refund_order(None)\n",
    "secret/refund_rules.py": "def refund_order_rule(order):\n    return order.amount < 5\n",
}
ASKED = "how does refund order send money"


@pytest.fixture
def home(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    engine = Engine.open(str(tmp_path / "home"))
    engine.index(str(tmp_path / "shop"))
    yield engine
    engine.close()


def test_the_stages_lead_to_the_page_that_a_search_shows(home):
    found = home.explain(ASKED, k=3)
    hits = home.search(ASKED, options=SearchOptions(k=3)).hits
    page = sorted((each for each in found.ranked if each.shown), key=lambda each: each.shown)
    assert [(e.found.path, e.found.lines, e.found.score) for e in page] == [
        (hit.place.path, hit.place.lines, hit.score) for hit in hits
    ]
    for each in found.ranked:
        assert each.found.score == pytest.approx(each.fused * each.prior + each.lift, abs=1e-5)
    wider = home.explain(ASKED, k=9)
    test = next(each for each in wider.ranked if each.found.path.startswith(b"tests/"))
    assert test.prior < 1
    assert "test" in test.flags


def test_the_candidates_are_those_that_the_context_was_chosen_from(home):
    options = ContextOptions(budget=400)
    found = home.explain(ASKED, options=options)
    assert found.result.rendered == home.context(ASKED, options=options).rendered
    shown = [each for each in found.context if each.shown]
    assert sum(each.shown for each in shown) == sum(item.tokens for item in found.result.items)
    assert any(not each.shown for each in found.context), "something was cut"
    assert [each.utility for each in found.context] == sorted(
        (each.utility for each in found.context), reverse=True
    )


def test_every_stage_holds_only_what_the_asker_may_read(home):
    rules = (
        AccessRule(repository="", prefix=b"", groups=("team",)),
        AccessRule(repository="", prefix=b"secret", groups=()),
    )
    home.set_policy(Policy(epoch=0, users=(("ann", ("team",)),), rules=rules))
    found = home.explain(ASKED, scope=home.scope(principal="ann"), k=50)
    assert "refund_order_rule" not in repr(found)
    # Seeded fault: the owner, who may, is shown it.
    assert "refund_order_rule" in repr(home.explain(ASKED, k=50))
    terms = {each.text: each.chunks for each in found.terms}
    assert terms["refund"] == 2, "counts are those of the scope, too"


def test_the_command_prints_every_stage(home, capsys):
    assert main.run(["--home", home.home, "lab", "explain", ASKED, "-k", "2"]) == 0
    out = capsys.readouterr().out
    for title in ("route: text", "channel lexical: on", "fused: ", "context: profile"):
        assert title in out
    assert main.run(["--home", home.home, "lab", "explain", ASKED, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == 1
    assert found["ranked"][0]["rank"] == 1
    assert {"terms", "channels", "context", "coverage"} <= found.keys()
