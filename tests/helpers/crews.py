"""Worker processes that outlive a run, for tests that make thousands of runs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from grainline.indexing.frames import Analysed, Job
from grainline.indexing.pipeline import IndexOptions, analysts_for
from grainline.indexing.setup import Setup
from grainline.indexing.workers import Analysts


class Kept:
    """Analysts by what they analyse with: real processes, started once and not for every run.

    A followed tree has its workers for as long as it is followed, too. A run that ends with work on
    its way (stopped by its user) ends its processes, as it always does.
    """

    def __init__(self) -> None:
        self._idle: dict[tuple[bytes, int | None], Analysts] = {}

    def analysts_for(self, setup: Setup, options: IndexOptions) -> Analysts:
        """In the place of `pipeline.analysts_for`."""
        if options.workers == 0:
            return analysts_for(setup, options)
        key = setup.encode(), options.workers
        return _Lent(self, key, self._idle.pop(key, None) or analysts_for(setup, options))

    def take_back(self, key: tuple[bytes, int | None], analysts: Analysts) -> None:
        """Keep analysts that nobody waits for."""
        if key in self._idle:
            analysts.close()
        else:
            self._idle[key] = analysts

    def close(self) -> None:
        """End every process."""
        for analysts in self._idle.values():
            analysts.close()
        self._idle = {}


class _Lent:
    """Analysts on loan to one run."""

    def __init__(self, kept: Kept, key: tuple[bytes, int | None], analysts: Analysts) -> None:
        self._kept = kept
        self._key = key
        self._analysts = analysts
        self._asked: list[Future[tuple[Analysed, ...]]] = []
        self.ahead = analysts.ahead

    def submit(self, jobs: Sequence[Job]) -> Future[tuple[Analysed, ...]]:
        """See `Crew.submit`."""
        return self._kept_in_mind(self._analysts.submit(jobs))

    def begin(self, jobs: Sequence[Job]) -> Future[tuple[Analysed, ...]]:
        """See `Analysts.begin`."""
        return self._kept_in_mind(self._analysts.begin(jobs))

    def _kept_in_mind(self, future: Future[tuple[Analysed, ...]]) -> Future[tuple[Analysed, ...]]:
        self._asked = [each for each in self._asked if not each.done()] + [future]
        return future

    def close(self) -> None:
        """Give them back, or end them when a run leaves work behind."""
        if all(each.done() for each in self._asked):
            self._kept.take_back(self._key, self._analysts)
        else:
            self._analysts.close()
