"""Fusion, priors and pages."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grainline.errors import BadInput
from grainline.model.position import LineSpan
from grainline.model.search import Filters, SearchOptions, State, TestFilter
from grainline.model.snapshot import FlagName
from grainline.retrieval.fusion import UNIT, Channel, fuse
from grainline.retrieval.intents import Intent
from grainline.retrieval.lines import LineIndex, count_lines, line_of, lines_of, span_of
from grainline.retrieval.modules import descriptor_parts, module_name, qualified_parts
from grainline.retrieval.options import DEFAULT_PRIORS, DEFAULT_RANKING, Bounds, RankOptions
from grainline.retrieval.priors import ONE, active_priors, flag_factors
from grainline.retrieval.search import search
from grainline.retrieval.symbols import resolve_symbol


def channel(name="lexical", docs=(), scores=(), weight=1.0, exact=False) -> Channel:
    return Channel(
        name, np.array(docs, np.int64), np.array(scores, np.int64), len(docs), weight, exact
    )


# --------------------------------------------------------------------------- fusion


def test_z_scores_are_those_computed_by_hand() -> None:
    fused = fuse([channel(docs=[3, 1, 2], scores=[10, 20, 60])])
    mean, deviation = 30, math.sqrt((400 + 100 + 900) / 3)
    wanted = [(value - mean) / deviation for value in (20, 60, 10)]
    assert fused.docs.tolist() == [1, 2, 3]
    assert fused.shares[0] / UNIT == pytest.approx(wanted, abs=1e-5)
    assert fused.scores / UNIT == pytest.approx([1 + z - min(wanted) for z in wanted], abs=1e-5)


def test_a_missing_document_gets_the_lowest_z() -> None:
    one = channel(docs=[1, 2], scores=[5, 9])
    two = channel("dense", docs=[3, 1], scores=[100, 50])
    fused = fuse([one, two])
    scores = dict(zip(fused.docs.tolist(), fused.scores.tolist(), strict=True))
    assert scores == {1: 1 * UNIT, 2: 3 * UNIT, 3: 3 * UNIT}


def test_equal_scores_give_zero_and_exact_channels_give_their_boost() -> None:
    fused = fuse([channel(docs=[1, 2], scores=[7, 7]), channel("symbol", [2], [9], 3.0, True)])
    assert fused.scores.tolist() == [UNIT, 4 * UNIT]
    assert fused.shares.tolist() == [[0, 0], [0, 3 * UNIT]]


CHANNELS = st.lists(
    st.dictionaries(st.integers(0, 30), st.integers(0, 1 << 40), max_size=12), max_size=4
)


@given(CHANNELS, st.randoms())
@settings(max_examples=100, deadline=None)
def test_fusion_does_not_depend_on_the_order_of_documents(rows, rng) -> None:
    def made(shuffle):
        out = []
        for number, row in enumerate(rows):
            items = list(row.items())
            if shuffle:
                rng.shuffle(items)
            out.append(channel(str(number), [d for d, _ in items], [s for _, s in items]))
        return fuse(out)

    one, two = made(False), made(True)
    assert one.docs.tolist() == two.docs.tolist()
    assert one.scores.tobytes() == two.scores.tobytes()
    assert (one.scores >= UNIT).all()
    assert len(one.docs) == len({doc for row in rows for doc in row})


# --------------------------------------------------------------------------- priors


def bits(*names: FlagName) -> int:
    return sum(1 << list(FlagName).index(name) for name in names)


def test_priors_yield_to_the_intent_and_to_the_filter() -> None:
    flags = np.array(
        [0, bits(FlagName.TEST), bits(FlagName.DOCS), bits(FlagName.TEST, FlagName.DOCS)]
    )
    flags = flags.astype(np.uint32)

    def factors(intents, tests=TestFilter.AUTO):
        active = active_priors(DEFAULT_PRIORS, frozenset(intents), tests)
        wanted = [prior for prior in DEFAULT_PRIORS if prior.unless & frozenset(intents)]
        return (flag_factors(flags, active, prefer=wanted) / ONE).round(2).tolist()

    assert factors([]) == [1.0, 0.3, 0.3, 0.3]
    assert factors([Intent.TEST]) == [1.0, 1.0, 0.3, 1.0]
    assert factors([Intent.DOCS]) == [1.0, 0.3, 1.0, 1.0]
    assert factors([], TestFilter.YES) == [1.0, 1.0, 0.3, 0.3]


def test_data_stands_back_unless_files_of_data_are_asked_for(corpus_of) -> None:
    code = (
        "def give_back(order, amount):\n    # refund of an order\n    return order.pay(-amount)\n"
    )
    text = "<string>Refund an order</string>\n<string>Order a refund</string>\n"
    corpus = corpus_of({"src/payments.py": code, "res/refund_order.xml": text, "b.py": "x = 1\n"})
    assert paths_of(search(corpus, "refund an order"))[0] == "src/payments.py"
    assert paths_of(search(corpus, "translations of refund an order"))[0] == "res/refund_order.xml"
    assert paths_of(search(corpus, "refund an order in an xml file"))[0] == "res/refund_order.xml"
    kept = tuple(each for each in DEFAULT_PRIORS if each.flag is not FlagName.DATA)
    forgotten = search(corpus, "refund an order", ranking=RankOptions(priors=kept))
    assert paths_of(forgotten)[0] == "res/refund_order.xml"


CODE = "def refund_order(order):\n    '''Refund an order.'''\n    return order\n"
TEST = "def test_refund_order():\n    '''Refund an order.'''\n    assert refund_order(order)\n"


def paths_of(result) -> list[str]:
    return [hit.place.path.decode() for hit in result.hits]


def test_tests_stand_back_unless_asked_for(corpus_of) -> None:
    corpus = corpus_of({"src/refund.py": CODE, "tests/refund.py": TEST, "other.py": "x = 1\n"})
    assert paths_of(search(corpus, "refund an order"))[0] == "src/refund.py"
    assert paths_of(search(corpus, "test that refunds an order"))[0] == "tests/refund.py"
    no_tests = SearchOptions(filters=Filters(tests=TestFilter.NO))
    assert "tests/refund.py" not in paths_of(search(corpus, "refund an order", no_tests))


# --------------------------------------------------------------------------- exact questions


def test_a_symbol_name_puts_its_definitions_first(corpus_of) -> None:
    noise = {
        f"n{n}.py": "# refund_order refund_order\nrefund_order = refund_order\n" for n in range(9)
    }
    corpus = corpus_of({**noise, "tests/z.py": CODE})
    for query in ("refund_order", "z.refund_order", "refund_order()", "REFUND_ORDER"):
        hit = search(corpus, query).hits[0]
        assert hit.symbol is not None, query
        assert hit.symbol.qualified_name == "tests.z.refund_order"
        assert "symbol" in dict(hit.channels)


def test_a_line_a_path_and_a_citation_stand_first(corpus_of) -> None:
    corpus = corpus_of({"src/app.py": CODE + "\n" + TEST, "b.py": "def app():\n    pass\n"})
    by_line = search(corpus, "src/app.py:6").hits[0]
    assert by_line.symbol is not None
    assert by_line.symbol.name == "test_refund_order"
    again = search(corpus, str(by_line.place.citation)).hits[0]
    assert again.place == by_line.place
    assert {hit.place.path for hit in search(corpus, "app.py").hits[:2]} == {b"src/app.py"}
    traced = search(corpus, 'Traceback:\n  File "/x/y/src/app.py", line 3, in refund_order\n').hits[
        0
    ]
    assert traced.place.lines.start == 1


def test_a_quoted_message_answers_with_nothing_else(corpus_of) -> None:
    corpus = corpus_of(
        {"a.py": "raise E('no such order')\n", "b.py": "# no such thing as an order\n"}
    )
    result = search(corpus, '"no such order"')
    assert paths_of(result) == ["a.py"]
    assert dict(result.coverage.channels)["lexical"].startswith("off")
    absent = search(corpus, '"such order no"')
    assert paths_of(absent), "words answer when the message is nowhere"
    assert "literal" not in dict(absent.hits[0].channels)


# --------------------------------------------------------------------------- pages


STUFFED = {
    "stuffed.py": "\n\n".join(f"# refund refund {n}\nr{n} = 'refund'" for n in range(40)) + "\n",
    **{f"src/m{n}.py": f"def f{n}(x):\n    return refund({n})\n\n# order {n}\n" for n in range(12)},
}


def test_one_file_does_not_fill_the_first_page(corpus_of) -> None:
    corpus = corpus_of(STUFFED)
    page = paths_of(search(corpus, "refund", SearchOptions(k=10)))
    assert page.count("stuffed.py") == 8, "code may fill most of a page"
    prose = {**STUFFED, "notes.txt": STUFFED["stuffed.py"].replace("'refund'", "refund refund")}
    page = paths_of(search(corpus_of(prose), "refund docs", SearchOptions(k=10)))
    assert 0 < page.count("notes.txt") <= 3, "prose may not"
    named = paths_of(search(corpus, "refund in stuffed.py", SearchOptions(k=10)))
    assert named.count("stuffed.py") > 3, "a file that is asked for may fill it"
    only = SearchOptions(k=10, filters=Filters(paths=("stuffed.py",)))
    assert paths_of(search(corpus, "refund", only)) == ["stuffed.py"] * 10


def test_a_text_in_two_repositories_stands_on_the_first_page_once(home, repo) -> None:
    made = home()
    made.put(repo({"a.py": CODE, "b.py": "refund = order\n"}))
    made.put(repo({"c.py": CODE}, name="two"))
    hits = search(made.corpus(), "refund an order", SearchOptions(k=2)).hits
    assert len({hit.chunk_id for hit in hits}) == 2


@given(
    st.integers(1, 60), st.integers(1, 60), st.sampled_from(["refund", "order 3", "/r[0-9]/", "f1"])
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_pages_bring_exactly_the_total_each_once(stuffed, first, more, query) -> None:
    options = SearchOptions(k=first)
    result = search(stuffed, query, options)
    seen = list(result.hits)
    while result.cursor:
        options = SearchOptions(k=more, cursor=result.cursor)
        result = search(stuffed, query, options)
        seen += result.hits
    assert len(seen) == result.total
    assert [hit.rank for hit in seen] == list(range(1, len(seen) + 1))
    assert len({(hit.chunk_id, hit.place.repository) for hit in seen}) == len(seen)
    assert result.coverage.omitted == 0


@pytest.fixture(scope="module")
def stuffed(make_home, make_repo):
    made = make_home()
    made.put(make_repo(STUFFED))
    return made.corpus()


def test_a_foreign_cursor_is_refused(home, repo) -> None:
    made = home()
    mine = made.put(repo(STUFFED))
    corpus = made.corpus(mine)
    cursor = search(corpus, "refund", SearchOptions(k=5)).cursor
    assert cursor
    for query, options in (
        ("order", SearchOptions(k=5, cursor=cursor)),
        ("refund", SearchOptions(k=5, cursor=cursor, filters=Filters(languages=("python",)))),
        ("refund", SearchOptions(k=5, cursor=cursor[:-4] + "AAAA")),
        ("refund", SearchOptions(k=5, cursor="not a cursor é")),
    ):
        with pytest.raises(BadInput, match="stale_cursor"):
            search(corpus, query, options)
    made.put(repo({**STUFFED, "new.py": "refund = 1\n"}))
    with pytest.raises(BadInput, match="stale_cursor"):
        search(made.corpus(mine), "refund", SearchOptions(k=5, cursor=cursor))
    made.put(repo({"b.py": "refund\n"}, name="two"))
    with pytest.raises(BadInput, match="stale_cursor"):
        search(made.corpus(), "refund", SearchOptions(k=5, cursor=cursor))


def test_a_write_elsewhere_leaves_the_cursor_valid(home, repo) -> None:
    made = home()
    mine = made.put(repo(STUFFED))
    cursor = search(made.corpus(mine), "refund", SearchOptions(k=5)).cursor
    made.put(repo({"b.py": "refund\n"}, name="two"))
    assert search(made.corpus(mine), "refund", SearchOptions(k=5, cursor=cursor)).hits


def test_excluded_results_do_not_come_back(corpus_of) -> None:
    corpus = corpus_of(STUFFED)
    first = search(corpus, "refund", SearchOptions(k=5))
    seen = tuple(str(hit.place.citation) for hit in first.hits)
    rest = search(corpus, "refund", SearchOptions(k=1000, exclude=seen))
    assert rest.total == first.total - 5
    assert not {str(hit.place.citation) for hit in rest.hits} & set(seen)
    with pytest.raises(BadInput, match="bad_citation"):
        search(corpus, "refund", SearchOptions(exclude=("nonsense",)))


def test_a_bound_is_counted_and_said(corpus_of) -> None:
    corpus = corpus_of(STUFFED)
    ranking = replace(DEFAULT_RANKING, bounds=Bounds(recall=10, recall_per_file=4))
    result = search(corpus, "refund", SearchOptions(k=100), ranking)
    whole = search(corpus, "refund", SearchOptions(k=100))
    assert result.coverage.state is State.BOUNDED
    assert result.total == 10
    assert dict(result.coverage.not_covered)["lexical"] == whole.total - 10
    assert paths_of(result).count("stuffed.py") <= 4
    assert whole.coverage.state is State.COMPLETE


@pytest.mark.parametrize(
    ("query", "options", "code"),
    [(" ", {}, "empty_query"), ("x", {"k": 0}, "bad_k"), ("x", {"k": 1001}, "bad_k"),
     ("/(/", {}, "bad_regex"), ("/a.*b/(", {}, "bad_regex"), ("/close[", {}, "bad_regex"),
     ("x", {"filters": Filters(paths=("[",))}, "bad_glob"),
     ("x", {"filters": Filters(modules=(".",))}, "bad_module")],
)  # fmt: skip
def test_bad_questions_are_clear_errors(corpus_of, query, options, code) -> None:
    with pytest.raises(BadInput, match=code):
        search(corpus_of({"a.py": "x = 1\n"}), query, SearchOptions(**options))


def test_a_filter_that_no_file_passes_is_told(corpus_of) -> None:
    corpus = corpus_of({"src/a.py": "x = 1\n"})
    only = Filters(paths=("src/*.py", "lib/**"), modules=("b",), languages=("go",))
    found = search(corpus, "x", SearchOptions(filters=only))
    assert [told.rpartition(" of ")[2] for told in found.coverage.warnings] == [
        "the path 'lib/**'", "the module 'b'", "the language 'go'",
    ]  # fmt: skip
    assert not search(corpus, "x", SearchOptions(filters=Filters(paths=("src",)))).coverage.warnings


def test_an_empty_scope_answers_with_nothing(corpus_of) -> None:
    result = search(corpus_of({}), "anything at all")
    assert (result.hits, result.total, result.cursor) == ((), 0, None)


def test_a_hit_tells_where_what_and_whom_it_calls(home, repo) -> None:
    text = "from shop.cart import Cart\n\nclass Order:\n    def close(self):\n        return Cart(self).total()\n"
    made = home()
    made.put(repo({"src/shop/order.py": text}))
    made.put(repo({"src/shop/order.py": text, "x.py": "y = 1\n"}, ref="refs/heads/next"))
    hit = search(made.corpus(), "Order.close").hits[0]
    assert hit.symbol is not None
    assert hit.symbol.qualified_name == "shop.order.Order.close"
    assert hit.symbol.parent == "shop.order.Order"
    assert hit.symbol.signature == "def close(self):"
    assert (hit.module, hit.imports, hit.calls) == (
        "shop.order",
        ("shop.cart.Cart",),
        ("Cart", "total"),
    )
    assert hit.place.lines == (4, 5)
    assert hit.text == "    def close(self):\n        return Cart(self).total()\n"
    assert len(hit.also_at) == 1
    assert {hit.also_at[0].version, hit.place.citation.version} == {
        snapshot.snapshot.commit for snapshot in made.corpus().snapshots
    }


# --------------------------------------------------------------------------- symbols


SYMBOLS = {
    "src/flask/app.py": "class Flask:\n    def route(self):\n        pass\n\n    def run(self):\n        pass\n",
    "src/flask/cli.py": "def run():\n    pass\n\ndef run_command():\n    pass\n",
    "tests/test_cli.py": "def run():\n    pass\n",
}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Flask.route", ["flask.app.Flask.route"]),
        ("flask.app.Flask.route", ["flask.app.Flask.route"]),
        ("flask.Flask", ["flask.app.Flask"]),
        ("Flask#route", ["flask.app.Flask.route"]),
        ("run", ["flask.cli.run", "flask.app.Flask.run", "tests.test_cli.run"]),
        ("flask.cli.run", ["flask.cli.run"]),
        ("FLASK", ["flask.app.Flask"]),
        ("src/flask/app.py:5", ["flask.app.Flask.run"]),
        ("app.py:1", ["flask.app.Flask"]),
    ],
)
def test_symbols_resolve(corpus_of, text: str, names: list[str]) -> None:
    corpus = corpus_of(SYMBOLS)
    found = resolve_symbol(corpus, text)
    got = []
    for hit in found.hits:
        module = module_name(corpus.path(hit.entry), corpus.language(hit.entry))
        got.append(
            ".".join(qualified_parts(module, hit.definition.descriptor, hit.definition.name)[0])
        )
    assert sorted(got) == sorted(names)
    assert found.ambiguous == (len(names) > 1)
    if len(names) > 1:
        assert got[-1].startswith("tests."), "tests come last"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Flsk", "Flask"),
        ("Flask.rout", "route"),
        ("Other.run", "run"),
        ("src/flask/app.py:99", "outline"),
    ],
)
def test_an_unknown_symbol_is_an_error_with_suggestions(corpus_of, text: str, hint: str) -> None:
    with pytest.raises(BadInput, match="unknown_symbol") as caught:
        resolve_symbol(corpus_of(SYMBOLS), text)
    assert hint in caught.value.hint


def test_suggestions_come_from_the_scope(home, repo) -> None:
    made = home()
    mine = made.put(repo(SYMBOLS))
    made.put(repo({"a.py": "def hidden_thing():\n    pass\n"}, name="two"))
    with pytest.raises(BadInput) as caught:
        resolve_symbol(made.corpus(mine), "hidden_thin")
    assert "hidden_thing" not in str(caught.value)
    with pytest.raises(BadInput) as wide:
        resolve_symbol(made.corpus(), "hidden_thin")
    assert "hidden_thing" in str(wide.value)


@pytest.mark.parametrize(
    ("path", "language", "module"),
    [
        ("src/flask/json/__init__.py", "python", "flask.json"),
        ("setup.py", "python", "setup"),
        ("gson/src/main/java/com/google/gson/Gson.java", "java", "com.google.gson"),
        ("core/src/test/scala/kafka/log/LogTest.scala", "scala", "kafka.log"),
        ("internal/http/server.go", "go", "internal.http"),
        ("main.go", "go", ""),
        ("crates/searcher/src/lines.rs", "rust", "searcher.lines"),
        ("src/lib.rs", "rust", ""),
        ("src/walk/mod.rs", "rust", "walk"),
        ("lib/router/index.js", "javascript", "lib.router"),
        ("src/types.d.ts", "typescript", "types"),
        ("docs/guide.md", "markdown", "docs.guide"),
    ],
)
def test_module_names(path: str, language: str, module: str) -> None:
    assert module_name(path.encode(), language) == module


def test_descriptors_are_read() -> None:
    assert descriptor_parts("ns/`odd name`#run(+1).") == (
        ("ns", "/"), ("odd name", "#"), ("run", "()."),
    )  # fmt: skip
    assert qualified_parts("src.x", "Shop/Cart#Add().", "Add") == (("Shop", "Cart", "Add"), 0)


# --------------------------------------------------------------------------- lines


@given(st.binary(max_size=60).map(lambda data: data.replace(b"\x01", b"\n")), st.data())
def test_lines_agree_with_splitting(text: bytes, data) -> None:
    lines = text.split(b"\n")
    offset = data.draw(st.integers(0, len(text)))
    assert line_of(text, offset) == len(text[:offset].split(b"\n"))
    assert LineIndex(text).line(offset) == line_of(text, offset)
    assert count_lines(text) == len(lines) - (lines[-1] == b"")
    number = data.draw(st.integers(1, len(lines)))
    span = span_of(text, LineSpan(number, number))
    assert text[span.start : span.end].rstrip(b"\n") == lines[number - 1]
    if span.end > span.start:
        assert lines_of(text, span) == (number, number)


def test_a_cursor_is_the_same_in_every_process() -> None:
    code = (
        "from grainline.retrieval.cursor import _spell\n"
        "from grainline.retrieval.options import DEFAULT_RANKING\n"
        "print(_spell(DEFAULT_RANKING))"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    spelled = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(spelled) == 1
