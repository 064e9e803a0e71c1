"""`grainline rm NAME`: take a repository out of the home."""

from __future__ import annotations

import click

from grainline.surfaces.cli.common import Run, global_options, pass_run


@click.command("rm")
@click.argument("name")
@global_options
@pass_run
def COMMAND(run: Run, name: str) -> None:  # noqa: N802 - the name verbs are loaded by
    """Take the repository NAME out of the index. The repository itself is not touched."""
    run.engine().remove(name)
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.removed(name))
        return
    out = run.out()
    out.line(f"removed {out.content(name)} from the index")
