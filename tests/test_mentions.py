"""What names are bound to: imports, mentions, decorators, and calls of what was decorated."""

from __future__ import annotations

import pytest

from grainline.graph import results
from grainline.model.edge import EdgeType, Method
from helpers.graphs import dotted, edges_of, graph_of

LIB = """
def plain(func):
    def inner(*args):
        return func(*args)
    return inner

@plain
def low(x):
    return x

def high(x):
    return x

limit = 3
"""


def graph(app, **more):
    return graph_of({"lib.py": LIB, "app.py": app, **{f"{k}.py": v for k, v in more.items()}})


def called(found):
    return [
        (dotted(edge.src), dotted(edge.dst))
        for edge in found.edges
        if edge.type is EdgeType.REFERENCES and Method.CALLED in edge.methods
    ]


def of_app(found, *types):
    return [row for row in edges_of(found, *types) if row[1].startswith("app")]


def test_a_call_of_something_decorated_refers_to_it_by_name():
    found = graph("from lib import low\n\ndef run(x):\n    return low(x)\n")
    assert of_app(found, EdgeType.CALLS) == [("calls", "app.run", "lib.plain.inner", "resolved")]
    assert called(found) == [("app.run", "lib.low")]


@pytest.mark.parametrize(
    "app",
    [
        "import lib\n\ndef run(x):\n    return lib.low(x)\n",
        "from lib import low as other\n\ndef run(x):\n    return other(x)\n",
        "from again import low\n\ndef run(x):\n    return low(x)\n",
    ],
    ids=["attribute", "alias", "again"],
)
def test_the_name_may_come_by_any_import(app):
    assert called(graph(app, again="from lib import low\n")) == [("app.run", "lib.low")]


def test_a_method_that_is_decorated_is_called_by_its_name():
    app = "from lib import plain\n\nclass C:\n    @plain\n    def m(self): ...\n\ndef run():\n    C().m()\n"
    assert called(graph(app)) == [("app.run", "app.C.m")]


def test_what_is_not_decorated_has_no_second_edge():
    assert called(graph("from lib import high\n\ndef run(x):\n    return high(x)\n")) == []


def test_a_name_that_is_bound_twice_is_not_certain():
    app = "from lib import low\nif x:\n    low = print\n\ndef run(x):\n    return low(x)\n"
    assert called(graph(app)) == []


def test_an_import_leads_to_what_is_bound_there():
    found = graph("from lib import low, high, limit, gone\nimport lib\n")
    assert of_app(found, EdgeType.IMPORTS) == [
        ("imports", "app", "lib.low", "resolved"),
        ("imports", "app", "lib.high", "resolved"),
        ("imports", "app", "lib", "resolved"),
        ("imports", "app", "lib", "resolved"),
        ("imports", "app", "lib", "resolved"),
    ]


def test_a_function_that_is_named_and_not_called_is_referred_to():
    found = graph(
        "from lib import high, low\n\ndef run(xs):\n    return list(map(high, xs)), low\n"
    )
    assert of_app(found, EdgeType.REFERENCES) == [
        ("references", "app.run", "lib.high", "resolved"),
        ("references", "app.run", "lib.low", "resolved"),
    ]


def test_a_variable_that_holds_a_function_does_not_name_it():
    found = graph("from lib import high\n\ndef run(xs):\n    f = high\n    return [f]\n")
    assert of_app(found, EdgeType.REFERENCES) == [
        ("references", "app.run", "lib.high", "resolved"),
    ]


def test_what_is_decorated_leads_to_its_decorator():
    found = graph("")
    assert edges_of(found, EdgeType.DECORATES) == [
        ("decorates", "lib.low", "lib.plain", "resolved")
    ]


def test_without_the_names_the_callers_of_something_decorated_are_lost(monkeypatch):
    """The seeded fault."""
    monkeypatch.setattr(results.Bound, "of", lambda self, node: -1)
    assert called(graph("from lib import low\n\ndef run(x):\n    return low(x)\n")) == []
