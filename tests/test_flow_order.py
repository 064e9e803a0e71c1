"""What is bounded keeps the same things in every process, whatever its hashes are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = """
import json, sys
from grainline.engine import MEMORY, Engine
from grainline.indexing.pipeline import IndexOptions
from grainline.surfaces import wire

engine = Engine.open(MEMORY)
engine.index(sys.argv[1], name="shop", options=IndexOptions(workers=0))
found = wire.flows(engine.scan())
found["coverage"] = found["coverage"]["not_covered"]
print(json.dumps(found, sort_keys=True))
"""


def code() -> str:
    """More handlers than a value may be, each with a name that hashes by the seed."""
    lines = ["import os", "from flask import Flask, request", "app = Flask(__name__)", ""]
    for number in range(40):
        body = "os.system(line)" if number % 3 else "os.popen(self.prefix + line)"
        lines += [
            f"class Handler{number}:",
            f"    def __init__(self): self.prefix, self.name{number} = 'ls ', None",
            f"    def run(self, line): self.name{number} = line; {body}",
            "",
        ]
    names = ", ".join(f"'{number}': Handler{number}()" for number in range(40))
    lines += [
        f"HANDLERS = {{{names}}}",
        "",
        "@app.route('/run')",
        "def run():",
        "    for handler in HANDLERS.values():",
        "        handler.run(request.args['line'])",
        "    chosen = HANDLERS[request.args['name']]",
        "    return chosen.run(request.args['line'])",
    ]
    return "\n".join(lines) + "\n"


ORDER = """
import sys
from grainline.flow import values

if sys.argv[1] == "fault":
    values._said = hash  # an order that the seed decides
refs = [f"module.name{number}" for number in range(20)]
refs += [values.Object((number, f"field{number}")) for number in range(20)]
print(values.ordered(frozenset(refs)))
"""


def said(script: str, argument: str, seed: int) -> str:
    """What a process with some hash seed prints."""
    environ = {**os.environ, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-c", script, argument]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("order") / "shop"
    root.mkdir()
    (root / "app.py").write_text(code())
    return root


def test_no_hash_seed_decides_what_a_scan_finds(folder: Path) -> None:
    answers = {said(CHILD, str(folder), seed) for seed in range(1, 4)}
    assert len(answers) == 1
    assert '"fan-out"' in answers.pop(), "something was bounded"


def test_an_order_that_the_seed_decides_is_found_out() -> None:
    assert len({said(ORDER, "", seed) for seed in range(1, 4)}) == 1
    assert len({said(ORDER, "fault", seed) for seed in range(1, 4)}) > 1


SET_THINGS = """
import sys
from grainline.flow import summaries, values
from grainline.flow.state import State, Thing, port

if sys.argv[1] == "fault":
    def by_hash(thing):
        return [thing.fields[key] for key in thing.written]
    summaries._set = by_hash
_, given, thing = port(0)
keys = [f"key{number}" for number in range(20)]
fields = {key: values.pointing(values.Object((key,))) for key in keys}
heap = {values.Object((key,)): Thing({}) for key in keys}
heap[given] = thing._replace(fields=fields, written=frozenset(keys))
found = summaries.changed(State(heap=heap), [])
print([ref for ref in found if ref != given])
"""


def test_what_was_put_into_a_thing_is_followed_in_the_order_of_its_fields() -> None:
    assert len({said(SET_THINGS, "", seed) for seed in range(1, 4)}) == 1
    assert len({said(SET_THINGS, "fault", seed) for seed in range(1, 4)}) > 1


CHOICES = """
import sys
from grainline.flow import values

known = values.OneOf(("one", "two", "three", "four"))
print(tuple(known) if sys.argv[1] == "fault" else values.choices(known))
"""


def test_constants_that_a_value_may_be_have_an_order() -> None:
    assert len({said(CHOICES, "", seed) for seed in range(1, 6)}) == 1
    assert len({said(CHOICES, "fault", seed) for seed in range(1, 6)}) > 1
