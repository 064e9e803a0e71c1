"""What filters leave of a scope, kept per corpus, and which of them leave nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from grainline.model.search import Filters
from grainline.retrieval.cache import ByteLru, derived
from grainline.storage.base import Corpus

MASK_BYTES = 2 << 20
"""Masks of filters kept per corpus."""


def docs_left(corpus: Corpus, filters: Filters) -> NDArray[np.bool_] | None:
    """`(n_docs,)` what filters leave; None for everything. Not to be written to."""
    return _masks(corpus).get(("docs", filters), lambda: corpus.select(filters))


def entries_left(corpus: Corpus, filters: Filters) -> NDArray[np.bool_] | None:
    """`(n_entries,)` what filters leave; None for everything. Not to be written to."""
    return _masks(corpus).get(("entries", filters), lambda: corpus.select_entries(filters))


def idle(corpus: Corpus, filters: Filters) -> Iterator[str]:
    """A sentence for each filter that no file of the scope passes: it was not meant so."""
    alone = [
        *((f"the path {path!r}", Filters(paths=(path,))) for path in filters.paths),
        *((f"the module {name!r}", Filters(modules=(name,))) for name in filters.modules),
        *((f"the language {name!r}", Filters(languages=(name,))) for name in filters.languages),
    ]
    for what, filter_ in alone:
        left = entries_left(corpus, filter_)
        if left is not None and not left.any():
            yield f"no file in scope passes the filter of {what}"


def _masks(corpus: Corpus) -> ByteLru[NDArray[np.bool_] | None]:
    """The masks of filters that were asked: making one reads every path."""

    def size(mask: NDArray[np.bool_] | None) -> int:
        return 400 + (0 if mask is None else mask.nbytes)

    return derived(corpus, "filters", lambda: ByteLru(MASK_BYTES, size))
