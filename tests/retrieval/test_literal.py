"""Exact text and regexes: every place, no other, inside the bounds."""

from __future__ import annotations

import random
import re
from functools import partial

import pytest
import re2
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from grainline.errors import BadInput
from grainline.retrieval import literal as literal_module
from grainline.retrieval import regex as regex_module
from grainline.retrieval.literal import (
    Holders,
    Matches,
    find_literal,
    kept_by_stemming,
    literal_docs,
    literal_entries,
)
from grainline.retrieval.regex import compile_pattern, find_regex, required_literals
from grainline.text.identifiers import STOP_WORDS, stem

BOUNDS = {"max_bytes": 1 << 20, "max_matches": 100}
FILES = {
    "a.py": "def apply_refund(amount):\n    raise ValueError('amount must be positive')\n\nx = RefundService()\n",
    "b.py": "# The running refunds are applied by refundService.\nvalue = exceptions[0]\n",
    "c.txt": "退款失败时写日志、重跑gen-itgc后再试\nnothing here\n",
    "d.py": "a_very_long_identifier_of_many_words = HTTP404Error + x.y(z)\n\n\n\nthe end => {\n",
    "e.txt": ("naïve café — amount\n".encode("latin-1", "replace"), "latin-1"),
    "f.txt": ("退款 amount must\n".encode("utf-16-le"), "utf-16-le"),
    "g.txt": ("退款失败 amount\n".encode("gb18030"), "gb18030"),
}


def expected(files, needle: str) -> list[tuple[str, int, int]]:
    out = []
    for path, value in sorted(files.items()):
        data, codec = value if isinstance(value, tuple) else (value.encode(), "utf-8")
        try:
            raw = needle.encode(codec)
        except UnicodeEncodeError:
            continue
        unit = 2 if codec.startswith("utf-16") else 1
        at = data.find(raw)
        while at >= 0:
            if at % unit == 0:
                out.append((path, at, at + len(raw)))
            at = data.find(raw, at + (len(raw) if at % unit == 0 else 1))
    return out


def found(corpus, matches) -> list[tuple[str, int, int]]:
    return [(corpus.path(each.entry).decode(), each.start, each.end) for each in matches.found]


@pytest.fixture(scope="module")
def corpus(request):
    made = request.getfixturevalue("make_home")()
    made.put(request.getfixturevalue("make_repo")(FILES))
    return made.corpus()


def pieces(rng: random.Random) -> str:
    value = rng.choice(list(FILES.values()))
    text = value[0].decode(value[1]) if isinstance(value, tuple) else value
    start = rng.randrange(len(text))
    return text[start : start + rng.choice([1, 2, 3, 5, 8, 13, 30, 60])]


LINED = {
    **FILES,
    "h.py": "def apply_refund(amount):\n    return amount\n\n\n" * 40,
    "i.py": "x = 1\n\n\ndef apply_refund(amount):\n    pass",
    "j.txt": "amount " * 4000,
    "k.py": "def apply_refund(amount):\n    return amount\n\n\nclass Refund:\n    amount = 0\n",
    "l.txt": "no line end",
    "n.txt": "return \famount and an am\fount\nreturn amount\n",
    "m.txt": "aaaa aaa\naaaaa\n",
}


@pytest.mark.parametrize(
    "asked",
    ["amount", "def apply_refund(amount):", "return amount", "line", "aa", "退款失败", "x = ",
     "amount amount", r"/am\w+t/", r"/^def .*$/", "/a+/", r"/\bline end$/", "/(?i)REFUND/", "/.+/",
     "/$/", "/退款|amount/"],
)  # fmt: skip
def test_many_chunks_at_once_are_searched_like_one_file_after_another(
    make_home, make_repo, monkeypatch, asked: str
) -> None:
    made = make_home()
    made.put(make_repo(LINED))
    made.put(make_repo({"z.py": LINED["k.py"]}, name="two"))
    corpus = made.corpus()
    assert 0 < corpus.lined().sum() < corpus.n_entries
    find = partial(find_regex, corpus, asked.strip("/")) if asked[0] == "/" else partial(
        find_literal, corpus, asked
    )  # fmt: skip
    for bounds in (BOUNDS, {"max_bytes": 1 << 20, "max_matches": 3}):
        answers = []
        for few in (-1, 1000):
            monkeypatch.setattr(literal_module, "FEW_TEXTS", few)
            monkeypatch.setattr(regex_module, "FEW_TEXTS", few)
            matches = find(**bounds)
            answers.append((matches.found, matches.unread))
        assert answers[0] == answers[1]
    assert answers[0][0] or asked == "/$/"


