"""The 266-line experiment: what chunks of twenty lines find that functions lose, and what it costs.

After a public article in which fixed chunks of twenty lines beat functions by one question of
twelve. One of the two functions that answer it holds no word of it.
"""

from __future__ import annotations

from statistics import mean

import pytest

from grainline.engine import Engine
from grainline.lab.corpora import corpus
from grainline.lab.ground import Ground
from grainline.lab.judging import judge, overlaps
from grainline.lab.labels import questions
from grainline.lab.measures.base import Level
from grainline.lab.mirror import Checkout
from grainline.lab.retrievers.bm25 import Bm25, tokens
from grainline.lab.running import settled
from grainline.lab.strategies.base import find_strategy
from grainline.lab.values import Piece, Query, Settings
from grainline.languages.base import CALLABLE_KINDS
from grainline.languages.detect import detect
from grainline.model.position import LineSpan, Span
from grainline.parsing.facts import parse

CORPUS = corpus("small")
QUESTIONS = questions("small")
(ABOUT_PAYMENT,) = (each for each in QUESTIONS if "Stripe" in each.text)
K = 5


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    return Checkout(
        repository=CORPUS.repository,
        commit=CORPUS.commit(),
        clone=CORPUS.write(folder),
        scratch=folder,
    )


def recall(ranking, question):
    judged = judge(ranking[:K], question, Level.RESULT)
    return sum(judged.found) / judged.total


def precision(ranking, question):
    """Gold lines among those shown."""
    judged = judge(ranking[:K], question, Level.RESULT)
    return sum(judged.hit) / max(1, sum(judged.shown))


def answers(indexed):
    return {each.id: indexed.retrieve(Query.of(each), K) for each in QUESTIONS}


@pytest.fixture(scope="module")
def rankings(checkout):
    found = {}
    with Ground(checkout) as ground:
        for name in ("baseline", "grainline+function", "grainline+lines", "grainline+file"):
            asked = settled(find_strategy(name), Settings(options={}))
            with asked.strategy.index(ground, asked.settings) as indexed:
                found[name] = answers(indexed)
    return found


def average(measure, ranking):
    return mean(measure(ranking[each.id], each) for each in QUESTIONS)


def test_the_corpus_is_the_one_of_the_experiment():
    definitions = [
        each
        for path, data in CORPUS.files().items()
        for each in parse(data, detect(path, data) or "", skeleton_limit=1 << 30).definitions
    ]
    outermost = [e for e in definitions if e.kind in CALLABLE_KINDS and e.parent == -1]
    assert len(CORPUS.files()) == 5
    assert sum(data.count(b"\n") for data in CORPUS.files().values()) == 266
    assert len(outermost) == 27
    assert len(QUESTIONS) == 12


def test_twenty_lines_and_files_find_everything_and_functions_lose_one_of_two_in_one_question(
    rankings,
):
    assert average(recall, rankings["grainline+lines"]) == 1.0
    assert average(recall, rankings["grainline+file"]) == 1.0
    for name in ("baseline", "grainline+function"):
        lost = [each for each in QUESTIONS if recall(rankings[name][each.id], each) < 1.0]
        assert lost == [ABOUT_PAYMENT], name
        assert average(recall, rankings[name]) == pytest.approx(11.5 / 12)


def test_what_is_found_more_is_paid_for_in_lines(rankings):
    by_size = ["grainline+function", "grainline+lines", "grainline+file"]
    found = [average(precision, rankings[name]) for name in by_size]
    assert found == pytest.approx([0.22, 0.135, 0.09], abs=0.015)


def test_the_lost_function_holds_no_word_of_the_question():
    _, lost = ABOUT_PAYMENT.functions
    lines = CORPUS.files()[lost.path].decode().split("\n")[lost.lines.start - 1 : lost.lines.end]
    assert lost.name == "calculate_order_total"
    assert not set(tokens(ABOUT_PAYMENT.text)) & set(tokens("\n".join(lines)))


def test_it_is_found_because_it_stands_beside_one_that_holds_them(rankings):
    """Whole windows find it, wherever the first of them begins; none of its own lines does."""
    caller, lost = ABOUT_PAYMENT.functions
    finders = [r for r in rankings["grainline+lines"][ABOUT_PAYMENT.id] if overlaps(r, lost)]
    assert finders
    assert any(overlaps(finder, caller) for finder in finders)
    for phase in range(17):
        pieces, texts = zip(*windows(phase), strict=True)
        order = Bm25(texts).rank(Query.of(ABOUT_PAYMENT), K)
        ranking = [pieces[number] for number, _ in order]
        assert recall(ranking, ABOUT_PAYMENT) == 1.0, phase


def windows(phase):
    """Windows of twenty lines, seventeen apart, the first of `phase` lines only."""
    for path, data in CORPUS.files().items():
        lines = data.decode().split("\n")[:-1]
        for start in range(phase - 17 if phase else 0, len(lines) - 3, 17):
            first, last = max(0, start), min(len(lines), start + 20)
            text = "\n".join(lines[first:last])
            yield Piece(path, Span(0, 0), LineSpan(first + 1, last)), text


def test_functions_and_their_callees_find_it_without_the_file_around_it(checkout, rankings):
    expanded = {}
    engine = Engine.open(str(checkout.scratch / "home"))
    engine.index(str(checkout.clone), refs=["HEAD"])
    for each in QUESTIONS:
        expanded[each.id] = list(with_callees(engine, rankings["grainline+function"][each.id]))
    engine.close()
    assert average(recall, expanded) == 1.0
    assert average(precision, expanded) > 1.5 * average(precision, rankings["grainline+lines"])
    shown = sum(judge(expanded[ABOUT_PAYMENT.id][:K], ABOUT_PAYMENT, Level.RESULT).shown)
    assert shown < CORPUS.files()[b"payment.py"].count(b"\n")


def with_callees(engine, ranking):
    """Each function, behind it what it calls; every place once."""
    seen = set()
    for result in ranking:
        yield from unseen(seen, result)
        if result.unit:
            for row in engine.callees(result.unit.removesuffix("().")).rows:
                if row.node.path:
                    lines = engine.show(row.dst).symbols[0].place.lines
                    yield from unseen(seen, Piece(row.node.path, Span(0, 0), lines, unit=row.dst))


def unseen(seen, result):
    if (result.path, result.lines.end) not in seen:
        seen.add((result.path, result.lines.end))
        yield result
