"""C# in the graph: whatever the source or the IR, an answer."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from grainline.graph.resolve import resolve
from grainline.graph.typed.csharp_overloads import CsharpSignatures
from grainline.graph.units import Unit
from grainline.languages.modules.base import Project
from grainline.languages.modules.csharp import CsharpModules
from grainline.model.edge import EdgeType, Tier
from grainline.model.ir import TABLES
from grainline.model.ircheck import IrError, check_ir
from helpers.graphs import dotted, graph_of, unit

SAMPLE = """\
global using static X.Y;
using Z = A.B<int>.C; using A.B;
namespace P.Q {
[Foo(1, Bar = 2)] public partial class A<T>(int q) : B<T>(q), IC where T : class, IFoo, new() {
  int? x = 1, y; Foo<int>? z; int[] arr; int[,] arr2; (int a, Foo b) tup; Func<int> fn; System.Foo qn;
  public int P { get; set; } = 3; int Q => x; int R { get { return 1; } private set => y = value; }
  public event EventHandler E; event EventHandler E2 { add { x = 1; } remove { } }
  public Foo this[int i] => a[i]; void IFoo.Bar(int a) {}
  A(int a) : base(a, b: 2) { } static A() => F(); ~A() {}
  public static implicit operator A(int x) => null; public static A operator +(A x, A y) { return x; }
  public override async Task<int> M<U>(this A a, out int c, int d = 5, params int[] b) where U : Foo {
    a?.b?.c(1); a.B<int>(x); B<int>(x); var at = a?[1];
    if (x is Foo f and not null && y is { P: 1, Q: var qq } && w is int or string) {}
    var l = (int a1, b1) => a1; var l2 = async x => await x; l3 = delegate(int z) { return z; };
    foreach (var (k, v) in d) {} foreach (Foo e in es) {} await foreach (var e2 in es) {}
    using var u = new Foo(); using (var u2 = F()) {} await using (x) {}
    switch (a) { case 1: case Foo ff when ff.x: b(); break; default: c(); break; }
    var s = a switch { Foo fff => 1, { X: 2 } => 3, (1, var t) => 4, [1, ..] => 2, _ => this };
    F(out var o1, out Foo o2, ref x, name: this); (var t1, int t2) = F(); var (t3, t4) = F();
    var n = new Foo { A = 1, B = { 2, 3 } }; n = new() { X = 1 }; n = new int[3]; n = new[] { 1 }; n = new { A = 1, b };
    int Local(int z) => z; try { } catch (E ex) when (ex.X) { } finally { }
    a ??= b; a += b; a[1] = 2; x = a ?? throw new E(); x = (Foo)x; x = x as Foo; x = typeof(Foo<>); x = $"a{b.c()}d";
    x = a with { X = 1 }; x = from q in qs let r = q.z where q.x orderby r select q.y();
    lock (x) { } for (int i = 0, j = 1; i < 2; i++) {} do {} while (x); yield return x; base.y(); int.Parse(x); A<int>.B();
#if DEBUG
    foo();
#else
    bar();
#endif
    return c ? this.M(f) : null;
  }
  enum K : byte { P = 1, Q } delegate int D<T>(int a) where T: x; record R(int X) : S(X) { } record struct RS;
}
}
"""
OTHER = """\
namespace P.Q;
interface IFoo { void Bar(int a); }
partial class A<T> { void F() { E += (s, e) => M(null, out _); } }
class B<T> : C<B<T>> { T t; B<B<T>> more; static X Id<X>(X x) => Id(x); }
class C<T> : B<T> { void G() { Id(this); this.Ext(); } }
static class Extensions { public static T Ext<T>(this T t) where T : C<T> => t.Ext(); }
"""


def units():
    return [unit("A.cs", SAMPLE.encode()), unit("B.cs", OTHER.encode())]


def test_the_sample_is_understood():
    found = unit("A.cs", SAMPLE.encode())
    check_ir(found.ir, size=len(SAMPLE))
    assert len(resolve(units()).edges) > 10


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
            + draw.choice(["", "{", "}", "(", ")", "<", ";", "new ", "=>", "?."])
            + text[at + draw.randrange(30) :]
        )
    found = unit("A.cs", text.encode())
    check_ir(found.ir, size=len(text.encode()))
    resolve([found, units()[1]])


HOSTILE = {
    "bases of bases": "".join(
        f"class C{n + 1} : C{n} {{ void F() {{ base.F(); }} }}\n" for n in range(600)
    )
    + "class C0 { void F() {} }",
    "arguments of arguments": "class A { " + "B<" * 300 + "C" + ">" * 300 + " x; void F() { x.G(); } }",
    "a type that grows": "class B<T> { static B<X> Of<X>(X x) => null; }\nclass A { void F() { var x = B<int>.Of(1);\n"
    + "".join(f"var x{n} = B<int>.Of(x{n - 1 if n else ''});\n" for n in range(300))
    + "} }",
    "lambdas in lambdas": "class A { void F() { G(" + "() => { H(" * 60 + ");}" * 60 + "); } }",
    "chains": "class A { A F() { return this" + ".F()" * 900 + "; } }",
    "chains of what may be null": "class A { A F() { return this" + "?.F()" * 300 + "; } }",
    "variables that bound each other": "class A<T, U> where T : U where U : T { T t; void F() { t.G(); } }",
    "bases in a circle": "class A : B { void F() { G(); } } class B : C {} class C : A {}",
    "many overloads": "class A { "
    + "".join(f"void F(A{n} x) {{}} " for n in range(200))
    + "void G() { "
    + "F(y); " * 50
    + "} }",
    "many parts": "".join(f"partial class A : B{n} {{ void F{n}() {{ F{n - 1}(); }} }}\n" for n in range(400)),
    "namespaces in namespaces": "namespace N { using N; " * 200 + "class A { void F() { N.A.F(); } }" + "}" * 200,
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_sources_end(text):
    graph = graph_of({"A.cs": text})
    assert all(edge.src.path == b"A.cs" for edge in graph.edges)


PROJECTS = {
    "a/A.csproj": b'<Project><ProjectReference Include="..\\b\\B.csproj"/><!-- <ProjectReference Include="../d/D.csproj"/> --></Project>',
    "b/B.csproj": b'<Project><ProjectReference Include="../c/C.csproj"/></Project>',
    "c/C.csproj": b"<Project>",
    "d/D.csproj": b"\xff\x00",
}
PATHS = ("a/x/A.cs", "b/B.cs", "c/C.cs", "d/D.cs", "E.cs", "tests/F.cs")


def test_a_file_sees_its_project_and_what_that_refers_to():
    modules = CsharpModules(Project(paths=PATHS, files=PROJECTS))
    seen = {path: [other for other in PATHS if modules.sees(path, other)] for path in PATHS}
    assert seen == {
        "a/x/A.cs": ["a/x/A.cs", "b/B.cs", "c/C.cs"],
        "b/B.cs": ["b/B.cs", "c/C.cs"],
        "c/C.cs": ["c/C.cs"],
        "d/D.cs": ["d/D.cs"],
        "E.cs": ["E.cs"],
        "tests/F.cs": ["E.cs", "tests/F.cs"],
    }


CALLER = "class Main { void Run() { P.A.G(); } }\n"
CALLED = "namespace P;\npublic class A { public static void G() {} }\n"


def test_several_classes_of_one_name_are_no_answer():
    files = {"Main.cs": CALLER, "two/A.cs": CALLED}
    assert [dotted(edge.dst) for edge in graph_of(files).edges] == ["two.A.A.G"]
    files["three/A.cs"] = CALLED
    assert graph_of(files).edges == ()


def test_the_order_of_files_does_not_matter():
    first, other = units()
    assert resolve([first, other]) == resolve([other, first])


def test_a_resolver_that_knows_no_projects_is_noticed(monkeypatch):
    """The seeded fault: whatever has the name is seen."""
    files = {"a/Main.cs": CALLER, "b/A.cs": CALLED, "a/A.csproj": "", "b/B.csproj": ""}
    assert graph_of(files).edges == ()
    monkeypatch.setattr(CsharpModules, "sees", lambda self, path, other: True)
    assert [dotted(edge.dst) for edge in graph_of(files).edges] == ["b.A.A.G"]


def test_an_overload_that_is_guessed_is_noticed(monkeypatch):
    """The seeded fault: of several functions that fit the first one is taken."""
    files = {
        "A.cs": "interface P {} interface Q {}\n"
        "class A { void F(P p) {} void F(Q q) {} void G(O.X x) { F(x); } }\n"
    }
    found = [edge for edge in graph_of(files).edges if edge.type is EdgeType.CALLS]
    assert [(edge.tier, edge.candidates) for edge in found] == [(Tier.AMBIGUOUS, 2)] * 2
    real = CsharpSignatures.choose
    monkeypatch.setattr(CsharpSignatures, "choose", lambda *given: real(*given)[:1])
    found = [edge for edge in graph_of(files).edges if edge.type is EdgeType.CALLS]
    assert [(edge.tier, edge.candidates) for edge in found] == [(Tier.RESOLVED, 1)]


def test_what_tests_pass_on_is_no_reason_to_call_it_from_elsewhere():
    files = {
        "src/A.cs": "public class A { public void Take(System.Action it) { it(); } }\n",
        "tests/B.cs": "class B { void Go() { new A().Take(() => {}); } void Own(System.Action it) { it(); } "
        "void Both() { Own(() => {}); } }\n",
    }
    flowed = [edge for edge in graph_of(files).edges if edge.tier is Tier.FLOWED]
    assert [edge.src.path for edge in flowed] == [b"tests/B.cs"]