def test_a_bound_on_bytes_leaves_whole_files_unread_and_says_so(
    make_home, make_repo, monkeypatch
) -> None:
    made = make_home()
    made.put(make_repo({f"{n}.py": LINED["h.py"] for n in range(6)} | {"x.py": LINED["k.py"]}))
    monkeypatch.setattr(literal_module, "FEW_TEXTS", -1)
    matches = find_literal(made.corpus(), "amount", max_bytes=1, max_matches=1000)
    assert len(matches.found) == LINED["h.py"].count("amount")
    assert matches.unread == 6
    assert find_literal(made.corpus(), "amount", max_bytes=0, max_matches=9).unread == 7


@pytest.mark.parametrize(
    "pattern",
    [r"a\sb", r"[^b]", r"(?s)a.b", r"\Aa", r"a\z", "a\nb", r"\x0a", r"\Da", r"[[:space:]]",
     r"(?-m)^a", r"\pZ", r"\Wa", r"(?is:.)"],
)  # fmt: skip
def test_a_pattern_that_may_see_another_line_is_searched_file_by_file(pattern: str) -> None:
    assert not regex_module.stays_in_line(pattern)
    assert regex_module.stays_in_line(r"\b(get|set)[A-Z]\w+\(.*\d{2,}\.$")


@pytest.mark.parametrize("seed", range(40))
def test_every_piece_of_a_file_is_found_wherever_it_stands(corpus, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(10):
        needle = pieces(rng)
        matches = find_literal(corpus, needle, **BOUNDS)
        assert found(corpus, matches) == expected(FILES, needle)[:100], repr(needle)


@pytest.mark.parametrize(
    "needle",
    ["amount must be positive", "refundService", "running", "exception", "退款失败", "跑gen-itgc后",
     "pply_ref", "very_long_identifier", "404Error", "=> {", "\n\n\n", "x.y(z)", "absent", "Amount"],
)  # fmt: skip
def test_a_literal_is_found(corpus, needle: str) -> None:
    assert found(corpus, find_literal(corpus, needle, **BOUNDS)) == expected(FILES, needle)


def test_a_literal_across_chunks_is_found(corpus) -> None:
    needle = "positive')\n\nx = Refund"
    assert found(corpus, find_literal(corpus, needle, **BOUNDS)) == expected(FILES, needle)
    assert len(corpus.chunks(corpus.find_entries(b"a.py")[0])) > 1


def test_candidates_by_chunk_would_be_noticed(corpus, monkeypatch) -> None:
    """The fault: terms intersected by document, so that a literal over a border is lost."""

    def by_doc(corpus, text, **options):
        docs = None
        for term in (b"posit", b"refundservic"):
            rows = set(corpus.postings(term).docs.tolist())
            docs = rows if docs is None else docs & rows
        return literal_docs(corpus, "zzz_absent_zzz") if not docs else Holders(None, None)

    monkeypatch.setattr(literal_module, "literal_docs", by_doc)
    assert not find_literal(corpus, "positive')\n\nx = RefundServ", **BOUNDS).found


def test_rare_words_rule_files_out(corpus) -> None:
    mask = literal_entries(corpus, "amount must be positive')")
    assert mask is not None
    assert {corpus.path(entry) for entry in range(corpus.n_entries) if mask[entry]} <= {
        b"a.py", b"f.txt"
    }  # fmt: skip
    absent = literal_entries(corpus, "frobnicate_everything")
    assert absent is not None
    assert not absent.any()


def untold(corpus, find, *, few: int, monkeypatch, **bounds) -> tuple[int, int, int]:
    """(files of which some match is not told, files said to be left, candidates) of a bounded search."""
    monkeypatch.setattr(literal_module, "FEW_TEXTS", few)
    monkeypatch.setattr(regex_module, "FEW_TEXTS", few)
    told = find(corpus, **bounds)
    everything = set(find(corpus, **BOUNDS).found)
    return (
        len({each.entry for each in everything - set(told.found)}),
        told.unread,
        corpus.n_entries,
    )


FINDS = {
    "literal": lambda corpus, **bounds: find_literal(corpus, "amount", **bounds),
    "regex": lambda corpus, **bounds: find_regex(corpus, r"am\w+t", **bounds),
    "any line": lambda corpus, **bounds: find_regex(corpus, r"(?s)am..nt", **bounds),
}
HELD = {path: text for path, text in LINED.items() if path not in {"h.py", "j.txt"}}


def wrong_counts(home, repo, find, monkeypatch) -> list[tuple[dict[str, int], int, int]]:
    """Bounds under which a search tells of too few files, or of some where nothing is left out."""
    made = home()
    made.put(repo(HELD))
    corpus = made.corpus()
    total = len(find(corpus, **BOUNDS).found)
    assert 5 < total < BOUNDS["max_matches"]
    several = [{"max_bytes": 1 << 20, "max_matches": n} for n in range(total + 2)]
    several += [{"max_bytes": n, "max_matches": m} for n in (0, 1, 90, 200) for m in (2, 5, 99)]
    wrong = []
    for bounds in several:
        for few in (-1, 1000):
            missed, said, most = untold(corpus, find, few=few, monkeypatch=monkeypatch, **bounds)
            enough = bounds["max_bytes"] == 1 << 20 and bounds["max_matches"] >= total
            if not missed <= said <= most or (enough and said) or (missed and not said):
                wrong.append((bounds, missed, said))
    return wrong


@pytest.mark.parametrize("find", FINDS.values(), ids=FINDS)
def test_no_bound_takes_effect_unsaid(make_home, make_repo, monkeypatch, find) -> None:
    assert wrong_counts(make_home, make_repo, find, monkeypatch) == []


def only_unread(rows, max_matches, sorts):
    """The fault: matches beyond the bound are dropped, and only unread bytes are told."""
    return Matches(rows=rows[:max_matches], unread=sum(count for _, count in sorts))


def only_cut(rows, max_matches, sorts):
    """The fault: entries behind the last match count, those beyond the bound on bytes do not."""
    left = 0
    if len(rows) > max_matches:
        left = sum(int((entries >= rows[max_matches, 0]).sum()) for entries, _ in sorts)
    return Matches(rows=rows[:max_matches], unread=left)


def wholly_unread(rows, max_matches, sorts):
    """The fault: the entry in whose middle the list ends counts as told."""
    left = 0
    if len(rows) > max_matches:
        left = sum(int((entries > rows[max_matches, 0]).sum()) for entries, _ in sorts)
    return Matches(rows=rows[:max_matches], unread=max(left, *(n for _, n in sorts), 0))


@pytest.mark.parametrize("fault", [only_unread, only_cut, wholly_unread])
@pytest.mark.parametrize("find", FINDS.values(), ids=FINDS)
def test_a_bound_that_is_not_said_would_be_noticed(
    make_home, make_repo, monkeypatch, find, fault
) -> None:
    monkeypatch.setattr(literal_module, "_listed", fault)
    assert wrong_counts(make_home, make_repo, find, monkeypatch)


def test_as_many_matches_as_may_be_listed_are_all_of_them(corpus) -> None:
    everything = find_literal(corpus, "o", **BOUNDS)
    n = len(everything.found)
    assert find_literal(corpus, "o", max_bytes=1 << 20, max_matches=n).unread == 0
    assert find_literal(corpus, "o", max_bytes=1 << 20, max_matches=n - 1).unread > 0


def test_an_empty_literal_is_refused(corpus) -> None:
    with pytest.raises(BadInput, match="empty_literal"):
        find_literal(corpus, "", **BOUNDS)


WORDS = """running exceptions nationalizations happily skies dying lying tied cries hopefulness
    controlling referred agreed feed sensibility operator vietnamization radicalism conformably
    usefulness apologist communism generously succeeding proceeds innings outing news howe early
    only gently singly ugly idly bed sing being relational traditional reference colonizer
    university universe general generate communities arsenal addressed classes caress ponies
    queries indices keyed testing tested mapper mapping mapped buzzing fizzed hopped hoping
    electricity formalize formative goodness allowance inference airliner adjustable defensible
    irritant replacement adjustment dependent adoption homologous effective bowdlerize probate
    rate cease controll roll yield youth boyish saying says enjoyed employees dictionary"""


@pytest.mark.parametrize("word", WORDS.split())
def test_what_stemming_keeps_stands_in_the_stem(word: str) -> None:
    stemmed = stem(word.encode())
    for start in range(len(word)):
        for end in range(start + 1, len(word) + 1):
            kept = kept_by_stemming(word[start:end].encode())
            assert kept in stemmed, (word[start:end], kept, stemmed)


LETTERS = st.text("abcdefgilmnoprstuvyz", min_size=1, max_size=6)
TAILS = st.lists(st.sampled_from(["s", "es", "ed", "ing", "ly", "ization", "ational", "ness", "ful",
    "ies", "ied", "y", "able", "ement", "ist", "eed", "ance", "ic", "ogy", "al", "ous", "tional",
    "ate", "er", "e", "l"]), max_size=3).map("".join)  # fmt: skip


@given(LETTERS, TAILS, st.integers(0, 20), st.integers(0, 20))
@settings(max_examples=2000, deadline=None)
@example("trans", "ational", 2, 9)
def test_what_stemming_keeps_stands_in_the_stem_of_made_up_words(head, tail, start, end) -> None:
    word = head + tail
    piece = word[min(start, len(word)) : max(start + 1, len(word) - end)]
    if not piece or word.encode() in STOP_WORDS:
        return
    assert kept_by_stemming(piece.encode()) in stem(word.encode()), (word, piece)


# --------------------------------------------------------------------------- regexes


@pytest.mark.parametrize(
    "pattern",
    [r"amount must be \w+", r"refund(s|Service)", r"(?i)REFUNDSERVICE", r"^x = ", r"\{$", r"[a-z]+\(",
     r"(?:foo|running) refunds", r"def \w+_refund", r"退款.败", r"x*", r"HTTP\d{3}Error", r"a.*b"],
)  # fmt: skip
def test_a_regex_finds_what_python_finds(corpus, pattern: str) -> None:
    wanted = []
    for path, value in sorted(FILES.items()):
        text = value[0].decode(value[1]) if isinstance(value, tuple) else value
        codec = value[1] if isinstance(value, tuple) else "utf-8"
        for each in re.finditer(
            f"(?m){pattern}" if "(?i)" not in pattern else f"(?mi){pattern[4:]}", text
        ):
            if each.end() > each.start():
                start = len(text[: each.start()].encode(codec))
                wanted.append((path, start, start + len(each[0].encode(codec))))
    assert found(corpus, find_regex(corpus, pattern, **BOUNDS)) == wanted[:100]


@pytest.mark.parametrize("pattern", ["(a", "a{2", "*", r"(?=x)", r"(a)\1", "x" * 5000])
def test_a_bad_regex_is_a_clear_error(corpus, pattern: str) -> None:
    if pattern == "a{2":
        assert compile_pattern(pattern) is not None, "RE2 takes it literally"
        return
    with pytest.raises(BadInput, match="bad_regex"):
        find_regex(corpus, pattern, **BOUNDS)


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"raise ValueError\(", (("raise ValueError(",),)),
        (r"foo.*bar", (("foo", "bar"),)),
        (r"foo|bar", (("foo",), ("bar",))),
        (r"(foo|bar)baz", (("baz",),)),
        (r"(foo)baz", (("foo", "baz"),)),
        (r"(foo)?baz", (("baz",),)),
        (r"abc*de", (("ab", "de"),)),
        (r"abc+de", (("abc", "de"),)),
        (r"abc{0,3}de", (("ab", "de"),)),
        (r"ab[xyz]cd", (("ab", "cd"),)),
        (r"[])]ab", (("ab",),)),
        (r"ab\d+", (("ab",),)),
        (r"\x41\x42", (("AB",),)),
        (r"(?i)request", (("reque",),)),
        (r"(?:ab|c?)", ()),
        (r".*", ()),
        (r"a|", ()),
        (r"\Qa.b\E", (("a.",),)),
    ],
)
def test_required_literals(pattern: str, literals) -> None:
    assert required_literals(pattern).alternatives == literals


