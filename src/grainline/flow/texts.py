"""What a constant text says of the text that it is looked for in: which kinds of sink are safe.

A text without quotes cannot leave a quoted literal, one without `..` cannot leave a folder. That a
text begins and ends with a quote and has none inside makes it one literal, which no interpreter
runs: three facts that count together (`State.harmless`). So do two of a path: it has no `..` left, and it
begins with the name of a folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from grainline.flow.regexes import passed, single, whole, without
from grainline.flow.rows import ALL_KINDS, KINDS, PLAIN_KINDS, bits

OPENS: Final = 1 << len(KINDS)
CLOSES: Final = OPENS << 1
NO_QUOTE: Final = OPENS << 2
LITERAL: Final = OPENS | CLOSES | NO_QUOTE
NORMAL: Final = OPENS << 3
UNDER: Final = OPENS << 4
INSIDE: Final = NORMAL | UNDER
_JOINED: Final = NO_QUOTE.bit_length() + 2
OF_JOINED: Final = -1 << _JOINED
"""Facts, one for each way to put a path together: that it is inside of a folder once it is put together so."""
_CODE: Final = bits(("code",))
PATH: Final = bits(("path",))
SITE: Final = bits(("ssrf", "redirect"))
BLANKS: Final = ~bits(("header", "log", "permission", "ownership", "privilege"))
"""Kinds that blanks at the ends of a text which is known else cannot hurt: lines begin with them."""

ALIKE: Final[Mapping[str, int]] = {"blanks": BLANKS, "spelling": PATH | INSIDE | OF_JOINED,
                                  "address": SITE, "middle": NO_QUOTE}  # fmt: skip
"""By words of rows: what was taken is the whole without blanks around; the same path, spelled out;
where an address leads that is relative to another one; all between the first and the last character,
where the call says so: with a quote at both ends and none in the middle a text is one literal."""

_MIDDLE: Final = (1, -1)


def middle(ends: object) -> int:
    """What is known of a whole by what stands between its ends: 0 where these are not the first and last."""
    return NO_QUOTE if ends == slice(*_MIDDLE) or ends == _MIDDLE else 0


_QUOTES: Final = frozenset("\"'`")
_SEPARATORS: Final = ("/", "\\")
_CLOSING: Final[Mapping[str, str]] = {"(": ")", "{": "}", "[": "]", "<": ">"}
_REFERENCE: Final = re.compile(r"[$\\]")
"""In what comes in the place of what was found: a part of that."""
_LOCAL: Final = re.compile(r"/[^/\\]")
_SITE: Final = re.compile(r"[a-z]+://[^/]+/")

_LACKS: Final[Mapping[str, int]] = {
    "'": bits(("xpath", "sql")) | NO_QUOTE,
    '"': bits(("xpath", "sql")) | NO_QUOTE,
    "..": bits(("path",)),
    "../": bits(("path",)),
    "..\\": bits(("path",)),
    "/": bits(("path", "redirect", "ssrf")),
    "<": bits(("xss",)),
    ">": bits(("xss",)),
    "\n": bits(("log", "header")),
    "\r": bits(("log", "header")),
    "\r\n": bits(("header",)),
}


def starts(text: str) -> int:
    """Kinds that cannot be hurt by what begins with `text`."""
    if text in _QUOTES:
        return OPENS
    if _SITE.match(text):
        return bits(("redirect", "ssrf"))
    inside = within(text) if text[-1:] in _SEPARATORS else 0  # `/srv/a` begins `/srv/ab`, too
    return inside | bits(("redirect",)) if _LOCAL.match(text) else inside


def within(text: str) -> int:
    """Kinds that cannot be hurt by a path below `text`, name by name."""
    return UNDER if len(text) > 1 and text[:2] != ".." else 0


def ends(text: str) -> int:
    """Kinds that cannot be hurt by what ends with `text`."""
    return CLOSES if text in _QUOTES else 0


def lacks(text: str) -> int:
    """Kinds that cannot be hurt by what does not contain `text`."""
    return _LACKS.get(text, 0)


def replaced(text: str, by: object, word: str = "text") -> int:
    """Kinds that cannot be hurt after one character was replaced everywhere, or each of some by an expression.

    `word`: see `StepRow.replaces`.
    """
    if word == "delimited":
        end = text.rfind(_CLOSING.get(text[:1], text[:1]))
        text = text[1:end]
    if word != "text":
        found = without(text, by) if isinstance(by, str) and not _REFERENCE.search(by) else 0
        for mark in single(text):
            found |= replaced(mark, by)
        return found
    if len(text) != 1 or (isinstance(by, str) and text in by):
        return 0
    return lacks(text) & ALL_KINDS & ~bits(("path", "redirect", "ssrf"))


def meant(kinds: int) -> int:
    """The kinds that a set says, after facts that count together."""
    if kinds & LITERAL == LITERAL:
        kinds |= _CODE
    return kinds | PATH if kinds & INSIDE == INSIDE else kinds


def matches(pattern: str) -> int:
    """Kinds that a text cannot hurt whose beginning a regular expression matches."""
    return passed(pattern if pattern.startswith(("^", "\\A")) else f"^{pattern}")


def delimited(text: str) -> int:
    """Kinds that a text cannot hurt in which an expression between two marks is found (`/^a+$/`)."""
    end = text.rfind(_CLOSING.get(text[:1], text[:1]))
    return passed(text[1:end], several_lines="m" in text[end:]) if end > 0 else 0


def joined(number: int) -> int:
    """That a path is inside of a folder once it is put together in a way that has a number."""
    return 1 << _JOINED + number


UNSAID: Final[Mapping[str, int]] = {
    "starts": UNDER, "within": UNDER, "matches": PLAIN_KINDS, "whole": PLAIN_KINDS, "passes": PLAIN_KINDS,
    "delimited": PLAIN_KINDS,
}  # fmt: skip
"""What a test says whose text is not known."""

HIDDEN: Final[Mapping[str, int]] = {"normal": NORMAL}
"""Words of rows for facts that count together with others."""

WORDS: Final[Mapping[str, Callable[[str], int]]] = {
    "starts": starts, "within": within, "ends": ends, "lacks": lacks, "matches": matches, "whole": whole, "passes": passed,
    "delimited": delimited,
}  # fmt: skip
"""By the word of a row of guards."""
