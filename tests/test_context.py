"""Contexts over a small corpus: what they hold, what they cost, how they are delimited."""

from __future__ import annotations

import ast
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.context import targets
from grainline.context.assemble import assemble
from grainline.context.cite import Reader, line_starts
from grainline.errors import BadInput
from grainline.model.access import Scope, View
from grainline.model.chunk import ChunkKind
from grainline.model.evidence import ContextOptions, EvidenceRole, Profile
from grainline.model.position import LineSpan, Span
from grainline.model.search import CoverageRecord, SnapshotState, State
from grainline.model.snapshot import (
    BlobId,
    Entry,
    Flag,
    FlagName,
    Mode,
    Outcome,
    RepositoryId,
    Snapshot,
)
from grainline.model.symbol import Definition, Import, SymbolKind
from grainline.storage.base import (
    PathPostings,
    Placement,
    Postings,
    ReferenceRow,
    RepositoryRecord,
    SymbolHit,
    SymbolPlaces,
)
from grainline.text.budget import estimate_tokens
from grainline.text.tokens import text_terms

COMMIT = "c0ffee" * 6 + "c0ff"


class FakeCorpus:
    """A scope over Python sources given as text; outlines and references come from `ast`."""

    def __init__(self, files, *, commit=COMMIT, dirty=False, refs=("refs/heads/main",)):
        self.scope = Scope(views=tuple(View(repository=RepositoryId("r"), ref=r) for r in refs))
        self._snapshot = Snapshot(
            repository=RepositoryId("r"), ref=refs[0], commit=commit, version=commit, dirty=dirty
        )
        self._repository = RepositoryRecord(
            id=RepositoryId("r"), name="demo", identity="/r", root="/r", prefix=b"", kind="bare"
        )
        self._files = [
            (path.encode("utf-8", "surrogateescape"), _bytes(text))
            for path, text in sorted(files.items())
        ]
        self._facts = [_facts(path, text) for path, text in self._files]
        self._chunks = [_chunks(entry, text, facts) for entry, (_, text), facts in self._rows()]
        flat = [row for rows in self._chunks for row in rows]
        self.doc_entry = np.array([row.entry for row in flat], np.int32)
        self.doc_start = np.array([row.start for row in flat], np.uint32)
        self._terms = {}
        for doc, row in enumerate(flat):
            for term in text_terms(self.text(row.entry)[row.start : row.end]):
                self._terms.setdefault(term.text, set()).add(doc)
        names = list(FlagName)
        self.entry_flags = np.array(
            [sum(1 << names.index(flag.name) for flag in _flags(path)) for path, _ in self._files],
            np.uint32,
        )

    def _rows(self):
        return zip(range(len(self._files)), self._files, self._facts, strict=True)

    @property
    def snapshots(self):
        return (SnapshotState(repository="demo", snapshot=self._snapshot, generation="9" * 16),)

    @property
    def n_docs(self):
        return len(self.doc_entry)

    @property
    def n_entries(self):
        return len(self._files)

    def postings(self, term):
        docs = np.array(sorted(self._terms.get(term, ())), np.int32)
        return Postings(docs, np.full(len(docs), 2 << 5 | 1, np.uint8))

    def path_postings(self, term):
        return PathPostings(np.zeros(0, np.int32), np.zeros(0, np.uint8))

    def path(self, entry):
        return self._files[entry][0]

    def language(self, entry):
        return "python" if self.path(entry).endswith(b".py") else "markdown"

    def entry(self, entry):
        path, text = self._files[entry]
        return Entry(
            path=path,
            mode=Mode.FILE,
            blob=BlobId(f"{entry:040x}"),
            language=self.language(entry),
            outcome=Outcome.INDEXED,
            reason=None,
            detail="",
            flags=_flags(path),
            symbols=len(self._facts[entry][0]),
            size=len(text),
            dirty=self._snapshot.dirty,
        )

    def repository(self, entry):
        return self._repository

    def snapshot(self, entry):
        return self._snapshot

    def find_entries(self, path):
        return tuple(n for n, (known, _) in enumerate(self._files) if known == path)

    def encoding(self, entry):
        return "utf-8"

    def text(self, entry):
        return self._files[entry][1]

    def chunks(self, entry):
        return self._chunks[entry]

    def outline(self, entry):
        return self._facts[entry][0]

    def imports(self, entry):
        return self._facts[entry][1]

    def references(self, entry, span=None, role=None):
        return self._facts[entry][2]

    def symbols_named(self, name):
        return tuple(
            SymbolHit(entry, row, found)
            for entry in range(self.n_entries)
            for row, found in enumerate(self.outline(entry))
            if found.name == name
        )

    def symbol_places(self, name, *, scoped=True):
        hits = self.symbols_named(name)
        kinds = list(SymbolKind)
        return SymbolPlaces(
            np.array([hit.entry for hit in hits], np.int64),
            np.array([hit.row for hit in hits], np.int64),
            np.array([hit.definition.name_start for hit in hits], np.int64),
            np.array([kinds.index(hit.definition.kind) for hit in hits], np.uint8),
            np.full(len(hits), -1),
            (),
            True,
        )

    def definition(self, entry, row):
        return self.outline(entry)[row]

    def symbol_names(self):
        return sorted({found.name for facts in self._facts for found in facts[0]})


