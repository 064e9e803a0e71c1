"""Regular expressions in RE2 syntax over the texts of a scope: linear time, whatever the pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import re2  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

from grainline.errors import BadInput
from grainline.retrieval.literal import (
    FEW_TEXTS,
    Holders,
    Matches,
    both,
    encode_exactly,
    entry_codecs,
    in_pieces,
    literal_docs,
    scan,
    scan_lines,
)
from grainline.storage.base import Corpus

_RE2: Any = re2  # a C extension without type information

MAX_PATTERN = 4096
"""Characters of a pattern."""

MAX_PROGRAM = 8 << 20
"""Bytes of a compiled pattern; RE2 refuses larger ones."""


MAX_GROUPS = 100
"""Groups of a pattern that is analysed (by recursion) for required literals."""


class Required(NamedTuple):
    """Literals without which a pattern cannot match: all those of one alternative.

    No alternatives: nothing is known. `folded`: the text may hold them in another case.
    """

    alternatives: tuple[tuple[str, ...], ...]
    folded: bool


def find_regex(
    corpus: Corpus,
    pattern: str,
    *,
    max_bytes: int,
    max_matches: int,
    within: NDArray[np.bool_] | None = None,
) -> Matches:
    """Every non-empty match of `pattern`, `^` and `$` at lines, in the text of each file.

    Files whose bytes are not UTF-8 are searched as decoded; spans are bytes of the masked view all
    the same. Arguments and bounds as `find_literal`.

    Raises:
        BadInput: RE2 refuses the pattern; the message is RE2's.
    """
    compiled = compile_pattern(pattern)
    required = required_literals(pattern)
    plain = _sure_bytes(required)

    def spans(entry: int, text: bytes, room: int) -> list[tuple[int, int]]:
        codec = corpus.encoding(entry)
        if _is_utf8(codec):
            if plain and not any(all(part in text for part in parts) for parts in plain):
                return []
            return list(islice(_spans(compiled, text), room))
        return list(islice(_decoded_spans(compiled, text, codec), room))

    asked = _candidates(corpus, required)
    entries = both(asked.entries, within, corpus.n_entries)
    if len(entries) <= FEW_TEXTS or not stays_in_line(pattern):
        return scan(corpus, entries, spans, max_bytes=max_bytes, max_matches=max_matches)

    def find(text: bytes, room: int) -> list[tuple[int, int]]:
        if plain and not any(all(part in text for part in parts) for parts in plain):
            return []
        return list(islice(_spans(compiled, text), room))

    codecs, of_entry = entry_codecs(corpus)
    alike = np.array([*map(_is_utf8, codecs), False], np.bool_)[of_entry]
    pieces = in_pieces(corpus, asked.docs, find, max_bytes=max_bytes, max_matches=max_matches + 1)
    return scan_lines(
        corpus, entries, pieces, spans, alike=alike, max_bytes=max_bytes, max_matches=max_matches
    )


LINEWISE = "(?m)"
"""In front of every pattern: `^` and `$` are the ends of lines."""

_ESCAPES = re.compile(r"\\(?:[dwSbB]|[^\w\s])")
_CROSSES = re.compile(r"[\\\x00-\x1f]|\[\^|\[:|\(\?[a-zA-Z-]*[sm]")


def stays_in_line(pattern: str) -> bool:
    """Whether no match can hold a line end, or see more than its line; False when unsure."""
    return _CROSSES.search(_ESCAPES.sub("", pattern)) is None


def compile_pattern(pattern: str) -> Any:
    """A compiled pattern over bytes.

    Raises:
        BadInput: RE2 refuses the pattern, or it is longer than `MAX_PATTERN`.
    """
    if len(pattern) > MAX_PATTERN:
        raise BadInput(
            "bad_regex", f"a pattern has at most {MAX_PATTERN} characters, this one {len(pattern)}"
        )
    options = _RE2.Options()
    options.log_errors = False
    options.max_mem = MAX_PROGRAM
    spelled = LINEWISE.encode() + pattern.encode("utf-8", "surrogateescape")
    try:
        _RE2.compile(spelled, options)  # refuses what the groups have wrong
        options.never_capture = True  # only whole matches are asked for: about twice as fast
        return _RE2.compile(spelled, options)
    except _RE2.error as error:
        detail: bytes | str = error.args[0] if error.args else ""
        message = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
        message = message.replace(LINEWISE, "")
        raise BadInput(
            "bad_regex",
            f"/{pattern}/: {message}",
            hint="the syntax is RE2's: no look-around, no back-references",
        ) from error


def first_match(compiled: Any, text: bytes, codec: str) -> tuple[int, int] | None:
    """The first non-empty match in a piece of a file of that encoding."""
    spans = _spans(compiled, text) if _is_utf8(codec) else _decoded_spans(compiled, text, codec)
    return next(spans, None)


def _spans(compiled: Any, text: bytes) -> Iterator[tuple[int, int]]:
    for match in compiled.finditer(text):
        start, end = match.span()
        if end > start:
            yield start, end


def _decoded_spans(compiled: Any, text: bytes, codec: str) -> Iterator[tuple[int, int]]:
    """Spans in `text` of matches in its UTF-8 form; none when the text does not decode."""
    try:
        plain = text.decode(codec)
    except (UnicodeDecodeError, LookupError):
        yield from _spans(compiled, text)
        return
    utf8 = plain.encode("utf-8", "surrogatepass")
    at = offset = first = 0
    for start, end in _spans(compiled, utf8):
        for goal in (start, end):
            piece = utf8[at:goal].decode("utf-8", "surrogatepass")
            encoded = encode_exactly(piece, codec)
            if encoded is None:
                return
            offset += len(encoded[0])
            at = goal
            if goal == start:
                first = offset
        yield first, offset


def _is_utf8(codec: str) -> bool:
    return codec.lower().replace("_", "-") in {
        "utf-8",
        "utf-8-sig",
        "ascii",
        "us-ascii",
        "utf8",
        "",
    }


# --------------------------------------------------------------------------- prefilter


def _candidates(corpus: Corpus, required: Required) -> Holders:
    """What may match: some alternative has all its literals."""
    entries = np.zeros(corpus.n_entries, np.bool_)
    docs = np.zeros(corpus.n_docs, np.bool_)
    if not required.alternatives:
        return Holders(None, None)
    for literals in required.alternatives:
        held = [literal_docs(corpus, literal, folded=required.folded) for literal in literals]
        masks = [(each.entries, each.docs) for each in held]
        known = [(e, d) for e, d in masks if e is not None and d is not None]
        if not known:
            return Holders(None, None)
        entries |= np.logical_and.reduce([e for e, _ in known])
        docs |= np.logical_and.reduce([d for _, d in known])
    return Holders(entries, docs)


def _sure_bytes(required: Required) -> tuple[tuple[bytes, ...], ...]:
    """The alternatives as bytes to look for first; () when any case may match."""
    if required.folded:
        return ()
    return tuple(
        tuple(literal.encode("utf-8", "surrogateescape") for literal in literals)
        for literals in required.alternatives
    )


def required_literals(pattern: str) -> Required:
    """Literals that every match of `pattern` holds.

    Conservative: what is not understood yields nothing. Under `(?i)` only ASCII letters count, cut
    at `k` and `s`, which fold to letters outside ASCII too.
    """
    folded = re.search(r"\(\?[a-zA-Z]*i", pattern) is not None
    if pattern.count("(") > MAX_GROUPS:
        return Required((), folded)
    alternatives = _Reader(pattern).alternatives()
    kept = [
        tuple(dict.fromkeys(part for run in runs for part in _pieces(run, folded=folded)))
        for runs in alternatives
    ]
    if not all(kept):
        return Required((), folded)
    return Required(tuple(kept), folded)


def _pieces(run: str, *, folded: bool) -> list[str]:
    pieces = re.split(r"[kKsS\u0080-\U0010ffff]", run) if folded else [run]
    return [piece for piece in pieces if len(piece) >= 2]


_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


class _Reader:
    """Reads a pattern once, left to right; collects runs of characters that must stand together."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def alternatives(self) -> list[list[str]]:
        """The required runs of each alternative up to `)` or the end."""
        out: list[list[str]] = []
        runs: list[str] = []
        run = ""
        while self._at < len(self._pattern) and self._pattern[self._at] != ")":
            if self._pattern[self._at] == "|":
                self._at += 1
                out.append([*runs, run])
                runs, run = [], ""
                continue
            atom = self._atom()
            least, most = self._quantifier()
            if isinstance(atom, str):
                if least == most == 1:
                    run += atom
                else:
                    runs.append(run + atom if least else run)
                    run = ""
                continue
            runs.append(run)
            run = ""
            if least and len(atom) == 1:
                runs += atom[0]
        out.append([*runs, run])
        return [[each for each in alternative if each] for alternative in out]

    def _atom(self) -> str | list[list[str]]:
        """A literal character, or the alternatives of a group; [] for anything else."""
        char = self._pattern[self._at]
        self._at += 1
        if char == "\\":
            return self._escape()
        if char == "[":
            self._skip_class()
            return []
        if char == "(":
            return self._group()
        return [] if char in ".^$*+?" else char

    def _escape(self) -> str | list[list[str]]:
        rest = self._pattern[self._at :]
        code = re.match(r"x\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})", rest)
        if code is not None:
            self._at += code.end()
            value = int(code[1] or code[2], 16)
            return chr(value) if value < 0x80 else []
        quoted = re.match(r"Q(.*?)(?:\\E|$)", rest, re.DOTALL)
        if quoted is not None:
            self._at += quoted.end()
            # one run of its own: a quantifier after \\E binds to the last character only
            return [[quoted[1][:-1]]]
        named = re.match(r"[pP](?:\{[^}]*\}|.)|[0-7]{1,3}", rest)
        if named is not None:
            self._at += named.end()
            return []
        char = rest[:1]
        self._at += 1
        if char in _CONTROL:
            return _CONTROL[char]
        return [] if char.isalnum() or not char else char

    def _group(self) -> list[list[str]]:
        head = re.compile(r"\?(?:P?<\w+>|[a-zA-Z-]*:)").match(self._pattern, self._at)
        if head is not None:
            self._at = head.end()
        else:
            flags = re.compile(r"\?[a-zA-Z-]*\)").match(self._pattern, self._at)
            if flags is not None:
                self._at = flags.end()
                return []
        inside = self.alternatives()
        self._at += 1
        return inside

    def _skip_class(self) -> None:
        found = re.compile(r"\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]", re.DOTALL).match(
            self._pattern, self._at
        )
        self._at = found.end() if found else len(self._pattern)

    def _quantifier(self) -> tuple[int, int]:
        """(least, most) times that the last atom stands; several quantifiers in a row combine."""
        least = most = 1
        while True:
            found = re.compile(r"(?:([*+?])|\{(\d+)(,(\d*))?\})\??").match(self._pattern, self._at)
            if found is None:
                return least, most
            self._at = found.end()
            if found[1] in {"*", "?"} or (found[2] and int(found[2]) == 0):
                least = 0
            most = 2
