"""Files that cannot meet are solved apart, and not at all where words show that nothing can be found."""

from __future__ import annotations

import pytest

from grainline.flow import analysis, groups, relevance
from grainline.flow.builtin import builtin
from grainline.flow.families import families
from grainline.flow.groups import Groups
from grainline.flow.packages import unmatched
from grainline.graph.resolve import resolve
from helpers.flows import flows_of, parsed
from test_flow_cases import FOLDER, cases

FILES = {path.stem: path for path in sorted(FOLDER.glob("*.md"))}


def grouped(files):
    """The groups of each family of languages."""
    units, graph = parsed(files)
    return [(family, Groups(builtin()).of(family)) for family in families(units, graph)]


def paths_of(units, graph):
    return analysis.solved(units, graph, builtin(), stopped=True).report.paths


def faults(files):
    """Where the two laws do not hold: what is left out has findings; apart they are others than together."""
    for family, several in grouped(files):
        for group in several:
            if not group.look.alive:
                found = analysis.solved(group.units, group.graph, builtin(), stopped=True)
                silent = analysis.looked_at(group, Groups(builtin()), builtin(), stopped=True)
                if found.report.paths != silent.report.paths:
                    yield "left out"
                if unmatched(builtin(), [found.uses]):
                    yield "a package"
        if len(several) > 1:
            apart = sorted(repr(path) for group in several for path in paths_of(group.units, group.graph))  # fmt: skip
            if apart != sorted(map(repr, paths_of(family.units, family.graph))):
                yield "apart"


def of_topic(topic):
    return [case.values[0] for case in cases() if case.id.startswith(f"{topic}: ")]


@pytest.mark.parametrize("topic", list(FILES))
def test_nothing_is_found_in_what_is_left_out_and_nothing_else_apart_than_together(topic):
    """The laws, for the files of every case of data flow."""
    for files in of_topic(topic):
        assert list(faults(files)) == [], files


RENAMED = ["java_libraries", "kotlin_values", "permission_javascript"]


@pytest.mark.parametrize("topic", RENAMED)
def test_a_name_that_comes_up_by_another_one_is_not_forgotten(topic, monkeypatch):
    """The seeded fault: only what is written counts, not what rows say it is called."""
    monkeypatch.setattr(relevance.Rows, "_come_up", lambda rows, words: frozenset())
    assert "left out" in [fault for files in of_topic(topic) for fault in faults(files)]


PACKAGE = {
    "a/App.java": """package a;
class App {
  String run(javax.servlet.http.HttpServletRequest r) throws Exception {
    Object made = Class.forName("b.Shell").newInstance();
    return r.getParameter("q");
  }
}
""",
    "b/Shell.java": "package b;\nclass Shell { void go(String x) throws Exception { Runtime.getRuntime().exec(x); } }\n",
}


def test_a_class_that_is_found_by_its_name_is_in_the_same_group(monkeypatch):
    def number():
        ((_, several),) = grouped(PACKAGE)
        return len(several)

    assert number() == 1
    monkeypatch.setattr(groups, "BY_EDGES", groups.BY_EDGES | {"java"})
    assert number() == 2


def test_scripts_that_nothing_ties_are_apart_and_a_library_without_a_source_is_left_out():
    files = {
        "app.js": 'const { exec } = require("child_process");\nexec(process.argv[2]);\n',
        "vendor.js": "function put(node, text) { node.innerHTML = text; }\n",
    }
    ((_, (first, second)),) = grouped(files)
    assert (first.look.alive, second.look.alive) == (True, False)
    (path,) = flows_of(files).paths
    assert path.kind == "command"


GUARDED = {
    "app.js": """const express = require("express");
const app = express();
app.use((req, res, next) => { if (!req.user) return res.sendStatus(403); next(); });
""",
    "posts.js": """const express = require("express");
const Post = require("./post");
const router = express.Router();
router.delete("/", async (req, res) => { await Post.deleteMany({}); });
module.exports = router;
""",
}


def test_what_guards_handlers_anywhere_is_in_the_group_of_those_that_need_it(monkeypatch):
    ((_, several),) = grouped(GUARDED)
    assert len(several) == 1
    known = groups.Groups._known
    monkeypatch.setattr(groups.Groups, "_known", lambda self, group: known(self, group)._replace(guards=False))  # fmt: skip
    assert "apart" in list(faults(GUARDED))


def test_a_package_is_imported_in_one_group_and_used_in_another():
    files = {"a.py": "import subprocess\nsubprocess.nothing([])\n", "b.py": "import subprocess\nsubprocess.run('ls')\n"}  # fmt: skip
    assert flows_of({"a.py": files["a.py"]}).unmatched
    assert flows_of(files).unmatched == ()


def test_the_order_of_files_says_nothing():
    files = {**GUARDED, **PACKAGE}
    units, graph = parsed(files)
    assert analysis.analyse(units, graph, builtin()) == analysis.analyse(units[::-1], graph, builtin())  # fmt: skip
    assert resolve(units[::-1]).edges == graph.edges
