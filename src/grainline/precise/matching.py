"""`edges`: an index, our files and what is known already in; exact edges and a comparison out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from grainline.model.symbol import Role, SymbolKind
from grainline.precise.claims import Claim, Reading, Relation, read_claims
from grainline.precise.compare import RELATIONS, Comparison, compare, kind_of, name_of, owner_of
from grainline.precise.files import CALLABLE, CONTRACTS, TYPES, File, Sheet
from grainline.precise.index import Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Precise:
    """What a precise source gives.

    Attributes:
        edges: of tier EXACT, in order of source path, site, type and target. One that is known
            already has its type, source and site, and the methods of both.
        comparison: known edges against what is said here.
        reading: how much of an index could be used; of a language server how many answers.
        consumed: paths that the source has seen. Its edges may serve only a scope that may read
            each of them, as any of them may have decided what a name means.
    """

    edges: tuple[Edge, ...]
    comparison: Comparison
    reading: Reading
    consumed: tuple[bytes, ...]


def edges(index: Index, files: Iterable[File], known: Sequence[Edge] = ()) -> Precise:
    """The exact edges of a SCIP index.

    Args:
        index: what `scip.read` gave.
        files: the files of the snapshot, in any order; documents of others are not used.
        known: edges of the same snapshot that were found by other means.
    """
    sheets = {file.path: Sheet(file) for file in files}
    read = read_claims(index, sheets)
    consumed = tuple(sorted({document.path for document in index.documents}))
    return conclude(
        read.claims, read.relations, sheets, known, Method.SCIP, consumed, reading=read.reading
    )


def conclude(
    claims: Sequence[Claim],
    relations: Iterable[Relation],
    sheets: Mapping[bytes, Sheet],
    known: Sequence[Edge],
    method: Method,
    consumed: tuple[bytes, ...],
    *,
    reading: Reading,
) -> Precise:
    """Edges and comparison of claims, whoever made them."""
    lookup = _lookup(known)
    rows = {row for claim in claims for row in _of_claim(claim, sheets, lookup)}
    related = {row[:3] for row in rows if row.type in RELATIONS}
    for relation in relations:
        rows.update(row for row in _of_relation(relation, sheets, lookup) if row[:3] not in related)
    exact = tuple(
        row.edge(tuple(sorted({method, *lookup.methods.get(row, ())})), candidates)
        for row, candidates in _counted(rows)
    )
    return Precise(
        edges=exact,
        comparison=compare(known, exact, claims, sheets),
        reading=reading,
        consumed=consumed,
    )


class _Row(NamedTuple):
    """An edge without what is counted over all."""

    type: EdgeType
    src: Symbol
    dst: Symbol
    site: Span

    def edge(self, methods: tuple[Method, ...], candidates: int) -> Edge:
        return Edge(self.type, self.src, self.dst, self.site, methods, Tier.EXACT, candidates)


class _Lookup(NamedTuple):
    """Known edges by what they share with exact ones."""

    at: dict[tuple[bytes, Span], list[Edge]]
    ends: dict[tuple[EdgeType, Symbol, Symbol], Edge]
    methods: dict[_Row, tuple[Method, ...]]


def _lookup(known: Iterable[Edge]) -> _Lookup:
    found = _Lookup({}, {}, {})
    for edge in known:
        if edge.type in RELATIONS:
            found.ends.setdefault((edge.type, edge.src, edge.dst), edge)
        else:
            found.at.setdefault((edge.src.path, edge.site), []).append(edge)
        found.methods[_Row(edge.type, edge.src, edge.dst, edge.site)] = edge.methods
    return found


# ------------------------------------------------------------------------------ rows


def _of_claim(claim: Claim, sheets: Mapping[bytes, Sheet], lookup: _Lookup) -> Iterator[_Row]:
    sheet = sheets[claim.path]
    here = lookup.at.get((claim.path, claim.site), ())
    role = sheet.roles.get(claim.site)
    for target in claim.targets:
        same = [edge for edge in here if edge.dst == target]
        for edge in same:
            yield _Row(edge.type, edge.src, target, claim.site)
        if same:
            continue
        if role is Role.INHERIT and kind_of(target, sheets) in TYPES:
            source = sheet.around(claim.site, heads=True)
            if source != target and kind_of(source, sheets) in TYPES:
                yield _related(source, target, claim.site, sheets, lookup)
                continue
        call = role is Role.CALL
        source = here[0].src if here else sheet.around(claim.site, heads=not call)
        for kind, dst in _types(claim, target, role, sheet, sheets):
            yield _Row(kind, source, dst, claim.site)


def _types(
    claim: Claim, target: Symbol, role: Role | None, sheet: Sheet, sheets: Mapping[bytes, Sheet]
) -> Iterator[tuple[EdgeType, Symbol]]:
    """What a reference is: by our own reading of the place, then by the kind of what is meant."""
    kind = kind_of(target, sheets)
    if role is Role.CALL and kind in TYPES:
        yield EdgeType.INSTANTIATES, target
    elif role is Role.CALL and kind in CALLABLE:
        yield EdgeType.CALLS, target
        owner = owner_of(target, sheets)
        if owner is not None and sheet.word(claim.site) == name_of(owner, sheets):
            yield EdgeType.INSTANTIATES, owner
    elif claim.written or sheet.is_import(claim.site):
        yield EdgeType.IMPORTS, target
    else:
        yield EdgeType.REFERENCES, target


_MEMBERS: Final = CALLABLE | {SymbolKind.PROPERTY, SymbolKind.FIELD}


def _of_relation(
    relation: Relation, sheets: Mapping[bytes, Sheet], lookup: _Lookup
) -> Iterator[_Row]:
    kinds = kind_of(relation.src, sheets), kind_of(relation.dst, sheets)
    each = sheets[relation.src.path].definition(relation.src.descriptor)
    if each is None:
        return
    site = Span(each.name_start, each.name_end)
    if relation.typed:
        if kinds[1] in TYPES:
            yield _Row(EdgeType.HAS_TYPE, relation.src, relation.dst, site)
    elif kinds[0] in TYPES and kinds[1] in TYPES:
        yield _related(relation.src, relation.dst, site, sheets, lookup)
    elif kinds[0] in _MEMBERS and kinds[1] in _MEMBERS:
        yield _known(EdgeType.OVERRIDES, relation.src, relation.dst, site, lookup)


def _related(
    src: Symbol, dst: Symbol, site: Span, sheets: Mapping[bytes, Sheet], lookup: _Lookup
) -> _Row:
    """INHERITS, or IMPLEMENTS where a class has a contract."""
    implements = (
        kind_of(dst, sheets) in CONTRACTS and kind_of(src, sheets) not in CONTRACTS
    )  # fmt: skip
    kind = EdgeType.IMPLEMENTS if implements else EdgeType.INHERITS
    return _known(kind, src, dst, site, lookup)


def _known(kind: EdgeType, src: Symbol, dst: Symbol, site: Span, lookup: _Lookup) -> _Row:
    """A relation at the site that is known for it."""
    edge = lookup.ends.get((kind, src, dst))
    return _Row(kind, src, dst, site if edge is None else edge.site)


# ------------------------------------------------------------------------------ edges


def _counted(rows: Iterable[_Row]) -> Iterator[tuple[_Row, int]]:
    """The rows in order, a relation at its first site only, with the targets of each site."""
    related: set[tuple[EdgeType, Symbol, Symbol]] = set()
    kept: list[_Row] = []
    targets: dict[tuple[EdgeType, bytes, Span], set[Symbol]] = {}
    for row in sorted(rows, key=_order):
        if row.type in RELATIONS:
            if row[:3] in related:
                continue
            related.add(row[:3])
        kept.append(row)
        targets.setdefault((row.type, row.src.path, row.site), set()).add(row.dst)
    for row in kept:
        yield row, len(targets[row.type, row.src.path, row.site])


def _order(row: _Row) -> tuple[bytes, Span, EdgeType, Symbol, Symbol]:
    return row.src.path, row.site, row.type, row.src, row.dst


def merge(known: Iterable[Edge], exact: Iterable[Edge]) -> tuple[Edge, ...]:
    """Both together: an edge that both have is the exact one, with all methods; candidates are counted again."""
    rows: dict[_Row, Edge] = {}
    for edge in (*known, *exact):
        row = _Row(edge.type, edge.src, edge.dst, edge.site)
        methods = {*edge.methods, *(rows[row].methods if row in rows else ())}
        rows[row] = edge._replace(methods=tuple(sorted(methods)))
    targets: dict[tuple[EdgeType, bytes, Span], set[Symbol]] = {}
    for row in rows:
        targets.setdefault((row.type, row.src.path, row.site), set()).add(row.dst)
    return tuple(
        rows[row]._replace(candidates=len(targets[row.type, row.src.path, row.site]))
        for row in sorted(rows, key=_order)
    )
