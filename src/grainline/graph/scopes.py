"""Which bindings a name may mean: scopes, and the versions of a variable along the control flow.

Inside a scope a read sees the bindings that reach it. Other scopes see what a variable holds at
the end of its scope; earlier versions reach them as flow only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from grainline.model.ir import ASSIGNS, FileIr, Op, Scope, ScopeKind

Env = dict[int, int]
"""Name -> node of its version."""


class Variables:
    """The variables of one file, as they become known scope by scope."""

    def __init__(
        self,
        ir: FileIr,
        scopes: list[Scope],
        params: list[list[int]],
        new_node: Callable[[], int],
        copies: list[tuple[int, int, int]],
    ) -> None:
        self._scopes = scopes
        self._new = new_node
        self._copies = copies
        self._joins: dict[frozenset[int], int] = {}
        self._parts: dict[int, list[int]] = {}
        self._nodes: dict[tuple[int, int], int] = {}
        self._open: set[tuple[int, int]] = set()
        self._done = 0
        self.versions: dict[tuple[int, int], list[int]] = {}
        self.exits: list[Env] = []
        self.stores: list[int] = []
        """Operations that bind names, in order."""
        self.bound: list[set[int]] = [set() for _ in scopes]
        self.elsewhere: dict[tuple[int, int], int] = {}
        """(scope, name) -> the scope that the name belongs to, by declaration."""
        self._shared: set[tuple[int, int]] = set()
        self._survey(ir, params)

    def _survey(self, ir: FileIr, params: list[list[int]]) -> None:
        """Which names every scope binds and declares."""
        codes = ir.ops[:, 0]
        at = np.flatnonzero(
            (codes == Op.STORE)
            | ((codes == Op.ANNOTATE) & (ir.ops[:, 3] < 0))
            | (codes == Op.GLOBAL)
            | (codes == Op.NONLOCAL)
        )
        owners = np.searchsorted(ir.scopes[:, 6], at, side="right") - 1
        # of scopes that start at one operation all but the last are empty
        flags = np.where(codes[at] == Op.STORE, ir.ops[at, 3], -1)
        rows: list[list[int]] = np.stack((at, codes[at], ir.ops[at, 1], owners, flags), 1).tolist()
        assigned: dict[tuple[int, int], None] = {}
        for op, code, name, scope, flag in rows:
            if code == Op.GLOBAL:
                self.elsewhere[scope, name] = 0
            elif code == Op.NONLOCAL:
                self.elsewhere[scope, name] = -1
            else:
                if flag == ASSIGNS and scope:
                    assigned[scope, name] = None
                else:
                    self.bound[scope].add(name)
                if code == Op.STORE:
                    self.stores.append(op)
        for number, row in enumerate(self._scopes):
            for param in range(row.params, row.params_end):
                self.bound[number].add(params[param][1])
        for (scope, name), owner in list(self.elsewhere.items()):
            if owner < 0:
                owner = self._enclosing(scope, name)
                self.elsewhere[scope, name] = owner
            if owner >= 0 and name in self.bound[scope]:
                self.bound[owner].add(name)
                self._shared.add((owner, name))
            self.bound[scope].discard(name)
        for scope, name in assigned:
            if name not in self.bound[scope] and (scope, name) not in self.elsewhere:
                owner = max(0, self._enclosing(scope, name))
                self.elsewhere[scope, name] = owner
                self.bound[owner].add(name)
                self._shared.add((owner, name))

    def _enclosing(self, scope: int, name: int) -> int:
        """The function around `scope` that binds `name`; -1 when there is none."""
        at = self._scopes[scope].parent
        while at > 0:
            if self._scopes[at].kind != ScopeKind.CLASS and name in self.bound[at]:
                return at
            at = self._scopes[at].parent
        return -1

    def owner(self, scope: int, name: int) -> int:
        """The scope whose variable `name` means in `scope`, -1 when no scope of the file has it."""
        declared = self.elsewhere.get((scope, name))
        if declared is not None:
            return declared
        if name in self.bound[scope]:
            return scope
        found = self._enclosing(scope, name)
        if found < 0 and name in self.bound[0]:
            return 0
        return found

    def variable(self, scope: int, name: int) -> int:
        """The node of a variable as other scopes see it."""
        key = (scope, name)
        node = self._nodes.get(key)
        if node is not None:
            return node
        if scope < self._done and key not in self._shared:
            versions = set(self.versions.get(key, ()))
            if len(versions) == 1:
                node = self._nodes[key] = versions.pop()
                return node
        node = self._nodes[key] = self._new()
        if scope < self._done:
            self._fill(key, node)
        else:
            self._open.add(key)
        return node

    def _fill(self, key: tuple[int, int], node: int) -> None:
        final = self.exits[key[0]].get(key[1])
        for version in dict.fromkeys(self.versions.get(key, ())):
            if version != final:
                self._copies.append((version, node, 1))
        if final is not None:
            self._copies.append((final, node, 0))

    def finish(self, scope: int, env: Env) -> None:
        """A scope is done; `env` holds at its end."""
        self.exits.append(env)
        self._done = scope + 1
        for key in [key for key in self._open if key[0] == scope]:
            self._open.discard(key)
            self._fill(key, self._nodes[key])

    def join(self, nodes: Iterable[int]) -> int:
        """A node where all of `nodes` arrive."""
        key = frozenset(nodes)
        if len(key) == 1:
            return next(iter(key))
        node = self._joins.get(key)
        if node is None:
            node = self._joins[key] = self._new()
            self._parts[node] = sorted(key)
            self._copies += [(each, node, 0) for each in self._parts[node]]
        return node

    def parts(self, node: int) -> list[int]:
        """The nodes that are joined in one, those that are joined in them included; itself else."""
        open_, found = [node], list[int]()
        while open_:
            at = open_.pop()
            parts = self._parts.get(at)
            if parts is None:
                found.append(at)
            else:
                open_ += [each for each in reversed(parts) if each != at]
        return list(dict.fromkeys(found))

    def merge(self, envs: list[Env]) -> Env:
        """What holds where several ways meet; a name that one of them lacks is that of the rest."""
        if len(envs) == 1:
            return envs[0]
        merged = dict(envs[0])
        for name in {name for env in envs for name in env}:
            nodes = {env[name] for env in envs if name in env}
            merged[name] = nodes.pop() if len(nodes) == 1 else self.join(nodes)
        return merged
