"""`grainline doctor`: is the home sound?"""

from __future__ import annotations

import click

from grainline.errors import Damaged
from grainline.surfaces.cli.common import Run, global_options, pass_run


@click.command("doctor")
@click.option("--repair", is_flag=True, help="Repair what can be repaired.")
@global_options
@pass_run
def COMMAND(run: Run, repair: bool) -> None:  # noqa: N802 - the name verbs are loaded by
    """Check the home; exit 4 when something is damaged."""
    checks = run.engine().doctor(repair=repair)
    if not all(check.ok for check in checks):
        run.exit_code = Damaged.exit_code
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.doctor(checks))
        return
    out = run.out()
    for check in checks:
        mark = out.paint("ok ", "good") if check.ok else out.paint("BAD", "bad")
        detail = f": {out.content(check.detail)}" if check.detail else ""
        repair_hint = f"; {check.repair}" if check.repair and not check.ok else ""
        out.line(f"{mark}  {check.name}{detail}{repair_hint}")
