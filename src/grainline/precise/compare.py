"""What precise claims say about edges that were resolved without them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from grainline.model.symbol import SymbolKind
from grainline.precise.claims import Claim
from grainline.precise.files import CALLABLE, TYPES, Sheet

RELATIONS: Final = frozenset({EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.OVERRIDES})
"""Edges between definitions: their site says nothing, so they are compared by their ends."""
_TOLD: Final = CALLABLE | TYPES | {SymbolKind.MODULE, SymbolKind.NAMESPACE}

Site = tuple[bytes, Span]


class Contradiction(NamedTuple):
    """A known edge at whose site something else is meant: `targets`, or `foreign` code."""

    edge: Edge
    targets: tuple[Symbol, ...]
    foreign: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Known edges against claims, each edge in one list, in the order they were given.

    Attributes:
        upgraded: the same target is meant.
        contradicted: another one is meant. Both edges are kept.
        refined: the known target overrides what is meant: a method of a subtype.
        unmatched: nothing is said that tells (no claim there, or about another thing).
        implied: edges of statements (`for`, `with`), which have no name to claim anything of.
        added: precise edges of sites and ends without a known edge of that type.
    """

    upgraded: tuple[Edge, ...] = ()
    contradicted: tuple[Contradiction, ...] = ()
    refined: tuple[Edge, ...] = ()
    unmatched: tuple[Edge, ...] = ()
    implied: tuple[Edge, ...] = ()
    added: tuple[Edge, ...] = ()

    def counts(self, tier: Tier | None = None) -> dict[str, int]:
        """How many of each list, of one tier of the known edges or of all."""
        lists: dict[str, Sequence[Edge]] = {
            "upgraded": self.upgraded,
            "contradicted": [each.edge for each in self.contradicted],
            "refined": self.refined,
            "unmatched": self.unmatched,
            "implied": self.implied,
        }
        return {
            name: sum(tier is None or edge.tier is tier for edge in edges)
            for name, edges in lists.items()
        }


def compare(
    known: Iterable[Edge],
    exact: Sequence[Edge],
    claims: Iterable[Claim],
    sheets: Mapping[bytes, Sheet],
) -> Comparison:
    """Judge every known edge of tiers RESOLVED and FLOWED.

    Args:
        known: edges of other methods.
        exact: what the claims and relations came to.
        claims: what was said; several about one site join.
        sheets: the files, for the kinds of symbols.
    """
    known = [edge for edge in known if edge.tier in (Tier.RESOLVED, Tier.FLOWED)]
    said = _said(claims)
    overridden = _overridden((*known, *exact))
    ends = {(edge.type, edge.src, edge.dst) for edge in exact if edge.type in RELATIONS}
    made = {(edge.src.path, edge.site) for edge in known if edge.type is EdgeType.INSTANTIATES}
    lists: dict[str, list[Edge]] = {
        name: [] for name in ("upgraded", "refined", "unmatched", "implied")
    }
    contradicted: list[Contradiction] = []
    for edge in known:
        if edge.type in RELATIONS:
            found = (edge.type, edge.src, edge.dst) in ends
            lists["upgraded" if found else "unmatched"].append(edge)
            continue
        if edge.methods == (Method.PROTOCOL,):
            lists["implied"].append(edge)
            continue
        site = (edge.src.path, edge.site)
        claim = said.get(site)
        verdict = "unmatched" if claim is None else _judge(edge, claim, sheets, site in made)
        if verdict == "contradicted" and claim is not None:
            if not overridden.get(edge.dst, frozenset()).isdisjoint(claim.targets):
                verdict = "refined"
            else:
                contradicted.append(Contradiction(edge, claim.targets, claim.foreign))
                continue
        lists[verdict].append(edge)
    there = {(edge.type, edge.src.path, edge.site) for edge in known if edge.type not in RELATIONS}
    related = {(edge.type, edge.src, edge.dst) for edge in known if edge.type in RELATIONS}
    added = [
        edge
        for edge in exact
        if (
            (edge.type, edge.src, edge.dst) not in related
            if edge.type in RELATIONS
            else (edge.type, edge.src.path, edge.site) not in there
        )
    ]
    return Comparison(
        upgraded=tuple(lists["upgraded"]),
        contradicted=tuple(contradicted),
        refined=tuple(lists["refined"]),
        unmatched=tuple(lists["unmatched"]),
        implied=tuple(lists["implied"]),
        added=tuple(added),
    )


