"""`grainline why PATH`: why a path is in the index, or is not."""

from __future__ import annotations

import click

from grainline.model.position import quote_path, unquote_path
from grainline.surfaces.cli.common import (
    Run,
    global_options,
    make_scope,
    pass_run,
    scope_options,
)


@click.command("why")
@click.argument("path")
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    path: str,
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
) -> None:
    """Tell what became of PATH (relative to its repository), and by which rules."""
    engine = run.answers()
    scope = make_scope(engine, repos, refs, principal)
    raw = unquote_path(path)
    if raw is None:
        raw = path.encode("utf-8", "surrogateescape")
    result = engine.why(raw, scope=scope)
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.why(result))
        return
    out, row = run.out(), result.row
    reason = f" ({row.reason})" if row.reason else ""
    out.line(f"{quote_path(row.path)}: {row.outcome}{reason}")
    if row.detail:
        out.line(f"  {out.content(row.detail)}")
    if row.language:
        out.line(f"  language {row.language}, {row.symbols} symbols")
    for flag in row.flags:
        out.line(f"  flag {flag.name}: {out.content(flag.rule)}")
    for rule in result.rules:
        out.line(f"  rule {out.content(rule)}")
