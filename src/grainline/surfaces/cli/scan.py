"""`grainline scan`: all flows from sources to sinks that models know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grainline.errors import BadInput
from grainline.model.flow import Severity
from grainline.surfaces.cli.common import (
    Run,
    check_form,
    file_name,
    global_options,
    make_scope,
    pass_run,
    places,
    scope_options,
    warn,
)
from grainline.surfaces.cli.files import check_places, write_file
from grainline.surfaces.cli.flows import (
    format_option,
    models_option,
    output_option,
    print_finding,
    printed,
    read_models,
    summary,
    write_report,
)
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.model.flow import Finding, FlowResult

FAILED = 7
SEVERITIES = [severity.name.lower() for severity in Severity]
MAX_BASELINE = 64 << 20


@click.command("scan")
@click.option(
    "--kind", "kinds", metavar="K", multiple=True,
    help="Only findings of this kind (command, sql, path, ...); may be repeated.",
)  # fmt: skip
@format_option
@output_option
@click.option("--diff", metavar="REF", help="Only findings that are not there at this ref.")
@click.option("--baseline", metavar="FILE", help="Leave out findings that it lists.")
@click.option("--write-baseline", metavar="FILE", help="List all findings there.")
@click.option(
    "--fail-on", "fail_on", type=click.Choice(SEVERITIES, case_sensitive=False),
    help="Exit with 7 when there is a finding as bad as this.",
)  # fmt: skip
@click.option("--sure", is_flag=True, help="Only findings of which every step is known.")
@models_option
@scope_options
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    kinds: tuple[str, ...],
    form: str,
    output: str | None,
    diff: str | None,
    baseline: str | None,
    write_baseline: str | None,
    fail_on: str | None,
    sure: bool,
    models: tuple[str, ...],
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
) -> None:
    """Find flows of data from sources to sinks, and weak calls.

    Test code is looked at, too, and marked. A baseline is a JSON file: what --write-baseline wrote,
    or the output of scan --json.
    """
    from grainline.model.flow import ScanOptions
    from grainline.model.relations import Verdict

    check_form(run, form)
    check_places(output, write_baseline)
    options = ScanOptions(
        kinds=kinds,
        models=read_models(run, models),
        known=_read_baseline(baseline) if baseline else (),
        floor=Verdict.PATH if sure else Verdict.UNDETERMINED,
    )
    engine = run.answers()
    scope = make_scope(engine, repos, refs, principal)
    since = None
    if diff is not None:
        named = repos or tuple(dict.fromkeys(engine.roots(scope=scope)))
        since = make_scope(engine, named, (diff,), principal)
    result = engine.scan(scope=scope, options=options, since=since)
    if write_baseline is not None:
        write_file(write_baseline, baseline_of(result).encode())
    if not write_report(run, engine, scope, result, form, output, verb="scan"):
        with printed(run, result, output) as out:
            where = places(engine, scope)
            for finding in result.findings:
                print_finding(out, where, finding)
                out.line()
            out.line(_summary(result))
        warn(result.coverage)
    run.exit_code = _exit_code(result.findings, fail_on)


def _summary(result: FlowResult) -> str:
    known = f"; {counted(result.known, 'known one')} left out" if result.known else ""
    return f"{summary(result.findings)}{known}; {result.coverage.state}"


def _exit_code(findings: tuple[Finding, ...], fail_on: str | None) -> int:
    if fail_on is None:
        return 0
    least = Severity[fail_on.upper()]
    return FAILED if any(finding.severity >= least for finding in findings) else 0


def baseline_of(result: FlowResult) -> str:
    """The file of a baseline: ids, each with what it stands for."""
    rows = [
        {
            "id": each.id,
            "kind": each.kind,
            "path": each.steps[-1].path.decode("utf-8", "replace"),
            "line": each.steps[-1].line,
        }
        for each in result.findings
    ]
    return json.dumps({"schema": 1, "findings": rows}, indent=1, ensure_ascii=False) + "\n"


def _read_baseline(name: str) -> tuple[str, ...]:
    try:
        with Path(file_name(name)).open("rb") as stream:
            found: Any = json.loads(stream.read(MAX_BASELINE))
        return tuple(str(row["id"]) for row in found["findings"])
    except OSError as failure:
        what = f"it cannot be read ({failure.strerror})"
    except (ValueError, KeyError, TypeError):
        what = "it is no baseline"
    raise BadInput(
        "bad_baseline", what, subject=name, hint="write one: grainline scan --write-baseline FILE"
    )
