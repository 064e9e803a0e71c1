"""TypeScript with JSX."""

from __future__ import annotations

from grainline.languages import _javascript, _typescript
from grainline.languages.base import BOUND_KINDS, Grammar, LanguageSpec

LANGUAGE = LanguageSpec(
    name="tsx",
    suffixes=(".tsx",),
    grammar=Grammar("tree_sitter_typescript", "language_tsx"),
    query=_typescript.QUERY,
    definition_nodes=_typescript.DEFINITION_NODES,
    refine=_javascript.refine,
    read_imports=_javascript.read_imports,
    rebinds=BOUND_KINDS,
    import_marker=_javascript.IMPORT_MARKER,
    receiver_separators=_javascript.RECEIVER_SEPARATORS,
    lower=_javascript.lower,
    ignored_receivers=_javascript.IGNORED_RECEIVERS,
)
