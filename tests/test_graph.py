"""Laws of the graph, over the cases and over this package."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from grainline.graph import linking
from grainline.graph import resolve as resolving
from grainline.graph.components import Group
from grainline.graph.resolve import resolve
from grainline.graph.units import Unit
from grainline.languages.modules.base import Project
from grainline.languages.modules.python import PythonModules
from grainline.model.edge import EdgeType, Tier, Why
from helpers.graphs import dotted, edges_of, graph_of, language_of, unit
from test_graph_cases import cases

ROOT = Path(__file__).resolve().parent.parent / "src"
WORLDS = [case.values[0] for case in cases()]


def package():
    """The graph room itself and what it imports of this package."""
    paths = [*ROOT.glob("grainline/graph/*.py"), *ROOT.glob("grainline/model/*.py")]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def spans(files):
    """{(path, descriptor): span} of every symbol of the outlines."""
    return {
        (found.path, definition.descriptor): (definition.start, definition.end)
        for found in (unit(p, text.encode()) for p, text in files.items() if language_of(p))
        for definition in found.outline.definitions
    }


@pytest.mark.parametrize("files", [package(), *WORLDS[::5]], ids=lambda files: next(iter(files)))
def test_a_site_lies_inside_of_its_caller(files):
    known = spans(files)
    for edge in graph_of(files).edges:
        if (edge.src.path, edge.src.descriptor) in known:
            outer = known[edge.src.path, edge.src.descriptor]
            assert outer[0] <= edge.site.start < edge.site.end <= outer[1]


def test_every_end_is_a_symbol_of_the_outline_or_a_lambda():
    files = package()
    known = spans(files)
    for edge in graph_of(files).edges:
        for end in (edge.src, edge.dst):
            module = not end.descriptor
            assert module or "<lambda" in end.descriptor or (end.path, end.descriptor) in known


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_files_does_not_matter(seed):
    _any_order(package(), seed)


@pytest.mark.parametrize("files", WORLDS, ids=lambda files: next(iter(files)))
def test_the_order_of_files_does_not_matter_in_any_language(files):
    _any_order(files, 1)


def _any_order(files, seed):
    files = list(files.items())
    whole = graph_of(dict(files))
    random.Random(seed).shuffle(files)
    assert graph_of(dict(files)) == whole


NAMES = {
    "py": (r"def (\w+)", r"class (\w+)"),
    "c": (r"(\w+)\(", r"struct (\w+)"),
    "cpp": (r"\b(?!if|for|return|TEST)([a-zA-Z]\w*)\(", r"(?:class|struct) ([A-Z]\w*)"),
    "go": (r"func (?:\([^)]*\) )?(\w+)", r"type (\w+)"),
    "java": (r"\b(?!this|super)([a-z]\w*)\(", r"\b([A-Z]\w*)"),
    "cs": (r"\b([A-Z]\w*)\(", r"(?:class|interface|record|struct) (\w+)"),
    "js": (r"function (\w+)", r"class (\w+)"),
    "ts": (r"function (\w+)", r"(?:class|interface) (\w+)"),
    "kt": (r"fun (?:\w+\.)?(\w+)", r"(?:class|interface|object) ([A-Z]\w*)"),
    "php": (r"function (\w+)", r"(?:class|interface|trait|enum) ([A-Z]\w*)"),
    "rb": (r"def (?:self\.)?(\w+[?!=]?)", r"(?:class|module) ([A-Z]\w*)"),
    "rs": (r"fn (\w+)", r"(?:struct|enum|trait|mod) (\w+)"),
}
"""By suffix: what the functions and the types of a file are called."""


def stranger(suffix, names, classes, methods):
    """A file with functions and types of these names."""
    if suffix == "go":
        body = "package stranger\n" + "".join(f"func {name}(a ...any) {{}}\n" for name in names)
        for name in classes:
            body += f"type {name} struct{{}}\n"
            body += "".join(f"func (x {name}) {each}(a ...any) {{}}\n" for each in methods)
    elif suffix == "java":
        own = "".join(f"public static Object {each}(Object... a) {{}}\n" for each in methods)
        body = "package stranger;\n" + "".join(f"class {each} {{\n{own}}}\n" for each in classes)
    elif suffix == "kt":
        body = "package stranger\n"
        body += "".join(f"fun {name}(vararg a: Any) {{}}\n" for name in names)
        body += "".join(f"fun <T> T.{each}(): T = this\n" for each in methods)
        for name in classes:
            own = "".join(f"    fun {each}(vararg a: Any) {{}}\n" for each in methods)
            body += f"class {name} {{\n{own}}}\n"
    elif suffix == "php":
        body = "<?php\nnamespace stranger;\n"
        body += "".join(f"function {name}(...$a) {{}}\n" for name in names if name[:2] != "__")
        for name in classes:
            own = "".join(f"  function {each}(...$a) {{}}\n" for each in methods or ["f"])
            body += f"class {name} {{\n{own}}}\n"
    elif suffix == "cs":
        own = "".join(f"public static object {each}(params object[] a) => a;\n" for each in methods)
        own += "".join(f"public static T {each}<T>(this T t) => t;\n" for each in methods)
        body = "".join(f"public static class {each} {{\n{own}}}\n" for each in classes)
        body = f"namespace Stranger {{\n{body}}}\n"
    elif suffix == "cpp":
        own = "".join(f"  static int {each}(...);\n" for each in methods)
        body = "".join(f"struct {name} {{\n{own}}};\n" for name in classes)
        body += "".join(
            f"int {name}(...) {{ return 1; }}\n" for name in names if name not in classes
        )
        body += f"namespace own {{\n{body}}}\n"
    elif suffix == "c":
        body = "".join(f"int {name}(void) {{ return 1; }}\n" for name in names)
        body += "".join(f"struct {name} {{ int (*{name}_f)(void); }};\n" for name in classes)
    elif suffix in ("js", "ts"):
        body = "".join(f"export function {name}() {{}}\n" for name in names if name not in classes)
        own = "".join(f"  {each}() {{}}\n" for each in methods or ["f"])
        body += "".join(f"export class {name} {{\n{own}}}\n" for name in classes)
    elif suffix == "rb":
        body = "".join(f"def {name}(*a, **k); end\n" for name in names)
        for name in classes:
            own = "".join(
                f"  def {each}(*a); end\n  def self.{each}(*a); end\n" for each in methods
            )
            body += f"class {name}\n{own}end\n"
    elif suffix == "rs":
        body = "".join(f"pub fn {name}() {{}}\n" for name in names)
        for name in classes:
            own = "".join(f"    pub fn {each}(&self) {{}}\n" for each in methods)
            body += f"pub struct {name};\nimpl {name} {{\n{own}}}\n"
    else:
        body = "".join(f"def {name}(*a, **k): ...\n" for name in names)
        for name in classes:
            own = "".join(f"    def {each}(self, *a): ...\n" for each in methods or ["f"])
            body += f"class {name}:\n{own}"
    return body


def namesakes(files, draw):
    """Files whose symbols have the names of those that are there, in folders nobody imports from."""
    suffix = next(
        (path.rpartition(".")[2] for path in files if path.endswith(tuple(f".{n}" for n in NAMES))),
        "py",
    )
    functions, types = NAMES[suffix]
    text = "\n".join(files.values())
    names, classes = (sorted(set(re.findall(each, text))) for each in (functions, types))
    return {
        f"other{at}/{draw.choice('xyz')}{at}_stranger.{suffix}": stranger(
            suffix, names, classes, names[at::3]
        )
        for at in range(3)
    }


def with_namesakes(files):
    """The edges, and those of the same files beside namesakes."""
    more = {**files, **namesakes(files, random.Random(1))}
    after = tuple(edge for edge in graph_of(more).edges if b"stranger" not in edge.src.path)
    return graph_of(files).edges, after


@pytest.mark.parametrize("files", [package(), *WORLDS], ids=lambda files: next(iter(files)))
def test_files_of_namesakes_change_no_edge(files):
    before, after = with_namesakes(files)
    assert after == before


def test_a_resolver_by_names_is_noticed(monkeypatch):
    """The seeded fault: a member that a module lacks is that of any module that has it.

    Strangers are in components of their own, so nothing may keep the two apart for it to matter.
    """
    files = {"b.py": "import a\na.g()\n", "a.py": "x = 1\n", "c.py": "def g(): ...\n"}
    before, after = with_namesakes(files)
    assert after == before == graph_of({"b.py": files["b.py"], "a.py": files["a.py"]}).edges
    real = linking.of_module

    def by_name(world, value, name, target, tier):
        for part in world.parts:
            if name in part.members:
                world.solver.copy(part.members[name], target, tier)
        real(world, value, name, target, tier)

    monkeypatch.setattr("grainline.graph.members.of_module", by_name)
    monkeypatch.setattr(
        resolving, "components", lambda units, *_: [Group(tuple(range(len(units))), b"")]
    )
    before, after = with_namesakes(files)
    assert after != before


def test_an_order_that_matters_is_noticed(monkeypatch):
    """The seeded fault: units are numbered as they come, so that bounds cut others."""
    callers = {f"m{n:02}.py": "import a\ndef f(): ...\na.run(f)\n" for n in range(60)}
    files = {"a.py": "def run(x):\n    x()\n", **callers}
    turned = dict(reversed(files.items()))
    assert graph_of(files) == graph_of(turned)
    monkeypatch.setattr(resolving, "_path", lambda unit: b"")
    assert graph_of(files) != graph_of(turned)


def test_production_reaches_a_test_only_through_an_import():
    files = {
        "src/app/core.py": "import helpers\nfrom tests.fakes import g\nhelpers.f()\ng()\n",
        "src/app/__init__.py": "",
        "tests/helpers.py": "def f(): ...\n",
        "tests/__init__.py": "",
        "tests/fakes.py": "def g(): ...\n",
    }
    found = edges_of(graph_of(files), EdgeType.CALLS)
    assert found == [("calls", "src.app.core", "tests.fakes.g", "resolved")]


def test_no_edge_crosses_languages():
    first = unit("a.py", b"from b import f\nf()\n")
    found = unit("b.py", b"def f(): ...\n")
    other = Unit(found.path, "javascript", found.ir, found.outline)
    assert resolve([first, other]).edges == ()
    files = {"a.py": "import b\nb.f()\n", "b.js": "export function f() {}\n", "c.ts": "f()\n"}
    assert graph_of(files).edges == ()


def test_languages_of_one_repository_give_one_graph():
    python = {"a.py": "def f(): ...\nf()\n", "z.py": "def g(): ...\ng()\n"}
    script = {"b.ts": "function f() {}\nf()\n", "b.js": "function g() {}\ng()\n"}
    whole = graph_of({**python, **script})
    parts = [*graph_of(python).edges, *graph_of(script).edges]
    assert sorted(whole.edges) == sorted(parts)
    assert [edge.src.path for edge in whole.edges] == [b"a.py", b"b.js", b"b.ts", b"z.py"]


def test_candidates_count_the_targets_of_a_site():
    files = {"a.py": "def f(): ...\ndef g(): ...\nh = f if 1 else g\nh()\nf()\n"}
    calls = [edge for edge in graph_of(files).edges if edge.type is EdgeType.CALLS]
    assert [(dotted(edge.dst), edge.candidates) for edge in calls] == [
        ("a.f", 2), ("a.g", 2), ("a.f", 1),
    ]  # fmt: skip


def test_methods_say_how_an_edge_was_found():
    files = {
        "a.py": "class A:\n    def __enter__(self): return self\n    def f(self): ...\n"
        "def g(x):\n    x()\nwith A() as a:\n    a.f()\n    g(a.f)\n"
    }
    found = {
        (dotted(edge.src), dotted(edge.dst)): [method.value for method in edge.methods]
        for edge in graph_of(files).edges
        if edge.type is EdgeType.CALLS
    }
    assert found == {
        ("a", "a.A.__enter__"): ["protocol"],
        ("a", "a.A.f"): ["type"],
        ("a", "a.g"): ["scope"],
        ("a.g", "a.A.f"): ["flow"],
    }


def test_every_call_that_is_written_has_an_edge_or_a_reason():
    files = package()
    graph = graph_of(files)
    sites = {(edge.src.path, edge.site) for edge in graph.edges}
    sites |= {(leaf.src.path, leaf.site) for leaf in graph.unresolved}
    for path, text in files.items():
        for call in re.finditer(r"^    (?:\w+\.)*(\w+)\(", text, re.MULTILINE):
            if call[1] in {"if", "return", "for", "def"} or call[0].strip().startswith("def"):
                continue
            start = len(text[: call.start(1)].encode())
            inside = any(p == path.encode() and s.start == start for p, s in sites)
            assert inside or _in_a_text(text, call.start()), (path, call[0])
    assert {leaf.why for leaf in graph.unresolved} <= set(Why)


def _in_a_text(text, at):
    return text.count('"""', 0, at) % 2 == 1


