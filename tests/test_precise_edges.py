"""Exact edges: what becomes of an index that is right, stale, foreign, or lies."""

from __future__ import annotations

import time
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline import precise
from grainline.graph.resolve import resolve
from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from grainline.precise import claims, scip
from grainline.precise.files import Sheet
from grainline.precise.index import (
    Document,
    Encoding,
    Index,
    Occurrence,
    Range,
    Relationship,
    Roles,
    SymbolInformation,
)
from grainline.precise.scip_export import Naming, export, write
from helpers.graphs import graph_of, unit
from helpers.precise import (
    defines,
    document,
    file,
    implements,
    index,
    means,
    module,
    own,
    place,
    rows,
)

LIB = "def f():\n    pass\n\n\nclass Base:\n    def run(self): pass\n"
APP = "from lib import f, Base as B\n\n\nclass Sub(B):\n    def run(self):\n        f()\n        return B()\n"
FILES = [file("lib.py", LIB), file("app.py", APP)]
INDEX = index(
    document(
        "lib.py",
        module(own("lib/__init__:")),
        defines(LIB, "f", own("lib/f().")),
        defines(LIB, "Base", own("lib/Base#")),
        defines(LIB, "run", own("lib/Base#run().")),
    ),
    document(
        "app.py",
        module(own("app/__init__:")),
        means(APP, "lib", own("lib/__init__:")),
        means(APP, "f", own("lib/f().")),
        means(APP, "Base as B", own("lib/Base#")),
        defines(APP, "Sub", own("app/Sub#")),
        means(APP, "B", own("lib/Base#"), nth=1),
        defines(APP, "run", own("app/Sub#run().")),
        means(APP, "f", own("lib/f()."), nth=1),
        means(APP, "B", own("lib/Base#"), nth=2),
        symbols=[
            implements(own("app/Sub#"), own("lib/Base#")),
            implements(own("app/Sub#run()."), own("lib/Base#run().")),
        ],
    ),
)  # fmt: skip
EXPECTED = [
    ("imports", "", "lib", ""),
    ("imports", "", "f", "f()."),
    ("imports", "", "Base", "Base#"),
    ("inherits", "Sub#", "B", "Base#"),
    ("overrides", "Sub#run().", "run", "Base#run()."),
    ("calls", "Sub#run().", "f", "f()."),
    ("instantiates", "Sub#run().", "B", "Base#"),
]


def test_occurrences_and_relationships_become_edges():
    found = precise.edges(INDEX, FILES)
    assert rows(found.edges, FILES) == EXPECTED
    assert {edge.tier for edge in found.edges} == {Tier.EXACT}
    assert {edge.methods for edge in found.edges} == {(Method.SCIP,)}
    assert found.reading.matched == (b"lib.py", b"app.py")
    assert (found.reading.occurrences, found.reading.mapped) == (6, 6)
    assert len(found.comparison.added) == len(found.edges)


def test_the_order_of_files_and_documents_does_not_matter():
    turned = Index(documents=INDEX.documents[::-1])
    assert precise.edges(turned, FILES[::-1]).edges == precise.edges(INDEX, FILES).edges


def test_bytes_in_edges_out():
    assert precise.edges(scip.read(write(INDEX)), FILES).edges == precise.edges(INDEX, FILES).edges


# ------------------------------------------------------------------------------ documents


@pytest.mark.parametrize(
    "changed",
    ["# new\n" + LIB, LIB.replace("Base", "Bass"), LIB[:20], "x = 1\n"],
    ids=["a line more", "another name", "shorter", "other text"],
)
def test_a_document_whose_text_is_not_ours_is_ignored_and_counted(changed):
    files = [file("lib.py", changed), FILES[1]]
    found = precise.edges(INDEX, files)
    assert found.edges == ()
    assert found.reading.stale == (b"lib.py",)


def test_text_in_the_index_must_be_ours():
    given_text = document("lib.py", module(own("lib/__init__:")), text=b"def f(): pass")
    found = precise.edges(index(given_text), FILES)
    assert found.reading.stale == (b"lib.py",)


def test_without_the_check_of_names_a_stale_document_would_give_wrong_edges(monkeypatch):
    files = [file("lib.py", "def g(): pass\n" * 9), FILES[1]]
    same_places = index(
        document("lib.py", defines("def g", "g", own("lib/f()."))), INDEX.documents[1]
    )
    assert precise.edges(same_places, files).edges == ()
    monkeypatch.setattr(claims._Claims, "_reads_as_named", lambda *_: None)
    assert precise.edges(same_places, files).edges != ()


