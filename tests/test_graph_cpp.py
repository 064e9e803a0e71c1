"""C++ in the graph: overloads by descriptor, whatever the source or the IR, seeded faults."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from grainline.graph.resolve import resolve
from grainline.graph.typed import cpp_names, cpp_overloads, cpp_program
from grainline.graph.units import Unit
from grainline.languages._cpp_macros import without_macros
from grainline.languages._cpp_torn import without_torn
from grainline.languages.cpp import LANGUAGE
from grainline.model.edge import EdgeType, Tier
from grainline.model.ir import TABLES
from grainline.model.ircheck import IrError, check_ir
from helpers.graphs import dotted, edges_of, graph_of, unit

SAMPLE = """\
#include "b.hpp"
#include <memory>
#define CHECK(x) (x)
#define NAME other
namespace a::b { inline namespace v1 { namespace {
template <> struct F<int> : public virtual G<T>, private ns::H { F(int a) : G<T>(a), x_{1} {} ~F(); int x_; };
void F<int>::foo(int) const noexcept override { }
} } }
namespace fs = std::filesystem; using namespace std; using std::string;
struct A { A(int a = 1); A() = delete; virtual int f() const = 0; int f(); using B::B; friend void g(A); enum { P }; struct { int u; };
  template <class U> U h(U&& u) { return this->template h<U>(std::forward<U>(u)); } bool operator==(const A& o) const; operator bool() const;
  std::function<void(int)> cb; void (*fp)(int); int operator()(int x) const; int operator[](int); A* operator->(); class In; };
class A::In final : public A { void x() override; };
int A::f() { A a1(1); A a2{1}; A a3 = A(2); auto a4 = new A(1); auto* p = &a1; A a5; A a6(b()); A a7(a1);
  for (auto& [k, v] : m) {} for (A& q : qs) { q.f(); } delete p; throw E(1);
  try { f(); } catch (const E& e) { e.f(); } static_cast<A*>(x)->f(); if (auto it = m.find(1); it != m.end()) {}
  auto u = std::make_unique<A>(1); u->f(); x[1] = 2; std::vector<A> v{1}; A b1(), c1(int);
  while (A* y = next()) { y->A::f(); } int (*fp2)(int) = &g2; fp2(1); ::foo(); this->cb = [&, w = 1](int z) -> int { return z; };
  sizeof(A); new A[3]; a1 ? b : c; decltype(x) y; A::In::c(); a1 << a2; a1 == a2; co_await x; switch (x) { case 1: f(); default: break; }
  do { f(); } while (0); return a1.h(a2).f(); }
