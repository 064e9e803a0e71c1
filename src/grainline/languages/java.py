"""Java."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grainline.languages.base import Grammar, LanguageSpec
from grainline.model.symbol import Import

if TYPE_CHECKING:
    from tree_sitter import Language, Node

    from grainline.model.ir import FileIr

_TYPE = """[(type_identifier) @ref.{role} (generic_type (type_identifier) @ref.{role})
  (scoped_type_identifier (type_identifier) @ref.{role} .)]"""

_QUERY = f"""
(class_declaration name: (identifier) @name body: (_) @body) @class
(record_declaration name: (identifier) @name body: (_) @body) @class
(record_declaration parameters: (formal_parameters
  (formal_parameter name: (identifier) @name) @field))
(interface_declaration name: (identifier) @name body: (_) @body) @interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @interface
(enum_declaration name: (identifier) @name body: (_) @body) @enum
(enum_constant name: (identifier) @name) @enum_member
(method_declaration name: (identifier) @name) @method
(annotation_type_element_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name body: (_) @body) @constructor
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @constructor
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(method_declaration body: (block) @body)
(modifiers [(marker_annotation) (annotation)] @attribute)

[(line_comment) (block_comment)] @comment
(string_literal) @string
(import_declaration) @import

(method_invocation name: (identifier) @ref.call)
(object_creation_expression type: {_TYPE.format(role="call")})
(method_declaration type: {_TYPE.format(role="type")})
(field_declaration type: {_TYPE.format(role="type")})
(formal_parameter type: {_TYPE.format(role="type")})
(superclass {_TYPE.format(role="inherit")})
(super_interfaces (type_list {_TYPE.format(role="inherit")}))
(extends_interfaces (type_list {_TYPE.format(role="inherit")}))
(marker_annotation name: (identifier) @ref.decorate)
(annotation name: (identifier) @ref.decorate)
"""

_IMPORT = re.compile(rb"import\s+(?:static\s+)?([\w.$\x80-\xff\s]+?)\s*(\.\s*\*)?\s*;")


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    found = _IMPORT.search(text)
    if found is not None:
        path = b"".join(found[1].split()).decode("utf-8", "replace")
        module, _, name = (path, "", "*") if found[2] else path.rpartition(".")
        yield Import(start, start + len(text), module or name, name if module else "", "")


def _lower(root: Node, text: bytes, language: Language) -> FileIr:
    from grainline.languages.lowering.java import lower  # readers never lower

    return lower(root, text, language)


LANGUAGE = LanguageSpec(
    name="java",
    suffixes=(".java",),
    grammar=Grammar("tree_sitter_java"),
    query=_QUERY,
    definition_nodes=(
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "method_declaration",
    ),
    read_imports=_read_imports,
    lower=_lower,
)
