"""Documents, queries and judgements in the layout of BEIR and CoIR, in a folder of the user's own.

`corpus.jsonl` (`_id`, `title`, `text`, for code `language`), `queries.jsonl` (`_id`, `text`) and
`qrels/test.tsv` (or the only file there; `query-id`, `corpus-id`, `score`). Every document becomes
a file, so that strategies for code can be asked about it; a document of the folder is one unit.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from grainline.errors import BadInput
from grainline.lab.datasets._rows import rows
from grainline.lab.datasets.base import Row, Sources
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Place, Question
from grainline.languages.base import LANGUAGES
from grainline.model.position import LineSpan

PROSE = ".md"


class Beir:
    """One question for each query that has a relevant document."""

    name = "beir"
    needs: tuple[str, ...] = ("data",)

    def questions(self, sources: Sources) -> Iterator[Question]:
        """In the order of the queries."""
        folder = _folder(sources)
        relevant = _relevant(folder)
        places = _places(folder)
        for row in rows(folder / "queries.jsonl"):
            gold = tuple(places[each] for each in relevant[row["_id"]] if each in places)
            if gold:
                yield Question(
                    id=row["_id"],
                    repository=folder.name,
                    commit="",
                    language="",
                    text=row["text"],
                    files=tuple(place.path for place in gold),
                    functions=gold,
                    lines=gold,
                )

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """A folder with a file for each document."""
        del group
        folder = _folder(sources)
        target = sources.scratch / "beir" / folder.name
        for row in rows(folder / "corpus.jsonl"):
            path = target / _path(row).decode()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_text(row), encoding="utf-8")
        return Checkout(repository=folder.name, commit="", clone=target, scratch=sources.scratch)


def _folder(sources: Sources) -> Path:
    assert sources.data is not None, "in `needs`"
    for name in ("corpus.jsonl", "queries.jsonl", "qrels"):
        if not (sources.data / name).exists():
            raise BadInput(
                "not_found", f"no {name!r} in {str(sources.data)!r}", hint="give --data DIR"
            )
    return sources.data


def _relevant(folder: Path) -> Mapping[str, Sequence[str]]:
    """Ids of relevant documents by query, the most relevant first."""
    files = sorted((folder / "qrels").glob("*.tsv"))
    test = folder / "qrels" / "test.tsv"
    if test not in files and len(files) != 1:
        raise BadInput("not_found", "no 'qrels/test.tsv'", subject=str(folder))
    found: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    chosen = test if test in files else files[0]
    for line in chosen.read_text("utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        if float(score) > 0:
            found[query].append((-float(score), document))
    empty: Mapping[str, Sequence[str]] = {
        query: [document for _, document in sorted(rated, key=lambda pair: pair[0])]
        for query, rated in found.items()
    }
    return defaultdict(list, empty)


def _places(folder: Path) -> Mapping[str, Place]:
    return {
        row["_id"]: Place(
            _path(row), LineSpan(1, max(1, _text(row).rstrip("\n").count("\n") + 1)), row["_id"]
        )
        for row in rows(folder / "corpus.jsonl")
    }


def _text(row: Row) -> str:
    title = row.get("title") or ""
    return f"{title}\n\n{row['text']}\n" if title else f"{row['text']}\n"


def _path(row: Row) -> bytes:
    """Where a document goes: told from every other one, spread over folders, nothing but letters."""
    id_ = str(row["_id"])
    digest = hashlib.blake2b(id_.encode(), digest_size=6).hexdigest()
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", id_)[:40]
    return f"{digest[:2]}/{name}-{digest[2:]}{_suffix(str(row.get('language') or ''))}".encode()


@cache
def _suffix(language: str) -> str:
    name = language.lower()
    if name not in LANGUAGES.names():
        return PROSE
    return next((each for each in LANGUAGES.get(name).suffixes if each[0] == "."), PROSE)


DATASET = Beir()
