"""JavaScript and TypeScript: which file an import means, from paths and the files that configure it.

A name that starts with a dot is a path; extensions and `index` are guessed as bundlers and
TypeScript do. Any other name is tried in the nearest `tsconfig.json` (`paths`, `baseUrl`), then
among the packages of the project (`name`, `exports`, `main` of every `package.json`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

from grainline.languages.modules.base import Module, Project

SUFFIXES: Final = (
    ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".d.mts", ".d.cts", ".es6",
)  # fmt: skip
_WRITTEN: Final = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}  # fmt: skip
"""Extensions of what a compiler will have made -> those of what is there."""
_CONFIGS: Final = ("tsconfig.json", "jsconfig.json")
_CONDITIONS: Final[tuple[str, ...]] = (
    "source",
    "types",
    "import",
    "module",
    "default",
    "require",
    "node",
    "browser",
)
MAX_FILE: Final = 1 << 20
"""Bytes of a configuration that are read."""
MAX_PATTERNS: Final = 256
MAX_DEPTH: Final = 8


class JavaScriptModules:
    """Module names -> files of one project."""

    def __init__(self, project: Project) -> None:
        self._paths = frozenset(project.paths)
        self._known: dict[tuple[str, str], tuple[Module, ...]] = {}
        self._manifests: dict[str, dict[str, Any]] = {}
        self._packages: dict[str, str] = {}
        self._configs: dict[str, dict[str, Any]] = {}
        self._near: dict[str, str | None] = {}
        for path in sorted(project.files):
            folder, _, name = path.rpartition("/")
            if name == "package.json":
                manifest = self._manifests[folder] = _parsed(project.files[path])
                if isinstance(manifest.get("name"), str):
                    self._packages.setdefault(str(manifest["name"]), folder)
            elif name in _CONFIGS or name.startswith("tsconfig."):
                self._configs[path] = _parsed(project.files[path])

    def find(self, path: str, name: str) -> tuple[Module, ...]:
        """The file that `name` means in the file `path`: one or none."""
        folder = path.rpartition("/")[0]
        key = (folder, name)
        found = self._known.get(key)
        if found is None:
            at = self._find(folder, name)
            found = self._known[key] = (Module(at, ""),) if at else ()
        return found

    def below(self, module: Module, name: str) -> tuple[Module, ...]:
        """Modules have no modules below them."""
        del module, name
        return ()

    def files(self, module: Module) -> tuple[str, ...]:
        """A module is one file."""
        del module
        return ()

    def inside(self, module: Module) -> Iterable[str]:
        """The file."""
        return (module.path,) if module.path else ()

    def beside(self, path: str) -> tuple[Module, ...]:
        """Everything is imported."""
        del path
        return ()

    def _find(self, folder: str, name: str) -> str:
        name = name.partition("?")[0].removeprefix("node:")
        if name.startswith("."):
            place = _joined(folder, name)
            return self._file(place) if place is not None else ""
        if not name or name.startswith("/"):
            return ""
        return self._configured(folder, name) or self._package(folder, name)

    def _file(self, place: str) -> str:
        """The file at a place whose extension may be left out, or be that of compiled code."""
        if place in self._paths:
            return place
        stem, dot, suffix = place.rpartition(".")
        for other in _WRITTEN.get(dot + suffix, ()):
            if stem + other in self._paths:
                return stem + other
        for suffix in SUFFIXES:
            if place + suffix in self._paths:
                return place + suffix
        main = self._manifests.get(place, {}).get("main")
        if isinstance(main, str) and (inside := _joined(place, main)) and inside != place:
            found = self._made(place, main)
            if found:
                return found
        index = f"{place}/index" if place else "index"
        return next((index + suffix for suffix in SUFFIXES if index + suffix in self._paths), "")

    def _made(self, folder: str, target: str) -> str:
        """The source of a file that a manifest names, which may be the result of a build."""
        place = _joined(folder, target)
        if place is None:
            return ""
        if place in self._paths or self._suffixed(place):
            return place if place in self._paths else self._suffixed(place)
        inside = place[len(folder) :].lstrip("/")
        first, _, rest = inside.partition("/")
        base = f"{folder}/src" if folder else "src"
        for each in (rest, rest.partition("/")[2]) if first else ():
            found = self._suffixed(f"{base}/{each}") if each else ""
            if found:
                return found
        return ""

    def _suffixed(self, place: str) -> str:
        for suffix in sorted(SUFFIXES, key=len, reverse=True):
            if place.endswith(suffix):
                place = place.removesuffix(suffix)
                break
        for stem in (place, f"{place}/index"):
            for suffix in SUFFIXES:
                if stem + suffix in self._paths:
                    return stem + suffix
        return ""

    # -------------------------------------------------------------------- tsconfig

    def _config_near(self, folder: str) -> str | None:
        if folder not in self._near:
            own = [f"{folder}/{name}" if folder else name for name in _CONFIGS]
            found = next((path for path in own if path in self._configs), None)
            if found is None and folder:
                found = self._config_near_above(folder)
            self._near[folder] = found
        return self._near[folder]

    def _config_near_above(self, folder: str) -> str | None:
        at = folder
        while at:
            at = at.rpartition("/")[0]
            for name in _CONFIGS:
                path = f"{at}/{name}" if at else name
                if path in self._configs:
                    return path
        return None

    def _configured(self, folder: str, name: str) -> str:
        path = self._config_near(folder)
        for _ in range(MAX_DEPTH):
            if path is None or path not in self._configs:
                return ""
            config = self._configs[path]
            at = path.rpartition("/")[0]
            options = config.get("compilerOptions")
            found = self._mapped(at, cast("dict[str, Any]", options), name) if isinstance(options, dict) else ""  # fmt: skip
            if found:
                return found
            above = config.get("extends")
            if not isinstance(above, str) or not above.startswith("."):
                return ""
            place = _joined(at, above)
            path = place if place in self._configs else f"{place}.json" if place else None
        return ""

    def _mapped(self, folder: str, options: dict[str, Any], name: str) -> str:
        base_url = options.get("baseUrl")
        base = _joined(folder, base_url) if isinstance(base_url, str) else folder
        if base is None:
            return ""
        for targets, middle in _matching(options.get("paths"), name):
            for target in targets:
                place = _joined(base, target.replace("*", middle))
                found = self._file(place) if place is not None else ""
                if found:
                    return found
        place = _joined(base, name) if isinstance(base_url, str) else None
        return self._file(place) if place is not None else ""

    # -------------------------------------------------------------------- packages

    def _package(self, folder: str, name: str) -> str:
        if name.startswith("#"):
            return self._own_import(folder, name)
        parts = name.split("/")
        count = 2 if name.startswith("@") else 1
        package = "/".join(parts[:count])
        at = self._packages.get(package)
        if at is None:
            return ""
        return self._of_package(at, "/".join(parts[count:]))

    def _of_package(self, at: str, rest: str) -> str:
        manifest = self._manifests[at]
        wanted = f"./{rest}" if rest else "."
        exports = _by_path(manifest.get("exports"))
        for target in _targets(exports, wanted):
            found = self._made(at, target)
            if found:
                return found
        if rest:
            place = _joined(at, rest)
            return (self._file(place) if place is not None else "") or self._made(
                at, f"dist/{rest}"
            )
        for key in ("source", "types", "typings", "module", "main"):
            written = manifest.get(key)
            found = self._made(at, written) if isinstance(written, str) else ""
            if found:
                return found
        return self._file(at) or self._file(f"{at}/src" if at else "src")

    def _own_import(self, folder: str, name: str) -> str:
        at = folder
        while True:
            if at in self._manifests:
                for target in _targets(self._manifests[at].get("imports"), name):
                    found = self._made(at, target)
                    if found:
                        return found
                return ""
            if not at:
                return ""
            at = at.rpartition("/")[0]


def _joined(folder: str, name: str) -> str | None:
    """A path from a folder, without dots; None when it leads out."""
    parts = folder.split("/") if folder else []
    for part in name.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def _matching(patterns: object, name: str) -> Iterator[tuple[list[str], str]]:
    """Targets of the patterns that a name matches, the longest first, and what the star took."""
    if not isinstance(patterns, dict):
        return
    known = cast("dict[str, object]", patterns)
    for pattern in sorted(known, key=len, reverse=True)[:MAX_PATTERNS]:
        targets = known[pattern]
        texts = [each for each in cast("list[object]", targets) if isinstance(each, str)] if isinstance(targets, list) else []  # fmt: skip
        before, star, after = pattern.partition("*")
        if not star and name == pattern:
            yield texts, ""
        elif (
            star
            and len(name) >= len(before) + len(after)
            and name.startswith(before)
            and name.endswith(after)
        ):
            yield texts, name[len(before) : len(name) - len(after)]


def _by_path(exports: object) -> object:
    """`exports` as a table of paths: without one it is that of the package itself."""
    if isinstance(exports, dict):
        known = cast("dict[str, object]", exports)
        return known if any(key.startswith(".") for key in known) else {".": known}
    return {".": exports}


def _targets(exports: object, wanted: str) -> Iterator[str]:
    """Paths that conditions of an export lead to, in the order in which sources are likely."""
    if not isinstance(exports, dict):
        return
    known = cast("dict[str, object]", exports)
    for pattern in sorted(known, key=len, reverse=True)[:MAX_PATTERNS]:
        before, star, after = pattern.partition("*")
        if (not star and pattern == wanted) or (
            star and wanted.startswith(before) and wanted.endswith(after)
        ):
            middle = wanted[len(before) : len(wanted) - len(after)] if star else ""
            for target in _conditions(known[pattern]):
                yield target.replace("*", middle)


def _conditions(target: object) -> list[str]:
    found: list[str] = []
    open_: list[tuple[object, int]] = [(target, 0)]
    while open_:
        at, depth = open_.pop()
        if isinstance(at, str):
            found.append(at)
        elif depth >= MAX_DEPTH:
            continue
        elif isinstance(at, list):
            open_ += [(each, depth + 1) for each in reversed(cast("list[object]", at))]
        elif isinstance(at, dict):
            inside = cast("dict[str, object]", at)
            keys = [key for key in _CONDITIONS if key in inside]
            keys += sorted(key for key in inside if key not in _CONDITIONS)
            open_ += [(inside[key], depth + 1) for key in reversed(keys)]
    return found


_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


def _parsed(data: bytes) -> dict[str, Any]:
    """JSON with comments and trailing commas; {} for anything else."""
    if len(data) > MAX_FILE:
        return {}
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    for _ in range(2):  # a comment may stand between a comma and a bracket
        text = _TOKEN.sub(lambda found: found[0] if found[0][0] == '"' else "", text)
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
