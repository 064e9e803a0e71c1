"""Answers by what they depend on: a run that was stopped, or asks again, pays for new ones only.

A file holds the answers of one strategy with its settings about one checkout. Its name is a digest
of the strategy's source and version, the settings, the checkout's content, the engine's source, the
versions of libraries and the machine (answers hold timings); a line in it is known by a digest of
the query. So nothing in a cache is ever out of date, and losing it costs time only.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grainline.lab.code import engine_digest, machine, module_digest, versions
from grainline.lab.generators.base import GENERATORS, NONE
from grainline.lab.mirror import Checkout
from grainline.lab.retrievers.base import RETRIEVERS
from grainline.lab.strategies.base import Strategy
from grainline.lab.values import Answer, Context, IndexCost, Piece, Query, Settings, Shown
from grainline.model.position import LineSpan, Span

FORMAT = 1

ANSWERS = "answers"
"""Folder of kept answers beside those of results."""


class Cache:
    """The answers of one file, in memory, and on disk as they come."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Answer] = {}
        if path.is_file():
            for line in path.read_text("utf-8").splitlines():
                found = _row(line)
                if found is not None:
                    self._known[found[0]] = found[1]

    @classmethod
    def of(cls, folder: Path, strategy: Strategy, settings: Settings, checkout: Checkout) -> Cache:
        """The cache of these circumstances."""
        return cls(folder / f"{_key(strategy, settings, checkout)}.jsonl")

    def get(self, query: Query) -> Answer | None:
        """The answer to a query, if it is known."""
        return self._known.get(_query_key(query))

    def put(self, query: Query, answer: Answer) -> None:
        """Keep an answer; durable when this returns."""
        key = _query_key(query)
        self._known[key] = answer
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps([key, encode(answer)], ensure_ascii=True) + "\n")


def _row(line: str) -> tuple[str, Answer] | None:
    """A line; None for one that was cut when a run was killed."""
    try:
        key, row = json.loads(line)
        return str(key), decode(row)
    except (ValueError, TypeError, KeyError):
        return None


def _key(strategy: Strategy, settings: Settings, checkout: Checkout) -> str:
    modules = [type(strategy).__module__, "grainline.lab.running"]
    own = f"grainline.lab.strategies.{strategy.name}"
    if strategy.name.isidentifier():
        modules.append(own)
    if settings.retriever in RETRIEVERS.names():
        modules.append(type(RETRIEVERS.get(settings.retriever)).__module__)
    if settings.generator != NONE:
        modules += ["grainline.lab.prompts", type(GENERATORS.get(settings.generator)).__module__]
    if settings.generator in GENERATORS.names():
        modules.append(type(GENERATORS.get(settings.generator)).__module__)
    parts = (
        FORMAT,
        strategy.name,
        strategy.version,
        module_digest(*modules),
        sorted(asdict(settings).items(), key=lambda pair: pair[0]),
        checkout.key,
        engine_digest(),
        sorted(versions().items()),
        machine(),
    )
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def _query_key(query: Query) -> str:
    return hashlib.blake2b(repr(query).encode(), digest_size=16).hexdigest()


# ------------------------------------------------------------------ rows


def encode(answer: Answer) -> dict[str, Any]:
    """An answer as JSON can say it."""
    return {
        "ranking": [
            [_text(p.path), *p.span, *p.lines, p.score, p.why, p.unit, p.version, p.seed]
            for p in answer.ranking
        ],
        "context": [
            answer.context.tokens,
            answer.context.text,
            answer.context.omitted,
            [
                [_text(s.path), [list(x) for x in s.lines], s.tokens, s.why, s.role, s.version]
                for s in answer.context.pieces
            ],
        ],
        "ms": [answer.retrieve_ms, answer.assemble_ms, answer.generate_ms],
        "written": answer.written,
        "tokens": [answer.answer_tokens, answer.prompt_tokens],
        "index": list(answer.index),
    }


def decode(row: Mapping[str, Any]) -> Answer:
    """Inverse of `encode`.

    Raises:
        ValueError: it is not of that form.
    """
    tokens, text, omitted, pieces = row["context"]
    retrieve, assemble, generate = row["ms"]
    answer_tokens, prompt_tokens = row["tokens"]
    return Answer(
        ranking=tuple(
            Piece(_bytes(path), Span(a, b), LineSpan(c, d), score, why, unit, version, seed)
            for path, a, b, c, d, score, why, unit, version, seed in row["ranking"]
        ),
        context=Context(
            tuple(
                Shown(_bytes(path), tuple(LineSpan(a, b) for a, b in lines), cost, why, role, ref)
                for path, lines, cost, why, role, ref in pieces
            ),
            tokens,
            text,
            omitted,
        ),
        retrieve_ms=retrieve,
        assemble_ms=assemble,
        generate_ms=generate,
        written=row["written"],
        answer_tokens=answer_tokens,
        prompt_tokens=prompt_tokens,
        index=IndexCost(*row["index"]),
    )


def _text(path: bytes) -> str:
    try:
        return path.decode("utf-8")
    except UnicodeDecodeError:
        return "\0" + base64.b64encode(path).decode("ascii")


def _bytes(path: str) -> bytes:
    return base64.b64decode(path[1:]) if path.startswith("\0") else path.encode("utf-8")
