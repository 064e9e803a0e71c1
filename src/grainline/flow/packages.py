"""Packages that are imported, and whether anything of them is used that rows know."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from grainline.flow.rows import Models

VERSION: Final = re.compile(r"^/v[0-9]+")
"""The end of a path of a Go module."""


class Uses(NamedTuple):
    """What is used in some files: (language, name) of what is imported and not there, and of what rows are about."""

    imported: tuple[tuple[str, str], ...] = ()
    used: tuple[tuple[str, str], ...] = ()


def unmatched(models: Mapping[str, Models], uses: Iterable[Uses]) -> tuple[str, ...]:
    """Packages that are imported, and nothing of them is used that rows are about.

    Not those of which rows know faults alone.
    """
    several = tuple(uses)
    imported = {name for each in several for name in each.imported}
    used = {name for each in several for name in each.used}
    found: set[str] = set()
    for language in sorted({language for language, _ in imported} & models.keys()):
        expected = models[language].expected()
        for file, packages in models[language].packages.items():
            for package in packages:
                if (
                    _any_of(package, language, imported)
                    and not _any_of(package, language, used)
                    and any(is_of(name, package) for name in expected)
                ):
                    found.add(f"{file}: {package}")
    return tuple(sorted(found))


def _any_of(package: str, language: str, names: Iterable[tuple[str, str]]) -> bool:
    return any(mine == language and is_of(name, package) for mine, name in names)


def is_of(name: str, package: str) -> bool:
    """Whether a name is that of a package (of any major version), or of something in it."""
    if not name.startswith(package):
        return False
    rest = VERSION.sub("", name[len(package) :])
    return not rest or rest[0] in ".\\:(["
