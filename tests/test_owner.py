"""The owner of a home: values that cross the socket unchanged, who may ask, and what a failure leaves."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import os
import re
import shutil
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
import types
import typing
from concurrent.futures import Future
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline import errors
from grainline.engine import Engine
from grainline.indexing import ahead
from grainline.indexing.owner import client, protocol, server
from grainline.indexing.owner import owner as owner_module
from grainline.indexing.owner.client import Asker, NoOwner, ask
from grainline.indexing.owner.codec import Malformed, decode, encode
from grainline.indexing.owner.methods import NAMES, Answers, method
from grainline.indexing.owner.owner import Candidate, Kind, OwnerOptions, become_owner
from grainline.indexing.owner.protocol import OwnerLock, holder, load_error, socket_path
from grainline.indexing.owner.relations import RELATION_NAMES
from grainline.indexing.owner.server import Server
from grainline.model.access import Principal, Scope, View
from grainline.model.answers import OutlineNode, PathRow, StatusResult
from grainline.model.search import SearchOptions
from grainline.model.snapshot import Outcome, Reason, RepositoryId
from grainline.retrieval.relations.views import BEING_MADE
from grainline.snapshots import ReadOptions
from grainline.surfaces.cli.common import unusual

# -------------------------------------------------------------------------------------- values


def values(hint, depth=0):
    """Any value of a type hint of the model."""
    if hasattr(hint, "__supertype__"):
        return values(hint.__supertype__, depth)
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*(values(part, depth) for part in parts))
    if origin is tuple and parts[1:] == (...,):
        if depth > 4:  # types may nest in themselves
            return st.just(())
        return st.lists(values(parts[0], depth), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*(values(part, depth) for part in parts))
    if origin is frozenset:
        return st.frozensets(values(parts[0], depth), max_size=2)
    if origin is dict:
        return st.dictionaries(values(parts[0], depth), values(parts[1], depth), max_size=2)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return st.sampled_from(list(hint))
    if isinstance(hint, type) and (dataclasses.is_dataclass(hint) or hasattr(hint, "_fields")):
        hints = typing.get_type_hints(hint)
        return st.builds(hint, **{name: values(part, depth + 1) for name, part in hints.items()})
    return {
        str: st.text(st.characters(), max_size=6),
        bytes: st.binary(max_size=6),
        bool: st.booleans(),
        int: st.integers(-(1 << 60), 1 << 60),
        float: st.floats(allow_nan=False, allow_infinity=False),
        type(None): st.none(),
    }[hint]


TYPES = [
    pytest.param(hint, id=f"{name}-{which}")
    for name in NAMES
    for which, hint in (*method(name).parameters.items(), ("result", method(name).result))
]


@pytest.mark.parametrize("hint", TYPES)
def test_every_value_of_every_method_comes_back_as_it_was(hint):
    @settings(max_examples=15, deadline=None)
    @given(values(hint))
    def check(value):
        assert decode(hint, encode(hint, value)) == value

    check()


def test_a_word_of_a_closed_set_passes_for_text():
    row = PathRow(path=b"x", outcome=Outcome.SKIPPED, reason=Reason.EXCLUDED)
    assert decode(PathRow, encode(PathRow, row)) == row


def test_lone_surrogates_and_deep_outlines_survive_or_are_refused():
    assert decode(str, encode(str, "a\udcff\x00")) == "a\udcff\x00"
    hints = typing.get_type_hints(OutlineNode)
    assert hints["children"] == tuple[OutlineNode, ...]
    with pytest.raises(Malformed):
        decode(StatusResult, b"[" * 100_000)


@pytest.mark.parametrize(
    ("hint", "data"),
    [
        (int, b"true"), (int, b"1.0"), (int, b'"1"'), (int, b"1" + b"0" * 30), (bool, b"1"),
        (str, b"1"), (str, b"null"), (bytes, b'"%"'), (bytes, b"1"), (float, b"NaN"),
        (float, b"1e999"), (View, b'["r"]'), (View, b'["r","x","y"]'), (View, b'{"repository":"r"}'),
        (View, b"[1,2]"), (SearchOptions, b'[10,[[],[],[],[],"maybe"],null,[]]'), (View, b"[[["),
        (tuple[int, str], b"[1]"), (tuple[int, ...], b'{"0":1}'), (dict[str, int], b'{"a":"b"}'),
    ],
)  # fmt: skip
def test_what_is_not_of_the_type_is_refused(hint, data):
    with pytest.raises(Malformed):
        decode(hint, data)


@pytest.mark.parametrize(
    ("hint", "value"),
    [(int, True), (str, b"x"), (bytes, "x"), (View, ("r", "x")), (float, float("nan")),
     (SearchOptions, View(repository=RepositoryId("r"), ref="x")), (tuple[int, ...], [1])],
)  # fmt: skip
def test_a_value_of_another_type_is_not_written(hint, value):
    with pytest.raises(Malformed):
        encode(hint, value)


OF_THE_LAB = {"ranking", "tuning", "watch"}
"""What only the lab varies or watches, in its own process."""


def test_the_methods_are_those_of_the_engine_and_of_what_stands_for_it():
    for name in NAMES:
        wanted = set(method(name).parameters)
        for kind in (Engine, Asker, Answers):
            found = set(inspect.signature(getattr(kind, name)).parameters) - {"self"}
            assert found - OF_THE_LAB == wanted, (kind, name)
            assert kind is Engine or not found & OF_THE_LAB


def all_errors():
    found = [errors.GrainlineError]
    for kind in found:
        found += kind.__subclasses__()
    return found


@pytest.mark.parametrize("kind", all_errors())
def test_errors_cross_as_themselves(kind):
    given_ = kind("code", "message \udcff", subject="s", hint="h", path="p")
    found = load_error(protocol.dump_error(given_))
    assert type(found) is kind
    assert str(found) == str(given_)
    assert (found.exit_code, found.path) == (given_.exit_code, given_.path)


@pytest.mark.parametrize("name", ["Exception", "annotations", "SystemExit", "nothing"])
def test_nothing_but_our_errors_is_made_from_a_reply(name):
    with pytest.raises(Malformed):
        load_error([name, "c", "m", "", "", None])


# -------------------------------------------------------------------------------------- socket


SCOPE = Scope(views=(View(repository=RepositoryId("r"), ref="x"),), principal=Principal(name="ann"))


class Asked:
    """Takes calls in place of an engine's thread."""

    def __init__(self, answer=None):
        self.calls = []
        self.answer = answer or (lambda name, arguments: SCOPE)

    def __call__(self, name, arguments):
        self.calls.append((name, arguments))
        future = Future()
        try:
            future.set_result(self.answer(name, arguments))
        except Exception as failure:
            future.set_exception(failure)
        return future


