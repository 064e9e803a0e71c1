"""JSON that remembers where everything stands, so that an error can name its line. Pure.

Duplicate keys are errors here: of two rules for one path a reader would silently take one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from grainline.errors import BadInput

MAX_BYTES = 4 << 20
MAX_DEPTH = 64
CODE = "bad_policy"

_TOKEN = re.compile(
    r'[ \t\r\n]*(?:(?P<mark>[\[\]{},:])|(?P<text>"(?:[^"\\\x00-\x1f]|\\.)*")'
    r"|(?P<word>[-+.\w]+)|(?P<end>\Z)|(?P<bad>.))",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value and the offset at which it begins. `value` is one of `Value`."""

    value: Value
    at: int


Value: TypeAlias = "str | int | float | bool | list[Node] | dict[str, tuple[Node, Node]] | None"
"""The values of an object are (key, value): the key has a place of its own."""


def shown(node: Node) -> str:
    """A value in a few words, for an error about it."""
    if isinstance(node.value, dict | list):
        kind = "an object" if isinstance(node.value, dict) else "a list"
        return kind if node.value else f"{kind} that is empty"
    return json.dumps(node.value)[:80]


class Document:
    """A JSON text: its root, and errors that name a place in it."""

    def __init__(self, data: bytes, source: str) -> None:
        """Read `data`.

        Args:
            data: UTF-8, at most `MAX_BYTES`.
            source: what errors call it.

        Raises:
            BadInput: it is too large, no JSON, nested too deeply, or repeats a key.
        """
        self._source = source
        if len(data) > MAX_BYTES:
            raise BadInput(
                CODE,
                f"the file has {len(data)} bytes, allowed are {MAX_BYTES}",
                subject=source,
                hint="give rules for folders instead of files",
            )
        try:
            self._text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadInput(
                CODE, f"byte {error.start} is not UTF-8", subject=source, hint="save it as UTF-8"
            ) from error
        self._at = 0
        self._depth = 0
        self.root = self._value()
        mark, word, at = self._next()
        if mark != "end":
            raise self.error(at, f"{word!r} stands behind the end of the object", "remove it")

    def error(self, at: int | Node, what: str, hint: str = "") -> BadInput:
        """The error for a person about what stands at `at`."""
        offset = at.at if isinstance(at, Node) else at
        line = self._text.count("\n", 0, offset) + 1
        column = offset - (self._text.rfind("\n", 0, offset) + 1) + 1
        return BadInput(CODE, what, subject=f"{self._source}:{line}:{column}", hint=hint)

    # ------------------------------------------------------------------ reading

    def _value(self) -> Node:
        mark, word, at = self._next()
        if mark == "text":
            return Node(self._string(word, at), at)
        if mark == "word":
            return Node(self._word(word, at), at)
        if word == "{":
            return Node(self._nested(self._object, at), at)
        if word == "[":
            return Node(self._nested(self._array, at), at)
        raise self._unexpected(mark, word, at, "a value")

    def _nested(self, read: Callable[[], Value], at: int) -> Value:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.error(at, f"nested deeper than {MAX_DEPTH} levels", "this is no policy")
        found = read()
        self._depth -= 1
        return found

    def _object(self) -> Value:
        found: dict[str, tuple[Node, Node]] = {}
        mark, word, at = self._next()
        if word == "}" and mark == "mark":
            return found
        while True:
            if mark != "text":
                raise self._unexpected(mark, word, at, 'a key in "quotes"')
            key = Node(self._string(word, at), at)
            name = str(key.value)
            if name in found:
                first = self._text.count("\n", 0, found[name][0].at) + 1
                raise self.error(at, f"{name!r} stands here again", f"the first is on line {first}")
            self._expect(":")
            found[name] = (key, self._value())
            if not self._goes_on("}"):
                return found
            mark, word, at = self._next()

    def _array(self) -> Value:
        found: list[Node] = []
        before = self._at
        mark, word, _ = self._next()
        if word == "]" and mark == "mark":
            return found
        self._at = before
        while True:
            found.append(self._value())
            if not self._goes_on("]"):
                return found

    def _goes_on(self, end: str) -> bool:
        mark, word, at = self._next()
        if mark == "mark" and word in (",", end):
            return word == ","
        raise self._unexpected(mark, word, at, f"',' or {end!r}")

    def _expect(self, wanted: str) -> None:
        mark, word, at = self._next()
        if mark != "mark" or word != wanted:
            raise self._unexpected(mark, word, at, repr(wanted))

    def _next(self) -> tuple[str, str, int]:
        found = _TOKEN.match(self._text, self._at)
        assert found is not None, "the last alternatives take anything"
        self._at = found.end()
        kind = found.lastgroup or "end"
        return kind, found[kind], found.start(kind)

    def _string(self, word: str, at: int) -> str:
        try:
            return str(json.loads(word))
        except ValueError as error:
            raise self.error(at, f"{word[:80]} is no JSON string", "check its escapes") from error

    def _word(self, word: str, at: int) -> Value:
        try:
            found: int | float | bool | None = json.loads(word)
        except ValueError as error:
            raise self.error(at, f"{word[:80]!r} is no value", 'text needs "quotes"') from error
        return found

    def _unexpected(self, mark: str, word: str, at: int, wanted: str) -> BadInput:
        shown = "the end of the file" if mark == "end" else repr(word[:80])
        return self.error(
            at, f"{shown} stands where {wanted} is expected", "check commas and quotes"
        )
