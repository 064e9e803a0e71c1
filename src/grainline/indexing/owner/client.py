"""Asking the owner of a home in place of an engine of one's own.

Whatever goes wrong on the way (no owner, another version, a hang, a malformed reply) means: no
owner. Then the caller's own engine answers; an error that the owner's engine raised is an answer.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grainline.errors import GrainlineError
from grainline.indexing.owner.codec import Json, Malformed, codec_of
from grainline.indexing.owner.flows import FLOW_NAMES, FlowAsker
from grainline.indexing.owner.methods import Refreshing, method
from grainline.indexing.owner.protocol import (
    MAX_REPLY,
    PROTOCOL,
    Broken,
    build,
    dump_arguments,
    holder,
    is_trusted,
    load_error,
    receive,
    send,
    socket_path,
)
from grainline.indexing.owner.relations import RELATION_NAMES, RelationAsker
from grainline.model.access import Bounds, Policy, Scope, View
from grainline.model.answers import (
    OutlineResult,
    ReadResult,
    ShowResult,
    StatusResult,
    WhyResult,
)
from grainline.model.evidence import ContextOptions, ContextResult
from grainline.model.search import SearchOptions, SearchResult

if TYPE_CHECKING:
    from grainline.snapshots.options import ReadOptions

GREETING_TIME = 1.0
"""Seconds in which an owner that lives says so; its engine may take longer to answer."""

ANSWER_TIME = 130.0  # seconds for the answer: a little more than the owner gives its engine


class NoOwner(Exception):  # noqa: N818 - not an error: the caller goes on without
    """Nobody answers for this home; `why` is for people, "" when there is just no owner."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.why = why


def ask(home: Path, name: str, arguments: Mapping[str, object]) -> Any:
    """What the owner of `home` answers to a call of a method of `Answers`.

    Raises:
        NoOwner: there is none that can be used.
        GrainlineError: the engine of the owner raised it.
    """
    if not holder(home):
        raise NoOwner
    types = method(name)
    try:
        call = dump_arguments(types.parameters, arguments)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            reply = _exchange(connection, home, name, call)
        if "error" in reply:
            failure = load_error(reply["error"])
        elif "value" in reply:
            return codec_of(types.result).load(reply["value"])
        else:
            raise NoOwner(f"the owner of this home does not answer: {reply.get('refused')}")
    except (Broken, Malformed, RecursionError) as broken:
        raise NoOwner(f"the owner of this home does not answer: {broken}") from None
    except OSError as broken:
        raise NoOwner("") from broken  # it ended, or has not begun to listen
    raise failure


def _exchange(connection: socket.socket, home: Path, name: str, call: Json) -> dict[str, Json]:
    soon = time.monotonic() + GREETING_TIME
    connection.settimeout(GREETING_TIME)
    connection.connect(str(socket_path(home)))
    if not is_trusted(connection):
        raise Broken("another user listens there")
    request = {"protocol": PROTOCOL, "build": build(), "method": name, "arguments": call}
    send(connection, request, until=soon)
    greeting = receive(connection, limit=1 << 16, until=soon)
    if greeting.get("refused") or greeting.get("build") != build():
        why = greeting.get("refused") or "another version of grainline runs there"
        raise NoOwner(f"the owner of this home (process {holder(home)}) is not used: {why}")
    return receive(connection, limit=MAX_REPLY, until=time.monotonic() + ANSWER_TIME)


LOOKED = frozenset(
    {"search", "context", "read", "show", "outline", "why", "status", *RELATION_NAMES, *FLOW_NAMES}
)
"""Methods that an engine of one's own answers after a look at the work trees in scope."""

STATUS_TREES = 8
"""Most work trees that are looked at for a status: it is about a whole home, which may hold many."""

LOOKED_TREES = 32
"""Most work trees that are looked at for any other answer: a look takes 20 ms or more for each."""


def _not_looked_at(count: int) -> str:
    return (
        f"note: {count} work trees are not looked at but shown as indexed; "
        "--repo names those that matter, `grainline watch` follows all of them"
    )


