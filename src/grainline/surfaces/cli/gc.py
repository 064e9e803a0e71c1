"""`grainline gc`: free what need not be kept."""

from __future__ import annotations

import click

from grainline.surfaces.cli.common import Run, global_options, pass_run
from grainline.surfaces.cli.terminal import note


@click.command("gc")
@global_options
@pass_run
def COMMAND(run: Run) -> None:  # noqa: N802 - the name verbs are loaded by
    """Free what need not be kept.

    That is refs that are gone and historic views beyond their bounds. Bounds are settings: [retention] historic, days, megabytes, pinned.
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
    freed = max(report.before - report.after, 0)  # bookkeeping may take more than was freed
    out.line(f"{_size(report.after)}, {_size(freed)} freed")


def _size(count: int) -> str:
    """A number of bytes for people: no decimals where they would say nothing."""
    shown = f"{count / 1e6:,.1f}"
    return f"{'0' if shown == '0.0' else shown} MB"
