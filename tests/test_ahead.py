"""Edges that are made while nobody waits: those of a fresh index, of the newest state, and never half."""

from __future__ import annotations

import random
import threading

import pytest

from grainline.engine import Engine
from grainline.errors import ResourceExhausted
from grainline.graph.tablebytes import encode_table
from grainline.indexing import ahead as making
from grainline.indexing.ahead import Ahead, Here
from grainline.indexing.edgework import (
    Asked,
    Content,
    Edgework,
    decode_asked,
    encode_asked,
    read_resolved,
)
from grainline.indexing.graphs import Graphs
from grainline.indexing.irs import LowerHere
from grainline.indexing.pipeline import IndexOptions
from grainline.indexing.workers import Death
from grainline.model.search import SearchOptions
from grainline.model.snapshot import Reason
from grainline.retrieval.relations.views import BEING_MADE, NOT_FILLED, ON
from grainline.storage.derived import MemoryDerived
from test_graphs import EDITS, FILES, POLICY, put, remark

HERE = IndexOptions(workers=0)


@pytest.fixture
def tree(tmp_path):
    path = tmp_path / "repo"
    for name, text in FILES.items():
        put(path, name, text)
    return path


@pytest.fixture(autouse=True)
def settled(monkeypatch):
    monkeypatch.setattr(making, "SETTLE", 0.0)


@pytest.fixture
def engine(tmp_path, tree):
    """One that follows the tree, whose edges are filled."""
    engine = Engine.open(str(tmp_path / "home"))
    engine.index(str(tree), options=HERE)
    engine.fill(options=HERE)
    look(engine)
    yield engine
    engine.close()


def look(engine):
    (view,) = engine.work_trees()
    engine.refresh(view, options=HERE)


def save(engine, tree, path, text):
    put(tree, path, text)
    look(engine)


def rested(engine, most=1 << 30):
    """Let it rest so many times, or until it has nothing to do; how often that was."""
    news = threading.Event()
    for number in range(most):
        if engine.rest(news.set):
            continue
        if engine._ahead is None or not engine._ahead._key:
            return number
        assert news.wait(60), "it says when to go on"
        news.clear()
    return most


def told(edges):
    return encode_table(edges.table), edges.left_out


def edges_of(engine):
    return engine._graph_maker().edges(engine.corpus(engine.scope()))


def fresh(engine):
    return Graphs(MemoryDerived(), LowerHere).edges(engine.corpus(engine.scope()))


def is_filled(engine):
    (state,) = engine.corpus(engine.scope()).snapshots
    (view,) = engine.work_trees()
    return engine._is_filled(view, state.generation)


def graph_channel(engine, **asked):
    result = engine.search("refund", options=SearchOptions(callers=True), **asked)
    return dict(result.coverage.channels)["graph"]


@pytest.mark.parametrize("seed", range(5))
def test_saves_rests_and_questions_in_any_order_give_the_edges_of_a_fresh_index(engine, tree, seed):
    draw = random.Random(seed)
    for _ in range(10):
        act = draw.randrange(5)
        if act == 0:
            remark(tree, draw)
            look(engine)
        elif act == 1:
            save(engine, tree, *draw.choice(EDITS))
        elif act == 2:
            rested(engine, draw.randrange(12))
        elif act == 3:
            rested(engine)
            assert is_filled(engine)
            assert told(edges_of(engine)) == told(fresh(engine))
        else:
            assert told(edges_of(engine)) == told(fresh(engine))
    rested(engine)
    assert told(edges_of(engine)) == told(fresh(engine))


def late(self, request, answer=Edgework.answer):
    """The answer to the request before."""
    now = answer(self, request)
    before, self.late = getattr(self, "late", now), now
    return before


def once(self, path, key, unit=Edgework._unit):
    """The file as it was when it was told first."""
    return self.__dict__.setdefault("first", {}).setdefault(path, unit(self, path, key))


