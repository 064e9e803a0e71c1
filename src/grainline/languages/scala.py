"""Scala 2 and 3."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grainline.languages.base import TYPE_KINDS, Grammar, LanguageSpec, Owner, keep_kind
from grainline.model.symbol import Import, SymbolKind

_VALUE = """[(val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)
  (val_declaration name: (identifier) @name)
  (var_declaration name: (identifier) @name)
  (val_definition pattern: (tuple_pattern (identifier) @name))] @variable"""
_TYPE = """[(type_identifier) @ref.{role} (generic_type type: (type_identifier) @ref.{role})]"""

_QUERY = f"""
(class_definition name: (identifier) @name) @class
(object_definition name: (identifier) @name) @module
(package_object name: (identifier) @name) @module
(trait_definition name: (identifier) @name) @trait
(enum_definition name: (identifier) @name) @enum
(simple_enum_case name: (identifier) @name) @enum_member
(full_enum_case name: (identifier) @name) @enum_member
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(function_definition body: (_) @body)
(given_definition name: (identifier) @name) @variable
(type_definition name: (type_identifier) @name) @type
(compilation_unit {_VALUE})
(template_body {_VALUE})
(enum_body {_VALUE})
(class_parameter name: (identifier) @name) @field
[(template_body) (enum_body)] @body
(annotation) @attribute

[(comment) (block_comment)] @comment
[(string) (interpolated_string_expression)] @string
(import_declaration) @import

(call_expression function: [(identifier) @ref.call
  (field_expression field: (identifier) @ref.call)
  (generic_function function: [(identifier) @ref.call
    (field_expression field: (identifier) @ref.call)])])
(instance_expression {_TYPE.format(role="call")})
(extends_clause type: {_TYPE.format(role="inherit")})
(annotation name: (type_identifier) @ref.decorate)
(parameter type: {_TYPE.format(role="type")})
(class_parameter type: {_TYPE.format(role="type")})
(function_definition return_type: {_TYPE.format(role="type")})
"""

_OWNERS = TYPE_KINDS | {SymbolKind.MODULE}
_BOUND = re.compile(rb"\b(?:val|var)\s*$")


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    if kind is SymbolKind.FUNCTION and owner.kind in _OWNERS:
        return SymbolKind.CONSTRUCTOR if name == "this" else SymbolKind.METHOD
    if kind is SymbolKind.FIELD and not _BOUND.search(head):
        return None
    if kind is SymbolKind.VARIABLE and owner.kind is SymbolKind.MODULE:
        kind = SymbolKind.FIELD
    return keep_kind(kind, name, owner, head)


_SELECTORS = re.compile(rb"([^{]*?)\.?\s*\{([^}]*)\}", re.DOTALL)
_MEMBER = re.compile(rb"([\w$*\x80-\xff]+)(?:\s*(?:=>|\bas\b)\s*([\w$\x80-\xff]+))?")


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    end = start + len(text)
    clause = text.removeprefix(b"import").strip()
    found = _SELECTORS.match(clause)
    if found is not None:
        module = b"".join(found[1].split()).decode("utf-8", "replace")
        for name, alias in _MEMBER.findall(found[2]):
            yield Import(start, end, module, _member(name), alias.decode("utf-8", "replace"))
        return
    for path in clause.split(b","):
        whole, _, alias = path.strip().partition(b" as ")
        module, _, last = b"".join(whole.split()).decode("utf-8", "replace").rpartition(".")
        name = _member(last.encode())
        yield Import(start, end, module or name, name if module else "", alias.strip().decode())


def _member(name: bytes) -> str:
    return "*" if name == b"_" else name.decode("utf-8", "replace")


LANGUAGE = LanguageSpec(
    name="scala",
    suffixes=(".scala", ".sc", ".sbt"),
    interpreters=("scala", "amm"),
    grammar=Grammar("tree_sitter_scala"),
    query=_QUERY,
    definition_nodes=(
        "class_definition",
        "object_definition",
        "trait_definition",
        "function_definition",
    ),
    refine=_refine,
    read_imports=_read_imports,
)
