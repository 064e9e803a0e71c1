"""Swift."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grainline.languages.base import Grammar, LanguageSpec, Owner, keep_kind
from grainline.model.symbol import Import, SymbolKind

_PROPERTY = """(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @variable"""
_TYPE = "(user_type (type_identifier) @ref.{role} .)"

_QUERY = f"""
(class_declaration name: (type_identifier) @name body: (_) @body) @class
(class_declaration name: (user_type) @name) @scope
(protocol_declaration name: (type_identifier) @name body: (_) @body) @interface
(enum_entry name: (simple_identifier) @name) @enum_member
(function_declaration name: (simple_identifier) @name) @function
(function_body) @body
(protocol_function_declaration name: (simple_identifier) @name) @method
(init_declaration "init" @name) @constructor
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(computed_property) @body
(typealias_declaration name: (type_identifier) @name) @type
(associatedtype_declaration name: (type_identifier) @name) @type
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @property
(source_file {_PROPERTY})
(class_body {_PROPERTY})
(enum_class_body {_PROPERTY})
(modifiers (attribute) @attribute)

[(comment) (multiline_comment)] @comment
[(line_string_literal) (multi_line_string_literal) (raw_string_literal)] @string
(import_declaration) @import

(call_expression [(simple_identifier) @ref.call
  (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @ref.call))])
(inheritance_specifier inherits_from: {_TYPE.format(role="inherit")})
(attribute {_TYPE.format(role="decorate")})
(parameter {_TYPE.format(role="type")})
(type_annotation {_TYPE.format(role="type")})
"""

_KEYWORD = re.compile(rb"\b(struct|enum|class|actor)\s+$")


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    if kind is SymbolKind.CLASS:
        found = _KEYWORD.search(head)
        word = found[1] if found else b"class"
        return SymbolKind(word.decode()) if word in {b"struct", b"enum"} else kind
    return keep_kind(kind, name, owner, head)


_IMPORT = re.compile(
    rb"import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?([\w.\x80-\xff]+)"
)


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    found = _IMPORT.search(text)
    if found is not None:
        yield Import(start, start + len(text), found[1].decode("utf-8", "replace"), "", "")


LANGUAGE = LanguageSpec(
    name="swift",
    suffixes=(".swift", ".swiftinterface"),
    interpreters=("swift",),
    grammar=Grammar("tree_sitter_swift"),
    query=_QUERY,
    definition_nodes=("class_declaration", "protocol_declaration", "function_declaration"),
    refine=_refine,
    read_imports=_read_imports,
)
