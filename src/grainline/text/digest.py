"""Digests that name content: blobs as git names them, chunks by all that their counts depend on."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Literal

from grainline.model.chunk import Header
from grainline.model.snapshot import BlobId

CHUNK_KEY_SIZE = 16


def git_blob_id(data: bytes, format: Literal["sha1", "sha256"] = "sha1") -> bytes:
    """The binary id that git gives a blob, in a repository of this object format."""
    if format == "sha1":
        digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    else:
        digest = hashlib.sha256(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.digest()


def masked_id(data: bytes) -> BlobId:
    """The id of a masked view: hex, SHA-256 in git's blob form."""
    return BlobId(git_blob_id(data, "sha256").hex())


def chunk_key(
    chunker: str,
    version: int,
    language: str,
    encoding: str,
    header: Header,
    text: bytes,
    *,
    context: bytes = b"",
) -> bytes:
    """The id of a chunk, `CHUNK_KEY_SIZE` bytes: injective up to the strength of the hash.

    `context` is what the file says about the chunk beyond its text (`TermCounts.contexts`):
    equal keys then mean equal counts, whatever file the chunk was first seen in.
    """
    name = header.name.encode("utf-8", "surrogatepass")
    scope = header.scope.encode("utf-8", "surrogatepass")
    signature = header.signature.encode("utf-8", "surrogatepass")
    written = b"%b%d:%b%d:%b%d:%b%d:%b%b" % (
        _lead(chunker, version, language, encoding),
        len(name),
        name,
        len(scope),
        scope,
        len(signature),
        signature,
        len(context),
        context,
        text,
    )
    return hashlib.blake2b(written, digest_size=CHUNK_KEY_SIZE, person=b"grainline.chunk").digest()


@lru_cache(maxsize=1024)
def _lead(chunker: str, version: int, language: str, encoding: str) -> bytes:
    parts = (chunker.encode(), b"%d" % version, language.encode(), encoding.encode())
    return b"".join(b"%d:%b" % (len(part), part) for part in parts)
