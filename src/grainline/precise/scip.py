"""`read`: the bytes of any `index.scip` into an `Index`, or what is wrong with them.

Our own reader of the few messages that matter: the runtime of protocol buffers would bring a
compiled dependency and generated code for a format of six messages, and would set aside memory
for a hostile index before a bound of ours could say no. Time and memory are linear in the bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grainline.precise.index import (
    Document,
    Encoding,
    Index,
    Occurrence,
    Problem,
    Range,
    Relationship,
    SymbolInformation,
    safe_path,
)
from grainline.precise.protobuf import Malformed, Value, fields, number, packed, place


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an index may hold; beyond any of these it is refused as a whole."""

    max_bytes: int = 512 << 20
    documents: int = 500_000
    occurrences: int = 20_000_000
    symbols: int = 5_000_000
    relationships: int = 5_000_000
    text: int = 1 << 20  # bytes of one string, save the text of a document


def read(data: bytes, limits: Limits = Limits()) -> Index | Problem:
    """The index that `data` spells; of a broken one nothing is believed.

    A problem has the code `too_large` (more than `limits` allow) or `malformed`.
    """
    if len(data) > limits.max_bytes:
        return Problem("too_large", f"{len(data)} bytes, the most is {limits.max_bytes}")
    try:
        return _Reader(data, limits).index()
    except _TooLarge as large:
        return Problem("too_large", str(large))
    except Malformed as wrong:
        return Problem("malformed", str(wrong))


class _TooLarge(Malformed):
    """More than the limits allow."""


@dataclass(slots=True)
class _Reader:
    """One read: what is left of the limits, and each string once."""

    data: bytes
    limits: Limits
    strings: dict[bytes, str] = field(default_factory=dict[bytes, str])
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def index(self) -> Index:
        head = ("", "", "")
        documents: list[Document] = []
        refused: list[str] = []
        external: list[SymbolInformation] = []
        for key, given in fields(self.data, 0, len(self.data)):
            if key == 1:
                head = self._metadata(given)
            elif key == 2:
                self._count("documents", self.limits.documents)
                path, document = self._document(given)
                if document is None:
                    refused.append(path)
                else:
                    documents.append(document)
            elif key == 3:
                external.append(self._symbol(given))
        return Index(
            tool=head[0], version=head[1], root=head[2],
            documents=tuple(documents), refused=tuple(refused), external=tuple(external),
        )  # fmt: skip

    def _metadata(self, given: Value) -> tuple[str, str, str]:
        tool = version = root = ""
        for key, value in fields(self.data, *place(given)):
            if key == 2:
                for part, text in fields(self.data, *place(value)):
                    if part == 1:
                        tool = self._text(text)
                    elif part == 2:
                        version = self._text(text)
            elif key == 3:
                root = self._text(value)
        return tool, version, root

    def _document(self, given: Value) -> tuple[str, Document | None]:
        path = language = ""
        encoding = Encoding.UNSPECIFIED
        text: bytes | None = None
        occurrences: list[Occurrence] = []
        symbols: list[SymbolInformation] = []
        for key, value in fields(self.data, *place(given)):
            if key == 1:
                path = self._text(value)
            elif key == 2:
                occurrences.append(self._occurrence(value))
            elif key == 3:
                symbols.append(self._symbol(value))
            elif key == 4:
                language = self._text(value)
            elif key == 5:
                start, end = place(value)
                text = self.data[start:end]
            elif key == 6:
                encoding = _encoding(number(value))
        safe = safe_path(path)
        if safe is None:
            return path, None
        return path, Document(
            path=safe, language=language, encoding=encoding, text=text or None,
            occurrences=tuple(occurrences), symbols=tuple(symbols),
        )  # fmt: skip

    def _occurrence(self, given: Value) -> Occurrence:
        self._count("occurrences", self.limits.occurrences)
        numbers: list[int] = []
        symbol = ""
        roles = 0
        for key, value in fields(self.data, *place(given)):
            if key == 1:
                numbers += (
                    [number(value)] if isinstance(value, int) else packed(self.data, *value, 4)
                )
                if len(numbers) > 4:
                    raise Malformed("a range of more than four numbers")
            elif key == 2:
                symbol = self._text(value)
            elif key == 3:
                roles = number(value)
        return Occurrence(_range(numbers), symbol, roles)

    def _symbol(self, given: Value) -> SymbolInformation:
        self._count("symbols", self.limits.symbols)
        symbol = name = signature = ""
        kind = 0
        documentation: list[str] = []
        relationships: list[Relationship] = []
        for key, value in fields(self.data, *place(given)):
            if key == 1:
                symbol = self._text(value)
            elif key == 3:
                documentation.append(self._text(value))
            elif key == 4:
                relationships.append(self._relationship(value))
            elif key == 5:
                kind = number(value)
            elif key == 6:
                name = self._text(value)
            elif key == 7:
                for part, text in fields(self.data, *place(value)):
                    if part == 5:
                        signature = self._text(text)
        return SymbolInformation(
            symbol, kind, name, signature, tuple(documentation), tuple(relationships)
        )

    def _relationship(self, given: Value) -> Relationship:
        self._count("relationships", self.limits.relationships)
        symbol = ""
        bits = [False] * 6
        for key, value in fields(self.data, *place(given)):
            if key == 1:
                symbol = self._text(value)
            elif key <= 5:
                bits[key] = bool(number(value))
        return Relationship(symbol, *bits[2:])

    def _text(self, given: Value) -> str:
        start, end = place(given)
        if end - start > self.limits.text:
            raise _TooLarge(f"a text of {end - start} bytes, the most is {self.limits.text}")
        raw = self.data[start:end]
        known = self.strings.get(raw)
        if known is None:
            known = self.strings[raw] = raw.decode("utf-8", "replace")
        return known

    def _count(self, what: str, most: int) -> None:
        count = self.counts[what] = self.counts.get(what, 0) + 1
        if count > most:
            raise _TooLarge(f"more than {most} {what}")


def _encoding(given: int) -> Encoding:
    return Encoding(given) if given <= Encoding.UTF32 else Encoding.UNSPECIFIED


def _range(numbers: list[int]) -> Range:
    if len(numbers) == 3:
        numbers = [*numbers[:2], numbers[0], numbers[2]]
    if len(numbers) != 4 or max(numbers) >> 31:
        raise Malformed(f"{numbers} is no range")
    return Range(*numbers)
