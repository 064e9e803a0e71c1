"""Text that nothing acts on: controls and what reorders other text are spelled out."""

from __future__ import annotations

import re

# What a terminal acts on (C0 without tab and line feed, DEL, C1) and what reorders its text.
ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def neutral(text: str) -> str:
    """`text` with everything that a terminal would act on spelled out."""
    return ACTIVE.sub(_spelled, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The same in one line."""
    return neutral(text).replace("\n", "\\n")


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
