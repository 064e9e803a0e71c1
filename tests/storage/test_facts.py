"""Facts: what is read of a record, also of one of format 2."""

from __future__ import annotations

import json

import numpy as np
import pytest

from grainline.model.symbol import Definition, Import, SymbolKind
from grainline.storage.segments.facts import KINDS, Cut, Facts, strings_of

NAMES = {"ascii": ("open", "Shop"), "wide": ("öffnen", "店\ud800")}


def outline(names: tuple[str, str]) -> tuple[Definition, ...]:
    return tuple(
        Definition(name, SymbolKind.CLASS, f"{name}#", at, at + 9, at, at + 4, at, at + 5, 0, 0, -1)
        for at, name in zip((0, 20), names, strict=True)
    )


IMPORTS = (Import(1, 4, "os", "path", ""), Import(5, 9, "json", "", "j"))


def record(definitions: tuple[Definition, ...], *, old: bool) -> bytes:
    names, kinds, descriptors, *numbers = zip(*definitions, strict=True)
    cells = np.array([[KINDS.index(kind) for kind in kinds], *numbers], np.int32)
    spans = np.array([each[:2] for each in IMPORTS], np.int32).T
    words = [word for each in IMPORTS for word in each[2:]]
    if old:
        pairs = list(zip(names, descriptors, strict=True))
        strings = json.dumps([pairs, [each[2:] for each in IMPORTS]]).encode()
        n_text = len(strings)
    else:
        n_text, strings = strings_of(cut(names), cut(descriptors), cut(words))
    head = np.array([len(names), len(IMPORTS), 0, n_text], np.int32)
    return b"".join((head.tobytes(), cells.tobytes(), spans.tobytes(), strings))


def cut(strings: tuple[str, ...] | list[str]) -> Cut:
    words = [word.encode("utf-8", "surrogatepass") for word in strings]
    return Cut(np.array(list(map(len, words)), np.int32), b"".join(words))


@pytest.mark.parametrize("old", [False, True], ids=["format 3", "format 2"])
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_a_record_gives_what_was_written(names: tuple[str, str], old: bool) -> None:
    definitions = outline(names)
    facts = Facts(record(definitions, old=old))
    assert facts.definitions == definitions
    assert [facts.definition(row) for row in range(2)] == list(definitions)
    assert facts.definitions_in(10, 30) == ((1, definitions[1]),)
    assert facts.imports == IMPORTS
    assert facts.references(b"", 0, 9) == ()
