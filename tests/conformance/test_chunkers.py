"""What every chunking strategy promises, over every registered one.

The promises are functions that name what is broken; each has a broken double that it must catch.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.chunking.base import CHUNKERS, ChunkOptions, Source
from grainline.chunking.headers import MAX_NAME, MAX_NAMES, MAX_SCOPE, MAX_SIGNATURE, clean
from grainline.chunking.outline import CALLABLES, VALUES
from grainline.languages.base import LANGUAGES
from grainline.model.chunk import EMPTY_HEADER, ChunkKind, ChunkSpan, Coverage, Header
from grainline.model.facts import Block, FileFacts
from grainline.model.position import Span
from grainline.model.symbol import Definition, SymbolKind
from grainline.parsing import parse
from grainline.text.tokens import WORD_BYTE, token_sums

NAMES = CHUNKERS.names()
ALONG_SYMBOLS = {
    "declaration": frozenset(SymbolKind) - VALUES,
    "function": CALLABLES,
    "grain": frozenset(SymbolKind) - VALUES,
}

# ---------------------------------------------------------------- the promises


def broken(chunker, source, options):
    """The promises that the chunks of `source` break, as words."""
    chunks = chunker.chunk(source, options)
    found = set()
    if chunks != chunker.chunk(replace(source), options):
        found.add("deterministic")
    if not source.text:
        return found | ({"empty"} if chunks else set())
    if any(not 0 <= chunk.start < chunk.end <= len(source.text) for chunk in chunks):
        return found | {"inside"}
    spans = [(chunk.start, chunk.end) for chunk in chunks]
    if spans != sorted(set(spans)):
        found.add("order")
    found |= broken_cover(chunker, source, chunks)
    found |= broken_cap(chunker, source, chunks, options)
    found |= broken_numbers(source, chunks)
    found |= broken_headers(source, chunks)
    found |= broken_borders(source, chunks, options)
    return found


def broken_cover(chunker, source, chunks):
    if chunker.coverage is Coverage.OVERLAPPING:
        covered = 0
        for chunk in chunks:
            if chunk.start > covered:
                return {"cover"}
            covered = max(covered, chunk.end)
        return set() if covered == len(source.text) else {"cover"}
    joined = b"".join(source.text[chunk.start : chunk.end] for chunk in chunks)
    return set() if joined == source.text else {"tiling"}


def broken_cap(chunker, source, chunks, options):
    if chunker.coverage is Coverage.UNCAPPED or options.cap is None:
        return set()
    for chunk in chunks:
        alone = int(token_sums(source.text[chunk.start : chunk.end])[-1])
        if max(alone, source.tokens(chunk.start, chunk.end)) > options.cap:
            return {"cap"}
    return set()


def broken_numbers(source, chunks):
    definitions = source.facts.definitions
    numbers = range(-1, len(definitions))
    count = Counter(chunk.symbol for chunk in chunks)
    seen = Counter()
    for chunk in chunks:
        if chunk.symbol not in numbers or chunk.parent not in numbers:
            return {"indices"}
        if chunk.symbol >= 0 and chunk.parent != definitions[chunk.symbol].parent:
            return {"indices"}
        expected = (0, 1) if chunk.symbol < 0 else (seen[chunk.symbol], count[chunk.symbol])
        if (chunk.part, chunk.parts) != expected:
            return {"parts"}
        seen[chunk.symbol] += 1
    return set()


def broken_headers(source, chunks):
    """Bounded, on one line each; the chunks of one symbol share its name, scope and signature."""
    headers = {}
    for chunk in chunks:
        name, scope, signature = chunk.header
        if "\n" in name + scope + signature:
            return {"header"}
        if len(scope) > MAX_SCOPE or len(signature) > MAX_SIGNATURE:
            return {"header"}
        if len(name) > MAX_NAMES * (MAX_NAME + 1):
            return {"header"}
        if 0 <= chunk.symbol < len(source.facts.definitions):
            if not name.startswith(clean(source.facts.definitions[chunk.symbol].name)):
                return {"header"}
            if headers.setdefault(chunk.symbol, (scope, signature)) != (scope, signature):
                return {"header"}
    return set()


def broken_borders(source, chunks, options):
    """A border inside a line needs a line above the target, or definitions that share it."""
    text = source.text
    valid = is_utf8(text)
    at_definition = {definition.start for definition in source.facts.definitions}
    for start in {chunk.start for chunk in chunks} - {0}:
        if text[start - 1 : start + 1] == b"\r\n":
            return {"borders"}
        if valid and text[start] & 0xC0 == 0x80:
            return {"borders"}
        if text[start - 1] == 10 or start in at_definition:
            continue
        line = text.rfind(b"\n", 0, start) + 1
        after = text.find(b"\n", start)
        allowed = min(limit for limit in (options.cap, options.target, 160) if limit)
        if source.tokens(line, after if after >= 0 else len(text)) <= allowed // 2:
            return {"borders"}
    return set()


def is_utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def strangers(source, chunks, kinds=frozenset(SymbolKind)):
    """Chunks that start inside a definition, below its first line, without belonging to it."""
    definitions = source.facts.definitions
    whole = [definition for definition in definitions if definition.kind in kinds]
    found = []
    for chunk in chunks:
        own = chunk.symbol if chunk.symbol >= 0 else chunk.parent
        for definition in whole:
            ends_later = b"\n" in source.text[chunk.start : definition.end].rstrip()
            if not (definition.start < chunk.start < definition.end and ends_later):
                continue
            if own < 0 or not related(definitions[own], definition):
                found.append((chunk, definition))
    return found


def related(one, other):
    return not (one.end <= other.start or other.end <= one.start)


# ---------------------------------------------------------------- what they are tried on

LINES = [
    b"def f(x):",
    b"    return x + 1",
    b"",
    b"   ",
    b"# a comment",
    "名前 = '値段が高い' # 👩‍👩‍👧‍👦 \u202e".encode(),
    b"x" * 70,
    b"\tif (a && b) { c(); } else { d(); }",
    b"\x00\x01 nul",
    b"\xff\xfe\xc3(",
    b'"' + b"word, " * 30 + b'"',
    b"}" * 40,
    b"\xef\xbb\xbfbom",
    b"\rlone\rcarriage\r",
]


@st.composite
def texts(draw):
    end = draw(st.sampled_from([b"\n", b"\r\n", b"\n\n"]))
    lines = draw(st.lists(st.sampled_from(LINES), max_size=60))
    tail = draw(st.sampled_from([b"", b"\n", b"no newline", b"\r", b"y" * 3000, b"\xe2\x82"]))
    return end.join(lines) + tail


@st.composite
def sources(draw):
    """A text with a random laminar outline and skeleton; spans at line starts or anywhere."""
    text = draw(texts())
    chance = random.Random(draw(st.integers(0, 2**32)))
    return source_of(text, facts_of(text, chance, by_lines=draw(st.booleans())))


def source_of(text, facts):
    return Source(text=text, facts=facts, token_sums=token_sums(text))


def facts_of(text, chance, *, by_lines):
    definitions = []
    for start, end, parent in laminar(text, chance, by_lines=by_lines, levels=3, most=5):
        kind = chance.choice(list(SymbolKind))
        name_end = min(end, start + chance.choice([3, 3, 3, 600]))
        head = min(end, start + chance.choice([1, 9, 9, 900]))
        name = "n" + text[start:name_end].decode("utf-8", "replace")
        spans = (start, end, start, name_end, start, head, start, start)
        definitions.append(Definition(name, kind, f"d{len(definitions)}", *spans, parent))
    blocks = laminar(text, chance, by_lines=False, levels=4, most=9)
    kinds = ("if_statement", "comment", "lambda_literal", "block")
    skeleton = [Block(start, end, parent, chance.choice(kinds)) for start, end, parent in blocks]
    return FileFacts(
        language=chance.choice(["", "python", "json", "markdown"]),
        parsed=True,
        definitions=tuple(definitions),
        skeleton=tuple(skeleton),
        comments=apart(text, chance),
        import_spans=apart(text, chance),
    )


def laminar(text, chance, *, by_lines, levels, most):
    """(start, end, parent) of nested spans, parents first, siblings in order."""
    found = []

    def divide(start, end, parent, level):
        places = [at for at in range(start, end + 1) if is_place(text, at, by_lines=by_lines)]
        count = min(chance.randrange(most), len(places) // 2)
        cuts = sorted(chance.sample(places, 2 * count))
        for low, high in zip(cuts[::2], cuts[1::2], strict=True):
            index = len(found)
            found.append((low, high, parent))
            if level < levels and high - low < end - start:
                divide(low, high, index, level + 1)

    if text:
        divide(0, len(text), -1, 1)
    return found


def is_place(text, at, *, by_lines):
    """Whether a syntax node may begin or end at an offset: never inside a word."""
    if by_lines:
        return text[at - 1 : at] in (b"", b"\n") or at == len(text)
    inside = WORD_BYTE[text[at - 1]] and WORD_BYTE[text[at]] if 0 < at < len(text) else False
    return not inside and text[at - 1 : at + 1] != b"\r\n"


def apart(text, chance):
    cuts = sorted(chance.sample(range(len(text) + 1), min(6, len(text) // 2 * 2)))
    return tuple(Span(low, high) for low, high in zip(cuts[::2], cuts[1::2], strict=True))


OPTIONS = st.builds(
    ChunkOptions, cap=st.sampled_from([16, 40, 400]), target=st.sampled_from([None, 1, 25, 160])
)

# ---------------------------------------------------------------- the suite


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(source=sources(), options=OPTIONS)
def test_a_chunker_keeps_its_promises_on_any_text(name, source, options):
    assert broken(CHUNKERS.get(name), source, options) == set()


@pytest.mark.parametrize("name", NAMES)
def test_a_chunker_has_the_name_of_its_module_and_a_version(name):
    chunker = CHUNKERS.get(name)
    assert chunker.name == name
    assert chunker.version >= 1


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_file_has_no_chunks(name):
    source = source_of(b"", FileFacts(language="python"))
    assert CHUNKERS.get(name).chunk(source, ChunkOptions()) == ()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("byte", [b"x", b"\xe2\x82\xac", b"ab "])
def test_one_line_of_a_megabyte_is_cut_under_the_cap(name, byte):
    text = byte * (1_000_000 // len(byte))
    source = source_of(text, FileFacts(language=""))
    assert broken(CHUNKERS.get(name), source, ChunkOptions(cap=400)) == set()


@pytest.mark.parametrize("name", ALONG_SYMBOLS)
@settings(max_examples=40, deadline=None)
@given(text=texts(), seed=st.integers(0, 2**32), options=OPTIONS)
def test_no_chunk_starts_in_a_symbol_that_it_does_not_belong_to(name, text, seed, options):
    facts = facts_of(text, random.Random(seed), by_lines=True)
    source = source_of(text, facts)
    chunks = CHUNKERS.get(name).chunk(source, options)
    assert strangers(source, chunks, ALONG_SYMBOLS[name]) == []


def program(language):
    """A source that looks real enough to have an outline, in many lines."""
    return PROGRAMS.get(language, PROGRAMS["python"]) * 3


PROGRAMS = {
    "python": b"""# licence of the file
