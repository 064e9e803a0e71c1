"""Level 0: the paragraph of a document that spells the anchor's name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grainline.context.cite import SourceFile
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import step
from grainline.context.rules.tests import MIN_NAME, mentioning
from grainline.model.evidence import EvidenceRole
from grainline.model.position import LineSpan, Span
from grainline.model.snapshot import FlagName

PARAGRAPH = 12  # lines shown of one document
MAX_FILES = 3


class Docs:
    """Follows a name into files that a rule marked as documentation."""

    name = "docs"
    level = 0
    share = Share.METADATA

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """At most one neighbour per document, in (repository, ref, path) order."""
        if anchor.symbol < 0:
            return
        corpus = ask.reader.corpus
        own = ask.reader.file(anchor.entry).outline[anchor.symbol]
        if len(own.name) < MIN_NAME:
            return
        pattern = re.compile(rf"(?<!\w){re.escape(own.name)}(?!\w)")
        shown = 0
        for entry in mentioning(corpus, own.name, FlagName.DOCS):
            file = ask.reader.file(entry)
            line = _first_line(file, pattern)
            if entry == anchor.entry or line == 0:
                continue
            spans = (file.widen(file.line_span(_paragraph(file, line))),)
            yield Neighbour(
                entry=entry,
                spans=spans,
                symbol=-1,
                role=EvidenceRole.DOC,
                step=step(
                    ask.reader,
                    "DOCUMENTS",
                    source=(entry, -1),
                    target=(anchor.entry, anchor.symbol),
                    at=(entry, file.line_span(LineSpan(line, line)).start),
                    tier="named",
                    method="name_in_document",
                ),
                why=f"document that names {own.name}",
                weight=0.35,
            )
            shown += 1
            if shown >= MAX_FILES:
                return


def _first_line(file: SourceFile, pattern: re.Pattern[str]) -> int:
    text = file.decode(Span(0, len(file.text)))
    found = pattern.search(text)
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
