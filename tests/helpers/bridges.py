"""Files as a ground of bridges, and what the rules find there, for tests."""

from __future__ import annotations

from grainline.graph.bridges.base import File, Ground, bridged
from grainline.graph.resolve import resolve
from grainline.graph.rules.base import rules_of
from grainline.graph.table import table_of
from grainline.graph.units import Unit
from grainline.languages.base import LANGUAGES
from grainline.languages.detect import detect
from grainline.parsing.facts import parse_lazily
from grainline.snapshots.flags import path_flags


def ground_of(files):
    """The ground of `{path: text}`, in any order of the files."""
    found, units, rest = [], [], {}
    for path, text in files.items():
        data = text.encode()
        language = detect(path.encode(), data[:512]) or ""
        parsed = parse_lazily(data, language, skeleton_limit=1000) if language else None
        unit = None
        if parsed and LANGUAGES.get(language).lower and rules_of(language):
            unit = Unit(path.encode(), language, parsed.lower(), parsed.facts)
            units.append(unit)
        rest[path] = data
        outline = parsed.facts.definitions if parsed else ()
        found.append(
            File(
                path=path.encode(), language=language,
                flags=frozenset(flag.name for flag in path_flags(path.encode())),
                read=lambda data=data: data, outlined=lambda outline=outline: outline, unit=unit,
            )
        )  # fmt: skip

    def named(name):
        return [(file.path, row) for file in found for row in file.outline if row.name == name]

    found.sort(key=lambda file: file.path)
    return Ground(files=tuple(found), table=table_of(resolve(units, rest)), named=named)


def bridges_of(files):
    """The edges that the rules find, in order."""
    table = bridged(ground_of(files))
    return [table.edge(number) for number in range(len(table))]
