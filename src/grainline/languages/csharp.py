"""C#."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grainline.languages.base import BOUND_KINDS, CALLABLE_KINDS, Grammar, LanguageSpec, Owner
from grainline.model.symbol import Import, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Language, Node

    from grainline.model.ir import FileIr

_TYPE = """[(identifier) @ref.{role} (generic_name (identifier) @ref.{role})
  (qualified_name name: (identifier) @ref.{role})
  (nullable_type type: (identifier) @ref.{role})]"""

_QUERY = f"""
(namespace_declaration name: (_) @name body: (_) @body) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_member_declaration name: (identifier) @name) @enum_member
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(local_function_statement name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @constructor
(destructor_declaration name: (identifier) @name) @method
(property_declaration name: (identifier) @name) @property
(event_declaration name: (identifier) @name) @property
(indexer_declaration "this" @name) @property
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @field
(attribute_list) @attribute
[(declaration_list) (enum_member_declaration_list) (accessor_list)] @body
[(block) (arrow_expression_clause)] @body

(comment) @comment
[(string_literal) (verbatim_string_literal) (raw_string_literal)
 (interpolated_string_expression)] @string
(using_directive) @import

(invocation_expression function: [(identifier) @ref.call
  (generic_name (identifier) @ref.call)
  (member_access_expression name: [(identifier) @ref.call (generic_name (identifier) @ref.call)])
  (conditional_access_expression (member_binding_expression name: (identifier) @ref.call))])
(object_creation_expression type: {_TYPE.format(role="call")})
(base_list {_TYPE.format(role="inherit")})
(attribute name: (identifier) @ref.decorate)
(parameter type: {_TYPE.format(role="type")})
(method_declaration returns: {_TYPE.format(role="type")})
(property_declaration type: {_TYPE.format(role="type")})
(field_declaration (variable_declaration type: {_TYPE.format(role="type")}))
"""


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    """C# names constants like properties: only `const` says so."""
    del name
    if kind is SymbolKind.FIELD and _CONSTANT.search(head):
        return SymbolKind.CONSTANT
    return None if kind in BOUND_KINDS and owner.kind in CALLABLE_KINDS else kind


_CONSTANT = re.compile(rb"\bconst\b|\bstatic\s+readonly\b|\breadonly\s+static\b")
_USING = re.compile(
    rb"(?:global\s+)?using\s+(static\s+)?(?:([\w@\x80-\xff]+)\s*=\s*)?([^;]+?)\s*(?:;|$)"
)


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    found = _USING.match(text)
    if found is not None:
        module = b"".join(found[3].split()).decode("utf-8", "replace")
        alias = (found[2] or b"").decode("utf-8", "replace")
        yield Import(start, start + len(text), module, "*" if found[1] else "", alias)


def _lower(root: Node, text: bytes, language: Language) -> FileIr:
    from grainline.languages.lowering.csharp import lower  # readers never lower

    return lower(root, text, language)


LANGUAGE = LanguageSpec(
    name="csharp",
    suffixes=(".cs", ".csx"),
    interpreters=("dotnet-script", "csharp"),
    grammar=Grammar("tree_sitter_c_sharp"),
    query=_QUERY,
    definition_nodes=(
        "class_declaration",
        "interface_declaration",
        "struct_declaration",
        "enum_declaration",
        "method_declaration",
    ),
    refine=_refine,
    read_imports=_read_imports,
    lower=_lower,
)
