"""Functions whose text ends with the signatures of what they call, as a compiler's SCIP index says.

The index of a clone is `OWNER+NAME/COMMIT.scip` beside its `repo`. For the sets of the lab it is
what the engine itself exports: that shows that the way through SCIP loses nothing, and tells nothing
about compilers. Without an index, or when none of its edges holds, the strategy is off.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from grainline.errors import BadInput
from grainline.indexing.exact import read_index
from grainline.lab.ground import Chunked, Ground
from grainline.lab.homes import Home
from grainline.lab.links import Links
from grainline.lab.mirror import Checkout
from grainline.lab.strategies._composed import Composed, ComposedIndex
from grainline.lab.strategies.base import OFF
from grainline.lab.strategies.function_calls import TYPES
from grainline.lab.strategies.signatures import OPTIONS, signed
from grainline.lab.values import Settings
from grainline.model.edge import Tier


@dataclass(frozen=True, kw_only=True)
class Scip(Composed):
    """A `Composed` that takes the index first."""

    @contextmanager
    def index(self, ground: Ground, settings: Settings) -> Generator[ComposedIndex]:
        """Take the exact edges, then cut and fit.

        Raises:
            BadInput: there is no index, or it says nothing of these files.
        """
        _exact(ground)
        yield ComposedIndex(self, ground, settings)


def _exact(ground: Ground) -> Links:
    return ground.once("exact links", lambda: _taken(ground))


def _taken(ground: Ground) -> Links:
    """The calls of the index, in a home apart: other strategies do not see them."""
    checkout = ground.checkout
    if checkout.refs:
        raise BadInput(OFF, "an index is of one commit, and the set asks about several")
    data = _exported(ground.home()) if checkout.trusted else _beside(checkout)
    home = ground.home(apart="exact")
    (name,) = home.engine.roots(scope=home.scope())
    taken = home.engine.exact(name, read_index(data, checkout.repository))
    links = Links(home, TYPES, None, Tier.EXACT)
    if not links:
        said = f"{sum(each.matched for each in taken)} of its files are the same"
        raise BadInput(OFF, f"the index has no call of {checkout.repository} ({said})")
    return links


def _exported(home: Home) -> bytes:
    """What the engine says of its own edges, as SCIP."""
    try:
        return home.engine.scip(scope=home.scope()).data
    except BadInput as error:
        raise BadInput(OFF, f"nothing to export: {error.message}") from error


def _beside(checkout: Checkout) -> bytes:
    if not checkout.scip.is_file():
        raise BadInput(
            OFF,
            f"no SCIP index of {checkout.repository} at {checkout.commit[:10] or 'the files as they are'}",
            hint=f"write one to {checkout.scip}: docs/precise.md",
        )
    return checkout.scip.read_bytes()


def exact_signatures(ground: Ground, found: Chunked, settings: Settings) -> str:
    """The plain text, then what its function calls by exact edges."""
    return signed(ground, found, settings, _exact(ground))


STRATEGY = Scip(name="scip", chunker="function", text=exact_signatures, extra=OPTIONS)
