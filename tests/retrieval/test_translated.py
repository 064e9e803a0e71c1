"""Questions in Chinese, Japanese and Korean about code in English."""

from __future__ import annotations

import pytest

from grainline.model.search import SearchOptions
from grainline.retrieval import lexical
from grainline.retrieval.lexical import TERM_ONE, weigh_terms
from grainline.retrieval.options import QueryOptions
from grainline.retrieval.search import rank

PLAIN = QueryOptions()
FILES = {
    "retry.py": "def retry_after_timeout(request):\n    return request.send()\n",
    "refund.py": "def refund_payment(order):\n    return order.amount\n",
    "session.py": "def expire_session(token):\n    return token.age\n",
    "parse.py": "def parse_header(line):\n    return line.split()\n",
    "retire.py": "def retire_account(user):\n    return user.time\n",  # near miss of retry, timeout
    "fund.py": "def fund_order(pay):\n    return pay.fund\n",  # near miss of refund, payment
    "notes.py": "# 退款 支付 由人工处理\nvalue = 1\n",
}
ASKED = [
    ("请求超时后在哪里重试?", b"retry.py"),
    ("請求逾時之後在哪裡重試?", b"retry.py"),
    ("会话令牌什么时候过期", b"session.py"),
    ("タイムアウトしたリクエストを再試行する処理はどこですか", b"retry.py"),
    ("ヘッダーを解析する関数", b"parse.py"),
    ("支払いの返金はどこで行われますか", b"refund.py"),
    ("시간 초과된 요청을 재시도하는 코드는 어디에 있나요?", b"retry.py"),
    ("세션 토큰이 만료되는 곳", b"session.py"),
    ("결제 환불은 어디에서 처리하나요", b"refund.py"),
]


def found(corpus, query: str) -> list[bytes]:
    ranked = rank(corpus, query, SearchOptions()).ranked
    return [corpus.path(corpus.entries_of(each.doc)[0].entry) for each in ranked]


@pytest.mark.parametrize(("query", "path"), ASKED)
def test_a_question_finds_english_code(corpus_of, query, path) -> None:
    assert found(corpus_of(FILES), query)[0] == path


@pytest.mark.parametrize(("query", "path"), ASKED)
def test_nothing_but_the_glossary_finds_it(corpus_of, monkeypatch, query, path) -> None:
    monkeypatch.setattr(lexical, "translate", lambda _: ())
    assert path not in found(corpus_of(FILES), query)


def test_characters_of_the_question_still_match_comments(corpus_of) -> None:
    assert b"notes.py" in found(corpus_of(FILES), "退款支付在哪里")


# --------------------------------------------------------------------------- weights


def test_the_words_of_a_term_share_its_weight() -> None:
    weights = dict(weigh_terms("重试 校验", PLAIN))
    assert weights[b"retri"] == round(0.8 * TERM_ONE)
    assert weights[b"valid"] == weights[b"verifi"] == round(0.4 * TERM_ONE)


def test_a_translated_word_weighs_no_more_than_the_same_word_typed() -> None:
    eager = QueryOptions(translated=5.0)
    for asked, typed in [
        ("重试", "retry"),
        ("重试重试", "retry retry"),
        ("重试\n锁", "retry\nlock"),
    ]:
        translated = dict(weigh_terms(asked, eager))
        plain = dict(weigh_terms(typed, eager))
        assert all(translated[term] == weight for term, weight in plain.items())


def test_a_word_that_is_typed_too_keeps_its_weight() -> None:
    assert dict(weigh_terms("retry 重试", PLAIN))[b"retri"] == TERM_ONE


def test_a_term_of_the_title_weighs_more_and_repeats_saturate() -> None:
    weights = dict(weigh_terms("重试\n" + "锁 " * 500, PLAIN))
    assert weights[b"retri"] == round(1.6 * TERM_ONE)
    assert round(0.8 * TERM_ONE) < weights[b"lock"] <= round(1.6 * TERM_ONE)


def test_without_weight_nothing_is_translated() -> None:
    silent = QueryOptions(translated=0.0)
    assert all(not term.isascii() for term, _ in weigh_terms("请求超时", silent))
