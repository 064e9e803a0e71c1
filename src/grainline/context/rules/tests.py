"""Level 0: test code that calls the anchor along an edge, or references it by name."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from grainline.context.cite import Reader, SourceFile, innermost
from grainline.context.edges import CALLS, Link
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import (
    along,
    capped,
    head,
    is_small,
    may_mean,
    merge,
    places,
    step,
    subjects,
    whole,
)
from grainline.model.edge import EdgeType
from grainline.model.evidence import EvidenceRole
from grainline.model.position import Span
from grainline.model.snapshot import FlagName
from grainline.storage.base import Corpus
from grainline.text.identifiers import token_terms

TESTS = CALLS | {EdgeType.TESTS}
MAX_FILES = 6  # test files looked at per name
MAX_NAMES = 3  # of one anchor
MIN_NAME = 4  # letters; shorter names say nothing about which definition is meant


class Tests:
    """Follows edges and a name into files that a rule marked as tests."""

    name = "tests"
    level = 0
    share = Share.METADATA

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """Tests along edges, the strongest first; then one per further file, nearest name first."""
        if _is_test(ask.reader, anchor.entry):
            return
        file = ask.reader.file(anchor.entry)
        linked = ask.edges.into(places(ask, anchor), TESTS)
        tests = [each for each in linked if ask.edges.is_test(each.source)]
        links = capped(ask, anchor, self.name, tests)
        yield from along(ask, links, incoming=True, role=EvidenceRole.TEST, why=_why, weight=0.55)
        seen = {link.source for link in tests}
        for row in subjects(file, anchor)[:MAX_NAMES]:
            name = file.outline[row].name
            if len(name) < MIN_NAME:
                continue
            candidates = len(ask.reader.named(name))
            for entry in _nearest(ask.reader, anchor, name):
                if entry in seen or len(seen) >= ask.max_neighbours:
                    continue
                found = self._in_file(ask, anchor, row, entry, candidates)
                if found is not None:
                    seen.add(entry)
                    yield found

    def _in_file(
        self, ask: Ask, anchor: Anchor, subject: int, entry: int, candidates: int
    ) -> Neighbour | None:
        own = ask.reader.file(anchor.entry).outline[subject]
        file = ask.reader.file(entry)
        row = next((row for row in file.references if row.name == own.name), None)
        if row is None or not _same_repository(ask.reader.corpus, anchor.entry, entry):
            return None
        if candidates > 1 and not _imports(ask.reader, file, anchor):
            return None
        index = innermost(file.outline, row.start, row.end)
        site = file.widen(Span(row.start, row.end))
        spans: tuple[Span, ...] = (site,)
        brief: tuple[Span, ...] = ()
        if index >= 0:
            brief = merge([*head(file, file.outline[index]), site])
            small = is_small(file, file.outline[index])
            spans = (whole(file, file.outline[index]),) if small else brief
        return Neighbour(
            entry=entry,
            spans=spans,
            brief=brief if brief != spans else (),
            symbol=index,
            role=EvidenceRole.TEST,
            step=step(
                ask.reader,
                "TESTS",
                source=(entry, index),
                target=(anchor.entry, subject),
                at=(entry, row.start),
                tier="named" if candidates == 1 else "ambiguous",
                method="name_in_test",
                candidates=max(1, candidates),
            ),
            why=f"test that names {own.name}",
            weight=0.45 if candidates == 1 else 0.25,
        )


def _why(link: Link) -> str:
    return "test that calls it" if link.edge.type in CALLS else "test of it"


def _nearest(reader: Reader, anchor: Anchor, name: str) -> list[int]:
    """Test files that hold the name: first those called after the anchor's file, then by path."""
    path = reader.corpus.path(anchor.entry)
    stem = path.rpartition(b"/")[2].partition(b".")[0].lower()
    entries = mentioning(reader.corpus, name, FlagName.TEST)
    return sorted(
        entries,
        key=lambda entry: (
            stem not in reader.corpus.path(entry).rpartition(b"/")[2].lower(),
            entry,
        ),
    )[:MAX_FILES]


def _imports(reader: Reader, file: SourceFile, anchor: Anchor) -> bool:
    """Whether a test imports the anchor's file, or stands in its package."""
    home = reader.module(anchor.entry)
    folders = {path.rpartition(b"/")[0] for path in (file.path, reader.file(anchor.entry).path)}
    if reader.module(file.entry) == home or len(folders) == 1:
        return True
    return any(
        may_mean(row.module, name, home) or may_mean(f"{row.module}.{row.name}", name, home)
        for row in file.imports
        for name in dict.fromkeys((row.name, ""))
    )


def mentioning(corpus: Corpus, name: str, flag: FlagName) -> tuple[int, ...]:
    """Entries with `flag` that hold the term of `name`, in entry order."""
    terms = token_terms(name.encode("utf-8", "replace"))
    if not terms:
        return ()
    docs = corpus.postings(terms[0].text).docs
    entries = corpus.doc_entry[docs]
    bit = np.uint32(1 << list(FlagName).index(flag))
    marked = entries[(corpus.entry_flags[entries] & bit) != 0]
    return tuple(int(entry) for entry in np.unique(marked))


def _is_test(reader: Reader, entry: int) -> bool:
    return any(flag.name is FlagName.TEST for flag in reader.entry(entry).flags)


def _same_repository(corpus: Corpus, one: int, other: int) -> bool:
    return corpus.repository(one).id == corpus.repository(other).id


RULE = Tests()
