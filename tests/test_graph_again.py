"""The law of taking over: what is read again and what is kept are the edges of the whole."""

from __future__ import annotations

import hashlib
import random
import re

import pytest

from grainline.graph.resolve import solve, split
from grainline.graph.results import Flows
from grainline.graph.table import table_of
from grainline.graph.tablebytes import encode_table
from grainline.graph.typed import heads, java
from grainline.graph.typed.heads import headings, tops_of
from grainline.graph.typed.program import Program
from grainline.graph.units import Unit
from grainline.indexing import moved as moving
from grainline.indexing.moved import change, likely, solved, taken
from grainline.model.edge import Method
from helpers.graphs import language_of, unit
from test_graph_cases import cases

WORLDS = [
    case.values[0] for case in cases() if all(path.endswith(".java") for path in case.values[0])
]
BODY = re.compile(r"\)\s*(?:throws [\w, ]+)?\{(?=[^{}]*\}|\s*\n)")
CLASS = re.compile(r"\bclass \w+[^{};]*\{")
STATEMENTS = (
    " int more = 1;",
    ' String said = "x" + 1;',
    " for (int i = 0; i < 2; i++) { }",
    " new Object() { void inner() { } };",
    " class Inner { void inner() { } }",
    " Runnable later = () -> { }; later.run();",
    " // nothing\n",
)
MEMBERS = (" int added;", " int added() { return 1; }", " static class Added { }")


def edited(files, draw):
    """`files` with a statement, or now and then a member, in one of them."""
    path = draw.choice([path for path in files if language_of(path)])
    text = files[path]
    pattern, words = (
        (BODY, [*STATEMENTS, *calls(files)]) if draw.random() < 0.85 else (CLASS, MEMBERS)
    )
    places = [found.end() for found in pattern.finditer(text)]
    if not places:
        return files
    at = draw.choice(places)
    return files | {path: text[:at] + draw.choice(words) + text[at:]}


def calls(files):
    """Statements of the files that call something."""
    lines = [
        line.partition("//")[0].strip() for text in files.values() for line in text.splitlines()
    ]
    return [f" {line}" for line in lines if re.fullmatch(r"[\w.]+\([^{}]*\);", line)]


def keyed(files):
    found = (unit(path, text.encode()) for path, text in files.items() if language_of(path))
    return [
        Unit(each.path, each.language, each.ir, each.outline, key_of(files[each.path.decode()]))
        for each in found
    ]


def key_of(text):
    return hashlib.sha256(text.encode()).digest()[:16]


def told(graph_or_table):
    return encode_table(graph_or_table)


def step(before, after):
    """(kind of change, tables of the components that were taken over, those of the whole)."""
    irs = {each.key: each.ir for each in keyed(before)}
    kept = {}
    for number, part in enumerate(split(keyed(before))):
        graph = solve(part)
        kept[str(number)] = (solved(str(number), part, graph.apart), table_of(graph))
    for part in split(keyed(after)):
        for was in likely([each for each, _ in kept.values()], part):
            found = change(part, was, irs.get)
            now = None if found is None else taken(kept[was.digest][1], part, was, found)
            if now is not None:
                yield found, now, solve(part)


@pytest.mark.parametrize("seed", range(6))
def test_bodies_that_are_read_again_are_as_from_scratch(seed):
    draw = random.Random(seed)
    bodies = 0
    for world in draw.sample(WORLDS, min(len(WORLDS), 24)):
        before = dict(world)
        for _ in range(3):
            after = edited(before, draw)
            for found, (table, apart), whole in step(before, after):
                assert told(table) == told(table_of(whole))
                assert apart == whole.apart
                bodies += bool(found.bodies)
            before = after
    assert bodies > 3


PAY = {
    "p/Pay.java": "package p;\nclass Pay {\n  void pay(Bank b) {\n    b.send(1);\n  }\n}\n",
    "p/Bank.java": "package p;\nclass Bank {\n  void send(int x) {\n    log(x);\n  }\n  void log(int x) {\n  }\n}\n",
}


