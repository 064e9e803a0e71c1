"""All that a corpus says of its scope, by content instead of by number."""

from __future__ import annotations

from grainline.storage.corpus import ScopedCorpus

MANY = 1 << 20


def facts(corpus: ScopedCorpus) -> dict[str, object]:
    """Statistics, postings, paths, symbols and texts; equal for equal scopes of any two stores."""
    texts = {}
    for doc in range(corpus.n_docs):
        place = corpus.entries_of(doc)[0]
        texts[doc] = corpus.text(place.entry)[place.start : place.end]
    terms = corpus.terms_containing(b"", limit=MANY)
    paths = [corpus.path(entry) for entry in range(corpus.n_entries)]
    words = sorted({word for path in paths for word in path.replace(b"/", b".").split(b".")})
    return {
        "docs": corpus.n_docs,
        "entries": paths,
        "totals": corpus.field_totals.tolist(),
        "terms": terms,
        "symbols": [
            (name, [corpus.path(hit.entry) for hit in corpus.symbols_named(name)])
            for name in corpus.symbol_names()
        ],
        "postings": [
            sorted((texts[d], cell) for d, cell in zip(*map(list, corpus.postings(t)), strict=True))
            for t in terms
        ],
        "path postings": [
            [paths[entry] for entry in corpus.path_postings(word).entries.tolist()]
            for word in words
        ],
        "texts": sorted(texts.values()),
        "languages": [corpus.language(entry) for entry in range(corpus.n_entries)],
    }