def test_unknown_and_doubled_documents_are_counted_and_all_are_consumed():
    hidden = document("hidden.py", defines("x", "x", own("hidden/x.")))
    found = precise.edges(Index(documents=(*INDEX.documents, hidden, hidden)), FILES)
    assert found.reading.unknown == (b"hidden.py",)
    assert found.reading.refused == 1
    assert found.consumed == (b"app.py", b"hidden.py", b"lib.py")
    assert rows(found.edges, FILES) == EXPECTED


# ------------------------------------------------------------------------------ occurrences


def test_an_occurrence_that_reads_otherwise_is_not_believed():
    lying = document("app.py", means(APP, "return", own("lib/f().")))
    found = precise.edges(index(INDEX.documents[0], lying), FILES)
    assert found.edges == ()
    assert found.reading.unreadable == 1


def test_a_part_of_a_word_is_no_occurrence():
    text = "from lib import f\nffff()\n"
    files = [FILES[0], file("app.py", text)]
    found = precise.edges(
        index(
            INDEX.documents[0],
            document("app.py", Occurrence(Range(1, 0, 1, 1), own("lib/f()."), 0)),
        ),
        files,
    )
    assert found.edges == ()
    assert found.reading.unreadable == 1


def test_an_occurrence_outside_of_the_text_makes_its_document_stale():
    beyond = Occurrence(Range(99, 0, 99, 1), own("lib/f()."), 0)
    found = precise.edges(index(INDEX.documents[0], document("app.py", beyond)), FILES)
    assert found.reading.stale == (b"app.py",)


def test_parameters_and_locals_are_inside_and_other_packages_foreign():
    text = "import os\ndef f(x):\n    y = x\n    return os.path.join(y)\n"
    files = [file("a.py", text)]
    found = precise.edges(
        index(
            document(
                "a.py",
                defines(text, "f", own("a/f().")),
                means(text, "x", own("a/f().(x)"), nth=1),
                means(text, "y", "local 1", nth=1),
                means(text, "join", "tool m std 3 os/path/join()."),
            )
        ),
        files,
    )
    assert found.edges == ()
    reading = found.reading
    assert (reading.inside, reading.foreign, reading.mapped) == (2, 1, 0)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", Encoding)
def test_units_and_line_ends_of_a_tool_lead_to_the_same_call(newline, encoding):
    text = newline.join(("def f(): pass", "s = '🚀漢é'; f()", "t = 'é'; s = '🚀'; f()", ""))
    files = [file("a.py", text)]
    counted = Encoding.UTF16 if encoding is Encoding.UNSPECIFIED else encoding
    calls = [Occurrence(place(text, "f()", nth, counted), own("a/f()."), 0) for nth in (1, 2)]
    calls = [
        call._replace(range=call.range._replace(end_character=call.range[1] + 1)) for call in calls
    ]
    found = precise.edges(
        index(
            document(
                "a.py",
                defines(text, "f", own("a/f().")),
                *calls,
                encoding=encoding,
            )
        ),
        files,
    )
    starts = [i for i in range(len(files[0].text)) if files[0].text.startswith(b"; f()", i)]
    if newline != "\r":  # the grammar does not break lines there
        assert [edge.type for edge in found.edges] == [EdgeType.CALLS] * 2
    assert [edge.site.start for edge in found.edges] == [start + 2 for start in starts]


def test_a_place_that_can_mean_two_words_means_none():
    text = "def f(): pass\n'é', f, f\n"
    files = [file("a.py", text)]
    at = Occurrence(Range(1, 6, 1, 7), own("a/f()."), 0)
    two = "def f(): pass\n'é';f;f\n"
    sure = document("a.py", defines(text, "f", own("a/f().")), at, encoding=Encoding.UTF8)
    assert len(precise.edges(index(sure), files).edges) == 1
    files = [file("a.py", two)]
    unsure = document(
        "a.py",
        defines(two, "f", own("a/f().")),
        Occurrence(Range(1, 4, 1, 5), own("a/f()."), 0),
        encoding=Encoding.UNSPECIFIED,
    )
    found = precise.edges(index(unsure), files)
    assert len(found.edges) == 1  # in UTF-8 that place is `;`, which is no name