def with_body(statement):
    return PAY | {"p/Pay.java": PAY["p/Pay.java"].replace("b.send(1);", statement)}


def test_a_new_call_in_a_body_reads_its_file_alone():
    ((found, (table, _), whole),) = step(PAY, with_body("b.send(1);\n    b.log(2);"))
    assert list(found.bodies) == [1]
    assert told(table) == told(table_of(whole))
    called = {edge.dst.descriptor for edge in whole.edges if edge.src.descriptor == "Pay#pay()."}
    assert called >= {"Bank#send().", "Bank#log()."}


@pytest.mark.parametrize(
    "after",
    [
        PAY | {"p/Bank.java": PAY["p/Bank.java"].replace("void log(int x)", "void log(long x)")},
        PAY | {"p/Bank.java": PAY["p/Bank.java"].replace("class Bank {", "class Bank {\n  int y;")},
        with_body("Runnable r = () -> b.send(1);"),
    ],
    ids=["a declaration", "a field", "a function that is a value"],
)
def test_what_others_depend_on_resolves_all(after):
    assert list(step(PAY, after)) == []


@pytest.mark.parametrize("world", WORLDS, ids=range(len(WORLDS)))
def test_what_files_are_found_by_is_what_the_program_reads(world):
    for each in keyed(world):
        file = Program([each]).files[0]
        assert tops_of(each) == (file.package, tuple(file.top))
        assert headings(each.ir) is not None


FAULTS = {
    "declarations are not compared": (moving, "headings", lambda ir: []),
    "names are not compared": (heads._Reader, "_name", lambda self, name: ""),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_declaration_that_is_overlooked_is_noticed(monkeypatch, fault):
    def files(result):
        text = PAY["p/Bank.java"].replace(
            "void log", f"{result} me() {{ return null; }}\n  void log"
        )
        return with_body("b.me().send(1);") | {"p/Bank.java": text}

    assert list(step(files("Bank"), files("Pay"))) == []
    monkeypatch.setattr(*fault)
    ((_, (table, _), whole),) = step(files("Bank"), files("Pay"))
    assert told(table) != told(table_of(whole))


LATE = PAY | {
    "p/Late.java": "package p;\nclass Late {\n  Runnable kept;\n  void run() {\n    kept.run();\n  }\n}\n",
    "p/Set.java": "package p;\nclass Set {\n  void set(Late l, Bank b) {\n    l.kept = () -> b.send(1);\n  }\n}\n",
}
"""A function that one file makes and another one calls."""


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("p/Late.java", "kept.run();", "hashCode();\n    kept.run();\n    toString();"),
        ("p/Set.java", "l.kept", "int x = 1; l.run(); l.kept"),
        ("p/Set.java", "() -> b.send(1)", "() -> { b.log(1); b.send(1); }"),
    ],
    ids=["where it is called", "where it is made", "what it does"],
)
def test_functions_that_are_values_stay_where_they_were(path, old, new):
    after = LATE | {path: LATE[path].replace(old, new)}
    ((found, (table, _), whole),) = step(LATE, after)
    assert len(found.bodies) == 1
    assert told(table) == told(table_of(whole))
    assert [edge for edge in whole.edges if Method.FLOW in edge.methods]


def test_a_function_that_is_overlooked_is_noticed(monkeypatch):
    """The seeded fault: whatever a file does with functions counts as the same."""
    monkeypatch.setattr(java, "flows", lambda program, flow, number: Flows(b"", ()))
    after = LATE | {"p/Set.java": LATE["p/Set.java"].replace("l.kept = () -> b.send(1);", "")}
    ((_, (table, _), whole),) = step(LATE, after)
    assert told(table) != told(table_of(whole))


def test_calls_of_functions_that_are_forgotten_are_noticed(monkeypatch):
    """The seeded fault: what comes from other files is lost where a file is read again."""
    monkeypatch.setattr(java, "_arrive", lambda bodies, number, called: None)
    after = LATE | {"p/Late.java": LATE["p/Late.java"].replace("kept.run();", "int x; kept.run();")}
    ((_, (table, _), whole),) = step(LATE, after)
    assert told(table) != told(table_of(whole))
