"""Tier `exact`: edges from SCIP indexes and language servers, compared with our own.

    index = scip.read(data)                          # bytes of index.scip -> Index or Problem
    found = precise.edges(index, files, known)       # -> Precise: edges, comparison, reading
    answers = lsp.ask(server, files, sites, limits)  # -> Answers: asked once, in a sidecar
    found = lsp.edges(answers, files, known)         # the same comparison
    both = precise.merge(known, found.edges)         # one graph

`files` are `File(path, text, facts)` values of one snapshot, `known` the edges of the resolver.
Everything but `lsp.ask` is pure. `Precise.consumed` lists what the source has seen: its edges
may serve only a scope that may read all of it.
"""

from grainline.precise.compare import Comparison, Contradiction
from grainline.precise.files import File
from grainline.precise.matching import Precise, edges, merge

__all__ = ["Comparison", "Contradiction", "File", "Precise", "edges", "merge"]
