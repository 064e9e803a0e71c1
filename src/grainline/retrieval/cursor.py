"""Cursors: where the next page starts, bound to the scope, question and options they came from."""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict
from functools import lru_cache
from struct import error as struct_error
from struct import pack, unpack

from grainline.errors import BadInput
from grainline.model.search import SearchOptions
from grainline.retrieval.options import RankOptions
from grainline.storage.base import Corpus

CURSOR_VERSION = 1
"""1: offset, size of the first page, digest of what was asked."""

_LAYOUT = ">BIH16s"


class Page:
    """A position in one ranking: `offset` results were shown, the first page held `first`."""

    __slots__ = ("first", "offset")

    def __init__(self, offset: int, first: int) -> None:
        self.offset = offset
        self.first = first


def digest_of(corpus: Corpus, query: str, options: SearchOptions, ranking: RankOptions) -> bytes:
    """Digest of everything that a ranking depends on: membership in scope, question, options.

    What may be read is in the generations. The numbers of access classes are not: they tell of rules
    about what may not be read.
    """
    scope = corpus.scope
    parts = [
        *(
            f"{state.repository}@{state.snapshot.version}#{state.generation}"
            for state in corpus.snapshots
        ),
        repr(scope.views),
        str(scope.epoch),
        query,
        repr(sorted(asdict(options.filters).items())),
        repr(sorted(options.exclude)),
        _spell(ranking),
    ]
    body = b"\0".join(part.encode("utf-8", "surrogatepass") for part in parts)
    return hashlib.blake2b(body, digest_size=16).digest()


@lru_cache(maxsize=16)
def _spell(ranking: RankOptions) -> str:
    """The options as text that is the same in every process: `repr` of a set is not."""
    return json.dumps(asdict(ranking), default=sorted, sort_keys=True)


def write_cursor(page: Page, digest: bytes) -> str:
    """The cursor of a page."""
    raw = pack(_LAYOUT, CURSOR_VERSION, page.offset, page.first, digest)
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def read_cursor(text: str, digest: bytes) -> Page:
    """The page that a cursor names.

    Raises:
        BadInput: it is no cursor, or one of another question, scope, option or state of the index.
    """
    try:
        raw = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        version, offset, first, theirs = unpack(_LAYOUT, raw)
    except (ValueError, struct_error) as error:
        raise _stale(text) from error
    if version != CURSOR_VERSION or theirs != digest:
        raise _stale(text)
    return Page(offset, first)


def _stale(text: str) -> BadInput:
    return BadInput(
        "stale_cursor",
        f"the cursor {text[:80]!r} belongs to another question, scope or state of the index",
        hint="ask again without a cursor",
    )
