"""`grainline mcp`: answer a coding agent over standard input and output."""

from __future__ import annotations

import click

from grainline.surfaces.cli.common import Run, global_options, pass_run, scope_options


@click.command("mcp")
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run, repos: tuple[str, ...], refs: tuple[str, ...], principal: str | None
) -> None:
    """Serve a coding agent over MCP on standard input and output.

    The tools are search, context, read, status, those of the symbol graph, trace and scan. A client
    gets nothing beyond the repositories and refs that the options name.
    """
    from pathlib import Path

    from grainline.indexing.owner.owner import Candidate
    from grainline.surfaces.cli.flows import read_models
    from grainline.surfaces.cli.terminal import note
    from grainline.surfaces.mcp.server import Session, serve

    def open_engine() -> Candidate:
        return Candidate(Path(run.settings.home), run.engine, run.read_options, note)

    serve(
        Session(
            open_engine=open_engine,
            repos=repos,
            refs=refs,
            principal=principal,
            models=lambda: read_models(run, ()),
        )
    )
