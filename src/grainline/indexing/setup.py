"""What a run analyses with: told to every worker, and named by the fingerprint of the index."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields

from grainline.chunking.base import CHUNKERS, ChunkOptions
from grainline.model.chunk import Coverage
from grainline.storage.base import Fingerprint
from grainline.text import tokens
from grainline.text.decode import DECODE_VERSION
from grainline.text.secrets import RULES_VERSION

ANALYSIS_VERSION = 4
"""Of how the stages are joined and paths are flagged. 1: mask, decode, detect, parse, chunk, count. 2: files of data
have a flag. 3: names of packages say nothing of their files. 4: files that are parsed in part say so."""

FACTS_VERSIONS = {"imports": 1, "outline": 1, "references": 1, "skeleton": 1}
"""Of each section of a file's facts, languages included. 1: the first."""


LOWER = b"lower"
"""The first frame of a worker that makes IR, in the place of a `Setup`."""

EDGES = b"edges"
"""That of one that resolves (`edgework.py`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The chunker and its options; `ir`: whether IR is made along, from the same tree."""

    chunker: str
    chunk: ChunkOptions
    ir: bool = False

    def encode(self) -> bytes:
        """As the first frame that a worker gets."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, frame: bytes) -> Setup:
        """Inverse of `encode`."""
        values = json.loads(frame)
        return cls(**values | {"chunk": ChunkOptions(**values["chunk"])})

    def fingerprint(self) -> Fingerprint:
        """Chunker, options and the version of everything that content depends on.

        Raises:
            BadInput: there is no such chunker.
        """
        chunker = CHUNKERS.get(self.chunker)
        options = sorted(asdict(self.chunk).items())
        return Fingerprint(
            chunker=chunker.name,
            chunker_version=chunker.version,
            options=tuple((name, str(value)) for name, value in options if value is not None),
            features=feature_versions(),
            tiling=chunker.coverage is not Coverage.OVERLAPPING,
        )


def setup_of(text: str) -> Setup | None:
    """The setup of a fingerprint in its text form; None when this version makes another index."""
    found = Fingerprint.parse(text)
    if found is None or found.chunker not in CHUNKERS.names():
        return None
    names = {field.name for field in fields(ChunkOptions)}
    if any(name not in names or not value.isdigit() for name, value in found.options):
        return None
    chunk = ChunkOptions(**{name: int(value) for name, value in found.options})
    setup = Setup(chunker=found.chunker, chunk=chunk)
    return setup if setup.fingerprint().text() == text else None


def feature_versions() -> tuple[tuple[str, int], ...]:
    """Name and version of every stage between stored bytes and stored content."""
    return (
        ("analysis", ANALYSIS_VERSION),
        ("decode", DECODE_VERSION),
        *sorted(FACTS_VERSIONS.items()),
        ("secrets", RULES_VERSION),
        ("tokens", tokens.FEATURE_VERSION),
    )