@pytest.fixture
def home(tmp_path):
    path = tmp_path / "h"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def lock(home):
    lock = OwnerLock(home)
    assert lock.take()
    yield lock
    lock.release()


@pytest.fixture
def serving(home, lock):
    opened = []

    def make(ask_=None):
        opened.append(Server(socket_path(home), ask_ or Asked()))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def test_a_question_is_answered_over_the_socket(home, serving):
    asked = Asked()
    serving(asked)
    arguments = {"repos": ("a", "b"), "refs": (), "principal": None}
    assert ask(home, "scope", arguments) == SCOPE
    assert asked.calls == [("scope", arguments)]


def test_an_error_of_the_engine_is_an_answer(home, serving):
    def fail(name, arguments):
        raise errors.Damaged("damaged_index", "it is", subject="s", hint="h")

    serving(Asked(fail))
    with pytest.raises(errors.Damaged, match=r"error\[damaged_index\] s: it is; h"):
        ask(home, "scope", {})


def test_a_defect_or_a_wrong_value_makes_the_client_help_itself(home, serving):
    for answer in (lambda *_: 1 / 0, lambda *_: "no scope", lambda *_: None):
        serving(Asked(answer))
        with pytest.raises(NoOwner, match="does not answer"):
            ask(home, "scope", {})


def test_only_this_user_can_open_the_socket(home, serving):
    serving()
    found = socket_path(home).stat()
    assert stat.S_ISSOCK(found.st_mode)
    assert stat.S_IMODE(found.st_mode) == 0o600


def test_another_users_questions_are_not_read(home, serving, monkeypatch):
    asked = Asked()
    serving(asked)
    monkeypatch.setattr(server, "is_trusted", lambda _: False)
    with pytest.raises(NoOwner):
        ask(home, "scope", {})
    assert asked.calls == []


def test_an_answer_of_another_user_is_not_taken(home, serving, monkeypatch):
    asked = Asked()
    serving(asked)
    monkeypatch.setattr(client, "is_trusted", lambda _: False)
    with pytest.raises(NoOwner, match="another user"):
        ask(home, "scope", {})
    assert asked.calls == []


def test_the_peer_is_told_by_the_system():
    one, two = socket.socketpair(socket.AF_UNIX)
    with one, two:
        assert protocol.peer_uid(one) == os.getuid()
        assert protocol.is_trusted(one)


def test_another_version_is_not_used_and_says_so(home, serving, monkeypatch):
    asked = Asked()
    serving(asked)
    for which in (client, server):
        monkeypatch.setattr(which, "build", lambda which=which: which.__name__)
    with pytest.raises(NoOwner, match="another version of grainline runs there"):
        ask(home, "scope", {})
    assert asked.calls == []


def test_the_build_follows_the_code(monkeypatch, tmp_path):
    package = tmp_path / "grainline"
    package.mkdir()
    (package / "errors.py").write_text("x = 1\n")
    monkeypatch.setattr(protocol.errors, "__file__", str(package / "errors.py"))
    builds = set()
    for text in ("x = 1\n", "x = 12\n", "x = 123\n"):
        (package / "errors.py").write_text(text)
        protocol.build.cache_clear()
        builds.add(protocol.build())
    protocol.build.cache_clear()
    assert len(builds) == 3


def test_without_an_owner_nothing_is_tried(tmp_path):
    assert holder(tmp_path) == 0
    with pytest.raises(NoOwner) as none:
        ask(tmp_path, "scope", {})
    assert none.value.why == ""


def test_what_a_killed_owner_left_is_no_owner(home):
    (home / protocol.LOCK).write_text(f"{os.getpid()}\n")
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(socket_path(home)))
    left.close()
    with pytest.raises(NoOwner) as none:
        ask(home, "scope", {})
    assert none.value.why == ""
    made = Server(socket_path(home), Asked())
    try:
        assert ask(home, "scope", {}) == SCOPE, "the next owner takes the place of the socket"
    finally:
        made.close()


