"""Rust."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grainline.languages.base import CALLABLE_KINDS, Grammar, LanguageSpec, Owner, keep_kind
from grainline.languages.lowering.rust import lower
from grainline.model.symbol import Import, SymbolKind

_TYPE = """[(type_identifier) @ref.{role} (generic_type type: (type_identifier) @ref.{role})
  (scoped_type_identifier name: (type_identifier) @ref.{role})
  (reference_type type: (type_identifier) @ref.{role})]"""

_QUERY = f"""
(function_item name: (identifier) @name body: (_) @body) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(struct_item body: (field_declaration_list) @body)
(field_declaration name: (field_identifier) @name) @field
(enum_item name: (type_identifier) @name body: (_) @body) @enum
(enum_variant name: (identifier) @name) @enum_member
(union_item name: (type_identifier) @name body: (_) @body) @union
(trait_item name: (type_identifier) @name body: (_) @body) @trait
(impl_item type: [(type_identifier) (primitive_type) (scoped_type_identifier)] @name) @scope
(impl_item type: (generic_type type: (_) @name)) @scope
(impl_item type: (reference_type type: (type_identifier) @name)) @scope
(mod_item name: (identifier) @name body: (_) @body) @namespace
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(macro_definition name: (identifier) @name (macro_rule) @body) @macro
(attribute_item) @attribute

[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal)] @string
[(use_declaration) (extern_crate_declaration)] @import

(call_expression function: [(identifier) @ref.call (scoped_identifier name: (_) @ref.call)
  (field_expression field: (field_identifier) @ref.call)
  (generic_function function: [(identifier) @ref.call (scoped_identifier name: (_) @ref.call)
    (field_expression field: (field_identifier) @ref.call)])])
(macro_invocation macro: [(identifier) @ref.call (scoped_identifier name: (_) @ref.call)])
(struct_expression name: (type_identifier) @ref.call)
(impl_item trait: {_TYPE.format(role="inherit")})
(trait_bounds {_TYPE.format(role="inherit")})
(parameter type: {_TYPE.format(role="type")})
(function_item return_type: {_TYPE.format(role="type")})
(field_declaration type: {_TYPE.format(role="type")})
(attribute (identifier) @ref.decorate)
"""


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    if kind is SymbolKind.CONSTANT and owner.kind in CALLABLE_KINDS:
        return None
    return keep_kind(kind, name, owner, head)


_HEAD = re.compile(rb"^(?:pub(?:\s*\([^)]*\))?\s+)?(?:use|extern\s+crate)\s+")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(r"[{},]|[^{},]+")


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    """The leaves of a use tree: `a::{b, c::{self, d as e}, f::*}`."""
    end = start + len(text)
    tree = _HEAD.sub(b"", _COMMENT.sub(b" ", text)).rstrip(b"; \t\r\n")
    prefixes: list[str] = [""]
    pending = ""
    for token in _TOKEN.findall(tree.decode("utf-8", "replace")):
        if token == "{":
            prefixes.append((prefixes[-1] + pending)[:_MAX_PATH])
            pending = ""
        elif token in ",}":
            yield from _leaf(prefixes[-1], pending, start, end)
            pending = ""
            if token == "}" and len(prefixes) > 1:
                prefixes.pop()
        else:
            pending = "".join(token.split()) if " as " not in token else " ".join(token.split())
    yield from _leaf(prefixes[-1], pending, start, end)


_MAX_PATH = 512


def _leaf(prefix: str, written: str, start: int, end: int) -> Iterator[Import]:
    if not written:
        return
    path, _, alias = (prefix + written).partition(" as ")
    module, _, name = path.removesuffix("::self").rpartition("::")
    yield Import(start, end, module or name, name if module else "", alias)


LANGUAGE = LanguageSpec(
    name="rust",
    suffixes=(".rs",),
    interpreters=("rust-script",),
    grammar=Grammar("tree_sitter_rust"),
    query=_QUERY,
    definition_nodes=("function_item", "struct_item", "enum_item", "trait_item"),
    refine=_refine,
    read_imports=_read_imports,
    lower=lower,
)