class Asker(RelationAsker, FlowAsker):
    """`Answers` of the owner where there is one, else of an engine of one's own.

    Args:
        home: the folder of the index.
        open_engine: opens the engine of one's own; called when it is first needed.
        read: what to read of each repository; called when a work tree is first looked at.
        note: tells people why an owner is not used, or a work tree was not looked at; each once.
    """

    def __init__(
        self,
        home: Path,
        open_engine: Callable[[], Refreshing],
        read: Callable[[], ReadOptions],
        note: Callable[[str], None],
    ) -> None:
        self._read = read
        self._home = home
        self._open = open_engine
        self._engine: Refreshing | None = None
        self._note = note
        self._noted: set[str] = set()

    def close(self) -> None:
        """Let go of the engine of one's own."""
        if self._engine is not None:
            self._engine.close()

    def scope(
        self,
        *,
        repos: tuple[str, ...] = (),
        refs: tuple[str, ...] = (),
        principal: str | None = None,
        within: Bounds | None = None,
    ) -> Scope:
        """See `Engine.scope`."""
        found: Scope = self._call(
            "scope", repos=repos, refs=refs, principal=principal, within=within
        )
        return found

    def everything(
        self,
        principal: str | None = None,
        *,
        repos: tuple[str, ...] = (),
        within: Bounds | None = None,
    ) -> Scope:
        """See `Engine.everything`."""
        found: Scope = self._call("everything", principal=principal, repos=repos, within=within)
        return found

    def policy(self) -> Policy | None:
        """See `Engine.policy`."""
        found: Policy | None = self._call("policy")
        return found

    def search(
        self, query: str, *, scope: Scope | None = None, options: SearchOptions | None = None
    ) -> SearchResult:
        """See `Engine.search`."""
        found: SearchResult = self._call("search", query=query, scope=scope, options=options)
        return found

    def context(
        self,
        query: str = "",
        *,
        scope: Scope | None = None,
        options: ContextOptions | None = None,
        at: str | None = None,
        target: str | None = None,
        pasted: str | None = None,
    ) -> ContextResult:
        """See `Engine.context`."""
        found: ContextResult = self._call(
            "context",
            query=query,
            scope=scope,
            options=options,
            at=at,
            target=target,
            pasted=pasted,
        )
        return found

    def read(self, citation: str, *, scope: Scope | None = None) -> ReadResult:
        """See `Engine.read`."""
        found: ReadResult = self._call("read", citation=citation, scope=scope)
        return found

    def show(self, symbol: str, *, scope: Scope | None = None) -> ShowResult:
        """See `Engine.show`."""
        found: ShowResult = self._call("show", symbol=symbol, scope=scope)
        return found

    def outline(self, path: str, *, scope: Scope | None = None) -> OutlineResult:
        """See `Engine.outline`."""
        found: OutlineResult = self._call("outline", path=path, scope=scope)
        return found

    def status(self, *, scope: Scope | None = None, paths: bool = False) -> StatusResult:
        """See `Engine.status`."""
        found: StatusResult = self._call("status", scope=scope, paths=paths)
        return found

    def why(self, path: bytes, *, scope: Scope | None = None) -> WhyResult:
        """See `Engine.why`."""
        found: WhyResult = self._call("why", path=path, scope=scope)
        return found

    def roots(self, *, scope: Scope | None = None) -> dict[str, str]:
        """See `Engine.roots`."""
        found: dict[str, str] = self._call("roots", scope=scope)
        return found

    def _call(self, name: str, **arguments: Any) -> Any:
        try:
            return ask(self._home, name, arguments)
        except NoOwner as none:
            self._tell(none.why)
        if self._engine is None:
            self._engine = self._open()
        if name in LOOKED:
            views = self._engine.work_trees(arguments["scope"])
            if len(views) > (STATUS_TREES if name == "status" else LOOKED_TREES):
                self._tell(_not_looked_at(len(views)))
            else:
                self._look(self._engine, views)
        return getattr(self._engine, name)(**arguments)

    def _look(self, engine: Refreshing, views: Sequence[View]) -> None:
        for view in views:
            try:
                engine.refresh(view, read=self._read())
            except GrainlineError as failure:
                self._tell(f"{failure}; the answer is as of the last index")

    def _tell(self, why: str) -> None:
        if why and why not in self._noted:
            self._noted.add(why)
            self._note(why)
