"""Limits, text fallbacks and diagnostics of `parse`; which language a file is in."""

from __future__ import annotations

import time

import pytest

from grainline.errors import BadInput
from grainline.languages.base import LANGUAGES
from grainline.languages.detect import detect
from grainline.model.symbol import Role
from grainline.parsing import Limits, parse, parse_lazily, parse_text

DEEP = 30_000


def codes(facts):
    return [found.code for found in facts.diagnostics]


def test_plain_text_has_no_facts_and_no_diagnostics():
    facts = parse(b"def f(): pass\n", "", skeleton_limit=100)
    assert facts == parse_text(b"def f(): pass\n")
    assert not facts.parsed
    assert not facts.definitions
    assert not facts.diagnostics


def test_an_unknown_language_is_bad_input():
    with pytest.raises(BadInput, match="cobol"):
        parse(b"", "cobol", skeleton_limit=100)


def test_a_file_above_the_byte_limit_stays_text():
    facts = parse(b"x = 1\n" * 100, "python", skeleton_limit=100, limits=Limits(max_bytes=599))
    assert (facts.language, facts.parsed, codes(facts)) == ("python", False, ["too_large"])
    facts = parse(b"x = 1\n" * 100, "python", skeleton_limit=100, limits=Limits(max_bytes=600))
    assert facts.parsed


def test_a_file_above_the_node_limit_stays_text():
    text = b"[" + b"1," * 500 + b"1]"
    facts = parse(text, "json", skeleton_limit=100, limits=Limits(max_nodes=500))
    assert (facts.parsed, codes(facts)) == (False, ["too_large"])


def test_a_parse_that_takes_too_long_is_stopped_and_leaks_nothing_into_the_next():
    text = b"def secret(): pass\n" * 20_000
    facts = parse(text, "python", skeleton_limit=100, limits=Limits(seconds=0.0))
    assert (facts.parsed, codes(facts)) == (False, ["parser_timeout"])
    facts = parse(b"def f(): pass\n", "python", skeleton_limit=100)
    assert [found.name for found in facts.definitions] == ["f"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        pytest.param("rust", b"(" * DEEP, id="open brackets"),
        pytest.param("javascript", b"x = " + b"(" * DEEP + b"1" + b")" * DEEP, id="brackets"),
        pytest.param("json", b"[" * DEEP + b"1" + b"]" * DEEP, id="json"),
        pytest.param("xml", b"<a>" * DEEP + b"</a>" * DEEP, id="xml"),
        pytest.param("html", b"<a>" * DEEP + b"</a>" * DEEP, id="html"),
        pytest.param("c", b"void f(){" + b"{" * DEEP + b"}" * DEEP + b"}\n", id="blocks"),
        pytest.param("python", b"x = " + b"not " * DEEP + b"True\n", id="unary"),
        pytest.param("python", b"x = " + b"1+" * DEEP + b"1\n", id="sum"),
        pytest.param("cpp", b"A<" * 3000 + b"int" + b">" * 3000 + b" x;\n", id="templates"),
        pytest.param("markdown", b">" * DEEP + b" x\n", id="quotes"),
        pytest.param("yaml", b"x: " + b"[" * DEEP + b"]" * DEEP + b"\n", id="yaml"),
        pytest.param("javascript", b"function a(){" * 3000 + b"}" * 3000, id="functions"),
    ],
)
def test_deep_nesting_returns_quickly_as_text(language, text):
    LANGUAGES.get(language).compiled_query()
    start = time.process_time()
    facts = parse(text, language, skeleton_limit=1500)
    assert time.process_time() - start < 5
    assert not facts.parsed
    assert codes(facts) == ["too_deep"]


def test_moderate_nesting_is_parsed_and_descriptors_stay_bounded():
    text = b"function a(){" * 100 + b"}" * 100
    facts = parse(text, "javascript", skeleton_limit=100)
    assert facts.parsed
    assert 0 < len(facts.definitions) <= 64
    assert len(facts.skeleton) >= 100


