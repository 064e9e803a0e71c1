"""Ruby: which files make a program, and what keeps broken files and large families from doing harm."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

from grainline.graph.resolve import resolve
from grainline.graph.rules import _ruby_members
from grainline.languages.modules import ruby
from grainline.languages.modules.base import Module, Project
from grainline.model.edge import EdgeType, Tier
from grainline.model.ircheck import check_ir
from helpers.graphs import edges_of, graph_of, unit

CASES = Path(__file__).parent / "cases" / "graph"
PIECES = [b"(", b")", b"end ", b"do |x|", b"class ", b"def ", b"::", b"self.", b"{", b"}", b"<<~A\n", b'"#{',
          b"=>", b"&:", b"->", b"*", b"rescue ", b"case x\nin ", b"super", b"module A::", b"yield ", b"\n"]  # fmt: skip
TESTED = {
    "lib/a.rb": "class A\n  def run; more; end\nend\n",
    "spec/a_spec.rb": "require 'a'\nclass A\n  def more; end\nend\n",
}
UNKNOWN = {"a.rb": "class A\n  def only_here; end\nend\ndef run(x)\n  x.only_here\nend\n"}
APART = {"a.rb": "class A; end\nA.new.run\n", "b.rb": "class A\n  def run; end\nend\n"}


def modules(paths, **packages):
    named = {path: tuple(packages.get(path.replace("/", "_")[:-3], ())) for path in paths}
    return ruby.RubyModules(Project(paths=tuple(paths), packages=named))


def test_production_does_not_get_what_tests_add():
    assert edges_of(graph_of(TESTED), EdgeType.CALLS) == []


def test_tests_that_are_not_told_apart_are_noticed(monkeypatch):
    for module in ("languages.modules.ruby", "graph.rules._ruby_classes"):
        monkeypatch.setattr(f"grainline.{module}.is_test", lambda path: False)
    assert edges_of(graph_of(TESTED), EdgeType.CALLS) != []


def test_a_call_on_something_unknown_has_no_target():
    assert [edge for edge in graph_of(UNKNOWN).edges if edge.type is EdgeType.CALLS] == []


def test_a_member_that_is_found_by_its_name_alone_is_noticed(monkeypatch):
    """The seeded fault: what is missing is whatever any class calls so."""

    def by_name(world, name, target, klass, tier, native):
        for part in world.parts:
            for row in part.classes.values():
                if name.partition("#")[0] in row.members:
                    world.solver.copy(row.members[name.partition("#")[0]], target, tier)

    files = {
        "a.rb": "class A; end\nA.new.only_here\n" + UNKNOWN["a.rb"].replace("class A", "class B")
    }
    assert edges_of(graph_of(files), EdgeType.CALLS) == []
    monkeypatch.setattr(_ruby_members, "_missing", by_name)
    assert edges_of(graph_of(files), EdgeType.CALLS) != []


def test_programs_of_one_class_name_stay_apart():
    assert edges_of(graph_of(APART), EdgeType.CALLS) == []


def test_programs_that_run_together_are_noticed(monkeypatch):
    """The seeded fault: every file loads every other one."""
    monkeypatch.setattr(ruby, "_reached_by", lambda paths, links: dict.fromkeys(paths, 1))
    assert edges_of(graph_of(APART), EdgeType.CALLS) != []


def test_a_call_of_a_constant_receiver_is_resolved_at_its_name():
    files = {"a.rb": "class A\n  def self.go; end\nend\nA\n  .go\n"}
    (edge,) = (edge for edge in graph_of(files).edges if edge.type is EdgeType.CALLS)
    assert edge.tier is Tier.RESOLVED
    assert files["a.rb"][edge.site.start : edge.site.end] == "go"


def test_more_definitions_than_a_set_are_no_answer():
    paths = [f"f{number}.rb" for number in range(ruby.MAX_SET + 1)]
    both = {path[:-3]: ("f()", "require ./main") for path in paths}
    few = modules(
        [*paths[:-1], "main.rb"], **{**both, "main": [f"require ./{p[:-3]}" for p in paths]}
    )
    many = modules([*paths, "main.rb"], **{**both, "main": [f"require ./{p[:-3]}" for p in paths]})
    assert len(few.defining("main.rb", "f()")) == ruby.MAX_SET
    assert many.defining("main.rb", "f()") == ()


def test_a_class_of_very_many_files_is_told_as_one_set():
    paths = [f"f{number:02}.rb" for number in range(ruby.MAX_HELD + 2)]
    links = {"main": [f"require ./{path[:-3]}" for path in paths]}
    known = modules([*paths, "main.rb"], **{path[:-3]: ("A",) for path in paths}, **links)
    files = known.defining("main.rb", "A")
    (held,) = known.held(files)
    assert held.path == ""
    assert list(known.inside(held)) == paths
    assert list(known.held(files[:2])) == [Module(path, "") for path in paths[:2]]


def test_files_that_load_each_other_make_one_program():
    known = modules(
        ["a.rb", "b.rb", "c.rb"], a=("require ./b", "A"), b=("require ./a", "B"), c=("A", "B")
    )
    assert known.defining("a.rb", "B") == ("b.rb",)
    assert known.defining("b.rb", "A") == ("a.rb",)
    assert known.defining("c.rb", "A") == ("c.rb",)


@pytest.mark.parametrize("order", [1, -1])
def test_a_long_chain_of_files_needs_no_recursion(order):
    paths = [f"f{number:05}.rb" for number in range(3000)]
    links = {path[:-3]: (f"require ./{after[:-3]}", "A") for path, after in pairwise(paths)}
    known = modules(paths[::order], **links, f02999=("Last",))
    assert known.defining("f00000.rb", "Last") == ("f02999.rb",)


@pytest.mark.parametrize(
    ("name", "path", "usual"),
    [
        ("Pay::Refund", "lib/pay/refund.rb", True),
        ("Pay::HttpClient", "app/models/pay/http_client.rb", True),
        ("HTTPClient", "lib/http_client.rb", True),
        ("Refund", "lib/pay/refund.rb", False),
        ("Refund", "refund.rb", False),
        ("Refund", "scripts/refund.rb", False),
        ("Pay::Refund", "lib/pay/refund_policy.rb", False),
    ],
)
def test_where_autoloading_looks(name, path, usual):
    known = modules(["other.rb", path], **{path.replace("/", "_")[:-3]: (name.replace("::", "|"),)})
    assert known.defining("other.rb", name) == ((path,) if usual else ())


@pytest.mark.parametrize("seed", range(4))
def test_broken_files_have_sound_ir(seed):
    draw = random.Random(seed)
    texts = [path.read_bytes() for path in sorted(CASES.glob("ruby_*.md"))]
    units = []
    for number in range(20):
        source = draw.choice(texts)
        at = draw.randrange(len(source))
        text = bytearray(source[at : at + 4000])
        for _ in range(draw.randrange(1, 12)):
            at = draw.randrange(len(text) or 1)
            text[at : at + draw.choice([0, 0, 5, 30])] = draw.choice(PIECES)
        units.append(unit(f"f{number}.rb", bytes(text)))
        check_ir(units[-1].ir, size=len(text))
    resolve(units)
