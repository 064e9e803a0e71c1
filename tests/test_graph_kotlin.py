"""Kotlin in the graph: whatever the source or the IR, an answer."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from grainline.graph.resolve import resolve
from grainline.graph.typed.kotlin_calls import KotlinCalls
from grainline.graph.typed.kotlin_names import KotlinNames
from grainline.graph.typed.kotlin_overloads import KotlinSignatures
from grainline.graph.units import Unit
from grainline.languages.modules.base import Project
from grainline.languages.modules.java import JavaModules
from grainline.model.edge import EdgeType, Tier
from grainline.model.ir import TABLES
from grainline.model.ircheck import IrError, check_ir
from helpers.graphs import dotted, graph_of, unit

SAMPLE = """\
@file:JvmName("X")
package p.q
import a.b.C as D; import a.b.*
import p.q.Outer.Companion.made
typealias Handler<T> = (T) -> Unit; typealias Plain = Map<String, Outer>
@Ann(1) open class Outer<T : Comparable<T>>(val x: Int = made().n, vararg y: Outer<T>, z: (Int) -> Unit) :
    Base<T>(x, k = 2), I by z, J where T : I {
  companion object Named : I {
    const val A = 1
    fun made() = Outer<Int>(1) {}
  }
  var p: Int by lazy { 1 }
    private set
  val q get() = !a.b()
  lateinit var l: Outer<T>
  val Foo.ext: Int
    get() { return this@Outer.x + field }
  init { g(1); val inside = x }
  constructor(a: String) : this(1) { super.f(); this.g() }
  operator fun get(i: Int, j: Int) = this; operator fun set(i: Int, v: Any) {}
  private inline fun <reified U> List<U>?.f(block: A.(Int) -> Unit = {}, vararg z: Int): U = this@f.foo<U>(z = 1) { it.a }
  enum class K(val a: Int) : I { P(1) { override fun x() {} }, Q { }; open fun x() { P.x() } }
  inner class In { fun f() = this@Outer.In() }
  sealed interface S { data class R(val a: Int, val b: S) : S
    object E : S
  }
  fun interface Z { fun a() }
  fun m(a: Any?, b: Outer<T>) {
    if (a !is Outer<*>) return
    val (c, _, d: Int) = a; val e = a.x ?: return; a.x!!.y?.z(1)?.w { s, (t, u) -> t }
    for ((i, v) in b.withIndex()) { if (i in 0..3) continue else break }
    l@ while (a is K && a.x() == null || b !is I) { break@l }
    do { val t = 1 } while (t < 2)
    val g = when (val s = b[1, 2]) { is In, !is S -> s; in x -> b; 1, 2 -> { c } else -> throw E() }
    when { a is K -> a.x(); else -> return }
    val h = try { a } catch (e: E) { b } finally { c() }
    b[1] = 2; b[1] += 3; x += 1; x++; -x; b to c shl d; a as? I; a..b; a in b
    "a$b ${c.d { "x" }} e"; \"\"\"${a}\"\"\"
    'c'
    1L; 1.0f; 0xFF
    val o = object : Base<Int>(1), I { val x = 1; fun y() = x }; o.y()
    super<Base>.f(); super@Outer.f(); run r@{ return@r 1 }
    fun local(n: Int = 1): Int = local(n - 1); val fn = fun A.(n: Int): Int { return n }
    ::m; this::f; Outer<Int>::m; K::class.java; x.let(::local); @Ann foo(); foo(*arr, b = 1) { }
    b.apply { x; p = 2 }.also { it.m(it, it) }.let { n: Outer<T> -> n }; with(b) { this.m(1, this) }
    return a.b
  }
}
val <T> List<T>.last: T get() = this[0]
object Single : Handler<Int> by { }, S
fun Outer<*>.top(f: Plain) = f["a"]?.m(1, this).also { top(f) }
fun round() = other()
fun other() = round()
"""
OTHER = """\
package p.q
interface I { fun f() { m(1) } ; fun m(n: Int): I = this }
open class Base<T>(x: Int, val k: Int = 3) : Loop() { open fun f() {} ; fun <X> id(x: X): X = id(x) }
open class Loop : Base<Loop>(1), I
fun Base<*>.more() = id(this).more()
"""
JAVA = """\
package p.q;
public class Old extends Base<Old> { Outer<Integer> x; void g() { x.m(null, x); Outer.Named.made(); new Outer<>("a"); } }
"""


def units():
    return [
        unit("p/q/A.kt", SAMPLE.encode()),
        unit("p/q/B.kt", OTHER.encode()),
        unit("p/q/Old.java", JAVA.encode()),
    ]


def test_the_sample_is_understood():
    found = unit("A.kt", SAMPLE.encode())
    check_ir(found.ir, size=len(SAMPLE))
    assert len(resolve(units()).edges) > 30


def test_mutated_ir_is_refused_or_resolved():
    draw = random.Random(7)
    first, *others = units()
    accepted = 0
    for _ in range(400):
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
        resolve([Unit(first.path, first.language, ir, first.outline), *others])
    assert accepted > 80


@pytest.mark.parametrize("seed", range(40))
def test_broken_source_gives_a_graph(seed):
    draw = random.Random(seed)
    text = SAMPLE
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(text))
        text = (
            text[:at]
            + draw.choice(["", "{", "}", "(", ")", "<", "\n", "fun ", "::", "?.", "object : "])
            + text[at + draw.randrange(30) :]
        )
    found = unit("p/q/A.kt", text.encode())
    check_ir(found.ir, size=len(text.encode()))
    resolve([found, *units()[1:]])


HOSTILE = {
    "bases of bases": "".join(
        f"open class C{n + 1} : C{n}() {{\n fun f{n}() {{ super.f() }}\n}}\n" for n in range(400)
    )
    + "open class C0 {\n fun f() {}\n}",
    "arguments of arguments": "class A {\n val x: " + "B<" * 300 + "C" + ">" * 300 + "\n fun f() { x.g() }\n}",
    "a type that grows": "class B<T>\nfun <X> of(x: X): B<X> = TODO()\nfun f() {\n val x = of(1)\n"
    + "".join(f" val x{n} = of(x{n - 1 if n else ''})\n" for n in range(300))
    + "}",
    "lambdas in lambdas": "fun f() {\n g " + "{ h {" * 40 + "}}" * 40 + "\n}",
    "chains": "class A {\n fun f(): A = this" + ".f()" * 700 + "\n}",
    "chains of what may be null": "class A {\n fun f(): A? = this" + "?.f()" * 300 + "\n}",
    "variables that bound each other": "class A<T : U, U : T>(val t: T) {\n fun f() { t.g() }\n}",
    "bases in a circle": "open class A : B()\nopen class B : C()\nopen class C : A() {\n fun f() { g() }\n}",
    "aliases in a circle": "typealias A = B\ntypealias B = C\ntypealias C = A\nfun f(a: A) { a.g() }",
    "results in a circle": "fun f() = g()\nfun g() = h()\nfun h() = f()\nval x = y\nval y = x",
    "many overloads": "".join(f"fun f(x: A{n}) {{}}\n" for n in range(200))
    + "fun g() {\n" + "f(y)\n" * 50 + "}",
    "conditions of conditions": "fun f(a: Any) {\n if (" + "a is B && " * 300 + "a is C) a.g()\n}",
    "what grows with each round": "class B<T>\nfun <X> of(x: X): B<X> = TODO()\n"
    + "".join(f"val x{n} = of(x{n + 1})\n" for n in range(60)) + "val x60 = 1",
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_sources_end(text):
    graph = graph_of({"A.kt": text})
    assert all(edge.src.path == b"A.kt" for edge in graph.edges)


def test_the_order_of_files_does_not_matter():
    first, second, third = units()
    assert resolve([first, second, third]) == resolve([third, second, first])


def test_types_that_nobody_writes_do_not_depend_on_the_names_of_files():
    """Each rests on what a later file says, and the other way round."""
    bodies = ("fun a() = b()\n", "fun b() = c()\n", "fun c() = D()\n")
    last = "class D {\n fun go() {}\n}\nfun main() { a().go() }\n"
    for names in (("1", "2", "3"), ("3", "2", "1"), ("2", "3", "1")):
        files = {f"{name}.kt": text for name, text in zip(names, bodies, strict=True)}
        found = graph_of({**files, "9.kt": last})
        assert "9.D.go" in [dotted(edge.dst) for edge in found.edges if edge.type is EdgeType.CALLS]


def test_namesakes_elsewhere_change_nothing():
    files = {
        "a/src/main/kotlin/p/A.kt": "package p\nclass A {\n fun go() {}\n}\nfun make() = A()\n",
        "a/src/main/kotlin/q/B.kt": "package q\nimport p.make\nfun f() { make().go() }\n",
    }
    before = [(e.type, e.src, e.dst, e.tier) for e in graph_of(files).edges]
    text = "package z\nclass A {\n fun go() {}\n}\nfun make() = A()\nfun String.go() {}\n"
    more = {f"n{n}/src/main/kotlin/z/A.kt": text for n in range(4)}
    after = graph_of({**files, **more}).edges
    kept = [(e.type, e.src, e.dst, e.tier) for e in after if e.src.path.startswith(b"a/")]
    assert kept == before


PATHS = (
    "one/src/commonMain/kotlin/p/A.kt", "one/src/jvmMain/kotlin/p/A.kt", "one/src/jvmTest/kotlin/p/A.kt",
    "two/src/main/java/p/A.java", "two/src/test/kotlin/p/A.kt",
)  # fmt: skip


def test_a_source_set_of_tests_is_seen_by_tests_alone():
    modules = JavaModules(Project(paths=PATHS, packages=dict.fromkeys(PATHS, ("p",))))
    assert [modules.rank(PATHS[0], other) for other in PATHS] == [0, 1, -1, 2, -1]
    assert [modules.rank(PATHS[2], other) for other in PATHS] == [1, 1, 0, 2, 3]
    assert [modules.is_test(path) for path in PATHS] == [False, False, True, False, True]


PRIVATE = {
    "A.kt": "package p\nprivate fun hidden() {}\n",
    "B.kt": "package p\nfun f() { hidden() }\n",
}


def test_names_that_forget_what_is_private_are_noticed(monkeypatch):
    """The seeded fault: whatever has the name is seen."""
    assert graph_of(PRIVATE).edges == ()
    monkeypatch.setattr(
        KotlinNames, "functions", lambda self, file, package, name: [self._functions[package, name]]
    )
    assert [dotted(edge.dst) for edge in graph_of(PRIVATE).edges] == ["A.hidden"]


def test_an_overload_that_is_guessed_is_noticed(monkeypatch):
    """The seeded fault: of several functions that fit the first one is taken."""
    files = {
        "A.kt": "import o.X\ninterface P\ninterface Q\nfun f(p: P) {}\nfun f(q: Q) {}\nfun g(x: X) { f(x) }\n"
    }
    found = [edge for edge in graph_of(files).edges if edge.type is EdgeType.CALLS]
    assert [(edge.tier, edge.candidates) for edge in found] == [(Tier.AMBIGUOUS, 2)] * 2
    real = KotlinSignatures.fits
    monkeypatch.setattr(KotlinSignatures, "fits", lambda *given: real(*given)[:1])
    found = [edge for edge in graph_of(files).edges if edge.type is EdgeType.CALLS]
    assert [(edge.tier, edge.candidates) for edge in found] == [(Tier.RESOLVED, 1)]


def test_a_receiver_that_is_not_doubted_is_noticed(monkeypatch):
    """The seeded fault: what is passed to something unknown is thought to run on nothing else."""
    files = {"A.kt": "import o.build\nfun f() {}\nfun g() {\n build { f() }\n}\n"}
    tiers = [e.tier for e in graph_of(files).edges if e.type is EdgeType.CALLS]
    assert tiers == [Tier.AMBIGUOUS]
    monkeypatch.setattr(KotlinCalls, "_doubt", lambda self, frame: False)
    real = KotlinCalls.levels
    monkeypatch.setattr(
        KotlinCalls,
        "levels",
        lambda self, frame: (e._replace(doubt=False) for e in real(self, frame)),
    )
    tiers = [e.tier for e in graph_of(files).edges if e.type is EdgeType.CALLS]
    assert tiers == [Tier.RESOLVED]


def test_what_tests_pass_on_is_no_reason_to_call_it_from_elsewhere():
    files = {
        "m/src/main/kotlin/A.kt": "class A {\n fun take(it: () -> Unit) { it() }\n}\n",
        "m/src/test/kotlin/B.kt": "fun go() { A().take { } }\nfun own(it: () -> Unit) { it() }\nfun both() { own { } }\n",
    }
    flowed = [edge for edge in graph_of(files).edges if edge.tier is Tier.FLOWED]
    assert [edge.src.path for edge in flowed] == [b"m/src/test/kotlin/B.kt"]
