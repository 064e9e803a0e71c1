"""Words that stand joined in a question: settings, headers, options, calls of what is not here."""

from __future__ import annotations

import pytest

from grainline.model.search import SearchOptions
from grainline.retrieval import search as searching
from grainline.retrieval.search import rank, search

FILES = {
    "heartbeat.py": 'def expire(config, now):\n    return now > config["max.poll.interval.ms"]\n',
    "interval.py": (  # all words of the setting, many times, and not the setting
        "def poll_interval(max_ms):\n"
        "    # the max poll interval in ms: how long a poll interval may be, at max, in ms\n"
        "    return max_ms\n"
    ),
    "proxy.py": 'def client_of(headers):\n    return headers.get("X-Forwarded-For")\n',
    "forward.py": (
        "def forward_for(x):\n    # forwarded: what x was forwarded for, forwarded by x\n    return x\n"
    ),
    "cli.py": 'def options(add):\n    add("--dry-run", help="only tell")\n',
    "dry.py": "def run_dry(run):\n    # a dry run runs dry: run, dry, run\n    return run\n",
    "tasks.rb": 'task "db:migrate" do\n  up\nend\n',
    "migrate.py": "def migrate_db(db):\n    # migrate the db: db migrate, migrate db\n    return db\n",
    "server.py": "class Server:\n    def port(self):\n        return self.number\n",
    "settings.py": 'def ports(read):\n    return read("server.port")\n',
}
ASKED = [
    ("where is max.poll.interval.ms enforced", b"heartbeat.py"),
    ("max.poll.interval.ms", b"heartbeat.py"),
    ("配置max.poll.interval.ms在哪里生效", b"heartbeat.py"),
    ("which code reads X-Forwarded-For of a request", b"proxy.py"),
    ("what does --dry-run do", b"cli.py"),
    ("what happens in db:migrate", b"tasks.rb"),
]


def found(corpus, query: str) -> list[bytes]:
    ranked = rank(corpus, query, SearchOptions()).ranked
    return [corpus.path(corpus.entries_of(each.doc)[0].entry) for each in ranked]


@pytest.mark.parametrize(("query", "path"), ASKED)
def test_a_joined_word_is_found_as_it_stands(corpus_of, query, path) -> None:
    assert found(corpus_of(FILES), query)[0] == path


@pytest.mark.parametrize(("query", "path"), ASKED)
def test_nothing_but_the_joined_text_finds_it_first(corpus_of, query, path, monkeypatch) -> None:
    monkeypatch.setattr(searching, "MAX_JOINED", 0)
    assert found(corpus_of(FILES), query)[0] != path


def test_a_name_that_something_is_called_by_is_no_text(corpus_of) -> None:
    order = found(corpus_of(FILES), "Server.port")
    assert order[0] == b"server.py"
    shares = rank(corpus_of(FILES), "Server.port", SearchOptions()).ranked[0].channels
    assert "literal" not in dict(shares)


def test_the_line_of_the_joined_word_is_shown_first(corpus_of) -> None:
    hit = search(corpus_of(FILES), "where is max.poll.interval.ms enforced").hits[0]
    assert (hit.focus.start, hit.focus.end) == (2, 2)


def test_joined_words_are_bounded_and_the_rest_is_told(corpus_of) -> None:
    words = " ".join(f"--option-{letter * 3}" for letter in "abcdefgh")
    coverage = search(corpus_of(FILES), f"what do {words} do").coverage
    assert dict(coverage.not_covered)["lookups"] == 8 - searching.MAX_JOINED
