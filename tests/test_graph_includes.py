"""What names mean that files of C include: as if one file were asked after the other, but for its cost."""

from __future__ import annotations

import random

import pytest

from grainline.graph import includes
from grainline.graph.includes import Includes
from grainline.graph.resolve import fixpoint, project_of
from grainline.graph.rules.base import rules_of
from grainline.graph.world import World
from helpers.graphs import graph_of, unit

NAMES = ("alpha", "beta")


def tangle(draw: random.Random, size: int) -> dict[str, str]:
    """Headers that include each other, in circles too, and what is not there."""
    files = {}
    for number in range(size):
        others = draw.sample(range(size), draw.randrange(min(size, 4)))
        lines = [f'#include "h{other}.h"' for other in others]
        lines += ["#include <outside.h>"] * (draw.random() < 0.15)
        lines += [f"int {name}(void);" for name in NAMES if draw.random() < 0.2]
        files[f"h{number}.h"] = "\n".join(lines) + "\n"
    return files


def world_of(files: dict[str, str]) -> World:
    units = [unit(path, text.encode()) for path, text in files.items()]
    return fixpoint(units, project_of(units))


def asked(files: dict[str, str], path: str, name: str) -> tuple[list[str], bool]:
    """Files that give a name, and whether one that is not there may: by the text, one at a time."""
    found: set[str] = set()
    outside = False
    seen: set[str] = set()
    open_ = [path]
    while open_:
        for line in files[open_.pop()].splitlines():
            if "outside.h" in line:
                outside = True
            elif line.startswith("#include"):
                other = line.split('"')[1]
                if f"int {name}(void);" in files[other]:
                    found.add(other)
                elif other not in seen:
                    seen.add(other)
                    open_.append(other)
    return sorted(found), outside


def differing(seed: int) -> list[tuple[str, str]]:
    """Names of files that mean something else than by the text."""
    draw = random.Random(seed)
    files = tangle(draw, draw.randrange(2, 20))
    world = world_of(files)
    rules = rules_of("c")
    assert rules is not None
    known = Includes(world.paths, world.parts, world.modules)
    wrong = []
    for number, path in enumerate(world.paths):
        for name in NAMES:
            units, outside = known.meant(number, name)
            if (sorted(world.paths[each] for each in units), outside) != asked(files, path, name):
                wrong.append((path, name))
    return wrong


@pytest.mark.parametrize("seed", range(40))
def test_a_name_means_what_it_means_file_by_file(seed: int) -> None:
    assert differing(seed) == []


def test_a_definition_that_hides_nothing_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The seeded fault: whatever is reached gives the name."""

    def all_of_them(self: Includes, unit: int, defining: frozenset[int]) -> tuple[list[int], bool]:
        return sorted(defining), True

    monkeypatch.setattr(includes.Includes, "_search", all_of_them)
    assert any(differing(seed) for seed in range(40))


def chain(headers: int, names: int = 30, sources: int = 10) -> dict[str, str]:
    """Sources that include the first of a row of headers, and call what none of them has."""
    files = {
        f"h{at}.h": f'#include "h{at + 1}.h"\n#include <system{at}.h>\nint f{at}(void);\n'
        for at in range(headers)
    }
    files[f"h{headers}.h"] = "int last(void);\n"
    calls = " ".join(f"unknown{at}();" for at in range(names))
    for at in range(sources):
        files[f"s{at}.c"] = f'#include "h0.h"\nint main(void) {{ {calls} return last(); }}\n'
    return files


def test_names_cost_the_same_whatever_is_included() -> None:
    few, many = (world_of(chain(headers)).solver.steps for headers in (5, 80))
    assert many - few < 80 * 8  # what the headers say, and nothing for each name and header


def test_a_value_that_cannot_be_told_is_no_reason_to_lose_a_function() -> None:
    """A result that is one of many error codes of headers that are not there."""
    codes = "\n".join(f"  if (n == {at}) return CODE_{at};" for at in range(80))
    text = (
        "#include <errors.h>\n"
        f"static int run(void) {{ return 1; }}\nvoid *pick(int n) {{\n{codes}\n  return run; }}\n"
        "int main(int n) { int (*go)(void) = pick(n); return go(); }\n"
    )
    graph = graph_of({"a.c": text})
    assert {
        edge.dst.descriptor for edge in graph.edges if edge.site.start > text.index("main")
    } >= {"run()."}
    assert graph.cuts == 0