def test_overloads_that_share_a_symbol_are_a_set_and_those_with_their_own_are_not():
    text = "class A {\n  void f(int x) {}\n  void f(long x) {}\n  void g() { f(1); }\n}\n"
    files = [file("A.java", text)]
    shared = document(
        "A.java", defines(text, "f", own("A#f().")), means(text, "f", own("A#f()."), nth=2)
    )
    found = precise.edges(index(shared), files).edges
    assert [(edge.dst.descriptor, edge.candidates) for edge in found] == [
        ("A#f().", 2),
        ("A#f(+1).", 2),
    ]
    apart = document(
        "A.java",
        defines(text, "f", own("A#f().")),
        defines(text, "f", own("A#f(+1)."), nth=1),
        means(text, "f", own("A#f(+1)."), nth=2),
    )
    found = precise.edges(index(apart), files).edges
    assert [(edge.dst.descriptor, edge.candidates) for edge in found] == [("A#f(+1).", 1)]


def test_a_constructor_is_called_and_its_class_instantiated():
    text = "class Cat { constructor() {} }\nfunction f() { new Cat(); }\n"
    files = [file("a.ts", text)]
    found = precise.edges(
        index(
            document(
                "a.ts",
                defines(text, "Cat", own("a/Cat#")),
                defines(text, "constructor", own("a/Cat#`<constructor>`().")),
                means(text, "Cat", own("a/Cat#`<constructor>`()."), nth=1),
            )
        ),
        files,
    )
    kinds = {(edge.type, edge.dst.descriptor) for edge in found.edges}
    assert (EdgeType.INSTANTIATES, "Cat#") in kinds
    assert len(kinds) == 2


# ------------------------------------------------------------------------------ relations


def test_contracts_are_implemented_and_what_follows_is_not_said_twice():
    text = "interface I { void f(); }\nclass A implements I { public void f() {} }\nclass B extends A { public void f() {} }\n"
    files = [file("A.java", text)]
    names = (own("I#"), own("A#"), own("B#"))
    methods = tuple(name + "f()." for name in names)
    found = precise.edges(
        index(
            document(
                "A.java",
                *(
                    defines(text, word, name, nth)
                    for word, name, nth in zip("IAB", names, (0, 0, 0), strict=True)
                ),
                *(defines(text, "f", name, nth) for nth, name in enumerate(methods)),
                symbols=[
                    implements(names[1], names[0]),
                    implements(names[2], names[1], names[0]),
                    implements(methods[1], methods[0]),
                    implements(methods[2], methods[1], methods[0]),
                ],
            )
        ),
        files,
    )
    assert [(e.type.value, e.src.descriptor, e.dst.descriptor) for e in found.edges] == [
        ("implements", "A#", "I#"),
        ("overrides", "A#f().", "I#f()."),
        ("inherits", "B#", "A#"),
        ("overrides", "B#f().", "A#f()."),
    ]


def test_a_symbol_without_a_place_is_what_defines_it():
    alias = SymbolInformation(
        own("x/alias."), relationships=(Relationship(own("lib/f()."), definition=True),)
    )
    text = "f()\n"
    files = [FILES[0], file("b.py", text)]
    found = precise.edges(
        index(
            INDEX.documents[0], document("b.py", means(text, "f", own("x/alias.")), symbols=[alias])
        ),
        files,
    )
    assert rows(found.edges, files) == [("calls", "", "f", "f().")]


# ------------------------------------------------------------------------------ comparison


@cache
def known_edges():
    return resolve([unit(each.path.decode(), each.text) for each in FILES]).edges


def test_a_known_edge_is_upgraded_and_keeps_its_methods():
    known = known_edges()
    found = precise.edges(INDEX, FILES, known)
    assert found.comparison.contradicted == ()
    assert {edge.type for edge in found.comparison.upgraded} >= {
        EdgeType.CALLS, EdgeType.INSTANTIATES, EdgeType.INHERITS, EdgeType.OVERRIDES, EdgeType.IMPORTS,
    }  # fmt: skip
    for edge in found.comparison.upgraded:
        (same,) = (
            e
            for e in found.edges
            if (e.type, e.src, e.dst, e.site) == (edge.type, edge.src, edge.dst, edge.site)
        )
        assert same.tier is Tier.EXACT
        assert set(same.methods) == {*edge.methods, Method.SCIP}


def call(site, descriptor, path=b"lib.py", tier=Tier.RESOLVED):
    return Edge(
        EdgeType.CALLS, Symbol(b"app.py", "Sub#run()."), Symbol(path, descriptor), site, (Method.SCOPE,), tier, 1
    )  # fmt: skip


SITE = Span(APP.index("f()"), APP.index("f()") + 1)