@pytest.mark.parametrize("text", ["", "x", "-1", "0", "999999999"])
def test_a_lock_file_that_names_nobody_is_no_owner(home, text):
    (home / protocol.LOCK).write_text(text)
    assert holder(home) == 0


def silent(home, behave):
    """An owner that is none: what it does with a connection is `behave`."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(socket_path(home)))
    listener.listen()

    def run():
        with listener:
            connection, _ = listener.accept()
            with connection:
                behave(connection)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def frame(data):
    return struct.pack(">I", len(data)) + data


@pytest.mark.parametrize(
    "behave",
    [
        lambda connection: connection.recv(1),
        lambda connection: connection.sendall(b"\xff\xff\xff\xff"),
        lambda connection: connection.sendall(frame(b"[1]")),
        lambda connection: connection.sendall(frame(b"{nonsense")),
        lambda connection: connection.sendall(frame(b"{}")),
        lambda connection: time.sleep(0.6),
    ],
    ids=["hangs up", "endless frame", "no object", "no json", "no build", "says nothing"],
)
def test_an_owner_that_misbehaves_is_not_waited_for(home, lock, monkeypatch, behave):
    monkeypatch.setattr(client, "GREETING_TIME", 0.2)
    thread = silent(home, behave)
    with pytest.raises(NoOwner):
        ask(home, "scope", {})
    thread.join(5)


def test_clients_that_say_nothing_do_not_keep_others_waiting(home, serving, monkeypatch):
    monkeypatch.setattr(server, "REQUEST_TIME", 30.0)
    serving()
    dead = []
    for _ in range(server.CONNECTIONS - 1):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(socket_path(home)))
        connection.sendall(b"\x00\x00")
        dead.append(connection)
    assert ask(home, "scope", {}) == SCOPE
    for connection in dead:
        connection.close()


def serving_asked(serving, answer):
    asked = Asked(answer)
    serving(asked)
    return asked


def test_one_client_too_many_is_sent_away(home, serving, monkeypatch):
    monkeypatch.setattr(server, "CONNECTIONS", 1)
    gate = threading.Event()
    asked = serving_asked(serving, lambda *_: gate.wait(20) and SCOPE)
    first = threading.Thread(target=lambda: ask(home, "scope", {}))
    first.start()
    until(lambda: asked.calls)
    with pytest.raises(NoOwner):
        ask(home, "scope", {})
    gate.set()
    first.join(20)


def test_requests_that_are_none_are_refused(home, serving):
    asked = Asked()
    serving(asked)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(socket_path(home)))
        request = {"protocol": 1, "build": protocol.build(), "method": "close", "arguments": {}}
        protocol.send(connection, request, until=time.monotonic() + 5)
        greeting = protocol.receive(connection, limit=1000, until=time.monotonic() + 5)
        assert greeting["refused"] == "no such method"
    for arguments in ({"nothing": 1}, {"repos": 5}, []):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(socket_path(home)))
            request = {"protocol": 1, "build": protocol.build(), "method": "scope"}
            protocol.send(
                connection, request | {"arguments": arguments}, until=time.monotonic() + 5
            )
            protocol.receive(connection, limit=1000, until=time.monotonic() + 5)
            with pytest.raises(protocol.Broken):
                protocol.receive(connection, limit=1000, until=time.monotonic() + 5)
    assert asked.calls == []


def test_a_home_with_a_long_path_has_its_socket_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "")
    monkeypatch.setattr(protocol.tempfile, "gettempdir", lambda: "/tmp")
    short, long = tmp_path / "h", tmp_path / ("long" * 30)
    long.mkdir()
    assert socket_path(short).parent == short
    found = socket_path(long)
    assert len(os.fsencode(found)) <= protocol.MAX_NAME
    assert found == socket_path(long)
    assert found != socket_path(tmp_path / ("other" * 30))
    folder = found.parent.stat()
    assert (stat.S_IMODE(folder.st_mode), folder.st_uid) == (0o700, os.getuid())


def test_a_folder_that_is_open_to_others_gets_no_socket(tmp_path, monkeypatch):
    base = Path("/tmp") / f"gl{os.getpid()}"
    base.mkdir(mode=0o755)
    try:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(base))
        (base / f"grainline-{os.getuid()}").mkdir()
        (base / f"grainline-{os.getuid()}").chmod(0o777)
        with pytest.raises(protocol.Broken, match="of this user alone"):
            socket_path(tmp_path / ("long" * 30))
    finally:
        (base / f"grainline-{os.getuid()}").rmdir()
        base.rmdir()


# -------------------------------------------------------------------------------------- lock


def test_one_process_at_a_time_owns_a_home(home):
    first, second = OwnerLock(home), OwnerLock(home)
    assert first.take()
    assert not second.take()
    assert holder(home) == os.getpid()
    first.release()
    assert holder(home) == 0
    assert second.take()
    second.release()


def unwritable(home):
    """A home of which nobody can be the owner; permissions do not stop every user."""
    (home / protocol.LOCK).mkdir()


def test_a_home_that_cannot_be_written_is_an_error_and_not_another_owner(home, tmp_path):
    unwritable(home)
    for folder in (home, tmp_path / "nothing"):
        with pytest.raises(errors.ResourceExhausted) as caught:
            OwnerLock(folder).take()
        assert caught.value.code == "cannot_write"


def test_a_lock_that_others_do_not_find_is_not_held(home):
    lock = OwnerLock(home)
    assert not lock.is_held()
    lock.take()
    assert lock.is_held()
    (home / protocol.LOCK).unlink()
    assert not lock.is_held()
    second = OwnerLock(home)
    assert second.take()
    assert (lock.is_held(), second.is_held()) == (False, True)
    second.release()
    lock.release()


def test_the_lock_ends_with_its_process(home):
    code = (
        "import sys; from pathlib import Path\n"
        "from grainline.indexing.owner.protocol import OwnerLock\n"
        "lock = OwnerLock(Path(sys.argv[1])); print(lock.take(), flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout.readline() == "True\n"
        assert holder(home) == other.pid
        assert not OwnerLock(home).take()
        other.kill()
        other.wait()
        lock = OwnerLock(home)
        assert lock.take()
        lock.release()


# -------------------------------------------------------------------------------------- owner


class FakeWatcher:
    """Follows what it is told to; tests say what changed."""

    made: typing.ClassVar[list] = []

    def __init__(self, changed, read):
        self.changed, self.read = changed, read
        self.polled, self.followed, self.alive = {}, {}, True
        self.relisted, self.layouts = [], {}
        FakeWatcher.made.append(self)

    def follow(self, roots):
        self.followed = dict(roots)
        for view in roots:
            self.changed(view, None)

    def relist(self, view):
        self.relisted.append(view)

    def layout(self, view):
        from grainline.snapshots import open_repository

        if view not in self.followed:
            return None
        if Path(self.followed[view]).exists():
            with open_repository(self.followed[view]) as repository:
                self.layouts[view] = repository.layout
        return self.layouts[view]

    def close(self):
        self.alive = False


def git(path, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(path), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path):
    path = tmp_path / "repo"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    (path / "pay.py").write_text("def refund(order):\n    return order\n")
    git(path, "add", "-A")
    git(path, "commit", "-qm", "one")
    return path


@pytest.fixture
def indexed(home, tree):
    engine = Engine.open(str(home))
    engine.index(str(tree))
    engine.close()
    return home


@pytest.fixture
def owning(indexed):
    """Makes the owner of the indexed home: (owner, its watcher, what it reported)."""
    opened = []

    def make(**options):
        events = []
        FakeWatcher.made.clear()
        owner = become_owner(
            indexed,
            lambda: Engine.open(str(indexed)),
            options=OwnerOptions(**options),
            report=events.append,
            make_watcher=FakeWatcher,
        )
        if owner is None:
            return None
        opened.append(owner)
        watcher = FakeWatcher.made[-1]
        until(lambda: watcher.followed or options.get("repositories"))
        return owner, watcher, events

    yield make
    for each in opened:
        each.close()


def asker(home, notes=None):
    return Asker(
        home,
        lambda: Engine.open(str(home)),
        ReadOptions,
        (notes if notes is not None else []).append,
    )


def only(home):
    """Answers of the owner and of nobody else."""

    notes = []

    def none():
        raise AssertionError(f"the owner does not answer: {notes}")

    return Asker(home, none, ReadOptions, notes.append)


def until(check):
    """Wait for what another thread or process does; a hang ends the test, not a slow machine."""
    for _ in range(6000):
        if check():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


def test_a_change_is_answered_by_the_owner_as_by_an_index_run(owning, indexed, tree):
    _, watcher, _ = owning()
    remote = only(indexed)
    remote.search("refund")
    (tree / "pay.py").write_text("def settle(order):\n    return order\n")
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    (view,) = watcher.followed
    watcher.changed(view, {b"pay.py", b"new.py"})
    found = remote.search("settle", scope=remote.scope())
    here = Engine.open(str(indexed))
    here.index(str(tree))
    wanted = here.search("settle", scope=here.scope())
    here.close()
    assert dataclasses.replace(found, coverage=wanted.coverage) == wanted
    channel = dict(found.coverage.channels)["work_tree"]
    assert channel.startswith("as on disk; ")
    assert channel.endswith(f"followed by process {os.getpid()}")


LOOKED_AT = re.compile(r"all of it was looked at \S+")


def timeless(answer):
    """An answer without the moment of the look at the work tree, in values and in rendered text."""
    if hasattr(answer, "coverage"):
        answer = dataclasses.replace(answer, coverage=None)
    if hasattr(answer, "rendered"):
        answer = dataclasses.replace(answer, rendered=LOOKED_AT.sub("", answer.rendered))
    if isinstance(answer, StatusResult):
        answer = dataclasses.replace(answer, work_tree="")
    return answer


class Slow(ahead.Here):
    """What resolves, when it is let."""

    leave = threading.Event()

    def exchange(self, request, cpu):
        assert Slow.leave.wait(60)
        return super().exchange(request, cpu)

    def kill(self):
        Slow.leave.set()


def test_edges_are_made_while_nobody_waits_and_other_questions_do_not_wait_for_them(
    owning, indexed, tree, monkeypatch
):
    monkeypatch.setattr(ahead, "resolving_process", Slow)
    Slow.leave.set()
    engine = Engine.open(str(indexed))
    engine.fill()
    engine.close()
    owner, watcher, _ = owning()
    remote = only(indexed)
    (view,) = watcher.followed
    wanted = SearchOptions(callers=True)

    def graph():
        return dict(remote.search("refund", options=wanted).coverage.channels)["graph"]

    until(lambda: graph() == "on")
    (tree / "pay.py").write_text(
        "def refund(order):\n    return order\n\ndef a():\n    refund(1)\n"
    )
    watcher.changed(view, {b"pay.py"})
    until(lambda: len(remote.search("refund", options=wanted).hits[0].called_by) == 1)
    Slow.leave.clear()
    (tree / "new.py").write_text("from pay import refund\n\ndef b():\n    refund(2)\n")
    watcher.changed(view, {b"new.py"})
    asked = owner.ask("callers", {"symbol": "refund"})
    assert graph() == BEING_MADE
    assert remote.search("b").hits[0].place.path == b"new.py"
    assert not asked.done()
    Slow.leave.set()
    assert {row.node.name for row in asked.result(60).rows} == {"pay.a", "new.b"}
    until(lambda: graph() == "on")


def test_a_question_does_not_wait_for_edges_for_ever(owning, indexed, tree, monkeypatch):
    monkeypatch.setattr(owner_module, "HELD", 0.05)
    monkeypatch.setattr(Engine, "makes_edges", lambda *_: True)
    owner, _, _ = owning()
    assert owner.ask("callers", {"symbol": "refund"}).result(60).rows == ()


def test_every_verb_answers_alike_with_and_without_an_owner(owning, indexed, tree):
    local = asker(indexed)
    calls = {
        "scope": {},
        "everything": {},
        "policy": {},
        "roots": {},
        "status": {"paths": True},
        "show": {"symbol": "refund"},
        "outline": {"path": "pay.py"},
        "why": {"path": b"pay.py"},
        "context": {"query": "refund"},
        "search": {"query": "refund"},
        **{name: {"symbol": "refund"} for name in RELATION_NAMES[:6]},
        "path": {"source": "refund", "target": "pay.py"},
        "graph": {},
        "scip": {},
        "scan": {},
        "trace": {"source": "refund"},
    }

    def answers(which):
        found = {name: getattr(which, name)(**arguments) for name, arguments in calls.items()}
        citation = str(found["search"].hits[0].place.citation)
        found["read"] = which.read(citation)
        return found

    alone = answers(local)
    local.close()
    owning()
    with_owner = answers(only(indexed))
    assert alone.keys() == set(NAMES)
    for name in NAMES:
        one, two = alone[name], with_owner[name]
        assert timeless(one) == timeless(two), name


def test_without_an_owner_a_command_looks_for_itself(indexed, tree):
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    local = asker(indexed)
    result = local.search("settle_all")
    local.close()
    assert [hit.place.path for hit in result.hits] == [b"new.py"]
    assert dict(result.coverage.channels)["work_tree"].startswith(
        "as on disk; all of it was looked"
    )


def test_a_tree_that_cannot_be_looked_at_is_answered_as_indexed_and_told(indexed, tree):
    tree.rename(tree.with_name("away"))
    notes = []
    local = asker(indexed, notes)
    result = local.search("refund")
    local.search("refund")
    local.close()
    assert len(result.hits) == 1
    assert dict(result.coverage.channels)["work_tree"].startswith("as indexed at")
    (note,) = notes
    assert "as of the last index" in note


def test_an_index_run_is_not_refused_while_an_owner_idles(owning, indexed, tree):
    owning()
    only(indexed).search("refund")
    (tree / "more.py").write_text("def more():\n    pass\n")
    engine = Engine.open(str(indexed))
    engine.index(str(tree))
    engine.close()


def channel(answer):
    return dict(answer.coverage.channels)["work_tree"]


class Failing:
    """An engine whose next refreshes fail."""

    def __init__(self, engine, failures):
        self.engine, self.failures = engine, failures

    def __getattr__(self, name):
        return getattr(self.engine, name)

    def refresh(self, *arguments, **options):
        if self.failures:
            raise self.failures.pop()
        return self.engine.refresh(*arguments, **options)


class Interrupted:
    """An engine during whose next refresh, after it saw the tree, something else happens."""

    def __init__(self, engine, happens):
        self.engine, self.happens = engine, happens

    def __getattr__(self, name):
        return getattr(self.engine, name)

    def refresh(self, *arguments, **options):
        found = self.engine.refresh(*arguments, **options)
        while self.happens:
            self.happens.pop()()
        return found


@pytest.mark.parametrize("committed", [False, True])
def test_a_question_asked_during_a_look_is_answered_with_what_was_reported_before_it(
    indexed, tree, committed
):
    happens = []
    owner = become_owner(
        indexed,
        lambda: Interrupted(Engine.open(str(indexed)), happens),
        make_watcher=FakeWatcher,
    )
    assert only(indexed).search("refund").hits
    watcher, futures = FakeWatcher.made[-1], []
    (view,) = watcher.followed

    def change_and_ask():
        (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
        if committed:  # seen in the git folder, without an event
            git(tree, "add", "-A")
            git(tree, "commit", "-qm", "two")
        else:
            watcher.changed(view, {b"new.py"})
        arguments = {"query": "settle_all", "scope": owner_scope, "options": SearchOptions()}
        futures.append(owner.ask("search", arguments))

    owner_scope = only(indexed).scope()
    happens.append(change_and_ask)
    (tree / "pay.py").write_text("def pay_now(order):\n    return order\n")
    watcher.changed(view, {b"pay.py"})
    until(lambda: futures)
    found = futures[0].result()
    owner.close()
    assert [hit.place.path for hit in found.hits] == [b"new.py"]


@pytest.mark.parametrize("times", [1, 2])
def test_trouble_that_passes_is_tried_again_and_other_trouble_is_told(indexed, tree, times):
    failures, events = [], []
    owner = become_owner(
        indexed,
        lambda: Failing(Engine.open(str(indexed)), failures),
        report=events.append,
        make_watcher=FakeWatcher,
    )
    remote = only(indexed)
    assert channel(remote.search("refund")).endswith(f"followed by process {os.getpid()}")
    watcher = FakeWatcher.made[-1]
    (view,) = watcher.followed
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    with owner._news:  # not between the two
        failures += [
            errors.ResourceExhausted("worker_failed", "none", hint="") for _ in "ab"[:times]
        ]
        watcher.changed(view, {b"new.py"})
    until(lambda: not failures)
    found = remote.search("settle_all")
    troubles = [event.text for event in events if event.kind is Kind.TROUBLE]
    owner.close()
    assert found.hits, "the next look succeeds"
    assert len(troubles) == times - 1
    assert channel(found).endswith(f"followed by process {os.getpid()}")


def test_a_cleaner_of_temporary_folders_is_survived(owning, indexed, tree, tmp_path, monkeypatch):
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(protocol.tempfile, "tempdir", str(place))
    (tree / ".git" / "info" / "exclude").write_text("*.log\n")
    _, watcher, events = owning()
    remote = only(indexed)
    assert remote.search("refund").hits
    (view,) = watcher.followed
    for name in ("first", "second"):
        for folder in place.iterdir():
            shutil.rmtree(folder)
        (tree / f"{name}.py").write_text(f"def {name}_change():\n    pass\n")
        (tree / f"{name}.log").write_text(f"{name}_change\n")
        watcher.changed(view, {f"{name}.py".encode(), f"{name}.log".encode()})
        found = remote.search(f"{name}_change")
        assert found.hits[0].place.path == f"{name}.py".encode(), events
        assert not any(hit.place.path.endswith(b".log") for hit in found.hits)
    assert Kind.TROUBLE not in [event.kind for event in events]


def test_an_answer_says_which_trees_it_could_not_look_at(indexed, tree):
    failures = []
    owner = become_owner(
        indexed, lambda: Failing(Engine.open(str(indexed)), failures), make_watcher=FakeWatcher
    )
    remote = only(indexed)
    before, calm = remote.search("refund"), remote.status()
    failures += [OSError(5, "/secret/path")] * 1000
    watcher = FakeWatcher.made[-1]
    (view,) = watcher.followed
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    watcher.changed(view, {b"new.py"})
    found, told = remote.search("settle_all"), remote.status()
    owner.close()
    assert not found.hits
    assert channel(found).endswith("; repo cannot be looked at now and answers as before")
    assert told.work_tree.endswith("; repo cannot be looked at now and answers as before")
    assert unusual(channel(found)) == "repo cannot be looked at now and answers as before"
    assert unusual(channel(before)) == unusual(calm.work_tree) == ""
    assert calm.work_tree.startswith("as on disk; ")
    assert "secret" not in str(found)


def test_a_tree_that_is_gone_is_named_and_the_others_are_followed(owning, indexed, tree, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "more.py").write_text("def more():\n    pass\n")
    engine = Engine.open(str(indexed))
    engine.index(str(other))
    engine.close()
    _, watcher, _ = owning()
    remote = only(indexed)
    assert channel(remote.search("refund")).startswith("as on disk")
    tree.rename(tree.with_name("away"))
    (other / "new.py").write_text("def settle_all():\n    pass\n")
    (view,) = [view for view, root in watcher.followed.items() if root == str(other)]
    watcher.changed(view, {b"new.py"})
    found = remote.search("settle_all")
    assert [hit.place.path for hit in found.hits] == [b"new.py"]
    told = re.sub(r" at \S+:", " at then:", channel(found))
    assert told == "as indexed at then: repo; what changed since is left out"


def test_the_delta_stands_on_the_newest_generation(owning, indexed, tree):
    _, watcher, events = owning()
    remote = only(indexed)
    (view,) = watcher.followed
    (tree / "one.py").write_text("def first_change():\n    pass\n")
    watcher.changed(view, {b"one.py"})
    found = remote.search("first_change")
    assert found.hits, (found.coverage, events)
    other = Engine.open(str(indexed))
    other.index(str(tree))
    (tree / "two.py").write_text("def second_change():\n    pass\n")
    watcher.changed(view, {b"two.py"})
    assert {hit.place.path for hit in remote.search("second_change").hits} >= {b"two.py"}
    assert remote.search("first_change").hits
    other.remove("repo")
    with pytest.raises(errors.BadInput, match="holds no index"):
        remote.search("first_change")
    other.index(str(tree))
    assert remote.search("second_change").hits, "it follows what comes back"
    other.close()


def test_a_commit_and_a_switch_are_seen_without_an_event(owning, indexed, tree):
    owning()
    remote = only(indexed)
    before = remote.status().repositories[0].refs[0].snapshot
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "two")
    assert remote.search("settle_all").hits
    after = remote.status().repositories[0].refs[0].snapshot
    assert (before.dirty, after.dirty) == (False, False)
    assert before.commit != after.commit
    git(tree, "checkout", "-q", "HEAD~1")
    assert not remote.search("settle_all").hits


def test_a_change_of_rules_or_of_the_place_lists_the_folders_again(owning, indexed, tree):
    _, watcher, _ = owning()
    remote = only(indexed)
    (tree / "own.tmp").write_text("settle_all = 1\n")
    (view,) = watcher.followed
    watcher.changed(view, {b"own.tmp"})
    assert remote.search("settle_all").hits
    (tree / ".git" / "info" / "exclude").write_text("*.tmp\n")
    assert not remote.search("settle_all").hits
    assert watcher.relisted == [view]
    tree.rename(tree.with_name("away"))
    tree.mkdir()
    git(tree, "init", "-q", "-b", "main")
    (tree / "other.py").write_text("def another_tree():\n    pass\n")
    watcher.changed(view, {b"other.py"})
    assert remote.search("another_tree").hits
    assert not remote.search("refund").hits
    assert view in watcher.relisted[1:]


def test_a_tree_that_cannot_be_watched_is_looked_at_for_every_question(owning, indexed, tree):
    _, watcher, events = owning()
    remote = only(indexed)
    remote.search("refund")
    (view,) = watcher.followed
    watcher.polled[view] = "no watch is left"
    until(lambda: any(event.kind is Kind.POLLING for event in events))
    (told,) = [event for event in events if event.kind is Kind.POLLING]
    assert "no watch is left; it is looked at every 2 s" in told.text
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    until(lambda: remote.search("settle_all").hits)


def test_git_at_work_is_waited_for(owning, indexed, tree):
    _, watcher, _ = owning()
    remote = only(indexed)
    remote.search("refund")
    (view,) = watcher.followed
    lock = tree / ".git" / "index.lock"
    lock.write_text("")
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    watcher.changed(view, {b"new.py"})
    found = remote.search("settle_all")
    assert not found.hits, "answered as it was, and at once"
    assert channel(found).endswith("; repo answers as before what git is doing there")
    lock.unlink()
    assert remote.search("settle_all").hits


def test_only_named_repositories_are_followed(owning, indexed, tree):
    _, watcher, _ = owning(repositories=("another",))
    assert only(indexed).search("refund").hits
    assert watcher.followed == {}


def test_what_changed_is_committed_now_and_then(owning, indexed, tree):
    _, watcher, events = owning(commit_every=0.01)
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    until(lambda: watcher.followed)
    (view,) = watcher.followed
    watcher.changed(view, {b"new.py"})
    until(lambda: any(event.kind is Kind.COMMITTED for event in events))
    engine = Engine.open(str(indexed))
    assert engine.search("settle_all").hits
    engine.close()


def test_another_writer_delays_a_commit_and_nothing_else(owning, indexed, tree):
    from grainline.indexing.pipeline import IndexOptions, fingerprint
    from grainline.storage.sqlite import open_folder

    with open_folder(str(indexed)).writer(fingerprint(IndexOptions())):
        _, watcher, events = owning(commit_every=0.01)
        (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
        until(lambda: watcher.followed)
        (view,) = watcher.followed
        watcher.changed(view, {b"new.py"})
        until(lambda: any(event.kind is Kind.WAITING for event in events))
        for _ in range(5):
            assert only(indexed).search("settle_all").hits
        kinds = [event.kind for event in events]
        assert Kind.TROUBLE not in kinds, "answers are not behind"
        assert kinds.count(Kind.WAITING) == 1, "told once"
        assert Kind.COMMITTED not in kinds
    until(lambda: any(event.kind is Kind.COMMITTED for event in events))


def test_a_second_owner_waits_and_the_next_takes_over(owning, indexed, tree):
    first, _, _ = owning()
    assert owning() is None
    first.close()
    assert owning() is not None
    assert only(indexed).search("refund").hits


def test_a_candidate_asks_the_owner_and_becomes_it_when_there_is_none(owning, indexed, tree):
    first, _, _ = owning()
    candidate = Candidate(indexed, lambda: Engine.open(str(indexed)), ReadOptions, lambda _: None)
    assert candidate.search("refund").hits
    assert candidate._owner is None
    first.close()
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    assert candidate.search("settle_all").hits
    assert candidate._owner is not None
    assert only(indexed).search("settle_all").hits, "and answers for others"
    candidate.close()
    with pytest.raises(NoOwner):
        ask(indexed, "scope", {})


def test_a_candidate_that_can_have_no_socket_answers_all_the_same(indexed, monkeypatch):
    def none(_):
        raise protocol.Broken("no folder with a short name for a socket")

    monkeypatch.setattr("grainline.indexing.owner.owner.socket_path", none)
    notes = []
    candidate = Candidate(indexed, lambda: Engine.open(str(indexed)), ReadOptions, notes.append)
    assert candidate.search("refund").hits
    assert notes == ["work trees are not followed: no folder with a short name for a socket"]
    candidate.close()
    assert holder(indexed) == 0


def test_a_candidate_in_a_home_that_cannot_be_written_answers_all_the_same(indexed, tree):
    unwritable(indexed)
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    notes = []
    candidate = Candidate(indexed, lambda: Engine.open(str(indexed)), ReadOptions, notes.append)
    assert candidate.search("settle_all").hits
    assert candidate.search("refund").hits
    assert [note.split(":")[1] for note in notes] == [f" error[cannot_write] {indexed}"]
    candidate.close()


def made_anew(home, tree):
    shutil.rmtree(home)
    engine = Engine.open(str(home))
    engine.index(str(tree))
    engine.close()


def test_an_owner_whose_home_is_made_anew_stops_and_leaves_the_next_one_alone(
    owning, indexed, tree
):
    first, _, _ = owning()
    made_anew(indexed, tree)
    second, _, _ = owning()
    until(first.done.done)
    failure = first.done.exception()
    assert (type(failure), failure.code) == (errors.ResourceExhausted, "home_gone")
    first.close()
    assert socket_path(indexed).exists()
    assert only(indexed).search("refund").hits
    second.close()
    assert not socket_path(indexed).exists()


def test_an_owner_whose_home_is_removed_stops(owning, indexed):
    owner, _, _ = owning()
    shutil.rmtree(indexed)
    until(owner.done.done)
    assert owner.done.exception().code == "home_gone"


def test_a_candidate_whose_home_is_made_anew_becomes_the_owner_of_that(indexed, tree):
    notes = []
    candidate = Candidate(indexed, lambda: Engine.open(str(indexed)), ReadOptions, notes.append)
    assert candidate.search("refund").hits
    before = candidate._owner
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    made_anew(indexed, tree)
    for _ in range(3):
        assert candidate.search("settle_all").hits
    until(lambda: candidate.search("refund").hits and candidate._owner not in (None, before))
    assert only(indexed).search("settle_all").hits
    assert ["home_gone" in note for note in notes] == [True]
    candidate.close()


def test_a_socket_of_another_is_not_unlinked(home, lock):
    first = Server(socket_path(home), lambda *_: None)
    second = Server(socket_path(home), lambda *_: None)
    first.close()
    assert socket_path(home).exists()
    second.close()
    assert not socket_path(home).exists()


@pytest.mark.parametrize("looked", [True, False])
def test_a_status_looks_at_the_work_trees_unless_there_are_many(indexed, tree, monkeypatch, looked):
    monkeypatch.setattr(client, "STATUS_TREES", 1 if looked else 0)
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    notes = []
    local = asker(indexed, notes)
    (repository,) = local.status(paths=True).repositories
    assert (b"new.py" in [row.path for row in repository.refs[0].paths]) is looked
    assert [note.split(";")[0] for note in notes] == (
        [] if looked else ["note: 1 work trees are not looked at but shown as indexed"]
    )
    local.close()


def test_of_many_work_trees_none_is_looked_at_without_an_owner(indexed, tree, monkeypatch):
    monkeypatch.setattr(client, "LOOKED_TREES", 0)
    (tree / "new.py").write_text("def settle_all(orders):\n    return orders\n")
    notes = []
    local = asker(indexed, notes)
    found = local.search("settle_all")
    local.close()
    assert not found.hits
    assert channel(found).startswith("as indexed at")
    assert len(notes) == 1


def test_questions_come_between_the_first_looks_at_many_trees(
    owning, indexed, tmp_path, monkeypatch
):
    monkeypatch.setattr("grainline.indexing.owner.owner.LOOKED_TREES", 1)
    engine = Engine.open(str(indexed))
    for name in ("a", "b", "c"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.py").write_text(f"def of_{name}():\n    pass\n")
        engine.index(str(folder), name=name)
    engine.close()
    looks, then, may = [], [], threading.Event()
    refresh = Engine.refresh

    def slow(self, view, *rest, **options):
        looks.append(view)
        if len(looks) == 2:
            may.wait(60)
        return refresh(self, view, *rest, **options)

    monkeypatch.setattr(Engine, "refresh", slow)
    owner, _, _ = owning()
    early = owner.ask("search", {"query": "of_a"})
    early.add_done_callback(lambda _: then.append(len(looks)))
    may.set()
    assert channel(early.result()).startswith("as indexed at")
    assert then[0] < 4
    until(lambda: len(set(looks)) == 4)
    assert channel(only(indexed).search("of_a")).startswith("as on disk")


def test_what_waits_when_an_owner_ends_is_answered_by_its_asker(owning, indexed):
    owner, _, _ = owning()
    owner.close()
    assert owner.ask("scope", {}) is None
    local = asker(indexed)
    assert local.search("refund").hits
    local.close()


def test_what_an_index_left_out_stays_out_for_everyone(owning, indexed, tree):
    (tree / "private").mkdir()
    (tree / "private" / "key.py").write_text("def settle_all(orders):\n    return orders\n")
    engine = Engine.open(str(indexed))
    engine.index(str(tree), read=ReadOptions(exclude=("private/",)))
    engine.close()
    local = asker(indexed)
    assert not local.search("settle_all").hits
    local.close()
    _, watcher, _ = owning(commit_every=0.01)
    (view,) = watcher.followed
    (tree / "private" / "more.py").write_text("def settle_all(orders):\n    return 1\n")
    watcher.changed(view, {b"private/more.py", b"private"})
    assert not only(indexed).search("settle_all").hits
    assert only(indexed).why(b"private/more.py").row.reason == "excluded"
    assert only(indexed).status(paths=True).repositories


def test_a_worker_is_ready_before_the_first_change(indexed, monkeypatch):
    engine = Engine.open(str(indexed))
    (view,) = engine.work_trees()
    engine.refresh(view)
    (pool,) = engine._live._analysts.values()
    assert pool.processes() == ()
    batches = spied(monkeypatch, pool, "submit")
    engine.warm(view)
    until(pool.processes)
    ((jobs,),) = batches
    assert "*.py" in {job.key.hint for job in jobs}  # its grammar takes as long as many saves
    engine.close()


def spied(monkeypatch, thing, name):
    """The arguments of each call of a method from now on."""
    calls = []
    real = getattr(thing, name)
    monkeypatch.setattr(thing, name, lambda *given: calls.append(given) or real(*given))
    return calls
