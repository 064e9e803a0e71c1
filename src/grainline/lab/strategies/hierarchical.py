"""G: the engine's own context: small pieces find, then parents, calls, types and data within shares."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from grainline.lab.ground import Ground
from grainline.lab.homes import Home
from grainline.lab.strategies._engine_options import RANKING, TUNING, ranking_of, tuning_of
from grainline.lab.strategies.grainline import EngineIndex, home_cost, version_of
from grainline.lab.values import Context, IndexCost, Piece, Query, Settings, Shown, Value
from grainline.model.evidence import ContextItem, ContextOptions, Profile


class Hierarchical:
    """See the module."""

    name = "hierarchical"
    version = 1
    options: Mapping[str, Value] = {
        **RANKING,
        **TUNING,
        "format": "markdown",  # what of a budget goes to headings
        "profile": "auto",  # of the context, where the question has none
        "level": 3,  # of parents, 0 to 4
        "neighbours": 12,  # of one rule at one place
        "edges": True,  # whether the symbol graph is followed
    }
    sees_gold = False

    @contextmanager
    def index(self, ground: Ground, settings: Settings) -> Generator[HierarchicalIndex]:
        """Index the checkout and make its edges."""
        home = ground.home()
        if settings.flag("edges"):
            ground.once("filled", home.engine.fill)
        yield HierarchicalIndex(ground, home, settings)


class HierarchicalIndex:
    """Ranks and explains with one home."""

    def __init__(self, ground: Ground, home: Home, settings: Settings) -> None:
        self._ground = ground
        self._home = home
        self._settings = settings
        self._numbers = ranking_of(settings)
        self._ranking = EngineIndex(ground, home, knows_symbols=True, ranking=self._numbers)

    def retrieve(self, query: Query, k: int) -> list[Piece]:
        """The engine's ranking."""
        return self._ranking.retrieve(query, k)

    def assemble(self, query: Query, ranking: Sequence[Piece], budget: int) -> Context:
        """The engine's context; it starts from as much of its own ranking as it does for users."""
        del ranking
        given = query.profile if query.profile != "auto" else self._settings.text("profile")
        options = ContextOptions(
            budget=budget,
            profile=Profile(given),
            format=self._settings.text("format"),
            max_level=self._settings.count("level"),
            max_neighbours=self._settings.count("neighbours"),
            edges=self._settings.flag("edges"),
        )
        scope = self._home.scope(query.ref, query.principal)
        found = self._home.engine.context(
            query.text,
            scope=scope,
            options=options,
            ranking=self._numbers,
            tuning=tuning_of(self._settings),
        )
        pieces = tuple(self._shown(item, query) for item in found.items)
        return Context(pieces, found.tokens, found.rendered, found.omitted)

    def _shown(self, item: ContextItem, query: Query) -> Shown:
        version = version_of(self._ground, item.place.snapshot.commit, query)
        return Shown(item.place.path, item.spans, item.tokens, item.why, str(item.role), version)

    def refresh(self) -> None:
        """What was saved, through the engine."""
        self._ground.refresh()

    def cost(self) -> IndexCost:
        """The whole folder of the home."""
        return home_cost(self._home)


STRATEGY = Hierarchical()
