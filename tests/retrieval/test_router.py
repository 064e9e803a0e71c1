"""Routing: the cases, and what holds for any text."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.retrieval.router import MAX_QUERY, Route, parse_symbol, route, torn_regex

CASES = Path(__file__).parent.parent / "cases" / "retrieval" / "router.md"
_CASE = re.compile(
    r"^## (?P<name>[^\n]+)\n\n(?P<fence>`{3,})query\n(?P<query>.*?)\n(?P=fence)\n"
    r"```route\n(?P<route>.*?)\n```$",
    re.DOTALL | re.MULTILINE,
)


def cases():
    found = [
        pytest.param(each["query"], each["route"], id=each["name"])
        for each in _CASE.finditer(CASES.read_text("utf-8"))
    ]
    assert len(found) == CASES.read_text("utf-8").count("\n## "), "a case does not parse"
    return found


def spelled(asked: Route) -> dict[str, list[str]]:
    def text(path: bytes) -> str:
        return path.decode()

    return {
        "kind": [str(kind) for kind in asked.kinds],
        "exact": [str(asked.exact)] if asked.exact else [],
        "symbol": [each.text for each in asked.symbols],
        "path": [text(path) for path in asked.paths],
        "location": [f"{text(each.path)}:{each.start}-{each.end}" for each in asked.locations],
        "citation": [str(each) for each in asked.citations],
        "code": list(asked.error_codes),
        "joined": list(asked.compounds),
        "literal": list(asked.literals),
        "regex": list(asked.regexes),
        "snippet": [each.split("\n")[0] for each in asked.code],
        "frame": [
            f"{text(each.path)}:{each.line} {each.function}".strip() for each in asked.frames
        ],
        "intent": sorted(asked.intents),
        "language": [asked.language] if asked.language else [],
    }


@pytest.mark.parametrize(("query", "expected"), cases())
def test_case(query: str, expected: str) -> None:
    got = spelled(route(query))
    wanted = dict(line.split(": ", 1) for line in expected.splitlines())
    joints = {"kind": ", "}
    shown = {word: joints.get(word, " | ").join(got[word]) or "-" for word in wanted}
    assert shown == wanted


@given(st.text(max_size=300))
def test_any_text_has_a_route(text: str) -> None:
    asked = route(text)
    assert asked.kinds
    assert asked == route(text), "routing is pure"
    assert asked.query in {asked.query, text.strip()}


@given(st.text(alphabet="ab./\\:#\"'`@-> \n(){}0", max_size=120))
@settings(max_examples=300)
def test_punctuation_never_breaks_the_router(text: str) -> None:
    asked = route(text)
    assert all(place.start >= 1 and place.end >= place.start for place in asked.locations)
    assert all(path and not path.startswith(b"/") for path in asked.paths)


@pytest.mark.parametrize(
    "unit",
    [
        "a.",
        "a/",
        "a::",
        "```\n",
        '"a ',
        "at a(",
        "a:1",
        "/a",
        "  File ",
        "((",
        "a_b ",
        "'x y",
        "#0 a ",
    ],
)
def test_hostile_repetition_stays_linear(unit: str) -> None:
    text = unit * (2 * MAX_QUERY // len(unit))
    started = time.process_time()
    route(text)
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("/regex/(", "it does not end with a slash"),
        ("/foo(", "it does not end with a slash"),
        ("/[a-z", "it does not end with a slash"),
        ("/foo.*bar/g", "'g' are no flags of it"),
        (r"/a\/b+/gi", "'gi' are no flags of it"),
        ("/foo.*bar/i", ""),
        ("/users/{id}", ""),
        (r"/users/(\d+)", ""),
        ("/api/*/ui", ""),
        ("/usr/lib", ""),
        ("/foo/g", ""),
        ("//TODO(bob", ""),
        ("/a b(", ""),
        ("foo(", ""),
        ("app/(", ""),
    ],
)
def test_a_torn_regex_is_told_from_paths_and_routes(query: str, why: str) -> None:
    assert torn_regex(query) == why


def test_symbols_are_parsed_alike_with_and_without_a_call() -> None:
    bare, called = parse_symbol("a.b.c"), parse_symbol("a.b.c()")
    assert bare is not None
    assert called is not None
    assert bare.parts == called.parts == ("a", "b", "c")
    assert parse_symbol("two words") is None
    assert parse_symbol("1abc") is None
    assert parse_symbol("") is None
