"""Source that the parser gives up: it is told with its line, in every language, and only there."""

from __future__ import annotations

import pytest

from grainline.flow.analysis import analyse
from grainline.flow.builtin import builtin
from grainline.model.flow import Cut, FlowQuestion, Region
from grainline.model.position import Span
from helpers.flows import flows_of, line_of, parsed

BROKEN = {
    "a.py": "def f(x):\n    y = 1\n    y = 3 x ?\n    return y\n",
    "a.js": "function f(x) {\n  let y = 1;\n  y = 3 x @;\n  return y;\n}\n",
    "a.ts": "function f(x: string) {\n  let y = 1;\n  y = 3 x @;\n  return y;\n}\n",
    "a.go": "package a\nfunc f(x string) string {\n\ty = 3 x @\n\treturn y\n}\n",
    "a.php": "<?php\nfunction f($x) {\n  $y = 3 $x @;\n  return $y;\n}\n",
    "a.rb": "def f(x)\n  y = 1\n  y = 3 x ~\n  y\nend\n",
    "a.rs": "fn f(x: String) {\n    let y = 1;\n    y = 3 x @ ;\n}\n",
    "a.c": "int f(char *x) {\n    int y = 1;\n    y = 3 x @ ;\n    return y;\n}\n",
    "a.cpp": "int f(char *x) {\n    int y = 1;\n    y = 3 x @ ;\n    return y;\n}\n",
    "A.java": "class A {\n  void f(String x) {\n    String y = x @@ ;\n    int k = 0;\n  }\n}\n",
    "A.kt": "fun f(x: String) {\n    var y = x\n    y = = x\n    println(y)\n}\n",
    "A.cs": "class A {\n  void f(string x) {\n    string y = 3 x @ ;\n    int k = 0;\n  }\n}\n",
}


def torn(report, files):
    return [line_of(files, each) for each in report.boundaries if each.cut is Cut.PARSE]


@pytest.mark.parametrize("path", BROKEN)
def test_broken_source_is_told_though_nothing_gets_there(path):
    files = {path: BROKEN[path], "b.py": "def g(x):\n    return x\n"}
    assert set(torn(flows_of(files), files)) == {(path, 3)}


def asked(files, source, target):
    """The report on a question from one text to another."""
    units, graph = parsed(files)

    def region(path, text):
        start = files[path].encode().index(text.encode())
        return Region(path.encode(), Span(start, start + len(text.encode())))

    question = FlowQuestion(sources=(region(*source),), sinks=(region(*target),))
    return analyse(units, graph, builtin(), stopped=True, question=question)


def test_data_that_gets_to_broken_source_is_lost_there_and_other_data_is_not():
    files = {"a.py": "def f(x, z):\n    y = 3 x ?\n    k = 0\n    g(z)\n    h(1)\n"}
    report = asked(files, ("a.py", "x, z"), ("a.py", "h(1)"))
    lost = [line_of(files, each)[1] for each in report.frontier if each.cut is Cut.PARSE]
    assert lost == [2]
    other = asked(files, ("a.py", "z)"), ("a.py", "h(1)"))
    assert Cut.PARSE not in [each.cut for each in other.frontier]


def test_a_text_with_many_names_may_be_about_any_variable():
    many = " ".join(f"n{number}" for number in range(100))
    text = f"import os\nfrom flask import request\ndef f():\n    x = request.args['q']\n    y = ''\n    3 {many} ?\n    os.system(y)\n"
    report = flows_of({"a.py": text})
    assert [path.verdict.value for path in report.paths] == ["undetermined"]