@pytest.mark.parametrize("tier", [Tier.RESOLVED, Tier.FLOWED])
def test_another_target_is_contradicted_counted_and_both_are_kept(tier):
    wrong = call(SITE, "Base#run().", tier=tier)
    found = precise.edges(INDEX, FILES, [wrong])
    ((edge, targets, foreign),) = found.comparison.contradicted
    assert (edge, targets, foreign) == (wrong, (Symbol(b"lib.py", "f()."),), "")
    assert found.comparison.counts(tier)["contradicted"] == 1
    both = [e for e in precise.merge([wrong], found.edges) if e.site == SITE]
    assert [(e.dst.descriptor, e.tier, e.candidates) for e in both] == [
        ("Base#run().", tier, 2),
        ("f().", Tier.EXACT, 2),
    ]


def test_a_namesake_of_foreign_code_is_contradicted():
    outside = index(
        INDEX.documents[0], document("app.py", means(APP, "f", "tool m other 1 f().", nth=1))
    )
    found = precise.edges(outside, FILES, [call(SITE, "f().")])
    assert found.edges == ()
    ((_, targets, foreign),) = found.comparison.contradicted
    assert (targets, foreign) == ((), "other f().")


def test_a_value_that_foreign_code_calls_is_not_contradicted_by_it():
    outside = index(
        INDEX.documents[0], document("app.py", means(APP, "f", "tool m other 1 f().", nth=1))
    )
    found = precise.edges(outside, FILES, [call(SITE, "Base#run().")])
    assert found.comparison.counts() == {
        "upgraded": 0, "contradicted": 0, "refined": 0, "unmatched": 1, "implied": 0,
    }  # fmt: skip


def test_a_symbol_of_this_package_that_the_index_lost_tells_nothing():
    lost = index(INDEX.documents[0], document("app.py", means(APP, "f", own("gone/f()."), nth=1)))
    found = precise.edges(lost, FILES, [call(SITE, "f().")])
    assert found.comparison.contradicted == ()
    assert found.reading.inside == 1


def test_an_overriding_method_refines_what_is_declared():
    text = "def go(b):\n    b.run()\n"
    files = [*FILES, file("go.py", text)]
    site = Span(text.index("run"), text.index("run") + 3)
    known = Edge(
        EdgeType.CALLS, Symbol(b"go.py", "go()."), Symbol(b"app.py", "Sub#run()."), site, (Method.FLOW,), Tier.FLOWED, 1
    )  # fmt: skip
    extended = index(
        *INDEX.documents, document("go.py", means(text, "run", own("lib/Base#run().")))
    )
    found = precise.edges(extended, files, [known])
    assert found.comparison.refined == (known,)
    assert [e.dst.descriptor for e in found.edges if e.src.path == b"go.py"] == ["Base#run()."]


def test_a_variable_that_is_called_tells_nothing_of_what_it_holds():
    text = "def f(): pass\nh = f\nh()\n"
    files = [file("a.py", text)]
    site = Span(text.rindex("h"), text.rindex("h") + 1)
    known = Edge(
        EdgeType.CALLS, Symbol(b"a.py", ""), Symbol(b"a.py", "f()."), site, (Method.FLOW,), Tier.FLOWED, 1
    )  # fmt: skip
    found = precise.edges(
        index(
            document("a.py", defines(text, "h", own("a/h.")), means(text, "h", own("a/h."), nth=1))
        ),
        files,
        [known],
    )
    assert found.comparison.unmatched == (known,)
    assert [(e.type.value, e.dst.descriptor) for e in found.edges] == [("references", "h.")]


def test_a_variable_that_is_imported_tells_nothing_of_what_it_holds():
    lib, text = "def f(): pass\nh = f\n", "from lib import h\n"
    files = [file("lib.py", lib), file("a.py", text)]
    known = resolve([unit("lib.py", files[0].text), unit("a.py", files[1].text)]).edges
    (imports,) = (e for e in known if e.type is EdgeType.IMPORTS and e.dst.descriptor == "f().")
    found = precise.edges(
        index(
            document("lib.py", defines(lib, "h", own("lib/h."))),
            document("a.py", means(text, "h", own("lib/h."))),
        ),
        files,
        known,
    )
    assert found.comparison.contradicted == ()
    assert imports in found.comparison.unmatched
    assert [e.dst.descriptor for e in found.edges] == ["h."]