def _bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def _flags(path):
    if path.startswith(b"tests/"):
        return (Flag(FlagName.TEST, "path:tests/"),)
    if path.endswith(b".md"):
        return (Flag(FlagName.DOCS, "suffix:.md"),)
    return ()


def _facts(path, text):
    if not path.endswith(b".py"):
        return (), (), ()
    starts = [0, *(found.end() for found in re.finditer(b"\n", text))]
    tree = ast.parse(text)
    definitions, imports, references = [], [], []

    def offset(line, column):
        return starts[line - 1] + column

    def visit(node, parent, scope):
        for child in ast.iter_child_nodes(node):
            row = parent
            if isinstance(child, ast.ClassDef | ast.FunctionDef):
                row = len(definitions)
                definitions.append(_definition(child, parent, scope, offset, text))
            elif isinstance(child, ast.Import | ast.ImportFrom):
                start, end = _span(child, offset)
                module = getattr(child, "module", "") or ""
                for alias in child.names:
                    name = alias.name if module else ""
                    imports.append(
                        Import(start, end, module or alias.name, name, alias.asname or "")
                    )
            elif isinstance(child, ast.Name | ast.Attribute):
                end = _span(child, offset)[1]
                name = child.id if isinstance(child, ast.Name) else child.attr
                role = "call" if isinstance(node, ast.Call) and node.func is child else "type"
                references.append(ReferenceRow(end - len(name.encode()), end, name, role))
            inner = scope if row == parent else definitions[row].descriptor
            visit(child, row, inner)

    visit(tree, -1, "")
    return tuple(definitions), tuple(imports), tuple(sorted(references))


def _span(node, offset):
    return offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)


def _definition(node, parent, scope, offset, text):
    start, end = _span(node, offset)
    is_class = isinstance(node, ast.ClassDef)
    body = node.body[0]
    name_start = text.index(node.name.encode(), start)
    doc_start = doc_end = start
    has_doc = isinstance(body, ast.Expr) and isinstance(body.value, ast.Constant)
    if has_doc and isinstance(body.value.value, str):
        doc_start, doc_end = _span(body, offset)
    body_start = offset(body.lineno, body.col_offset)
    signature = text[start:body_start].rstrip()
    kind = SymbolKind.CLASS if is_class else SymbolKind.METHOD if "#" in scope else None
    return Definition(
        name=node.name,
        kind=kind or SymbolKind.FUNCTION,
        descriptor=scope + node.name + ("#" if is_class else "()."),
        start=start,
        end=end,
        name_start=name_start,
        name_end=name_start + len(node.name.encode()),
        signature_start=start,
        signature_end=start + len(signature),
        doc_start=doc_start,
        doc_end=doc_end,
        parent=parent,
    )


