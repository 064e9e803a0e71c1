"""Markdown with one line above each piece: for small budgets, in which full headings cost most.

The commit is shortened to twelve digits (`read` takes that), of several relations the first is
named, and words that a reader can do without are left out. What a piece is, why it is there, along
which edge it came and what it costs still stands in its line.
"""

from __future__ import annotations

from collections.abc import Sequence

from grainline.context.formats.markdown import MARKDOWN, code, fenced, plain
from grainline.context.frame import Frame
from grainline.model.evidence import ContextItem
from grainline.model.position import quote_path

SHORT = 12  # digits of a commit
REASON = 60  # characters


class Compact:
    """Same delimiters as `markdown`, so nothing inside a piece ends it."""

    name = "compact"

    def item(self, item: ContextItem) -> str:
        """One line, then the code."""
        return f"{_line(item)}\n{fenced(item.text, item.place.language)}\n"

    def document(self, frame: Frame, items: Sequence[ContextItem]) -> str:
        """As `markdown` has it, with briefer items."""
        return MARKDOWN.around(frame, [self.item(item) for item in items])


def _line(item: ContextItem) -> str:
    cited = item.place.citation
    version = cited.version if ":" in cited.version else cited.version[:SHORT]
    where = f"{quote_path(cited.path)}:{cited.lines.start}-{cited.lines.end}@{version}"
    name = item.symbol.qualified_name.rpartition(".")[2] if item.symbol else ""
    why = item.why if len(item.why) <= REASON else item.why[: REASON - 1] + "…"
    along = ""
    if item.via:
        step = item.via[0]
        own = item.symbol.qualified_name if item.symbol else ""
        other = step.dst if step.src == own else step.src
        along = f" · {step.type} {code(other.rpartition('.')[2])}"
    said = f" {code(name)}" if name else ""
    return f"{code(where)}{said} {item.role}{along}: {plain(why)} ({item.tokens})"


FORMAT = Compact()
