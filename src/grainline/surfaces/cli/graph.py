"""`grainline graph`: the edges between symbols, for programs and as pictures."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from grainline.errors import BadInput
from grainline.model.edge import EdgeType, Tier
from grainline.surfaces.cli.common import (
    Run,
    check_form,
    filter_options,
    global_options,
    make_filters,
    make_scope,
    pass_run,
    scope_options,
    warn,
)
from grainline.surfaces.cli.files import check_places, write_file
from grainline.surfaces.cli.relations import edges_option, floor_option
from grainline.surfaces.cli.terminal import note
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.model.relations import ScipResult

JSON = "json"
SCIP = "scip"
FORMATS = (JSON, "lines", "mermaid", "dot", "graphml", "html", SCIP)


@click.command("graph")
@edges_option
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="lines",
    show_default=True,
    help="How it is written; html is a page that needs nothing else, scip is binary.",
)
@click.option("--output", metavar="FILE", help="Write it there, not to standard output.")
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
    output: str | None,
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

    Filters keep edges both ends of which pass them. A SCIP index holds edges of all types by
    default, of one view.
    """
    from grainline.model.relations import GraphOptions

    if form == SCIP:
        _check_binary(run, output)
    else:
        check_form(run, form)
    check_places(output)
    engine = run.answers()
    scope = make_scope(engine, repos, refs, principal)
    default = tuple(EdgeType) if form == SCIP else (EdgeType.CALLS,)
    options = GraphOptions(
        types=tuple(map(EdgeType, types)) or default,
        floor=Tier[floor.upper()],
        filters=make_filters(paths, languages, kinds, modules, tests),
        external=external,
    )
    if form == SCIP:
        _emit_scip(run, engine.scip(scope=scope, options=options), output)
        return
    result = engine.graph(scope=scope, options=options)
    if run.json or form == JSON:
        from grainline.surfaces import wire

        text = wire.dumps(wire.graph(result)) + "\n"
    else:
        from grainline.surfaces.drawings.base import DRAWINGS

        text = DRAWINGS.get(form).draw(result)
    if output is None:
        sys.stdout.write(text)
    else:
        write_file(output, text.encode("utf-8", "replace"))
        note(
            f"{counted(len(result.nodes), 'node')}, {counted(len(result.links), 'edge')}: {output}"
        )
    if not run.json and form != JSON:
        warn(result.coverage)


def _check_binary(run: Run, output: str | None) -> None:
    """Refuse what would put bytes where text is read."""
    if output is None and (run.json or sys.stdout.isatty()):
        where = "beside --json" if run.json else "on a terminal"
        raise BadInput(
            "binary", f"a SCIP index is binary and has no place {where}",
            hint="write it to a file: --output index.scip",
        )  # fmt: skip


def _emit_scip(run: Run, result: ScipResult, output: str | None) -> None:
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(result.data)
        warn(result.coverage)
        return
    write_file(output, result.data)
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.scip(result))
        return
    documents, edges = counted(result.documents, "document"), counted(result.edges, "edge")
    run.out().line(f"{documents}, {edges}: {output}")
    warn(result.coverage)
