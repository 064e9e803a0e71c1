"""Resolution in a process of its own: what it is told of files, and the edges that it answers with.

The process is told the IR and the names of a file once, and then which files there are. It parses
nothing: what it reads was checked when it came from the workers that do. It keeps what it made, so
what did not change is taken over there as it is here (`resolver.py`).

A request is a head in JSON (files, shaping files, what is new) and the bytes that the head tells the
lengths of. An answer is a kept table without bridges.
"""

from __future__ import annotations

import json
import os
import struct
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import zstandard

from grainline.graph.units import Unit
from grainline.indexing.kept import Kept, ViewEdges, decode_kept, encode_kept
from grainline.indexing.resolver import Resolved, Resolver
from grainline.model.facts import FileFacts
from grainline.model.ir import FileIr
from grainline.model.irbytes import decode_ir
from grainline.model.symbol import Definition, SymbolKind

NICENESS: Final = 2
"""Questions run before what nobody may ask for; one that waits for it loses a third of its share at most."""

KEPT: Final = 2
"""Tables that are kept to take over from."""

_HEAD: Final = struct.Struct("<I")


class Content(NamedTuple):
    """What a file says, wherever it stands: packed IR, and where its definitions have their names."""

    language: str
    ir: bytes
    names: Sequence[tuple[int, str]]


class Asked(NamedTuple):
    """What is to be resolved.

    Attributes:
        said: names how the content came to be.
        files: path and key of the content of each file.
        shaping: files that shape module resolution.
        fresh: content by key, of what was not told before.
    """

    said: str
    files: Sequence[tuple[bytes, bytes]]
    shaping: Mapping[str, bytes]
    fresh: Mapping[bytes, Content]


def encode_asked(asked: Asked) -> bytes:
    """A request."""
    blobs: list[bytes] = []
    fresh: list[tuple[str, str]] = []
    for key, content in asked.fresh.items():
        fresh.append((key.hex(), content.language))
        words = "\0".join(descriptor for _, descriptor in content.names)
        starts = np.array([start for start, _ in content.names], np.uint32)
        blobs += [content.ir, starts.tobytes(), words.encode("utf-8", "surrogatepass")]
    shaping = [_word(path) for path in asked.shaping]
    blobs += asked.shaping.values()
    head = json.dumps({
        "said": asked.said, "files": [(path.decode("latin-1"), key.hex()) for path, key in asked.files],
        "shaping": shaping, "fresh": fresh, "sizes": list(map(len, blobs)),
    }).encode()  # fmt: skip
    return b"".join((_HEAD.pack(len(head)), head, *blobs))


def decode_asked(request: bytes) -> Asked:
    """Inverse of `encode_asked`; the one who asks is believed."""
    (size,) = _HEAD.unpack_from(request)
    at = _HEAD.size + size
    head: dict[str, Any] = json.loads(request[_HEAD.size : at])
    blobs: list[bytes] = []
    for length in head["sizes"]:
        blobs.append(request[at : at + length])
        at += length
    fresh: dict[bytes, Content] = {}
    for number, (key, language) in enumerate(head["fresh"]):
        ir, starts, words = blobs[3 * number : 3 * number + 3]
        rows: list[int] = np.frombuffer(starts, np.uint32).tolist()
        said = words.decode("utf-8", "surrogatepass").split("\0")
        names = list(zip(rows, said, strict=True)) if rows else []
        fresh[bytes.fromhex(key)] = Content(language, ir, names)
    shaping = dict(zip(map(_path, head["shaping"]), blobs[3 * len(fresh) :], strict=True))
    files = [(path.encode("latin-1"), bytes.fromhex(key)) for path, key in head["files"]]
    return Asked(head["said"], files, shaping, fresh)


def _word(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("latin-1")


def _path(word: str) -> str:
    return word.encode("latin-1").decode("utf-8", "surrogateescape")


def read_resolved(answer: bytes, paths: Iterable[bytes]) -> Resolved | None:
    """An answer about files with these paths; None for what is none."""
    try:
        kept = decode_kept(answer)
    except (ValueError, TypeError, KeyError, struct.error, zstandard.ZstdError):
        return None
    if kept is None:
        return None
    told = [path for part, _ in kept.components.values() for path in part]
    return Resolved(kept.edges.table, kept.components) if sorted(told) == sorted(paths) else None


class Edgework:
    """What the process does with every request."""

    def __init__(self) -> None:
        self._content: dict[bytes, Content] = {}
        self._units: dict[tuple[bytes, bytes], Unit] = {}
        self._resolver = Resolver(self._ir)
        self._kept: deque[Kept] = deque(maxlen=KEPT)

    def answer(self, request: bytes) -> list[bytes]:
        """The edges of what is asked."""
        asked = decode_asked(request)
        self._content |= asked.fresh
        units = {row: self._units.get(row) or self._unit(*row) for row in asked.files}
        found = self._resolver.resolve(
            units.values(), asked.shaping, asked.said, lambda: tuple(self._kept)
        )
        kept = Kept(ViewEdges(found.table, ()), found.components)
        self._kept.appendleft(kept)
        before = self._units.keys() | units.keys()  # what moved is held against what was
        self._content = {key: self._content[key] for _, key in before if key in self._content}
        self._units = units
        return [encode_kept(kept)]

    def _unit(self, path: bytes, key: bytes) -> Unit:
        content = self._content[key]

        def ir() -> FileIr:
            return _decoded(content)

        def outline() -> FileFacts:
            rows = tuple(_named(*each) for each in content.names)
            return FileFacts(language=content.language, parsed=True, definitions=rows)

        return Unit(path, content.language, ir, outline, key)

    def _ir(self, key: bytes) -> FileIr | None:
        content = self._content.get(key)
        return None if content is None else _decoded(content)


def _decoded(content: Content) -> FileIr:
    return decode_ir(zstandard.ZstdDecompressor().decompress(content.ir), size=0, checked=True)


def _named(start: int, descriptor: str) -> Definition:
    """A definition of which only the place of its name and its descriptor are known."""
    nowhere = (0, 0, start, start, 0, 0, 0, 0, -1)
    return Definition("", SymbolKind.FUNCTION, descriptor, *nowhere)


def serve() -> Edgework:
    """What a worker process resolves with."""
    os.nice(NICENESS)
    return Edgework()
