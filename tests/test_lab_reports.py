"""Reports over small results: what is in them, and that they load nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from grainline.lab.compare import Result
from grainline.lab.images import write_images
from grainline.lab.reports._decided import changes, is_sure, plain_runs
from grainline.lab.reports.base import REPORTS
from grainline.lab.runs import SCHEMA, Gold, Header, Outcome

HOSTILE = "a</script><b>&.py"


def result(strategy: str, scores: list[float], **settings) -> Result:
    said = "".join(f"[{name}={value}]" for name, value in settings.items())
    header = Header(
        schema=SCHEMA,
        set="small",
        strategy=strategy,
        label=f"{strategy}{said}",
        settings={
            "k": 5,
            "depth": 9,
            "budget": 500,
            "retriever": "bm25",
            "generator": "none",
            "seed": 0,
            "size": 0,
            **settings,
        },
        code="abc",
        data="d",
        seed=0,
        machine="a machine",
        versions={"python": "3"},
        index=[("x", 1.0, 10, 100, 20)],
    )
    outcomes = {
        str(number): Outcome(
            id=str(number),
            language="python",
            repository="o/r",
            kind="",
            split="dev",
            leak_file=False,
            leak_function=bool(number % 2),
            scores={"function R@10": score, "context EvidenceRecall": score / 2},
            ms=1.0,
            assemble_ms=0.0,
            generate_ms=0.0,
            tokens=100 * number,
            prompt_tokens=0,
            answer_tokens=0,
            top=[(HOSTILE, 1, 40)],
            shown=[],
            gold=[Gold(HOSTILE, 3, 9, 1 if strategy == "lines" else 0, score, True)],
        )
        for number, score in enumerate(scores)
    }
    return Result(header, outcomes)


@pytest.fixture
def results() -> list[Result]:
    return [
        result("function", [0.0, 0.5, 1.0]),
        result("lines", [1.0, 0.5, 1.0]),
        result("oracle", [1.0, 1.0, 1.0]),
        result("window", [0.1, 0.2, 0.3], size=60),
        result("window", [0.4, 0.5, 0.6], size=120),
    ]


@pytest.fixture
def page(results: list[Result]) -> str:
    pytest.importorskip("plotly", exc_type=ImportError)
    return REPORTS.get("html").render(results)


def test_the_page_holds_what_it_shows_and_loads_nothing(page):
    assert page.count("</script>") == 3  # plotly, the data, ours
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    (only,) = json.loads(found[1])["sets"]
    assert [run["strategy"] for run in only["runs"]] == [
        "function",
        "lines",
        "oracle",
        "window",
        "window",
    ]
    assert only["runs"][1]["scores"]["function R@10"][0] == pytest.approx(2.5 / 3, abs=1e-4)
    assert only["curves"]["size"] == {"window": [3, 4]}
    assert only["rides"][0]["path"] == HOSTILE
    assert only["runs"][0]["losses"]["not recalled"] == 1
    assert {gap["label"] for gap in only["gaps"]} >= {"lines", "function"}
    assert only["slices"].keys() == {"no-leak"}
    own = page.replace(re.search(r"<script>.*?</script>", page, re.DOTALL)[0], "")  # not plotly's
    assert not re.search(r"""(src|href)\s*=|https?://|@import|url\(""", own)


def test_a_page_whose_data_is_not_escaped_is_found_out(results, monkeypatch):
    pytest.importorskip("plotly", exc_type=ImportError)
    module = "grainline.lab.reports.html._OPENING"
    monkeypatch.setattr(module, {})
    assert REPORTS.get("html").render(results).count("</script>") > 3


def test_nothing_on_a_front_is_told_the_answer(page):
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])["sets"][0]
    oracle = [run["strategy"] for run in data["runs"]].index("oracle")
    fronts = [front for costs in data["fronts"].values() for front in costs.values()]
    assert fronts
    assert all(front for front in fronts)
    assert all(oracle not in front for front in fronts)