def _chunks(entry, text, facts):
    """Every function is a chunk; what lies between is a block."""
    rows, at = [], 0
    functions = [
        (row, found)
        for row, found in enumerate(facts[0])
        if (found.kind is not SymbolKind.CLASS and facts[0][found.parent].kind is SymbolKind.CLASS)
        or (found.parent < 0 and found.kind is SymbolKind.FUNCTION)
    ]
    for row, found in functions:
        if at < found.start:
            rows.append((at, found.start, ChunkKind.BLOCK, -1))
        rows.append((found.start, found.end, ChunkKind.SYMBOL, row))
        at = found.end
    if at < len(text):
        rows.append((at, len(text), ChunkKind.BLOCK, -1))
    return tuple(
        Placement(entry, start, end, kind, symbol, -1, 0, 1, (end - start) // 4, f"{entry}:{start}")
        for start, end, kind, symbol in rows
    )


SHOP = {
    "src/shop/refund.py": '''\
"""Refunds."""
import logging
from decimal import Decimal

from shop.money import Money, round_half_up

log = logging.getLogger(__name__)
LIMIT = Decimal("100")


class RefundService:
    """Pays money back."""

    def __init__(self, gateway):
        self.gateway = gateway

    def apply(self, order, amount: Money) -> Money:
        """Refund part of an order."""
        if amount > LIMIT:
            raise ValueError("too much")
        fee = refund_fee(amount)
        paid = round_half_up(amount - fee)
        self.audit(order, paid)
        return self.gateway.send(order, paid)

    def audit(self, order, paid):
        log.info("refunded %s for %s", paid, order)

    def unrelated(self):
        return None


def refund_fee(amount):
    """The fee that is kept."""
    return amount * Decimal("0.02")


def close_shop():
    return "closed"
''',
    "src/shop/money.py": '''\
class Money:
    """An amount."""

    def __init__(self, value):
        self.value = value


def round_half_up(amount):
    return amount
''',
    "tests/test_refund.py": """\
from shop.refund import RefundService, refund_fee


def test_refund_fee_is_two_percent():
    assert refund_fee(100) == 2
""",
    "docs/guide.md": "# Guide\n\nThe fee comes from `refund_fee`; see there.\n\nOther text.\n",
}


def seed(corpus, path, name=None, score=1.0):
    """The chunk of a function (or the first chunk) as a ranked placement."""
    (entry,) = corpus.find_entries(path.encode("utf-8", "surrogateescape"))
    for row in corpus.chunks(entry):
        if name is None or (row.symbol >= 0 and corpus.outline(entry)[row.symbol].name == name):
            return row, score
    raise AssertionError(name)


def build(corpus, query="how is a refund applied", seeds=None, **options):
    if seeds is None:
        seeds = [seed(corpus, "src/shop/refund.py", "apply")]
    return assemble(corpus, query, seeds, ContextOptions(**options))


def lines_of(corpus, item):
    text = corpus.text(corpus.find_entries(item.place.path)[0]).decode("utf-8", "replace")
    rows = text.split("\n")
    return [row for span in item.spans for row in rows[span.start - 1 : span.end]]


def short(citation):
    """As headings of Markdown cite: the first twelve digits of a commit."""
    whole = str(citation)
    digits = len(citation.version) if citation.version.startswith("worktree:") else 12
    return whole[: len(whole) - len(citation.version) + digits]


def shown_lines(item):
    rows = item.text.split("\n")
    if rows and rows[-1] == "":
        rows.pop()
    return [row for row in rows if not row.startswith("[… ")]


@pytest.fixture(scope="module")
def shop():
    return FakeCorpus(SHOP)


def roles(result):
    return {(item.role, item.symbol.name if item.symbol else None) for item in result.items}


def test_a_function_brings_what_it_needs(shop):
    result = build(shop)
    assert {
        (EvidenceRole.TARGET, "apply"),
        (EvidenceRole.PARENT, "RefundService"),
        (EvidenceRole.TYPE, "Money"),
        (EvidenceRole.CALLEE, "refund_fee"),
        (EvidenceRole.IMPORT, None),
    } <= roles(result)
    names = {name for _, name in roles(result)}
    assert "audit" in names
    assert "unrelated" not in names
    assert "close_shop" not in names


def test_levels_gate_what_is_raised(shop):
    assert {item.level for item in build(shop, max_level=0).items} == {0}
    by_level = {level: roles(build(shop, max_level=level)) for level in range(5)}
    assert (EvidenceRole.IMPORT, None) not in by_level[0]
    assert (EvidenceRole.IMPORT, None) in by_level[1]
    assert (EvidenceRole.PARENT, "RefundService") not in by_level[1]
    assert (EvidenceRole.PARENT, "RefundService") in by_level[2]
    assert (EvidenceRole.CALLEE, "refund_fee") not in by_level[2]
    assert (EvidenceRole.CALLEE, "refund_fee") in by_level[3]
    whole = [item for item in build(shop, max_level=4).items if item.level == 4]
    assert [item.spans for item in whole] == [
        (LineSpan(1, SHOP["src/shop/refund.py"].count("\n")),)
    ]


def test_every_item_says_why_along_what_and_at_which_cost(shop):
    result = build(shop)
    for item in result.items:
        assert item.why
        assert item.tokens > 0
        assert item.via or item.role is EvidenceRole.TARGET
        for step in item.via:
            assert step.path in {path.encode() for path in SHOP}
            assert step.line > 0
            assert step.tier in {"resolved", "named", "ambiguous"}
    imports = next(item for item in result.items if item.role is EvidenceRole.IMPORT)
    assert "from shop.money import Money, round_half_up" in imports.text
    assert "logging" not in imports.text.replace("[… ", "")


def test_the_first_stands_first_and_the_others_in_path_order_then_file_order(shop):
    seeds = [seed(shop, "src/shop/refund.py", name, 2.0) for name in ("apply", "refund_fee")]
    result = build(shop, seeds=seeds, budget=20_000)
    order = [(item.place.path, item.place.span.start) for item in result.items]
    assert result.items[0].role is EvidenceRole.TARGET
    assert result.items[0].symbol.name == "apply"
    assert order[1:] == sorted(order[1:])
    assert order != sorted(order)
    assert len({item.place.path for item in result.items}) == len(SHOP)


def test_no_line_is_shown_twice(shop):
    for level in range(5):
        result = build(shop, max_level=level, budget=20_000)
        seen = set()
        for item in result.items:
            for span in item.spans:
                for line in range(span.start, span.end + 1):
                    assert (item.place.path, line) not in seen
                    seen.add((item.place.path, line))


def test_spans_name_exactly_the_shown_lines(shop):
    for level in range(5):
        for item in build(shop, max_level=level).items:
            assert shown_lines(item) == lines_of(shop, item)


def test_citations_name_the_commit_or_the_masked_blob():
    clean = build(FakeCorpus(SHOP))
    assert str(clean.items[0].place.citation).endswith("@" + COMMIT)
    dirty = build(FakeCorpus(SHOP, dirty=True))
    assert re.search(r"@worktree:[0-9a-f]{12}$", str(dirty.items[0].place.citation))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "latin-1"])
