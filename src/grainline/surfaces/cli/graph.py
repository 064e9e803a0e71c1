"""`grainline graph`: the edges between symbols, for programs and as pictures."""

from __future__ import annotations

import click

from grainline.model.edge import EdgeType, Tier
from grainline.surfaces.cli.common import (
    Run,
    filter_options,
    global_options,
    make_filters,
    make_scope,
    pass_run,
    scope_options,
    warn,
)
from grainline.surfaces.cli.relations import edges_option, floor_option

JSON = "json"
FORMATS = (JSON, "lines", "mermaid", "dot", "graphml", "html")


@click.command("graph")
@edges_option
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="lines",
    show_default=True,
    help="How it is written; html is a page that needs nothing else.",
)
@floor_option
@click.option("--external", is_flag=True, help="Names outside of what is indexed, too.")
@filter_options
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    types: tuple[str, ...],
    form: str,
    floor: str,
    external: bool,
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
    paths: tuple[str, ...],
    languages: tuple[str, ...],
    kinds: tuple[str, ...],
    modules: tuple[str, ...],
    tests: str,
) -> None:
    """Print calls, or edges of other types, between all symbols.

    Filters keep edges both ends of which pass them.
    """
    from grainline.model.relations import GraphOptions

    engine = run.answers()
    scope = make_scope(engine, repos, refs, principal)
    options = GraphOptions(
        types=tuple(map(EdgeType, types)) or (EdgeType.CALLS,),
        floor=Tier[floor.upper()],
        filters=make_filters(paths, languages, kinds, modules, tests),
        external=external,
    )
    result = engine.graph(scope=scope, options=options)
    if run.json or form == JSON:
        from grainline.surfaces import wire

        run.emit(wire.graph(result))
        return
    from grainline.surfaces.drawings.base import DRAWINGS

    run.out().stream.write(DRAWINGS.get(form).draw(result))
    warn(result.coverage)