def _said(claims: Iterable[Claim]) -> dict[Site, Claim]:
    """Claims by site; several about one site are one with all targets."""
    targets: dict[Site, dict[Symbol, None]] = {}
    foreign: dict[Site, str] = {}
    for claim in claims:
        site = (claim.path, claim.site)
        targets.setdefault(site, {}).update(dict.fromkeys(claim.targets))
        foreign[site] = foreign.get(site) or claim.foreign
    return {site: Claim(*site, tuple(found), foreign[site]) for site, found in targets.items()}


def _judge(edge: Edge, claim: Claim, sheets: Mapping[bytes, Sheet], made: bool) -> str:
    """`upgraded`, `contradicted` or `unmatched`, before overriding is looked at."""
    if edge.dst in claim.targets:
        return "upgraded"
    owners = {owner for target in claim.targets if (owner := owner_of(target, sheets))}
    if edge.type is EdgeType.INSTANTIATES and edge.dst in owners:
        return "upgraded"
    kinds = {kind_of(target, sheets) for target in claim.targets}
    if edge.type is EdgeType.HAS_TYPE and SymbolKind.TYPE in kinds:
        return "unmatched"  # an alias tells nothing of what it stands for
    if edge.type is EdgeType.CALLS and kinds & TYPES:
        # what making a value runs, which may be inherited, stands for the type that is named
        if _type_around(edge.dst, sheets) in claim.targets:
            return "upgraded"
        if made or kind_of(edge.dst, sheets) is SymbolKind.CONSTRUCTOR:
            return "unmatched"
    if claim.foreign and not claim.targets:
        told = _is_namesake(edge, sheets)
    else:
        told = bool(kinds & _TOLD)  # a variable tells nothing of what it holds
    return "contradicted" if told else "unmatched"


def _is_namesake(edge: Edge, sheets: Mapping[bytes, Sheet]) -> bool:
    """Whether the site reads as its target; else a value led there, which foreign code got."""
    sheet = sheets.get(edge.src.path)
    word = sheet.word(edge.site) if sheet is not None else None
    targets = (edge.dst, owner_of(edge.dst, sheets))
    return word is not None and any(
        word == name_of(target, sheets) for target in targets if target is not None
    )


def _overridden(edges: Iterable[Edge]) -> dict[Symbol, frozenset[Symbol]]:
    """For each method all that it overrides, by whatever steps."""
    above: dict[Symbol, list[Symbol]] = {}
    for edge in edges:
        if edge.type is EdgeType.OVERRIDES:
            above.setdefault(edge.src, []).append(edge.dst)
    found: dict[Symbol, frozenset[Symbol]] = {}
    for symbol in above:
        reached: set[Symbol] = set()
        waiting = [symbol]
        while waiting and len(reached) < _MAX_STEPS:
            for each in above.get(waiting.pop(), ()):
                if each not in reached:
                    reached.add(each)
                    waiting.append(each)
        found[symbol] = frozenset(reached)
    return found


_MAX_STEPS: Final = 100
"""Methods that one method may override before the rest is not looked for."""


def kind_of(symbol: Symbol, sheets: Mapping[bytes, Sheet]) -> SymbolKind | None:
    """The kind of a symbol of ours; None for what the outline lacks."""
    if not symbol.descriptor:
        return SymbolKind.MODULE
    sheet = sheets.get(symbol.path)
    each = sheet.definition(symbol.descriptor) if sheet is not None else None
    return each.kind if each is not None else None


def _type_around(symbol: Symbol, sheets: Mapping[bytes, Sheet]) -> Symbol | None:
    """The type that a symbol is a member of."""
    sheet = sheets.get(symbol.path)
    each = sheet.definition(symbol.descriptor) if sheet is not None else None
    if sheet is None or each is None or each.parent < 0:
        return None
    parent = sheet.facts.definitions[each.parent]
    return Symbol(symbol.path, parent.descriptor) if parent.kind in TYPES else None


def name_of(symbol: Symbol, sheets: Mapping[bytes, Sheet]) -> str | None:
    """The name of a symbol of ours; None for a module and what the outline lacks."""
    sheet = sheets.get(symbol.path)
    each = sheet.definition(symbol.descriptor) if sheet is not None else None
    return each.name if each is not None else None


def owner_of(symbol: Symbol, sheets: Mapping[bytes, Sheet]) -> Symbol | None:
    """The type that a constructor belongs to; None for everything else."""
    if kind_of(symbol, sheets) is not SymbolKind.CONSTRUCTOR:
        return None
    return _type_around(symbol, sheets)