@pytest.mark.parametrize("text", ["", "a", "a\n", "\n\n", "a\r\nb\r\n", "a\nb", "ü\u0a00\nb\n"])
def test_lines_are_counted_by_line_feed_in_every_encoding(encoding, text):
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError:
        return
    starts = line_starts(data, encoding)
    ends = [*starts[1:], len(data)]
    rows = [data[start:end].decode(encoding) for start, end in zip(starts, ends, strict=True)]
    assert "".join(rows) == text
    assert rows == _rows(text)


def _rows(text):
    rows = [row + "\n" for row in text.split("\n")]
    rows[-1] = rows[-1].removesuffix("\n")
    return rows[:-1] if len(rows) > 1 and not rows[-1] else rows


def test_a_piece_of_a_very_long_line_is_shown_as_it_is():
    line = "".join(f"entry_{number}=value_{number};" for number in range(4000))
    corpus = FakeCorpus({"data.md": line})
    row, _ = seed(corpus, "data.md")
    middle = row._replace(start=40_000, end=41_000)
    result = build(corpus, "entry", [(middle, 1.0)], budget=900)
    (item,) = result.items
    assert item.text == line[40_000:41_000]
    assert item.spans == (LineSpan(1, 1),)
    assert item.place.span == Span(40_000, 41_000)


