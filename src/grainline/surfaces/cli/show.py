"""`grainline show SYMBOL`: a symbol with its whole source."""

from __future__ import annotations

import click

from grainline.surfaces.cli.common import (
    Run,
    global_options,
    make_scope,
    pass_run,
    places,
    scope_options,
    warn,
)
from grainline.surfaces.cli.terminal import note


@click.command("show")
@click.argument("symbol")
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    symbol: str,
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
) -> None:
    """Print the source of SYMBOL.

    SYMBOL is a full or partial qualified name, or PATH:LINE.
    """
    engine = run.answers()
    scope = make_scope(engine, repos, refs, principal)
    result = engine.show(symbol, scope=scope)
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.show(result))
        return
    out, where = run.out(), places(engine, scope)
    for shown in result.symbols:
        place = shown.place
        at = out.paint(where.at(place.repository, place.path, place.lines.start), "path")
        name = out.paint(out.name(shown.info.qualified_name), "bold")
        out.line(f"{at}  {out.paint(shown.info.kind, 'kind')}  {name}")
        for number, text in enumerate(
            out.content(shown.text).rstrip("\n").split("\n"), start=place.lines.start
        ):
            out.line(f"{out.paint(f'{number:>6}', 'dim')}  {text}")
        out.line()
    if result.ambiguous:
        note(f"{len(result.symbols)} symbols are called so; give more of the qualified name")
    warn(result.coverage)
