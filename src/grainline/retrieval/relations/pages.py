"""Pages of rows: a cursor is bound to the scope, the question and its options."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TypeVar

from grainline.model.relations import Relation, RelationOptions
from grainline.retrieval.cursor import Page, read_cursor, write_cursor
from grainline.storage.base import Corpus

R = TypeVar("R")


def digest_of(corpus: Corpus, relation: Relation, text: str, options: RelationOptions) -> bytes:
    """Digest of everything that rows depend on; not of the size of a page."""
    plain = asdict(replace(options, k=1, cursor=None))
    parts = [
        *(
            f"{state.repository}@{state.snapshot.version}#{state.generation}"
            for state in corpus.snapshots
        ),
        repr(corpus.scope.views),
        str(corpus.scope.epoch),
        str(relation),
        text,
        repr(sorted(plain.items())),
    ]
    body = b"\0".join(part.encode("utf-8", "surrogatepass") for part in parts)
    return hashlib.blake2b(body, digest_size=16).digest()


def page_of(
    rows: Sequence[R], options: RelationOptions, digest: bytes
) -> tuple[Sequence[R], str | None, int]:
    """(the rows of a page, the cursor of the next one, where it starts).

    Raises:
        BadInput: a cursor of another question.
    """
    page = read_cursor(options.cursor, digest) if options.cursor else Page(0, options.k)
    end = min(page.offset + options.k, len(rows))
    more = write_cursor(Page(end, page.first), digest) if end < len(rows) else None
    return rows[page.offset : end], more, end