def test_edges_of_statements_are_not_compared():
    implied = call(SITE, "f().")._replace(methods=(Method.PROTOCOL,))
    assert precise.edges(INDEX, FILES, [implied]).comparison.implied == (implied,)


# ------------------------------------------------------------------------------ hostile indexes

SYMBOLS = [
    own("lib/f()."),
    own("lib/Base#"),
    own("app/Sub#run()."),
    own("lib/__init__:"),
    "local 1",
    "x y z 1 q.",
    "",
]
ranges = st.builds(
    Range, st.integers(0, 8), st.integers(0, 30), st.integers(0, 8), st.integers(0, 30)
)
relations = st.builds(
    Relationship,
    st.sampled_from(SYMBOLS),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
lies = st.builds(
    Index,
    documents=st.lists(
        st.builds(
            Document,
            path=st.sampled_from([b"lib.py", b"app.py", b"no.py"]),
            encoding=st.sampled_from(Encoding),
            occurrences=st.lists(
                st.builds(Occurrence, ranges, st.sampled_from(SYMBOLS), st.integers(0, 3)),
                max_size=6,
            ).map(tuple),
            symbols=st.lists(
                st.builds(
                    SymbolInformation,
                    st.sampled_from(SYMBOLS),
                    relationships=st.lists(relations, max_size=3).map(tuple),
                ),
                max_size=4,
            ).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
)


def misread(edges):
    """Edges at a site that is no word of the file."""
    sheets = {each.path: Sheet(each) for each in FILES}
    return [edge for edge in edges if sheets[edge.src.path].word(edge.site) is None]


@settings(deadline=None)
@given(lies)
def test_whatever_an_index_says_every_edge_is_between_symbols_of_ours_at_a_word_of_the_text(lie):
    found = precise.edges(lie, FILES, known_edges())
    outlines = {Symbol(each.path, d.descriptor) for each in FILES for d in each.facts.definitions}
    modules = {Symbol(each.path, "") for each in FILES}
    known_sites = {(edge.src.path, edge.site) for edge in known_edges()}
    for edge in found.edges:
        assert {edge.src, edge.dst} <= outlines | modules
    assert misread(e for e in found.edges if (e.src.path, e.site) not in known_sites) == []
    reading = found.reading
    assert reading.occurrences == (
        reading.mapped + reading.foreign + reading.inside + reading.unreadable
    )
    assert reading.documents == (
        len(reading.matched) + len(reading.stale) + len(reading.unknown) + reading.refused
    )


def test_the_check_of_words_is_what_keeps_lies_out(monkeypatch):
    monkeypatch.setattr(claims, "reads", lambda *_: True)
    lie = document("app.py", Occurrence(Range(0, 0, 0, 2), own("lib/f()."), 0))
    found = precise.edges(index(INDEX.documents[0], lie), FILES)
    assert misread(found.edges)


def test_circles_of_relationships_end():
    names = [own("lib/Base#"), own("app/Sub#")]
    circle = [implements(names[0], *names), implements(names[1], *names)]
    documents = (
        INDEX.documents[0],
        document("app.py", defines(APP, "Sub", names[1]), symbols=circle),
    )
    found = precise.edges(index(*documents), FILES, known_edges())
    assert len([e for e in found.edges if e.type is EdgeType.INHERITS]) <= 2


# ------------------------------------------------------------------------------ export

NAMING = Naming(package="own", version="1")


def test_an_export_reads_back_as_the_same_edges():
    known = [edge for edge in known_edges() if edge.tier is Tier.RESOLVED]
    found = precise.edges(scip.read(write(export(FILES, known, NAMING).index)), FILES, known)
    words = [e for e in known if Sheet(_file(e.src.path)).word(e.site) is not None]
    assert words
    assert set(words) <= set(found.comparison.upgraded)
    assert found.comparison.contradicted == ()
    assert found.comparison.unmatched == ()
    assert found.reading.stale == ()
    assert found.reading.unreadable == 0


def _file(path):
    return next(each for each in FILES if each.path == path)


def test_an_export_has_the_same_bytes_whatever_the_order():
    known = known_edges()
    assert write(export(FILES, known, NAMING).index) == write(
        export(FILES[::-1], known[::-1], NAMING).index
    )


def test_an_export_names_symbols_and_shows_signatures():
    symbols = {info.symbol: info for info in export(FILES, (), NAMING).index.documents[0].symbols}
    info = symbols["grainline . own 1 `app.py`/Sub#run()."]
    assert (info.name, info.kind, info.signature) == ("run", 26, "def run(self)")


def test_a_graph_of_decorators_and_lambdas_can_be_exported():
    source = "def d(f): return f\n@d\ndef g(): return (lambda: g())()\nfor x in g(): x()\n"
    files = [file("a.py", source)]
    found = export(files, graph_of({"a.py": source}).edges, NAMING).index
    assert isinstance(precise.edges(found, files).edges, tuple)
    assert any(each.roles & Roles.DEFINITION for each in found.documents[0].occurrences)


# ------------------------------------------------------------------------------ what sites read as


@pytest.mark.parametrize(
    ("words", "right"),
    [("'./lib-base'", True), ("'../lib-base.js'", True), ("'./lib'", False), ("'./base'", False)],
)
def test_a_module_is_named_by_the_whole_last_part_of_its_path(words, right):
    text = f"import {{ f }} from {words};\n"
    files = [file("a/lib-base.ts", "export function f() {}\n"), file("a/b.ts", text)]
    found = precise.edges(
        index(
            document("a/lib-base.ts", module(own("lib/"))),
            document("a/b.ts", means(text, words, own("lib/"))),
        ),
        files,
    )
    assert len(found.edges) == right
    assert found.reading.unreadable == (not right)


def test_private_names_of_javascript_are_words():
    text = "class A {\n  #go() {}\n  run() { this.#go(); }\n}\n"
    files = [file("a.ts", text)]
    sheet = Sheet(files[0])
    start = text.rindex("#go")
    assert sheet.word(Span(start, start + 3)) == "#go"
    assert sheet.word(Span(start + 1, start + 3)) == "go"
    assert sheet.word(Span(start, start + 2)) is None


def test_a_name_that_its_owner_exports_otherwise_is_read_where_it_is_imported():
    lib = "class Hono {}\nexport { Hono as HonoBase };\n"
    text = "import { HonoBase } from './lib';\nnew HonoBase();\nlet Other = 1; Other;\n"
    files = [file("lib.ts", lib), file("b.ts", text)]
    found = precise.edges(
        index(
            document("lib.ts", defines(lib, "Hono", own("lib/Hono#"))),
            document(
                "b.ts",
                means(text, "HonoBase", own("lib/Hono#"), nth=1),
                means(text, "Other", own("lib/Hono#"), nth=1),
            ),
        ),
        files,
    )
    assert rows(found.edges, files) == [("instantiates", "", "HonoBase", "Hono#")]
    assert found.reading.unreadable == 1


def test_what_making_a_value_runs_belongs_to_the_type_that_is_named():
    text = "class A:\n    def __new__(cls): pass\nclass B(A): pass\nA()\nB()\n"
    files = [file("a.py", text)]
    known = resolve([unit("a.py", files[0].text)]).edges
    called = {e.dst.descriptor for e in known if e.type is EdgeType.CALLS}
    assert called == {"A#__new__()."}
    found = precise.edges(
        index(
            document(
                "a.py",
                defines(text, "A", own("a/A#")),
                defines(text, "B", own("a/B#")),
                means(text, "A", own("a/A#"), nth=2),
                means(text, "B", own("a/B#"), nth=1),
            )
        ),
        files,
        known,
    )
    assert found.comparison.contradicted == ()
    assert [e.type.value for e in found.comparison.unmatched] == ["inherits", "calls"]


def test_a_hostile_index_does_not_cost_its_square():
    count = 400
    text = "".join(f"def f{i}(): pass\n" for i in range(count)) + "f1()\n"
    files = [file("a.py", text)]
    many = own("a/many().")
    names = [own(f"a/f{i}().") for i in range(count)]
    places = [Occurrence(Range(i, 4, i, 4 + len(f"f{i}")), name, 1) for i, name in enumerate(names)]
    same = [each._replace(symbol="x y z 1 `a b`().") for each in places]
    call = [Occurrence(Range(count, 0, count, 2), names[i % count], 0) for i in range(5_000)]
    symbols = [implements(name, *names) for name in names]
    one = implements("x y z 1 `a b`().", "x y z 1 `a b`().", many)
    started = time.process_time()
    found = precise.edges(
        index(
            document("a.py", *places, *call, symbols=symbols),
            document("b.py", *same),
            document("c.py", *same, symbols=[one]),
        ),
        [*files, file("b.py", text), file("c.py", text)],
        graph_of({"a.py": text}).edges,
    )
    assert time.process_time() - started < 30
    assert {edge.dst.descriptor for edge in found.edges if edge.type is EdgeType.CALLS} == {"f1()."}