ATOMS = st.sampled_from(["ab", "cd", "a", "b", ".", "[ab]", "(?:ab|cd)", "(ab)", "(?:a(b|cd)e)", r"\w",
    "^", "$", "|", "ab*", "cd+", "e?", "(ab)*", "(cd){2}", "x{0,2}", r"\.", "(?i)", r"\bcd"])  # fmt: skip


@given(st.lists(ATOMS, min_size=1, max_size=6).map("".join), st.text("abcdex. \n", max_size=30))
@settings(max_examples=1500, deadline=None)
def test_a_match_holds_the_required_literals(pattern: str, text: str) -> None:
    try:
        compiled = compile_pattern(pattern)
    except BadInput:
        return
    required = required_literals(pattern)
    for match in compiled.finditer(text.encode()):
        got = match.group().decode()
        got, fold = (got.lower(), True) if required.folded else (got, False)
        assert not required.alternatives or any(
            all((each.lower() if fold else each) in got for each in parts)
            for parts in required.alternatives
        ), (pattern, got, required)


def test_catastrophic_patterns_are_linear(corpus) -> None:
    find_regex(corpus, r"(a+)+$|(x|x)*y", **BOUNDS)


def test_re2_is_the_engine() -> None:
    assert type(compile_pattern("a")).__module__.startswith("re2")
    assert re2.compile("a") is not None


@given(st.text("退款失败amountREFd_ .(\n", min_size=1, max_size=8))
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_literal_is_found_exactly(corpus, needle: str) -> None:
    matches = find_literal(corpus, needle, **BOUNDS)
    assert found(corpus, matches) == expected(FILES, needle)[:100]
