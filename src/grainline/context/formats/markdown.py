"""Markdown for models and people: a heading per piece, its citation, its code in a fence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grainline.context.formats.objects import uncovered
from grainline.context.frame import Frame, shown_title
from grainline.model.evidence import ContextItem, Step
from grainline.model.position import Citation, quote_path
from grainline.model.search import CoverageRecord

_RUN = re.compile(r"`+")
_SPECIAL = re.compile(r"[`*<>\[\]|\\]")
_UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
DIGITS = 12
"""Of a commit in a heading, as in the coverage below."""

_LANGUAGE = re.compile(r"[^A-Za-z0-9_+-]")


class Markdown:
    """A fence is longer than any run of backticks in what it holds, so nothing inside ends it."""

    name = "markdown"

    def item(self, item: ContextItem) -> str:
        """Heading, reason and fenced code of one item."""
        name = code(item.symbol.qualified_name) + " " if item.symbol else ""
        via = "".join(f" · via {_via(item, step)}" for step in item.via)
        flags = sorted({str(flag.name) for flag in item.place.flags})
        flagged = f" · {', '.join(flags)}" if flags else ""
        where = f"{item.place.repository} · " if item.place.repository else ""
        return (
            f"## {code(_citation(item.place.citation))}\n\n"
            f"{name}({item.role}, level {item.level}) · {plain(where)}{plain(item.why)}"
            f"{via}{flagged} · {item.tokens} tokens\n\n"
            f"{fenced(item.text, item.place.language)}\n"
        )

    def document(self, frame: Frame, items: Sequence[ContextItem]) -> str:
        """Title, items in their order, notes, coverage."""
        return self.around(frame, [self.item(item) for item in items])

    def around(self, frame: Frame, items: Sequence[str]) -> str:
        """The document of items that are rendered already."""
        about = shown_title(frame)
        title = f"# Context: {plain(about)}\n" if about else "# Context\n"
        notes = "".join(f"- {plain(note)}\n" for note in frame.notes)
        blocks = [title, *items]
        if notes:
            blocks.append(notes)
        blocks.append(_coverage(frame))
        return "\n".join(blocks)


def _citation(whole: Citation) -> str:
    """With the first digits of a commit, by which it is read again; a full one costs 18 tokens more."""
    if _COMMIT.fullmatch(whole.version):
        whole = replace(whole, version=whole.version[:DIGITS])
    return str(whole)


def _via(item: ContextItem, step: Step) -> str:
    """The other end of the relation, the site, and how far to trust it."""
    own = item.symbol.qualified_name if item.symbol else ""
    arrow = (
        f"{step.type} to {code(step.dst)}"
        if step.src == own
        else f"{step.type} from {code(step.src)}"
    )
    line = f"line {step.line}"
    far = step.path != item.place.path
    at = f" at {code(f'{quote_path(step.path)}:{step.line}') if far else line}" if step.line else ""
    many = f", {step.candidates} candidates" if step.candidates > 1 else ""
    return f"{arrow}{at} ({step.tier}: {', '.join(step.methods)}{many})"


def _coverage(frame: Frame) -> str:
    record = frame.coverage
    if frame.brief >= 2:
        return f"{record.state}, {frame.omitted} omitted\n"
    lines = [
        f"Coverage: {record.state}; {frame.omitted} pieces left out; profile {frame.profile};"
        f" {frame.tokens} of {frame.budget} tokens ({frame.tokenizer})."
    ]
    if frame.brief:
        lines.append(f"{len(record.snapshots)} snapshots, not listed for lack of room.")
    else:
        lines.extend(_details(record))
    return "\n".join(lines) + "\n"


def _details(record: CoverageRecord) -> list[str]:
    lines = [
        f"- {code(state.repository)} {plain(state.snapshot.ref or 'commit')} at"
        f" {plain(state.snapshot.commit[:12] or 'no commit')}"
        f"{' (dirty)' if state.snapshot.dirty else ''}, generation {plain(state.generation[:12])}"
        for state in record.snapshots
    ]
    off = [f"{name} {state}" for name, state in record.channels if state != "on"]
    if off:
        lines.append("- channels: " + plain(", ".join(off)))
    lines.extend(f"- {plain(uncovered(reason, count))}" for reason, count in record.not_covered)
    lines.extend(f"- warning: {plain(text)}" for text in record.warnings)
    return lines


def fenced(text: str, language: str) -> str:
    """`text` as a code block that it cannot end."""
    longest = _longest_run(text)
    fence = "`" * max(3, longest + 1)
    body = text if text.endswith("\n") else text + "\n"
    return f"{fence}{_LANGUAGE.sub('', language)}\n{body}{fence}"


def code(text: str) -> str:
    """`text` as an inline code span that it cannot end."""
    text = _UNPRINTED.sub(" ", text)
    longest = _longest_run(text)
    tick = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{tick}{pad}{text}{pad}{tick}"


def _longest_run(text: str) -> int:
    """Signs of the longest run that could end a fence; most texts hold none."""
    return max(map(len, _RUN.findall(text))) if "`" in text else 0


def plain(text: str) -> str:
    """`text` on one line, without anything that Markdown or HTML would act on."""
    return _SPECIAL.sub(lambda found: "\\" + found[0], _UNPRINTED.sub(" ", text))


FORMAT = MARKDOWN = Markdown()