LONG = "def long_one(order, amount):\n    total = 0\n" + "".join(
    f"    step_{number} = prepare_{number}(order)\n" for number in range(200)
)
LONG += "    if amount.currency != order.currency:\n        raise CurrencyMismatch(order)\n"
LONG += "".join(f"    other_{number} = finish_{number}(order)\n" for number in range(200))
LONG += "    return total\n"


def test_a_long_function_enters_as_a_slice_about_the_question():
    corpus = FakeCorpus({"src/long.py": LONG})
    result = build(
        corpus,
        "where is a currency mismatch raised",
        [seed(corpus, "src/long.py", "long_one")],
        budget=900,
    )
    (item,) = result.items
    assert "def long_one(order, amount):" in item.text
    assert "        raise CurrencyMismatch(order)" in item.text
    assert "    return total" in item.text
    assert "step_150" not in item.text
    assert shown_lines(item) == lines_of(corpus, item)
    marks = re.findall(r"\[… lines (\d+)-(\d+) left out …\]", item.text)
    hidden = {n for first, last in marks for n in range(int(first), int(last) + 1)}
    shown = {n for span in item.spans for n in range(span.start, span.end + 1)}
    assert hidden
    assert not hidden & shown
    assert hidden | shown == set(range(1, LONG.count("\n") + 1))


def test_every_format_tells_the_whole_coverage(shop):
    coverage = CoverageRecord(
        snapshots=shop.snapshots,
        state=State.PARTIAL,
        not_covered=(("changed_since_indexed", 4),),
        channels=(("lexical", "on"), ("dense", "off: no vectors")),
        warnings=("two files <b>changed</b>",),
    )
    seeds = [seed(shop, "src/shop/refund.py", "apply")]
    for form in ("markdown", "compact", "json", "xml"):
        options = ContextOptions(format=form)
        result = assemble(shop, "refund", seeds, options, coverage=coverage)
        for told in ("demo", COMMIT[:12], "partial", "changed_since_indexed", "no vectors"):
            assert told in result.rendered, (form, told)
        assert "changed" in result.rendered.partition("two files")[2]
        assert result.coverage.state is State.PARTIAL


def test_a_file_that_changed_meanwhile_is_never_shown(shop):
    money = shop.find_entries(b"src/shop/money.py")[0]
    seeds = [seed(shop, "src/shop/refund.py", "apply")]
    asked = []

    def admit(entry):
        asked.append(entry)
        return entry != money

    result = assemble(shop, "refund", seeds, ContextOptions(), admit=admit)
    assert b"src/shop/money.py" not in {item.place.path for item in result.items}
    assert sorted(set(asked)) == sorted(asked)
    assert money in asked


@pytest.mark.parametrize("form", ["markdown", "compact", "json", "xml"])
@pytest.mark.parametrize("budget", [250, 400, 700, 1500, 8000])
def test_the_budget_holds_over_the_whole_output(shop, form, budget):
    seeds = [
        seed(shop, "src/shop/refund.py", "apply", 3.0),
        seed(shop, "src/shop/refund.py", "refund_fee", 2.0),
        seed(shop, "docs/guide.md", None, 1.0),
    ]
    result = build(shop, seeds=seeds, budget=budget, format=form)
    assert estimate_tokens(result.rendered) <= result.tokens <= budget


