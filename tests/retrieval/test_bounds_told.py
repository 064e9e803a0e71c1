"""A bound of a search that took effect makes the answer `bounded` and is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grainline.errors import BadInput
from grainline.model.search import SearchOptions, State
from grainline.retrieval import search as search_module
from grainline.retrieval.options import DEFAULT_RANKING, Bounds
from grainline.retrieval.search import MAX_LOOKUPS, search

FILES = {
    f"p{n:02}/app.py": f"def run_{n}():\n    return amount\n\n\ndef stop_{n}():\n    x = amount\n"
    for n in range(12)
}
MATCHES = 24
TIGHT = Bounds(matches=5)


def ranked(corpus, query: str, bounds: Bounds, **options):
    ranking = replace(DEFAULT_RANKING, bounds=bounds)
    return search(corpus, query, SearchOptions(**options), ranking).coverage


MANY_TEXTS = " and ".join(f'"amount {n} is"' for n in range(MAX_LOOKUPS + 3))
MANY_NAMES = " and ".join(f"run_{n}()" for n in range(MAX_LOOKUPS + 4))
MANY_CODED = f"{MANY_TEXTS}\n```\nx = amount\n```\n"
LONG = "amount is " * 41
LONG_TEXTS = f"why \"{LONG}\" and “{LONG}” and 「{LONG}」 and `{LONG}` and '{LONG}'"
MANY_PLACES = " then ".join(f"p{n % 12:02}/app.py:{n}" for n in range(1, 4 * MAX_LOOKUPS + 3))
MANY_PATHS = " and ".join(f"p{n:02}/app.py" for n in range(12))
CASES = {
    # a question, the bounds, what is left out at least
    "matches of a literal": ('"amount"', TIGHT, {"literal_files": 10}),
    "matches of a regex": ("/am\\w+t/", TIGHT, {"literal_files": 10}),
    "bytes of a literal": ('"amount"', Bounds(literal_bytes=1), {"literal_files": 11}),
    "bytes of a regex": ("/am\\w+t/", Bounds(regex_bytes=1), {"literal_files": 11}),
    "bytes beside words": ('why is "x = amount" so', Bounds(aside_bytes=1), {"literal_files": 11}),
    "ranks": ('"amount"', Bounds(recall=20), {"literal": 4}),
    "ranks and matches": ('"amount"', Bounds(recall=3, matches=5), {"literal": 2, "literal_files": 10}),
    "files of a name": ("app.py", Bounds(), {"location_files": 4}),
    "files of a place": ("see app.py:2", Bounds(), {"location_files": 4}),
    "texts": (MANY_TEXTS, Bounds(), {"lookups": 3}),
    "texts beside code": (MANY_CODED, Bounds(), {"lookups": 3}),
    "names": (MANY_NAMES, Bounds(), {"lookups": 4}),
    "long texts": (LONG_TEXTS, Bounds(), {"long_texts": 5}),
    "places": (MANY_PLACES, Bounds(), {"lookups": 2}),
    "paths": (MANY_PATHS, Bounds(), {"lookups": 4}),
}  # fmt: skip


def unsaid(coverage, least: dict[str, int]) -> list[str]:
    """What the answer does not tell, or tells too low."""
    told = dict(coverage.not_covered)
    low = [name for name, count in least.items() if told.get(name, 0) < count]
    return low if coverage.state is State.BOUNDED else ["state", *low]


@pytest.mark.parametrize(("query", "bounds", "least"), CASES.values(), ids=CASES)
def test_what_a_bound_left_out_is_told(corpus_of, query, bounds, least) -> None:
    coverage = ranked(corpus_of(FILES), query, bounds)
    assert unsaid(coverage, least) == []
    assert set(dict(coverage.not_covered)) == set(least)


@pytest.mark.parametrize(("query", "bounds", "least"), CASES.values(), ids=CASES)
def test_a_count_that_is_lost_would_be_noticed(
    corpus_of, monkeypatch, query, bounds, least
) -> None:
    monkeypatch.setattr(search_module._Search, "_left_out", lambda *_: None)
    assert unsaid(ranked(corpus_of(FILES), query, bounds), least)


def test_both_sorts_of_rest_stand_in_the_channel(corpus_of) -> None:
    coverage = ranked(corpus_of(FILES), '"amount"', Bounds(recall=3, matches=5))
    assert dict(coverage.channels)["literal"] == "bounded: 2 more, 10 files not wholly searched"


@pytest.mark.parametrize("query", ['"amount"', "/am\\w+t/"])
def test_every_page_says_so(corpus_of, query) -> None:
    corpus = corpus_of(FILES)
    ranking = replace(DEFAULT_RANKING, bounds=TIGHT)
    first = search(corpus, query, SearchOptions(k=2), ranking)
    second = search(corpus, query, SearchOptions(k=2, cursor=first.cursor), ranking)
    assert first.coverage.not_covered == second.coverage.not_covered == (("literal_files", 10),)
    assert (first.coverage.omitted, second.coverage.omitted) == (first.total - 2, first.total - 4)


@pytest.mark.parametrize(
    "query",
    [
        " and ".join(f"run_{n}()" for n in range(MAX_LOOKUPS)),
        f'"{LONG[:400]}" is said',
        f'"amount is" {LONG} "amount was" {LONG} `amount` {LONG} `run`',
        f"the users' {LONG} and the clients' amount don't",
        f'a 5" wide {LONG} 6" high',
    ],
    ids=["names that fit", "just fits", "between quotes", "apostrophes", "inches"],
)
def test_what_only_looks_long_is_not_told(corpus_of, query) -> None:
    told = dict(ranked(corpus_of(FILES), query, Bounds()).not_covered)
    assert not {"lookups", "long_texts"} & set(told)


@pytest.mark.parametrize("query", ['"amount"', "/am\\w+t/"])
def test_a_search_that_just_fits_is_complete(corpus_of, query) -> None:
    coverage = ranked(corpus_of(FILES), query, Bounds(matches=MATCHES, recall=MATCHES))
    assert (coverage.state, coverage.not_covered) == (State.COMPLETE, ())


@pytest.mark.parametrize("query", ['""', " '' ", "“”", "「」"])
def test_quotes_around_nothing_are_refused(corpus_of, query) -> None:
    with pytest.raises(BadInput, match="empty_literal"):
        search(corpus_of(FILES), query)