def test_a_bound_that_cuts_is_counted(monkeypatch):
    functions = "".join(f"def f{n}(): ...\n" for n in range(60))
    calls = "".join(f"run(f{n})\n" for n in range(60))
    files = {"a.py": functions + "def run(x):\n    x()\n" + calls}
    graph = graph_of(files)
    assert graph.cuts > 0
    flowed = [edge for edge in graph.edges if edge.tier is Tier.FLOWED]
    assert 0 < len(flowed) < 60
    monkeypatch.setattr("grainline.graph.solver.MAX_VALUES", 1000)
    assert graph_of(files).cuts == 0


def test_cycles_of_imports_bases_and_calls_end():
    files = {
        "a.py": "from b import *\nfrom b import B\nclass A(B): ...\nA().f()\ndef r(x): return r(r)\n",
        "b.py": "from a import *\nfrom a import A\nclass B(A): ...\nB().f()\nx = [x]\nx[0] = x\n",
    }
    assert resolve([unit(p, t.encode()) for p, t in files.items()]).cuts == 0
    assert resolving.MAX_ROUNDS > 1


def test_an_item_of_what_a_function_makes_calls_nothing():
    text = "function A() {}\nconst a = new A();\n"
    more = "a[1] = 2;\na[b] = a[c];\n"
    calls = edges_of(graph_of({"a.js": text}), EdgeType.CALLS)
    assert edges_of(graph_of({"a.js": text + more}), EdgeType.CALLS) == calls


