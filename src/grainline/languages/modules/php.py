"""PHP: which files define a full name, from what files define and how `composer.json` loads it.

A name is that of a class, or of a function with `()` behind it. Where several files define one, those
from which the `composer.json` above the asking file loads it decide, then those of any other one,
then all. What is there for tests alone is seen by tests only, unless `autoload` names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

from grainline.languages.modules.base import Module, Project

MAX_SET: Final = 8
"""Files that one name may mean; more are no answer."""
MAX_FILE: Final = 1 << 20
"""Bytes of a `composer.json` that are looked at."""
MAX_RULES: Final = 1024
"""Rules of one `composer.json`."""
_TESTS: Final = frozenset({"test", "tests"})


def is_test(path: str) -> bool:
    """Whether a file is there for tests alone."""
    *folders, name = path.split("/")
    return name.endswith("Test.php") or any(folder.lower() in _TESTS for folder in folders)


class Rule(NamedTuple):
    """How names are loaded: `psr-4`, `psr-0`, `classmap` or `files`, a prefix, a place."""

    kind: str
    prefix: str
    place: str

    def loads(self, name: str, path: str) -> bool:
        """Whether the name is looked for in the file."""
        if self.kind == "files":
            return path == self.place
        if name.endswith("()"):
            return False
        if self.kind == "classmap":
            return path == self.place or path.startswith(_below(self.place))
        if not name.lower().startswith(self.prefix.lower()):
            return False
        if self.kind == "psr-4":
            inside = name[len(self.prefix) :].replace("\\", "/")
        else:
            space, _, last = name.rpartition("\\")
            inside = _below(space.replace("\\", "/")) + last.replace("_", "/")
        return path == f"{_below(self.place)}{inside}.php"


def _below(folder: str) -> str:
    return f"{folder}/" if folder else ""


class PhpModules:
    """Full names -> files that define them."""

    def __init__(self, project: Project) -> None:
        self._paths = frozenset(project.paths)
        self._files: dict[str, list[str]] = {}
        for path in sorted(project.paths):
            for name in dict.fromkeys(project.packages.get(path, ())):
                self._files.setdefault(name, []).append(path)
        self._rules: dict[str, tuple[tuple[Rule, ...], tuple[Rule, ...]]] = {}
        for path, text in sorted(project.files.items()):
            folder, _, name = path.rpartition("/")
            if name == "composer.json":
                said = _read(text)
                self._rules[folder] = (
                    tuple(_rules(folder, said.get("autoload"))),
                    tuple(_rules(folder, said.get("autoload-dev"))),
                )
        self._known: dict[tuple[bool, str, str], tuple[str, ...]] = {}

    # -------------------------------------------------------------------------- names

    def defining(self, path: str, name: str) -> tuple[str, ...]:
        """The files that define a full name, as the file `path` sees it, sorted."""
        found = self._files.get(name)
        if found is None:
            return ()
        key = (is_test(path), self._home(path), name)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._chosen(key[0], key[1], name, found)
        return known

    def _home(self, path: str) -> str:
        """The folder of the nearest `composer.json` above a file."""
        folder = path.rpartition("/")[0]
        while folder and folder not in self._rules:
            folder = folder.rpartition("/")[0]
        return folder

    def _chosen(self, testing: bool, home: str, name: str, paths: list[str]) -> tuple[str, ...]:
        ranks: tuple[list[str], list[str], list[str]] = ([], [], [])
        for path in paths:
            near = self._loads(home, name, path, testing)
            far = near or any(self._loads(root, name, path, testing) for root in self._rules)
            if near or far or testing or not is_test(path):
                ranks[0 if near else 1 if far else 2].append(path)
        found = next((rank for rank in ranks if rank), list[str]())
        return tuple(found) if len(found) <= MAX_SET else ()

    def _loads(self, root: str, name: str, path: str, testing: bool) -> bool:
        rules, more = self._rules.get(root, ((), ()))
        wanted = (*rules, *more) if testing else rules
        return any(rule.loads(name, path) for rule in wanted)

    # -------------------------------------------------------------------------- modules

    def find(self, path: str, name: str) -> tuple[Module, ...]:
        """The files that a full name, or an included path (`./x.php`), means."""
        if not name.startswith("./"):
            return tuple(Module(found, "") for found in self.defining(path, name))
        parts = path.split("/")[:-1]
        for word in name.split("/"):
            if word == "..":
                if not parts:
                    return ()
                parts.pop()
            elif word not in ("", "."):
                parts.append(word)
        found = "/".join(parts)
        return (Module(found, ""),) if found in self._paths else ()

    def below(self, module: Module, name: str) -> tuple[Module, ...]:
        """A file has no files in it."""
        del module, name
        return ()

    def files(self, module: Module) -> tuple[str, ...]:
        """Every module is a file."""
        del module
        return ()

    def inside(self, module: Module) -> Iterable[str]:
        """The file."""
        return (module.path,)

    def beside(self, path: str) -> tuple[Module, ...]:
        """Everything is found by its full name."""
        del path
        return ()


def _read(text: bytes) -> Mapping[str, object]:
    """What a `composer.json` says; {} for one that cannot be read."""
    try:
        return _mapping(json.loads(text[:MAX_FILE]))
    except (ValueError, RecursionError):
        return {}


def _rules(folder: str, said: object) -> Iterator[Rule]:
    left = MAX_RULES
    for kind in ("psr-4", "psr-0", "classmap", "files"):
        for prefix, place in _places(_mapping(said).get(kind)):
            left -= 1
            if left < 0:
                return
            parts = [part for part in place.split("/") if part not in ("", ".")]
            yield Rule(kind, prefix, _below(folder) + "/".join(parts) if parts else folder)


def _places(said: object) -> Iterator[tuple[str, str]]:
    """Prefixes and places; lists have no prefixes."""
    rows = _mapping(said) or {"": said}
    for prefix, places in rows.items():
        for place in _list(places):
            if isinstance(place, str):
                yield prefix.lstrip("\\"), place


def _mapping(said: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", said) if isinstance(said, dict) else {}


def _list(said: object) -> Sequence[object]:
    return cast("Sequence[object]", said) if isinstance(said, list) else (said,)