import os
from a import (
    b,
)

LIMIT = 3  # at most


class Store(Base):
    \"\"\"Keeps rows.\"\"\"

    size: int = 0

    # opens the file
    @classmethod
    def open(cls, path):
        with open(path) as file:
            for line in file:
                if line:
                    yield line
        return None

    def close(self): pass


def main(argv):
    def inner(x):
        return x
    try:
        return inner(argv)
    except ValueError:
        raise


if __name__ == "__main__":
    main(1)
""",
    "json": b'{"name": "x", "list": [1, 2, {"a": "b"}],\n "scripts": {"test": "run"}}\n',
    "markdown": b"# Title\n\nSome words.\n\n## Part\n\n- one\n- two\n\n```py\nx = 1\n```\n",
    "java": b"package a;\nimport b.C;\n\n/** Doc. */\nclass D { int e;\n  int f() { return e; }\n}\n",
    "go": b'package a\n\nimport "b"\n\n// F does.\nfunc (t *T) F() int {\n\treturn 1\n}\n',
    "javascript": b"const a = require('a');\nclass B { c() { return 1 } }\n"
    b"describe('x', () => {\n  it('y', () => { a(); });\n});\n",
    "kotlin": b'plugins {\n  id("a")\n}\nandroid {\n  b {\n    c { d = 1 }\n  }\n}\n',
    "rust": b"use a::b;\n\n/// Doc.\nimpl C for D {\n    fn e(&self) -> u8 { 1 }\n}\n",
    "c": b"#include <a.h>\n/* doc */\nstatic int f(int x)\n{\n\tif (x) return 1;\n\treturn 2;\n}\n",
}

DRESSES = {
    "lf": lambda text: text,
    "crlf": lambda text: text.replace(b"\n", b"\r\n"),
    "bom": lambda text: b"\xef\xbb\xbf" + text,
    "emoji": lambda text: text.replace(b"a", "👩‍👩‍👧‍👦".encode()),
    "nul": lambda text: text.replace(b" ", b"\x00", 9),
    "invalid": lambda text: text + b"\xff\xfe\xc3(" + text,
    "one_line": lambda text: text.replace(b"\n", b" "),
    "cut_off": lambda text: text[: len(text) * 2 // 3],
}


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("language", LANGUAGES.names())
def test_every_chunker_keeps_its_promises_on_parsed_sources(language, dress):
    text = DRESSES[dress](program(language))
    for name in NAMES:
        chunker = CHUNKERS.get(name)
        source = source_of(text, parse(text, language, skeleton_limit=60))
        for cap in (24, 100, 400):
            options = ChunkOptions(cap=cap, target=cap // 2)
            assert broken(chunker, source, options) == set(), (name, cap)
            if name in ALONG_SYMBOLS and dress in ("lf", "crlf", "bom"):
                chunks = chunker.chunk(source, options)
                assert strangers(source, chunks, ALONG_SYMBOLS[name]) == [], (name, cap)


@pytest.mark.parametrize("name", NAMES)
def test_line_ends_do_not_change_what_a_chunker_finds(name):
    text = program("python")
    chunker = CHUNKERS.get(name)
    found = []
    for dressed in (text, DRESSES["crlf"](text)):
        source = source_of(dressed, parse(dressed, "python", skeleton_limit=60))
        chunks = chunker.chunk(source, ChunkOptions(cap=80, target=40))
        found.append(
            [(chunk.header, chunk.kind, dressed.count(b"\n", 0, chunk.start)) for chunk in chunks]
        )
    assert found[0] == found[1]


# ---------------------------------------------------------------- seeded faults


@dataclass
class Double:
    """A chunker that is right except for one fault."""

    spoil: object
    coverage: Coverage = Coverage.TILING
    name: str = "double"
    version: int = 1
    skeleton_limit: int = 600
    calls: int = 0

    def chunk(self, source, options):
        self.calls += 1
        inner = "lines" if self.coverage is Coverage.OVERLAPPING else "grain"
        chunks = list(CHUNKERS.get(inner).chunk(source, options))
        return tuple(self.spoil(chunks, self))


def change(index, **values):
    def spoil(chunks, double):
        chunks[index] = chunks[index]._replace(**values)
        return chunks

    return spoil


def move_border(chunks, double):
    at = chunks[1].start + 1
    return [chunks[0]._replace(end=at), chunks[1]._replace(start=at), *chunks[2:]]


def join_all(chunks, double):
    return [chunks[0]._replace(end=chunks[-1].end, parts=1)]


def jitter(chunks, double):
    return chunks if double.calls % 2 else chunks[::-1]


def one_for_nothing(chunks, double):
    return chunks or [ChunkSpan(0, 0, ChunkKind.BLOCK, -1, -1, EMPTY_HEADER)]


FAULTS = {
    "tiling": Double(lambda chunks, double: chunks[:-1]),
    "cover": Double(lambda chunks, double: chunks[1:], Coverage.OVERLAPPING),
    "cap": Double(join_all),
    "order": Double(lambda chunks, double: chunks[::-1]),
    "inside": Double(change(-1, end=1_000_000)),
    "deterministic": Double(jitter),
    "indices": Double(change(0, symbol=99)),
    "parts": Double(change(-1, part=1)),
    "header": Double(change(-1, header=Header("a", "b\nc", "d"))),
    "borders": Double(move_border),
    "empty": Double(one_for_nothing),
}


@pytest.mark.parametrize("promise", FAULTS)
def test_the_suite_catches_a_chunker_that_breaks_one_promise(promise):
    text = b"" if promise == "empty" else program("python") * 2
    source = source_of(text, parse(text, "python", skeleton_limit=60))
    options = ChunkOptions(cap=60, target=30)
    sound = Double(lambda chunks, double: chunks, FAULTS[promise].coverage)
    assert broken(sound, source, options) == set()
    assert promise in broken(FAULTS[promise], source, options)


def test_the_suite_catches_a_chunk_that_starts_in_a_stranger():
    text = program("python")
    source = source_of(text, parse(text, "python", skeleton_limit=60))
    chunks = CHUNKERS.get("grain").chunk(source, ChunkOptions(cap=60, target=30))
    at = text.index(b"        with open")
    moved = [ChunkSpan(at, chunk.end, *chunk[2:]) for chunk in chunks if chunk.symbol == 0]
    assert strangers(source, chunks) == []
    assert strangers(source, [*chunks, moved[0]._replace(symbol=-1, parent=-1)]) != []