# ------------------------------------------------------------------------------ modules


def find(paths, path, name):
    modules = PythonModules(Project(paths=tuple(paths)))
    return [found.path or found.folder + "/" for found in modules.find(path, name)]


def test_a_package_wins_over_a_module_and_source_over_a_stub():
    paths = ["a/__init__.py", "a.py", "b.pyi", "b.py", "c.pyi"]
    assert find(paths, "x.py", "a") == ["a/__init__.py"]
    assert find(paths, "x.py", "b") == ["b.py"]
    assert find(paths, "x.py", "c") == ["c.pyi"]


def test_dots_count_from_the_package_and_never_lead_out():
    paths = ["p/__init__.py", "p/q/__init__.py", "p/q/m.py", "p/r.py"]
    assert find(paths, "p/q/m.py", ".") == ["p/q/__init__.py"]
    assert find(paths, "p/q/m.py", "..r") == ["p/r.py"]
    assert find(paths, "p/q/m.py", "....r") == []


def test_a_module_of_a_package_is_not_found_by_its_last_name():
    paths = ["p/__init__.py", "p/json.py", "p/m.py", "q/json.py"]
    assert find(paths, "p/m.py", "json") == []
    assert find(paths, "q/n.py", "json") == ["q/json.py"]


def test_roots_of_several_projects():
    paths = ["one/src/app/__init__.py", "two/src/app/__init__.py", "one/tests/t.py", "two/m.py"]
    both = ["one/src/app/__init__.py", "two/src/app/__init__.py"]
    assert find(paths, "one/src/app/__init__.py", "app") == both[:1]
    assert find(paths, "one/tests/t.py", "app") == both


