"""What TypeScript and TSX share."""

from __future__ import annotations

from grainline.languages import _javascript as shared

_MEMBER = """
(abstract_class_declaration name: (_) @name) @class
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @field
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @method
"""

_EXTRA = """
(function_signature name: (identifier) @name) @function
(method_signature name: (property_identifier) @name) @method
(abstract_method_signature name: (property_identifier) @name) @method
(interface_declaration name: (type_identifier) @name body: (_) @body) @interface
(interface_body (property_signature name: (property_identifier) @name) @field)
(enum_declaration name: (identifier) @name body: (_) @body) @enum
(enum_body name: (property_identifier) @name @enum_member)
(enum_body (enum_assignment name: (property_identifier) @name) @enum_member)
(type_alias_declaration name: (type_identifier) @name) @type
(internal_module name: [(identifier) (nested_identifier)] @name) @namespace
(module name: [(identifier) (nested_identifier)] @name) @namespace
(ambient_declaration) @outer

(class_heritage (extends_clause value: [(identifier) @ref.inherit
  (member_expression property: (property_identifier) @ref.inherit)]))
(implements_clause [(type_identifier) @ref.inherit
  (generic_type name: (type_identifier) @ref.inherit)])
(extends_type_clause [(type_identifier) @ref.inherit
  (generic_type name: (type_identifier) @ref.inherit)])
(type_annotation [(type_identifier) @ref.type (generic_type name: (type_identifier) @ref.type)
  (array_type (type_identifier) @ref.type) (union_type (type_identifier) @ref.type)])
(type_arguments (type_identifier) @ref.type)
(import_require_clause) @import
"""

QUERY = shared.query(member=_MEMBER, extra=_EXTRA)
DEFINITION_NODES = (
    "function_declaration",
    "class_declaration",
    "method_definition",
    "interface_declaration",
    "enum_declaration",
    "type_alias_declaration",
)