@pytest.mark.parametrize("form", ["markdown", "compact", "json", "xml"])
def test_the_target_comes_before_all_that_explains_it(shop, form):
    reader = Reader(shop)
    (target,) = targets.symbol(reader, "RefundService.apply")
    for budget in range(300, 1500, 100):
        options = ContextOptions(budget=budget, format=form)
        items = assemble(shop, "", [], options, targets=[target]).items
        assert not items or EvidenceRole.TARGET in {item.role for item in items}, budget
    assert items


def test_lines_inside_a_function_keep_its_signature(shop):
    reader = Reader(shop)
    found = targets.at(reader, "src/shop/refund.py:21-22")
    items = assemble(shop, "", [], ContextOptions(budget=700), targets=found).items
    target = next(item for item in items if item.role is EvidenceRole.TARGET)
    assert "    def apply(self, order, amount: Money) -> Money:" in target.text
    assert "        fee = refund_fee(amount)" in target.text


def test_a_bigger_budget_never_shows_less(shop):
    sizes = [
        sum(len(item.text) for item in build(shop, budget=budget).items)
        for budget in (300, 600, 1200, 2400, 4800)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


@pytest.mark.parametrize("form", ["markdown", "compact", "json", "xml"])
def test_a_budget_without_room_for_an_answer_is_refused_with_the_least(shop, form):
    with pytest.raises(BadInput, match=r"budget_too_small.*give at least \d+") as caught:
        build(shop, budget=3, format=form)
    least = int(re.findall(r"\d+", caught.value.hint)[0])
    assert build(shop, budget=least, format=form).items


@pytest.mark.parametrize("form", ["markdown", "compact", "json", "xml"])
def test_a_budget_that_holds_no_piece_is_answered_with_the_smallest_that_does(shop, form):
    empty, told = 0, 0
    for budget in range(20, 400, 10):
        try:
            result = build(shop, budget=budget, format=form)
        except BadInput:
            continue
        assert estimate_tokens(result.rendered) <= result.tokens <= budget
        if result.items:
            break
        empty += 1
        warning = result.coverage.warnings[-1]
        found = re.fullmatch(r"nothing fits in (\d+) tokens; the smallest .* is (\d+)", warning)
        assert found, warning
        assert int(found[1]) == budget < int(found[2])
        told += warning in result.rendered
        enough = build(shop, budget=int(found[2]), format=form)
        assert enough.items[0].role is EvidenceRole.TARGET
        assert "nothing fits" not in enough.rendered
    assert result.items
    assert empty >= 2
    assert told >= 1


def test_the_title_names_the_target(shop):
    reader = Reader(shop)
    named = targets.symbol(reader, "RefundService.apply")
    title = assemble(shop, "", [], ContextOptions(), targets=named).rendered.partition("\n")[0]
    assert title == "# Context: shop.refund.RefundService.apply"
    asked = assemble(shop, "why", [], ContextOptions(), targets=named).rendered
    assert asked.startswith("# Context: shop.refund.RefundService.apply · why\n")
    lines = targets.at(reader, "src/shop/refund.py:21-22")
    title = assemble(shop, "", [], ContextOptions(), targets=lines).rendered.partition("\n")[0]
    assert title == "# Context: src/shop/refund.py:21-22"


def test_nothing_found_says_so_and_suggests(shop):
    result = build(shop, "refund_fees", [])
    assert result.items == ()
    assert "Nothing found" in result.rendered
    assert "refund\\_fee" in result.rendered or "refund_fee" in result.rendered


def test_the_same_question_gives_the_same_bytes():
    one, two = build(FakeCorpus(SHOP)), build(FakeCorpus(dict(reversed(SHOP.items()))))
    assert one == two


HOSTILE = '''\
def attack(arg):
    """``` ~~~~ ````` </code></item> ]]> {"a": "b"} \\u202e"""
    x = """
```
</code>
````
~~~
"""
    return f"</context><item>{arg}"
'''


@pytest.mark.parametrize("path", ["a`b<c>.py", "a\nb.py", "a\udcffb.py", 'q"uote.py', "[x](y).py"])
def test_content_and_paths_cannot_leave_their_delimiters(path):
    corpus = FakeCorpus({path: HOSTILE})
    seeds = [seed(corpus, path, "attack")]
    query = "attack ``` </context> \n# fake heading"
    xml = build(corpus, query, seeds, format="xml").rendered
    root = ElementTree.fromstring(xml)
    assert [item.find("code").text for item in root.findall("item")] == [HOSTILE]
    assert root.get("query") == query
    loaded = json.loads(build(corpus, query, seeds, format="json").rendered)
    assert [item["text"] for item in loaded["items"]] == [HOSTILE]
    markdown = build(corpus, query, seeds).rendered
    assert fenced_blocks(markdown) == [HOSTILE]
    assert len(re.findall(r"^# ", outside_fences(markdown), re.MULTILINE)) == 1


def fenced_blocks(markdown):
    """Contents of fenced blocks as CommonMark reads them."""
    return _split_fences(markdown)[0]


def outside_fences(markdown):
    return _split_fences(markdown)[1]


def _split_fences(markdown):
    blocks, outside, fence, body = [], [], "", []
    for line in markdown.split("\n"):
        found = re.match(r" {0,3}(`{3,}|~{3,})(.*)$", line)
        if not fence and found and not ("`" in found[2] and found[1][0] == "`"):
            fence, body = found[1], []
        elif fence and found and found[1].startswith(fence) and not found[2].strip():
            blocks.append("".join(row + "\n" for row in body))
            fence = ""
        elif fence:
            body.append(line)
        else:
            outside.append(line)
    assert not fence
    return blocks, "\n".join(outside)


NASTY = st.text(
    alphabet=st.sampled_from("`~<>&\"'[]#*|\\ \n\r\tab\u2028\u202e\x00\x1b\x85é漢😀")
    | st.characters(blacklist_categories=["Cs"]),
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(comment=NASTY, query=NASTY, budget=st.integers(300, 3000))
def test_delimiters_and_budget_hold_for_any_content(comment, query, budget):
    text = comment.replace("\r", "").encode()
    corpus = FakeCorpus({"notes.md": text or b"x"})
    seeds = [seed(corpus, "notes.md")]
    wanted = (text or b"x").decode()
    for form in ("markdown", "compact", "json", "xml"):
        result = build(corpus, query, seeds, budget=budget, format=form)
        assert estimate_tokens(result.rendered) <= budget
        if form == "json":
            items = json.loads(result.rendered)["items"]
            assert [item["text"] for item in items] == [wanted] * len(items)
        elif form == "xml":
            for item in ElementTree.fromstring(result.rendered).findall("item"):
                assert len(item.find("code").text or "") == len(wanted)
        elif result.items:
            (block,) = fenced_blocks(result.rendered)
            assert block.rstrip("\n") == wanted.rstrip("\n")


@settings(max_examples=40, deadline=None)
@given(
    bodies=st.lists(st.integers(1, 60), min_size=1, max_size=8),
    budget=st.integers(200, 4000),
    level=st.integers(0, 4),
)
def test_budget_citations_and_spans_hold_for_any_file(bodies, budget, level):
    source = "".join(
        f"def part_{number}(value):\n"
        + "".join(f"    value = part_{line % len(bodies)}(value, {line})\n" for line in range(size))
        + "    return value\n\n"
        for number, size in enumerate(bodies)
    )
    corpus = FakeCorpus({"src/parts.py": source})
    seeds = [seed(corpus, "src/parts.py", f"part_{n}", 9.0 - n) for n in range(len(bodies))]
    result = build(corpus, "part value", seeds, budget=budget, max_level=level)
    assert estimate_tokens(result.rendered) <= result.tokens <= budget
    for item in result.items:
        assert shown_lines(item) == lines_of(corpus, item)
        assert short(item.place.citation) in result.rendered.replace("\\", "")


@pytest.mark.parametrize(
    ("query", "profile"),
    [
        ("who calls refund_fee", Profile.IMPACT),
        ("Traceback (most recent call last): ValueError", Profile.FAILURE),
        ("is this SQL injection", Profile.INJECTION),
        ("退款 权限 在哪里检查", Profile.PERMISSION),
        ("how does a refund work", Profile.UNDERSTANDING),
    ],
)
def test_auto_profile_follows_the_question(shop, query, profile):
    assert build(shop, query).profile is profile


def test_lines_are_a_target(shop):
    reader = Reader(shop)
    (target,) = targets.at(reader, "src/shop/refund.py:20-21")
    assert shop.outline(target.entry)[target.symbol].name == "apply"
    result = assemble(shop, "", [], ContextOptions(), targets=[target], reader=reader)
    first = next(item for item in result.items if item.role is EvidenceRole.TARGET)
    assert any(span.start <= 20 <= 21 <= span.end for span in first.spans)
    assert (EvidenceRole.CALLEE, "refund_fee") in roles(result)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("src/shop/refund.py:99", "no_such_line"),
        ("src/shop/nothing.py:1", "unknown_path"),
        ("src/shop/refund.py", "bad_position"),
        ("src/shop/refund.py:9-3", "bad_position"),
    ],
)
def test_a_position_that_is_not_there_is_an_error(shop, text, code):
    with pytest.raises(BadInput) as caught:
        targets.at(Reader(shop), text)
    assert caught.value.code == code