# ------------------------------------------------------------------------------ hostile files


def chain(first, step, last, length=700):
    return first + "".join(step.format(i=i, j=i + 1) for i in range(length)) + last.format(n=length)


HOSTILE = {
    "partial applications of each other": chain(
        "from functools import partial\ndef f(): ...\np0 = f\n",
        "p{j} = partial(p{i}, 1)\n",
        "p{n}()\n",
    ),
    "functions that return each other's results": chain(
        "def f0(x): return x\n", "def f{j}(x): return f{i}(x)\n", "f{n}(f0)()\n"
    ),
    "instances that call each other": chain(
        "class C0:\n    def __call__(self): ...\n",
        "class C{j}:\n    __call__ = C{i}()\n",
        "C{n}()()\n",
    ),
    "classes below each other": chain(
        "class C0:\n    def f(self): ...\n",
        "class C{j}(C{i}):\n    def f(self): super().f()\n",
        "C{n}().f()\n",
        300,
    ),
    "a container in itself": "d = {}\nd['a'] = d\nd['a']['a']()\nx = [*d, *d]\nx += x\nx[0](x)\n",
    "a scope that nests": "".join("    " * k + f"def f{k}():\n" for k in range(60))
    + "    " * 60
    + "f0()\n",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_a_chain_of_values_needs_no_recursion(source):
    graph = graph_of({"a.py": source})
    assert all(edge.candidates <= 64 for edge in graph.edges)


def test_many_targets_are_bounded_and_counted():
    functions = "".join(f"def f{n}(): ...\n" for n in range(200))
    branches = "x = None\n" + "".join(f"if a:\n    x = f{n}\n" for n in range(200))
    graph = graph_of({"a.py": functions + branches + "x()\n"})
    assert 32 <= max(edge.candidates for edge in graph.edges) <= 64
    assert graph.cuts >= 100


def test_steps_are_bounded_and_what_is_left_is_counted(monkeypatch):
    monkeypatch.setattr("grainline.graph.solver.MAX_STEPS", 10)
    monkeypatch.setattr("grainline.graph.solver.STEPS_A_NODE", 0)
    assert graph_of(package()).cuts > 0
