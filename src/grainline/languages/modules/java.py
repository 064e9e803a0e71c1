"""Java and its neighbours: packages, and which files of a package a file may see.

A file belongs to the source root that its package leaves of its path. Tests see everything, other
files see no root of tests. The nearest kind of root that has a name decides: the own root, the
roots of the own module, all others; several of one kind are a set.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Final, NamedTuple

from grainline.languages.modules.base import Module, Project

_TESTS: Final = frozenset(
    {"test", "tests", "testing", "it", "integrationTest", "integration-test", "androidTest",
     "testFixtures", "functionalTest", "jmh"}
)  # fmt: skip
_LAYOUT: Final = frozenset({"src", "source", "java", "kotlin", "main", "test", "tests"})
MAX_SET: Final = 8
"""Files that one name may mean; more are no answer."""


class Root(NamedTuple):
    """A source root: its folder, the module it is of, whether it holds tests."""

    folder: str
    module: str
    tests: bool


class JavaModules:
    """Packages of one project: a module is a package, its `folder` the name of it."""

    def __init__(self, project: Project) -> None:
        self._files: dict[str, list[str]] = {}
        self._package: dict[str, str] = {}
        self._roots: dict[str, Root] = {}
        self._above: set[str] = set()
        roots: dict[str, Root] = {}
        for path in sorted(project.paths):
            package = next(iter(project.packages.get(path, ())), "")
            self._package[path] = package
            self._files.setdefault(package, []).append(path)
            folder = root_folder(path, package)
            if folder not in roots:
                roots[folder] = _root(folder)
            self._roots[path] = roots[folder]
            while package and package not in self._above:
                self._above.add(package)
                package = package.rpartition(".")[0]

    # -------------------------------------------------------------------------- modules

    def find(self, path: str, name: str) -> tuple[Module, ...]:
        """The package that a name in full is, or that the class of that name is in."""
        del path
        while name:
            if name in self._files:
                return (Module("", name),)
            name = name.rpartition(".")[0]
        return ()

    def below(self, module: Module, name: str) -> tuple[Module, ...]:
        """The package inside of another."""
        inner = f"{module.folder}.{name}"
        return (Module("", inner),) if inner in self._files else ()

    def files(self, module: Module) -> tuple[str, ...]:
        """All files of a package."""
        return tuple(self._files.get(module.folder, ()))

    def inside(self, module: Module) -> Iterable[str]:
        """The same: who names a package in full names the inner one in full."""
        return self.files(module)

    def beside(self, path: str) -> tuple[Module, ...]:
        """The own package."""
        return (Module("", self._package[path]),)

    # -------------------------------------------------------------------------- names

    def is_package(self, name: str) -> bool:
        """Whether some file is in the package or below it."""
        return name in self._above

    def nearest(self, path: str, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of `paths` that a name may mean which they all have, as the file `path` sees it."""
        ranks: dict[int, list[str]] = {}
        for each in paths:
            ranks.setdefault(self.rank(path, each), []).append(each)
        ranks.pop(-1, None)
        found = ranks[min(ranks)] if ranks else []
        return tuple(found) if len(found) <= MAX_SET else ()

    def rank(self, path: str, other: str) -> int:
        """How far a file is: 0 in the own root, 1 in the module, 2 elsewhere, 3 in tests there.

        -1: it is not seen.
        """
        root, there = self._roots[path], self._roots[other]
        if there.tests and not root.tests:
            return -1
        if there.folder == root.folder:
            return 0
        return 1 if there.module == root.module else 2 + there.tests

    def is_test(self, path: str) -> bool:
        """Whether a file is there for tests alone."""
        return self._roots[path].tests


def _is_test(parts: list[str]) -> bool:
    """Whether a root holds tests: by a folder, or by a source set of that name (`src/jvmTest`)."""
    sets = [part for before, part in itertools.pairwise(parts) if before == "src"]
    return not _TESTS.isdisjoint(parts) or any(part.endswith("Test") for part in sets)


def root_folder(path: str, package: str) -> str:
    """The folder that the package of a file leaves of its path."""
    folder = path.rpartition("/")[0]
    inside = package.replace(".", "/")
    if folder == inside:
        return ""
    return folder.removesuffix("/" + inside) if inside else folder


def _root(folder: str) -> Root:
    parts = folder.split("/")
    at = next((n for n, part in enumerate(parts) if part in _LAYOUT), len(parts))
    return Root(folder, "/".join(parts[:at]), _is_test(parts))
