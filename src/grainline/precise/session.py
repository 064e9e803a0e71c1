"""The protocol of language servers, one question at a time, over a sidecar that may say anything."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from grainline.precise.answers import Answer, Site, Target
from grainline.precise.files import File, Sheet
from grainline.precise.index import Encoding, Range, safe_path
from grainline.precise.jsonrpc import Inbox, Message, Nonsense, encode
from grainline.precise.servers.base import Server
from grainline.precise.sidecar import Sidecar, Stopped


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one server may take.

    Attributes:
        start: seconds until it is ready.
        request: seconds for one question; `patience` questions in a row without an answer end it.
        total: seconds for everything.
        memory: bytes of it and its children.
        message: bytes of one message; `output` of all.
        files: files that are copied; `tree`: bytes of them.
        targets: places of one answer that are looked at.
    """

    start: float = 60.0
    request: float = 20.0
    patience: int = 3
    total: float = 900.0
    memory: int = 3 << 30
    message: int = 16 << 20
    output: int = 512 << 20
    files: int = 50_000
    tree: int = 512 << 20
    targets: int = 64


LIMITS: Final = Limits()


class Session:
    """The protocol, one question at a time."""

    def __init__(
        self,
        sidecar: Sidecar,
        server: Server,
        tree: Path,
        limits: Limits,
        told: Callable[[int], None],
    ) -> None:
        self.version = ""
        self.encoding = Encoding.UTF16
        self.done: list[Site] = []
        self._told = told
        self.refused = 0
        self.answers: list[Answer] = []
        self._sidecar = sidecar
        self._server = server
        self._tree = tree
        self._root = tree.as_uri()
        self._limits = limits
        self._inbox = Inbox(limits.message)
        self._waiting: list[Message] = []
        self._number = 0
        self._silent = 0

    def start(self, program: str) -> None:
        """Shake hands."""
        result = self._request("initialize", self._greeting(program), self._limits.start)
        if result is None:
            raise Stopped("slow", f"not ready after {self._limits.start:g} s")
        given: object = result.get("result")
        if "error" in result:
            said = str(_object(result["error"]).get("message"))
            raise Stopped("refused", f"it did not start: {said[:200]!r}")
        if not isinstance(given, dict):
            raise Nonsense("no answer to `initialize`")
        capabilities = _object(cast("Message", given).get("capabilities"))
        self.encoding = _ENCODINGS.get(str(capabilities.get("positionEncoding")), Encoding.UTF16)
        info = _object(cast("Message", given).get("serverInfo"))
        self.version = f"{info.get('name', '')} {info.get('version', '')}"[:100].strip()
        self._tell("initialized", {})
        self._tell("workspace/didChangeConfiguration", {"settings": dict(self._server.settings)})

    def _greeting(self, program: str) -> Message:
        return {
            "processId": os.getpid(),
            "rootUri": self._root,
            "workspaceFolders": [{"uri": self._root, "name": "tree"}],
            "initializationOptions": self._server.options(program),
            "capabilities": {
                "general": {"positionEncodings": ["utf-8", "utf-16"]},
                "textDocument": {"definition": {"linkSupport": True}},
                "workspace": {"configuration": True, "workspaceFolders": True},
            },
        }

    def ask(self, files: Iterable[File], sites: Iterable[Site]) -> None:
        """Ask about each site, file by file."""
        by_path: dict[bytes, list[Site]] = {}
        for site in sites:
            by_path.setdefault(site.path, []).append(site)
        for file in files:
            mine = by_path.get(file.path)
            language = self._server.languages.get(file.facts.language)
            if mine and language:
                self._ask_in(Sheet(file), language, mine)

    def _ask_in(self, sheet: Sheet, language: str, sites: Iterable[Site]) -> None:
        uri = (self._tree / os.fsdecode(sheet.path)).as_uri()
        text = sheet.text.decode("utf-8", "replace")
        document = {
            "uri": uri,
            "languageId": language,
            "version": 1,
            "text": text.removeprefix("\ufeff"),
        }
        self._tell("textDocument/didOpen", {"textDocument": document})
        for site in sites:
            line, character = sheet.lines.position(site.span.start, self.encoding)
            place = {"line": line, "character": character}
            self.done.append(site)
            self._told(len(self.done))
            asked = {"textDocument": {"uri": uri}, "position": place}
            answer = self._request("textDocument/definition", asked, self._limits.request)
            if answer is None:
                self._silent += 1
                if self._silent >= self._limits.patience:
                    raise Stopped("slow", f"{self._silent} questions in a row without an answer")
                continue
            self._silent = 0
            targets = self._targets(answer)
            if targets is None:
                self.refused += 1
            else:
                self.answers.append(Answer(site, targets))
        self._tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def end(self) -> None:
        """Say goodbye; it is killed all the same."""
        self._request("shutdown", None, 1.0)
        self._tell("exit", None)

    # -------------------------------------------------------------------------- messages

    def _request(self, method: str, params: object, seconds: float) -> Message | None:
        """The answer with our number, None when none comes in time."""
        self._number += 1
        number = self._number
        message: Message = {"id": number, "method": method}
        if params is not None:
            message["params"] = params
        until = time.monotonic() + seconds
        self._send(message, seconds)
        while True:
            while self._waiting:
                answer = self._heard(self._waiting.pop(0), number)
                if answer is not None:
                    return answer
            data = b"" if time.monotonic() >= until else self._sidecar.read(until)
            if not data:
                self._tell("$/cancelRequest", {"id": number})
                return None
            self._hear(data)

    def _heard(self, message: Message, number: int) -> Message | None:
        """The message if it answers `number`; a question of the server is answered here."""
        method: object = message.get("method")
        if method is None:
            mine = message.get("id") == number and ("result" in message or "error" in message)
            return message if mine else None
        asked: object = message.get("id")
        if isinstance(asked, int | str):
            self._send({"id": asked, **self._reply(method, message.get("params"))}, 5.0)
        return None

    def _reply(self, method: object, params: object) -> Message:
        """Settings are ours, everything else is taken note of or refused; nothing is done."""
        if method == "workspace/configuration":
            items: object = _object(params).get("items")
            known = cast("list[object]", items)[:100] if isinstance(items, list) else []
            return {
                "result": [
                    self._server.settings.get(str(_object(item).get("section"))) for item in known
                ]
            }
        if method == "workspace/applyEdit":
            return {"result": {"applied": False}}
        if method == "workspace/workspaceFolders":
            return {"result": [{"uri": self._root, "name": "tree"}]}
        if method in _NOTED:
            return {"result": None}
        return {"error": {"code": -32601, "message": "not here"}}

    def _tell(self, method: str, params: object) -> None:
        message: Message = {"method": method}
        if params is not None:
            message["params"] = params
        self._send(message, self._limits.request)

    def _send(self, message: Message, seconds: float) -> None:
        self._sidecar.write(encode(message), seconds, self._hear)

    def _hear(self, data: bytes) -> None:
        """Keep what may be for us; notifications are not read."""
        self._waiting += (each for each in self._inbox.feed(data) if "id" in each)
        if len(self._waiting) > _MOST_WAITING:
            raise Stopped("flood", f"more than {_MOST_WAITING} messages at once")

    # -------------------------------------------------------------------------- places

    def _targets(self, answer: Message) -> tuple[Target, ...] | None:
        """The places of an answer; None when it is an error or no list of places."""
        result: object = answer.get("result")
        if "error" in answer:
            return None
        if result is None:
            return ()
        rows = cast("list[object]", result) if isinstance(result, list) else [result]
        found = [self._target(row) for row in rows[: self._limits.targets]]
        kept = tuple(dict.fromkeys(each for each in found if each is not None))
        return kept if len(kept) or not rows else None

    def _target(self, row: object) -> Target | None:
        given = _object(row)
        uri: object = given.get("targetUri", given.get("uri"))
        place = _range(given.get("targetSelectionRange", given.get("range")))
        if not isinstance(uri, str) or place is None:
            return None
        path = _path(self._root, uri)
        name = _unquoted(uri).rpartition(b"/")[2][:200].decode("utf-8", "replace")
        return Target(path, place, name)


