"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every run, so that a failure is the change's; `make soak` looks for new ones.
# A machine may be busy: nothing fails for being slow.
SLOW = (HealthCheck.too_slow,)
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=SLOW)
settings.register_profile("random", derandomize=False, deadline=None, suppress_health_check=SLOW)
settings.load_profile(os.environ.get("GRAINLINE_EXAMPLES", "repeatable"))

ROOT = Path(__file__).resolve().parent.parent


def load_script(path: Path) -> ModuleType:
    """A Python file outside any package, as a module."""
    name = f"script_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look themselves up there
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="module", autouse=True)
def _let_go() -> Iterator[None]:
    """Engines that a module leaves behind hold files open; a few thousand tests make many of them."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of this checkout."""
    return ROOT


@pytest.fixture(scope="session")
def score() -> ModuleType:
    """The scorer of the hostile corpus."""
    return load_script(ROOT / "tests" / "hostile" / "score.py")


@pytest.fixture(scope="session")
def acl() -> ModuleType:
    """The scorer of the corpus's access rules."""
    return load_script(ROOT / "tests" / "hostile" / "acl.py")


@pytest.fixture(scope="session")
def readings() -> ModuleType:
    """What draws samples of edges and scores what was read."""
    return load_script(ROOT / "bench" / "readings.py")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory, score: ModuleType) -> Path:
    """The hostile corpus, built once; tests only read it."""
    out = tmp_path_factory.mktemp("hostile") / "corpus"
    score.build(out)
    return out
