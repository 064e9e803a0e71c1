"""PHP, with the HTML around it."""

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
from grainline.languages.lowering.php import lower
from grainline.model.symbol import Import, SymbolKind

_NAME = """[(name) @ref.{role} (qualified_name (name) @ref.{role} .)]"""

_QUERY = f"""
(namespace_definition name: (_) @name body: (_) @body) @namespace
(class_declaration name: (name) @name body: (_) @body) @class
(interface_declaration name: (name) @name body: (_) @body) @interface
(trait_declaration name: (name) @name body: (_) @body) @trait
(enum_declaration name: (name) @name body: (_) @body) @enum
(enum_case name: (name) @name) @enum_member
(function_definition name: (name) @name body: (_) @body) @function
(method_declaration name: (name) @name) @method
(method_declaration body: (_) @body)
(const_declaration (const_element (name) @name .)) @constant
(const_declaration (const_element . (name) @name)) @constant
(property_declaration (property_element name: (variable_name (name) @name))) @field
(property_promotion_parameter name: (variable_name (name) @name)) @field
(program (expression_statement
  (assignment_expression left: (variable_name (name) @name)) @variable))
(attribute_list) @attribute

(comment) @comment
[(string) (encapsed_string) (heredoc) (nowdoc) (shell_command_expression)] @string
(namespace_use_declaration) @import
(program (expression_statement
  [(require_once_expression) (require_expression) (include_expression)
   (include_once_expression)]) @import)

(function_call_expression function: {_NAME.format(role="call")})
(member_call_expression name: (name) @ref.call)
(nullsafe_member_call_expression name: (name) @ref.call)
(scoped_call_expression name: (name) @ref.call)
(object_creation_expression {_NAME.format(role="call")})
(base_clause {_NAME.format(role="inherit")})
(class_interface_clause {_NAME.format(role="inherit")})
(use_declaration {_NAME.format(role="inherit")})
(attribute {_NAME.format(role="decorate")})
(named_type {_NAME.format(role="type")})
"""


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    if kind is SymbolKind.METHOD and owner.kind in TYPE_KINDS and name == "__construct":
        return SymbolKind.CONSTRUCTOR
    if kind is SymbolKind.FIELD and owner.kind is SymbolKind.CONSTRUCTOR:
        return kind
    return keep_kind(kind, name, owner, head)


_INCLUDED = re.compile(rb"(?:require|include)(?:_once)?\b[^'\"]*(['\"])(.*?)\1")
_USE = re.compile(rb"use\s+(?:function\s+|const\s+)?([^;]*)", re.IGNORECASE)
_GROUP = re.compile(rb"([^{]*?)\\?\s*\{([^}]*)\}", re.DOTALL)
_CLAUSE = re.compile(
    rb"(?:function\s+|const\s+)?\\?([\w\\\x80-\xff]+)(?:\s+as\s+([\w\x80-\xff]+))?", re.IGNORECASE
)


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    end = start + len(text)
    included = _INCLUDED.match(text)
    if included is not None:
        yield Import(start, end, _decode(included[2]), "", "")
        return
    used = _USE.match(text)
    if used is None:
        return
    group = _GROUP.match(used[1])
    prefix, clauses = (group[1].strip(b" \\\r\n\t"), group[2]) if group else (b"", used[1])
    for path, alias in _CLAUSE.findall(clauses):
        full = prefix + b"\\" + path if prefix else path
        module, _, name = _decode(full).rpartition("\\")
        yield Import(start, end, module or name, name if module else "", _decode(alias))


def _decode(word: bytes) -> str:
    return word.decode("utf-8", "replace")


LANGUAGE = LanguageSpec(
    name="php",
    suffixes=(".php", ".phtml", ".php5", ".phps", ".inc.php"),
    interpreters=("php",),
    grammar=Grammar("tree_sitter_php", "language_php"),
    query=_QUERY,
    definition_nodes=("function_definition", "class_declaration", "method_declaration"),
    refine=_refine,
    read_imports=_read_imports,
    receiver_separators=r"\\|::",
    rebinds=BOUND_KINDS,
    lower=lower,
)
