"""Stored bytes into working text: every encoding, every refusal, and the way back."""

from __future__ import annotations

import codecs
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grainline.model.snapshot import FlagName, Reason
from grainline.text.decode import Decoded, Undecodable, decode, show

ZH = "退款周期为七个工作日"


def text_of(data: bytes) -> Decoded:
    found = decode(data)
    assert isinstance(found, Decoded)
    return found


def reason_of(data: bytes) -> Reason:
    found = decode(data)
    assert isinstance(found, Undecodable)
    assert found.detail
    return found.reason


def flags_of(text: str, hint: str = "") -> list[FlagName]:
    found = decode(text.encode(), hint=hint)
    assert isinstance(found, Decoded)
    assert all(flag.rule for flag in found.flags)
    return [flag.name for flag in found.flags]


SOURCE = f"// {ZH} note\nclass C {{ int x; }}\n"
ENCODED = {
    "utf-8": (SOURCE.encode(), "utf-8"),
    "utf-8-bom": (codecs.BOM_UTF8 + SOURCE.encode(), "utf-8-sig"),
    "utf-16-le": (codecs.BOM_UTF16_LE + SOURCE.encode("utf-16-le"), "utf-16-le"),
    "utf-16-be": (codecs.BOM_UTF16_BE + SOURCE.encode("utf-16-be"), "utf-16-be"),
    "utf-32-le": (codecs.BOM_UTF32_LE + SOURCE.encode("utf-32-le"), "utf-32-le"),
    "utf-32-be": (codecs.BOM_UTF32_BE + SOURCE.encode("utf-32-be"), "utf-32-be"),
    "gbk-undeclared": (SOURCE.encode("gbk"), "gbk"),
}


@pytest.mark.parametrize(("data", "encoding"), ENCODED.values(), ids=ENCODED)
def test_text_comes_out_as_utf8(data, encoding):
    found = text_of(data)
    assert found.text.decode("utf-8-sig") == SOURCE
    assert found.encoding == encoding
    assert show(data, encoding) == SOURCE


@pytest.mark.parametrize(
    ("declared", "line"),
    [
        ("gbk", ZH),
        ("gb18030", ZH + "💳"),
        ("big5", "退款週期"),
        ("shift_jis", "返金期間ﾊﾝｶｸ"),
        ("euc-kr", "환불 기간"),
        ("latin-1", "délai"),
        ("cp1251", "Привет"),
    ],
)
@pytest.mark.parametrize("form", ["# -*- coding: {} -*-\n", '<meta charset="{}">\n'])
def test_a_declared_encoding_is_used(declared, line, form):
    text = form.format(declared) + line + "\nend\n"
    found = text_of(text.encode(declared))
    assert found.text.decode() == text
    assert codecs.lookup(found.encoding).decode(text.encode(declared))[0] == text


def test_a_declaration_does_not_outweigh_valid_utf8():
    text = f"# -*- coding: gbk -*-\n# {ZH}\n"
    assert text_of(text.encode()).encoding == "utf-8"


@pytest.mark.parametrize("name", ["utf-7", "unicode_escape", "zip", "rot13", "punycode", "nope"])
def test_a_declared_codec_that_is_no_character_set_is_ignored(name):
    data = f"# coding: {name}\n# caf".encode() + b"\xe9 au lait et encore\n"
    found = text_of(data)
    assert (found.encoding, found.text) == ("utf-8", data)


@pytest.mark.parametrize(
    "data",
    [
        b"# ok \xff\xfe\x80 broken, but only a little of it\n# tail \xc3",
        b"slash \xc0\xaf nul \xc0\x80 sur \xed\xa0\x80 and the rest of a line\n",
        f"# {ZH}\n".encode() + f"# {ZH}\n".encode("gbk") + b"def f(): pass\n" * 9,
    ],
    ids=["invalid", "overlong", "half GBK"],
)
def test_broken_utf8_is_kept_byte_for_byte(data):
    found = text_of(data)
    assert (found.text, found.offsets, found.encoding) == (data, None, "utf-8")


def test_utf16_without_a_mark_is_seen():
    text = "plain text in sixteen bits\n" * 4
    found = text_of(text.encode("utf-16-le"))
    assert (found.text.decode(), found.encoding) == (text, "utf-16-le")
    assert text_of(text.encode("utf-16-be")).encoding == "utf-16-be"


# The way back.


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30),
    st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]),
    st.lists(st.integers(0, 40), max_size=6),
)
def test_a_tiling_of_the_text_maps_to_a_tiling_of_the_stored_bytes(body, encoding, cuts):
    data = ("\ufeff" + "a" + body).encode(encoding)
    found = text_of(data)
    assert found.offsets is not None
    assert len(found.offsets) == len(found.text) + 1
    edges = sorted({0, len(found.text), *(cut for cut in cuts if cut < len(found.text))})
    spans = [found.stored(a, b) for a, b in pairwise(edges)]
    assert b"".join(data[span.start : span.end] for span in spans) == data


@pytest.mark.parametrize("data", [ENCODED["utf-16-le"][0], ENCODED["gbk-undeclared"][0]])
def test_the_stored_span_of_a_word_decodes_to_it(data):
    found = text_of(data)
    for word in ("note", "七个", "int"):
        start = found.text.index(word.encode())
        span = found.stored(start, start + len(word.encode()))
        assert show(data[span.start : span.end], found.encoding) == word


