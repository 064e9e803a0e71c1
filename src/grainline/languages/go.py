"""Go."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grainline.languages.base import CALLABLE_KINDS, Grammar, LanguageSpec, Owner
from grainline.languages.lowering.go import lower
from grainline.model.symbol import Import, SymbolKind

_TYPE = """[(type_identifier) @ref.type (pointer_type (type_identifier) @ref.type)
  (slice_type (type_identifier) @ref.type) (qualified_type name: (type_identifier) @ref.type)
  (pointer_type (qualified_type name: (type_identifier) @ref.type))]"""

_QUERY = f"""
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @receiver
    (pointer_type (type_identifier) @receiver)
    (generic_type type: (type_identifier) @receiver)
    (pointer_type (generic_type type: (type_identifier) @receiver))]))
  name: (field_identifier) @name) @method
(function_declaration body: (block) @body)
(method_declaration body: (block) @body)

(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(source_file (type_declaration (type_spec (struct_type (field_declaration_list
  (field_declaration name: (field_identifier) @name) @field)))))
(type_spec (interface_type (method_elem name: (field_identifier) @name) @method))
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
(type_declaration) @outer.single
(const_declaration) @outer.single
(source_file (var_declaration) @outer.single)

(comment) @comment
[(interpreted_string_literal) (raw_string_literal)] @string
(import_declaration) @import

(call_expression function: [(identifier) @ref.call
  (selector_expression field: (field_identifier) @ref.call)])
(parameter_declaration type: {_TYPE})
(field_declaration type: {_TYPE})
(composite_literal type: {_TYPE})
(field_declaration_list (field_declaration !name type: [(type_identifier) @ref.inherit
  (pointer_type (type_identifier) @ref.inherit)]))
"""


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    """Capitals mean exported, not constant."""
    del name, head
    return None if kind is SymbolKind.FIELD and owner.kind in CALLABLE_KINDS else kind


_SPEC = re.compile(
    rb"""(?:^|[\s(;])(?:([\w.\x80-\xff]+)[ \t]+)?(?:"([^"\n]*)"|`([^`]*)`)""", re.MULTILINE
)
_COMMENT = re.compile(rb"/\*.*?\*/|(?:(?<=[\s;\"`(]))//[^\n]*", re.DOTALL)


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    end = start + len(text)
    for alias, quoted, raw in _SPEC.findall(_COMMENT.sub(b" ", text)):
        module = (quoted or raw).decode("utf-8", "replace")
        word = "" if alias == b"import" else alias.decode("utf-8", "replace")
        yield Import(start, end, module, "*" if word == "." else "", word if word != "." else "")


LANGUAGE = LanguageSpec(
    name="go",
    suffixes=(".go",),
    grammar=Grammar("tree_sitter_go"),
    query=_QUERY,
    definition_nodes=("function_declaration", "method_declaration", "type_spec"),
    refine=_refine,
    read_imports=_read_imports,
    lower=lower,
)
