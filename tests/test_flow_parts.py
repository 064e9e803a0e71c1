"""What a test of a part says of the whole, with the faults that would make it say more, or less."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grainline.flow import hosts, lists, numbers, outside, sames, semantics, texts, values
from grainline.flow.languages import javascript, php, python
from grainline.flow.machine import Run
from grainline.flow.values import MAX_PATH, PART, Port, Value, deepened, piece
from grainline.model.relations import Verdict
from helpers.flows import flows_of

HEAD = """
import os
from flask import Flask, request, make_response
app = Flask(__name__)
@app.route("/")
def go():
    d = request.get_json()
    x, k, j = request.args["x"], request.args["k"], request.args["j"]
    r = make_response("")
"""


def reached(body):
    """The kinds of what is not known to be harmless in a handler."""
    lines = "".join(f"    {line}\n" for line in body)
    found = flows_of({"app.py": HEAD + lines}).paths
    return sorted(each.kind for each in found if each.verdict is not Verdict.NO_PATH)


def whole(run, op, found, alike=0):
    return found


def always(*_, **__):
    return True


SLICE = ['if x[:2] == "ls":', "    os.system(x)"]
KEY = ['if d[k] == "ls":', "    os.system(d[j])"]
MADE = ['if x.replace(";", "") == "ls":', "    os.system(x)"]
UNKNOWN = ['if x.tidy() == "ls":', "    os.system(x)"]
ENDS = ['if x.strip() == "ls":', '    r.headers["X"] = x']
PATH = ['if os.path.realpath(x) == "/srv/a":', "    os.system(x)"]
SET = ['if d[k] == "ls":', "    k = j", "    os.system(d[k])"]
PUT = ["y = d['in']", 'if y[k] == "ls":', "    y[k] = y[j]", "    os.system(y[k])"]
EACH = ["xs = d['xs']", "for y in xs:", '    if y == "ls":', "        os.system(xs[0])"]


@pytest.mark.parametrize("body", [SLICE, KEY, MADE, UNKNOWN, PATH, SET, PUT, EACH])
def test_a_part_says_nothing_of_the_rest(body):
    assert reached(body) == ["command"]


@pytest.mark.parametrize(
    ("where", "name", "fault", "body", "kinds"),
    [
        (hosts, "part", whole, SLICE, ["command"]),
        (hosts, "part", whole, KEY, ["command"]),
        (hosts, "piece", lambda origin, *_: origin, MADE, ["command"]),
        (hosts, "piece", lambda origin, *_: origin, UNKNOWN, ["command"]),
        (hosts, "piece", lambda origin, *_: origin, EACH, ["command"]),
        (hosts, "likeness", lambda key: -1, ENDS, ["header"]),
        (hosts, "likeness", lambda key: -1, PATH, ["command"]),
        (sames.Sames, "bound", lambda self, run, name: None, SET, ["command"]),
        (sames.Sames, "changed", lambda self, run, holder: None, PUT, ["command"]),
    ],
)
def test_each_fault_hides_a_way(monkeypatch, where, name, fault, body, kinds):
    assert reached(body) == kinds
    if name == "bound":
        monkeypatch.setattr(sames, "same", always)
    monkeypatch.setattr(where, name, fault)
    if name == "piece":
        monkeypatch.setattr(hosts, "taken", lambda trail: "")
    assert reached(body) == []


@pytest.mark.parametrize(
    ("where", "name", "fault", "body"),
    [
        (
            sames.Sames,
            "first",
            lambda self, run, op: op,
            ['if d[k] == "ls":', "    os.system(d[k])"],
        ),
        (hosts, "likeness", lambda key: 0, ['if x.strip() == "ls":', "    os.system(x)"]),
        (hosts, "likeness", lambda key: 0, ['if os.path.realpath(x) == "/a":', "    open(x)"]),
        (hosts, "_without_ends", lambda site: 0, ['if x.strip("/") == "ls":', "    os.system(x)"]),
    ],
)
def test_what_is_known_up_to_blanks_or_spelling_or_read_again_is_known(
    monkeypatch, where, name, fault, body
):
    assert reached(body) == []
    monkeypatch.setattr(where, name, fault)
    assert reached(body) != []


def test_what_is_cut_off_at_the_ends_is_only_blanks():
    assert reached(['if x.strip("abc") == "ls":', "    os.system(x)"]) == ["command"]
    assert reached(["if x.strip(k) == 'ls':", "    os.system(x)"]) == ["command"]


def test_fields_of_what_was_decoded_are_told_apart(monkeypatch):
    files = {
        "a.php": '<?php $d = json_decode($_POST["d"]);\n'
        'if ($d->kind === "run") { system($d->cmd); }\n'
    }
    [path] = flows_of(files).paths
    assert path.verdict is Verdict.PATH
    monkeypatch.setattr(semantics.Semantics, "is_part", lambda self, key: isinstance(key, str))
    [path] = flows_of(files).paths
    assert path.verdict is Verdict.NO_PATH


def test_what_stands_somewhere_in_a_thing_is_read_by_its_member(monkeypatch):
    body = [
        "xs = []",
        "for y in d:",
        "    xs.append(y)",
        'if xs[0] == "ls":',
        "    os.system(xs[1])",
    ]
    assert reached(body) == ["command"]
    monkeypatch.setattr(Run, "_unnamed", lambda self, holder, *_: set(holder.taints))
    assert reached(body) == []


def test_where_there_is_no_room_for_a_part_the_last_one_gives_way():
    deep = 'd["a"]["b"]["c"]["d"]'
    assert reached([f'if {deep}["kind"] == "run":', f'    os.system({deep}["cmd"])']) == ["command"]
    loop = ["while x:", '    if x[0] == "a":', "        os.system(x[1:])", "    x = x[1:]"]
    assert reached(loop) == ["command"]


PIECES = st.sampled_from([piece(Port(0, ()), PART, 1, op).path[0] for op in range(6)])


def longest(grown):
    """Parts that are named by the longest key that parts of parts of parts come to."""
    keys = set(grown)
    for _ in range(4):  # a summary puts the parts of a callee into those of its caller
        keys |= {deepened(Port(0, (one, one, one)), two).path[-1] for one in keys for two in grown}
    return max(key.count(" of ") for key in keys) + 1


@given(st.lists(PIECES, min_size=2, max_size=4, unique=True))
def test_parts_of_parts_name_few(grown):
    assert longest(grown) <= MAX_PATH


def test_the_fault_of_parts_that_grow_is_seen(monkeypatch):
    grown = [piece(Port(0, ()), PART, 1, op).path[0] for op in range(4)]
    joined = lambda part, key: part if key in part.split(" of ") else f"{key} of {part}"  # noqa: E731
    monkeypatch.setattr(values, "_inner", joined)
    assert longest(grown) > MAX_PATH


FOLDER = ["f = os.path.realpath(os.path.join('/srv/', x))", "if f.startswith('/srv/'):"]


def test_a_folder_that_was_tested_is_no_other_one(monkeypatch):
    other = [*FOLDER, "    open(os.path.join('/data/', x))"]
    assert reached([*FOLDER, "    open(f)", "    open(os.path.join('/srv/', x))"]) == []
    assert reached(other) == ["path"]
    monkeypatch.setattr(hosts, "_numbered", lambda run, way: 0)
    assert reached(other) == []


def test_a_folder_without_a_separator_begins_others(monkeypatch):
    body = ["if os.path.realpath(x).startswith('/srv'):", "    open(x)"]
    assert reached(body) == ["path"]
    assert reached([body[0].replace("/srv", "/srv/"), body[1]]) == []
    monkeypatch.setattr(texts, "_SEPARATORS", ("/", "v"))
    assert reached(body) == []


LATER = """
KNOWN = {"a"}
@app.route("/later")
def later():
    KNOWN.add(request.args["x"])
