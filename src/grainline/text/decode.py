"""Stored bytes into working text: UTF-8 where possible, with the way back to the stored bytes.

What comes out is text for parsers and chunkers, or the reason why there is none. Bytes that are
UTF-8, or nearly, are the working text themselves, so that offsets need no map; other encodings are
transcoded and carry one. Nothing here looks at a path.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grainline.model.position import Span
from grainline.model.snapshot import Flag, Reason
from grainline.text.marks import content_flags

DECODE_VERSION = 1
"""Of outcomes, working text and content flags; part of every index fingerprint.

1: UTF-8, UTF-16, UTF-32, declared codecs, undeclared GBK; magic numbers and control bytes.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """Working text of a blob.

    Attributes:
        text: UTF-8; the stored bytes themselves (a byte order mark and invalid bytes included) when
            `offsets` is None.
        encoding: name of a Python codec that `show` takes for pieces of the stored bytes.
        offsets: `(len(text) + 1,)`, never falling: where in the stored bytes each byte of the text
            comes from (for every byte of a character: the start of it), the first 0, the last
            their length, so that any tiling of the text maps to a tiling of the stored bytes.
        bom: bytes of the byte order mark of the stored bytes.
        flags: what the content shows, each with the rule that set it.
    """

    text: bytes
    encoding: str
    offsets: NDArray[np.int64] | None
    bom: int
    flags: tuple[Flag, ...]

    def stored(self, start: int, end: int) -> Span:
        """The span of the stored bytes that `text[start:end]` comes from."""
        if self.offsets is None:
            return Span(start, end)
        return Span(int(self.offsets[start]), int(self.offsets[end]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecodable:
    """There is no text; `detail` names the rule."""

    reason: Reason
    detail: str


def decode(data: bytes, *, hint: str = "") -> Decoded | Undecodable:
    """The working text of stored bytes, or why there is none.

    Args:
        data: the stored bytes.
        hint: language that the path suggests, "" when it suggests none; long lines are no sign
            of minified code in prose.
    """
    if data.isascii() and not data.translate(None, _PLAIN):
        return _plain(data, hint)
    refused = _refused(data)
    if refused is not None:
        return refused
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(data, mark, encoding, hint)
    if b"\0" in data:
        encoding = _unmarked_utf16(data)
        if encoding:
            return _transcoded(data, encoding, b"", hint) or _no_text(data, encoding)
    detail = _binary_detail(data)
    if detail:
        return Undecodable(reason=Reason.BINARY, detail=detail)
    return _unmarked(data, hint)


def show(data: bytes, encoding: str) -> str:
    """Stored bytes as a person sees them; what does not decode becomes U+FFFD."""
    return data.decode(encoding, "replace").removeprefix("\ufeff")


_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n\r\f\x1b\b"
"""ASCII bytes that text holds: no control bytes but white space, escape and backspace."""


def _plain(data: bytes, hint: str) -> Decoded | Undecodable:
    if not data or data.isspace():
        return Undecodable(reason=Reason.EMPTY, detail="blank")
    refused = _refused(data)
    return refused or _as_it_is(data, 0, hint)


def _as_it_is(data: bytes, bom: int, hint: str) -> Decoded:
    encoding = "utf-8-sig" if bom else "utf-8"
    flags = content_flags(data, hint)
    return Decoded(text=data, encoding=encoding, offsets=None, bom=bom, flags=flags)


# --------------------------------------------------------------------------- no text at all

_LFS = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-.*\n)*"
    rb"oid sha256:[0-9a-f]{64}\nsize [0-9]{1,19}\n?"
)
_LFS_LIMIT = 1024  # bytes; a pointer is smaller (git-lfs: docs/spec.md)

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x7fELF", "elf"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh91AY&SY", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\xca\xfe\xba\xbe", "class"),
    (b"\xfe\xed\xfa\xce", "mach-o"),
    (b"\xfe\xed\xfa\xcf", "mach-o"),
    (b"\xce\xfa\xed\xfe", "mach-o"),
    (b"\xcf\xfa\xed\xfe", "mach-o"),
    (b"%PDF-", "pdf"),
    (b"SQLite format 3\0", "sqlite"),
    (b"OggS\0", "ogg"),
    (b"fLaC\0", "flac"),
    (b"ID3\x03", "mp3"),
    (b"ID3\x04", "mp3"),
    (b"\0asm", "wasm"),
    (b"!<arch>\n", "archive"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
    (b"OTTO\0", "font"),
    (b"\0\1\0\0\0", "font"),
    (b"\0\0\1\0", "icon"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (b"\xed\xab\xee\xdb", "rpm"),
    (b"dex\n03", "dex"),
    (b"BC\xc0\xde", "bitcode"),
    (b"\x93NUMPY", "numpy"),
    (b"\x89HDF\r\n\x1a\n", "hdf5"),
    (b"PAR1", "parquet"),
    (b"\xde\x12\x04\x95", "gettext"),
    (b"\x95\x04\x12\xde", "gettext"),
)
_HEADS = frozenset(magic[0] for magic, _ in _MAGIC)
_PICKLE = re.compile(
    rb"(?:c[A-Za-z_][\w.]*\n[A-Za-z_][\w.]*\n[(q]|\(dp0\n|\(lp0\n|\x80[\x02-\x05])"
)


def _refused(data: bytes) -> Undecodable | None:
    if not data:
        return Undecodable(reason=Reason.EMPTY, detail="blank")
    head = data[0]
    if head in _HEADS:
        for magic, name in _MAGIC:
            if data.startswith(magic):
                return Undecodable(reason=Reason.BINARY, detail=f"magic:{name}")
    if data.startswith((b"MZ", b"RIFF")) and b"\0" in data[:64]:
        return Undecodable(reason=Reason.BINARY, detail="magic:" + data[:2].decode().lower())
    if head in b"c(\x80" and data.endswith(b".") and _PICKLE.match(data):
        return Undecodable(reason=Reason.BINARY, detail="magic:pickle")
    if head == 0x76 and len(data) <= _LFS_LIMIT and _LFS.fullmatch(data):
        return Undecodable(reason=Reason.LFS_POINTER, detail="content:git-lfs")
    return None


_CONTROL_PERCENT = 10  # of all bytes; source and prose stay far below, programs far above
_NULS_ALLOWED = 8  # a stray NUL does not make a program of a source file
_NUL_PER_MILLE = 1


def _binary_detail(data: bytes) -> str:
    controls = data.translate(None, _NOT_CONTROL)
    if len(controls) * 100 > _CONTROL_PERCENT * len(data):
        return f"content:{len(controls)} control bytes"
    nuls = controls.count(0)
    if nuls > _NULS_ALLOWED and nuls * 1000 > _NUL_PER_MILLE * len(data):
        return f"content:{nuls} NUL bytes"
    return ""


_NOT_CONTROL = _PLAIN + bytes(range(0x80, 0x100))


def _no_text(data: bytes, encoding: str) -> Undecodable:
    return Undecodable(reason=Reason.UNDECODABLE, detail=f"content:not {encoding}")


# --------------------------------------------------------------------------- Unicode

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def _marked(data: bytes, mark: bytes, encoding: str, hint: str) -> Decoded | Undecodable:
    if encoding == "utf-8-sig":
        if data[len(mark) :].strip() == b"":
            return Undecodable(reason=Reason.EMPTY, detail="only a byte order mark")
        detail = _binary_detail(data)
        if detail:
            return Undecodable(reason=Reason.BINARY, detail=detail)
        return _as_it_is(data, len(mark), hint)
    return _transcoded(data, encoding, mark, hint) or _no_text(data, encoding)


def _unmarked_utf16(data: bytes) -> str:
    """Which UTF-16 it is, when nearly every other byte is NUL; else ""."""
    size = len(data) // 2
    if len(data) % 2 or not size:
        return ""
    high, low = data[0::2].count(0), data[1::2].count(0)
    if low * 10 >= 7 * size and high * 100 <= size:
        return "utf-16-le"
    if high * 10 >= 7 * size and low * 100 <= size:
        return "utf-16-be"
    return ""


def _transcoded(data: bytes, encoding: str, mark: bytes, hint: str) -> Decoded | Undecodable | None:
    """The text in another encoding; None when the bytes are not that."""
    try:
        text = data[len(mark) :].decode(encoding)
        working = text.encode()
    except UnicodeError:
        return None
    if not text.strip():
        return Undecodable(reason=Reason.EMPTY, detail="blank")
    detail = _binary_detail(working)
    if detail:
        return Undecodable(reason=Reason.BINARY, detail=detail)
    offsets = _offsets(text, encoding, len(mark), len(data))
    if offsets is None:
        return None
    return Decoded(
        text=working,
        encoding=encoding,
        offsets=offsets,
        bom=len(mark),
        flags=content_flags(working, hint),
    )


def _offsets(text: str, encoding: str, bom: int, size: int) -> NDArray[np.int64] | None:
    """The map of `Decoded.offsets`; None when characters have several forms in this encoding."""
    points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    distinct, which = np.unique(points, return_inverse=True)
    lengths = [len(char.encode(encoding)) for char in map(chr, distinct.tolist())]
    stored = np.array(lengths, np.int64)[which]
    ends = np.cumsum(stored) + bom
    if ends[-1] != size:
        return None
    widths = 1 + (points > 0x7F) + (points > 0x7FF) + (points > 0xFFFF)
    offsets = np.append(np.repeat(ends - stored, widths), size)
    offsets[0] = 0
    return offsets


# --------------------------------------------------------------------------- other encodings

_DECLARED_IN = 1024  # bytes from the start in which a declaration may stand
_DECLARED = re.compile(
    rb"coding[:=]\s*([-\w.]+)|charset=[\"']?([-\w]+)|@charset \"([-\w]+)\""
    rb"|encoding=[\"']([-\w]+)[\"']"
)
_CODECS = frozenset(
    [
        "gbk",
        "gb2312",
        "gb18030",
        "big5",
        "big5hkscs",
        "cp950",
        "shift_jis",
        "cp932",
        "euc_jp",
        "euc_jis_2004",
        "euc_kr",
        "cp949",
        "johab",
        "iso8859-1",
        "iso8859-2",
        "iso8859-3",
        "iso8859-4",
        "iso8859-5",
        "iso8859-6",
        "iso8859-7",
        "iso8859-8",
        "iso8859-9",
        "iso8859-10",
        "iso8859-13",
        "iso8859-14",
        "iso8859-15",
        "iso8859-16",
        "cp1250",
        "cp1251",
        "cp1252",
        "cp1253",
        "cp1254",
        "cp1255",
        "cp1256",
        "cp1257",
        "cp1258",
        "cp437",
        "cp850",
        "cp866",
        "koi8-r",
        "koi8-u",
        "mac-roman",
        "tis-620",
    ]
)
_WIDER = {"gb2312": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}
"""Supersets that files declared as the smaller set are written in."""


def _unmarked(data: bytes, hint: str) -> Decoded | Undecodable:
    if not _is_utf8(data):
        for encoding in (*_declared(data), *_guessed(data)):
            found = _transcoded(data, encoding, b"", hint)
            if found is not None:
                return found
        if _is_noise(data):
            return Undecodable(reason=Reason.UNDECODABLE, detail="content:unknown encoding")
    if data.isspace():
        return Undecodable(reason=Reason.EMPTY, detail="blank")
    return _as_it_is(data, 0, hint)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _declared(data: bytes) -> tuple[str, ...]:
    found = _DECLARED.search(data, 0, _DECLARED_IN)
    if found is None:
        return ()
    name = next(filter(None, found.groups())).decode("ascii", "replace")
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        return ()
    if codec not in _CODECS:
        return ()
    return (codec, _WIDER[codec]) if codec in _WIDER else (codec,)


_HANZI = re.compile(rb"[\xb0-\xd7][\xa1-\xfe]")  # the 3,755 common characters of GB 2312
_PAIRS = re.compile(rb"[\x81-\xfe][\x40-\x7e\x80-\xfe]")
_COMMON_PERCENT = 70
_LATE_PERCENT = 15  # of common characters after 0xC8: none in EUC-KR, whose Hangul end there


def _guessed(data: bytes) -> tuple[str, ...]:
    """GBK, when nearly all pairs are common Chinese characters; else nothing."""
    pairs: list[bytes] = _PAIRS.findall(data)
    common = [pair for pair in pairs if _HANZI.match(pair)]
    late = sum(pair[0] > 0xC8 for pair in common)
    if len(common) * 100 < _COMMON_PERCENT * len(pairs) or not common:
        return ()
    return ("gbk", "gb18030") if late * 100 >= _LATE_PERCENT * len(common) else ()


_NOISE_PERCENT = 30


def _is_noise(data: bytes) -> bool:
    """Whether too much of it is neither ASCII nor UTF-8 to be called text."""
    return data.decode("utf-8", "replace").count("\ufffd") * 100 > _NOISE_PERCENT * len(data)
