"""The models that come with the project: every `models/*.toml`, by language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

from grainline.flow.reading import read, together, united
from grainline.flow.rows import Models


@cache
def builtin() -> Mapping[str, Models]:
    """Language -> rows."""
    folder = resources.files("grainline.flow") / "models"
    files = sorted(each.name for each in folder.iterdir() if each.name.endswith(".toml"))
    parts = _read((name, (folder / name).read_bytes()) for name in files)
    return {language: united(each) for language, each in parts.items()}


def by_language(files: Iterable[tuple[str, bytes]]) -> Mapping[str, Models]:
    """Rows of files of models (name, bytes), those of later files before those of earlier ones.

    Raises:
        BadInput: as of `reading.read`.
    """
    return {language: together(each) for language, each in _read(files).items()}


def _read(files: Iterable[tuple[str, bytes]]) -> Mapping[str, list[Models]]:
    parts: dict[str, list[Models]] = {}
    for name, data in files:
        languages, models = read(name, data)
        for language in languages:
            parts.setdefault(language, []).append(models)
    return parts


def with_files(files: Iterable[tuple[str, bytes]]) -> Mapping[str, Models]:
    """The built-in rows, and before them those of `files` (name, bytes).

    Raises:
        BadInput: as of `reading.read`.
    """
    known, more = builtin(), by_language(files)
    return {
        language: together(each[language] for each in (known, more) if language in each)
        if language in more
        else known[language]
        for language in known.keys() | more.keys()
    }
