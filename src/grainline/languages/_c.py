"""What C and C++ share."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grainline.model.symbol import Import, SymbolKind


def declarator(name: str, *, initialised: bool) -> str:
    """Patterns of a value's declarator around the name node `name`."""
    inner = f"""{name} @name (pointer_declarator declarator: {name} @name)
    (array_declarator declarator: {name} @name)
    (pointer_declarator declarator: (array_declarator declarator: {name} @name))
    (pointer_declarator declarator: (pointer_declarator declarator: {name} @name))
    (array_declarator declarator: (array_declarator declarator: {name} @name))
    (function_declarator declarator: (parenthesized_declarator
      (pointer_declarator declarator: {name} @name)))"""
    return f"[{inner} (init_declarator declarator: [{inner}])]" if initialised else f"[{inner}]"


FUNCTION = """[(function_declarator)
    (pointer_declarator declarator: (function_declarator))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator)))]"""
"""What declares a function, without its name: patterns multiply, and compiling them costs."""

PLACES = (
    "translation_unit",
    "declaration_list",
    "preproc_ifdef",
    "preproc_if",
    "preproc_else",
    "preproc_elif",
)
"""Where declarations are global."""


def anywhere(pattern: str, containers: tuple[str, ...]) -> str:
    """`pattern` directly inside any of `containers`: never inside a function's body."""
    return "\n".join(f"({container} {pattern})" for container in containers)


QUERY = f"""
(function_definition) @function
(function_definition body: (compound_statement) @body)
(declaration declarator: {FUNCTION}) @function
(declaration declarator: {declarator("(identifier)", initialised=True)})
(struct_specifier name: (type_identifier) @name body: (_) @body) @struct
(union_specifier name: (type_identifier) @name body: (_) @body) @union
(enum_specifier name: (type_identifier) @name body: (_) @body) @enum
(enumerator name: (identifier) @name) @enum_member
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @macro
(field_declaration declarator: {declarator("(field_identifier)", initialised=False)}) @field

(type_definition type: [(primitive_type) (type_identifier) (sized_type_specifier)
    (struct_specifier !body) (struct_specifier !name) (union_specifier !body)
    (union_specifier !name) (enum_specifier !body) (enum_specifier !name)]
  declarator: [(type_identifier) @name (primitive_type) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (parenthesized_declarator
      (pointer_declarator declarator: (type_identifier) @name)))]) @type
(type_definition type: [(struct_specifier name: (_) body: (_)) (union_specifier name: (_) body: (_))
    (enum_specifier name: (_) body: (_))]
  declarator: (type_identifier) @name @type)
(struct_specifier !name body: (_) @body)
(union_specifier !name body: (_) @body)
(enum_specifier !name body: (_) @body)

(comment) @comment
[(string_literal) (system_lib_string)] @string
(preproc_include) @import

(call_expression function: [(identifier) @ref.call
  (field_expression field: (field_identifier) @ref.call)])
(parameter_declaration type: (type_identifier) @ref.type)
(field_declaration type: (type_identifier) @ref.type)
(function_definition type: (type_identifier) @ref.type)
"""

TYPE_REBINDS = frozenset({SymbolKind.TYPE})
"""`typedef struct N {...} N;` is one symbol, the struct."""

_INCLUDE = re.compile(rb"#\s*(?:include|include_next|import)\s*(?:<([^>\n]+)>|\"([^\"\n]+)\")")


def read_imports(text: bytes, start: int) -> Iterator[Import]:
    """`#include`; system headers keep their angle brackets."""
    found = _INCLUDE.match(text)
    if found is not None:
        system, local = (word and word.decode("utf-8", "replace") for word in found.groups())
        module = f"<{system}>" if system else str(local)
        yield Import(start, start + len(text.rstrip()), module, "", "")
