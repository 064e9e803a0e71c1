"""Reading and writing SCIP: round trips, hostile bytes, units of positions."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.precise import scip
from grainline.precise.index import (
    Document,
    Encoding,
    Index,
    Occurrence,
    Range,
    Relationship,
    Roles,
    SymbolInformation,
    safe_path,
)
from grainline.precise.positions import Lines
from grainline.precise.protobuf import put_bytes, put_number, put_packed, put_text
from grainline.precise.scip import Limits, Problem, read
from grainline.precise.scip_export import write
from grainline.precise.symbols import Package, name_of, parse, spell

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
small = st.integers(0, 2**31 - 1)
occurrences = st.builds(
    Occurrence, st.builds(Range, small, small, small, small), text, st.integers(0, 127)
)
relationships = st.builds(
    Relationship, text, st.booleans(), st.booleans(), st.booleans(), st.booleans()
)
symbols = st.builds(
    SymbolInformation,
    text,
    st.integers(0, 90),
    text,
    text,
    st.lists(text, max_size=2).map(tuple),
    st.lists(relationships, max_size=3).map(tuple),
)
documents = st.builds(
    Document,
    path=st.sampled_from([b"a.py", b"src/b.ts", "ü/é.java".encode(), b"a b/c.go"]),
    language=text,
    encoding=st.sampled_from(Encoding),
    text=st.none() | st.binary(min_size=1, max_size=20),
    occurrences=st.lists(occurrences, max_size=4).map(tuple),
    symbols=st.lists(symbols, max_size=3).map(tuple),
)
indexes = st.builds(
    Index,
    tool=text,
    version=text,
    root=text,
    documents=st.lists(documents, max_size=3).map(tuple),
    external=st.lists(symbols, max_size=2).map(tuple),
)


@settings(deadline=None)
@given(indexes)
def test_what_is_written_reads_back_as_it_was(index):
    assert read(write(index)) == index


@settings(deadline=None)
@given(indexes, st.data())
def test_cut_or_changed_bytes_are_an_index_or_a_problem_and_never_an_exception(index, data):
    whole = write(index)
    cut = data.draw(st.integers(0, len(whole)))
    assert isinstance(read(whole[:cut]), Index | Problem)
    changed = bytearray(whole)
    for _ in range(3):
        changed[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    assert isinstance(read(bytes(changed)), Index | Problem)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_an_index_or_a_problem(data):
    assert isinstance(read(data), Index | Problem)


def document(*fields):
    return put_bytes(2, put_text(1, "a.py") + b"".join(fields))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x12\xff\xff\xff\xff\x0f", "leads out"),
        (b"\x12" + b"\xff" * 9 + b"\x01", "leads out"),
        (b"\xff" * 11, "no number"),
        (b"\x12\x80" + b"\x80" * 9 + b"\x02", "no number"),
        (b"\x00\x01", "field has the number 0"),
        (b"\x13\x14", "kind 3"),
        (b"\x09\x01", "leads out"),
        (put_number(2, 5), "where bytes should"),
        (document(put_bytes(2, put_packed(1, [1, 2]))), "no range"),
        (document(put_bytes(2, put_packed(1, [1] * 5))), "more than 4"),
        (document(put_bytes(2, put_packed(1, [1, 2, 1 << 40]))), "no range"),
        (document(put_bytes(2, put_packed(1, [1, 2, 3]) + put_number(3, 1 << 63))), "no number"),
    ],
    ids=[
        "huge length", "length of 64 bits", "endless number", "number above 64 bits", "field 0",
        "group", "half a number", "number for a document", "short range", "long range",
        "range above 31 bits", "roles above 31 bits",
    ],
)  # fmt: skip
def test_malformed_bytes_are_named(data, words):
    found = read(data)
    assert isinstance(found, Problem)
    assert found.code == "malformed"
    assert words in found.detail


def test_nesting_does_not_cost_the_stack():
    data = b""
    for _ in range(10_000):
        data = put_bytes(2, data)
    assert isinstance(read(data), Index | Problem)


@pytest.mark.parametrize(
    "limits",
    [
        Limits(max_bytes=100), Limits(documents=1), Limits(occurrences=3), Limits(symbols=1),
        Limits(relationships=1), Limits(text=20),
    ],
    ids=["bytes", "documents", "occurrences", "symbols", "relationships", "text"],
)  # fmt: skip
def test_every_limit_refuses(limits):
    info = SymbolInformation("s", relationships=(Relationship("t"), Relationship("u")))
    each = Document(
        path=b"a.py",
        occurrences=(Occurrence(Range(0, 0, 0, 1), "x" * 30, 0),) * 2,
        symbols=(info,),
    )
    data = write(Index(tool="t", documents=(each, each)))
    assert isinstance(read(data), Index)
    found = read(data, limits)
    assert isinstance(found, Problem)
    assert found.code == "too_large"


def test_reading_takes_time_in_proportion_to_the_bytes():
    each = put_bytes(2, put_packed(1, [1, 2, 3]) + put_text(2, "local 1"))
    started = time.process_time()
    assert isinstance(read(document(each * 200_000)), Index)
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    "path",
    ["../a", "a/../../b", "/etc/passwd", "", ".", "a//b", "a/./b", "C:/x", "a\\b", "a\0b", "a/"],
)
def test_a_path_that_leads_out_is_refused(path):
    assert safe_path(path) is None
    index = read(write(Index(documents=(Document(path=path.encode()), Document(path=b"ok")))))
    assert [each.path for each in index.documents] == [b"ok"]
    assert index.refused == (path,)


def test_an_unpacked_range_reads_like_a_packed_one():
    each = put_bytes(2, b"".join((b"\x08\x01", b"\x08\x02", b"\x08\x05")) + put_text(2, "s"))
    index = read(document(each))
    assert index.documents[0].occurrences == (Occurrence(Range(1, 2, 1, 5), "s", 0),)


def test_fields_of_later_versions_are_skipped():
    each = put_bytes(2, put_packed(1, [0, 0, 1]) + put_bytes(99, b"?") + put_number(98, 7))
    index = read(document(each, put_number(6, 9)) + put_bytes(50, b"later"))
    assert index.documents[0].encoding is Encoding.UNSPECIFIED
    assert len(index.documents[0].occurrences) == 1


# ------------------------------------------------------------------------------ symbols


@pytest.mark.parametrize(
    ("string", "package", "name", "suffix"),
    [
        ("scip-python python flask 3.1 `src.flask.cli`/Group#run().", "flask", "run", "()."),
        ("s npm @a/b 1 src/`a.ts`/Foo#`<constructor>`().", "@a/b", "<constructor>", "()."),
        ("s . . . a/", "", "a", "/"),
        ("s m two  words 1 f(+1).", "two words", "f", "()."),
        ("s m p 1 f().(x)", "p", "x", "()"),
        ("s m p 1 C#[T]", "p", "T", "[]"),
        ("s m p 1 `a``b`!", "p", "a`b", "!"),
        ("s m p 1 x:", "p", "x", ":"),
        ("s m p 1 C#x.", "p", "x", "."),
    ],
)
def test_a_symbol_is_read(string, package, name, suffix):
    found = parse(string)
    assert (found.package.name, found.name, found.suffix) == (package, name, suffix)
    assert spell(found.scheme, found.package, found.descriptors) == string


@pytest.mark.parametrize(
    "string", ["", "local 1", "s m p 1 ", "s m p", "s m p 1 `open", "s m p 1 a", " m p 1 a."]
)
def test_a_broken_symbol_is_none(string):
    assert parse(string) is None


@settings(deadline=None)
@given(text.filter(bool), text)
def test_a_spelled_symbol_is_read(name, package):
    package = package.strip(" ") or "p"
    found = parse(spell("s", Package("m", package, "1"), name_of(name) + "#"))
    assert (found.name, found.package.name) == (name, "" if package == "." else package)


def test_a_hostile_symbol_takes_no_time():
    started = time.process_time()
    for each in (
        "s m p 1 " + "a(" * 50_000,
        " " * 100_000,
        "s m p 1 " + "`" * 99_999,
        "a  " * 50_000,
    ):
        assert parse(each) is None
    assert time.process_time() - started < 2


# ------------------------------------------------------------------------------ positions

PIECES = st.sampled_from(["a", "é", "漢", "🚀", "\n", "\r\n", "\r", " ", "x_1", "\u2028"])
BACK = {Encoding.UTF8: "utf-8", Encoding.UTF16: "utf-16-le", Encoding.UTF32: "utf-32-le"}
WIDTH = {Encoding.UTF8: 1, Encoding.UTF16: 2, Encoding.UTF32: 4}


@settings(deadline=None)
@given(st.lists(PIECES, max_size=30).map("".join), st.sampled_from(list(BACK)))
def test_units_of_every_encoding_lead_to_the_same_byte_and_back(source, encoding):
    lines = Lines(source.encode())
    line = start = 0
    at = 0
    while at <= len(source):
        column = len(source[start:at].encode(BACK[encoding])) // WIDTH[encoding]
        byte = len(source[:at].encode())
        assert lines.offset(line, column, encoding) == byte
        if source[at : at + 1] != "\n" or source[at - 1 : at] != "\r":
            assert lines.position(byte, encoding) == (line, column)
        step = 2 if source.startswith("\r\n", at) else 1
        if source[at : at + step] in ("\n", "\r", "\r\n"):
            line, start = line + 1, at + step
        at += step


def test_half_a_character_and_what_lies_beyond_is_no_place():
    lines = Lines("🚀b\r\nc".encode())
    assert lines.offset(0, 1, Encoding.UTF16) is None
    assert lines.offset(0, 1, Encoding.UTF8) is None
    assert lines.offset(0, 3, Encoding.UTF16) == 5
    assert lines.offset(0, 4, Encoding.UTF16) is None
    assert lines.offset(1, 2, Encoding.UTF32) is None
    assert lines.offset(2, 0, Encoding.UTF8) is None
    assert lines.offset(-1, 0, Encoding.UTF8) is None


def test_a_byte_order_mark_is_no_character():
    lines = Lines(b"\xef\xbb\xbfab")
    assert lines.offset(0, 1, Encoding.UTF16) == 4
    assert lines.position(4, Encoding.UTF16) == (0, 1)


def test_many_places_on_one_long_line_cost_little():
    lines = Lines(("é" * 300_000).encode())
    started = time.process_time()
    for at in range(20_000):
        assert lines.offset(0, at, Encoding.UTF16) == at * 2
    assert time.process_time() - started < 5


def test_roles_and_module_name():
    assert Roles.DEFINITION | Roles.IMPORT == 3
    assert scip.read(b"") == Index()
