"""Engines that have indexed checkouts. Commits of one clone share a home: only what differs is made.

Answers do not depend on that: a view is asked alone, and statistics come from the scope.
"""

from __future__ import annotations

import resource
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from grainline.engine import Engine
from grainline.indexing.pipeline import IndexOptions
from grainline.lab.mirror import Checkout
from grainline.model.access import Scope

MOST = 4
"""Shared homes that are open at a time; the longest unused is closed first."""


class Home(NamedTuple):
    """An engine that has indexed the views of a checkout with one chunker, and what that took.

    `seconds` are CPU seconds of all processes, for what was not there before.
    """

    engine: Engine
    folder: Path
    views: tuple[str, ...]
    seconds: float

    def scope(self, ref: str | None = None, principal: str | None = None) -> Scope:
        """What is asked about; where no ref is named, the first view."""
        ref = ref or next(iter(self.views), None)
        return self.engine.scope(refs=(ref,) if ref else (), principal=principal)


class Opened:
    """An engine in a folder of its own."""

    def __init__(self) -> None:
        self._exit = ExitStack()
        folder = tempfile.TemporaryDirectory(prefix="grainline-lab-home-")
        self.folder = Path(self._exit.enter_context(folder))
        self.engine = Engine.open(str(self.folder), create=True)
        self._exit.callback(self.engine.close)

    def index(self, checkout: Checkout, chunker: str, workers: int | None) -> Home:
        """Bring in the views of a checkout."""
        start = _spent()
        self.engine.index(
            str(checkout.folder),
            refs=checkout.views,
            options=IndexOptions(chunker=chunker, workers=workers, ir=True),
        )
        if checkout.policy is not None:
            self.engine.set_policy(checkout.policy)
        return Home(self.engine, self.folder, checkout.views, _spent() - start)

    def close(self) -> None:
        """End it and remove its folder."""
        self._exit.close()


def _spent() -> float:
    """CPU seconds of this process and of those that it waited for, like workers."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Homes:
    """Those that commits of one clone share."""

    def __init__(self) -> None:
        self._open: dict[tuple[Path, str], Opened] = {}

    @staticmethod
    def may_share(checkout: Checkout) -> bool:
        """Whether a checkout is commits of a clone that everybody may read, as they are."""
        return bool(checkout.views) and not checkout.hidden and checkout.policy is None

    def home(self, checkout: Checkout, chunker: str, workers: int | None) -> Home:
        """The home with all views of a checkout, beside others of the same clone."""
        key = (checkout.clone, chunker)
        opened = self._open.pop(key, None) or Opened()
        self._open[key] = opened  # the last one is the one used last
        if len(self._open) > MOST:
            self._open.pop(next(iter(self._open))).close()
        return opened.index(checkout, chunker, workers)

    def close(self) -> None:
        """End all."""
        while self._open:
            self._open.popitem()[1].close()
