"""`grainline why PATH`: why a path is in the index, or is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from grainline.model.answers import WhyResult
from grainline.model.position import quote_path
from grainline.surfaces.cli.common import (
    Run,
    global_options,
    pass_run,
    scope_options,
)
from grainline.surfaces.cli.paths import meant
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.indexing.owner.methods import Answers
    from grainline.model.access import Scope


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
    """Tell what became of PATH, and by which rules.

    PATH is as search prints it, absolute, or relative to its repository.
    """
    engine = run.answers()
    result = _why(engine, meant(engine, path, repos, refs, principal))
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
        out.line(f"  language {row.language}, {counted(row.symbols, 'symbol')}")
    for flag in row.flags:
        out.line(f"  flag {flag.name}: {out.content(flag.rule)}")
    for rule in result.rules:
        out.line(f"  rule {out.content(rule)}")


def _why(engine: Answers, places: Iterator[tuple[bytes, Scope]]) -> WhyResult:
    """Of the first path that is known; else of the first one."""
    unknown: WhyResult | None = None
    for path, scope in places:
        result = engine.why(path, scope=scope)
        if result.row.reason != "unknown":
            return result
        unknown = unknown or result
    assert unknown is not None, "a path means something"
    return unknown