template <class T, int N = 3, typename... Args> auto ff(Args&&... args) -> T { return g(std::forward<Args>(args)...); }
enum class E : int { X, Y }; typedef struct S { int x; } S_t; typedef int (*cb_t)(int); union U { int a; };
extern "C" { void cfun(int); } extern "C" int h2(); struct foo *make(void); template class F<int>;
static int s = f3(); extern int q; int arr[] = {1, 2}; A glob(1, "x"); concept C = true;
TEST_F(A, Case) { f(); }
TEST_CASE("x") { A local(1); local.f(); }
#if TORN
void torn(int x) {
#else
void torn(long x) {
#endif
  f(); }
"""
OTHER = """\
#pragma once
struct E { int f() const; }; struct G2 : G2 { void f(); }; template <class T> struct B : B<B<T>> { T t; };
struct C1 : C2 { void f(); }; struct C2 : C1 { void f(); }; int g2(int); namespace q { using namespace r; } namespace r { using namespace q; }
using X1 = X2; using X2 = X1;
"""


def units():
    return [unit("a.cpp", SAMPLE.encode()), unit("b.hpp", OTHER.encode())]


def calls_of(files):
    """Names of the source and descriptors of the targets of calls."""
    return [
        (edge.dst.path.decode(), edge.dst.descriptor, edge.tier)
        for edge in graph_of(files).edges
        if edge.type is EdgeType.CALLS
    ]


def test_the_sample_is_understood():
    found = unit("a.cpp", SAMPLE.encode())
    check_ir(found.ir, size=len(SAMPLE))
    assert len(resolve(units()).edges) > 40


def test_an_overload_is_the_one_that_fits():
    text = """struct A {}; struct B : A {};
void f(int x) {} void f(double x) {} void f(const A& a) {} void f(const char* s) {} void f(int x, int y) {}
void run(B b, unsigned u) { f(1); f(1.5); f(b); f("x"); f(1, 2); f(u); }
"""
    found = calls_of({"a.cpp": text})
    assert [row[1:] for row in found] == [
        ("f().", Tier.RESOLVED),
        ("f(+1).", Tier.RESOLVED),
        ("f(+2).", Tier.RESOLVED),
        ("f(+3).", Tier.RESOLVED),
        ("f(+4).", Tier.RESOLVED),
        ("f().", Tier.AMBIGUOUS),
        ("f(+1).", Tier.AMBIGUOUS),
    ]


def test_parameters_of_unknown_types_make_no_two_functions_one():
    text = """struct M {
  bool match(const other::View& s, int n) { return match(make(s), n); }
  template <typename C> bool match(C* s, int n) { return true; }
  template <typename S> bool match(const S& s, int n) { return true; }
  bool twice(decltype(x) a);
};
bool M::twice(decltype(x) a) { return twice(a); }
"""
    found = calls_of({"a.cpp": text})
    assert {row[2] for row in found if "match" in row[1]} == {Tier.AMBIGUOUS}
    assert [row for row in found if "twice" in row[1]] == [("a.cpp", "M#twice(+1).", Tier.RESOLVED)]


def test_a_method_of_what_does_not_change_is_the_constant_one():
    text = """struct A { int get() { return 1; } int get() const { return 2; } };
void run(A& a, const A& c, const A* p) { a.get(); c.get(); p->get(); auto copy = c; copy.get(); auto& same = c; same.get(); }
"""
    found = [row[1] for row in calls_of({"a.cpp": text})]
    assert found == ["A#get().", "A#get(+1).", "A#get(+1).", "A#get().", "A#get(+1)."]


def test_definitions_go_to_the_declaration_with_their_parameters():
    files = {
        "a.hpp": "struct A { int f(int x); int f(const char* s); int f(int x) const; };\n",
        "a.cpp": '#include "a.hpp"\nint A::f(const char* s) { return 1; }\nint A::f(int x) const { return 2; }\n'
        'int A::f(int x) { return 3; }\nint run(A& a) { return a.f(1) + a.f("x"); }\n',
    }
    assert [row[:2] for row in calls_of(files)] == [("a.cpp", "A#f(+2)."), ("a.cpp", "A#f().")]


# ------------------------------------------------------------------------------ the text


def test_macros_are_blanks_of_the_same_length():
    text = b"class API_EXPORT A : public B {\n  int x GUARDED_BY(m);\n};\nenum {\n  ONE_TWO\n};\nBEGIN_SPACE\nAPI_EXPORT int f();\n"
    found = without_macros(text)
    assert len(found) == len(text)
    assert b"EXPORT" not in found
    assert b"GUARDED" not in found
    assert b"BEGIN_SPACE" not in found
    assert b"ONE_TWO" in found


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_torn_condition_leaves_its_first_branch(newline):
    text = b"void f() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\n#if B\nint x;\n#else\nint y;\n#endif\n"
    text = text.replace(b"\n", newline)
    found = without_torn(text)
    assert len(found) == len(text)
    assert b"if (a) {" in found
    assert b"if (b) {" not in found
    assert b"#if B" in found
    assert b"int y;" in found


@pytest.mark.parametrize("seed", range(20))
def test_what_the_parser_reads_is_as_long_as_the_text(seed):
    draw = random.Random(seed)
    words = [b"#if A\n", b"#else\n", b"#endif\n", b"{", b"}", b"(", b")", b"\n", b'"', b"'", b"/*", b"//",
             b"class A_B C {", b"A_B(x)\n", b"\\\n", b"R\"(", b",", b":", b"\r\n"]  # fmt: skip
    text = b"".join(draw.choice(words) for _ in range(200))
    assert LANGUAGE.prepare is not None
    assert len(LANGUAGE.prepare(text)) == len(text)


# ------------------------------------------------------------------------------ hostile


def test_mutated_ir_is_refused_or_resolved():
    draw = random.Random(7)
    first, other = units()
    accepted = 0
    for _ in range(300):
        table = draw.choice(TABLES)
        rows = getattr(first.ir, table).copy()
        row, column = draw.randrange(len(rows)), draw.randrange(rows.shape[1])
        near = rows[row, column] + draw.randrange(-3, 4)
        rows[row, column] = draw.choice([near, rows[draw.randrange(len(rows)), column]])
        ir = replace(first.ir, **{table: rows})
        try:
            check_ir(ir, size=len(SAMPLE))
        except IrError:
            continue
        accepted += 1
        resolve([Unit(first.path, first.language, ir, first.outline), other])
    assert accepted > 60


@pytest.mark.parametrize("seed", range(40))
def test_broken_source_gives_a_graph(seed):
    draw = random.Random(seed)
    text = SAMPLE
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(text))
        text = (
            text[:at]
            + draw.choice(["", "{", "}", "(", ")", "<", ";", "new ", "::", "->"])
            + text[at + draw.randrange(30) :]
        )
    found = unit("a.cpp", text.encode())
    check_ir(found.ir, size=len(text.encode()))
    resolve([found, units()[1]])


HOSTILE = {
    "bases of bases": "struct C0 { void f() {} };\n"
    + "".join(f"struct C{n + 1} : C{n} {{ void f() {{ C{n}::f(); }} }};\n" for n in range(500)),
    "qualified for ever": "int x = " + "a::" * 3000 + "f();",
    "arguments of arguments": "void f() { " + "B<" * 200 + "C" + ">" * 200 + " x; x.g(); }",
    "aliases of aliases": "".join(f"using T{n + 1} = T{n};\n" for n in range(2000)) + "T2000 x;",
    "lambdas in lambdas": "void f() { " + "auto x = [&]() { " * 60 + "};" * 60 + " }",
    "many overloads": "".join(f"void f(A{n} a) {{}}\n" for n in range(200)) + "void g(X x) { f(x); }",
    "types that grow": "template <class T> struct B { B<B<T>> more(); };\nvoid f(B<int> b) { b"
    + ".more()" * 100 + "; }",
}  # fmt: skip


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_source_ends(source):
    graph = graph_of({"a.cpp": source})
    assert all(edge.candidates <= 64 for edge in graph.edges)


# ------------------------------------------------------------------------------ faults


def test_a_file_that_is_not_included_being_seen_is_noticed(monkeypatch):
    files = {
        "a.cpp": '#include "b.hpp"\nint run() { return f(); }\n',
        "b.hpp": "int f();\n",
        "b.cpp": '#include "b.hpp"\nint f() { return 1; }\n',
        "c.cpp": '#include "b.hpp"\nint f(int x, int y) { return 1; }\nint g() { return 1; }\n'
        "int use() { return g(); }\n",
        "d.cpp": '#include "b.hpp"\nint other() { return g(); }\n',
    }
    right = edges_of(graph_of(files), EdgeType.CALLS)
    assert ("calls", "a.run", "b.f", "resolved") in right
    assert not any(row[1] == "d.other" for row in right)
    real = cpp_names.Names._closures
    monkeypatch.setattr(
        cpp_names.Names,
        "_closures",
        lambda self: [frozenset(range(len(real(self))))] * len(real(self)),
    )
    assert any(row[1] == "d.other" for row in edges_of(graph_of(files), EdgeType.CALLS))


def test_a_base_that_keeps_hidden_names_is_noticed(monkeypatch):
    text = "struct A { void f(int x) {} };\nstruct B : A { void f(int x, int y) {} };\nvoid r(B& b) { b.f(1); }\n"
    assert not edges_of(graph_of({"a.cpp": text}), EdgeType.CALLS)
    monkeypatch.setattr(cpp_overloads.Signatures, "_ranks", lambda *_, **__: [])
    assert edges_of(graph_of({"a.cpp": text}), EdgeType.CALLS)


def test_a_static_function_of_another_file_is_never_meant(monkeypatch):
    files = {
        "a.hpp": "int f();\n",
        "a.cpp": '#include "a.hpp"\nint run() { return f(); }\n',
        "b.cpp": '#include "a.hpp"\nnamespace { int f() { return 1; } }\n',
    }
    assert edges_of(graph_of(files), EdgeType.CALLS) == [("calls", "a.run", "a.f", "resolved")]
    real = cpp_program.Program._space
    monkeypatch.setattr(
        cpp_program.Program,
        "_space",
        lambda self, number, path: (real(self, number, path)[0], False),
    )
    found = [edge for edge in graph_of(files).edges if edge.type is EdgeType.CALLS]
    assert [(edge.dst.path, dotted(edge.dst)) for edge in found] == [(b"b.cpp", "b.f")]


def test_c_alone_is_resolved_as_before():
    files = {
        "a.c": '#include "a.h"\nint run(void) { return f(); }\n',
        "a.h": "int f(void);\n",
        "b.c": '#include "a.h"\nint f(void) { return 1; }\n',
    }
    beside = {"x/z.cpp": "int f() { return 2; }\n"}
    assert calls_of({**files, **beside}) == calls_of(files) == [("b.c", "f().", Tier.RESOLVED)]
