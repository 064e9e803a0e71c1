"""What a trace says of data in things that functions share: its way, or the place where it is lost."""

from __future__ import annotations

import pytest

from grainline.flow.analysis import analyse
from grainline.flow.builtin import builtin
from grainline.model.flow import Cut, FlowQuestion, Region
from grainline.model.position import Span
from helpers.flows import graph_of
from helpers.graphs import unit

PYTHON = """\
import os
ITEMS = []
def write(v):
    ITEMS.append(v)
    os.environ["PX"] = v
def read():
    os.system(ITEMS[0])
    os.system(os.environ["PX"])
    os.system("ls")
class Job:
    def take(self, v):
        self.name = v
        self.rest = "ls"
        self.rows["k"] = v
    def run(self):
        os.system(self.name)
        os.system(self.rest)
        os.system(self.rows["k"])
class Other:
    def run(self):
        os.system(self.name)
"""
JAVA = """\
import javax.servlet.http.*;
class G extends HttpServlet {
  String name, fixed;
  protected void doPost(HttpServletRequest req, HttpServletResponse res) {
    name = req.getParameter("q");
    fixed = "ls";
  }
  protected void doGet(HttpServletRequest req, HttpServletResponse res) throws Exception {
    Runtime.getRuntime().exec(name);
    Runtime.getRuntime().exec(fixed);
  }
}
"""
JAVASCRIPT = """\
const { exec } = require('child_process');
const cache = {}, table = new Map();
function write(v) {
  cache.k = v;
  table.set('k', v);
  localStorage.k = v;
}
function read() {
  exec(cache.k);
  exec(cache.other);
  exec(table.get('k'));
  exec(localStorage.k);
}
class Job {
  take(v) {
    this.name = v;
  }
  run() {
    exec(this.name);
    exec(this.rest);
  }
}
"""
GO = """\
package main
import "os/exec"
var cache = map[string]string{}
type job struct{ name, rest string }
func write(v string) {
	cache["k"] = v
}
func read() {
	exec.Command("sh", "-c", cache["k"]).Run()
	exec.Command("sh", "-c", cache["other"]).Run()
}
func (j *job) take(v string) {
	j.name = v
}
func (j *job) run() {
	exec.Command("sh", "-c", j.name).Run()
	exec.Command("sh", "-c", j.rest).Run()
}
"""
FILES = {"a.py": PYTHON, "G.java": JAVA, "a.js": JAVASCRIPT, "a.go": GO}
WAY = None
"""A way is found."""


def line(path, number):
    """The region of a line."""
    text = FILES[path].encode().split(b"\n")
    start = sum(len(each) + 1 for each in text[: number - 1])
    return Region(path.encode(), Span(start, start + len(text[number - 1])))


def asked(path, source, sink):
    """(ways, frontier) from one line to another."""
    files = {path: FILES[path]}
    units = [unit(path, FILES[path].encode())]
    question = FlowQuestion(sources=(line(path, source),), sinks=(line(path, sink),))
    report = analyse(units, graph_of(files, units, {}), builtin(), question=question)
    return report.paths, {
        (each.cut, FILES[path].encode().count(b"\n", 0, each.span.start) + 1)
        for each in report.frontier
    }


@pytest.mark.parametrize(
    ("path", "source", "sink", "lost"),
    [
        ("a.py", 4, 7, WAY),
        ("a.py", 5, 8, (Cut.EXTERNAL, 5)),
        ("a.py", 12, 16, (Cut.INJECTION, 12)),
        ("a.py", 14, 18, (Cut.INJECTION, 14)),
        ("G.java", 5, 9, (Cut.INJECTION, 5)),
        ("a.js", 4, 9, WAY),
        ("a.js", 5, 11, WAY),
        ("a.js", 6, 12, (Cut.EXTERNAL, 6)),
        ("a.js", 16, 19, (Cut.INJECTION, 16)),
        ("a.go", 6, 9, WAY),
        ("a.go", 13, 16, (Cut.INJECTION, 13)),
    ],
)
def test_data_that_is_shared_gets_there_or_it_is_said_where_it_is_lost(path, source, sink, lost):
    paths, frontier = asked(path, source, sink)
    assert bool(paths) is (lost is WAY)
    if lost is not WAY:
        assert frontier == {lost}


@pytest.mark.parametrize(
    ("path", "source", "sink"),
    [
        ("a.py", 4, 9),
        ("a.py", 12, 17),
        ("a.py", 12, 18),
        ("a.py", 12, 21),
        ("G.java", 5, 10),
        ("a.js", 4, 10),
        ("a.js", 16, 20),
        ("a.go", 6, 10),
        ("a.go", 13, 17),
    ],
)
def test_another_key_field_or_class_is_no_way_and_no_doubt(path, source, sink):
    assert asked(path, source, sink) == ((), set())
