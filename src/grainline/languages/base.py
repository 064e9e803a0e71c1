"""The seam of languages: one `LanguageSpec` per file, found by the module name.

A language is a grammar wheel, one tree-sitter query and a few pure hooks. The query does the
matching in C; its captures follow a convention that `parsing` reads:

    @function @class ...   a definition; the capture is a word of `SymbolKind`
    @name                  its name: belongs to the innermost definition around it
    @body                  what the signature ends before
    @receiver              the type a definition outside of that type belongs to (`Foo` of Go's
                           `func (f *Foo) Bar()`, of C++'s `Foo::bar`)
    @scope                 lends its @name to the descriptors inside, is no symbol itself (`impl`)
    @outer                 the definition that is its last named child takes its span
    @outer.single          the same, when it has exactly one named child
    @attribute             decorators and attributes: in the span, not in the signature
    @docstring             a documentation string of the definition around it
    @comment @string @import
    @import.maybe          an import when its text matches `import_marker` (`require("x")`)
    @ref.call @ref.type @ref.inherit @ref.decorate   references: the name itself

**Invariant**: no predicates (`#eq?`) in a query. They read node text, which the binding takes
from the reader of a bounded parse, and that ends in a segmentation fault (tree-sitter 0.26.1).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from grainline.errors import BadInput
from grainline.model.symbol import Import, SymbolKind
from grainline.registry import Registry

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query

    from grainline.model.ir import FileIr


class Owner(NamedTuple):
    """What a definition stands in: the innermost definition around it, or its receiver."""

    kind: SymbolKind | None
    name: str


Refine = Callable[[SymbolKind, str, Owner, bytes], SymbolKind | None]
"""(kind, name, owner, text of the definition before its name) -> its kind, or None: no symbol."""

ReadImports = Callable[[bytes, int], Iterable[Import]]
"""(text of an import statement, its start) -> the imported things."""

Lower: TypeAlias = "Callable[[Node, bytes, Language], FileIr]"
"""(root of the syntax tree, text, grammar) -> the IR; never fails on source."""

TYPE_KINDS = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.STRUCT,
        SymbolKind.INTERFACE,
        SymbolKind.TRAIT,
        SymbolKind.ENUM,
        SymbolKind.UNION,
        SymbolKind.TYPE,
    }
)
CALLABLE_KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})
VALUE_KINDS = frozenset(
    {SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.FIELD, SymbolKind.PROPERTY}
)
BOUND_KINDS = VALUE_KINDS - {SymbolKind.PROPERTY}
"""What an assignment binds, in languages without declarations."""
_UPPER = re.compile(r"_*[A-Z][A-Z0-9_]*")


class Grammar(NamedTuple):
    """Where a compiled grammar comes from: `module.function()` of a single-grammar wheel."""

    module: str
    function: str = "language"


def keep_kind(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    """The refinement most languages share.

    A function in a type is a method, a variable in a type is a field, a value in capitals is a
    constant, a value in a function is local and no symbol.
    """
    del head
    parent = owner.kind
    if kind in VALUE_KINDS:
        if parent in CALLABLE_KINDS:
            return None
        if kind is not SymbolKind.PROPERTY and _UPPER.fullmatch(name):
            return SymbolKind.CONSTANT
        if kind is SymbolKind.VARIABLE and parent in TYPE_KINDS:
            return SymbolKind.FIELD
    elif kind is SymbolKind.FUNCTION and parent in TYPE_KINDS:
        return SymbolKind.METHOD
    return kind


def as_captured(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    """For data: a definition is what the query says."""
    del name, owner, head
    return kind


def no_imports(text: bytes, start: int) -> Iterable[Import]:
    """For languages without imports."""
    del text, start
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageSpec:
    """What one language is: how to recognise it, its grammar, its query, its hooks.

    `definition_nodes` are node types that normally give a symbol: a file that has some but gives
    none is reported (`no_symbols`). `rebinds`: kinds whose second binding in one scope is
    no symbol of its own.
    `receiver_separators` split a written receiver (`a::B`). `ignored_receivers` qualify without
    being a type (`exports.f = ...`). `name_before`: of the names captured in a definition, the one
    behind such text is taken, else one behind `<`. `heading_level`: definitions are headings, of
    the level that their text tells, and reach to the next one of that level. `nesting` bounds, from the bytes alone, how deep the tree
    will be, for grammars whose parser is superlinear in depth. `lower` makes the IR of a tree. `prepare` gives what the parser reads
    in place of the text, byte for byte as long.
    """

    name: str
    suffixes: tuple[str, ...]
    file_names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    grammar: Grammar
    query: str
    definition_nodes: tuple[str, ...] = ()
    refine: Refine = keep_kind
    read_imports: ReadImports = no_imports
    import_marker: re.Pattern[bytes] | None = None
    rebinds: frozenset[SymbolKind] = frozenset()
    receiver_separators: str = r"::|\."
    ignored_receivers: frozenset[str] = frozenset()
    name_before: re.Pattern[bytes] | None = None
    heading_level: Callable[[bytes], int] | None = None
    nesting: Callable[[bytes], int] | None = None
    lower: Lower | None = None
    prepare: Callable[[bytes], bytes] | None = None

    @property
    def has_definitions(self) -> bool:
        """Whether a file of this language is expected to define symbols."""
        return bool(self.definition_nodes)

    def language(self) -> Language:
        """The compiled grammar, loaded once per process."""
        return _language(self.grammar)

    def compiled_query(self) -> Query:
        """The compiled query, compiled once per process."""
        return _query(self.grammar, self.query)

    def definition_query(self) -> Query:
        """Captures every definition node, whatever its shape."""
        nodes = " ".join(f"({node})" for node in self.definition_nodes)
        return _query(self.grammar, f"[{nodes}] @definition")


@cache
def _language(grammar: Grammar) -> Language:
    from tree_sitter import Language

    module = importlib.import_module(grammar.module)
    pointer: object = getattr(module, grammar.function)()
    return Language(pointer)


@cache
def _query(grammar: Grammar, source: str) -> Query:
    from tree_sitter import Query

    return Query(_language(grammar), source)


LANGUAGES: Registry[LanguageSpec] = Registry(
    "grainline.languages", "LANGUAGE", skip=frozenset({"base", "detect", "lowering", "modules"})
)

TEXT = "text"
"""What files without a language are called where a language is asked for."""


def check_languages(names: Iterable[str]) -> None:
    """Refuse names of languages that do not exist.

    Raises:
        BadInput: one is unknown; the hint lists those there are.
    """
    known = [*LANGUAGES.names(), TEXT]
    for name in names:
        if name.lower() not in known:
            raise BadInput(
                "unknown_language",
                f"no language is called {name!r}",
                hint="known: " + ", ".join(known),
            )
