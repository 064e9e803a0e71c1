"""What is asked about by lines: a call that gives the element under a key is about that element."""

from __future__ import annotations

import pytest

from grainline.flow.analysis import analyse
from grainline.flow.builtin import builtin
from grainline.model.flow import FlowQuestion, Region
from grainline.model.position import Span
from helpers.flows import parsed

MAPS = {
    "A.java": (
        "import java.util.*;\n"
        "class A { void run(String k) throws Exception { Map<String, String> m = new HashMap<>();\n"
        'String s = System.getenv("X");\n'
        'm.put("a", s); m.put("b", "ls");\n'
        'Runtime.getRuntime().exec(m.get("b"));\n'
        'Runtime.getRuntime().exec(m.get("a"));\n'
        "Runtime.getRuntime().exec(m.get(k));\n"
        "show(m);\n} }\n"
    ),
    "a.js": (
        "const { exec } = require('child_process');\n"
        "function run(k) { const m = new Map();\n"
        "const s = process.env.X;\n"
        "m.set('a', s); m.set('b', 'ls');\n"
        "exec(m.get('b'));\nexec(m.get('a'));\nexec(m.get(k));\nshow(m);\n}\n"
    ),
    "a.rb": (
        "# a table\n"
        "def run(k); m = {}\n"
        "s = ENV['X']\n"
        "m['a'] = s; m['b'] = 'ls'\n"
        "system(m.fetch('b'))\nsystem(m.fetch('a'))\nsystem(m.fetch(k))\nshow(m)\nend\n"
    ),
}


def line(path, text, number):
    lines = text.split("\n")
    start = sum(len(each) + 1 for each in lines[: number - 1])
    return Region(path.encode(), Span(start, start + len(lines[number - 1])))


@pytest.mark.parametrize("path", MAPS)
def test_what_stands_under_another_key_does_not_get_to_a_line(path):
    text = MAPS[path]
    units, graph = parsed({path: text})

    def reached(number):
        ends = {"sources": (line(path, text, 3),), "sinks": (line(path, text, number),)}
        return bool(analyse(units, graph, builtin(), question=FlowQuestion(**ends)).paths)

    assert [number for number in (4, 5, 6, 7, 8) if reached(number)] == [4, 6, 7, 8]
