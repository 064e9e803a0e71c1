"""`Ground`: what strategies share about one checkout, made when it is first asked for.

Files, facts and chunks cost one parse however many strategies look at them; an engine is opened
once for each chunker. Nothing here ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack
from functools import cached_property, partial
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from grainline.chunking.base import CHUNKERS, Chunker, ChunkOptions, Source
from grainline.context.cite import line_starts
from grainline.lab.homes import Home, Homes, Opened
from grainline.lab.kept import Kept
from grainline.lab.mirror import Checkout
from grainline.languages.detect import detect
from grainline.model.chunk import ChunkSpan
from grainline.model.facts import FileFacts
from grainline.model.position import LineSpan, Span
from grainline.model.snapshot import FlagName
from grainline.parsing.facts import parse_lazily
from grainline.snapshots.repository import open_repository
from grainline.text.tokens import token_sums

MAX_BYTES = 1 << 20

T = TypeVar("T")


class SourceText:
    """One file of a checkout: its text, and what is known of it."""

    def __init__(self, path: bytes, text: bytes, *, is_test: bool) -> None:
        self.path = path
        self.text = text
        self.is_test = is_test
        self.language = detect(path, text)

    @cached_property
    def starts(self) -> list[int]:
        """Offsets at which lines start."""
        return line_starts(self.text)

    @cached_property
    def facts(self) -> FileFacts:
        """Outline, imports, comments; no references, for a repository of them takes memory."""
        return _FACTS.get((self.text, self.language), len(self.text), self._facts)

    def _facts(self) -> FileFacts:
        return parse_lazily(self.text, self.language, skeleton_limit=1 << 30).facts

    def lines(self, span: Span) -> LineSpan:
        """The lines that hold text of a span; of a blank one the lines that it touches.

        Chunks tile a file, so one may begin with the line end of the one before: that is none of
        its lines, and a function that ends there is not found by it.
        """
        held = self.text[span.start : span.end]
        text = held.strip()
        start = span.start + len(held) - len(held.lstrip()) if text else span.start
        last = max(start, start + len(text) - 1 if text else span.end - 1)
        first = self.text.count(b"\n", 0, start) + 1
        return LineSpan(first, first + self.text.count(b"\n", start, last))

    def span(self, lines: LineSpan) -> Span:
        """The bytes of lines (cut to the file), line ends included."""
        first = min(max(1, lines.start), len(self.starts))
        last = min(max(first, lines.end), len(self.starts))
        end = self.starts[last] if last < len(self.starts) else len(self.text)
        return Span(self.starts[first - 1], end)

    def decode(self, span: Span) -> str:
        """The text of a span."""
        return self.text[span.start : span.end].decode("utf-8", "replace")


class Chunked(NamedTuple):
    """A chunk and its file; the symbol of the chunk counts in the outline of `facts`."""

    file: SourceText
    chunk: ChunkSpan
    facts: FileFacts

    @property
    def span(self) -> Span:
        """Its bytes."""
        return Span(self.chunk.start, self.chunk.end)


class Ground:
    """One checkout; closes what it opened."""

    def __init__(
        self, checkout: Checkout, *, workers: int | None = None, homes: Homes | None = None
    ) -> None:
        self.checkout = checkout
        self._shared = homes if Homes.may_share(checkout) else None
        self._workers = 0 if checkout.trusted else workers
        self._files: dict[str | None, dict[bytes, SourceText]] = {}
        self._homes: dict[str, Home] = {}
        self._made: dict[Hashable, Any] = {}
        self._commits: dict[str, str] = {}
        self._exit = ExitStack()

    def files(self, ref: str | None = None) -> dict[bytes, SourceText]:
        """Source and text files by path, in path order; no binary, none above `MAX_BYTES`."""
        ref = ref if ref in self.checkout.refs else None
        if ref not in self._files:
            self._files[ref] = {file.path: file for file in self._read(ref)}
        return self._files[ref]

    def _read(self, ref: str | None) -> Iterator[SourceText]:
        for entry, data in self.checkout.files(ref):
            if len(data) <= MAX_BYTES and b"\0" not in data[:8192]:
                is_test = any(flag.name is FlagName.TEST for flag in entry.flags)
                file = SourceText(entry.path, data, is_test=is_test)
                if file.language:
                    yield file

    def chunks(
        self,
        chunker: str,
        options: ChunkOptions,
        *,
        ref: str | None = None,
        tests: bool = False,
    ) -> Iterator[Chunked]:
        """The chunks of all files (without test code unless `tests`), in path and file order."""
        cutter = CHUNKERS.get(chunker)
        for file in self.files(ref).values():
            if file.is_test and not tests:
                continue
            key = (file.text, file.language, cutter.name, cutter.version, options)
            for chunk in _CHUNKS.get(key, len(file.text), partial(_cut, file, cutter, options)):
                yield Chunked(file, chunk, file.facts)

    def home(self, chunker: str = "grain", *, apart: str = "") -> Home:
        """The engine with all views of the checkout, its policy in force.

        `apart` names one that is not shared, for who gives it more than the checkout.
        """
        key = f"{chunker} {apart}"
        if key not in self._homes:
            if self._shared and not apart:
                self._homes[key] = self._shared.home(self.checkout, chunker, self._workers)
            else:
                opened = Opened()
                self._exit.callback(opened.close)
                self._homes[key] = opened.index(self.checkout, chunker, self._workers)
        return self._homes[key]

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, made when it is first asked for under a key; lives as long as this."""
        if key not in self._made:
            self._made[key] = make()
        found: T = self._made[key]
        return found

    def commit_of(self, ref: str) -> str:
        """The commit that a ref of the checkout names."""
        if ref not in self._commits:
            with open_repository(str(self.checkout.folder)) as repository:
                self._commits[ref] = repository.resolve(ref).commit
        return self._commits[ref]

    def refresh(self) -> None:
        """After files of a plain folder were saved: engines look again, all else is forgotten."""
        self._forget()
        for home in self._homes.values():
            for view in home.scope().views:
                home.engine.refresh(view)

    def restart(self) -> None:
        """After files were saved, for those who cannot go on with what they have: all is forgotten."""
        self.close()
        self._exit = ExitStack()

    def _forget(self) -> None:
        self._files.clear()
        self._made.clear()
        self._commits.clear()

    def close(self) -> None:
        """End what was opened."""
        self._exit.close()
        self._homes.clear()
        self._forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


KEPT = 32 << 20
"""Bytes of text whose facts, and whose chunks, are kept; facts take about ten times as much."""

_FACTS: Kept[FileFacts] = Kept(KEPT)
_CHUNKS: Kept[tuple[ChunkSpan, ...]] = Kept(4 * KEPT)


def _cut(file: SourceText, cutter: Chunker, options: ChunkOptions) -> tuple[ChunkSpan, ...]:
    """The chunks of a file that hold more than blanks."""
    parsed = parse_lazily(file.text, file.language, skeleton_limit=cutter.skeleton_limit)
    source = Source(
        text=file.text,
        facts=parsed.facts,
        token_sums=token_sums(file.text),
        open_skeleton=parsed.skeleton,
    )
    cut = cutter.chunk(source, options)
    return tuple(chunk for chunk in cut if file.text[chunk.start : chunk.end].strip())
