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
    """Serve search, context, read and status as MCP tools on stdio; the options narrow the scope."""
    from grainline.surfaces.mcp.server import Session, serve

    serve(Session(open_engine=run.engine, repos=repos, refs=refs, principal=principal))
