"""`grainline context`: cited evidence inside a token budget."""

from __future__ import annotations

import sys

import click

from grainline.config import DEFAULTS
from grainline.errors import BadInput
from grainline.model.evidence import ContextOptions, Profile
from grainline.surfaces.cli.common import (
    Run,
    check_form,
    global_options,
    make_scope,
    pass_run,
    scope_options,
    tell_trees,
)
from grainline.surfaces.cli.flows import read_models
from grainline.surfaces.cli.terminal import note

MAX_STDIN = 1 << 20  # bytes of pasted text
BUDGET_HELP = (
    f"Never exceeded (default: {DEFAULTS.budget}, or budget of [context] in the settings)."
)


@click.command("context")
@click.argument("query", nargs=-1)
@click.option("--at", metavar="PATH:A-B", help="Explain these lines.")
@click.option("--target", metavar="SYMBOL", help="Explain this symbol.")
@click.option("--stdin", "pasted", is_flag=True, help="Explain code or text from standard input.")
@click.option("--budget", type=click.IntRange(1), metavar="TOKENS", help=BUDGET_HELP)
@click.option(
    "--profile",
    type=click.Choice([str(profile) for profile in Profile]),
    help=f"What kind of question it is (default: {DEFAULTS.profile}, or as in the settings).",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "compact", "json", "xml"]),
    help=f"How it is written (default: {DEFAULTS.format}, or as in the settings).",
)
@click.option(
    "--level",
    type=click.IntRange(0, 4),
    metavar="N",
    default=3,
    show_default=True,
    help="How far to raise: 0 the piece, 1 imports and types, 2 class, 3 file symbols, 4 file.",
)
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    query: tuple[str, ...],
    at: str | None,
    target: str | None,
    pasted: bool,
    budget: int | None,
    profile: str | None,
    form: str | None,
    level: int,
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
) -> None:
    """Gather what explains a question, place, symbol or pasted code."""
    if not query and at is None and target is None and not pasted:
        raise BadInput(
            "empty_query",
            "no question and no target",
            hint="give QUERY, --at, --target or --stdin",
        )
    if form != "markdown":  # which the object holds
        check_form(run, form)
    text = _stdin() if pasted else None
    settings = run.settings
    engine = run.answers()
    result = engine.context(
        " ".join(query),
        scope=make_scope(engine, repos, refs, principal),
        options=ContextOptions(
            budget=budget or settings.budget,
            profile=Profile(profile or settings.profile),
            format=form or settings.format,
            max_level=level,
            models=read_models(run, ()),
        ),
        at=at,
        target=target,
        pasted=text,
    )
    if not result.items:
        for warning in result.coverage.warnings:
            if warning not in result.rendered:
                note(f"warning: {warning}")
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.context(result))
        return
    run.out().raw(result.rendered)
    tell_trees(dict(result.coverage.channels).get("work_tree", ""))


def _stdin() -> str:
    data = sys.stdin.buffer.read(MAX_STDIN + 1)
    if len(data) > MAX_STDIN:
        raise BadInput("too_large", f"standard input is longer than {MAX_STDIN} bytes")
    text = data.decode("utf-8", "replace")
    if not text.strip():
        raise BadInput("empty_query", "standard input is empty", hint="pipe code or text into it")
    return text
