"""What the verbs about data flow share: models, baselines, and how findings are printed."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from grainline.errors import BadInput
from grainline.model.edge import Tier
from grainline.model.flow import ModelFile, Role, Severity
from grainline.model.relations import Verdict
from grainline.surfaces.cli.common import Run, file_name
from grainline.surfaces.cli.files import write_file
from grainline.surfaces.cli.terminal import Places, Terminal, note, padded
from grainline.surfaces.reports.base import one_a_line, others
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.indexing.owner.methods import Answers
    from grainline.model.access import Scope
    from grainline.model.flow import Finding, FlowResult, PlacedBoundary, PlacedStep

MAX_MODELS: Final = 4 << 20
"""Bytes of a file of models."""

TEXT: Final = 100
"""Characters of a line of code that is shown with a step."""

MODELS_HELP = (
    "Rows of sources, sinks and sanitizers beside the built-in ones (TOML, see docs/flow.md); may be"
    " repeated. Those of [flow] in the settings are read, too."
)

TEXT_FORM, JSON = "text", "json"
FORMATS = (TEXT_FORM, JSON, "sarif", "markdown", "html")

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=TEXT_FORM,
    show_default=True,
    help="How it is written; html is a page that needs nothing else.",
)
output_option = click.option(
    "--output", metavar="FILE", help="Write it there, not to standard output."
)
models_option = click.option("--models", "models", metavar="FILE", multiple=True, help=MODELS_HELP)


def read_models(run: Run, files: Sequence[str]) -> tuple[ModelFile, ...]:
    """The files of models of the settings and of the command line, in this order.

    Raises:
        BadInput: one cannot be read, or is too large.
    """
    beside = Path(run.settings.source or ".").parent
    settings = [str(beside / Path(name).expanduser()) for name in run.settings.models]
    return tuple(map(_model_file, [*settings, *map(file_name, files)]))


def _model_file(name: str) -> ModelFile:
    try:
        with Path(name).open("rb") as stream:
            data = stream.read(MAX_MODELS + 1)
    except OSError as failure:
        raise BadInput(
            "bad_models",
            f"it cannot be read ({failure.strerror})",
            subject=name,
            hint="name another",
        ) from None
    if len(data) > MAX_MODELS:
        raise BadInput("bad_models", f"it is longer than {MAX_MODELS} bytes", subject=name)
    return ModelFile(os.fsencode(name).decode("utf-8", "replace"), data)


def write_report(
    run: Run,
    engine: Answers,
    scope: Scope,
    result: FlowResult,
    form: str,
    output: str | None,
    *,
    verb: str,
) -> bool:
    """Write findings in a form for programs; False for the one for people."""
    if run.json or form == JSON:
        from grainline.surfaces import wire

        text = wire.dumps(wire.flows(result)) + "\n"
    elif form == TEXT_FORM:
        return False
    else:
        from grainline.config import version
        from grainline.surfaces.reports.base import REPORTS, About

        about = About(version=version(), verb=verb, roots=engine.roots(scope=scope))
        text = REPORTS.get(form).write(result, about)
    if output is None:
        sys.stdout.write(text)
    else:
        write_file(output, text.encode("utf-8", "replace"))
        note(f"{counted(len(result.findings), 'finding')}: {output}")
    return True


@contextmanager
def printed(run: Run, result: FlowResult, output: str | None) -> Generator[Terminal]:
    """Where the form for people goes: standard output, or a file, which is written at the end."""
    if output is None:
        yield run.out()
        return
    text = io.StringIO()
    yield Terminal(stream=text, colour=False, tty=False)
    write_file(output, text.getvalue().encode("utf-8", "replace"))
    note(f"{counted(len(result.findings), 'finding')}: {output}")


# ------------------------------------------------------------------------------------- printing

_SEVERITY: Final = {
    Severity.CRITICAL: "bad",
    Severity.HIGH: "bad",
    Severity.MEDIUM: "kind",
    Severity.LOW: "dim",
    Severity.NOTE: "dim",
}
_ROLES: Final = {Role.SOURCE: "kind", Role.SINK: "bad", Role.SANITIZER: "good", Role.GUARD: "good"}


def print_finding(out: Terminal, where: Places, found: Finding, *, severity: bool = True) -> None:
    """A finding: what it is, each step with its line, what it leans on."""
    words = [out.paint(out.name(found.kind), "bold")]
    if severity:
        words.insert(0, out.paint(found.severity.name.lower(), _SEVERITY[found.severity]))
    if found.cwe:
        words.append(f"CWE-{found.cwe}")
    if found.verdict is not Verdict.PATH:
        words.append(out.paint(_verdict(found), "kind"))
    if found.test:
        words.append("test code")
    words.append(out.paint(f"{out.name(found.rule)}  {found.id}", "dim"))
    out.line("  ".join(words))
    print_steps(out, where, found.steps)
    for line in _foot(out, where, found):
        out.line(f"  {line}")


def _verdict(found: Finding) -> str:
    return "stopped" if found.verdict is Verdict.NO_PATH else "undetermined"


def print_steps(out: Terminal, where: Places, steps: Sequence[PlacedStep]) -> None:
    """Steps in aligned columns under the functions that they stand in."""
    rows = list(one_a_line(steps))
    cells = padded(
        (str(step.role), where.at(step.repository, step.path, step.line), out.name(step.symbol))
        for step in rows
    )
    for step, (role, at, symbol) in zip(rows, cells, strict=True):
        text = out.name(out.content(step.text.strip()[:TEXT]))
        note = f"  {out.paint(out.name(step.note), 'dim')}" if step.note and _says(step) else ""
        out.line(
            f"  {out.paint(role, _ROLES.get(step.role, 'dim'))}  {out.paint(at, 'path')}"
            f"  {out.paint(symbol, 'dim')}  {text}{note}"
        )


def _says(step: PlacedStep) -> bool:
    return step.note not in step.text


def _foot(out: Terminal, where: Places, found: Finding) -> list[str]:
    lines: list[str] = []
    weakest = found.weakest
    if weakest is not None and weakest.tier > Tier.RESOLVED:
        at = where.at(weakest.repository, weakest.path, weakest.line)
        lines.append(out.paint(f"weakest link: {weakest.tier.name.lower()} at {at}", "dim"))
    seen = [step for step in found.stops if step.role in (Role.GUARD, Role.SANITIZER)]
    if seen:
        said = ", ".join(
            f"{step.role} {out.name(step.note or step.text.strip()[:TEXT])} at"
            f" {where.at(step.repository, step.path, step.line)}"
            for step in seen
        )
        word = "stopped by" if found.verdict is Verdict.NO_PATH else "seen on the way"
        lines.append(f"{word}: {said}")
    if found.total_paths > 1:

        def placed(step: PlacedStep) -> str:
            return where.at(step.repository, step.path, step.line)

        lines.append(
            out.paint(f"{found.total_paths} ways lead here; this one is the surest", "dim")
        )
        lines += [out.paint(out.name(line), "dim") for line in others(found, placed)]
    lines += [f"assumed: {because(out, where, each)}" for each in found.reasons]
    return lines


def because(out: Terminal, where: Places, found: PlacedBoundary) -> str:
    """A boundary in words."""
    name = f" {out.name(found.name)}" if found.name else ""
    line = found.line or 1
    return f"{found.cut}{name} at {where.at(found.repository, found.path, line)}"


def summary(findings: Sequence[Finding]) -> str:
    """Counts of findings by severity."""
    parts = [
        f"{sum(each.severity is severity for each in findings)} {severity.name.lower()}"
        for severity in sorted(Severity, reverse=True)
        if any(each.severity is severity for each in findings)
    ]
    unsure = sum(each.verdict is Verdict.UNDETERMINED for each in findings)
    tests = sum(each.test for each in findings)
    words = [counted(len(findings), "finding") + (f": {', '.join(parts)}" if parts else "")]
    if unsure:
        words.append(f"{unsure} undetermined")
    if tests:
        words.append(f"{tests} in test code")
    return "; ".join(words)
