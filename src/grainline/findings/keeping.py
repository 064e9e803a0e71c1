"""What was found in a view, kept as a value of kind `flow`: asked again, nothing is solved.

The key names the repository and the generation of the view as its reader sees it, as that of edges
does, then all else that an answer depends on: the edges with what compilers said of them, the
rows of models, the code of the analysis. So what is kept is never out of date, and losing it costs time
only. A reader with a policy neither gets what is kept nor adds to it.

Beside it stands what was found in each group of files that cannot meet others, as a value of kind
`flowpart` under what the group consists of: after a change only groups that it touches are solved. What a
state names of them is kept while it is; where a repository was not asked about since, all of its parts are.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

import zstandard

from grainline.findings.views import Analysed
from grainline.flow.version import flow_version
from grainline.graph.table import EdgeTable
from grainline.graph.tablebytes import encode_table
from grainline.indexing.kept import graph_key
from grainline.indexing.owner.codec import Malformed, decode, encode
from grainline.model.access import View
from grainline.model.flow import ModelFile
from grainline.storage.base import Derived

if TYPE_CHECKING:
    from grainline.flow.groups import Found

KIND: Final = "flow"
PART: Final = "flowpart"
_MAGIC: Final = b"GLF2"
_COUNT: Final = struct.Struct("<I")
_NAME: Final = 32
"""Characters of a key of a group; before them stand those that name the repository."""
_REPOSITORY: Final = 16
_LEVEL: Final = 3
T = TypeVar("T")
_SAID: Final = 8
"""Bytes of a key that stand for edges, rows and code."""


def flow_key(
    view: View, generation: str, table: EdgeTable, models: Sequence[ModelFile] = ()
) -> str:
    """What the flows of a view depend on."""
    digest = hashlib.blake2b(said_of(models), digest_size=_SAID)
    digest.update(b"edges %d" % table.cuts)
    digest.update(encode_table(table))
    return graph_key(view, generation) + digest.hexdigest()


def said_of(models: Sequence[ModelFile]) -> bytes:
    """Names the rows and the code of the analysis."""
    digest = hashlib.blake2b(flow_version().encode(), digest_size=16)
    for model in models:
        digest.update(f"{len(model.name)} {len(model.data)} {model.name}".encode() + model.data)
    return digest.digest()


class Parts:
    """What was found in groups of files of one repository."""

    def __init__(self, derived: Derived, key: str) -> None:
        self._derived = derived
        self._repository = key[:_REPOSITORY]
        self._known: dict[str, Found | None] = {}
        self.used: list[str] = []
        """Groups of what is asked about."""

    def get(self, key: str) -> Found | None:
        """What was found in a group, None where that is not kept, or not whole."""
        if key not in self._known:
            from grainline.flow.groups import Found  # what is kept whole is told without these

            value = self._derived.get(PART, self._repository + key)
            self._known[key] = None if value is None else _unpacked(Found, value)
        if self._known[key] is not None:
            self._use(key)
        return self._known[key]

    def put(self, key: str, found: Found) -> None:
        """Keep what was found; where nothing can be written, it is found again."""
        self._use(key)
        with suppress(OSError):
            self._derived.put(PART, self._repository + key, _packed(type(found), found))

    def _use(self, key: str) -> None:
        if key not in self.used:
            self.used.append(key)


def _packed(hint: type, value: object) -> bytes:
    return zstandard.ZstdCompressor(_LEVEL).compress(encode(hint, value))


def _unpacked(hint: type[T], value: bytes) -> T | None:
    try:
        found = decode(hint, zstandard.ZstdDecompressor().decompress(value))
    except Malformed:
        return None  # of another version
    assert isinstance(found, hint)
    return found


def find(derived: Derived, key: str, view: View) -> Analysed | None:
    """What was found, None where that is not kept, or not whole.

    States are kept by what is in them: it may have been found for another ref at the same state,
    and is told of the view that is asked about.
    """
    value = derived.get(KIND, key)
    if value is None or value[: len(_MAGIC)] != _MAGIC:
        return None
    found = _unpacked(Analysed, value[_end_of_parts(value) :])
    return None if found is None else found._replace(view=view)


def put(derived: Derived, key: str, found: Analysed, parts: Sequence[str] = ()) -> None:
    """Keep what was found, with the groups that it is put together of; where nothing can be written, it is found again."""
    value = _MAGIC + _COUNT.pack(len(parts)) + "".join(parts).encode()
    with suppress(OSError):
        derived.put(KIND, key, value + _packed(Analysed, found))


def _end_of_parts(value: bytes) -> int:
    count: int = _COUNT.unpack_from(value, len(_MAGIC))[0]
    return len(_MAGIC) + _COUNT.size + count * _NAME


def _parts_of(value: bytes) -> list[str]:
    """The groups that a kept value names."""
    start, end = len(_MAGIC) + _COUNT.size, _end_of_parts(value)
    text = value[start:end].decode("ascii")
    return [text[at : at + _NAME] for at in range(0, len(text), _NAME)]


def keep(derived: Derived, views: Iterable[tuple[View, str]]) -> None:
    """Forget what was found in other states than those of `views`, each with its generation."""
    wanted = {graph_key(*row) for row in views}
    kept = derived.keys(KIND)
    named: dict[str, set[str]] = {}
    for key in kept:
        value = derived.get(KIND, key)
        if value is not None and value[: len(_MAGIC)] == _MAGIC:
            repository = key[:_REPOSITORY]
            named.setdefault(repository, set()).update(repository + part for part in _parts_of(value))  # fmt: skip
    here = {key[:_REPOSITORY] for key in wanted}
    parts = {key for key in derived.keys(PART)
             if key[:_REPOSITORY] in here
             and (key[:_REPOSITORY] not in named or key in named[key[:_REPOSITORY]])}  # fmt: skip
    derived.keep(KIND, {key for key in kept if key[: -2 * _SAID] in wanted})
    derived.keep(PART, parts)
