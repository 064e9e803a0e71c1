"""`grainline outline PATH`: the symbols of a file."""

from __future__ import annotations

from collections.abc import Iterator

import click

from grainline.model.answers import OutlineNode
from grainline.surfaces.cli.common import (
    Run,
    global_options,
    make_scope,
    pass_run,
    places,
    scope_options,
    warn,
)
from grainline.surfaces.cli.terminal import table


@click.command("outline")
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
    """Print the symbol tree of the file PATH (relative to its repository)."""
    engine = run.answers()
    scope = make_scope(engine, repos, refs, principal)
    result = engine.outline(path, scope=scope)
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.outline(result))
        return
    out, where = run.out(), places(engine, scope)
    rows = [
        (
            where.at(node.place.repository, node.place.path, node.place.lines.start),
            "  " * depth + node.info.kind,
            out.name(node.info.signature or node.info.name),
        )
        for depth, node in walk(result.nodes)
    ]
    for line in table(rows):
        out.line(line)
    if not rows:
        out.line("no symbols")
    warn(result.coverage)


def walk(nodes: tuple[OutlineNode, ...]) -> Iterator[tuple[int, OutlineNode]]:
    """Every node with its depth, in file order."""
    stack = [(0, node) for node in reversed(nodes)]
    while stack:
        depth, node = stack.pop()
        yield depth, node
        stack.extend((depth + 1, child) for child in reversed(node.children))
