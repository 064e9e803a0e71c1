"""Our graph as a SCIP index: `export` makes the `Index`, `write` its bytes; both deterministic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from grainline.model.edge import Edge, EdgeType, Symbol
from grainline.model.position import Span
from grainline.model.symbol import Definition, SymbolKind
from grainline.precise.compare import RELATIONS
from grainline.precise.files import File, Sheet
from grainline.precise.index import (
    Document,
    Encoding,
    Index,
    Occurrence,
    Range,
    Relationship,
    Roles,
    SymbolInformation,
)
from grainline.precise.protobuf import put_bytes, put_number, put_packed, put_text
from grainline.precise.symbols import Package, namespaces, spell

TOOL: Final = "grainline"

LANGUAGES: Final[Mapping[str, str]] = {
    "bash": "ShellScript", "c": "C", "csharp": "CSharp", "cpp": "CPP", "css": "CSS", "go": "Go",
    "html": "HTML", "java": "Java", "javascript": "JavaScript", "json": "JSON",
    "kotlin": "Kotlin", "markdown": "Markdown", "php": "PHP", "python": "Python", "ruby": "Ruby",
    "rust": "Rust", "scala": "Scala", "sql": "SQL", "swift": "Swift", "toml": "TOML",
    "tsx": "TypeScriptReact", "typescript": "TypeScript", "xml": "XML", "yaml": "YAML",
}  # fmt: skip
"""Our names of languages -> those of SCIP's `Language`."""

