"""Messages of JSON-RPC as language servers frame them; what is read is hostile and bounded."""

from __future__ import annotations

import json
import re
from typing import Any, Final, TypeAlias, cast

Message: TypeAlias = "dict[str, Any]"

MAX_HEADER: Final = 4096
_LENGTH: Final = re.compile(rb"(?:^|\r\n)content-length: *([0-9]{1,10}) *(?:\r\n|$)", re.IGNORECASE)


class Nonsense(Exception):  # noqa: N818 - says what the other side sent
    """What came is no message."""


def encode(message: Message) -> bytes:
    """The bytes of a message, header included."""
    body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Inbox:
    """Bytes in, messages out. Holds at most one message of `most` bytes and its header."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = bytearray()
        self._size = -1

    def feed(self, data: bytes) -> list[Message]:
        """The messages that are whole now.

        Raises:
            Nonsense: a header without a length, a message above the limit, or no JSON object.
        """
        self._bytes += data
        found: list[Message] = []
        while True:
            if self._size < 0 and not self._header():
                return found
            if len(self._bytes) < self._size:
                return found
            body = bytes(self._bytes[: self._size])
            del self._bytes[: self._size]
            self._size = -1
            found.append(_parsed(body))

    def _header(self) -> bool:
        end = self._bytes.find(b"\r\n\r\n", 0, MAX_HEADER)
        if end < 0:
            if len(self._bytes) >= MAX_HEADER:
                raise Nonsense(f"no message: {bytes(self._bytes[:40])!r}")
            return False
        length = _LENGTH.search(bytes(self._bytes[:end]))
        if length is None:
            raise Nonsense(f"a header without a length: {bytes(self._bytes[:40])!r}")
        self._size = int(length[1])
        if self._size > self._most:
            raise Nonsense(f"a message of {self._size} bytes, the most is {self._most}")
        del self._bytes[: end + 4]
        return True


def _parsed(body: bytes) -> Message:
    try:
        message: object = json.loads(body)
    except (ValueError, RecursionError) as wrong:
        raise Nonsense(f"no JSON: {type(wrong).__name__}") from None
    if not isinstance(message, dict):
        raise Nonsense(f"a message that is no object but a {type(message).__name__}")
    return cast("Message", message)
