"""The fixpoint: values travel along copies until nothing changes.

Every value at a node has a tier: 0 when it came by names, types and results alone (`resolved`),
1 when it crossed a parameter, a container or a closure that was bound twice (`flowed`). A better
tier that arrives later replaces the worse one.

**Invariant**: units are numbered in the order of their paths, and work is done in a fixed order,
so that bounds cut the same values whatever order the files came in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from grainline.graph.values import ANYTHING, Kind, Values

EXTERNAL: Final = int(Kind.EXTERNAL)
Handler = Callable[[Any, Any, int, int, int], None]
"""(x, y, value, tier, node) of a use."""

MAX_VALUES: Final = 24
"""Values of one node behind which no flowed one is added; what is not is counted in `cuts`.

Of 48, 32, 24 and 16 the last finds .08 % less of what jedi finds in Django, the others the same.
"""

MAX_RESOLVED: Final = 64
"""Values of one node."""

MAX_STEPS: Final = 1 << 20
STEPS_A_NODE: Final = 40
"""Steps of one resolution, so many and so many for each node (Django takes 1.2 a node); then it ends."""


class Solver:
    """Nodes, what they hold, and what is to be done with it.

    Args:
        most_outside: values of one node behind which no external one is told from another.
    """

    def __init__(self, *, most_outside: int = sys.maxsize) -> None:
        self._most_outside = most_outside
        self.values = Values()
        self._kinds = self.values.kinds
        self._anything = self.values.of(Kind.EXTERNAL, ANYTHING)
        self.held: list[dict[int, int] | None] = []
        self.copies: list[list[int] | None] = []
        self.uses: list[list[tuple[int, Any, Any]] | None] = []
        self.handlers: list[Handler] = []
        self.work: list[tuple[int, int, int]] = []
        self.tasks: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        """What is to be done beside: handlers never call each other, so nothing recurses."""
        self.steps = 0
        self.cuts = 0
        self.constants: dict[int, str] = {}
        self._sources: list[list[int] | None] = []
        self._wanted: set[int] = set()
        self._linked: set[tuple[int, int]] = set()

    def grow(self, last: int) -> None:
        """Make room for the nodes below `last`."""
        more = last - len(self.held)
        self.held += [None] * more
        self.copies += [None] * more
        self.uses += [None] * more
        self._sources += [None] * more

    def new(self) -> int:
        """A node."""
        self.held.append(None)
        self.copies.append(None)
        self.uses.append(None)
        self._sources.append(None)
        return len(self.held) - 1

    def add(self, node: int, value: int, tier: int) -> None:
        """A value arrives; by flow, one external thing is as good as another."""
        held = self.held[node]
        if self._kinds[value] == EXTERNAL and (tier or self._is_crowded(held, value)):
            value = self._anything
        if held is None:
            self.held[node] = {value: tier}
        else:
            before = held.get(value)
            if before is not None:
                if before <= tier:
                    return
            elif len(held) >= (MAX_VALUES if tier else MAX_RESOLVED):
                self.cuts += 1
                return
            held[value] = tier
        self.work.append((node, value, tier))

    def _is_crowded(self, held: dict[int, int] | None, value: int) -> bool:
        """Whether a node that lacks `value` holds so much that external things are not told apart."""
        return held is not None and len(held) >= self._most_outside and value not in held

    def copy(self, source: int, target: int, flow: int) -> None:
        """Whatever `source` holds arrives at `target` too."""
        if source == target:
            return
        link = target << 1 | flow
        if (source, link) in self._linked:
            return
        self._linked.add((source, link))
        self.static_copy(source, target, flow)
        held = self.held[source]
        if held is not None:
            for value, tier in list(held.items()):
                self.add(target, value, tier | flow)

    def static_copy(self, source: int, target: int, flow: int) -> None:
        """As `copy`, before anything arrived, for copies that are known to be new."""
        copies = self.copies[source]
        if copies is None:
            self.copies[source] = [target << 1 | flow]
        else:
            copies.append(target << 1 | flow)
        sources = self._sources[target]
        if sources is None:
            self._sources[target] = [source]
        else:
            sources.append(source)
        if target in self._wanted:
            self.want(source)

    def use(self, node: int, kind: int, x: Any, y: Any) -> None:
        """Do something with whatever arrives at `node`."""
        uses = self.uses[node]
        entry = (kind, x, y)
        if uses is None:
            self.uses[node] = [entry]
        else:
            uses.append(entry)
        held = self.held[node]
        if held is not None:
            handler = self.handlers[kind]
            self.tasks += [(handler, (x, y, value, tier, node)) for value, tier in held.items()]

    def want(self, node: int) -> None:
        """Constants matter at `node`: those that can arrive there do."""
        open_ = [node]
        while open_:
            at = open_.pop()
            if at in self._wanted:
                continue
            self._wanted.add(at)
            constant = self.constants.get(at)
            if constant is not None:
                self.add(at, self.values.of(Kind.KEY, constant), 0)
            open_ += self._sources[at] or ()

    def run(self) -> None:
        """Until nothing changes."""
        work, held, copies, uses = self.work, self.held, self.copies, self.uses
        handlers, tasks, spread = self.handlers, self.tasks, self._spread
        limit = MAX_STEPS + STEPS_A_NODE * len(held)
        steps = self.steps
        while work or tasks:
            steps += 1
            if steps > limit:
                self.cuts += len(work) + len(tasks)
                work.clear()
                tasks.clear()
                break
            if tasks:
                task, arguments = tasks.pop()
                task(*arguments)
                continue
            node, value, tier = work.pop()
            now = held[node]
            if now is not None and now[value] < tier:
                continue  # a better tier is on its way
            links = copies[node]
            if links is not None:
                spread(links, value, tier)
            todo = uses[node]
            if todo is not None:
                for kind, x, y in todo[:]:
                    handlers[kind](x, y, value, tier, node)
        self.steps = steps

    def _spread(self, links: list[int], value: int, tier: int) -> None:
        """As `add` for every link of a node: most of the time of a resolution is spent here."""
        held, push, most_outside = self.held, self.work.append, self._most_outside
        flowed = self._anything if self._kinds[value] == EXTERNAL else value
        for link in links:
            target = link >> 1
            if tier or link & 1:
                new, at, most = flowed, 1, MAX_VALUES
            else:
                new, at, most = value, 0, MAX_RESOLVED
            there = held[target]
            if there is None:
                held[target] = {new: at}
            else:
                before = there.get(new)
                if before is not None:
                    if before <= at:
                        continue
                elif len(there) >= most:
                    self.cuts += 1
                    continue
                elif new != flowed and len(there) >= most_outside:
                    new = flowed
                    before = there.get(new)
                    if before is not None and before <= at:
                        continue
                there[new] = at
            push((target, new, at))
