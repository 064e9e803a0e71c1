"""From manifests to what they publish: the module, or the files of the topmost folder, of a package.

The source of an edge is the package, a symbol `name:` of its manifest. `provided` reads a table.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from grainline.graph.bridges.base import Bridge, File, Found, Ground
from grainline.graph.table import TYPE_CODE, EdgeTable
from grainline.model.edge import EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from grainline.model.snapshot import FlagName

_ELSEWHERE: Final = frozenset((FlagName.TEST, FlagName.VENDORED))
_SCRIPTS: Final = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx")
_NAME: Final = re.compile(r"`((?:[^`]|``)+)`:$|([\w+$-]+):$")


class _Package(NamedTuple):
    """A package as its manifest calls it, and what it may consist of: the first that is there."""

    name: str
    modules: tuple[str, ...]
    folder: str = ""
    suffix: str = ""


def provided(table: EdgeTable) -> dict[str, tuple[Symbol, ...]]:
    """The packages that a view publishes: name -> the modules that they consist of."""
    found: dict[str, list[Symbol]] = {}
    for number in (table.edges.type == TYPE_CODE[EdgeType.PROVIDES]).nonzero()[0].tolist():
        edge = table.edge(number)
        name = _NAME.match(edge.src.descriptor)
        if name is not None:
            found.setdefault((name[1] or name[2]).replace("``", "`"), []).append(edge.dst)
    return {name: tuple(sorted(symbols)) for name, symbols in sorted(found.items())}


def package_symbol(path: bytes, name: str) -> Symbol:
    """The symbol of a package in its manifest."""
    plain = re.fullmatch(r"[\w+$-]+", name) is not None
    return Symbol(path, f"{name}:" if plain else f"`{name.replace('`', '``')}`:")


def _find(ground: Ground) -> Iterator[Found]:
    for file in ground.files:
        read = _READERS.get(file.name)
        if read is None or not file.flags.isdisjoint(_ELSEWHERE):
            continue
        package = read(file.text.decode("utf-8", "replace"))
        if package is None or not package.name:
            continue
        site = _site(file.text, package.name)
        targets = _targets(ground, file, package) if site is not None else []
        for target in targets:
            src = package_symbol(file.path, package.name)
            assert site is not None
            yield Found(src, Symbol(target, ""), site, Tier.RESOLVED)


def _site(text: bytes, name: str) -> Span | None:
    """Where a manifest says the name of its package: the first time behind the word for it."""
    said = re.escape(name.encode("utf-8", "surrogatepass"))
    found = re.search(
        rb"(?:name|module|artifactId)[\"']?\s*[=:>\s]\s*[\"']?(%s)(?![\w.-])" % said, text
    )
    return None if found is None else Span(*found.span(1))


def _targets(ground: Ground, manifest: File, package: _Package) -> list[bytes]:
    for module in package.modules:
        path = manifest.folder + module.encode("utf-8", "surrogatepass")
        if path in ground.by_path:
            return [path]
    if not package.suffix:
        return []
    return _topmost(ground, manifest.folder + package.folder.encode(), package.suffix.encode())


def _topmost(ground: Ground, folder: bytes, suffix: bytes) -> list[bytes]:
    """The files of a language in the topmost folder that has any; none when several folders do."""
    inside = [
        file.path
        for file in ground.files
        if file.path.startswith(folder)
        and file.path.endswith(suffix)
        and file.flags.isdisjoint(_ELSEWHERE)
    ]
    depth = min((path.count(b"/") for path in inside), default=0)
    top = [path for path in inside if path.count(b"/") == depth]
    return top if len({path.rpartition(b"/")[0] for path in top}) == 1 else []


# ------------------------------------------------------------------------------ manifests


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _under(value: object, *keys: str) -> Any:
    """What stands below keys, None where nothing does."""
    below: Any = value
    for key in keys:
        below = cast("dict[str, Any]", below).get(key) if isinstance(below, dict) else None
    return below


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _pyproject(text: str) -> _Package | None:
    said = _toml(text)
    name = _under(said, "project", "name") or _under(said, "tool", "poetry", "name")
    module = _word(_under(said, "tool", "flit", "module", "name"))
    return _python(_word(name), module)


def _setup_cfg(text: str) -> _Package | None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError):
        return None
    return _python(parser.get("metadata", "name", fallback="").strip(), "")


def _python(name: str, module: str) -> _Package | None:
    words = [module] if module else [name.replace("-", "_"), name.replace("-", "_").lower()]
    words += [] if module else [name.replace("-", "/"), name.replace("-", "/").lower()]
    paths = [
        f"{root}{word.replace('.', '/')}{end}"
        for word in dict.fromkeys(words)
        for root in ("src/", "", "lib/", "python/")
        for end in ("/__init__.py", ".py")
    ]
    return _Package(name, tuple(paths)) if name else None


def _package_json(text: str) -> _Package | None:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    name = _word(_under(said, "name"))
    said_paths = [
        _word(_under(said, key)) for key in ("source", "main", "module", "types", "typings")
    ]
    exports = _under(said, "exports")
    dot = _under(exports, ".") or exports
    said_paths += [
        _word(dot),
        *(_word(_under(dot, key)) for key in ("import", "default", "require")),
    ]
    paths: list[str] = []
    for path in filter(None, (each.removeprefix("./") for each in said_paths)):
        paths += [path, *(path + suffix for suffix in _SCRIPTS)]
        paths += [f"{path.rstrip('/')}/index{suffix}" for suffix in _SCRIPTS]
    paths += [f"{root}index{suffix}" for root in ("", "src/", "lib/") for suffix in _SCRIPTS]
    return _Package(name, tuple(dict.fromkeys(paths)))


def _go_mod(text: str) -> _Package | None:
    found = re.search(r"^\s*module\s+\"?([^\s\"]+)", text, re.MULTILINE)
    return None if found is None else _Package(found[1], (), "", ".go")


def _cargo(text: str) -> _Package | None:
    said = _toml(text)
    path = _word(_under(said, "lib", "path")) or "src/lib.rs"
    return _Package(_word(_under(said, "package", "name")), (path, "src/main.rs"))


_INNER: Final = re.compile(
    r"<!--.*?-->|<(parent|dependencies|dependencyManagement|build|profiles|reporting|modules)\b[^>]*>.*?</\1>",
    re.DOTALL,
)


def _pom(text: str) -> _Package | None:
    found = re.search(r"<artifactId>\s*([^<\s]+)\s*</artifactId>", _INNER.sub("", text))
    return None if found is None else _Package(found[1], (), "src/main/java/", ".java")


_READERS: Final[Mapping[str, Callable[[str], _Package | None]]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "package.json": _package_json,
    "go.mod": _go_mod,
    "Cargo.toml": _cargo,
    "pom.xml": _pom,
}

BRIDGE = Bridge(type=EdgeType.PROVIDES, method=Method.MANIFEST, find=_find)
