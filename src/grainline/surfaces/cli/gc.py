"""`grainline gc`: free what need not be kept."""

from __future__ import annotations

import click

from grainline.surfaces.cli.common import Run, global_options, pass_run
from grainline.surfaces.cli.terminal import note


@click.command("gc")
@global_options
@pass_run
def COMMAND(run: Run) -> None:  # noqa: N802 - the name verbs are loaded by
    """Free what need not be kept: refs that are gone, historic views beyond their bounds.

    Bounds are settings: [retention] historic, days, megabytes, pinned.
    """
    from grainline.model.answers import Retention
    from grainline.snapshots import ReadOptions

    settings = run.settings
    retention = Retention(
        historic=settings.historic,
        days=settings.days,
        bytes=None if settings.megabytes is None else settings.megabytes * 1_000_000,
        pinned=settings.pinned,
    )
    read = ReadOptions(allow_alternates=settings.allow_alternates)
    report = run.engine().gc(retention, read)
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.gc(report))
        return
    out = run.out()
    for each in report.ended:
        out.line(f"ended {out.name(each.repository)}@{out.name(each.ref)}: {each.why}")
    for text in report.notes:
        note(f"note: {text}")
    saved = report.before - report.after
    out.line(f"{report.after / 1e6:,.1f} MB, {saved / 1e6:,.1f} MB less than before")
