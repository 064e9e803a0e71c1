"""JSON: the keys of the upper levels."""

from __future__ import annotations

from grainline.languages.base import Grammar, LanguageSpec, as_captured

_PAIR = "(pair key: (string (string_content) @name)) @key"

_QUERY = f"""
(document (object {_PAIR}))
(document (object (pair value: (object {_PAIR}))))
(document (object (pair value: (object (pair value: (object {_PAIR}))))))
(comment) @comment
(pair value: (string) @string)
(array (string) @string)
"""

LANGUAGE = LanguageSpec(
    name="json",
    suffixes=(
        *(".json", ".jsonc", ".json5", ".geojson", ".webmanifest", ".code-workspace", ".ipynb"),
        *(".jsonld", ".har", ".avsc"),
    ),
    file_names=(".babelrc", ".eslintrc", ".prettierrc", "composer.lock", "Pipfile.lock"),
    grammar=Grammar("tree_sitter_json"),
    query=_QUERY,
    refine=as_captured,
)