KINDS: Final[Mapping[SymbolKind, int]] = {
    SymbolKind.CLASS: 7, SymbolKind.CONSTANT: 8, SymbolKind.CONSTRUCTOR: 9, SymbolKind.ENUM: 11,
    SymbolKind.ENUM_MEMBER: 12, SymbolKind.FIELD: 15, SymbolKind.FUNCTION: 17,
    SymbolKind.INTERFACE: 21, SymbolKind.KEY: 22, SymbolKind.MACRO: 25, SymbolKind.METHOD: 26,
    SymbolKind.MODULE: 29, SymbolKind.NAMESPACE: 30, SymbolKind.PROPERTY: 41,
    SymbolKind.STRUCT: 49, SymbolKind.TRAIT: 53, SymbolKind.TYPE: 54, SymbolKind.UNION: 59,
    SymbolKind.VARIABLE: 61,
}  # fmt: skip
"""Our kinds -> numbers of SCIP's `SymbolInformation.Kind`; others have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What the symbols of an export begin with; `tool` is the version of what writes it."""

    package: str
    version: str
    tool: str = ""

    def symbol(self, symbol: Symbol) -> str:
        """The SCIP string of one of our symbols."""
        package = Package("", self.package, self.version)
        return spell(TOOL, package, namespaces(symbol.path) + symbol.descriptor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """An index, how many edges it says, and how many have no form in it."""

    index: Index
    said: int
    formless: int


def export(files: Iterable[File], edges: Iterable[Edge], naming: Naming) -> Exported:
    """The index of some files and the edges between them; the order of neither matters.

    An edge whose site is one word becomes an occurrence, one between definitions a relationship;
    edges at whole expressions or statements have no form in SCIP and are left out, as are files
    whose path is no UTF-8, and edges that lead from or to what is left out.
    """
    sheets = {file.path: Sheet(file) for file in sorted(files, key=_path) if _is_text(file.path)}
    by_path: dict[bytes, list[Edge]] = {}
    said = formless = 0
    for edge in edges:
        if edge.dst.path in sheets and _has_form(edge, sheets.get(edge.src.path)):
            by_path.setdefault(edge.src.path, []).append(edge)
            said += 1
        else:
            formless += 1
    documents = tuple(
        _document(sheet, by_path.get(path, ()), naming) for path, sheet in sheets.items()
    )
    index = Index(tool=TOOL, version=naming.tool, root="file:///", documents=documents)
    return Exported(index=index, said=said, formless=formless)


def _has_form(edge: Edge, sheet: Sheet | None) -> bool:
    if sheet is None:
        return False
    if edge.type in RELATIONS:
        return sheet.definition(edge.src.descriptor) is not None
    return sheet.word(edge.site) is not None


def _path(file: File) -> bytes:
    return file.path


def _is_text(path: bytes) -> bool:
    return path.decode("utf-8", "replace").encode() == path


def _document(sheet: Sheet, edges: Iterable[Edge], naming: Naming) -> Document:
    occurrences = {_at(sheet, _start(sheet), naming, "", Roles.DEFINITION)}
    for each in sheet.facts.definitions:
        name = Span(each.name_start, each.name_end)
        occurrences.add(_at(sheet, name, naming, each.descriptor, Roles.DEFINITION))
    relationships: dict[str, set[Relationship]] = {}
    for edge in edges:
        if edge.type in RELATIONS:
            relation = Relationship(
                naming.symbol(edge.dst),
                implementation=True,
                reference=edge.type is EdgeType.OVERRIDES,
            )
            relationships.setdefault(edge.src.descriptor, set()).add(relation)
        else:
            roles = Roles.IMPORT if edge.type is EdgeType.IMPORTS else 0
            occurrences.add(
                Occurrence(_range(sheet, edge.site), naming.symbol(edge.dst), int(roles))
            )
    symbols = [SymbolInformation(naming.symbol(Symbol(sheet.path, "")), kind=16)]
    for each in sheet.facts.definitions:
        related = sorted(relationships.get(each.descriptor, ()))
        symbols.append(_information(sheet, each, related, naming))
    return Document(
        path=sheet.path,
        language=LANGUAGES.get(sheet.facts.language, sheet.facts.language),
        encoding=Encoding.UTF8,
        occurrences=tuple(sorted(occurrences)),
        symbols=tuple(symbols),
    )


def _start(sheet: Sheet) -> Span:
    at = sheet.lines.offset(0, 0, Encoding.UTF8) or 0
    return Span(at, at)


def _at(sheet: Sheet, span: Span, naming: Naming, descriptor: str, roles: Roles) -> Occurrence:
    symbol = naming.symbol(Symbol(sheet.path, descriptor))
    return Occurrence(_range(sheet, span), symbol, int(roles))


def _range(sheet: Sheet, span: Span) -> Range:
    start = sheet.lines.position(span.start, Encoding.UTF8)
    return Range(*start, *sheet.lines.position(span.end, Encoding.UTF8))


def _information(
    sheet: Sheet, each: Definition, related: list[Relationship], naming: Naming
) -> SymbolInformation:
    head = sheet.text[each.signature_start : each.signature_end].decode("utf-8", "replace")
    return SymbolInformation(
        naming.symbol(Symbol(sheet.path, each.descriptor)),
        KINDS.get(each.kind, 0),
        each.name,
        head,
        (),
        tuple(related),
    )


# ------------------------------------------------------------------------------ bytes


def write(index: Index) -> bytes:
    """The bytes of an index; `scip.read` gives it back. Documents that were refused are not in."""
    tool = put_text(1, index.tool) + put_text(2, index.version)
    head = put_bytes(2, tool) + put_text(3, index.root) + put_number(4, 1)
    parts = [put_bytes(1, head)]
    parts += [put_bytes(2, _document_bytes(document)) for document in index.documents]
    parts += [put_bytes(3, _symbol_bytes(info, "")) for info in index.external]
    return b"".join(parts)


def _document_bytes(document: Document) -> bytes:
    return b"".join(
        (
            put_bytes(1, document.path),
            *(put_bytes(2, _occurrence_bytes(each)) for each in document.occurrences),
            *(put_bytes(3, _symbol_bytes(each, document.language)) for each in document.symbols),
            put_text(4, document.language),
            put_bytes(5, document.text) if document.text else b"",
            put_number(6, document.encoding),
        )
    )


def _occurrence_bytes(occurrence: Occurrence) -> bytes:
    first, start, last, end = occurrence.range
    numbers = (first, start, end) if first == last else (first, start, last, end)
    return put_packed(1, numbers) + put_text(2, occurrence.symbol) + put_number(3, occurrence.roles)


def _symbol_bytes(info: SymbolInformation, language: str) -> bytes:
    signature = put_text(4, language) + put_text(5, info.signature) if info.signature else b""
    return b"".join(
        (
            put_text(1, info.symbol),
            *(put_bytes(3, text.encode("utf-8", "replace")) for text in info.documentation),
            *(put_bytes(4, _relationship_bytes(each)) for each in info.relationships),
            put_number(5, info.kind),
            put_text(6, info.name),
            put_bytes(7, signature) if signature else b"",
        )
    )


def _relationship_bytes(each: Relationship) -> bytes:
    bits = (each.reference, each.implementation, each.type_definition, each.definition)
    numbered = (put_number(number, bit) for number, bit in enumerate(bits, start=2))
    return put_text(1, each.symbol) + b"".join(numbered)
