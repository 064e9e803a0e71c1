"""What JavaScript, TypeScript and TSX share: one family of grammars."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grainline.languages.base import TYPE_KINDS, Owner, keep_kind
from grainline.model.symbol import Import, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Language, Node

    from grainline.model.ir import FileIr

_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"
_BINDING = "[(lexical_declaration) (variable_declaration)]"


def query(*, member: str, extra: str) -> str:
    """The query of a dialect: `member` is its node of a class field, `extra` more patterns."""
    return f"""
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @method
(class_declaration name: (_) @name) @class
{member}

(variable_declarator name: (identifier) @name value: {_FUNCTION}) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (lexical_declaration
  (variable_declarator name: (identifier) @name) @variable)))

(pair key: [(property_identifier) @name (string (string_fragment) @name)]
  value: {_FUNCTION}) @method
(assignment_expression left: (member_expression
  object: [(identifier) (member_expression)] @receiver
  property: (property_identifier) @name) right: {_FUNCTION}) @function
(assignment_expression left: (member_expression
  object: [(identifier) (member_expression)] @receiver
  property: (property_identifier) @name) right: (class)) @class
(assignment_expression left: (member_expression object: (this)
  property: (property_identifier) @name) right: {_FUNCTION}) @function
(export_statement "default" @name value: {_FUNCTION}) @function
(export_statement "default" @name value: (class)) @class

(export_statement declaration: (_)) @outer
(lexical_declaration) @outer.single
(variable_declaration) @outer.single
(program (expression_statement (assignment_expression)) @outer.single)
(decorator) @attribute

(statement_block) @body
(class_body) @body
(arrow_function body: (_) @body)

(comment) @comment
[(string) (template_string) (regex)] @string
(import_statement) @import
(export_statement source: (string)) @import
(program (lexical_declaration (variable_declarator
  value: [(call_expression) (member_expression object: (call_expression))])) @import.maybe)
(program (variable_declaration (variable_declarator
  value: [(call_expression) (member_expression object: (call_expression))])) @import.maybe)
(program (expression_statement (call_expression function: (identifier))) @import.maybe)

(call_expression function: [(identifier) @ref.call
  (member_expression property: (_) @ref.call)])
(new_expression constructor: [(identifier) @ref.call
  (member_expression property: (_) @ref.call)])
(decorator [(identifier) @ref.decorate
  (call_expression function: (identifier) @ref.decorate)
  (call_expression function: (member_expression property: (_) @ref.decorate))])
{extra}
"""


def refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    """`constructor` is one; a function that a type owns is a method."""
    if kind is SymbolKind.METHOD:
        if name == "constructor" and owner.kind in TYPE_KINDS:
            return SymbolKind.CONSTRUCTOR
        if _ACCESSOR.search(head):
            return SymbolKind.PROPERTY
    return keep_kind(kind, name, owner, head)


_ACCESSOR = re.compile(rb"\b[gs]et\s+$")
_NAME = rb"[\w$\x80-\xff]+"
_MODULE = re.compile(rb"""(?:\bfrom\s*|\brequire\s*\(\s*|\bimport\s*)(['"])(.*?)\1""", re.DOTALL)
_COMMENT = re.compile(rb"/\*.*?\*/|(?<![:'\"\w/])//[^\n]*", re.DOTALL)
_BRACES = re.compile(rb"\{([^}]*)\}")
_MEMBER = re.compile(rb"(?:\btype\s+)?(" + _NAME + rb")(?:\s*(?:\bas\b|:)\s*(" + _NAME + rb"))?")
_STAR = re.compile(rb"\*\s*(?:as\s+(" + _NAME + rb"))?")
_DEFAULT = re.compile(rb"(?:import|const|let|var)\s+(?:type\s+)?(" + _NAME + rb")\s*(?:,|from\b|=)")


def read_imports(text: bytes, start: int) -> Iterator[Import]:
    """ES imports, re-exports and top-level `require`."""
    end = start + len(text)
    text = _COMMENT.sub(b" ", text)
    last = 0
    for found in _MODULE.finditer(text):
        clause = text[last : found.start()]
        last = found.end()
        module = found[2].decode("utf-8", "replace")
        names = list(_names(clause + b" from" if clause.startswith(b"import") else clause))
        for name, alias in names or [("", "")]:
            yield Import(start, end, module, name, alias)


def _names(clause: bytes) -> Iterator[tuple[str, str]]:
    required = not clause.startswith((b"import", b"export"))
    found = _DEFAULT.match(clause.strip(b" ,;"))
    if found is not None:
        yield ("" if required else "default"), _decode(found[1])
    star = _STAR.search(clause)
    if star is not None:
        yield "*", _decode(star[1] or b"")
    braces = _BRACES.search(clause)
    if braces is not None:
        for name, alias in _MEMBER.findall(braces[1]):
            yield _decode(name), _decode(alias)


def _decode(word: bytes) -> str:
    return word.decode("utf-8", "replace")


IMPORT_MARKER = re.compile(rb"""(?:=\s*|^)require\s*\(\s*['"]""")
RECEIVER_SEPARATORS = r"\.prototype$|\."
IGNORED_RECEIVERS = frozenset(
    {"exports", "module", "module.exports", "window", "global", "globalThis", "self"}
)


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of a file."""
    from grainline.languages.lowering import javascript  # readers never lower

    return javascript.lower(root, text, language)
