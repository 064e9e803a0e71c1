"""Which values the graph believes in, against the ground truth of TypeEvalPy.

    python bench/graph_types.py MICRO_BENCHMARK [--show]

MICRO_BENCHMARK is `micro-benchmark` of secure-software-engineering/TypeEvalPy. Scored are the
kinds that the graph follows: functions (`callable`), generators, instances of classes of the
case. A row counts for what it expects of these, and for what is believed beside.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graph import units

from grainline.graph.parts import Function
from grainline.graph.resolve import fixpoint
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.model.ir import Op

CALLABLE = frozenset({Kind.FUNCTION, Kind.BOUND, Kind.PARTIAL})


def main() -> int:
    """Print counts by category."""
    parser = argparse.ArgumentParser(description="TypeEvalPy")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true", help="print every row that differs")
    given = parser.parse_args()
    whole: Counter[str] = Counter()
    by_category: dict[str, Counter[str]] = {}
    for truth in sorted(given.folder.rglob("*_gt.json")):
        counts = by_category.setdefault(truth.parent.parent.name, Counter())
        for row, wanted, found in rows(truth):
            result = {
                "right": len(found & wanted),
                "wrong": len(found - wanted),
                "missing": len(wanted - found),
            }
            counts.update(result)
            whole.update(result)
            if given.show and found != wanted:
                print(truth.parent.name, row, "wanted", sorted(wanted), "found", sorted(found))
    print(json.dumps({name: dict(counts) for name, counts in by_category.items()}, indent=1))
    right = whole["right"]
    precision = right / max(1, right + whole["wrong"])
    recall = right / max(1, right + whole["missing"])
    print(json.dumps({**whole, "P": round(precision, 4), "R": round(recall, 4)}))
    return 0


def rows(truth: Path) -> Iterator[tuple[dict[str, Any], set[str], set[str]]]:
    """Each row with what it expects and what is believed, of the kinds that are followed."""
    world = fixpoint(units(truth.parent))
    places = _places(world, truth.parent)
    classes = {
        world.units[unit].ir.names[part.scopes[scope].name]
        for unit, part in enumerate(world.parts)
        for scope in part.classes
    }
    for row in json.loads(truth.read_text(encoding="utf-8")):
        wanted = {kind.rpartition(".")[2] for kind in row["type"]} & {
            *classes, "callable", "generator",
        }  # fmt: skip
        name = row.get("variable") or row.get("parameter") or ""
        found = places.get((row["file"], row["line_number"], row["col_offset"], bool(name)))
        values: set[int] = set()
        believed: set[str] = set()
        if isinstance(found, Function):
            believed |= {"generator"} if found.generator else set()
            nodes = [found.returns, *(found.parameters[at].node for at in found.identity)]
            values = {value for node in nodes for value in world.solver.held[node] or ()}
        elif found is not None:
            values = _items(world, set(world.solver.held[found] or ()), name)
        yield row, wanted, believed | {word for v in values if (word := _word(world, v))}


_KEY = re.compile(r"\[(?:'([^']*)'|\"([^\"]*)\"|(\d+))\]")


def _items(world: World, values: set[int], name: str) -> set[int]:
    """Of `x['a'][0]` the items of what `x` is."""
    for first, second, number in _KEY.findall(name):
        key = f"#{number}" if number else f"'{first or second}"
        containers = [v for v in values if world.values.kinds[v] == Kind.CONTAINER]
        nodes = [
            world.fields.get((container, each)) for container in containers for each in (key, "*")
        ]
        values = {v for node in nodes if node is not None for v in world.solver.held[node] or ()}
    return values


def _word(world: World, value: int) -> str:
    kind = world.values.kinds[value]
    if kind == Kind.INSTANCE:
        unit, scope = world.values.place(world.values.integer(value))
        return world.units[unit].ir.names[world.parts[unit].scopes[scope].name]
    if kind in CALLABLE:
        return "callable"
    return "generator" if kind == Kind.GENERATOR else ""


def _places(world: World, folder: Path) -> dict[tuple[str, int, int, bool], int | Function]:
    """(file, line, column from 1, is a variable) -> node, or the function of that name."""
    found: dict[tuple[str, int, int, bool], int | Function] = {}
    for unit, part in zip(world.units, world.parts, strict=True):
        file = unit.path.decode()
        text = (folder / file).read_bytes()
        starts = [0, *(at + 1 for at, byte in enumerate(text) if byte == 10)]

        def place(at: int, file: str = file, starts: list[int] = starts) -> tuple[str, int, int]:
            line = bisect_right(starts, at)
            return file, line, at - starts[line - 1] + 1

        for code, a, b, c, start, _ in part.ops:
            if code == Op.STORE:
                found[(*place(start), True)] = part.nodes[b]
            elif code in (Op.SETATTR, Op.SETITEM):
                owner = part.ops[a]
                while owner[0] in (Op.GETATTR, Op.GETITEM):
                    owner = part.ops[owner[1]]
                node = part.nodes[c if code == Op.SETATTR else a]
                found.setdefault((*place(owner[4]), True), node)
        for scope, function in part.functions.items():
            row = part.scopes[scope]
            found[(*place(row.name_start), False)] = function
            starts_of = unit.ir.params[row.params : row.params_end, 4].tolist()
            for at, parameter in zip(starts_of, function.parameters, strict=True):
                found[(*place(at), True)] = parameter.node
    return found


if __name__ == "__main__":
    sys.exit(main())
