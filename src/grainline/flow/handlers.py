"""Functions that frameworks call though no code hands them over: known by what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from grainline.model.ir import (
    ABSTRACT,
    CONSTRUCTOR,
    GETTER,
    PRIVATE,
    SETTER,
    STATIC,
    Op,
    ScopeKind,
)

if TYPE_CHECKING:
    from grainline.flow.program import Place
    from grainline.flow.rows import EntryRow
    from grainline.flow.solver import Solver

HIDDEN: Final = PRIVATE | STATIC | CONSTRUCTOR | ABSTRACT | GETTER | SETTER
"""Methods that a framework does not offer to all."""

SCRIPT: Final = "(script)"


def handlers(solver: Solver, known: set[Place]) -> Iterator[tuple[Place, EntryRow]]:
    """Functions, beside those that are `known`, and the row that says who calls them."""
    yield from _by_parameters(solver, known)
    yield from _by_bases(solver)
    yield from _scripts(solver)
    for place in sorted(set(solver.program.routed)):
        row = _rows(solver, place[0]).get("(routed)")
        if row is not None:
            yield place, row


def _by_parameters(solver: Solver, known: set[Place]) -> Iterator[tuple[Place, EntryRow]]:
    """Functions that nothing calls, with parameters of names that say who calls them."""
    called = {(target.unit, target.scope)
              for targets in solver.program.calls.values() for target in targets}  # fmt: skip
    for unit, code in enumerate(solver.program.codes):
        rows = _rows(solver, unit)
        for scope, row in enumerate(code.scopes):
            if row.params_end - row.params < 2 or (unit, scope) in known | called:
                continue
            names = [p[2] for p in solver.calls.parameters((unit, scope)) if p[0] >= 0]
            for count in (3, 2):
                found = rows.get(f"({', '.join(names[:count])})")
                if found is not None:
                    yield (unit, scope), found
                    break


def _by_bases(solver: Solver) -> Iterator[tuple[Place, EntryRow]]:
    """Methods of classes below a class outside."""
    for unit, code in enumerate(solver.program.codes):
        rows = _rows(solver, unit)
        if not any(name.startswith("class ") for name in rows):
            continue
        for scope, row in enumerate(code.scopes):
            above = row.parent if row.kind == ScopeKind.FUNCTION else -1
            if above < 0 or code.scopes[above].kind != ScopeKind.CLASS:
                continue
            words = [code.names[row.name], *(() if row.flags & HIDDEN else ("*",))]
            for base in bases(solver, (unit, above)):
                found = next((rows[name] for word in words for name in _named(base, word)
                              if name in rows), None)  # fmt: skip
                if found is not None:
                    yield (unit, scope), found
                    break


def _named(base: str, word: str) -> tuple[str, str]:
    """How rows know a method of what is below a class: by its name, or by the last word of that."""
    at = max((place for place, letter in enumerate(base) if letter.isupper()), default=0)
    return f"class {base}.{word}", f"class *{base[at:]}.{word}"


def bases(solver: Solver, klass: Place) -> list[str]:
    """Plain names of the classes outside that a class is below."""
    found = (base for place in solver.program.lineage(klass)
             for base in solver.calls.bases.get(place, ()))  # fmt: skip
    return list(dict.fromkeys(base.rpartition(".")[2].removesuffix("()") for base in found))


def _scripts(solver: Solver) -> Iterator[tuple[Place, EntryRow]]:
    """Files that read a source where they begin, and that no other one takes in."""
    included = {target for targets in solver.program.imports.values() for target in targets}
    for unit, code in enumerate(solver.program.codes):
        row = _rows(solver, unit).get(SCRIPT)
        if row is None or (unit, 0) in included:
            continue
        reads = solver.models_of(code.language).reads
        scope = code.scopes[0]
        if any(code.ops[op][0] == Op.LOAD and code.names[code.ops[op][1]].partition("#")[0] in reads
               for op in range(scope.first, scope.last)):  # fmt: skip
            yield (unit, 0), row


def _rows(solver: Solver, unit: int) -> Mapping[str, EntryRow]:
    return solver.models_of(solver.program.codes[unit].language).entries