def test_a_symbol_is_a_target_by_any_tail_of_its_name(shop):
    reader = Reader(shop)
    for name in ("apply", "RefundService.apply", "shop.refund.RefundService.apply"):
        (target,) = targets.symbol(reader, name)
        assert shop.outline(target.entry)[target.symbol].name == "apply"
    with pytest.raises(BadInput, match="refund_fee"):
        targets.symbol(reader, "refund_fees")


def test_pasted_code_is_found_where_it_stands(shop):
    reader = Reader(shop)
    pasted = "fee = refund_fee(amount)\n        paid = round_half_up(amount - fee)\n"
    (target,) = targets.pasted(reader, pasted, range(shop.n_entries))
    assert reader.file(target.entry).lines(target.span) == LineSpan(21, 22)
    assert targets.pasted(reader, "this_is_nowhere = 1", range(shop.n_entries)) == ()


CASES = Path(__file__).parent / "cases" / "context"


def cases():
    """(name, files, question, budget, expectations) of every `##` heading."""
    found = []
    for file in sorted(CASES.glob("*.md")):
        for block in file.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, body = block.partition("\n")
            files = dict(re.findall(r"^```\w* path=(\S+)\n(.*?)^```$", body, re.S | re.M))
            lines = re.findall(r"^- (\w+): (.*)$", body, re.M)
            found.append(pytest.param(files, lines, id=f"{file.stem}: {title}"))
    return found


