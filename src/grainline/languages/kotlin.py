"""Kotlin, scripts included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grainline.languages.base import CALLABLE_KINDS, Grammar, LanguageSpec, Owner, keep_kind
from grainline.model.symbol import Import, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Language, Node

    from grainline.model.ir import FileIr

_PROPERTY = """(property_declaration [
  (variable_declaration (identifier) @name)
  (multi_variable_declaration (variable_declaration (identifier) @name))]) @variable"""
_TYPE = "(user_type (identifier) @ref.{role} .)"

_QUERY = f"""
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @class
(companion_object name: (identifier) @name) @class
(type_alias type: (identifier) @name) @type
(enum_entry (identifier) @name) @enum_member
(function_declaration name: (identifier) @name) @function
(function_declaration (user_type (identifier) @receiver) . "." . name: (identifier) @name) @function
(secondary_constructor "constructor" @name) @constructor
(class_parameter (identifier) @name) @field
(source_file {_PROPERTY})
(class_body {_PROPERTY})
(enum_class_body {_PROPERTY})
(modifiers (annotation) @attribute)
(class_declaration [(class_body) (enum_class_body)] @body)
(object_declaration (class_body) @body)
(function_declaration (function_body) @body)
(secondary_constructor (block) @body)

[(line_comment) (block_comment)] @comment
[(string_literal) (multiline_string_literal)] @string
(import) @import

(call_expression [(identifier) @ref.call (navigation_expression (identifier) @ref.call .)])
(constructor_invocation {_TYPE.format(role="call")})
(delegation_specifier {_TYPE.format(role="inherit")})
(delegation_specifier (constructor_invocation {_TYPE.format(role="inherit")}))
(annotation {_TYPE.format(role="decorate")})
(annotation (constructor_invocation {_TYPE.format(role="decorate")}))
(parameter {_TYPE.format(role="type")})
(class_parameter {_TYPE.format(role="type")})
(function_declaration {_TYPE.format(role="type")})
(variable_declaration {_TYPE.format(role="type")})
"""

_KEYWORD = re.compile(rb"\b(interface|enum)\b")
_BOUND = re.compile(rb"\b(?:val|var)\s*$")


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    if kind is SymbolKind.CLASS:
        found = _KEYWORD.search(head)
        return SymbolKind(found[1].decode()) if found else kind
    if kind is SymbolKind.FIELD and not _BOUND.search(head):
        return None
    if kind is SymbolKind.VARIABLE and owner.kind not in CALLABLE_KINDS and b"const" in head:
        return SymbolKind.CONSTANT
    return keep_kind(kind, name, owner, head)


_IMPORT = re.compile(rb"import\s+([\w.`\x80-\xff]+?)(\.\*)?(?:\s+as\s+([\w`\x80-\xff]+))?\s*;?\s*$")


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    found = _IMPORT.match(text.split(b"//")[0])
    if found is not None:
        path, alias = (word.decode("utf-8", "replace") for word in (found[1], found[3] or b""))
        module, _, name = (path, "", "*") if found[2] else path.rpartition(".")
        yield Import(start, start + len(text), module or name, name if module else "", alias)


def _lower(root: Node, text: bytes, language: Language) -> FileIr:
    from grainline.languages.lowering.kotlin import lower  # readers never lower

    return lower(root, text, language)


LANGUAGE = LanguageSpec(
    name="kotlin",
    suffixes=(".kt", ".kts"),
    interpreters=("kotlin", "kotlinc"),
    grammar=Grammar("tree_sitter_kotlin"),
    query=_QUERY,
    definition_nodes=("class_declaration", "object_declaration", "function_declaration"),
    refine=_refine,
    read_imports=_read_imports,
    lower=_lower,
)
