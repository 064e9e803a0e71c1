"""An agent with nothing but grep and read: keywords of the question, lines that hold them, windows around.

First the words of the question are looked for, the rarest of them first; then, as an agent that has
read a piece does, the names that the best windows call. No index is made: every question reads
every file. A stand-in for an agent that is steered by a model, and as cheap as it gets.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from grainline.lab.ground import Ground, SourceText
from grainline.lab.strategies._packing import pack
from grainline.lab.values import NO_COST, Context, IndexCost, Piece, Query, Settings, Value
from grainline.model.position import LineSpan

STOP = frozenset(
    [
        "a",
        "about",
        "after",
        "all",
        "also",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "before",
        "but",
        "by",
        "can",
        "could",
        "do",
        "does",
        "for",
        "from",
        "get",
        "has",
        "have",
        "how",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "make",
        "no",
        "not",
        "of",
        "on",
        "one",
        "or",
        "other",
        "out",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "up",
        "use",
        "used",
        "using",
        "was",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
    ]
)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_CALL = re.compile(r"\b([A-Za-z_][A-Za-z0-9_]{3,})\s*\(")
_DEFINES = re.compile(r"\b(?:def|func|function|fn|class|struct|interface|type|void|public)\b")


class GrepAgent:
    """See the module."""

    name = "grep_agent"
    version = 1
    options: Mapping[str, Value] = {
        "before": 4,  # lines read above a match
        "after": 16,  # lines read below it
        "words": 12,  # keywords of a question
        "follow": 4,  # names that are looked up after reading
        "tests": False,
    }
    sees_gold = False

    @contextmanager
    def index(self, ground: Ground, settings: Settings) -> Generator[GrepIndex]:
        """Nothing to prepare."""
        yield GrepIndex(ground, settings)


class GrepIndex:
    """Reads the files of a checkout."""

    def __init__(self, ground: Ground, settings: Settings) -> None:
        self._ground = ground
        self._settings = settings

    def retrieve(self, query: Query, k: int) -> list[Piece]:
        """Windows by the weight of the words in them, then those of names that they call."""
        files = [
            file
            for file in self._ground.files(query.ref).values()
            if self._settings.flag("tests") or not file.is_test
        ]
        lines = {file.path: file.text.decode("utf-8", "replace").split("\n") for file in files}
        lowered = {path: [line.lower() for line in text] for path, text in lines.items()}
        weights = _weights(_keywords(query.text, self._settings.count("words")), lowered)
        first = sorted(self._windows(files, lowered, weights, query), key=_order)
        if not first:
            return []
        names = self._called(first[:3], lines)
        floor = first[min(len(first), 3) - 1].score
        second = list(self._definitions(files, lines, names, floor, query))
        return sorted(_apart([*first, *second]), key=_order)[:k]

    def _windows(
        self,
        files: Sequence[SourceText],
        lowered: Mapping[bytes, Sequence[str]],
        weights: Mapping[str, float],
        query: Query,
    ) -> Iterator[Piece]:
        for file in files:
            held = _matches(lowered[file.path], weights)
            for number in held:
                span = range(
                    number - self._settings.count("before"),
                    number + self._settings.count("after") + 1,
                )
                inside = {word for at in span for word in held.get(at, ())}
                words = sorted(inside, key=lambda word: (-weights[word], word))
                score = sum(weights[word] for word in words)
                why = "grep " + " ".join(words[:4])
                yield self._piece(file, number, score, why, query)

    def _called(self, read: Sequence[Piece], lines: Mapping[bytes, Sequence[str]]) -> list[str]:
        """The names that the windows call most."""
        counts: Counter[str] = Counter()
        for piece in read:
            text = lines[piece.path][piece.lines.start - 1 : piece.lines.end]
            counts.update(
                name for line in text if not _DEFINES.search(line) for name in _CALL.findall(line)
            )
        ranked = sorted(counts, key=lambda name: (-counts[name], name))
        return ranked[: self._settings.count("follow")]

    def _definitions(
        self,
        files: Sequence[SourceText],
        lines: Mapping[bytes, Sequence[str]],
        names: Iterable[str],
        score: float,
        query: Query,
    ) -> Iterator[Piece]:
        for name in names:
            head = re.compile(rf"{_DEFINES.pattern}.*\b{re.escape(name)}\b")
            found = (
                (file, number)
                for file in files
                for number, line in enumerate(lines[file.path])
                if name in line and head.search(line)
            )
            for file, number in list(found)[:1]:
                yield self._piece(file, number, score * 0.9, f"read, then grep {name}", query)

    def _piece(self, file: SourceText, number: int, score: float, why: str, query: Query) -> Piece:
        first = max(1, number + 1 - self._settings.count("before"))
        last = min(len(file.starts), number + 1 + self._settings.count("after"))
        lines = LineSpan(first, last)
        version = query.ref or "" if self._ground.checkout.refs else ""
        return Piece(file.path, file.span(lines), lines, score, why, "", version)

    def assemble(self, query: Query, ranking: Sequence[Piece], budget: int) -> Context:
        """What was read, in that order."""
        return pack(self._ground.files(query.ref), ranking, budget)

    def cost(self) -> IndexCost:
        """None: the files are read for every question."""
        return NO_COST


def _keywords(text: str, limit: int) -> list[str]:
    """Words as they stand and the parts of names; longer ones first."""
    words: dict[str, None] = {}
    for word in _WORD.findall(text):
        for part in (word, *re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", word)):
            if len(part) > 2 and part.lower() not in STOP:
                words[part.lower()] = None
    return sorted(words, key=lambda word: -len(word))[:limit]


def _weights(words: Sequence[str], lowered: Mapping[bytes, Sequence[str]]) -> dict[str, float]:
    """How telling a word is: by the share of files that hold it."""
    counts: Counter[str] = Counter()
    for text in lowered.values():
        whole = "\n".join(text)
        counts.update(word for word in words if word in whole)
    total = len(lowered)
    return {word: math.log(1 + total / counts[word]) for word in words if counts[word]}


def _matches(lines: Sequence[str], weights: Mapping[str, float]) -> dict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    for number, line in enumerate(lines):
        for word in weights:
            if word in line:
                found[number].append(word)
    return dict(found)


def _apart(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The best of windows that overlap."""
    taken: defaultdict[bytes, list[LineSpan]] = defaultdict(list)
    for piece in sorted(pieces, key=_order):
        if not any(
            piece.lines.start <= other.end and other.start <= piece.lines.end
            for other in taken[piece.path]
        ):
            taken[piece.path].append(piece.lines)
            yield piece


def _order(piece: Piece) -> tuple[float, bytes, int]:
    return (-piece.score, piece.path, piece.lines.start)


STRATEGY = GrepAgent()
