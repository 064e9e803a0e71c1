"""C++."""

from __future__ import annotations

from grainline.languages import _c as shared
from grainline.languages._cpp_macros import without_macros
from grainline.languages._cpp_torn import without_torn
from grainline.languages.base import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Grammar,
    LanguageSpec,
    Owner,
    keep_kind,
)
from grainline.languages.lowering.cpp import lower
from grainline.model.symbol import SymbolKind

_PLACES = (*shared.PLACES, "template_declaration", "field_declaration_list")
_SCOPE = "scope: [(namespace_identifier) (template_type)] @receiver"
_LEAF = "name: [(identifier) (destructor_name) (operator_name)] @name"
_TYPE = """[(type_identifier) @ref.{role} (template_type name: (type_identifier) @ref.{role})
  (qualified_identifier name: (type_identifier) @ref.{role})
  (qualified_identifier name: (template_type name: (type_identifier) @ref.{role}))]"""

_QUERY = f"""
(function_declarator declarator:
  [(identifier) (field_identifier) (destructor_name) (operator_name)] @name)
(function_declarator declarator: (qualified_identifier {_SCOPE} {_LEAF}))
(function_declarator declarator: (qualified_identifier {_SCOPE}
  name: (qualified_identifier {_SCOPE} {_LEAF})))
(function_declarator declarator: (qualified_identifier {_SCOPE}
  name: (qualified_identifier {_SCOPE} name: (qualified_identifier {_SCOPE} {_LEAF}))))
(function_definition declarator: (operator_cast "operator" @name))
(declaration declarator: (operator_cast "operator" @name)) @function
(declaration declarator: (reference_declarator (function_declarator))) @function
(field_declaration declarator: {shared.FUNCTION}) @method
(field_declaration declarator: (reference_declarator (function_declarator))) @method
(lambda_expression body: (_) @body)
{shared.anywhere("(declaration) @variable", _PLACES)}

(class_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)
  (qualified_identifier name: (type_identifier) @name)] body: (_) @body) @class
(struct_specifier name: [(template_type name: (type_identifier) @name)
  (qualified_identifier name: (type_identifier) @name)] body: (_) @body) @struct
(namespace_definition name: (_) @name body: (_) @body) @namespace
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(template_declaration) @outer
(attribute_declaration) @attribute
(raw_string_literal) @string

(call_expression function: [(qualified_identifier name: (identifier) @ref.call)
  (template_function name: (identifier) @ref.call)
  (qualified_identifier name: (template_function name: (identifier) @ref.call))
  (qualified_identifier name: (qualified_identifier name: (identifier) @ref.call))
  (field_expression field: (template_method name: (field_identifier) @ref.call))])
(new_expression type: {_TYPE.format(role="call")})
(base_class_clause {_TYPE.format(role="inherit")})
(parameter_declaration type: {_TYPE.format(role="type")})
{shared.QUERY}
"""


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    if kind in CALLABLE_KINDS and owner.kind in TYPE_KINDS and name == owner.name:
        return SymbolKind.CONSTRUCTOR
    return keep_kind(kind, name, owner, head)


def _prepared(text: bytes) -> bytes:
    return without_torn(without_macros(text))


LANGUAGE = LanguageSpec(
    name="cpp",
    suffixes=(
        *(".cc", ".cpp", ".cxx", ".c++", ".C", ".hh", ".hpp", ".hxx", ".h++", ".H"),
        *(".ipp", ".inl", ".tpp", ".txx", ".cu", ".cuh", ".ino"),
    ),
    interpreters=("c++",),
    grammar=Grammar("tree_sitter_cpp"),
    query=_QUERY,
    definition_nodes=("function_definition", "preproc_function_def"),
    refine=_refine,
    read_imports=shared.read_imports,
    lower=lower,
    prepare=_prepared,
    rebinds=shared.TYPE_REBINDS,
)
