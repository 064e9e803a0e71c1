"""`grainline outline PATH`: the symbols of a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from grainline.errors import BadInput
from grainline.model.answers import OutlineNode, OutlineResult
from grainline.model.position import quote_path
from grainline.surfaces.cli.common import (
    Run,
    global_options,
    pass_run,
    places,
    scope_options,
    warn,
)
from grainline.surfaces.cli.paths import meant
from grainline.surfaces.cli.terminal import table

if TYPE_CHECKING:
    from grainline.indexing.owner.methods import Answers
    from grainline.model.access import Scope


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
    """Print the symbol tree of the file PATH.

    PATH is as search prints it, absolute, or relative to its repository.
    """
    engine = run.answers()
    result, scope = _outline(engine, meant(engine, path, repos, refs, principal))
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


def _outline(engine: Answers, places: Iterator[tuple[bytes, Scope]]) -> tuple[OutlineResult, Scope]:
    """The outline of the first file that is indexed; else the error about the first one."""
    refused: BadInput | None = None
    for path, scope in places:
        try:
            return engine.outline(quote_path(path), scope=scope), scope
        except BadInput as failure:
            if failure.code != "unknown_path":
                raise
            refused = refused or failure
    assert refused is not None, "a path means something"
    raise refused


def walk(nodes: tuple[OutlineNode, ...]) -> Iterator[tuple[int, OutlineNode]]:
    """Every node with its depth, in file order."""
    stack = [(0, node) for node in reversed(nodes)]
    while stack:
        depth, node = stack.pop()
        yield depth, node
        stack.extend((depth + 1, child) for child in reversed(node.children))
