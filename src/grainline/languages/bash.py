"""Bash and the other Bourne shells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grainline.languages.base import BOUND_KINDS, Grammar, LanguageSpec
from grainline.model.symbol import Import

_QUERY = """
(function_definition name: (word) @name body: (_) @body) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @variable))
(declaration_command) @outer.single

(comment) @comment
[(string) (raw_string) (ansi_c_string) (heredoc_body)] @string
(program (command name: (command_name (word)) argument: (_)) @import.maybe)

(command name: (command_name (word) @ref.call))
"""

_SOURCE = re.compile(rb"(?:source|\.)[ \t]+(\"[^\"]*\"|'[^']*'|\S+)")


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    found = _SOURCE.match(text)
    if found is not None:
        module = found[1].strip(b"'\"").decode("utf-8", "replace")
        yield Import(start, start + len(text), module, "", "")


LANGUAGE = LanguageSpec(
    name="bash",
    suffixes=(".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild", ".command"),
    file_names=(
        *(".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zprofile"),
        *("PKGBUILD", "APKBUILD", "gradlew"),
    ),
    interpreters=("bash", "sh", "zsh", "ksh", "dash", "ash", "mksh", "bats"),
    grammar=Grammar("tree_sitter_bash"),
    query=_QUERY,
    definition_nodes=("function_definition",),
    read_imports=_read_imports,
    import_marker=re.compile(rb"(?:source|\.)[ \t]"),
    rebinds=BOUND_KINDS,
)
