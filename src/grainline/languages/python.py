"""Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grainline.languages.base import (
    BOUND_KINDS,
    TYPE_KINDS,
    Grammar,
    LanguageSpec,
    Owner,
    keep_kind,
)
from grainline.model.symbol import Import, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Language, Node

    from grainline.model.ir import FileIr

_BINDING = """(expression_statement [
  (assignment left: (identifier) @name) @variable
  (assignment left: (pattern_list (identifier) @name)) @variable])"""

_QUERY = f"""
(function_definition name: (identifier) @name body: (block) @body) @function
(class_definition name: (identifier) @name body: (block) @body) @class
(type_alias_statement left: (type (identifier) @name)) @type
(decorated_definition) @outer
(decorator) @attribute

(module {_BINDING})
(module (if_statement (block {_BINDING})))
(module (if_statement (else_clause (block {_BINDING}))))
(module (try_statement [
  (block {_BINDING}) (except_clause (block {_BINDING})) (else_clause (block {_BINDING}))]))
(class_definition body: (block {_BINDING}))

(module . (comment)* . (expression_statement . (string) @docstring .))
(class_definition body: (block . (expression_statement . (string) @docstring .)))
(function_definition body: (block . (expression_statement . (string) @docstring .)))

(comment) @comment
(string) @string
[(import_statement) (import_from_statement) (future_import_statement)] @import

(call function: [(identifier) @ref.call (attribute attribute: (identifier) @ref.call)])
(type [(identifier) @ref.type (generic_type (identifier) @ref.type)
       (attribute attribute: (identifier) @ref.type)])
(class_definition superclasses: (argument_list
  [(identifier) @ref.inherit (attribute attribute: (identifier) @ref.inherit)]))
(decorator [(identifier) @ref.decorate (attribute attribute: (identifier) @ref.decorate)
  (call function:
    [(identifier) @ref.decorate (attribute attribute: (identifier) @ref.decorate)])])
"""

_PROPERTY = re.compile(
    rb"@(?:[\w.]*\.)?(?:cached_)?property\b|@[\w.]+\.(?:setter|getter|deleter)\b"
)


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    if kind is SymbolKind.FUNCTION and owner.kind in TYPE_KINDS:
        if name == "__init__":
            return SymbolKind.CONSTRUCTOR
        if head.startswith(b"@") and _PROPERTY.search(head):
            return SymbolKind.PROPERTY
    return keep_kind(kind, name, owner, head)


_COMMENT = re.compile(rb"#[^\n]*|\\\r?\n")
_FROM = re.compile(rb"from\s*([\w.\x80-\xff\s]*?)\s*\bimport\b(.*)", re.DOTALL)
_MEMBER = re.compile(rb"([\w.\x80-\xff]+|\*)(?:\s+as\s+([\w\x80-\xff]+))?")


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    end = start + len(text)
    text = _COMMENT.sub(b" ", text)
    found = _FROM.match(text)
    if found is not None:
        module = b"".join(found[1].split()).decode("utf-8", "replace")
        for name, alias in _MEMBER.findall(found[2]):
            yield Import(start, end, module, _decode(name), _decode(alias))
    else:
        for name, alias in _MEMBER.findall(text.removeprefix(b"import")):
            yield Import(start, end, _decode(name), "", _decode(alias))


def _decode(word: bytes) -> str:
    return word.decode("utf-8", "replace")


def _lower(root: Node, text: bytes, language: Language) -> FileIr:
    from grainline.languages.lowering.python import lower  # readers never lower

    return lower(root, text, language)


LANGUAGE = LanguageSpec(
    name="python",
    suffixes=(".py", ".pyi", ".pyw", ".pyx", ".pxd"),
    file_names=("SConstruct", "SConscript", "wscript"),
    interpreters=("python", "pypy", "uv"),
    grammar=Grammar("tree_sitter_python"),
    query=_QUERY,
    definition_nodes=("function_definition", "class_definition"),
    refine=_refine,
    read_imports=_read_imports,
    rebinds=BOUND_KINDS,
    lower=_lower,
)
