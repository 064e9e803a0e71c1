"""Scoped BM25F: hand-computed scores, independence of order and of what is out of scope."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grainline.model.chunk import Field
from grainline.model.search import Filters, SearchOptions
from grainline.retrieval import lexical
from grainline.retrieval.lexical import (
    SCALE,
    TERM_ONE,
    LexicalIndex,
    WeightedTerm,
    idf_of,
    weigh_terms,
)
from grainline.retrieval.options import FieldWeight, LexicalWeights, QueryOptions
from grainline.retrieval.order import best_first
from grainline.retrieval.search import rank

PLAIN = QueryOptions()
NO_PATH = LexicalWeights(path=0.0)
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "RefundService",
    "apply_all",
    "退款失败",
]
FILES = {
    f"src/m{number}.py": f"def {a}_{number}(x):\n    return {b}({c})\n\n# {c} {c} {a}\nvalue = '{b}'\n"
    for number, (a, b, c) in enumerate(
        [("alpha", "beta", "gamma"), ("beta", "beta", "delta"), ("gamma", "zeta", "alpha"),
         ("delta", "alpha", "epsilon"), ("zeta", "gamma", "RefundService")]
    )
}  # fmt: skip


def content_of(corpus, doc: int) -> tuple[bytes, bytes, int]:
    place = corpus.entries_of(doc)[0]
    text = corpus.text(place.entry)
    return corpus.path(place.entry), text[place.start : place.end], place.start


def scores_of(corpus, query: str, weights: LexicalWeights = NO_PATH) -> dict[object, int]:
    """Scores by content, which does not depend on numbers."""
    found = LexicalIndex(corpus, weights).score(weigh_terms(query, PLAIN), PLAIN).total
    return {content_of(corpus, doc): int(score) for doc, score in enumerate(found) if score}


def ranking_of(corpus, query: str, **options) -> list[object]:
    found = rank(corpus, query, SearchOptions(**options))
    return [
        (corpus.repository(corpus.doc_entry[each.doc]).name, content_of(corpus, each.doc),
         each.score, each.channels)
        for each in found.ranked
    ]  # fmt: skip


# --------------------------------------------------------------------------- the formula


def test_a_score_is_the_one_computed_by_hand(corpus_of) -> None:
    corpus = corpus_of({"a.txt": "foo foo bar", "b.txt": "foo qux qux qux"})
    weights = LexicalWeights(body=FieldWeight(2.0, 0.5), k1=1.2, path=0.0)
    idf = round(math.log(1 + (2 - 2 + 0.5) / (2 + 0.5)) * SCALE)
    average = (3 + 4) / 2
    expected = {}
    for count, length, path in ((2, 3, b"a.txt"), (1, 4, b"b.txt")):
        tf = 2.0 * count / (1 - 0.5 + 0.5 * length / average)
        expected[path] = idf * tf / (1.2 + tf) * TERM_ONE
    got = {key[0]: score for key, score in scores_of(corpus, "foo", weights).items()}
    assert got.keys() == expected.keys()
    for path, score in expected.items():
        assert got[path] == pytest.approx(score, abs=TERM_ONE)


def test_fields_are_added_before_saturation(corpus_of) -> None:
    corpus = corpus_of({"a.py": "def foo(x):\n    return foo(1)\n", "b.py": "bar = 1\n"})
    index = LexicalIndex(corpus, NO_PATH)
    rows = corpus.postings(b"foo")
    assert {Field.NAME, Field.BODY} <= set(map(Field, rows.fields.tolist()))
    tf = sum(
        NO_PATH.fields[f].weight
        * count
        / (
            1
            - NO_PATH.fields[f].b
            + NO_PATH.fields[f].b
            * int(corpus.field_lengths[doc, f])
            / (int(corpus.field_totals[f]) / corpus.n_docs)
        )
        for doc, f, count in zip(
            *map(np.ndarray.tolist, (rows.docs, rows.fields, rows.counts)), strict=True
        )
    )
    expected = idf_of(corpus.n_docs, 1) * tf / (NO_PATH.k1 + tf)
    assert index.term(b"foo").scores.tolist() == [pytest.approx(expected, abs=2)]


@pytest.mark.parametrize("field", ["name", "body", "comment", "string"])
def test_a_field_of_weight_zero_adds_nothing(corpus_of, field: str) -> None:
    text = "def foo(y):\n    x = 'foo bar'\n    return y  # foo\n"
    corpus = corpus_of({"a.py": text, "b.py": "other = 1\n"})
    without = replace(NO_PATH, **{field: FieldWeight(0.0, 0.5)})
    low = scores_of(corpus, "foo", without)
    high = scores_of(corpus, "foo", NO_PATH)
    assert low.keys() == high.keys()
    changed = any(low[key] < high[key] for key in low)
    present = any(Field[field.upper()] == each for each in corpus.postings(b"foo").fields.tolist())
    assert changed == present


def test_imports_weigh_little_and_names_much(corpus_of) -> None:
    corpus = corpus_of(
        {
            "a.py": "def refund(x):\n    return x\n",
            "b.py": "from refund import order\n",
            "c.py": "x\n",
        }
    )
    ranked = sorted(scores_of(corpus, "refund").items(), key=lambda pair: -pair[1])
    assert ranked[0][0][0] == b"a.py"


# --------------------------------------------------------------------------- the question


def test_title_words_weigh_more_and_repeats_saturate() -> None:
    weights = dict(weigh_terms("retry limit\nthe client retries and retries\nclient", PLAIN))
    assert weights[b"limit"] == round(2.0 * TERM_ONE)
    assert weights[b"client"] == round(2 * 2 / 3 * TERM_ONE)
    many = dict(weigh_terms("x\n" + "client " * 500, PLAIN))
    assert weights[b"client"] < many[b"client"] <= 2 * TERM_ONE
    alone = dict(weigh_terms("retry limit", PLAIN))
    assert alone[b"limit"] == TERM_ONE, "a question of one line has no title"


def test_only_the_most_telling_terms_of_a_long_question_are_looked_up(corpus_of) -> None:
    corpus = corpus_of({f"f{n}.txt": "common " + f"rare{n}word" for n in range(12)})
    options = QueryOptions(max_terms=3)
    index = LexicalIndex(corpus, NO_PATH)
    few = index.score(weigh_terms("common rare1word rare2word rare3word", options), options).total
    full = index.score(weigh_terms("rare1word rare2word rare3word", PLAIN), PLAIN).total
    assert (few > 0).sum() <= 3
    assert set(np.flatnonzero(few)) <= set(np.flatnonzero(full))


# --------------------------------------------------------------------------- law 8


@given(st.randoms())
@settings(max_examples=30, deadline=None)
def test_the_order_of_terms_changes_no_bit(shared_corpus, rng) -> None:
    index = LexicalIndex(shared_corpus, LexicalWeights())
    terms = [WeightedTerm(term, 10 + len(term)) for term, *_ in weigh_terms(" ".join(WORDS), PLAIN)]
    shuffled = list(terms)
    rng.shuffle(shuffled)
    assert index.score(terms, PLAIN).total.tobytes() == index.score(shuffled, PLAIN).total.tobytes()


def test_the_order_of_indexing_changes_no_bit(home, repo) -> None:
    rankings = []
    for seed in range(4):
        order = sorted(FILES)
        random.Random(seed).shuffle(order)
        made = home()
        made.put(repo(FILES), order=order)
        rankings.append(ranking_of(made.corpus(), "alpha beta refund gamma"))
    assert rankings[0]
    assert all(each == rankings[0] for each in rankings)


def test_a_float_sum_would_be_noticed(home, repo, monkeypatch) -> None:
    """The fault: contributions added as rounded float32, so that order matters."""

    def float_sum(self, terms, options):
        total = np.zeros(self._corpus.n_docs, np.float32)
        for found, (_, weight) in self._select(terms, options):
            total[found.ids] += found.scores.astype(np.float32) * np.float32(weight) / 7
        return lexical.LexicalScores(total, total)

    corpus = _made(home, repo).corpus()
    terms = [WeightedTerm(term, 11 + 7 * n) for n, (term, _) in enumerate(weigh_terms(
        "alpha beta gamma delta epsilon zeta value return m0 def", PLAIN))]  # fmt: skip
    monkeypatch.setattr(LexicalIndex, "score", float_sum)
    index = LexicalIndex(corpus, NO_PATH)
    seen = set()
    for seed in range(40):
        random.Random(seed).shuffle(terms)
        seen.add(index.score(terms, PLAIN).total.tobytes())
    assert len(seen) > 1, "the check for order can fail"


def _made(home, repo):
    made = home()
    made.put(repo(FILES))
    return made


# --------------------------------------------------------------------------- law 1


HIDDEN = st.dictionaries(
    st.sampled_from(["src/h1.py", "h2.py", "tests/h3.py", "src/m0.py", "docs/h4.md"]),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join),
    min_size=1,
)


@given(
    HIDDEN, st.sampled_from(["alpha", "beta refund", "RefundService", '"return beta"', "/ret.rn/"])
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_is_out_of_scope_changes_no_bit(home, repo, hidden, query) -> None:
    alone = home()
    alone.put(repo(FILES))
    both = home()
    both.put(repo(hidden, name="two"))
    mine = both.put(repo(FILES))
    both.put(repo(hidden, ref="refs/heads/other"))
    scoped = both.corpus(mine)
    assert ranking_of(scoped, query) == ranking_of(alone.corpus(), query)
    wide = both.corpus()
    assert wide.n_docs > scoped.n_docs


def test_unscoped_statistics_would_be_noticed(home, repo, monkeypatch) -> None:
    """The fault: df and N of the whole store."""
    both = home()
    both.put(repo({"h.py": "alpha alpha\n\nalpha beta\n"}, name="two"))
    mine = both.put(repo(FILES))
    everything = both.corpus()
    honest = scores_of(both.corpus(mine), "alpha beta")
    monkeypatch.setattr(lexical, "idf_of", lambda n, df: idf_of(everything.n_docs, df + 2))
    assert scores_of(both.corpus(mine), "alpha beta") != honest


def test_filters_change_candidates_and_no_score(home, repo) -> None:
    corpus = _made(home, repo).corpus()
    free = {key[1]: key[2:] for key in ranking_of(corpus, "alpha beta")}
    mask = corpus.select(Filters(paths=("src/m1.py",)))
    raw = (
        LexicalIndex(corpus, LexicalWeights()).score(weigh_terms("alpha beta", PLAIN), PLAIN).total
    )
    narrow = ranking_of(corpus, "alpha beta", filters=Filters(paths=("src/m1.py",)))
    assert {key[1][0] for key in narrow} == {b"src/m1.py"}
    assert len(narrow) == int(((raw > 0) & mask).sum())
    assert len(free) > len(narrow)


# --------------------------------------------------------------------------- paths


def test_a_path_match_lifts_every_chunk_and_yields_the_first_one_alone(corpus_of) -> None:
    corpus = corpus_of(
        {
            "billing/invoice.py": "import x\n\ndef total(rows):\n    return rows\n",
            "other/place.py": "def total(rows):\n    return rows + 1\n",
        }
    )
    only = scores_of(corpus, "invoice", LexicalWeights())
    assert [(path, start) for path, _, start in only] == [(b"billing/invoice.py", 0)]
    both = scores_of(corpus, "invoice total", LexicalWeights())
    ranked = sorted(both, key=both.__getitem__, reverse=True)
    assert ranked[0][0] == b"billing/invoice.py"
    assert b"def total" in ranked[0][1]


def test_a_text_at_two_paths_gets_the_better_path_score(corpus_of) -> None:
    text = "def total(rows):\n    return rows\n"
    corpus = corpus_of(
        {"aaa/x.py": text, "zzz/invoice.py": text, "b/y.py": "def total(q):\n    pass\n"}
    )
    found = scores_of(corpus, "invoice total", LexicalWeights())
    best = max(found, key=found.__getitem__)
    assert best[1] == text.encode()
    assert best[0] == b"aaa/x.py", "shown at its best entry"


# --------------------------------------------------------------------------- order


def test_ties_are_ordered_by_path_then_start(corpus_of) -> None:
    same = {f"{name}.py": f"tie word\n\nv{n} = tie word\n" for n, name in enumerate("cab")}
    corpus = corpus_of(same)
    docs = np.arange(corpus.n_docs, dtype=np.int64)
    scores = np.ones(len(docs), np.int64)
    for limit in range(1, len(docs) + 1):
        got, _ = best_first(corpus, docs[::-1], scores, limit)
        keys = [(content_of(corpus, doc)[0], content_of(corpus, doc)[2]) for doc in got.tolist()]
        assert (
            keys
            == sorted(
                (content_of(corpus, doc)[0], content_of(corpus, doc)[2]) for doc in docs.tolist()
            )[:limit]
        )


@given(st.lists(st.integers(0, 3), min_size=1, max_size=10), st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_a_cut_ranking_is_the_head_of_the_whole_one(shared_corpus, values, limit) -> None:
    docs = np.arange(len(values), dtype=np.int64)
    scores = np.array(values, np.int64)
    whole, _ = best_first(shared_corpus, docs, scores, len(docs))
    head, _ = best_first(shared_corpus, docs, scores, limit)
    assert head.tolist()[:limit] == whole.tolist()[:limit]
