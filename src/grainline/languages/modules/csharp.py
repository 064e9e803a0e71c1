"""C#: namespaces, and which files a file sees.

A file belongs to the projects (`*.csproj`) of the nearest folder above it that has any, and sees
their files and those of the projects that they refer to. A file without a project sees all files
without one; tests are told by their folders there, and nothing else sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from grainline.languages.modules.base import Module, Project

MAX_SET: Final = 8
"""Files that one name may mean; more are no answer."""

MAX_FILE: Final = 1 << 20
"""Bytes of a project file that are read."""

_REFERENCE = re.compile(rb"""<ProjectReference\s[^>]*?Include\s*=\s*["']([^"']{1,1000})["']""")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_TESTS: Final = re.compile(r"(?:^|[./_-])[Tt]ests?$|[a-z]Tests?$")


class CsharpModules:
    """Namespaces of one family of files: a module is a group of projects that refer to each other."""

    def __init__(self, project: Project) -> None:
        self._references: dict[str, set[str]] = {}
        for path, text in sorted(project.files.items()):
            if path.endswith(".csproj"):
                folder = path.rpartition("/")[0]
                found = self._references.setdefault(folder, set())
                for name in _REFERENCE.findall(_COMMENT.sub(b"", text[:MAX_FILE])):
                    target = _joined(folder, name.decode("utf-8", "replace"))
                    if target is not None:
                        found.add(target.rpartition("/")[0])
        self._homes: dict[str, str | None] = {}
        self._home = {path: self._home_of(path.rpartition("/")[0]) for path in project.paths}
        self._seen: dict[str, frozenset[str]] = {}
        self._above: set[str] = set()
        for names in project.packages.values():
            for name in names:
                while name and name not in self._above:
                    self._above.add(name)
                    name = name.rpartition(".")[0]
        self._paths = tuple(sorted(project.paths))

    def _home_of(self, folder: str) -> str | None:
        """The folder of the project that a folder is of."""
        passed: list[str] = []
        at = folder
        found: str | None = None
        while True:
            if at in self._homes:
                found = self._homes[at]
                break
            passed.append(at)
            if at in self._references:
                found = at
                break
            if not at:
                break
            at = at.rpartition("/")[0]
        for each in passed:
            self._homes[each] = found
        return found

    # -------------------------------------------------------------------------- modules

    def find(self, path: str, name: str) -> tuple[Module, ...]:
        """Whatever a file may name stands beside it."""
        del path, name
        return ()

    def below(self, module: Module, name: str) -> tuple[Module, ...]:
        """The same."""
        del module, name
        return ()

    def files(self, module: Module) -> tuple[str, ...]:
        """All files: namespaces go through all projects."""
        del module
        return self._paths

    def inside(self, module: Module) -> Iterable[str]:
        """The same."""
        return self.files(module)

    def beside(self, path: str) -> tuple[Module, ...]:
        """All files, and what the own project is and sees."""
        home = self._home.get(path)
        seen = "" if home is None else "|".join([home, *sorted(self.seen(home))])
        return (Module("", ""), Module("", f"{home is None}|{seen}"))

    # -------------------------------------------------------------------------- names

    def seen(self, home: str) -> frozenset[str]:
        """The projects that one refers to, itself included, however far."""
        known = self._seen.get(home)
        if known is None:
            found: set[str] = set()
            open_ = [home]
            while open_:
                at = open_.pop()
                if at not in found:
                    found.add(at)
                    open_ += self._references.get(at, ())
            known = self._seen[home] = frozenset(found)
        return known

    def project(self, path: str) -> str:
        """What tells the project of a file from others; tests without one are apart."""
        home = self._home.get(path)
        if home is None:
            return "?tests" if is_test(path) else "?"
        return f"={home}"

    def is_package(self, name: str) -> bool:
        """Whether some file is in the namespace or below it."""
        return name in self._above

    def sees(self, path: str, other: str) -> bool:
        """Whether a file may name what another one declares."""
        home, there = self._home.get(path), self._home.get(other)
        if home is not None:
            return there in self.seen(home)
        return there is None and (is_test(path) or not is_test(other))

    def nearest(self, path: str, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of `paths` that a name may mean which they all have, as the file `path` sees it."""
        visible = [each for each in paths if self.sees(path, each)]
        home = self._home.get(path)
        own = [each for each in visible if self._home.get(each) == home]
        found = own or visible
        return tuple(found) if len(found) <= MAX_SET else ()


def is_test(path: str) -> bool:
    """Whether a folder says that the code of a path is there for tests alone."""
    return any(_TESTS.search(part) for part in path.split("/")[:-1])


def _joined(folder: str, place: str) -> str | None:
    """A relative path from a folder; None when it leads out."""
    parts = folder.split("/") if folder else []
    for part in place.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
