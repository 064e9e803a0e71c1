"""Ruby."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grainline.languages.base import (
    BOUND_KINDS,
    TYPE_KINDS,
    Grammar,
    LanguageSpec,
    Owner,
    keep_kind,
)
from grainline.languages.lowering.ruby import lower
from grainline.model.symbol import Import, SymbolKind

_QUERY = """
(module name: (constant) @name) @module
(module name: (scope_resolution scope: (_) @receiver name: (constant) @name)) @module
(class name: (constant) @name) @class
(class name: (scope_resolution scope: (_) @receiver name: (constant) @name)) @class
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(assignment left: (constant) @name) @constant
(program (assignment left: (global_variable) @name) @variable)
(class body: (body_statement) @body)
(module body: (body_statement) @body)
(method body: (_) @body)
(singleton_method body: (_) @body)

(comment) @comment
[(string) (heredoc_body) (regex) (subshell)] @string
(program (call !receiver method: (identifier) arguments: (argument_list (string))) @import.maybe)

(call method: [(identifier) (constant)] @ref.call)
(superclass [(constant) @ref.inherit (scope_resolution name: (constant) @ref.inherit)])
"""

_WORD = re.compile(rb"(?:require(?:_relative)?|load|autoload)\b[\s(:\w,]*(['\"])(.*?)\1")


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    if kind is SymbolKind.FUNCTION and owner.kind in _OWNERS:
        return SymbolKind.CONSTRUCTOR if name == "initialize" else SymbolKind.METHOD
    return keep_kind(kind, name, owner, head)


_OWNERS = TYPE_KINDS | {SymbolKind.MODULE}


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    found = _WORD.match(text)
    if found is not None:
        module = found[2].decode("utf-8", "replace")
        relative = text.startswith(b"require_relative") and not module.startswith(".")
        yield Import(start, start + len(text), f"./{module}" if relative else module, "", "")


LANGUAGE = LanguageSpec(
    name="ruby",
    suffixes=(".rb", ".rake", ".gemspec", ".ru", ".podspec", ".rbi"),
    file_names=(
        *("Rakefile", "Gemfile", "Guardfile", "Podfile", "Vagrantfile", "Fastfile", "Capfile"),
        *("Brewfile", "Dangerfile"),
    ),
    interpreters=("ruby", "jruby", "rake"),
    grammar=Grammar("tree_sitter_ruby"),
    query=_QUERY,
    definition_nodes=("class", "module", "method", "singleton_method"),
    refine=_refine,
    read_imports=_read_imports,
    import_marker=_WORD,
    rebinds=BOUND_KINDS,
    lower=lower,
)
