"""`grainline read CITATION`: the cited lines, exactly."""

from __future__ import annotations

import click

from grainline.surfaces.cli.common import (
    Run,
    global_options,
    make_scope,
    pass_run,
    scope_options,
    warn,
)


@click.command("read")
@click.argument("citation")
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    citation: str,
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
) -> None:
    """Print the lines behind a citation (path:12-18@commit)."""
    engine = run.answers()
    scope = make_scope(engine, repos, refs, principal) if refs else None
    scope = scope or engine.everything(principal, repos=repos)  # a citation names its version
    result = engine.read(citation, scope=scope)
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.read(result))
        return
    run.out().raw(result.text)
    warn(result.coverage)
