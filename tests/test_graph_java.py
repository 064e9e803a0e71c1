"""Java in the graph: whatever the source or the IR, an answer."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from grainline.graph.resolve import resolve
from grainline.graph.typed.overloads import Signatures
from grainline.graph.units import Unit
from grainline.languages.modules.base import Project
from grainline.languages.modules.java import JavaModules, root_folder
from grainline.model.edge import EdgeType, Tier
from grainline.model.ir import TABLES
from grainline.model.ircheck import IrError, check_ir
from helpers.graphs import dotted, graph_of, unit

SAMPLE = """\
package a.b;
import java.util.*;
import static x.Y.z;
import static x.Y.*;
@Ann(v = 1) public class A<T extends B & C> extends D<T> implements E, F<G> {
  static { x(); }
  private final int[] q = {1, 2}, r[] = null;
  @Override public <U> A(int a, String... b) throws Z { super(a); this.q = b; }
  enum K { P(1) { void f(){} }, Q; int z; }
  record R(int x, S y) { R { if (x < 0) throw new E(); } }
  @interface An { int v() default 1; }
  interface I { default void m() {} }
  List<? extends Foo> m(final a.b.C<D>.E f, A this) {
    for (int i = 0, j = 2; i < 3; i++) f(i);
    for (var o : os) o.p();
    try (Foo f = new Foo(); g) { } catch (E1 | E2 e) { e.f(); } finally { }
    if (o instanceof Foo f2 && o instanceof Pt(int x, var y)) {}
    switch (a) { case 1, 2: b(); break; default: c(); }
    int z = switch (a) { case Foo f3 when f3.x() -> 1; case null, default -> { yield 2; } };
    Runnable r = () -> x(), r2 = x -> { return x; }; f((int a1, b1) -> a1);
    f(Foo::bar, int[]::new, this::z, super::q, A.B::<T>new);
    new Foo<>(1) { int x; }; outer.new Inner(); new int[3][]; new Foo[]{a};
    (Foo) x; Foo.class; a[1] = 2; x += 1; x++; a ? b : c; A.this.x; A.super.m(); this.<T>foo();
    synchronized (this) { } do { } while(x); label: while (true) { break label; } assert x : y;
    class Local<V extends Local<V>> extends A<V> { V v; void g() { v.g(); this.m(null).get(0).h(); } }
    return c ? this.m(f) : null;
  }
}
"""
OTHER = """\
package a.b;
interface B { B g(); }
class D<T> extends A.K implements B { T t; D<D<T>> more; static <X> X id(X x) { return id(x); } }
class Foo extends Foo { Foo(int x) { this(x); } static void bar() { new Foo(1).bar(); } }
class C extends E {} class E extends C { void f() { g(); } }
"""


def units():
    return [unit("a/b/A.java", SAMPLE.encode()), unit("a/b/D.java", OTHER.encode())]


def test_mutated_ir_is_refused_or_resolved():
    draw = random.Random(7)
    first, other = units()
    accepted = 0
    for _ in range(500):
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
    assert accepted > 100


@pytest.mark.parametrize("seed", range(40))
def test_broken_source_gives_a_graph(seed):
    draw = random.Random(seed)
    text = SAMPLE
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(text))
        text = (
            text[:at]
            + draw.choice(["", "{", "}", "(", ")", "<", ";", "new ", "::"])
            + text[at + draw.randrange(30) :]
        )
    found = unit("a/b/A.java", text.encode())
    check_ir(found.ir, size=len(text.encode()))
    resolve([found, units()[1]])


HOSTILE = {
    "bases of bases": "".join(
        f"class C{n + 1} extends C{n} {{ void f() {{ super.f(); }} }}\n" for n in range(600)
    )
    + "class C0 { void f() {} }",
    "arguments of arguments": "class A { "
    + "B<" * 300
    + "C"
    + ">" * 300
    + " x; void f() { x.g().h(); } }",
    "arrays of arrays": "class A { int" + "[]" * 3000 + " x; void f() { x[0].g(); } }",
    "a type that grows": "class B<T> { static <X> B<X> of(X x) { return null; } }\nclass A { void f() { var x = B.of(1);\n"
    + "".join(f"var x{n} = B.of(x{n - 1 if n else ''});\n" for n in range(300))
    + "} }",
    "lambdas in lambdas": "class A { void f() { g(" + "() -> { h(" * 60 + ");}" * 60 + "); } }",
    "chains": "class A { A f() { return this" + ".f()" * 900 + "; } }",
    "variables that bound each other": "class A<T extends U, U extends T> { T t; void f() { t.g(); } }",
    "bases in a circle": "class A extends B { void f() { g(); } } class B extends C {} class C extends A {}",
    "many overloads": "class A { "
    + "".join(f"void f(A{n} x) {{}} " for n in range(200))
    + "void g() { "
    + "f(y); " * 50
    + "} }",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_sources_end(text):
    graph = graph_of({"A.java": text})
    assert all(edge.src.path == b"A.java" for edge in graph.edges)


def test_a_package_tells_the_root_of_its_file():
    assert root_folder("x/src/main/java/a/b/C.java", "a.b") == "x/src/main/java"
    assert root_folder("a/b/C.java", "a.b") == ""
    assert root_folder("odd/C.java", "a.b") == "odd"
    assert root_folder("odd/C.java", "") == "odd"


def test_the_nearest_root_decides():
    paths = (
        "one/src/main/java/p/A.java",
        "one/src/test/java/p/A.java",
        "two/src/main/java/p/A.java",
        "two/src/main/java/p/B.java",
        "three/src/main/java/p/B.java",
    )
    modules = JavaModules(Project(paths=paths, packages=dict.fromkeys(paths, ("p",))))
    a, b = [path for path in paths if "A." in path], [path for path in paths if "B." in path]
    assert modules.nearest(paths[0], a) == (paths[0],)
    assert modules.nearest(paths[1], a) == (paths[1],)
    assert modules.nearest(paths[3], a) == (paths[2],)
    assert modules.nearest(paths[0], b) == (paths[3], paths[4])
    assert modules.nearest(paths[0], [paths[1]]) == ()


def test_several_roots_with_a_class_are_no_answer():
    files = {
        "one/src/main/java/q/Main.java": "package q;\nclass Main { void f() { p.A.g(); } }\n",
        "two/src/main/java/p/A.java": "package p;\npublic class A { public static void g() {} }\n",
    }
    assert [dotted(e.dst) for e in graph_of(files).edges] == ["two.src.main.java.p.A.A.g"]
    files["three/src/main/java/p/A.java"] = files["two/src/main/java/p/A.java"]
    assert graph_of(files).edges == ()


PRODUCTION = {
    "app/src/main/java/p/Main.java": "package p;\nclass Main { void f() { Fake.g(); } }\n",
    "app/src/test/java/p/Fake.java": "package p;\nclass Fake { static void g() {} }\n",
}


def test_a_resolver_that_knows_no_roots_is_noticed(monkeypatch):
    """The seeded fault: whatever has the name is seen, tests too."""
    assert graph_of(PRODUCTION).edges == ()
    monkeypatch.setattr(JavaModules, "nearest", lambda self, path, paths: tuple(paths))
    assert [dotted(edge.dst) for edge in graph_of(PRODUCTION).edges] == [
        "app.src.test.java.p.Fake.Fake.g"
    ]


def test_an_overload_that_is_guessed_is_noticed(monkeypatch):
    """The seeded fault: of several functions that fit the first one is taken."""
    files = {
        "A.java": "import o.X;\ninterface P {} interface Q {}\n"
        "class A { void f(P p) {} void f(Q q) {} void g(X x) { f(x); } }\n"
    }
    found = [edge for edge in graph_of(files).edges if edge.type is EdgeType.CALLS]
    assert [(edge.tier, edge.candidates) for edge in found] == [(Tier.AMBIGUOUS, 2)] * 2
    real = Signatures.choose
    monkeypatch.setattr(Signatures, "choose", lambda *given: real(*given)[:1])
    found = [edge for edge in graph_of(files).edges if edge.type is EdgeType.CALLS]
    assert [(edge.tier, edge.candidates) for edge in found] == [(Tier.RESOLVED, 1)]