@pytest.mark.parametrize(("files", "lines"), cases())
def test_case(files, lines):
    """`seed`, `question`, `options`; then `shows`, `hides` (a line of code) and `item` (role name)."""
    corpus = FakeCorpus(files)
    seeds, options, query = [], {}, ""
    expectations = 0
    for key, value in lines:
        if key == "seed":
            path, _, name = value.partition(" ")
            seeds.append(seed(corpus, path, name or None, 10.0 - len(seeds)))
        elif key == "question":
            query = value
        elif key == "options":
            options = json.loads(value)
    result = build(corpus, query, seeds, **options)
    text = "".join(item.text for item in result.items)
    items = {f"{item.role} {item.symbol.name if item.symbol else '-'}" for item in result.items}
    for key, value in lines:
        if key in ("shows", "hides"):
            assert (value.strip("`") in text) == (key == "shows"), (value, text)
        elif key == "item":
            assert value in items
        elif key == "without":
            assert value not in items
        else:
            continue
        expectations += 1
    assert expectations


def test_cases_are_not_empty():
    assert len(cases()) >= 6


def test_references_of_a_span_are_found_by_bisection(shop):
    file = Reader(shop).file(shop.find_entries(b"src/shop/refund.py")[0])
    own = next(found for found in file.outline if found.name == "apply")
    names = [row.name for row in file.references_in(Span(own.start, own.end))]
    assert "refund_fee" in names
    assert "info" not in names
