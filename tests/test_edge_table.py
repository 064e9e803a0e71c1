"""`EdgeTable`: the same edges as the graph, from either end, whole or in parts, also as bytes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grainline.graph.results import Graph
from grainline.graph.table import EMPTY, EdgeTable, joined, table_of
from grainline.graph.tablebytes import TableError, decode_table, encode_table
from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier, Unresolved, Why
from grainline.model.position import Span

PATHS = (b"a.py", b"a.py2", b"b/\xff.py", b"")
symbols = st.builds(Symbol, st.sampled_from(PATHS), st.sampled_from(("", "f().", "C#", "C#g().")))
spans = st.tuples(st.integers(0, 40), st.integers(0, 9)).map(lambda at: Span(at[0], at[0] + at[1]))
edges = st.builds(
    Edge,
    st.sampled_from(EdgeType),
    symbols,
    symbols,
    spans,
    st.lists(st.sampled_from(Method), min_size=1, unique=True).map(
        lambda found: tuple(sorted(found, key=tuple(Method).index))
    ),
    st.sampled_from(Tier),
    st.integers(1, 70_000),
)
calls = st.builds(
    Unresolved, symbols, spans, st.sampled_from(("", "x", "os.x", "x.y")), st.sampled_from(Why)
)
graphs = st.builds(
    Graph,
    edges=st.lists(edges, max_size=12, unique_by=lambda edge: edge[:4]).map(tuple),
    unresolved=st.lists(calls, max_size=8, unique=True).map(tuple),
    cuts=st.integers(0, 3),
)


def told(edge):
    return edge._replace(candidates=min(edge.candidates, 65535))


def rows(table: EdgeTable):
    return [table.edge(number) for number in range(len(table))]


def unresolved(table: EdgeTable):
    return [table.unresolved_call(number) for number in range(len(table.unresolved.src))]


@given(graphs)
def test_a_table_says_what_the_graph_says(graph):
    table = table_of(graph)
    assert sorted(rows(table)) == sorted(map(told, graph.edges))
    assert sorted(unresolved(table)) == sorted(graph.unresolved)
    assert sum(table.reasons().values()) == len(graph.unresolved)
    assert table.cuts == graph.cuts


@given(graphs)
def test_edges_are_found_from_both_ends(graph):
    table = table_of(graph)
    for number in range(len(table.keys)):
        symbol = table.symbol(number)
        assert table.find(symbol) == number
        assert number in table.symbols_of(symbol.path)
        out = [table.edge(at) for at in table.out(number)]
        assert sorted(out) == sorted(told(edge) for edge in graph.edges if edge.src == symbol)
        into = [table.edge(at) for at in table.into(number)]
        assert sorted(into) == sorted(told(edge) for edge in graph.edges if edge.dst == symbol)
        mine = [table.unresolved_call(at) for at in table.unresolved_of(number)]
        assert sorted(mine) == sorted(call for call in graph.unresolved if call.src == symbol)
    assert table.find(Symbol(b"absent", "")) == -1
    everything = np.arange(len(table.keys), dtype=np.int64)
    assert table.out_of_all(everything).tolist() == list(range(len(table)))
    assert sorted(table.into_all(everything).tolist()) == list(range(len(table)))


@given(graphs)
def test_unresolved_calls_are_found_by_their_last_word(graph):
    table = table_of(graph)
    found = [table.unresolved_call(at) for at in table.unresolved_called("x")]
    assert sorted(found) == sorted(call for call in graph.unresolved if call.name in ("x", "os.x"))


@given(graphs)
def test_the_tables_of_the_parts_make_the_table_of_the_whole(graph):
    table = table_of(dataclasses.replace(graph, cuts=0))
    parts = [table.only([path]) for path in PATHS]
    assert encode_table(joined(parts)) == encode_table(table)
    assert encode_table(joined(parts[::-1])) == encode_table(table)
    assert encode_table(joined([])) == encode_table(EMPTY)


@given(graphs)
def test_a_table_can_be_read_again(graph):
    data = encode_table(table_of(graph))
    again = decode_table(data)
    assert rows(again) == rows(table_of(graph))
    assert encode_table(again) == data


@given(graphs, st.data())
def test_damaged_bytes_are_refused_or_harmless(graph, data):
    good = encode_table(table_of(graph))
    at = data.draw(st.integers(0, len(good) - 1))
    bad = bytearray(good)
    bad[at] ^= 1 << data.draw(st.integers(0, 7))
    for given_ in (bytes(bad), good[:at], good + b"\0"):
        try:
            table = decode_table(given_)
        except TableError:
            continue
        rows(table)
        unresolved(table)


def test_a_table_of_another_version_is_refused():
    data = bytearray(encode_table(EMPTY))
    data[4] ^= 1
    with pytest.raises(TableError):
        decode_table(bytes(data))
