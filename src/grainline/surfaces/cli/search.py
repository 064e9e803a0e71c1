"""`grainline search QUERY`: ranked pieces of code."""

from __future__ import annotations

import click

from grainline.config import DEFAULTS
from grainline.model.search import Called, Hit, SearchOptions, SearchResult
from grainline.surfaces.cli.common import (
    Run,
    filter_options,
    global_options,
    make_filters,
    make_scope,
    pass_run,
    places,
    scope_options,
    warn,
)
from grainline.surfaces.cli.terminal import Places, Terminal, note
from grainline.text.plural import counted

SHOWN = 6  # lines of one result
K_HELP = f"Results per page (default: {DEFAULTS.k}, or k of [search] in the settings)."


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("-k", "k", type=click.IntRange(1, 1000), metavar="N", help=K_HELP)
@click.option("--cursor", metavar="C", help="Go on after the page that gave this cursor.")
@click.option(
    "--exclude", multiple=True, metavar="CITATION", help="Leave this place out; may be repeated."
)
@click.option(
    "--lines",
    type=click.IntRange(0),
    metavar="N",
    default=SHOWN,
    show_default=True,
    help="Lines per result.",
)
@click.option("--signatures", is_flag=True, help="Also the signatures of what each result calls.")
@filter_options
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    query: tuple[str, ...],
    k: int | None,
    cursor: str | None,
    exclude: tuple[str, ...],
    lines: int,
    signatures: bool,
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
    paths: tuple[str, ...],
    languages: tuple[str, ...],
    kinds: tuple[str, ...],
    modules: tuple[str, ...],
    tests: str,
) -> None:
    """Find code by words, names, PATH:LINE, "exact text" or /regex/.

    A question that begins with a dash goes after --.
    """
    engine = run.answers()
    scope = make_scope(engine, repos, refs, principal)
    options = SearchOptions(
        k=k or run.settings.k,
        filters=make_filters(paths, languages, kinds, modules, tests),
        cursor=cursor,
        exclude=exclude,
        callers=run.json,
        signatures=signatures,
    )
    result = engine.search(" ".join(query), scope=scope, options=options)
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.search(result))
        return
    _print(run.out(), places(engine, scope), result, lines)
    warn(result.coverage)
    state = dict(result.coverage.channels).get("graph", "")
    if signatures and state.startswith("off: "):
        note(f"warning: no signatures: the symbol graph is {state}")


def _print(out: Terminal, where: Places, result: SearchResult, lines: int) -> None:
    for hit in result.hits:
        out.line(_heading(out, where, hit))
        first = _first_line(hit)
        skip = first - hit.place.lines.start
        body = out.content(hit.text).rstrip("\n").split("\n")[skip : skip + lines]
        for number, text in enumerate(body, start=first):
            out.line(f"{out.paint(f'{number:>6}', 'dim')}  {text}")
        for each in hit.signatures or ():
            out.line(_signature(out, where, each))
        if body or hit.signatures:
            out.line()
    if not result.hits:
        out.line("nothing found; try other words, a symbol name, or fewer filters")
        return
    last = result.hits[-1].rank
    more = f"; next page: --cursor {result.cursor}" if result.cursor else ""
    out.line(
        out.paint(
            f"{last} of {counted(result.total, 'result')}, {result.coverage.state}{more}", "dim"
        )
    )


def _heading(out: Terminal, where: Places, hit: Hit) -> str:
    place = hit.place
    name = hit.symbol.qualified_name if hit.symbol else ""
    kind = hit.symbol.kind if hit.symbol else str(hit.kind)
    at = out.paint(where.at(place.repository, place.path, _first_line(hit)), "path")
    flags = " ".join(sorted({str(flag.name) for flag in place.flags}))
    parts = [
        at,
        out.paint(kind, "kind"),
        out.paint(out.name(name), "bold") if name else "",
        out.paint(f"{out.name(place.repository)}  {hit.score:.3f}  {flags}".rstrip(), "dim"),
    ]
    return "  ".join(part for part in parts if part)


def _signature(out: Terminal, where: Places, each: Called) -> str:
    at = where.at(each.repository, each.path, each.citation.lines.start)
    return "  ".join(
        (out.paint(" calls", "dim"), out.content(each.signature), out.paint(at, "path"))
    )


def _first_line(hit: Hit) -> int:
    """Where the question meets the chunk, else where the chunk begins."""
    return (hit.focus or hit.place.lines).start
