"""Branches, loops and jumps: what holds where ways part and meet."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from grainline.graph.builder import CALL, LOAD, Builder
from grainline.graph.scopes import Env
from grainline.model.ir import LEAVES_SWITCH, Arm, Op


def branch(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """Ways part."""
    # kind, what holds at the start, ends of arms, exhaustive, facts, open, end of a body
    builder.regions.append([op, builder.env, [], False, builder.facts, False, None])


def arm(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """One of the ways begins."""
    region = builder.regions[-1]
    start: Env = region[1]
    _end_arm(builder, region, a)
    builder.facts = {key: dict(held) for key, held in region[4].items()}
    if a == Arm.FINALLY:
        builder.env = builder.variables.merge(region[2] or [start])
        region[2] = []
        region[3] = True
    elif a == Arm.HANDLER:
        builder.env = dict(builder.variables.merge([start, region[6] or start]))
        builder.facts = {}
    elif a == Arm.AFTER:
        builder.env = dict(region[6] or start)
    else:
        builder.env = dict(start)
        region[3] = region[3] or a in (Arm.ELSE, Arm.BODY)
    builder.dead = False
    region[5] = True
    if a == Arm.THEN and b >= 0:
        _assume(builder, b)


def _end_arm(builder: Builder, region: list[Any], next_arm: int) -> None:
    if not region[5]:
        return
    if next_arm == Arm.HANDLER and region[6] is None:
        region[6] = dict(builder.env)
    if next_arm == Arm.AFTER:
        # `else` continues the body, so the body itself does not end here
        if region[6] is None:
            region[6] = dict(builder.env)
        elif not builder.dead:
            region[2].append(builder.env)
        region[2] = [env for env in region[2] if env != region[6]]
    elif not builder.dead:
        region[2].append(builder.env)


def _assume(builder: Builder, op: int) -> None:
    """What was asked of the class of `x` holds: it is an instance."""
    code, callee, first, count, *_ = builder.ops[op]
    if code == Op.OPERATE:
        _assume_operator(builder, op)
        return
    if code != CALL or count != 2 or builder.ops[callee][0] != LOAD:
        return
    subject = builder.ops[builder.ports[first][2]]
    word = builder.rules.idioms.narrows
    if not word or builder.names[builder.ops[callee][1]] != word or subject[0] != LOAD:
        return
    node = builder.new()
    builder.narrowed(builder.ports[first + 1][2], node)
    _hold(builder, subject[1], node)


def _assume_operator(builder: Builder, op: int) -> None:
    """The same where it is an operator, alone or the last of several that all hold."""
    code, left, right, name, *_ = builder.ops[op]
    word = builder.rules.idioms.narrows
    for _ in range(MAX_CONDITIONS):
        if not word or code != Op.OPERATE or builder.names[name] != "&&":
            break
        inner = builder.ops[right]
        if inner[0] == Op.OPERATE:
            _narrow(builder, *inner[1:4])
        code, left, right, name, *_ = builder.ops[left]
    if code == Op.OPERATE:
        _narrow(builder, left, right, name)


def _narrow(builder: Builder, left: int, right: int, name: int) -> None:
    subject = builder.ops[left]
    word = builder.rules.idioms.narrows
    if word and right >= 0 and builder.names[name] == word and subject[0] == LOAD:
        node = builder.new()
        builder.narrowed(right, node)
        _hold(builder, subject[1], node)


def _hold(builder: Builder, name: int, node: int) -> None:
    """A name means `node` as far as a condition reaches."""
    if builder.rules.narrows_inside:
        builder.widened[node] = builder.env.get(name)
    builder.env[name] = node


def _widen(builder: Builder, env: Env) -> Env:
    """What holds behind a branch that others go around."""
    found: Env = {}
    for name, held in env.items():
        node: int | None = held
        while node is not None and node in builder.widened:
            node = builder.widened[node]
        if node is not None:
            found[name] = node
    return found


MAX_CONDITIONS = 64
"""Conditions of one `&&` that are looked at."""


def check(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """What is asserted holds from here on."""
    _assume(builder, a)


def loop(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A loop begins: names that it binds join what they held before."""
    builder.facts.clear()
    stores = builder.variables.stores
    inside = stores[bisect_left(stores, op) : bisect_left(stores, a)]
    heads: Env = {}
    for name in {builder.ops[at][1] for at in inside}:
        before = builder.env.get(name)
        if before is not None:
            heads[name] = builder.new()
            builder.copies.append((before, heads[name], 0))
    builder.env = {**builder.env, **heads}
    builder.regions.append([op, builder.env, heads])


def end(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """Ways meet."""
    region = builder.regions.pop()
    builder.facts = {}
    if builder.ops[a][0] == Op.LOOP:
        _back(builder, region)
        builder.env = {**builder.env, **region[2]} if not builder.dead else dict(region[1])
        builder.dead = False
        return
    if region[5] and not builder.dead:
        region[2].append(builder.env)
    ends = region[2] if region[3] else [*region[2], region[1]]
    builder.dead = not ends
    if builder.widened and len(ends) > 1:
        ends = [_widen(builder, env) for env in ends]
    builder.env = builder.variables.merge(ends) if ends else builder.env


def _back(builder: Builder, region: list[Any]) -> None:
    if not builder.dead:
        for name, head in region[2].items():
            if name in builder.env and builder.env[name] != head:
                builder.copies.append((builder.env[name], head, 0))


def jump(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """The rest of this way is not reached; what leaves a switch goes on behind it."""
    if builder.ops[op][0] == Op.BREAK and a == LEAVES_SWITCH:
        return
    for region in reversed(builder.regions):
        if len(region) == 3:
            _back(builder, region)
            break
    builder.dead = True


def nothing(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """An operation of which only others speak."""
