"""What was found in a view, kept as a value of kind `flow`: asked again, nothing is solved.

The key names the repository and the generation of the view as its reader sees it, as that of edges
does, then all else that an answer depends on: the edges with what compilers said of them, the
rows of models, the code of the analysis. So what is kept is never out of date, and losing it costs time
only. A reader with a policy neither gets what is kept nor adds to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

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

KIND: Final = "flow"
_MAGIC: Final = b"GLF1"
_LEVEL: Final = 3
_SAID: Final = 8
"""Bytes of a key that stand for edges, rows and code."""


def flow_key(
    view: View, generation: str, table: EdgeTable, models: Sequence[ModelFile] = ()
) -> str:
    """What the flows of a view depend on."""
    digest = hashlib.blake2b(flow_version().encode(), digest_size=_SAID)
    for model in models:
        digest.update(f"{len(model.name)} {len(model.data)} {model.name}".encode() + model.data)
    digest.update(b"edges %d" % table.cuts)
    digest.update(encode_table(table))
    return graph_key(view, generation) + digest.hexdigest()


def find(derived: Derived, key: str, view: View) -> Analysed | None:
    """What was found, None where that is not kept, or not whole.

    States are kept by what is in them: it may have been found for another ref at the same state,
    and is told of the view that is asked about.
    """
    value = derived.get(KIND, key)
    if value is None or value[: len(_MAGIC)] != _MAGIC:
        return None
    try:
        found = decode(Analysed, zstandard.ZstdDecompressor().decompress(value[len(_MAGIC) :]))
    except Malformed:
        return None  # of another version
    assert isinstance(found, Analysed)
    return found._replace(view=view)


def put(derived: Derived, key: str, found: Analysed) -> None:
    """Keep what was found; where nothing can be written, it is found again."""
    value = _MAGIC + zstandard.ZstdCompressor(_LEVEL).compress(encode(Analysed, found))
    with suppress(OSError):
        derived.put(KIND, key, value)


def keep(derived: Derived, views: Iterable[tuple[View, str]]) -> None:
    """Forget what was found in other states than those of `views`, each with its generation."""
    wanted = {graph_key(*row) for row in views}
    kept = derived.keys(KIND)
    derived.keep(KIND, {key for key in kept if key[: -2 * _SAID] in wanted})