def test_a_wide_table_is_parsed():
    facts = parse(b"int t[] = {" + b"1," * 20_000 + b"};\n", "c", skeleton_limit=1500)
    assert [found.descriptor for found in facts.definitions] == ["t."]


def test_a_long_name_is_data_and_no_name():
    text = b"function " + b"a" * 600 + b"() {}\nfunction b() {}\n"
    facts = parse(text, "javascript", skeleton_limit=100)
    assert [found.name for found in facts.definitions] == ["b"]


def test_definition_nodes_without_a_symbol_are_reported():
    facts = parse(b"function " + b"a" * 600 + b"() {}\n", "javascript", skeleton_limit=100)
    assert codes(facts) == ["no_symbols"]
    assert codes(parse(b"a()\n", "javascript", skeleton_limit=100)) == []


def test_syntax_errors_are_reported():
    assert codes(parse(b"def f(:\n  pass\n", "python", skeleton_limit=100)) == ["syntax_error"]


TORN_TEXTS = {
    "c": (b"int ok(void) { return 1; }\n\nint )))( {\n\nint fine(void) { return 2; }\n", "line 3"),
    "cpp": (b"int ok() { return 1; }\n\nint )))( {\n\nint fine() { return 2; }\n", "line 3"),
    "csharp": (b"class A {\n  int Ok() { return 1; }\n  int ) bad\n}\n", "line 3"),
    "go": (b"package a\n\nfunc ((( {\n\nfunc fine() int { return 2 }\n", "lines 3-5"),
    "java": (b"class A {\n  int ) bad\n  int fine() { return 2; }\n}\n", "lines 2-3"),
    "javascript": (b"function ((( {\n\nfunction fine() { return 2 }\n", "lines 1-3"),
    "kotlin": (b"fun ok() = 1\n\nfun ((( {\n\nfun fine() = 2\n", "lines 3-5"),
    "php": (b"<?php\nfunction ((( {\n\nfunction fine() { return 2; }\n", "line 2"),
    "python": (b"def ok():\n    return 1\n\nclass (((\n\ndef fine():\n    return 2\n", "line 4"),
    "ruby": (b"x = 1\n\ndef (((\n\ndef fine\n  2\nend\n", "lines 1-7"),
    "rust": (b"fn ((( {\n\nfn fine() -> i32 { 2 }\n", "lines 1-3"),
    "typescript": (b"function ((( {\n\nfunction fine() { return 2 }\n", "lines 1-3"),
}


@pytest.mark.parametrize("language", sorted(TORN_TEXTS))
def test_lines_that_could_not_be_read_are_told(language):
    text, lines = TORN_TEXTS[language]
    found = parse(text, language, skeleton_limit=100).diagnostics
    assert [each.detail for each in found if each.code == "torn_source"] == [lines]


def test_many_torn_places_are_counted():
    text = b"x = 1\n$ ?\ny = 2\n" * 9
    (told,) = (
        each.detail
        for each in parse(text, "python", skeleton_limit=100).diagnostics
        if each.code == "torn_source"
    )
    assert told == "lines 2, 5, 8, 11, 14 and 4 more places"


def test_matches_that_were_given_up_are_reported():
    lines = b'<a id="x">y</a>\n'
    assert codes(parse(lines * 5000, "html", skeleton_limit=600)) == ["incomplete_outline"]
    assert codes(parse(lines * 500, "html", skeleton_limit=600)) == []
    assert codes(parse(b"x.a = function() {}\n" * 3000, "javascript", skeleton_limit=600)) == []


def test_docstrings_are_comments_and_other_strings_are_strings():
    text = b'"""module"""\ndef f():\n    """doc"""\n    return "s", f"a{b[\'k\']}"  # end\n'
    facts = parse(text, "python", skeleton_limit=100)
    assert [text[a:b] for a, b in facts.comments] == [b'"""module"""', b'"""doc"""', b"# end"]
    assert [text[a:b] for a, b in facts.strings] == [b'"s"', b"f\"a{b['k']}\""]


