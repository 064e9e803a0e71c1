"""Whether our text reads as what a precise source says of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grainline.model.edge import Symbol
from grainline.model.position import Span
from grainline.model.symbol import SymbolKind
from grainline.precise.files import Sheet
from grainline.precise.symbols import ScipSymbol


def reads(
    sheet: Sheet,
    span: Span,
    targets: tuple[Symbol, ...],
    name: ScipSymbol | None,
    sheets: Mapping[bytes, Sheet],
    renamed: frozenset[tuple[str, str]],
) -> bool:
    """Whether the text of a site may mean `targets`: it is their name, or an alias for it.

    A module is named by the last part of its path, a constructor by its type as well.

    Args:
        sheet: the file of the site.
        span: the site.
        targets: symbols of ours.
        name: what the index calls them.
        sheets: all files.
        renamed: pairs of a name and what some file calls it (`renames`).
    """
    word = sheet.word(span)
    if all(not target.descriptor for target in targets):
        parts = sheet.parts(span)
        named = any(not parts.isdisjoint(sheets[each.path].module_words) for each in targets)
        return named or word in sheet.aliases
    if word is None:
        return False
    names = {each for t in targets for each in _names(sheets[t.path], t.descriptor)}
    if name is not None:
        names.add(name.name)
    return word in names or word in sheet.defaults or any((n, word) in renamed for n in names)


def renames(sheets: Iterable[Sheet]) -> frozenset[tuple[str, str]]:
    """All that is called otherwise somewhere: `name as alias`."""
    return frozenset(pair for sheet in sheets for pair in sheet.renamed)


def _names(sheet: Sheet, descriptor: str) -> tuple[str, ...]:
    each = sheet.definition(descriptor)
    if each is None:
        return ()
    if each.kind is SymbolKind.CONSTRUCTOR and each.parent >= 0:
        return each.name, sheet.facts.definitions[each.parent].name
    return (each.name,)
