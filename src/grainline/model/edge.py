"""Edges between symbols, and references that stay unresolved, with the reason."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import NamedTuple

from grainline.model.position import Span


class EdgeType(StrEnum):
    """What an edge says of its ends."""

    CALLS = "calls"
    IMPORTS = "imports"
    INHERITS = "inherits"
    IMPLEMENTS = "implements"
    OVERRIDES = "overrides"
    HAS_TYPE = "has_type"
    REFERENCES = "references"
    DEFINES = "defines"
    INSTANTIATES = "instantiates"
    READS = "reads"
    WRITES = "writes"
    DECORATES = "decorates"
    ROUTES_TO = "routes_to"
    DATA_FLOWS_TO = "data_flows_to"
    TESTS = "tests"
    DOCUMENTS = "documents"
    CONFIGURES = "configures"
    PROVIDES = "provides"

    __hash__ = str.__hash__


class Tier(IntEnum):
    """How far an edge may be believed, strongest first."""

    EXACT = 0
    RESOLVED = 1
    FLOWED = 2
    NAMED = 3
    AMBIGUOUS = 4


class Method(StrEnum):
    """How an edge was found."""

    SCOPE = "scope"  # a name, through scopes and imports
    TYPE = "type"  # a member of a receiver whose type is known
    PROTOCOL = "protocol"  # implied by a statement: `for`, `with`, `raise`
    FLOW = "flow"  # a value that came through parameters, containers or closures
    NAME = "name"  # nothing but a name, called on something unknown
    CALLED = "called"  # the name of a call, which something else stands for when it runs
    SCIP = "scip"  # said by an index that a compiler or type checker wrote
    LSP = "lsp"  # said by a language server
    TEST = "test"  # an edge out of test code
    MENTION = "mention"  # a name in a document
    ROUTE = "route"  # a call or annotation that gives a framework a handler
    SETTING = "setting"  # a key that is read by its name
    MANIFEST = "manifest"  # a file that says what a package is called
    OPERATION = "operation"  # the dotted path of a handler, in a file that describes an interface

    __hash__ = str.__hash__


class Symbol(NamedTuple):
    """A symbol of one snapshot; `descriptor` is that of its `Definition`, "" for the module.

    What is no symbol of an outline (lambdas) is called after what it stands in: `f().<lambda1>.`.
    """

    path: bytes
    descriptor: str


class Edge(NamedTuple):
    """`src` does `type` to `dst` at `site`, bytes of the text of `src` (a name where one stands).

    `candidates` is how many targets the site has, this one included.
    """

    type: EdgeType
    src: Symbol
    dst: Symbol
    site: Span
    methods: tuple[Method, ...]
    tier: Tier
    candidates: int


class Why(StrEnum):
    """Why a reference has no target among the files that were looked at."""

    EXTERNAL = "external"  # it belongs to a package that is not there
    DYNAMIC = "dynamic"  # the value is not known
    REFLECTION = "reflection"  # named by a computed string
    INJECTION = "injection"  # handed in by a caller that is not there
    NATIVE = "native"  # a part of the language
    MISSING = "missing"  # the module is there, the name is not

    __hash__ = str.__hash__


class Unresolved(NamedTuple):
    """A call at `site` in `src` whose target is not known. `name` is dotted, as far as known."""

    src: Symbol
    site: Span
    name: str
    why: Why
