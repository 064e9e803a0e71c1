"""`grainline watch`: follow the indexed work trees, so that a save is found at once."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from grainline.errors import BadInput
from grainline.surfaces.cli.common import Run, global_options, pass_run
from grainline.surfaces.cli.terminal import note

if TYPE_CHECKING:
    from grainline.indexing.owner.owner import Event, Owner

INTERRUPTED = 130
STANDBY = 1.0  # seconds between two looks whether the home still has an owner
ALIVE = 0.5  # seconds between two looks whether ours still runs


@click.command("watch")
@click.option(
    "--repo", "repos", multiple=True, metavar="NAME", help="Only this repository; may be repeated."
)
@click.option(
    "--commit-every",
    type=click.FloatRange(1.0),
    metavar="SECONDS",
    help="Write what changed to the index now and then (default: keep it in memory).",
)
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run, repos: tuple[str, ...], commit_every: float | None
) -> None:
    """Follow the indexed work trees: a save is found at once.

    What changed is kept in memory and given to every other command on this home; the index itself
    stays as it is. Stops on Ctrl-C, and with exit code 5 when the home is removed.
    """
    from grainline.indexing.owner.owner import OwnerOptions, become_owner
    from grainline.indexing.owner.protocol import holder

    home = Path(run.settings.home)
    _check(run, repos)
    options = OwnerOptions(
        repositories=repos, read=run.read_options(), commit_every=commit_every, warm=True
    )
    with _Signals() as signals:
        waited = False
        while not signals.stop.is_set():
            owner = become_owner(home, run.engine, options=options, report=_Reporter(run))
            if owner is not None:
                _follow(owner, signals.stop)
            elif not waited:
                note(f"process {holder(home)} follows this home; waiting to take over from it")
                waited = True
            signals.stop.wait(STANDBY)
        run.exit_code = signals.exit_code
    note("stopped")


def _check(run: Run, repos: tuple[str, ...]) -> None:
    """There is something to follow.

    Raises:
        BadInput: there is not.
    """
    engine = run.engine()
    scope = engine.scope(repos=repos) if repos else engine.everything()
    if not engine.work_trees(scope):
        raise BadInput(
            "no_work_tree",
            "no work tree is indexed here",
            subject=run.settings.home,
            hint="run: grainline index PATH",
        )


def _follow(owner: Owner, stop: threading.Event) -> None:
    """Until a signal comes, or a defect ends the owner (then it is raised here)."""
    try:
        while not stop.wait(ALIVE) and not owner.done.done():
            pass
    finally:
        owner.close()
    owner.done.result()


class _Reporter:
    """Says what happens: a line for people, or an object with --json."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __call__(self, event: Event) -> None:
        if self._run.json:
            from grainline.surfaces import wire

            self._run.emit(wire.event(event))
            sys.stdout.flush()
        else:
            note(_spoken(event))


def _spoken(event: Event) -> str:
    took = f"{1000 * event.seconds:.0f} ms"
    if event.kind == "refreshed":
        failed = f", {event.failed} failed" if event.failed else ""
        what = "looked at everything: " if event.full else ""
        text = f"{what}{event.changed} changed{failed}, {took}"
    elif event.kind == "committed":
        text = f"written to the index, {took}"
    elif event.kind == "waiting":
        text = f"not written to the index yet: {event.text}; answers stay live"
    elif event.kind == "watching":
        text = f"watching {event.text}"
    elif event.kind == "polling":
        text = f"cannot be watched: {event.text}"
    else:
        text = f"answers are as of the last index: {event.text}"
    return f"{event.repository}: {text}"


class _Signals:
    """The end of the command: Ctrl-C is an interruption, a request to terminate is not."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.exit_code = 0

    def __enter__(self) -> _Signals:
        self._before = {
            number: signal.signal(number, self._take) for number in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, number: int, _: FrameType | None) -> None:
        self.exit_code = INTERRUPTED if number == signal.SIGINT else 0
        self.stop.set()
