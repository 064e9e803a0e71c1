"""What a language server answered so far about one state of a view, so that a run can go on.

A value of kind `asked`; its key names the state and the server. It is kept while questions are left.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import zstandard

from grainline.model.access import View
from grainline.model.position import Span
from grainline.precise.answers import Answer, Answers, Site, Target
from grainline.precise.index import Encoding, Range
from grainline.storage.base import Derived

KIND = "asked"
VERSION = 1


def asked_key(view: View, generation: str, server: str) -> str:
    """What answers belong to: one state of a view, and the server."""
    said = f"{VERSION}|{view.repository}|{view.ref}|{generation}|{server}".encode()
    return hashlib.blake2b(said, digest_size=24).hexdigest()


def together(before: Answers | None, now: Answers) -> Answers:
    """Both runs as one; of another version of the server only the second."""
    if before is None or (now.version and now.version != before.version):
        return now
    return replace(
        now,
        version=before.version,
        done=(*before.done, *now.done),
        answers=(*before.answers, *now.answers),
        refused=before.refused + now.refused,
        encoding=before.encoding,
    )


def remember(derived: Derived, key: str, answers: Answers) -> None:
    """Keep answers."""
    number = {site: at for at, site in enumerate(answers.done)}
    value = {
        "server": answers.server,
        "version": answers.version,
        "refused": answers.refused,
        "encoding": int(answers.encoding),
        "done": [[_word(site.path), *site.span] for site in answers.done],
        "answers": [
            [number[each.site], [[_word(to.path), list(to.range), to.name] for to in each.targets]]
            for each in answers.answers
        ],
    }
    data = json.dumps(value, separators=(",", ":")).encode()
    derived.put(KIND, key, zstandard.ZstdCompressor().compress(data))


def recall(derived: Derived, key: str) -> Answers | None:
    """Inverse of `remember`; None when nothing is kept."""
    value = derived.get(KIND, key)
    if value is None:
        return None
    found: dict[str, Any] = json.loads(zstandard.ZstdDecompressor().decompress(value))
    done = tuple(
        Site(path.encode("latin-1"), Span(start, end)) for path, start, end in found["done"]
    )
    answers = tuple(
        Answer(done[at], tuple(_target(*row) for row in rows)) for at, rows in found["answers"]
    )
    return Answers(
        server=found["server"], version=found["version"], done=done, answers=answers,
        refused=found["refused"], encoding=Encoding(found["encoding"]),
    )  # fmt: skip


def forget(derived: Derived, key: str) -> None:
    """Keep nothing any more."""
    derived.keep(KIND, derived.keys(KIND) - {key})


def _target(path: str | None, numbers: list[int], name: str) -> Target:
    return Target(None if path is None else path.encode("latin-1"), Range(*numbers), name)


def _word(path: bytes | None) -> str | None:
    return None if path is None else path.decode("latin-1")
