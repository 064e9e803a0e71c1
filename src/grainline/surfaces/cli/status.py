"""`grainline status`: what the home holds."""

from __future__ import annotations

import click

from grainline.model.answers import RefStatus
from grainline.model.position import quote_path
from grainline.model.snapshot import Outcome
from grainline.surfaces.cli.common import (
    Run,
    global_options,
    make_scope,
    pass_run,
    scope_options,
    tell_trees,
)
from grainline.surfaces.cli.terminal import Terminal, table
from grainline.text.plural import counted, parsed_in_part

HEAD = ("repository", "ref", "commit", "state", *(str(outcome) for outcome in Outcome))


@click.command("status")
@click.option("--paths", is_flag=True, help="List every path with its outcome.")
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    paths: bool,
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
) -> None:
    """Print what is indexed, and how many paths became what."""
    engine = run.answers()
    scope = engine.everything(principal) if principal else None
    if repos or refs:
        scope = make_scope(engine, repos, refs, principal)
    result = engine.status(scope=scope, paths=paths)
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.status(result))
        return
    out = run.out()
    rows = [
        (out.name(repository.repository), *_cells(out, ref))
        for repository in result.repositories
        for ref in repository.refs
    ]
    for number, line in enumerate(table([HEAD, *rows], right=frozenset({4, 5, 6, 7}))):
        out.line(line if number else out.paint(line, "bold"))
    for repository in result.repositories:
        for ref in repository.refs:
            _print_paths(out, ref)
            if ref.in_part and not paths:
                at = f"{out.name(repository.repository)}@{out.name(ref.ref)}"
                out.line(f"{at}: {parsed_in_part(ref.in_part)}; see status --paths")
    tell_trees(result.work_tree)


def _cells(out: Terminal, ref: RefStatus) -> tuple[str, ...]:
    counts = dict(ref.counts)
    commit = ref.snapshot.commit[:12] + ("+" if ref.snapshot.dirty else "")
    numbers = (str(counts.get(outcome, 0)) for outcome in Outcome)
    return (out.name(ref.ref), commit or "-", ref.state, *numbers)


def _print_paths(out: Terminal, ref: RefStatus) -> None:
    for row in ref.paths:
        reason = f" ({row.reason})" if row.reason else ""
        language = f"  {row.language}, {counted(row.symbols, 'symbol')}" if row.language else ""
        out.line(f"{row.outcome:16} {quote_path(row.path)}{reason}{language}")
