"""`grainline path FROM TO`: a shortest chain of calls, or what stands against one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grainline.model.edge import EdgeType, Tier
from grainline.surfaces.cli.common import (
    Run,
    global_options,
    make_scope,
    pass_run,
    places,
    scope_options,
    warn,
)
from grainline.surfaces.cli.relations import (
    SYMBOL,
    depth_option,
    edges_option,
    floor_option,
    print_rows,
    unresolved,
)
from grainline.surfaces.cli.terminal import Terminal
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.model.relations import PathResult


@click.command(
    "path", help=f"Print how FROM calls TO.\n\n{SYMBOL.replace('SYMBOL is', 'Both are')}"
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@depth_option(30)
@floor_option
@edges_option
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    source: str,
    target: str,
    depth: int,
    floor: str,
    types: tuple[str, ...],
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
) -> None:
    """Print a path."""
    from grainline.model.relations import RelationOptions

    options = RelationOptions(
        types=tuple(map(EdgeType, types)), depth=depth, floor=Tier[floor.upper()]
    )
    engine = run.answers()
    scope = make_scope(engine, repos, refs, principal)
    result = engine.path(source, target, scope=scope, options=options)
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.relation_path(result))
        return
    out = run.out()
    print_rows(out, places(engine, scope), result.rows)
    _verdict(out, result, options.floor)
    warn(result.coverage)


def _verdict(out: Terminal, result: PathResult, floor: Tier) -> None:
    source, target = (out.name(found[0].name) for found in (result.source, result.target))
    if result.rows:
        paths = counted(result.total, "shortest path")
        out.line(out.paint(f"{counted(len(result.rows), 'step')}; {paths}", "dim"))
        return
    looked = f"{counted(result.reached, 'symbol')} from {source}, floor {floor.name.lower()}"
    out.line(f"no path from {source} to {target} was found ({looked})")
    if result.unresolved:
        out.line(f"on the way, calls have no known target: {unresolved(result.unresolved)}")
    out.line(f"verdict: {str(result.verdict).replace('_', ' ')}")
