"""The seam of rendering: what a format gets, beside the items; what the budget counts is its output.

A format delimits content so that content cannot close its delimiter, whatever it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from grainline.model.evidence import ContextItem
from grainline.model.flow import Finding
from grainline.model.search import CoverageRecord
from grainline.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Everything around the items.

    `notes` tell what to do when nothing was found or nothing fits; `subject` names the target;
    `paths` are ways of data whose every step stands in the items, for formats that programs read.

    `brief` is 0 (all), 1 (coverage counted instead of listed, question clipped) or 2 (only what
    an answer cannot do without): the step taken when a budget is too small for more.
    """

    query: str
    profile: str
    budget: int
    tokens: int
    tokenizer: str
    omitted: int
    coverage: CoverageRecord
    notes: tuple[str, ...] = ()
    brief: int = 0
    subject: str = ""
    paths: tuple[Finding, ...] = ()


CLIPPED = 160  # characters of the question in a brief frame


def shown_query(frame: Frame) -> str:
    """The question as a frame shows it: whole, clipped, or not at all."""
    if frame.brief >= 2:
        return ""
    if frame.brief == 1 and len(frame.query) > CLIPPED:
        return frame.query[: CLIPPED - 1] + "…"
    return frame.query


def shown_title(frame: Frame) -> str:
    """What a context is about: its target and its question, as far as a frame shows them."""
    parts = (frame.subject if frame.brief < 2 else "", shown_query(frame))
    return " · ".join(part for part in parts if part.strip())


class Format(Protocol):
    """Renders a context."""

    name: str

    def item(self, item: ContextItem) -> str:
        """One item, exactly as the document holds it."""
        ...

    def document(self, frame: Frame, items: Sequence[ContextItem]) -> str:
        """The whole output."""
        ...


FORMATS: Registry[Format] = Registry(
    "grainline.context.formats", "FORMAT", skip=frozenset({"objects"})
)
