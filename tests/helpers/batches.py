"""Batches of analysed blobs made from words, without a parser."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import numpy as np

from grainline.model.chunk import N_FIELDS, Field
from grainline.model.snapshot import BlobId, Flag, FlagName, Outcome, Reason
from grainline.model.symbol import Definition, Import, SymbolKind
from grainline.storage.base import BlobContent, BlobKey, ContentBatch


def key(text: str) -> BlobKey:
    """What a blob of `text` is known by."""
    return BlobKey(hashlib.sha1(text.encode()).digest(), "")


def batch(texts: Sequence[str]) -> ContentBatch:
    """One chunk per line and one term per word; `def NAME` defines, `use NAME` refers.

    A text that begins with `skip` is a blob without text.
    """
    blobs, rows = [], Counter[tuple[bytes, int, int]]()
    starts, ends, symbols, keys, lengths = [], [], [], [], []
    definitions, imports, references, parts = [], [], [], []
    for text in texts:
        first = (len(starts), len(definitions), len(imports), len(references))
        skipped = text.startswith("skip")
        at = 0
        for line in [] if skipped else text.splitlines(keepends=True):
            raw = line.encode()
            words = raw.split()
            symbol = -1
            if words[:1] == [b"def"] and len(words) > 1:
                symbol = len(definitions) - first[1]
                name = words[1].decode()
                kind = SymbolKind.CLASS if name == "alpha" else SymbolKind.FUNCTION
                end = at + len(raw)
                span = (at, end, at + 4, at + 4 + len(words[1]), at, end, at, at)
                parent = 0 if symbol else -1
                definitions.append(Definition(name, kind, f"{name}().", *span, parent))
                imports.append(Import(at, at + 3, name, "", ""))
            if words[:1] == [b"use"] and len(words) > 1:
                references.append((at + 4, at + 4 + len(words[1]), 0))
            for word in words:
                rows[word, len(starts), Field.BODY] += 1
                rows[word.lower(), len(starts), Field.NAME] += 1
            starts.append(at)
            at += len(raw)
            ends.append(at)
            symbols.append(symbol)
            keys.append(hashlib.md5(raw).digest())
            lengths.append([len(words)] * N_FIELDS)
        n_chunks = len(starts) - first[0]
        parts += [(part, n_chunks) for part in range(n_chunks)]
        last = (len(starts), len(definitions), len(imports), len(references))
        blobs.append(
            BlobContent(
                key=key(text),
                masked=BlobId("" if skipped else hashlib.sha256(text.encode()).hexdigest()),
                language=("python", "go")[len(text) % 2],
                outcome=Outcome.SKIPPED if skipped else Outcome.INDEXED,
                reason=Reason.BINARY if skipped else None,
                detail=text[:6] if skipped else "",
                flags=(Flag(FlagName.TEST, "x"),) if "beta" in text else (),
                encoding="utf-8",
                text=b"" if skipped else text.encode(),
                chunks=(first[0], last[0]),
                definitions=(first[1], last[1]),
                imports=(first[2], last[2]),
                references=(first[3], last[3]),
            )
        )
    vocabulary = sorted({word for word, _, _ in rows})
    number = {word: at for at, word in enumerate(vocabulary)}
    n = len(starts)
    return ContentBatch(
        blobs=tuple(blobs),
        chunk_start=np.array(starts, np.uint32),
        chunk_end=np.array(ends, np.uint32),
        chunk_kind=np.array([part % 3 for part, _ in parts], np.uint8),
        chunk_symbol=np.array(symbols, np.int32),
        chunk_parent=np.full(n, -1, np.int32),
        chunk_part=np.array([part for part, _ in parts], np.uint16),
        chunk_parts=np.array([of for _, of in parts], np.uint16),
        chunk_tokens=np.array([length[2] for length in lengths], np.uint32),
        chunk_keys=np.frombuffer(b"".join(keys), np.uint8).reshape(-1, 16),
        chunk_lengths=np.array(lengths, np.uint16).reshape(-1, N_FIELDS),
        definitions=tuple(definitions),
        imports=tuple(imports),
        reference_start=np.array([row[0] for row in references], np.uint32),
        reference_end=np.array([row[1] for row in references], np.uint32),
        reference_role=np.array([row[2] for row in references], np.uint8),
        vocabulary=tuple(vocabulary),
        rows=np.array(
            sorted(
                number[word] << 40 | chunk << 8 | field << 5 | min(count, 31)
                for (word, chunk, field), count in rows.items()
            ),
            np.uint64,
        ),
    )
