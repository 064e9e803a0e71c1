"""How far a long run is, told on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager

from grainline.model.answers import FOLLOW, Progress
from grainline.surfaces.cli.terminal import note
from grainline.text.printing import neutral

ESTIMATE = "estimate"  # stage whose detail is told before a long run


@contextmanager
def progress_bar() -> Generator[Callable[[Progress], None]]:
    """A bar on a terminal, else a line per stage; always on standard error."""
    if not sys.stderr.isatty():
        yield _Stages()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def show(progress: Progress) -> None:
            if progress.stage == ESTIMATE:
                bar.console.print(neutral(progress.detail), markup=False, highlight=False)
                return
            if progress.stage not in tasks:
                tasks[progress.stage] = bar.add_task(progress.stage, total=progress.total)
            bar.update(tasks[progress.stage], completed=progress.done, total=progress.total)

        yield show


class Waiting:
    """Says once, after a while, what a question waits for; on a terminal, how far data was followed."""

    def __init__(self) -> None:
        self._since = 0.0
        self._told = False
        self._bar = ExitStack()
        self._show: Callable[[Progress], None] | None = None

    def __call__(self, progress: Progress) -> None:
        """Tell how far it is, when it takes long."""
        now = time.monotonic()
        self._since = self._since or now
        late = now - self._since > PATIENCE
        if progress.stage == FOLLOW:
            self._follow(progress, late=late)
        elif not self._told and late:
            self._told = True
            note(
                "making the edges of what changed or was never filled; `grainline index` keeps them"
            )

    def _follow(self, progress: Progress, *, late: bool) -> None:
        """A bar that is gone when the search is over."""
        if progress.done == progress.total:
            self._bar.close()
            self._show = None
        elif late and sys.stderr.isatty():
            if self._show is None:
                self._show = self._bar.enter_context(progress_bar())
            self._show(progress)


PATIENCE = 1.0  # seconds behind which a wait is explained


class _Stages:
    """Names each stage once."""

    def __init__(self) -> None:
        self._stage = ""

    def __call__(self, progress: Progress) -> None:
        if progress.stage != self._stage:
            self._stage = progress.stage
            note(progress.detail if progress.stage == ESTIMATE else f"{progress.stage} …")
