"""One blob -> verdict, facts, chunks, counts; many blobs -> the columns of an answer. Pure.

    stored bytes ─ decode ─ mask ─ language ─ parse ─ chunk ─ count
                              │                          │
                       the masked view  <── offsets ── spans

Analysis works on UTF-8; everything it hands out is placed in the masked view of the stored bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grainline.chunking.base import CHUNKERS, Source
from grainline.indexing.frames import (
    CHUNK_KIND_CODE,
    Answer,
    Task,
    Verdict,
    columns_of,
)
from grainline.indexing.hints import language_of
from grainline.indexing.lower import placed_ir
from grainline.indexing.setup import Setup
from grainline.indexing.views import View, view_of
from grainline.languages.base import LANGUAGES
from grainline.languages.detect import HEAD
from grainline.model.chunk import ChunkSpan
from grainline.model.facts import FileFacts
from grainline.model.snapshot import FlagName, Outcome, Reason
from grainline.model.symbol import Definition, Import
from grainline.parsing.facts import (
    INCOMPLETE,
    NO_REFERENCES,
    TORN,
    Parsed,
    as_text,
    parse_lazily,
    parse_text,
)
from grainline.text.counts import TermCounter
from grainline.text.decode import Undecodable
from grainline.text.digest import chunk_key
from grainline.text.tokens import many_token_sums

GIT_LFS = b"version https://git-lfs.github.com/spec/"


class Analyser:
    """Analyses batches; what it remembers between them only saves time."""

    def __init__(self, setup: Setup) -> None:
        self._chunker = CHUNKERS.get(setup.chunker)
        self._options = setup.chunk
        self._ir = setup.ir

    def analyse(self, tasks: Sequence[Task]) -> Answer:
        """The answer to one request."""
        columns = _Columns(self._chunker.name, self._chunker.version)
        looked = [_look(task) for task in tasks]
        texts = [b"" if isinstance(view, Undecodable) else view.working for _, view in looked]
        sums = many_token_sums(texts)
        for task, (language, view), own_sums in zip(tasks, looked, sums, strict=True):
            if isinstance(view, Undecodable):
                outcome = nothing(language, Outcome.SKIPPED, view.reason, view.detail)
                columns.add_nothing(outcome)
            else:
                self._blob(task, view, language, own_sums, columns)
        return columns.answer()

    def _blob(
        self,
        task: Task,
        view: View,
        language: str,
        sums: NDArray[np.int32],
        columns: _Columns,
    ) -> None:
        parsed = self._parse(task, view, language)
        verdict = _verdict(task, view, parsed.facts)
        if verdict.outcome is Outcome.FAILED:
            columns.add_nothing(verdict)
            return
        source = Source(
            text=view.working,
            facts=parsed.facts,
            token_sums=sums,
            open_skeleton=parsed.skeleton,
        )
        chunks = self._chunker.chunk(source, self._options)
        columns.add(verdict, view, source, parsed.references, chunks)
        if self._ir and parsed.facts.parsed:
            columns.add_ir(placed_ir(parsed.lower(), view.offsets))

    def _parse(self, task: Task, view: View, language: str) -> Parsed:
        text = view.working
        if task.text_only:
            return as_text(parse_text(text, language, code=Reason.PARSER_CRASH))
        if text.startswith(GIT_LFS):  # a valid one never comes so far
            return as_text(parse_text(text, code=Reason.LFS_POINTER, detail="not a valid pointer"))
        minified = [flag.rule for flag in view.flags if flag.name is FlagName.MINIFIED]
        if minified and language:
            return as_text(parse_text(text, language, code=Reason.MINIFIED, detail=minified[0]))
        return parse_lazily(text, language, skeleton_limit=self._chunker.skeleton_limit)


def _look(task: Task) -> tuple[str, View | Undecodable]:
    """The language of a blob as far as its beginning tells, and its forms."""
    language = language_of(task.hint, task.data[:HEAD])
    view = view_of(task.data, hint=language)
    if not isinstance(view, Undecodable) and view.offsets is not None:
        language = language_of(task.hint, view.working[:HEAD])
    return language, view


def _verdict(task: Task, view: View, facts: FileFacts) -> Verdict:
    """How a blob that can be read was read, before its rows are counted."""
    text = None if view.stored == task.data else view.stored
    verdict = Verdict(
        facts.language, Outcome.INDEXED, None, "", view.flags, view.encoding, text, 0, 0, 0, 0
    )
    for found in facts.diagnostics:
        if found.code == INCOMPLETE:
            detail = f"symbols may be missing: {found.detail}"
            return verdict._replace(
                outcome=Outcome.INDEXED_AS_TEXT, reason=Reason.TOO_LARGE, detail=detail
            )
    if facts.parsed:
        if blank := _says_nothing(facts):
            return verdict._replace(outcome=Outcome.INDEXED_AS_TEXT, detail=blank)
        return _with_gaps(verdict, facts)
    code, detail = _obstacle(facts)
    if code == Reason.PARSER_TIMEOUT:
        return nothing(facts.language, Outcome.FAILED, Reason.PARSER_TIMEOUT, detail)
    reason = Reason(code) if code in REASONS else None
    return verdict._replace(outcome=Outcome.INDEXED_AS_TEXT, reason=reason, detail=detail)


def _with_gaps(verdict: Verdict, facts: FileFacts) -> Verdict:
    """The verdict on a file with a tree: indexed, though perhaps not all of it was understood."""
    for found in facts.diagnostics:
        if found.code == TORN:
            detail = f"{found.detail} could not be parsed: what they define and call may be missing"
            return verdict._replace(reason=Reason.PARSED_IN_PART, detail=detail)
    return verdict


def _says_nothing(facts: FileFacts) -> str:
    """Why a tree is worth no more than the text: a broken one, prose; "" when it is."""
    if facts.definitions:
        return ""
    if any(found.code == "syntax_error" for found in facts.diagnostics):
        return "syntax errors and no symbol"
    return "" if LANGUAGES.get(facts.language).heading_level is None else "no heading"


def _obstacle(facts: FileFacts) -> tuple[str, str]:
    """Why there is no tree: code and detail, both "" for plain text."""
    if not facts.diagnostics:
        return "", ""
    return facts.diagnostics[0].code, facts.diagnostics[0].detail


def nothing(language: str, outcome: Outcome, reason: Reason, detail: str) -> Verdict:
    """The verdict on a blob that is not indexed."""
    return Verdict(language, outcome, reason, detail, (), "", b"", 0, 0, 0, 0)


REASONS = frozenset(Reason)


class _Columns:
    """Rows of the blobs of one answer, in order; positions are bytes of their masked views."""

    def __init__(self, chunker: str, version: int) -> None:
        self._chunker = chunker
        self._version = version
        self._counter = TermCounter()
        self._verdicts: list[Verdict] = []
        self._chunks: list[ChunkSpan] = []
        self._tokens: list[NDArray[np.int32]] = []
        self._sources: list[tuple[str, str, bytes]] = []  # of each chunk: what its key needs
        self._definitions: list[Definition] = []
        self._imports: list[Import] = []
        self._references: list[NDArray[np.int64]] = [NO_REFERENCES]
        self._irs: dict[int, bytes] = {}
        self._barren: Counter[str] = Counter()
        self._fruitful: Counter[str] = Counter()

    def add_nothing(self, verdict: Verdict) -> None:
        """A blob of which nothing is indexed."""
        self._verdicts.append(verdict)

    def add(
        self,
        verdict: Verdict,
        view: View,
        source: Source,
        references: NDArray[np.int64],
        chunks: Sequence[ChunkSpan],
    ) -> None:
        """A blob with its chunks; all positions are bytes of the working text."""
        facts = source.facts
        self._counter.add(source.text, chunks, facts)
        edges = np.array([chunk[:2] for chunk in chunks], np.int64).reshape(-1, 2)
        self._tokens.append(source.token_sums[edges[:, 1]] - source.token_sums[edges[:, 0]])
        if view.offsets is not None:
            chunks, facts = _placed(chunks, facts, view.offsets)
            references = np.hstack((view.offsets[references[:, :2]], references[:, 2:]))
        self._sources += [(facts.language, view.encoding, view.stored)] * len(chunks)
        self._chunks += chunks
        self._definitions += facts.definitions
        self._imports += facts.imports
        self._references.append(references)
        self._tally(facts)
        self._verdicts.append(
            verdict._replace(
                chunks=len(chunks),
                definitions=len(facts.definitions),
                imports=len(facts.imports),
                references=len(references),
            )
        )

    def add_ir(self, ir: bytes) -> None:
        """The IR of the blob that was added last."""
        self._irs[len(self._verdicts) - 1] = ir

    def _keys(self, contexts: Sequence[bytes]) -> Iterator[bytes]:
        for chunk, context, (language, encoding, stored) in zip(
            self._chunks, contexts, self._sources, strict=True
        ):
            yield chunk_key(
                self._chunker,
                self._version,
                language,
                encoding,
                chunk.header,
                stored[chunk.start : chunk.end],
                context=context,
            )

    def _tally(self, facts: FileFacts) -> None:
        if facts.definitions:
            self._fruitful[facts.language] += 1
        elif any(found.code == "no_symbols" for found in facts.diagnostics):
            self._barren[facts.language] += 1

    def answer(self) -> Answer:
        """All of it."""
        counts = self._counter.finish()
        starts, ends, kinds, symbols, parents, _, part, parts = columns_of(self._chunks, 8)
        begins, finishes, roles = np.concatenate(self._references).T
        return Answer(
            verdicts=self._verdicts,
            columns=(
                np.array(starts, np.uint32),
                np.array(ends, np.uint32),
                np.array([CHUNK_KIND_CODE[kind] for kind in kinds], np.uint8),
                np.array(symbols, np.int32),
                np.array(parents, np.int32),
                np.array(part, np.uint16),
                np.array(parts, np.uint16),
                np.concatenate([NO_TOKENS, *self._tokens]).astype(np.uint32),
                np.frombuffer(b"".join(self._keys(counts.contexts)), np.uint8),
                counts.lengths,
                begins.astype(np.uint32),
                finishes.astype(np.uint32),
                roles.astype(np.uint8),
            ),
            definitions=self._definitions,
            imports=self._imports,
            vocabulary=counts.vocabulary,
            rows=counts.rows,
            irs=[self._irs.get(at, b"") for at in range(len(self._verdicts))],
            barren=self._barren,
            fruitful=self._fruitful,
        )


NO_TOKENS = np.empty(0, np.int32)


def _placed(
    chunks: Sequence[ChunkSpan], facts: FileFacts, offsets: NDArray[np.int64]
) -> tuple[list[ChunkSpan], FileFacts]:
    """Chunks and facts with their positions moved from the working text to the stored bytes."""
    place = offsets.tolist().__getitem__
    moved = [chunk._replace(start=place(chunk.start), end=place(chunk.end)) for chunk in chunks]
    definitions = [
        Definition._make((*found[:3], *map(place, found[3:-1]), found.parent))
        for found in facts.definitions
    ]
    imports = [
        found._replace(start=place(found.start), end=place(found.end)) for found in facts.imports
    ]
    return moved, replace(facts, definitions=tuple(definitions), imports=tuple(imports))