@given(st.binary(max_size=200))
def test_any_bytes_give_text_or_a_reason(data):
    found = decode(data)
    if isinstance(found, Decoded) and found.offsets is not None:
        assert found.stored(0, len(found.text)) == (0, len(data))
        found.text.decode("utf-8")
    elif isinstance(found, Decoded):
        assert found.text == data


# No text.


@pytest.mark.parametrize(
    "data",
    [b"", b" \t\n\n  \n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff\xfe\n\0", b"\xef\xbb\xbf \n"],
)
def test_blank_files_are_empty(data):
    assert reason_of(data) is Reason.EMPTY


BINARY = {
    "elf": b"\x7fELF\x02\x01\x01" + bytes(range(256)),
    "png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "class": b"\xca\xfe\xba\xbe\0\0\0\x34" + b"\x01\0" * 50,
    "pdf": b"%PDF-1.4\n\xe2\xe3\xcf\xd3\n" + b"\0\1\2" * 50,
    "pickle": b"cos\nsystem\n(S'echo'\ntR.",
    "pickle 4": b"\x80\x04\x95\x0b\0\0\0\0\0\0\0\x8c\x07message\x94.",
    "exe": b"MZ\x90\0\x03\0\0\0",
    "noise": bytes(range(256)) * 9,
    "NULs": b"int x; \0" * 100,
}


@pytest.mark.parametrize("data", BINARY.values(), ids=BINARY)
def test_binary_files_are_told_apart(data):
    assert reason_of(data) is Reason.BINARY


@pytest.mark.parametrize(
    "data",
    [
        b"int f(void) { return 1; } /* \0 */\n",
        b"echo safe # \x1b[2K\x1b[1A hidden\n",
        b"page one\n\x0cpage two\n",
        b"MZ is how the header starts\n",
        b"class A:\n  pass.",
        b"c = 1.",
    ],
)
def test_odd_text_is_text(data):
    assert text_of(data).text == data


def test_unknown_high_bytes_are_undecodable():
    assert reason_of(bytes(range(0x80, 0x100)) * 20) is Reason.UNDECODABLE
    assert reason_of(b"\xff\xfe" + b"\x00\xd8" * 20) is Reason.UNDECODABLE


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %s\n"


def test_only_a_well_formed_lfs_pointer_is_one():
    assert reason_of(POINTER % (b"a" * 64, b"123")) is Reason.LFS_POINTER
    assert text_of(POINTER % (b"../../etc/passwd", b"-1")).encoding == "utf-8"


# Flags.


@pytest.mark.parametrize(
    "text",
    [
        "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage api\n",
        "# This file is automatically @generated by Cargo.\n",
        "// <auto-generated>\n",
        "/* This file was generated by make.\n * Do not edit. */\n",
        '{"lockfileVersion":3,"packages":{}}\n',
        "lockfileVersion: '6.0'\n",
        '{"version":3,"sources":["a.js"],"mappings":"AAAA"}\n',
    ],
)
def test_generated_content_is_flagged(text):
    assert flags_of(text) == [FlagName.GENERATED]


@pytest.mark.parametrize(
    "text",
    [
        "# Generated by Django 4.2 on 2024-01-01\nclass Migration: pass\n",
        "def generated(): 'values generated from the seed'\n",
        '{"version": 3, "name": "x"}\n',
        "# do not edit the order of these lines\n",
    ],
)
def test_hand_written_content_is_not(text):
    assert flags_of(text) == []


def test_long_lines_without_blanks_are_minified():
    code = "function a(b,c){return b+c}var d=a(1,2);" * 100
    assert flags_of(code) == [FlagName.MINIFIED]
    assert flags_of("A paragraph of prose in one line, as editors make them. " * 100) == []
    assert flags_of(ZH * 400) == []
    assert flags_of(code, hint="markdown") == []


DECEPTIVE = {
    "bidi": ("if a != 'none\u202e\u2066': pass\n", FlagName.BIDI_CONTROL),
    "homoglyph": ("def \u0441heck(): pass\n", FlagName.CONFUSABLE),
    "filler": ("const { a, \u3164 } = req;\n", FlagName.INVISIBLE_IDENTIFIER),
    "zero width": ("pass\u200bword = 1\n", FlagName.INVISIBLE_IDENTIFIER),
    "tags": ("Hello \U000e0069\U000e0067\n", FlagName.INVISIBLE_TEXT),
    "selectors": ("x" + "\U000e0141" * 9, FlagName.INVISIBLE_TEXT),
}


@pytest.mark.parametrize(("text", "flag"), DECEPTIVE.values(), ids=DECEPTIVE)
def test_deceptive_content_is_flagged(text, flag):
    assert flags_of(text) == [flag]


@pytest.mark.parametrize(
    "text",
    [
        "# Привет, мир: user_имя\n",
        "Δt = μs * Σ2\n",
        "family 👨\u200d👩\u200d👧 ok\n",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f\n",
        "naïve café\n",
        "हिन्दी क्\u200dष\n",
    ],
)
def test_honest_unicode_is_not(text):
    assert flags_of(text) == []
