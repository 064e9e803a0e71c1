"""Laws of components: nothing leads from one into another."""

from __future__ import annotations

import random

import pytest

from grainline.graph import components as splitting
from grainline.graph.components import components
from grainline.graph.resolve import project_of, resolve, split
from grainline.graph.resolve import together as solved
from grainline.graph.results import merged
from grainline.graph.rules.base import RULES, rules_of
from helpers.graphs import language_of, unit
from test_graph_cases import cases

WORLDS = [case.values[0] for case in cases()]


def units_of(files):
    found = (unit(path, text.encode()) for path, text in files.items() if language_of(path))
    return sorted(found, key=lambda u: u.path)


def shaping(files):
    """The files that shape resolution."""
    return {path: text.encode() for path, text in files.items() if not language_of(path)}


def together(units, rest=None):
    """The graph of one family of languages, solved as one."""
    return solved(units, project_of(units, rest))


def apart(units, rest=None):
    """The same, each component with nothing but itself and the paths of all."""
    project = project_of(units, rest)
    return merged(solved(group.units, project) for group in split(units, rest))


def by_family(files):
    families = {}
    for each in units_of(files):
        families.setdefault(rules_of(each.language).languages, []).append(each)
    return [family for _, family in sorted(families.items())]


@pytest.mark.parametrize("seed", range(12))
def test_components_alone_give_what_all_together_give(seed):
    draw = random.Random(seed)
    files = {}
    for number, world in enumerate(draw.sample(WORLDS, 6)):
        root = draw.choice(["", f"w{number}/", f"src/p{number % 2}/", f"tests/w{number}/"])
        files |= {root + path: text for path, text in world.items()}
    rest = shaping(files)
    for family in by_family(files):
        assert apart(family, rest) == together(family, rest)
    whole = merged(together(family, rest) for family in by_family(files))
    assert resolve(units_of(files), rest) == whole


LINKS = {
    "a module": {"a.py": "import b\nb.f()\n", "b.py": "def f(): ...\n"},
    "a member": {"a.py": "from b import f\nf()\n", "b.py": "def f(): ...\n"},
    "a star": {"a.py": "from b import *\nf()\n", "b.py": "def f(): ...\n"},
    "the package around a module": {
        "a.py": "import p.b\np.f()\n",
        "p/__init__.py": "def f(): ...\n",
        "p/b.py": "",
    },
    "a module that is a member": {
        "a.py": "from p import b\nb.f()\n",
        "p/__init__.py": "",
        "p/b.py": "def f(): ...\n",
    },
    "a module below what is held": {
        "a.py": "import p\np.q.b.f()\n",
        "p/__init__.py": "",
        "p/q/__init__.py": "",
        "p/q/b.py": "def f(): ...\n",
    },
    "a module below what came by a call": {
        "a.py": "import c, p\nc.run(p)\n",
        "c.py": "def run(x):\n    x.b.f()\n",
        "p/__init__.py": "",
        "p/b.py": "def f(): ...\n",
    },
    "a relative import": {
        "p/__init__.py": "",
        "p/a.py": "from . import b\nb.f()\n",
        "p/b.py": "def f(): ...\n",
    },
    "a module of JavaScript": {
        "a.js": "import { f } from './b'\nf()\n",
        "b.ts": "export function f() {}\n",
    },
    "a star of JavaScript": {
        "a.js": "import { f } from './c'\nf()\n",
        "b.js": "export function f() {}\n",
        "c.js": "export * from './b'\n",
    },
    "a module of Node": {"a.js": "require('./b').f()\n", "b.js": "exports.f = function () {}\n"},
    "a property of something unknown": {
        "a.js": "import './b'\nfunction g(x) { x.f() }\n",
        "b.js": "export const o = { f() {} }\n",
    },
}


@pytest.mark.parametrize("files", LINKS.values(), ids=LINKS)
def test_every_link_joins(files):
    units = units_of(files)
    graph = apart(units)
    assert graph == together(units)
    assert [edge for edge in graph.edges if edge.dst.descriptor.endswith("f().")]


@pytest.mark.parametrize("kind", [0, 1], ids=["named", "held"])
@pytest.mark.parametrize("files", LINKS.values(), ids=LINKS)
def test_a_link_that_is_dropped_is_noticed(monkeypatch, files, kind):
    """The seeded fault: one kind of links is forgotten; any of the worlds that need it tells."""
    real = splitting._reached

    def forgetful(*given):
        reached = list(real(*given))
        dropped = reached[kind]
        reached[kind] = set()
        reached[1 - kind] = reached[1 - kind] - dropped
        return tuple(reached)

    units = units_of(files)
    needed = any(
        real(each.path.decode(), each.ir, rules, rules.modules(project_of(units)))[kind]
        for each in units
        for rules in [rules_of(each.language)]
    )
    monkeypatch.setattr(splitting, "_reached", forgetful)
    assert (apart(units) != together(units)) or not needed or _still_joined(units, real)


def _still_joined(units, real):
    """Whether the other kind joins the same files, so that nothing was lost."""
    rules = rules_of(units[0].language)
    modules = rules.modules(project_of(units))
    before = components(units, rules, modules)
    return len(before) == 1


def test_files_without_a_link_are_components_of_their_own():
    units = units_of({"a.py": "import b\n", "b.py": "", "c.py": "import os\n", "d.py": "x = 1\n"})
    assert [[each.path for each in group.units] for group in split(units)] == [
        [b"a.py", b"b.py"], [b"c.py"], [b"d.py"],
    ]  # fmt: skip


def test_what_resolution_says_to_the_files_of_a_component_is_told_by_its_links():
    files = {"a.py": "import b\n", "c.py": "import lib.x\n", "src/b.py": "", "lib/x.py": ""}
    more = files | {"src/d.py": "", "b.py": "", "lib/y.py": ""}
    before, after = ({g.units[0].path: g for g in split(units_of(f))} for f in (files, more))
    assert before[b"a.py"].links != after[b"a.py"].links
    assert split(units_of(files))[0].links == before[b"a.py"].links


def test_a_language_has_one_set_of_rules():
    languages = [language for rules in RULES for language in rules.languages]
    assert len(languages) == len(set(languages))
    assert rules_of("markdown") is None