"""


def test_a_list_is_known_only_where_nobody_puts_data_into_it(monkeypatch):
    body = ["if x in KNOWN:", "    os.system(x)"]
    text = HEAD + "".join(f"    {line}\n" for line in body) + LATER
    [path] = flows_of({"app.py": text}).paths
    assert path.verdict is Verdict.PATH
    monkeypatch.setattr(lists.Lists, "filled", lambda self: frozenset())
    [path] = flows_of({"app.py": text}).paths
    assert path.verdict is Verdict.NO_PATH


def test_the_names_of_elements_are_data_of_a_list(monkeypatch):
    body = ["d = {'a': 1}", "d[k] = 1", "if x in d:", "    os.system(x)"]
    assert reached(body) == ["command"]
    monkeypatch.setattr("grainline.flow.machine.NAMES", (".", "other"))
    assert reached(body) == []


def test_one_of_several_types_is_a_number_where_all_are(monkeypatch):
    head = "import os\nfrom typing import Union\nfrom fastapi import FastAPI\napp = FastAPI()\n"
    text = head + '@app.get("/")\ndef go(n: Union[int, str]):\n    os.system(n)\n'
    [path] = flows_of({"app.py": text}).paths
    assert path.verdict is Verdict.PATH
    monkeypatch.setattr(numbers, "_all", lambda code, at: [numbers._first(code, at)])
    assert (
        flows_of({"app.py": text}).paths == ()
        or flows_of({"app.py": text}).paths[0].verdict is Verdict.NO_PATH
    )


def test_a_place_that_may_be_false_is_tested_exactly(monkeypatch):
    files = {
        "a.php": '<?php $y = realpath($_GET["y"]);\nif (strpos($y, "/srv/") != 0) { die(); }\nreadfile($y);\n'
    }
    [path] = flows_of(files).paths
    assert path.verdict is Verdict.PATH
    monkeypatch.setattr(php, "EXACT", ("===", "!==", "==", "!="))
    [path] = flows_of(files).paths
    assert path.verdict is Verdict.NO_PATH


def test_an_address_that_is_absolute_is_relative_to_nothing(monkeypatch):
    files = {
        "a.js": 'const axios = require("axios");\nrequire("express")().get("/", (req, res) => {\n'
        '  axios.get(new URL("https://a.example", req.query.u));\n});\n'
    }
    assert flows_of(files).paths == ()
    monkeypatch.setattr(javascript, "URLS", frozenset())
    assert [each.kind for each in flows_of(files).paths] == ["ssrf"]


def test_equal_to_one_of_a_list_in_a_round_is_known(monkeypatch):
    body = ["if any(x == a for a in ('a', 'b', 'c', 'd', 'e')):", "    os.system(x)"]
    other = ["if any(x == a for a in d):", "    os.system(x)"]
    mixed = [
        "for a in ('a', 'b', 'c', 'd', 'e'):",
        "    b = a if k else j",
        "    if x == b:",
        "        os.system(x)",
    ]
    each = ["if any(y == 'a' for y in d):", "    os.system(d['x'])"]
    assert reached(body) == []
    assert reached(other) == ["command"]
    assert reached(mixed) == ["command"]
    assert reached(each) == ["command"]
    monkeypatch.setattr(lists, "element", lambda run, among, found: found)
    assert reached(body) == ["command"]


@pytest.mark.parametrize(
    "line",
    [
        "Thread(target=os.system, args=(x,)).start()",
        "pool.submit(os.system, x)",
        "list(map(os.system, [x]))",
    ],
)
def test_data_gets_to_what_is_handed_over_to_be_called(monkeypatch, line):
    body = ["from threading import Thread", "from concurrent.futures import ThreadPoolExecutor",
            "pool = ThreadPoolExecutor()", line]  # fmt: skip
    assert reached(body) == ["command"]
    assert reached([*body[:3], line.replace("x", "'ls'")]) == []
    monkeypatch.setattr(python, "_is_callable", lambda value: False)
    monkeypatch.setattr(outside.Outside, "_named", lambda *_: Value())
    assert reached(body) == []
