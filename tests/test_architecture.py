"""ARCHITECTURE.md and the import contracts against the code that is there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "grainline"

OWNERS = {
    "sqlite3": {"storage"},
    "tree_sitter": {"languages", "parsing"},
    "subprocess": {"snapshots", "precise", "indexing", "lab"},  # of the lab: built-in tests
    "multiprocessing": set(),
    "pickle": set(),
    "socket": {"indexing"},  # the owner of a home
    "http": {"embedding", "llm", "surfaces"},
    "urllib": {"embedding", "llm"},
    "httpx": {"embedding", "llm"},
    "requests": set(),
    "mcp": {"surfaces"},
    "fastapi": {"surfaces"},
    "starlette": {"surfaces"},
    "uvicorn": {"surfaces"},
    "click": {"surfaces"},
    "typer": {"surfaces"},
    "rich": {"surfaces"},
    "argparse": {"surfaces", "lab"},  # `python -m grainline.lab`
}
PURE = {
    "model", "text", "languages", "parsing", "documents", "chunking", "graph", "flow",
}  # fmt: skip
HEAVY = {
    "numpy", "tree_sitter", "sqlite3", "zstandard", "re2", "Stemmer", "click", "typer", "rich",
    "mcp", "watchfiles", "scipy", "matplotlib", "plotly", "ir_measures",
}  # fmt: skip


def rooms() -> dict[str, Path]:
    """Room name -> folder or file."""
    found = {
        path.stem: path
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    found.pop("__init__")
    return found


def modules() -> list[Path]:
    builtin = PACKAGE / "lab" / "builtin"  # data: code that questions are asked about
    return sorted(path for path in PACKAGE.rglob("*.py") if builtin not in path.parents)


def room_of(module: Path) -> str:
    return Path(module.relative_to(PACKAGE).parts[0]).stem


def imports(source: str) -> set[str]:
    """Top-level packages that a module imports, at any depth."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def strangers(room: str, source: str) -> set[str]:
    """Outside things that a module of `room` uses without owning them."""
    return {name for name in imports(source) if room not in OWNERS.get(name, {room})}


def settings() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def contracts() -> dict[str, dict]:
    return {row["name"]: row for row in settings()["tool"]["importlinter"]["contracts"]}


def test_every_room_has_its_heading_and_every_heading_its_room():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    headings = re.findall(r"^### `([\w/.]+)`$", text, flags=re.MULTILINE)
    expected = {name + ("/" if path.is_dir() else ".py") for name, path in rooms().items()}
    assert sorted(headings) == sorted(expected)


def test_the_rooms_are_in_the_layers_contract_and_those_that_exist_are_not_optional():
    (layers,) = (
        row["layers"] for row in contracts().values() if row.get("containers") == ["grainline"]
    )
    named = [name.strip() for layer in layers for name in layer.split("|")]
    optional = {name[1:-1] for name in named if name.startswith("(")}
    assert set(rooms()) <= {name.strip("()") for name in named}
    assert not optional & set(rooms()), "these rooms exist: drop their parentheses"


def test_the_contract_of_pure_rooms_names_every_pure_room_that_exists():
    (pure,) = (row for name, row in contracts().items() if name.startswith("Analysis is pure"))
    assert set(pure["source_modules"]) == {f"grainline.{name}" for name in PURE & set(rooms())}
    assert {"sqlite3", "subprocess", "socket"} <= set(pure["forbidden_modules"])


def test_contracts_are_exhaustive():
    layered = [row for row in contracts().values() if row["type"] == "layers"]
    assert layered
    assert all(row["exhaustive"] for row in layered)


def test_outside_things_have_one_owner():
    found = {
        str(module.relative_to(PACKAGE)): strange
        for module in modules()
        if (strange := strangers(room_of(module), module.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_a_stranger_is_noticed_wherever_it_is_imported():
    assert strangers("retrieval", "def f():\n    import sqlite3.dbapi2\n") == {"sqlite3"}
    assert strangers("context", "from subprocess import run") == {"subprocess"}
    assert strangers("storage", "import sqlite3") == set()


def test_pure_rooms_open_no_files():
    opened = {
        str(module.relative_to(PACKAGE))
        for module in modules()
        if room_of(module) in PURE
        and imports(module.read_text(encoding="utf-8")) & {"os", "pathlib", "io", "time", "shutil"}
    }
    # the deadline of a parse is the one clock that analysis looks at
    assert opened <= {"parsing/tree.py"}


@pytest.mark.parametrize("module", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_public_module_says_what_it_is(module):
    tree = ast.parse(module.read_text(encoding="utf-8"))
    assert (module.name == "__init__.py" and not tree.body) or ast.get_docstring(tree)


def test_exported_names_exist_and_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, grainline\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)))\n"
        "print(all(getattr(grainline, name) for name in grainline.__all__))\n"
        "print(list(grainline.__all__) == sorted(grainline.__all__) == dir(grainline))\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert shown.split("\n") == ["[]", "True", "True", ""]


def test_lock_files_pin_by_hash_and_name_no_host():
    for name in ("core", "dev"):
        text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
        assert "://" not in text
        assert not re.search(r"^--", text, flags=re.MULTILINE)
        pins = re.findall(r"^[\w.-]+==\S+", text, flags=re.MULTILINE)
        assert len(pins) == len(re.findall(r"^\S+==[^\n]*\\\n    --hash=", text, re.MULTILINE))
    core = set(re.findall(r"^(\S+==\S+)", (ROOT / "requirements" / "core.txt").read_text(), re.M))
    dev = set(re.findall(r"^(\S+==\S+)", (ROOT / "requirements" / "dev.txt").read_text(), re.M))
    assert core <= dev, "the two lock files must agree"


def test_every_direct_dependency_is_locked():
    project = settings()["project"]
    locked = (ROOT / "requirements" / "core.txt").read_text(encoding="utf-8").lower()
    for requirement in project["dependencies"]:
        name = re.match(r"[\w-]+", requirement)[0].lower()
        assert re.search(rf"^{name.replace('_', '-')}==", locked, flags=re.MULTILINE), name
