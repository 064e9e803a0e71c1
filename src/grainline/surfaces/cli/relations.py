"""What the verbs about relations share: their options, and how rows are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grainline.model.edge import EdgeType, Tier
from grainline.surfaces.cli.common import (
    Run,
    filter_options,
    global_options,
    make_filters,
    make_scope,
    pass_run,
    places,
    scope_options,
    warn,
)
from grainline.surfaces.cli.terminal import Places, Terminal, note, padded
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.indexing.owner.methods import Answers
    from grainline.model.access import Scope
    from grainline.model.relations import Counts, Node, RelationResult, RelationRow

F = TypeVar("F", bound=Callable[..., Any])

TIERS = [tier.name.lower() for tier in Tier]
TYPES = [str(kind) for kind in EdgeType]
K = 100
SUBJECTS = 8  # symbols of one name that are listed

floor_option = click.option(
    "--floor",
    type=click.Choice(TIERS, case_sensitive=False),
    default="flowed",
    show_default=True,
    help="The weakest tier that is shown; weaker edges are counted.",
)
edges_option = click.option(
    "--edges",
    "types",
    type=click.Choice(TYPES, case_sensitive=False),
    multiple=True,
    metavar="TYPE",
    help="Only edges of this type; may be repeated.",
)


def depth_option(default: int) -> Callable[[F], F]:
    """`--depth`."""
    return click.option(
        "--depth",
        type=click.IntRange(1, 100),
        metavar="N",
        default=default,
        show_default=True,
        help="Steps from the symbol.",
    )


def verb(name: str, text: str) -> click.Command:
    """The command that asks for one relation. `text` is its help."""

    @click.command(name, help=f"{text}\n\n{SYMBOL}")
    @click.argument("symbol")
    @depth_option(1)
    @floor_option
    @edges_option
    @click.option(
        "-k", "k", type=click.IntRange(1, 1_000_000), default=K, show_default=True, metavar="N",
        help="Rows of a page; totals count all.",
    )  # fmt: skip
    @click.option("--cursor", metavar="C", help="Go on after the page that gave this cursor.")
    @filter_options
    @scope_options
    @global_options
    @pass_run
    def command(
        run: Run,
        symbol: str,
        depth: int,
        floor: str,
        types: tuple[str, ...],
        k: int,
        cursor: str | None,
        repos: tuple[str, ...],
        refs: tuple[str, ...],
        principal: str | None,
        paths: tuple[str, ...],
        languages: tuple[str, ...],
        kinds: tuple[str, ...],
        modules: tuple[str, ...],
        tests: str,
    ) -> None:
        from grainline.model.relations import RelationOptions

        options = RelationOptions(
            types=tuple(map(EdgeType, types)),
            depth=depth,
            floor=Tier[floor.upper()],
            filters=make_filters(paths, languages, kinds, modules, tests),
            k=k,
            cursor=cursor,
        )
        engine = run.answers()
        scope = make_scope(engine, repos, refs, principal)
        result: RelationResult = getattr(engine, name)(symbol, scope=scope, options=options)
        if run.json:
            from grainline.surfaces import wire

            run.emit(wire.relation(result))
            return
        show(run.out(), engine, scope, result, options.floor)

    return command


SYMBOL = "SYMBOL is a full or partial qualified name, PATH:LINE, a file or a module."


def show(out: Terminal, engine: Answers, scope: Scope, result: RelationResult, floor: Tier) -> None:
    """Print a page of rows, under what they are about."""
    where = places(engine, scope)
    _subjects(out, where, result.subjects)
    for (depth, test), group in groupby(result.rows, key=lambda row: (row.depth, row.node.test)):
        out.line(out.paint(_heading(result, depth, test=test), "bold"))
        print_rows(out, where, list(group))
    out.line(out.paint(_summary(result, floor), "dim"))
    if result.cursor:
        out.line(out.paint(f"next page: --cursor {result.cursor}", "dim"))
    if result.unresolved:
        note(f"calls without a known target: {unresolved(result.unresolved)}")
    if result.ambiguous:
        several = len({node.repository for node in result.subjects}) > 1
        note(
            f"{len(result.subjects)} symbols are called so, and the answer is about all of them;"
            f" give more of the qualified name, or PATH:LINE{', or --repo NAME' if several else ''}"
        )
    warn(result.coverage)


def _subjects(out: Terminal, where: Places, found: Sequence[Node]) -> None:
    for node in found[:SUBJECTS]:
        at = out.paint(where.at(node.repository, node.path, node.line), "path")
        name = out.paint(out.name(node.name), "bold")
        out.line(f"{at}  {out.paint(node.kind, 'kind')}  {name}")
    if len(found) > SUBJECTS:
        out.line(out.paint(f"and {len(found) - SUBJECTS} more", "dim"))


def _heading(result: RelationResult, depth: int, *, test: bool) -> str:
    tests = dict(result.tests).get(depth, 0)
    count = tests if test else dict(result.totals)[depth] - tests
    at = "direct" if depth == 1 else f"depth {depth}"
    return f"{at}{', test code' if test else ''}: {count}"


def print_rows(out: Terminal, where: Places, rows: Iterable[RelationRow]) -> None:
    """Rows in aligned columns: place, type, tier, symbol, the line at the site."""
    shown = list(rows)
    cells = padded(
        (
            where.at(row.repository, row.path, row.line),
            _relation(row),
            _tier(row),
            out.name(row.node.name) + (f" x{row.sites}" if row.sites > 1 else ""),
        )
        for row in shown
    )
    for row, (at, relation, tier, name) in zip(shown, cells, strict=True):
        text = out.name(out.content(row.text))
        out.line(
            f"  {out.paint(at, 'path')}  {out.paint(relation, 'kind')}"
            f"  {out.paint(tier, _STYLES.get(row.tier, 'dim'))}  {name}  {out.paint(text, 'dim')}"
        )


_STYLES: dict[Tier | None, str] = {
    Tier.EXACT: "good",
    Tier.RESOLVED: "good",
    Tier.FLOWED: "kind",
    Tier.NAMED: "bad",
    Tier.AMBIGUOUS: "bad",
}


def _relation(row: RelationRow) -> str:
    """The type of an edge; an arrow where it leads from the symbol that was asked about."""
    shown = str(row.type).replace("_", " ")
    return shown if row.node.name == row.src else f"→ {shown}"


def _tier(row: RelationRow) -> str:
    if row.tier is None:
        return "external"
    among = f" 1 of {row.candidates}" if row.candidates > 1 else ""
    return row.tier.name.lower() + among


def _summary(result: RelationResult, floor: Tier) -> str:
    parts = [
        f"{count} direct" if depth == 1 else f"{count} at depth {depth}"
        for depth, count in result.totals
    ]
    tests = sum(count for _, count in result.tests)
    total = f"{counted(result.total, 'row')}: {', '.join(parts)}" if parts else "no rows"
    words = [total + (f" ({tests} in test code)" if tests else "")]
    words.append(f"floor {floor.name.lower()}")
    if result.weaker:
        words.append(f"{counted(result.weaker, 'weaker candidate')} not shown: see --floor")
    words.append(str(result.coverage.state))
    return "; ".join(words)


def unresolved(counts: Counts) -> str:
    """Reasons with their counts, in words."""
    return ", ".join(f"{count} {reason}" for reason, count in counts)
