"""`grainline trace --from X --to Y`: whether data of one place gets to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grainline.model.relations import Verdict
from grainline.surfaces.cli.common import (
    Run,
    check_form,
    global_options,
    make_scope,
    pass_run,
    places,
    scope_options,
    warn,
)
from grainline.surfaces.cli.files import check_places
from grainline.surfaces.cli.flows import (
    because,
    format_option,
    models_option,
    output_option,
    print_finding,
    printed,
    read_models,
    write_report,
)
from grainline.surfaces.cli.terminal import Places, Terminal
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.model.flow import FlowResult

REASONS = 10  # that are listed; further ones are counted
_STYLES = {Verdict.PATH: "bad", Verdict.UNDETERMINED: "kind", Verdict.NO_PATH: "good"}


@click.command("trace")
@click.option("--from", "source", metavar="X", help="Where data comes from (default: any source).")
@click.option("--to", "target", metavar="Y", help="Where it must get to (default: any sink).")
@click.option(
    "--depth",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Calls and returns that a way may pass.",
)
@format_option
@output_option
@models_option
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    source: str | None,
    target: str | None,
    depth: int | None,
    form: str,
    output: str | None,
    models: tuple[str, ...],
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
) -> None:
    """Follow data from one place to another.

    X and Y are a symbol, PATH:LINE, PATH:A-B, or the name of something outside of what is indexed
    (os.system). What is evaluated at X is the source; what is called with it, or holds it, at Y is
    the sink. Without X, sources are those of the models, without Y, sinks are.
    """
    from grainline.model.flow import TraceOptions

    check_form(run, form)
    check_places(output)
    options = TraceOptions(depth=depth, models=read_models(run, models))
    engine = run.answers()
    scope = make_scope(engine, repos, refs, principal)
    result = engine.trace(source, target, scope=scope, options=options)
    if write_report(run, engine, scope, result, form, output, verb="trace"):
        return
    with printed(run, result, output) as out:
        _show(out, places(engine, scope), result)
    warn(result.coverage)


def _show(out: Terminal, where: Places, result: FlowResult) -> None:
    for finding in result.findings:
        print_finding(out, where, finding, severity=finding.rule != "asked")
        out.line()
    verdict = result.verdict or Verdict.UNDETERMINED
    said = str(verdict).replace("_", " ")
    ways = f"; {counted(len(result.findings), 'way')}" if result.findings else ""
    out.line(f"verdict: {out.paint(said, _STYLES[verdict])}{ways}")
    if result.reasons and verdict is Verdict.UNDETERMINED:
        for each in result.reasons[:REASONS]:
            out.line(f"  because of {because(out, where, each)}")
        if len(result.reasons) > REASONS:
            out.line(f"  and {len(result.reasons) - REASONS} more")
