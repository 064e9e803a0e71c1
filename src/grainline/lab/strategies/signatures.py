"""Functions whose text, as far as it finds, ends with the signatures of what they call.

The signatures are composed per entry from the resolved graph and are never part of a chunk, so a
callee that changes costs no chunk. `scip` does it with a compiler's edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grainline.lab.ground import Chunked, Ground
from grainline.lab.links import Links, definition_of
from grainline.lab.strategies._composed import Composed
from grainline.lab.strategies._texts import plain
from grainline.lab.strategies.function_calls import TYPES
from grainline.lab.values import Settings, Value
from grainline.model.edge import Symbol
from grainline.model.position import Span

OPTIONS: Mapping[str, Value] = {
    "callees": 8,  # signatures of one function
    "documented": False,  # whether their documentation comes along
}


def with_signatures(ground: Ground, found: Chunked, settings: Settings) -> str:
    """The plain text, then what its function calls."""
    return signed(ground, found, settings, Links.of(ground, TYPES, None))


def signed(ground: Ground, found: Chunked, settings: Settings, links: Links) -> str:
    """The plain text, then what its function calls by some edges."""
    text = plain(ground, found, settings)
    return " ".join([text, *_signatures(ground, found, settings, links)])


def _signatures(ground: Ground, found: Chunked, settings: Settings, links: Links) -> Iterator[str]:
    if found.chunk.symbol < 0:
        return
    own = found.facts.definitions[found.chunk.symbol].descriptor
    files = ground.files()
    targets = [each.symbol for each in links.out(Symbol(found.file.path, own))]
    for path, descriptor in targets[: settings.count("callees")]:
        file = files.get(path)
        callee = definition_of(file, descriptor) if file and descriptor else None
        if file is None or callee is None:
            continue
        yield file.decode(Span(callee.signature_start, callee.signature_end))
        if settings.flag("documented") and callee.doc_end > callee.doc_start:
            yield file.decode(Span(callee.doc_start, callee.doc_end))


STRATEGY = Composed(name="signatures", chunker="function", text=with_signatures, extra=OPTIONS)
