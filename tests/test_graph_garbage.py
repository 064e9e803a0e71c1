"""Resolution runs without Python's collector of cycles, so it must leave none behind."""

from __future__ import annotations

import gc

import pytest

from grainline.graph import builder as building
from grainline.graph.resolve import resolve
from grainline.graph.units import Unit
from grainline.parsing.facts import parse_lazily

PYTHON = b"""
from other import base
class A(base.B):
    def run(self, items):
        return [self.step(item) for item in items]
    def step(self, item):
        return map(lambda x: x.run(), item)
def main(*args, **kw):
    made = A()
    return made.run([made, args, kw])
"""
JAVA = b"class A { Runnable r; void run() { r = () -> run(); r.run(); } }"
CSHARP = b"class A { System.Action r; void Run() { r = () => Run(); r(); } }"
GO = b"package main\ntype T struct{}\nfunc (t T) Run() {}\nfunc main() { f := T{}.Run; f() }\n"
TYPESCRIPT = b"class A { run(): A { return this } }\nconst f = () => new A().run()\nf()\n"
TEXTS = {"python": PYTHON, "java": JAVA, "csharp": CSHARP, "go": GO, "typescript": TYPESCRIPT}


def left_behind(language: str) -> int:
    """Objects in cycles after the edges of one file were made."""
    parsed = parse_lazily(TEXTS[language], language, skeleton_limit=1000)
    ir = parsed.lower()
    assert ir is not None
    units = [Unit(b"a", language, ir, parsed.facts)]
    resolve(units)  # what is made once stays
    gc.collect()
    gc.disable()
    try:
        assert resolve(units).edges
        return gc.collect()
    finally:
        gc.enable()


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_resolution_leaves_no_cycles(language: str) -> None:
    assert left_behind(language) == 0


def test_a_cycle_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    run = building.Builder.run

    def kept(self: building.Builder, *given: object) -> object:
        part = run(self, *given)  # type: ignore[arg-type]
        self.itself = self  # type: ignore[attr-defined]
        return part

    monkeypatch.setattr(building.Builder, "run", kept)
    assert left_behind("python") > 0