FAULTS = {
    "what was said of the past is kept": (Edgework, "answer", late),
    "a file keeps what was told first": (Edgework, "_unit", once),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_check_finds_edges_of_another_state(engine, tree, monkeypatch, fault):
    monkeypatch.setattr(*fault)
    wrong = 0
    for edit in (EDITS[0], EDITS[2], EDITS[4]):
        save(engine, tree, *edit)
        rested(engine)
        wrong += told(edges_of(engine)) != told(fresh(engine))
    assert wrong


def test_a_question_after_a_rest_makes_nothing(engine, tree, monkeypatch):
    save(engine, tree, *EDITS[0])
    assert rested(engine) > 3, "in pieces"
    monkeypatch.setattr(Graphs, "_make", None)
    monkeypatch.setattr(Ahead, "finish", None)
    assert {row.node.name for row in engine.callers("send").rows} == {"app.pay.refund"}


def test_a_question_in_the_middle_waits_for_all_of_it(engine, tree, monkeypatch):
    save(engine, tree, *EDITS[0])
    rested(engine, 3)
    assert engine._ahead._key
    monkeypatch.setattr(Graphs, "_make", None)
    assert {row.node.name for row in engine.callers("send").rows} == {"app.pay.refund"}
    monkeypatch.undo()
    assert told(edges_of(engine)) == told(fresh(engine))


def test_coverage_says_when_edges_are_being_made(engine, tree):
    assert graph_channel(engine) == ON
    save(engine, tree, *EDITS[0])
    assert graph_channel(engine) == NOT_FILLED, "nobody makes them yet"
    rested(engine, 1)
    assert graph_channel(engine) == BEING_MADE
    rested(engine)
    assert graph_channel(engine) == ON
    save(engine, tree, *EDITS[4])
    assert graph_channel(engine) == BEING_MADE


def test_what_nobody_filled_is_not_made_ahead(tmp_path, tree):
    engine = Engine.open(str(tmp_path / "other"))
    engine.index(str(tree), options=HERE)
    look(engine)
    save(engine, tree, *EDITS[0])
    assert rested(engine) == 0
    assert graph_channel(engine) == NOT_FILLED
    engine.close()


def test_a_commit_of_what_changed_leaves_edges_filled(engine, tree):
    save(engine, tree, *EDITS[0])
    rested(engine)
    (view,) = engine.work_trees()
    engine.commit(view)
    look(engine)
    rested(engine)
    assert graph_channel(engine) == ON
    save(engine, tree, *EDITS[4])
    rested(engine)
    assert graph_channel(engine) == ON
    assert told(edges_of(engine)) == told(fresh(engine))


def test_a_reader_under_a_policy_is_not_told_what_is_made_ahead(engine, tree):
    engine.set_policy(POLICY)
    look(engine)
    save(engine, tree, *EDITS[0])
    before = [graph_channel(engine, scope=engine.scope(principal="ann"))]
    rested(engine, 2)
    before.append(graph_channel(engine, scope=engine.scope(principal="ann")))
    rested(engine)
    after = graph_channel(engine, scope=engine.scope(principal="ann"))
    assert {*before, after} == {NOT_FILLED}
    seen = engine._graph_maker().edges(engine.corpus(engine.scope(principal="ann")))
    assert not any(b"bank" in key for key in seen.table.keys)


def test_a_question_waits_only_for_what_it_is_about(engine, tree, tmp_path):
    put(tmp_path / "other", "calm.py", "def calm():\n    return 1\n\ndef sea():\n    calm()\n")
    engine.index(str(tmp_path / "other"), options=HERE)
    for view in engine.work_trees():
        engine.refresh(view, options=HERE)
    put(tree, *EDITS[0])
    for view in engine.work_trees():
        engine.refresh(view, options=HERE)
    assert not engine.makes_edges(), "nobody makes them yet"
    while not (engine._ahead and engine._ahead.is_warm):
        engine.rest()
    assert engine.makes_edges()
    assert engine.makes_edges(engine.everything(), ["send"])
    assert not engine.makes_edges(engine.everything(), ["calm"])
    assert not engine.makes_edges(engine.scope(repos=("other",)))
    rested(engine)
    assert not engine.makes_edges(engine.everything(), ["send"])


def test_who_asked_last_is_told_when_to_go_on(engine, tree, monkeypatch):
    monkeypatch.setattr(making, "SETTLE", 0.5)
    save(engine, tree, *EDITS[0])
    assert not engine.rest()  # of the pause after a save nobody was to be told
    rested(engine)
    assert is_filled(engine)


def test_what_was_made_and_has_no_room_is_not_made_again_and_again(engine, tree, monkeypatch):
    save(engine, tree, *EDITS[0])
    rested(engine)
    monkeypatch.setattr(Graphs, "held", lambda self, key: None)
    engine._changed = True
    assert rested(engine) == 0
    assert graph_channel(engine) == NOT_FILLED


def test_a_burst_of_saves_starts_nothing_and_a_question_does_not_wait_for_its_end(
    engine, tree, monkeypatch
):
    monkeypatch.setattr(making, "SETTLE", 1000.0)
    monkeypatch.setattr(making, "encode_asked", None)
    for edit in EDITS[:4]:
        save(engine, tree, *edit)
        assert not engine.rest()
    monkeypatch.undo()
    monkeypatch.setattr(making, "SETTLE", 1000.0)
    save(engine, tree, *EDITS[4])
    engine.rest()
    assert told(edges_of(engine)) == told(fresh(engine))
    save(engine, tree, *EDITS[0])
    engine.rest()
    assert engine.makes_edges(), "it is asked for now"
    rested(engine)
    assert is_filled(engine)


def test_trouble_while_nobody_waits_is_met_by_the_question(engine, tree, monkeypatch):
    def broken(*_):
        raise ResourceExhausted("worker_failed", "no memory")
        yield

    monkeypatch.setattr(Graphs, "lowering", broken)
    save(engine, tree, *EDITS[0])
    rested(engine)
    assert graph_channel(engine) == NOT_FILLED
    assert told(edges_of(engine)) == told(fresh(engine))


# ------------------------------------------------------------------------------------ the process


class Dying(Here):
    """One that dies of everything."""

    made = 0

    def __init__(self):
        super().__init__()
        Dying.made += 1

    def exchange(self, request, cpu):
        return Death(Reason.PARSER_MEMORY, "out of memory")


class Lying(Here):
    """One that answers about other files."""

    def exchange(self, request, cpu):
        asked = decode_asked(request)
        return super().exchange(encode_asked(asked._replace(files=asked.files[1:])), cpu)


class Rambling(Here):
    """One that answers with anything."""

    def exchange(self, request, cpu):
        return b"GLG1\x05\0\0\0nonsense"


class Stillborn(Here):
    """One that cannot start."""

    def exchange(self, request, cpu):
        raise ResourceExhausted("worker_failed", "no memory")


@pytest.mark.parametrize("kind", [Dying, Lying, Rambling, Stillborn])
def test_where_the_process_fails_a_question_makes_its_edges(engine, tree, monkeypatch, kind):
    monkeypatch.setattr(making, "Here", kind)
    Dying.made = 0
    for edit in (EDITS[0], EDITS[4], EDITS[2]):
        save(engine, tree, *edit)
        rested(engine)
        assert not is_filled(engine)
        assert told(edges_of(engine)) == told(fresh(engine))
    assert Dying.made == (making.FAILURES if kind is Dying else 0)


def test_too_much_code_is_left_to_questions(engine, tree, monkeypatch):
    monkeypatch.setattr(making, "MAX_CODE", 10)
    monkeypatch.setattr(making, "encode_asked", None)
    save(engine, tree, *EDITS[0])
    rested(engine)
    assert graph_channel(engine) == NOT_FILLED
    assert told(edges_of(engine)) == told(fresh(engine))


class Slow(Here):
    """One whose answers wait for leave; it counts how often it was ended."""

    leave = threading.Event()
    ended = 0

    def exchange(self, request, cpu):
        Slow.leave.wait(60)
        return super().exchange(request, cpu)

    def kill(self):
        Slow.ended += 1
        Slow.leave.set()


def test_a_newer_save_ends_the_process_that_works_on_the_past(engine, tree, monkeypatch):
    monkeypatch.setattr(making, "Here", Slow)
    Slow.leave.clear()
    Slow.ended = 0
    save(engine, tree, *EDITS[0])
    while not (engine._ahead and engine._ahead._busy):
        engine.rest()
    save(engine, tree, *EDITS[4])
    engine.rest()
    assert Slow.ended == 1
    rested(engine)
    assert told(edges_of(engine)) == told(fresh(engine))


def test_a_real_process_says_what_this_one_says(engine, tree):
    engine._workers = 1
    for edit in (EDITS[0], EDITS[4], (("lone/two.py", FILES["lone/two.py"]))):
        save(engine, tree, *edit)
        rested(engine)
        assert is_filled(engine)
        assert told(edges_of(engine)) == told(fresh(engine))
    process = engine._ahead._resolving.process
    engine.close()
    with pytest.raises(ProcessLookupError):
        __import__("os").kill(process, 0)


def test_a_process_that_is_not_asked_for_long_ends(engine, tree, monkeypatch):
    save(engine, tree, *EDITS[0])
    rested(engine)
    engine.rest()
    assert engine._ahead._resolving is not None
    monkeypatch.setattr(making, "IDLE", 0.0)
    engine.rest()
    assert engine._ahead._resolving is None
    save(engine, tree, *EDITS[4])
    rested(engine)
    assert told(edges_of(engine)) == told(fresh(engine))


def test_a_home_without_edges_loads_nothing_that_makes_them(tmp_path, tree):
    engine = Engine.open(str(tmp_path / "bare"))
    engine.index(str(tree), options=HERE)
    look(engine)
    save(engine, tree, *EDITS[0])
    engine.rest()
    assert engine._ahead is None
    engine.close()


@pytest.mark.parametrize("path", [b"a.py", "ä/ö.py".encode(), b"\xff\xfe.py", b"a b\n.py"])
def test_requests_come_back_as_they_were(path):
    word = path.decode("utf-8", "surrogateescape")
    content = Content("python", b"ir", [(3, "f()."), (9, "C#`\udc80`().")])
    asked = Asked("said", [(path, b"k" * 16)], {word: b"\0x"}, {b"k" * 16: content})
    assert decode_asked(encode_asked(asked)) == asked
    bare = Asked("", [], {}, {b"j" * 16: Content("go", b"", [])})
    assert decode_asked(encode_asked(bare)) == bare


def test_an_answer_that_is_none_is_refused():
    assert read_resolved(b"", []) is None
    assert read_resolved(b"GLG0\0\0\0\0", []) is None
