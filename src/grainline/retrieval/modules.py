"""Module names: what the language's own imports would call a file, as a dotted path."""

from __future__ import annotations

import re
from functools import lru_cache

_PYTHON_ROOTS = re.compile(r"^(?:src|lib|python)/")
_JVM_ROOTS = re.compile(
    r"^(?:.*/)?src/[\w-]+/(?:java|kotlin|scala|groovy)/|^(?:.*/)?(?:java|kotlin|scala)/(?=(?:com|org|net|io)/)"
)
_RUST_ROOTS = re.compile(r"^crates/")
_SUFFIX = re.compile(r"(?<=[^/])(?:\.d)?\.[A-Za-z0-9]+$")
_INDEX = re.compile(r"(?:^|/)(?:index|main|mod|lib)$")


@lru_cache(maxsize=1 << 12)
def module_name(path: bytes, language: str) -> str:
    """Dotted module of an entry, "" for a file at the root of its package.

    Python: packages below `src/`, `lib/`; Java, Kotlin, Scala: the package folders (the class is
    a symbol); Go: the folder; Rust: the crate's folder and modules; others: the path without its
    suffix.
    """
    text = path.decode("utf-8", "surrogateescape")
    return _dotted(_RULES.get(language, _strip)(text))


def _dotted(path: str) -> str:
    return ".".join(part for part in path.split("/") if part not in {"", "."})


def _strip(path: str) -> str:
    return _SUFFIX.sub("", path)


def _python(path: str) -> str:
    stem = _strip(_PYTHON_ROOTS.sub("", path))
    return re.sub(r"(?:^|/)__init__$", "", stem)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _jvm(path: str) -> str:
    return _folder(_JVM_ROOTS.sub("", path))


def _rust(path: str) -> str:
    inside = _RUST_ROOTS.sub("", re.sub(r"(?:^|(?<=/))src/", "", path))
    return _INDEX.sub("", _strip(inside))


def _javascript(path: str) -> str:
    return re.sub(r"(?:^|/)index$", "", _strip(re.sub(r"^src/", "", path)))


_RULES = {
    "python": _python,
    "java": _jvm,
    "kotlin": _jvm,
    "scala": _jvm,
    "go": _folder,
    "rust": _rust,
    "javascript": _javascript,
    "typescript": _javascript,
    "tsx": _javascript,
}


_DESCRIPTOR = re.compile(
    r"(?P<name>`(?:[^`]|``)+`|[\w$+\-]+)(?P<suffix>\((?:\+\d+)?\)\.|/|#|\.|:|!)"
    r"|\[(?P<type>[^\]]*)\]|\((?P<parameter>[^)]*)\)"
)


@lru_cache(maxsize=1 << 12)
def descriptor_parts(descriptor: str) -> tuple[tuple[str, str], ...]:
    """(name, suffix) of each part of a SCIP descriptor; the suffix of a method is `().`."""
    parts: list[tuple[str, str]] = []
    for found in _DESCRIPTOR.finditer(descriptor):
        name, suffix = found["name"], found["suffix"]
        if name is None:
            continue
        if name.startswith("`"):
            name = name[1:-1].replace("``", "`")
        parts.append((name, re.sub(r"\(.*\)", "()", suffix)))
    return tuple(parts)


def qualified_parts(module: str, descriptor: str, name: str) -> tuple[tuple[str, ...], int]:
    """(dotted parts of a symbol, how many of them are its module).

    A declared namespace stands for the module: the path says nothing more.
    """
    found = descriptor_parts(descriptor)
    # the descriptor may number a repeated name (`f+1`); the symbol's own name is as written
    scopes = [re.sub(r"\+\d+$", "", part) if "+" in part else part for part, _ in found[:-1]] + [
        name
    ]
    declared = bool(found) and found[0][1] == "/"
    outer = () if declared or not module else tuple(module.split("."))
    return (*outer, *scopes), len(outer)