_MOST_WAITING: Final = 10_000
_ENCODINGS = {"utf-8": Encoding.UTF8, "utf-16": Encoding.UTF16, "utf-32": Encoding.UTF32}
_NOTED = frozenset(
    {
        "client/registerCapability", "client/unregisterCapability", "window/showMessageRequest",
        "window/workDoneProgress/create", "workspace/codeLens/refresh",
        "workspace/diagnostic/refresh", "workspace/inlayHint/refresh",
        "workspace/semanticTokens/refresh",
    }
)  # fmt: skip


def _object(given: object) -> dict[str, Any]:
    return cast("dict[str, Any]", given) if isinstance(given, dict) else {}


def _range(given: object) -> Range | None:
    start, end = _object(_object(given).get("start")), _object(_object(given).get("end"))
    numbers: list[object] = [
        start.get("line"), start.get("character"), end.get("line"), end.get("character"),
    ]  # fmt: skip
    whole = [each for each in numbers if isinstance(each, int) and 0 <= each < 1 << 31]
    return Range(*whole) if len(whole) == 4 else None


def _path(root: str, uri: str) -> bytes | None:
    """The path below the root that a URI names; None outside of it."""
    # servers spell the same file in several ways: compared is what the spelling means
    raw, above = _unquoted(uri), _unquoted(root) + b"/"
    if not raw.startswith(above):
        return None
    return safe_path(raw[len(above) :].decode("utf-8", "surrogateescape"))


_QUOTED: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


def _unquoted(uri: str) -> bytes:
    return _QUOTED.sub(lambda found: bytes((int(found[1], 16),)), uri.encode("utf-8", "replace"))
