"""Level 0: the paragraph of a document that spells the anchor's name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grainline.context.cite import Reader, SourceFile
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import step, subjects
from grainline.context.rules.tests import MIN_NAME, mentioning
from grainline.model.evidence import EvidenceRole
from grainline.model.position import LineSpan, Span
from grainline.model.snapshot import FlagName

PARAGRAPH = 12  # lines shown of one document
MAX_FILES = 3
MAX_LOOKED = 12  # documents looked at per name


class Docs:
    """Follows a name into files that a rule marked as documentation."""

    name = "docs"
    level = 0
    share = Share.METADATA

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """At most one neighbour per document, in (repository, ref, path) order per definition."""
        file = ask.reader.file(anchor.entry)
        seen = {anchor.entry}
        for row in subjects(file, anchor):
            name = file.outline[row].name
            if len(name) < MIN_NAME:
                continue
            for entry in mentioning(ask.reader.corpus, name, FlagName.DOCS)[:MAX_LOOKED]:
                if len(seen) > MAX_FILES:
                    return
                line = 0 if entry in seen else _first_line(ask.reader.file(entry), name)
                if line:
                    seen.add(entry)
                    yield _neighbour(ask.reader, (anchor.entry, row), entry, line)


def _neighbour(reader: Reader, target: tuple[int, int], entry: int, line: int) -> Neighbour:
    file = reader.file(entry)
    return Neighbour(
        entry=entry,
        spans=(file.widen(file.line_span(_paragraph(file, line))),),
        symbol=-1,
        role=EvidenceRole.DOC,
        step=step(
            reader,
            "DOCUMENTS",
            source=(entry, -1),
            target=target,
            at=(entry, file.line_span(LineSpan(line, line)).start),
            tier="named",
            method="name_in_document",
        ),
        why=f"document that names {reader.file(target[0]).outline[target[1]].name}",
        weight=0.35,
    )


def _first_line(file: SourceFile, name: str) -> int:
    """The first line that spells `name` as a word, or 0."""
    if name.encode(file.encoding, "replace") not in file.text:
        return 0
    text = file.decode(Span(0, len(file.text)))
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def _paragraph(file: SourceFile, line: int) -> LineSpan:
    """The block of non-blank lines around `line`, at most `PARAGRAPH` of them."""
    first = last = line
    while first > max(1, line - PARAGRAPH // 2) and not _blank(file, first - 1):
        first -= 1
    while last < min(file.n_lines, first + PARAGRAPH - 1) and not _blank(file, last + 1):
        last += 1
    return LineSpan(first, last)


def _blank(file: SourceFile, line: int) -> bool:
    return not file.decode(file.line_span(LineSpan(line, line))).strip()


RULE = Docs()
