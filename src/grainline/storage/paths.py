"""The path index: its document is a distinct (repository, path); postings are immutable."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from grainline.storage.segments.columns import Array, Buffer, open_columns
from grainline.storage.segments.layout import PATHS, spread
from grainline.storage.segments.words import Words, word_columns
from grainline.text.identifiers import token_terms
from grainline.text.tokens import TOKEN, text_terms

MAX_COUNT = 255


def build_paths(paths: Sequence[bytes], base: int) -> dict[str, Array]:
    """Columns of a part that holds `paths` (sorted, new to their repository)."""
    postings: defaultdict[bytes, list[int]] = defaultdict(list)  # path and count in turn
    sizes: list[int] = []
    of_folder: tuple[bytes | None, dict[bytes, int]] = None, {}
    for number, path in enumerate(paths):
        folder, _, name = path.rpartition(b"/")
        if folder != of_folder[0]:  # paths of one folder stand together
            of_folder = folder, _count(chain.from_iterable(map(_terms_of, folder.split(b"/"))))
        counts = _count(_terms_of(name), of_folder[1])
        sizes.append(min(sum(counts.values()), 0xFFFF))
        for term, count in counts.items():
            postings[term] += number, min(count, MAX_COUNT)
    lengths = np.array(sizes, np.uint16)
    terms = sorted(postings)
    held = [postings[term] for term in terms]
    rows = np.fromiter(chain.from_iterable(held), np.uint32, sum(map(len, held))).reshape(-1, 2)
    ends = np.zeros(len(terms) + 1, np.uint32)
    ends[1:] = np.cumsum([len(each) // 2 for each in held]) if terms else 0
    return {
        **word_columns("path", paths),
        **word_columns("term", terms),
        "length": lengths,
        "post_ends": ends,
        "post_path": rows[:, 0],
        "post_count": rows[:, 1].astype(np.uint8),
        "base": np.array([base], np.int64),
    }


def _count(terms: Iterable[bytes], before: Mapping[bytes, int] | None = None) -> dict[bytes, int]:
    """How often each term stands there, added to what was counted before."""
    counts = dict(before or {})
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    return counts


@lru_cache(maxsize=1 << 14)
def _terms_of(name: bytes) -> tuple[bytes, ...]:
    """Terms of the name of a file or folder; no term stands across a slash."""
    if b"-" in name:  # may hold a code
        return tuple(term for term, _ in text_terms(name, keep_stop_words=True))
    return tuple(chain.from_iterable(map(_terms_of_token, TOKEN.findall(name))))


@lru_cache(maxsize=1 << 14)
def _terms_of_token(token: bytes) -> tuple[bytes, ...]:
    return tuple(term for term, _ in token_terms(token, keep_stop_words=True))


class PathPart:
    """One immutable part of the path index of one repository. Path numbers are store-wide.

    A number that no membership names may have lost its path: it is b"" here, of length 0. The paths
    of a merged part are sorted only where `path_order` says.
    """

    def __init__(self, buffer: Buffer, source: str) -> None:
        self.columns = spread(open_columns(buffer, source), PATHS)
        self.paths = Words(self.columns, "path")
        self.base = int(self.columns["base"].all()[0])
        self.lengths: NDArray[np.uint16] = self.columns["length"].all()
        self._terms = Words(self.columns, "term")

    def find(self, path: bytes) -> int:
        """Local number of `path`, or -1."""
        if (column := self.columns.get("path_order")) is None:
            return self.paths.find(path)
        order = column.all()
        at = bisect_left(range(len(order)), path, key=lambda row: self.paths[int(order[row])])
        found = int(order[at]) if at < len(order) else -1
        return found if found >= 0 and self.paths[found] == path else -1

    def term_rows(self, term: bytes) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """(path number, count) rows of a term, by path number."""
        index = self._terms.find(term)
        if index < 0:
            return np.empty(0, np.int64), np.empty(0, np.uint8)
        start, end = self.columns["post_ends"].all()[index : index + 2].tolist()
        numbers = self.columns["post_path"].part(start, end).astype(np.int64) + self.base
        return numbers, self.columns["post_count"].part(start, end)

    def verify(self) -> None:
        """Check every page.

        Raises:
            Damaged: a checksum differs.
        """
        for column in self.columns.values():
            column.verify(0, column.size)
