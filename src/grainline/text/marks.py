"""Flags that content itself shows: generated, minified, deceptive. Each names its rule."""

from __future__ import annotations

import re

from grainline.model.snapshot import Flag, FlagName
from grainline.text.linear import linear


def content_flags(text: bytes, hint: str = "") -> tuple[Flag, ...]:
    """The flags of a working text, sorted; `hint` is its language as far as known."""
    flags = [*_generated(text), *_minified(text, hint)]
    if not text.isascii():
        flags += _deceptive(text)
    return tuple(sorted(flags))


# --------------------------------------------------------------------------- generated

_HEAD = 2048  # bytes in which a marker must stand
_LOCK = re.compile(
    rb'\A\s*\{[^{}]{0,200}"lockfileVersion"'
    rb"|\A(?:#[^\n]*\n)*lockfileVersion:"
    rb"|\A(?:#[^\n]*\n)*# yarn lockfile v1"
    rb'|\A\s*\{\s*"_meta"\s*:\s*\{\s*"hash"'
    rb"|\AGEM\n  remote:"
    rb"|\Aversion = \d+\n(?:revision = \d+\n)?requires-python = "
)
_LOCK_WORDS = (b"lockfile", b'"_meta"', b"GEM\n", b"requires-python")
_MAP = re.compile(rb'\A(?:\)\]\}\'[^\n]*\n)?\s*\{\s*"version"\s*:\s*3\s*,')
_MARKER = re.compile(
    rb"code generated .{0,200}do not edit"
    rb"|(?<![\w.`'\"])@generated\b"
    rb"|<auto-?generated"
    rb"|(?:auto-?generated|automatically generated|generated (?:by|from|automatically|code|file))"
    rb"(?:.|\n){0,200}?do not (?:edit|modify|change)"
    rb"|do not (?:edit|modify|change)(?:.|\n){0,200}?"
    rb"(?:auto-?generated|automatically generated|generated (?:by|from|automatically))",
)


def _generated(text: bytes) -> list[Flag]:
    head = text[:_HEAD]
    if any(word in head for word in _LOCK_WORDS) and _LOCK.match(head):
        return [Flag(FlagName.GENERATED, "content:lock file")]
    if b'"version"' in head and b'"mappings"' in text and _MAP.match(head):
        return [Flag(FlagName.GENERATED, "content:source map")]
    low = head.lower()
    if b"generated" in low and _MARKER.search(low):
        return [Flag(FlagName.GENERATED, "content:marker")]
    return []


# --------------------------------------------------------------------------- minified

_LONG_LINE = 300  # bytes of an average line; source stays below 60, prose paragraphs reach it
_BLANK_PERCENT = 8  # of all bytes; source has 20, English prose 16, minified code 2 to 6
_WIDE_PERCENT = 20  # above it, it is prose of a script without blanks
_PROSE = frozenset({"markdown", "text", "rst", "asciidoc", "tex"})


def _minified(text: bytes, hint: str) -> list[Flag]:
    size = len(text)
    if size < 4 * _LONG_LINE or text.count(b"\n") * _LONG_LINE > size or hint in _PROSE:
        return []
    blanks = text.count(b" ") + text.count(b"\t") + text.count(b"\n")
    if blanks * 100 > _BLANK_PERCENT * size:
        return []
    if len(text.translate(None, _ASCII)) * 100 > _WIDE_PERCENT * size:
        return []
    return [Flag(FlagName.MINIFIED, f"content:average line over {_LONG_LINE} bytes")]


_ASCII = bytes(range(0x80))

# --------------------------------------------------------------------------- deceptive

_BIDI = "[\u202a-\u202e\u2066-\u2069]"
_TAGS = "[\U000e0000-\U000e007f]"
_REGION = re.compile(f"\U0001f3f4{_TAGS}{{1,8}}")  # flags of regions are spelt in tags
_SELECTORS = "[\U000e0100-\U000e01ef]{8}"  # text smuggled in variation selectors
_HIDDEN = re.compile(f"{_TAGS}|{_SELECTORS}")
_FILLER = "[\u3164\u115f\u1160\uffa0]|[A-Za-z0-9_][\u200b-\u200d\u2060\ufeff]+[A-Za-z0-9_]"
_LIKE_LATIN = (
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408"
    "\u03bf\u03bd\u03c1\u03b9\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1"
    "\u03a4\u03a5\u03a7"
)
"""Cyrillic and Greek letters that look like Latin ones (Unicode: confusables.txt)."""
_MIXED = f"[A-Za-z0-9_][{_LIKE_LATIN}]|[{_LIKE_LATIN}][A-Za-z0-9_]"
_WORD = re.compile(r"\w+")
_SPOOF = re.compile(f"(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_{_LIKE_LATIN}]+")


_ANY = linear(f"{_BIDI}|{_TAGS}|{_SELECTORS}|{_FILLER}|{_MIXED}")
_HAS_BIDI, _HAS_FILLER, _HAS_MIXED = map(linear, (_BIDI, _FILLER, _MIXED))


def _deceptive(text: bytes) -> list[Flag]:
    if not _ANY.search(text):
        return []
    flags: list[Flag] = []
    if _HAS_BIDI.search(text):
        flags.append(Flag(FlagName.BIDI_CONTROL, "content:bidirectional control character"))
    if _HAS_FILLER.search(text):
        rule = "content:invisible character in an identifier"
        flags.append(Flag(FlagName.INVISIBLE_IDENTIFIER, rule))
    shown = text.decode("utf-8", "replace")
    if _HIDDEN.search(_REGION.sub("", shown)):
        flags.append(Flag(FlagName.INVISIBLE_TEXT, "content:invisible tag characters"))
    if _HAS_MIXED.search(text) and any(map(_is_spoof, _WORD.findall(shown))):
        flags.append(Flag(FlagName.CONFUSABLE, "content:letters of two scripts in a word"))
    return flags


def _is_spoof(word: str) -> bool:
    """Whether a word is Latin but for letters of another script that look Latin."""
    return not word.isascii() and _SPOOF.fullmatch(word) is not None