def test_a_reference_has_the_most_telling_role():
    text = b"@dec(1)\nclass A(B):\n    x: C = d()\n"
    facts = parse(text, "python", skeleton_limit=100)
    found = [(text[ref.start : ref.end].decode(), ref.role) for ref in facts.references]
    assert found == [
        ("dec", Role.DECORATE),
        ("B", Role.INHERIT),
        ("C", Role.TYPE),
        ("d", Role.CALL),
    ]


def test_the_skeleton_opens_only_big_nodes_and_always_the_root():
    text = b"a = 1\ndef f():\n    b = 1\n    c = 2\n"
    closed = parse(text, "python", skeleton_limit=1000).skeleton
    assert [(block.kind, block.parent) for block in closed] == [
        ("expression_statement", -1),
        ("function_definition", -1),
    ]
    opened = parse(text, "python", skeleton_limit=14).skeleton
    inside = [block.kind for block in opened if block.parent >= 1]
    assert inside == ["identifier", "parameters", "block", *["expression_statement"] * 2]


def test_the_skeleton_of_regions_is_that_of_the_file_without_what_stands_outside():
    text = b"".join(b"def f%d():\n" % n + b"    if a:\n        b(1)\n" * 4 for n in range(6))
    parsed = parse_lazily(text, "python", skeleton_limit=20)
    whole = parsed.skeleton(())
    middle = text.index(b"def f3")
    for regions in ((middle + 9, middle + 60), (0, 5, middle, len(text)), (0, 12)):
        some = parsed.skeleton(regions)
        assert len(some) < len(whole)
        inside = [within(block, regions) for block in whole]
        assert set(inside) == {True, False}
        assert paths(some, regions) == paths(whole, regions)
    assert parsed.whole().skeleton == whole == parse(text, "python", skeleton_limit=20).skeleton


def within(block, regions):
    return any(a <= block.start < b for a, b in zip(regions[::2], regions[1::2], strict=True))


def paths(skeleton, regions):
    """Of every block that begins in a region: itself and all around it."""
    around = []
    for start, end, parent, kind in skeleton:
        around.append([(start, end, kind), *(around[parent] if parent >= 0 else ())])
    return [path for block, path in zip(skeleton, around, strict=True) if within(block, regions)]


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        (b"a/really_python.js", b"#!/usr/bin/env python3\nx", "python"),
        (b"a/cli.ts", b"#!/usr/bin/env node\nx", "typescript"),
        (b"a/cli.ts", b"#!/usr/bin/env -S deno run\nx", "typescript"),
        (b"a/script", b"#!/bin/bash\n", "bash"),
        (b"a/script", b"#! /usr/bin/python3.11 -I\n", "python"),
        (b"a/script", b"#!/usr/bin/env -S A=1 ruby -w\n", "ruby"),
        (b"a/script", b"#!/opt/unknown/thing\n", ""),
        (b"a/script", b"echo hi\n", ""),
        (b"a/linguist.ts", b"<?xml version='1.0'?>\n<!DOCTYPE TS>", "xml"),
        (b"a/x.h", b"#include <stdio.h>\nint f(void);\n", "c"),
        (b"a/x.h", b"#pragma once\nnamespace n {\nclass A;\n}\n", "cpp"),
        (b"a/build.gradle", b"android { }", ""),
        (b"a/build.gradle.kts", b"android { }", "kotlin"),
        (b"a/App.vue", b"<template/>", "html"),
        (b"a/Dockerfile", b"FROM x\n", ""),
        (b"a/Makefile", b"all:\n", ""),
        (b"a/notes.xyzzy", b"hello", ""),
        (b"a/index", b"<!DOCTYPE html><p>", "html"),
        (b"a/page.inc", b"<?php f();", "php"),
        (b"a/.py", b"", ""),
        (b"a/SETUP.PY", b"", "python"),
        (b"a/dot.py.", b"", "python"),
        (b"a/space.py ", b"", "python"),
        (b"caf\xe9.py", b"", "python"),
        (b"a/x.d.ts", b"", "typescript"),
        (b"a/types.pyi", b"", "python"),
        (b"a/tsconfig.json", b"", "json"),
    ],
)
def test_a_file_is_in_the_language_that_its_name_and_head_tell(path, head, language):
    assert detect(path, head) == language