def test_pictures_are_the_same_bytes_again(results, tmp_path: Path):
    pytest.importorskip("matplotlib", exc_type=ImportError)
    first = write_images(results, tmp_path / "a")
    second = write_images(results, tmp_path / "b")
    assert [path.name for path in first] == [
        f"small-{x}.png" for x in ("quality", "front", "losses")
    ]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in first)


def test_conclusions_say_who_wins_and_what_is_not_decided():
    found = [
        result("function", [0.0] * 6),
        result("lines", [0.5] * 6),
        result("cast", [0.5, 0.5, 0.5, 0.5, 0.5, 1.0]),
        result("oracle", [1.0] * 6),
    ]
    text = REPORTS.get("conclusions").render(found)
    assert "| small | function R@10 | `cast` | .583 | +.083 (0..+.250) | lines |" in text
    gains = text.partition("## Every strategy")[2].partition("## ")[0]
    assert "| `function` | 6 | **-.500 (-.500..-.500)** |" in gains
    assert "`oracle`" not in gains
    assert "| small | 6 of 6 | 0 |" in text


def test_a_change_of_one_setting_stands_beside_the_run_without_it():
    found = [
        result("window", [0.1, 0.2, 0.3], size=0),
        result("window", [0.4, 0.5, 0.6], size=60),
        result("window", [0.4, 0.5, 0.6], size=60, header=False),
    ]
    (only,) = changes(found, "function R@10")
    assert (only.setting, only.value, only.default) == ("size", 60, 0)
    assert only.gain.mean == pytest.approx(0.3)
    assert is_sure(only.gain)


def engine(value: float, scores: list[float], **settings) -> Result:
    """A run of the engine's ranking with one weight; other numbers have their defaults."""
    made = result("grainline", scores, weight_path=value, **settings)
    outcomes = {
        key: replace(each, scores={"result LineRecall@400": each.scores["function R@10"]})
        for key, each in made.outcomes.items()
    }
    return Result(replace(made.header, label=f"grainline[{value}]"), outcomes)


@pytest.mark.parametrize(("gain", "told"), [(0.2, True), (0.0, False), (-0.2, False)])
def test_a_value_that_beats_a_default_is_told(gain, told):
    base = [0.1 * number for number in range(8)]
    runs = [engine(0.6, base), engine(0.0, [score + gain for score in base])]
    text = REPORTS.get("conclusions").render(runs)
    assert ("None is better than the default" in text) is not told
    assert ("`weight_path = 0.0` | `0.6` | `grainline`" in text.partition("## What one")[0]) is told


def test_a_profile_is_the_base_of_what_is_changed_in_it():
    def run(scores, **settings):
        return result("hierarchical", scores, **{"profile": "auto", "tune_graph": 0.3, **settings})

    runs = [
        run([0.1, 0.2, 0.3]),
        run([0.2, 0.3, 0.4], profile="impact"),
        run([0.4, 0.5, 0.6], profile="impact", tune_graph=1.0),
        run([0.3, 0.4, 0.5], tune_graph=1.0),
    ]
    found = {
        (each.setting, each.strategy): round(each.gain.mean, 3)
        for each in changes(runs, "function R@10")
    }
    assert found == {
        ("profile", "hierarchical"): 0.1,
        ("tune_graph", "hierarchical, impact"): 0.2,
        ("tune_graph", "hierarchical"): 0.2,
    }


def test_a_run_over_a_part_of_a_set_does_not_stand_for_the_strategy():
    whole, part = result("cast", [1.0, 0.0, 1.0, 0.0]), result("cast", [1.0])
    assert plain_runs([whole, part])[whole.header.set]["cast"] is whole
    again = result("cast", [0.0, 0.0, 0.0, 0.0])
    assert plain_runs([whole, again])[whole.header.set]["cast"] is again
