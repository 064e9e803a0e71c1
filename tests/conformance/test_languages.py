"""What every registered language keeps to."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grainline.languages.base import LANGUAGES
from grainline.languages.detect import detect
from grainline.model.symbol import SymbolKind
from grainline.parsing import parse

CASES = Path(__file__).parent.parent / "cases" / "parsing"
SOURCE = re.compile(r"^````\w+\n(.*?)^````$", re.MULTILINE | re.DOTALL)
WANTED = {
    *("python", "javascript", "typescript", "tsx", "java", "kotlin", "go", "rust", "c", "cpp"),
    *("csharp", "ruby", "php", "swift", "scala", "bash", "sql", "html", "css", "json", "yaml"),
    *("toml", "xml", "markdown"),
}
PARTS = {
    *("name", "body", "receiver", "scope", "outer", "outer.single", "attribute", "docstring"),
    *("comment", "string", "import", "import.maybe"),
    *("ref.call", "ref.type", "ref.inherit", "ref.decorate"),
}
OUTSIDE = {"go", "rust", "cpp", "swift", "kotlin", "javascript", "typescript", "tsx", "ruby"}
"""Languages where a definition may stand outside of the type it belongs to."""

every_language = pytest.mark.parametrize("language", sorted(LANGUAGES.names()))


def sources(language):
    return SOURCE.findall((CASES / f"{language}.md").read_text(encoding="utf-8"))


def symbols(facts):
    return [(found.name, found.descriptor, found.kind) for found in facts.definitions]


def test_every_wanted_language_is_registered():
    assert set(LANGUAGES.names()) >= WANTED


@every_language
def test_a_module_is_named_for_its_language(language):
    assert LANGUAGES.get(language).name == language


@every_language
def test_a_query_compiles_and_its_captures_are_known(language):
    spec = LANGUAGES.get(language)
    query = spec.compiled_query()
    captures = {query.capture_name(index) for index in range(query.capture_count)}
    assert captures <= PARTS | {kind.value for kind in SymbolKind}
    assert captures & {kind.value for kind in SymbolKind}
    if spec.has_definitions:
        assert spec.definition_query().capture_count == 1


@every_language
def test_a_query_has_no_predicates(language):
    query = LANGUAGES.get(language).query
    assert not re.search(r"\(#[\w-]+[?!]", query), "predicates crash a bounded parse"


def test_no_two_languages_claim_one_suffix_name_or_interpreter():
    claims = [
        claim
        for spec in LANGUAGES
        for claim in (*spec.suffixes, *spec.file_names, *spec.interpreters)
    ]
    assert sorted(claims) == sorted(set(claims))


@every_language
def test_suffixes_and_interpreters_lead_to_the_language(language):
    spec = LANGUAGES.get(language)
    for suffix in spec.suffixes:
        assert detect(f"a/b{suffix}".encode(), b"") == language
    for name in spec.file_names:
        assert detect(f"a/{name}".encode(), b"") == language
    for word in spec.interpreters:
        assert detect(b"a/script", f"#!/usr/bin/env {word}\n".encode()) == language


@every_language
def test_a_language_has_cases_with_symbols(language):
    assert any(
        parse(source.encode(), language, skeleton_limit=500).definitions
        for source in sources(language)
    )


@every_language
def test_spans_lie_inside_nest_and_round_trip(language):
    for source in sources(language):
        text = source.encode()
        facts = parse(text, language, skeleton_limit=50)
        assert facts.parsed
        hold_together(text, facts)
        for found in facts.definitions:
            assert text[found.name_start : found.name_end].decode() == found.name
            if found.parent >= 0 and language not in OUTSIDE:
                around = facts.definitions[found.parent]
                assert around.start <= found.start <= found.end <= around.end


def hold_together(text, facts):
    """The laws that hold for the facts of any bytes."""
    definitions = facts.definitions
    assert list(definitions) == sorted(definitions, key=lambda found: (found.start, -found.end))
    assert len({found.descriptor for found in definitions}) == len(definitions)
    for index, found in enumerate(definitions):
        assert -1 <= found.parent < index
        assert 0 <= found.start <= found.signature_start <= found.name_start
        assert found.name_start < found.name_end <= found.signature_end <= found.end <= len(text)
        assert 0 <= found.doc_start <= found.doc_end <= len(text)
    for earlier, later in pairwise(definitions):
        assert later.start >= earlier.end or later.end <= earlier.end
    for spans in (facts.comments, facts.strings, facts.import_spans):
        assert all(before.end <= after.start for before, after in pairwise(spans))
        assert all(0 <= span.start < span.end <= len(text) for span in spans)
    for found in (*facts.references, *facts.imports):
        assert 0 <= found.start < found.end <= len(text)
    assert list(facts.references) == sorted(facts.references)
    nests(facts.skeleton, len(text))


def nests(skeleton, size):
    last = {}
    for index, block in enumerate(skeleton):
        assert -1 <= block.parent < index
        around = skeleton[block.parent] if block.parent >= 0 else None
        low, high = (around.start, around.end) if around else (0, size)
        assert max(low, last.get(block.parent, 0)) <= block.start < block.end <= high
        last[block.parent] = block.end


@every_language
def test_line_endings_change_no_symbol(language):
    for source in sources(language):
        lf = source.encode()
        crlf = lf.replace(b"\n", b"\r\n")
        assert symbols(parse(lf, language, skeleton_limit=500)) == symbols(
            parse(crlf, language, skeleton_limit=500)
        )


@every_language
def test_a_byte_order_mark_changes_no_symbol(language):
    for source in sources(language):
        text = source.encode()
        marked = parse(b"\xef\xbb\xbf" + text, language, skeleton_limit=500)
        assert symbols(marked) == symbols(parse(text, language, skeleton_limit=500))


@every_language
@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_bytes_raise_and_all_facts_hold_together(language, data):
    text = data.draw(st.one_of(st.binary(max_size=300), damaged(language)))
    hold_together(text, parse(text, language, skeleton_limit=data.draw(st.integers(1, 200))))


@st.composite
def damaged(draw, language):
    """A source with a piece cut out, doubled or replaced."""
    text = draw(st.sampled_from(sources(language))).encode()
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 200)))
    piece = draw(st.one_of(st.just(b""), st.just(text[start:end] * 2), st.binary(max_size=20)))
    return text[:start] + piece + text[end:]
