"""C and C++: which file an `#include` means, from paths alone.

A quoted name is first looked for from the folder of the file. Then, and for names in angle
brackets, the roots of includes are not known: a file whose path ends with the name is it when
there is just one, or one that is nearest to the including file.
"""

from __future__ import annotations

from grainline.languages.modules.base import Module, Project


class IncludeModules:
    """Names of `#include`, with their quotes -> files."""

    def __init__(self, project: Project) -> None:
        self._paths = frozenset(project.paths)
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(project.paths):
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._known: dict[tuple[str, str], tuple[Module, ...]] = {}

    def find(self, path: str, name: str) -> tuple[Module, ...]:
        """The file that an `#include` in a file means."""
        folder = path.rpartition("/")[0]
        key = (folder, name)
        known = self._known.get(key)
        if known is None:
            found = self._find(folder, name)
            known = self._known[key] = (Module(found, ""),) if found else ()
        return known

    def _find(self, folder: str, name: str) -> str:
        wanted = _joined("", name[1:-1])
        if name.startswith('"'):
            near = _joined(folder, name[1:-1])
            if near in self._paths:
                return near
        if not wanted:
            return ""
        candidates = self._by_name.get(wanted.rpartition("/")[2], [])
        found = [path for path in candidates if path == wanted or path.endswith(f"/{wanted}")]
        if len(found) == 1:
            return found[0]
        return _nearest(folder, found, wanted)

    def below(self, module: Module, name: str) -> tuple[Module, ...]:
        """Files have no members that are files."""
        del module, name
        return ()

    def files(self, module: Module) -> tuple[str, ...]:
        """Every module is one file."""
        del module
        return ()

    def inside(self, module: Module) -> tuple[str, ...]:
        """The file alone."""
        return (module.path,)

    def beside(self, path: str) -> tuple[Module, ...]:
        """Everything is included."""
        del path
        return ()


def _nearest(folder: str, found: list[str], wanted: str) -> str:
    """The one whose root shares the most folders with the including file; "" when two do."""
    if not found:
        return ""
    here = folder.split("/")
    shared: dict[int, list[str]] = {}
    for path in found:
        root = path[: len(path) - len(wanted)].split("/")
        count = 0
        while count < min(len(here), len(root)) and here[count] == root[count]:
            count += 1
        shared.setdefault(count, []).append(path)
    best = shared[max(shared)]
    return best[0] if len(best) == 1 and max(shared) else ""


def _joined(folder: str, place: str) -> str:
    """A path from a folder; "" when it leads out."""
    parts = folder.split("/") if folder else []
    for part in place.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
