"""Files of languages that do not reach each other are looked at apart, and are told of as one."""

from __future__ import annotations

from grainline.flow.families import families
from grainline.graph.resolve import resolve
from grainline.model.edge import Edge, EdgeType, Symbol, Tier
from grainline.model.position import Span
from helpers.flows import flows_of
from helpers.graphs import unit

PYTHON = """\
import os
from flask import request


def run():
    os.system(request.args["name"])
"""
SCRIPT = """\
const { exec } = require("child_process");
function run(req) { exec(req.query.name); }
const express = require("express");
express().get("/", run);
"""
FILES = {"a.py": PYTHON, "b.js": SCRIPT, "c.ts": SCRIPT}


def units():
    return [unit(path, text.encode()) for path, text in FILES.items()]


def grouped(found):
    return [[each.path for each in family.units] for family in found]


def test_what_is_resolved_by_the_same_rules_is_one():
    assert grouped(families(units(), resolve(units()))) == [[b"b.js", b"c.ts"], [b"a.py"]]


def test_an_edge_between_languages_joins_them():
    graph = resolve(units())
    edge = Edge(EdgeType.CALLS, Symbol(b"a.py", "run()."), Symbol(b"c.ts", "run()."), Span(0, 1), (), Tier.FLOWED, 1)  # fmt: skip
    joined = type(graph)(edges=(*graph.edges, edge), unresolved=graph.unresolved, cuts=graph.cuts)
    (one,) = families(units(), joined)
    assert one.graph is joined
    guessed = type(graph)(
        edges=(*graph.edges, edge._replace(tier=Tier.NAMED)),
        unresolved=graph.unresolved, cuts=graph.cuts,
    )  # fmt: skip
    assert len(families(units(), guessed)) == 2


def test_the_report_is_that_of_each_in_order():
    apart = [flows_of({path: FILES[path]}) for path in FILES]
    together = flows_of(FILES)
    assert [path.steps[-1].path for path in together.paths] == [b"a.py", b"b.js", b"c.ts"]
    assert together.paths == tuple(path for each in apart for path in each.paths)
    assert together.boundaries == tuple(row for each in apart for row in each.boundaries)
