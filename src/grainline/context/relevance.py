"""How much a piece of text has to do with the question: distinct question terms, rare ones more."""

from __future__ import annotations

import math
from functools import lru_cache

from grainline.storage.base import Corpus
from grainline.text.glossary import translate
from grainline.text.identifiers import token_terms
from grainline.text.tokens import TOKEN, query_terms

MAX_TERMS = 64  # of one question; issues of many thousand characters repeat themselves


class Relevance:
    """Term weights of one question inside one scope, in (0, 1], summing to 1 (or no terms)."""

    __slots__ = ("weights",)

    def __init__(self, weights: dict[bytes, float]) -> None:
        self.weights = weights

    @classmethod
    def of(cls, corpus: Corpus, query: str) -> Relevance:
        """Weights by inverse document frequency inside the scope of `corpus`."""
        raw: dict[bytes, float] = {}
        translated = " ".join(word for found in translate(query) for word in found.words)
        for row in query_terms(f"{query} {translated}")[:MAX_TERMS]:
            docs = len(set(corpus.postings(row.term).docs.tolist()))
            raw[row.term] = math.log(1.0 + (corpus.n_docs + 1.0) / (docs + 1.0))
        total = sum(raw.values())
        return cls({term: weight / total for term, weight in raw.items()} if total else {})

    def terms_in(self, text: str) -> frozenset[bytes]:
        """The question terms that `text` holds."""
        if not self.weights:
            return frozenset()
        found: set[bytes] = set()
        for token in set(TOKEN.findall(text.encode("utf-8", "replace"))):
            found.update(term for term in _terms(token) if term in self.weights)
        return frozenset(found)

    def share(self, text: str) -> float:
        """Weight of the question terms that `text` holds, in [0, 1]."""
        return sum(self.weights[term] for term in sorted(self.terms_in(text)))


@lru_cache(maxsize=65536)
def _terms(token: bytes) -> tuple[bytes, ...]:
    return tuple(term.text for term in token_terms(token))
