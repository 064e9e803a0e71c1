"""Python: which file a module name means, from the paths of a repository alone.

Roots are tried in the order in which an interpreter would most likely have them: the root of the
importing file's own package, the folders around it, then the source roots of the repository. The
first kind of root that has the module decides; several source roots that have it give a set.
"""

from __future__ import annotations

from collections.abc import Iterable

from grainline.languages.modules.base import Module, Project

SUFFIXES = (".py", ".pyi", ".pyx", ".pyw")
_TESTS = frozenset({"test", "tests", "testing"})
_SOURCE_FOLDERS = frozenset({"src", "lib", "python", "source"})
MAX_SET = 8
"""Files that one name may mean; more are no answer."""


class PythonModules:
    """Module names -> files of one set of paths; a folder without an `__init__` has no file."""

    def __init__(self, project: Project) -> None:
        self._files: dict[str, str] = {}
        self._packages: dict[str, str] = {}
        self._folders: set[str] = set()
        for suffix in reversed(SUFFIXES):  # `.py` has the last word
            for path in project.paths:
                stem = path.removesuffix(suffix)
                if stem != path:
                    self._add(stem, path)
        self._stems = sorted(self._files.items())
        self._roots = self._source_roots()
        self._near: dict[str, list[str]] = {}
        self._known: dict[tuple[str, str], tuple[Module, ...]] = {}

    def _add(self, stem: str, file: str) -> None:
        folder, _, name = stem.rpartition("/")
        self._files[stem] = file
        if name == "__init__":
            self._packages[folder] = file
        while folder and folder not in self._folders:
            self._folders.add(folder)
            folder = folder.rpartition("/")[0]

    def _source_roots(self) -> list[str]:
        """Folders from which packages or, in folders made for it, modules can be imported."""
        roots: set[str] = set()
        for package in self._packages:
            if package and package.rpartition("/")[0] not in self._packages:
                roots.add(package.rpartition("/")[0])
        # also above packages whose `__init__` is not there or empty: it is indexed as nothing then
        for folder in self._folders:
            if folder not in self._packages and folder.rpartition("/")[2] in _SOURCE_FOLDERS:
                roots.add(folder)
        return sorted(roots)

    def _roots_near(self, folder: str) -> list[str]:
        """Roots in the order in which a file of `folder` sees them."""
        near = self._near.get(folder)
        if near is None:
            near = list[str]()
            at = folder
            while at:
                if at not in self._packages:
                    near.append(at)
                at = at.rpartition("/")[0]
            near.append("")
            self._near[folder] = near
        return near

    def find(self, path: str, name: str) -> tuple[Module, ...]:
        """What `name` (with leading dots when relative) means in the file `path`, sorted."""
        folder = path.rpartition("/")[0]
        key = (folder, name)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = tuple(sorted(self._find(folder, name)))
        return found

    def _find(self, folder: str, name: str) -> Iterable[Module]:
        parts = name.lstrip(".")
        level = len(name) - len(parts)
        if level:
            for _ in range(level - 1):
                if not folder:
                    return ()
                folder = folder.rpartition("/")[0]
            return self._in(folder, parts)
        near = self._roots_near(folder)
        spaces: set[Module] = set()
        for root in near:
            for module in self._in(root, parts):
                if module.path:
                    return (module,)
                spaces.add(module)
        testing = not _TESTS.isdisjoint(folder.split("/"))
        far: set[Module] = set()
        for root in self._roots:
            if testing or _TESTS.isdisjoint(root.split("/")):
                found = self._in(root, parts)
                far.update(module for module in found if module.path)
                spaces.update(module for module in found if not module.path)
        chosen = far or spaces
        return chosen if len(chosen) <= MAX_SET else ()

    def _in(self, root: str, name: str) -> tuple[Module, ...]:
        place = name.replace(".", "/")
        stem = f"{root}/{place}" if root and place else root or place
        if stem in self._packages:
            return (Module(self._packages[stem], stem),)
        if stem in self._files:
            return (Module(self._files[stem], ""),)
        if stem in self._folders or not stem:
            return (Module("", stem),)
        return ()

    def below(self, module: Module, name: str) -> tuple[Module, ...]:
        """The module `name` of a package."""
        if module.path and not module.folder and module.path != self._packages.get(""):
            return ()
        return self._in(module.folder, name)

    def files(self, module: Module) -> tuple[str, ...]:
        """A folder binds no names."""
        del module
        return ()

    def inside(self, module: Module) -> Iterable[str]:
        """The file, and of a package all below it."""
        if module.path and not module.folder and module.path != self._packages.get(""):
            return (module.path,)
        below = f"{module.folder}/" if module.folder else ""
        return [path for stem, path in self._stems if stem.startswith(below)]

    def beside(self, path: str) -> tuple[Module, ...]:
        """Everything is imported."""
        del path
        return ()
