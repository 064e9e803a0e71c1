"""Rust: which file a path of modules means, from paths and the `Cargo.toml` files.

Targets of a package (its library, programs, tests, examples) are crates; the files below the
folder of a crate's root are its modules. A name that no crate of the visible set has is outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from grainline.languages.modules.base import Module, Project

MAX_FILE = 1 << 20
"""Bytes of a `Cargo.toml` that are looked at."""
_OUTSIDE = frozenset({"std", "core", "alloc", "proc_macro"})
_OWN_FOLDERS = ("tests", "examples", "benches", "src/bin")


class _Package(NamedTuple):
    """A `Cargo.toml`: its folder, the roots of its crates, whether names start at the root."""

    folder: str
    library: str
    programs: tuple[str, ...]
    first_edition: bool


class RustModules:
    """Paths of modules -> files."""

    def __init__(self, project: Project) -> None:
        self._paths = frozenset(path for path in project.paths if path.endswith(".rs"))
        self._packages: dict[str, _Package] = {}
        self._libraries: dict[str, list[str]] = {}
        for path, text in sorted(project.files.items()):
            folder, _, name = path.rpartition("/")
            if name == "Cargo.toml":
                self._add(folder, text[:MAX_FILE].decode("utf-8", "replace"))
        self._roots = {
            root
            for package in self._packages.values()
            for root in (package.library, *package.programs)
        }
        self._known: dict[tuple[str, str], tuple[Module, ...]] = {}

    def _add(self, folder: str, text: str) -> None:
        name, library, edition = "", "", ""
        paths: list[str] = []
        for section, key, value in _settings(text):
            if section == "package" and key == "name":
                name = name or value
            elif section == "package" and key == "edition":
                edition = value
            elif section == "lib" and key == "name":
                name = value
            elif key == "path" and section == "lib":
                library = value
            elif key == "path" and section in ("bin", "test", "example", "bench"):
                paths.append(value)
        library = _below(folder, library or "src/lib.rs")
        if not name and library not in self._paths:
            return  # a workspace alone
        programs = [_below(folder, each) for each in (*paths, "src/main.rs", "build.rs")]
        found = tuple(dict.fromkeys(each for each in programs if each in self._paths))
        first = "edition" not in text if not edition else edition == "2015"
        self._packages[folder] = _Package(folder, library, found, first)
        if library in self._paths:
            self._libraries.setdefault(name.replace("-", "_"), []).append(library)

    def find(self, path: str, name: str) -> tuple[Module, ...]:
        """What a path of modules means in a file; each word but the last is a module."""
        key = (path, name)
        known = self._known.get(key)
        if known is None:
            found = {Module(each, "") for each in self._find(path, name.split("::"))}
            known = self._known[key] = tuple(sorted(found))
        return known

    def _find(self, path: str, words: list[str]) -> Iterable[str]:
        at = [path]
        first = words[0]
        if first == "crate":
            at = self._crate(path)
        elif first not in ("self", "super"):
            at = self._named(path, first)
        else:
            words = words if first == "super" else words[1:]
            while words and words[0] == "super":
                at = [above for each in at for above in self._above(each)]
                words = words[1:]
            return self._through(at, words)
        return self._through(at, words[1:])

    def _through(self, at: list[str], words: list[str]) -> list[str]:
        for word in words:
            at = [below for each in at for below in self._child(each, word)]
        return at

    def _child(self, path: str, word: str) -> list[str]:
        """The file of the module `word` of a file."""
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".rs")
        whole = name == "mod.rs" or path in self._roots or self._is_root(path)
        base = folder if whole else _below(folder, stem)
        found = (_below(base, f"{word}.rs"), _below(base, f"{word}/mod.rs"))
        return [each for each in found if each in self._paths][:1]

    def _above(self, path: str) -> list[str]:
        """The file of the module that a file stands in."""
        if path in self._roots or self._is_root(path):
            return []
        folder, _, name = path.rpartition("/")
        if name == "mod.rs":
            folder = folder.rpartition("/")[0]
        found = [f"{folder}.rs", _below(folder, "mod.rs")]
        inside = [each for each in found if each in self._paths and each != path]
        return inside[:1] or [root for root in self._crate(path) if root != path]

    def _is_root(self, path: str) -> bool:
        package = self._package(path)
        inside = path[len(package.folder) :].lstrip("/") if package is not None else path
        folder, _, name = inside.rpartition("/")
        if folder in _OWN_FOLDERS:
            return True
        return name == "main.rs" and folder.rpartition("/")[0] in _OWN_FOLDERS

    def _package(self, path: str) -> _Package | None:
        folder = path.rpartition("/")[0]
        while True:
            found = self._packages.get(folder)
            if found is not None or not folder:
                return found
            folder = folder.rpartition("/")[0]

    def _crate(self, path: str) -> list[str]:
        """The roots of the crates that a file may belong to."""
        if path in self._roots or self._is_root(path):
            return [path]
        package = self._package(path)
        if package is None:
            return self._nearest(path)
        roots = [each for each in (package.library, *package.programs) if each in self._paths]
        around = [(root, root.rpartition("/")[0]) for root in roots]
        inside = [(root, at) for root, at in around if not at or path.startswith(f"{at}/")]
        deepest = max((len(at) for _, at in inside), default=-1)
        found = [root for root, at in inside if len(at) == deepest]
        return found or self._nearest(path)

    def _nearest(self, path: str) -> list[str]:
        folder = path.rpartition("/")[0]
        while True:
            found = [_below(folder, name) for name in ("lib.rs", "main.rs")]
            there = [each for each in found if each in self._paths]
            if there or not folder:
                return there
            folder = folder.rpartition("/")[0]

    def _named(self, path: str, word: str) -> list[str]:
        """A crate of the visible set; in the first edition also a module of the own crate."""
        if word in _OUTSIDE:
            return []
        found = self._libraries.get(word, [])
        package = self._package(path)
        if found or package is None or not package.first_edition:
            return found if len(found) == 1 else []
        return self._through(self._crate(path), [word])

    def below(self, module: Module, name: str) -> tuple[Module, ...]:
        """The module `name` of a module."""
        return tuple(Module(each, "") for each in self._child(module.path, name))

    def files(self, module: Module) -> tuple[str, ...]:
        """Every module is one file."""
        del module
        return ()

    def inside(self, module: Module) -> tuple[str, ...]:
        """A file and those that its modules may be."""
        folder, _, name = module.path.rpartition("/")
        whole = name == "mod.rs" or module.path in self._roots or self._is_root(module.path)
        base = folder if whole else _below(folder, name.removesuffix(".rs"))
        found = [path for path in self._paths if not base or path.startswith(f"{base}/")]
        return tuple(sorted({module.path, *found}))

    def beside(self, path: str) -> tuple[Module, ...]:
        """Everything is imported."""
        del path
        return ()


_SECTION = re.compile(r"\[\[?\s*([\w.-]+)\s*\]\]?")
_SETTING = re.compile(r"""([\w-]+)\s*=\s*["']([^"']*)["']""")


def _settings(text: str) -> Iterator[tuple[str, str, str]]:
    """Section, key and value of every text that stands alone on a line."""
    section = ""
    for line in text.splitlines():
        line = line.strip()
        header = _SECTION.match(line)
        setting = _SETTING.match(line)
        if header is not None:
            section = header[1]
        elif setting is not None:
            yield section, setting[1], setting[2]


def _below(folder: str, name: str) -> str:
    name = name.removeprefix("./")
    return f"{folder}/{name}" if folder else name
