"""Go: which files an import path means, from paths, package clauses and `go.mod` files.

A package is the files of one folder with one package clause; files of tests are seen by tests
only. With a `go.mod` above the importing file module paths decide, the longest first, and of one path
in several files what that `go.mod` says; without one a folder that ends the import path does, when there is just one and the path names a host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from grainline.languages.modules.base import Module, Project

_TESTS = "!tests"
"""Ends the name of the part of a package that only its tests see."""
MAX_FILE = 1 << 20
"""Bytes of a `go.mod` that are looked at."""


class GoModules:
    """Import paths -> packages. The folder of a `Module` is `folder#package`."""

    def __init__(self, project: Project) -> None:
        self._files: dict[str, list[str]] = {}
        self._packages: dict[str, set[str]] = {}
        self._own: dict[str, str] = {}
        for path in sorted(project.paths):
            self._add(path, (project.packages.get(path) or ("",))[0])
        self._roots: dict[str, set[str]] = {}
        self._homes: dict[str, dict[str, str]] = {}
        for path, text in sorted(project.files.items()):
            folder, _, name = path.rpartition("/")
            if name == "go.mod":
                self._module(folder, text[:MAX_FILE])
        self._ends = self._endings()
        self._known: dict[tuple[str, str], tuple[Module, ...]] = {}

    def _add(self, path: str, package: str) -> None:
        folder, _, name = path.rpartition("/")
        if not name.endswith(".go") or name[0] in "._":
            return
        testing = name.endswith("_test.go")
        own = f"{folder}#{package}" + (_TESTS if testing else "")
        self._own[path] = own
        self._files.setdefault(own, []).append(path)
        if not testing:
            self._packages.setdefault(folder, set()).add(package)

    def _module(self, folder: str, text: bytes) -> None:
        plain = _COMMENT.sub(b"", text).decode("utf-8", "replace")
        own = self._homes[folder] = {}
        found = _MODULE.search(plain)
        if found is not None:
            own[found[1] or found[2]] = folder
        for name, place in _REPLACE.findall(plain):
            target = _joined(folder, place)
            if target is not None:
                own.setdefault(name, target)
        for name, place in own.items():
            self._roots.setdefault(name, set()).add(place)

    def _endings(self) -> dict[str, list[str]]:
        """Path of a folder, and what stands behind a `src/` of it -> the folders."""
        found: dict[str, list[str]] = {}
        for folder in sorted(self._packages):
            found.setdefault(folder, []).append(folder)
            _, source, rest = f"/{folder}".rpartition("/src/")
            if source:
                found.setdefault(rest, []).append(folder)
        return found

    def find(self, path: str, name: str) -> tuple[Module, ...]:
        """The packages that an import path means in a file."""
        folder = path.rpartition("/")[0]
        key = (folder, name)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = tuple(sorted(self._find(folder, name)))
        return known

    def _find(self, folder: str, name: str) -> Iterable[Module]:
        if name.startswith(("./", "../")) or name in (".", ".."):
            return self._in(_joined(folder, name))
        for above in _upwards(folder):
            found = self._in(f"{above}/vendor/{name}" if above else f"vendor/{name}")
            if found:
                return found
        own = next((self._homes[at] for at in _upwards(folder) if at in self._homes), None)
        if own is not None:
            return self._of_module(own, name)
        return self._by_ending(folder, name)

    def _of_module(self, own: Mapping[str, str], name: str) -> Iterable[Module]:
        """Of nested modules the innermost one has the package.

        What the importing module says of a path (its own, or what it replaces) decides; what others
        say counts where all of them say the same.
        """
        for root in _upwards(name):
            others = self._roots.get(root, ())
            home = own.get(root, next(iter(others)) if len(others) == 1 else None)
            if home is None or not root:
                continue
            rest = name[len(root) + 1 :]
            place = f"{home}/{rest}" if home and rest else home or rest
            inner = next((at for at in _upwards(place) if at in self._homes), None)
            return self._in(place) if inner is None or len(inner) <= len(home) else ()
        return ()

    def _by_ending(self, folder: str, name: str) -> Iterable[Module]:
        parts = name.split("/")
        for start in range(len(parts)):
            if start and "." not in parts[0]:
                break
            found = self._ends.get("/".join(parts[start:]), ())
            if start == 0 and "." not in parts[0]:
                found = [each for each in found if each != name]
            allowed = [each for each in found if _may_see(folder, each)]
            if allowed:
                return self._in(allowed[0]) if len(allowed) == 1 else ()
        return ()

    def _in(self, folder: str | None) -> tuple[Module, ...]:
        """The package of a folder that can be imported."""
        if folder is None:
            return ()
        names = self._packages.get(folder, set())
        importable = sorted(names - {"main", "documentation"} or names)
        return tuple(Module("", f"{folder}#{name}") for name in importable)

    def below(self, module: Module, name: str) -> tuple[Module, ...]:
        """Packages have no members that are packages."""
        del module, name
        return ()

    def files(self, module: Module) -> tuple[str, ...]:
        """The files of a package, or of its tests."""
        return tuple(self._files.get(module.folder, ()))

    def inside(self, module: Module) -> tuple[str, ...]:
        """A package has nothing below it."""
        return self.files(module)

    def named(self, path: str, imported: str, word: str) -> tuple[Module, ...]:
        """The packages of an import path that are called `word`."""
        return tuple(
            found for found in self.find(path, imported) if found.folder.endswith(f"#{word}")
        )

    def beside(self, path: str) -> tuple[Module, ...]:
        """The own package; tests see that of its tests too."""
        own = self._own.get(path)
        if own is None:
            return ()
        both = sorted({own, own.removesuffix(_TESTS)})
        return tuple(Module("", each) for each in both if each in self._files)


_COMMENT = re.compile(rb"//[^\n]*")
_MODULE = re.compile(r'^\s*module\s+(?:"([^"\s]+)"|([^"\s]+))\s*$', re.MULTILINE)
_REPLACE = re.compile(r"^[ \t]*(?:replace[ \t]+)?(\S+)(?:[ \t]+v\S+)?[ \t]*=>[ \t]*(\.\.?/\S*|\.\.?)[ \t]*\r?$", re.MULTILINE)  # fmt: skip


def _upwards(place: str) -> Iterable[str]:
    """A path and everything above it, the root last."""
    while place:
        yield place
        place = place.rpartition("/")[0]
    yield ""


def _joined(folder: str, place: str) -> str | None:
    """A relative path from a folder; None when it leads out."""
    parts = folder.split("/") if folder else []
    for part in place.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _may_see(folder: str, other: str) -> bool:
    """Whether a folder may import another one: what is below `internal` is for its neighbours."""
    before, inside, _ = f"/{other}/".rpartition("/internal/")
    return not inside or f"/{folder}/".startswith(f"{before}/")
