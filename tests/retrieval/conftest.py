"""A small analyser and a memory store: files as dictionaries become a scoped corpus."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from grainline.model.access import Scope, View
from grainline.model.chunk import N_FIELDS, ChunkKind, ChunkSpan, Header
from grainline.model.facts import FileFacts
from grainline.model.position import Span
from grainline.model.snapshot import (
    BlobId,
    Flag,
    FlagName,
    Mode,
    Outcome,
    RepositoryId,
    Snapshot,
)
from grainline.model.symbol import Definition, Import, Reference, Role, SymbolKind
from grainline.storage.base import (
    BlobContent,
    BlobKey,
    ContentBatch,
    Fingerprint,
    MemberEntry,
    RepositoryRecord,
)
from grainline.storage.memory import open_memory
from grainline.text.counts import TermCounter

PRINT = Fingerprint(chunker="lines", chunker_version=1, options=(), features=(("tokens", 1),))
LANGUAGES = {"py": "python", "java": "java", "go": "go", "js": "javascript", "md": "markdown"}
_HEAD = re.compile(
    rb"^(?P<indent>[ \t]*)(?:(?:public|static|final|async)\s+)*"
    rb"(?P<word>def|class|func|function)\s+(?P<name>\w+)[^\n]*",
    re.MULTILINE,
)
_COMMENT = re.compile(rb"#[^\n]*|//[^\n]*|\"\"\".*?\"\"\"", re.DOTALL)
_STRING = re.compile(rb"\"[^\"\n]+\"|'[^'\n]+'")
_CALL = re.compile(rb"(?<!def )(?<!class )\b([A-Za-z_]\w*)\(")
_IMPORT = re.compile(rb"^(?:from (?P<module>\S+) )?import (?P<name>\S+)[^\n]*", re.MULTILINE)


@dataclass
class Analysed:
    """One file, analysed: offsets are bytes of `text` in its own encoding."""

    text: bytes
    language: str
    encoding: str
    facts: FileFacts
    chunks: list[ChunkSpan]


def analyse(path: str, content: str | bytes, encoding: str) -> Analysed:
    """Definitions by their first words, one chunk per definition, the rest between them."""
    text = content if isinstance(content, bytes) else content.encode("utf-8")
    if encoding != "utf-8":
        whole = ChunkSpan(0, len(text), ChunkKind.BLOCK, -1, -1, Header("", "", ""))
        return Analysed(
            text=text, language="", encoding=encoding, facts=FileFacts(language=""), chunks=[whole]
        )
    language = LANGUAGES.get(path.rpartition(".")[2], "")
    definitions = _definitions(text)
    facts = FileFacts(
        language=language,
        parsed=bool(language),
        definitions=tuple(definitions),
        imports=tuple(_imports(text)) if language else (),
        comments=tuple(Span(*each.span()) for each in _COMMENT.finditer(text)),
        strings=() if not language else tuple(_outside(text)),
        references=tuple(
            Reference(each.start(1), each.end(1), Role.CALL) for each in _CALL.finditer(text)
        ),
    )
    return Analysed(
        text=text, language=language, encoding=encoding, facts=facts, chunks=_chunks(text, facts)
    )


def _outside(text: bytes) -> list[Span]:
    comments = [each.span() for each in _COMMENT.finditer(text)]
    return [
        Span(*each.span())
        for each in _STRING.finditer(text)
        if not any(start <= each.start() < end for start, end in comments)
    ]


def _imports(text: bytes) -> list[Import]:
    return [
        Import(each.start(), each.end(), (each["module"] or each["name"]).decode(),
               each["name"].decode() if each["module"] else "", "")
        for each in _IMPORT.finditer(text)
    ]  # fmt: skip


def _definitions(text: bytes) -> list[Definition]:
    heads = list(_HEAD.finditer(text))
    out: list[Definition] = []
    open_rows: list[tuple[int, int]] = []
    for position, head in enumerate(heads):
        indent = len(head["indent"])
        while open_rows and open_rows[-1][0] >= indent:
            open_rows.pop()
        parent = open_rows[-1][1] if open_rows else -1
        end = next(
            (each.start() for each in heads[position + 1 :] if len(each["indent"]) <= indent),
            len(text),
        )
        name = head["name"].decode()
        scopes = out[parent].descriptor if parent >= 0 else ""
        kind, suffix = (
            (SymbolKind.CLASS, "#")
            if head["word"] == b"class"
            else (SymbolKind.METHOD if parent >= 0 else SymbolKind.FUNCTION, "().")
        )
        out.append(
            Definition(
                name, kind, f"{scopes}{name}{suffix}", head.start(), end, head.start("name"),
                head.end("name"), head.start("word"), head.end(), end, end, parent,
            )
        )  # fmt: skip
        open_rows.append((indent, position))
    return out


def _chunks(text: bytes, facts: FileFacts) -> list[ChunkSpan]:
    starts = sorted({0, *(each.start for each in facts.definitions)} | _blank_lines(text))
    starts = [start for start in starts if start < len(text)]
    rows = {each.start: row for row, each in enumerate(facts.definitions)}
    out: list[ChunkSpan] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        row = rows.get(start, -1)
        each = facts.definitions[row] if row >= 0 else None
        parent = each.parent if each else -1
        scope = facts.definitions[parent].name if parent >= 0 else ""
        signature = text[each.signature_start : each.signature_end].decode() if each else ""
        header = Header(each.name, scope, signature) if each else Header("", "", "")
        kind = ChunkKind.SYMBOL if each else ChunkKind.BLOCK
        out.append(ChunkSpan(start, end, kind, row, parent, header))
    return out


def _blank_lines(text: bytes) -> set[int]:
    """Where a chunk starts; a form feed cuts inside a line."""
    return {each.end() for each in re.finditer(rb"\n\n+(?=[^\s])|\f", text)}


def _batch(files: Sequence[Analysed], keys: Sequence[BlobKey]) -> ContentBatch:
    counter = TermCounter()
    blobs: list[BlobContent] = []
    spans = [chunk for each in files for chunk in each.chunks]
    definitions = [row for each in files for row in each.facts.definitions]
    imports = [row for each in files for row in each.facts.imports]
    references = [row for each in files for row in each.facts.references]
    chunk = definition = imported = referred = 0
    for each, key in zip(files, keys, strict=True):
        counter.add(*_working(each))
        sizes = (len(each.chunks), len(each.facts.definitions), len(each.facts.imports),
                 len(each.facts.references))  # fmt: skip
        blobs.append(
            BlobContent(
                key=key,
                masked=BlobId(hashlib.sha256(each.text).hexdigest()),
                language=each.language,
                outcome=Outcome.INDEXED,
                reason=None,
                detail="",
                flags=(),
                encoding=each.encoding,
                text=each.text,
                chunks=(chunk, chunk + sizes[0]),
                definitions=(definition, definition + sizes[1]),
                imports=(imported, imported + sizes[2]),
                references=(referred, referred + sizes[3]),
            )
        )
        chunk, definition = chunk + sizes[0], definition + sizes[1]
        imported, referred = imported + sizes[2], referred + sizes[3]
    counts = counter.finish()
    kinds = list(ChunkKind)
    roles = list(Role)
    texts = [
        each.text[span.start : span.end] + span.header.text().encode()
        for each in files
        for span in each.chunks
    ]
    n = len(spans)
    return ContentBatch(
        blobs=tuple(blobs),
        chunk_start=np.array([span.start for span in spans], np.uint32),
        chunk_end=np.array([span.end for span in spans], np.uint32),
        chunk_kind=np.array([kinds.index(span.kind) for span in spans], np.uint8),
        chunk_symbol=np.array([span.symbol for span in spans], np.int32),
        chunk_parent=np.array([span.parent for span in spans], np.int32),
        chunk_part=np.zeros(n, np.uint16),
        chunk_parts=np.ones(n, np.uint16),
        chunk_tokens=np.ones(n, np.uint32),
        chunk_keys=np.frombuffer(
            b"".join(hashlib.md5(text).digest() for text in texts), np.uint8
        ).reshape(-1, 16),
        chunk_lengths=counts.lengths.reshape(-1, N_FIELDS),
        definitions=tuple(definitions),
        imports=tuple(imports),
        reference_start=np.array([row.start for row in references], np.uint32),
        reference_end=np.array([row.end for row in references], np.uint32),
        reference_role=np.array([roles.index(row.role) for row in references], np.uint8),
        vocabulary=counts.vocabulary,
        rows=counts.rows,
    )


def _working(each: Analysed) -> tuple[bytes, list[ChunkSpan], FileFacts]:
    """What terms are counted in: the text as UTF-8. Other encodings are one chunk here."""
    if each.encoding == "utf-8":
        return each.text, each.chunks, each.facts
    working = each.text.decode(each.encoding, "replace").encode()
    return working, [each.chunks[0]._replace(start=0, end=len(working))], FileFacts(language="")


def flags_of(path: str) -> tuple[Flag, ...]:
    """Flags by the first folder, as simple as the tests need them."""
    folders = {
        "tests": FlagName.TEST, "docs": FlagName.DOCS, "examples": FlagName.EXAMPLE,
        "vendor": FlagName.VENDORED, "gen": FlagName.GENERATED,
    }  # fmt: skip
    first = path.split("/", 1)[0]
    if path.endswith((".toml", ".ini")):
        return (Flag(FlagName.CONFIG, "path:suffix"),)
    if path.endswith(".xml"):
        return (Flag(FlagName.DATA, "path:suffix"),)
    return (Flag(folders[first], f"path:{first}/"),) if first in folders else ()


@dataclass
class Repo:
    """Files of one repository at one ref. `files`: path -> text, or (bytes, encoding)."""

    files: Mapping[str, str | tuple[bytes, str]]
    name: str = "one"
    ref: str = "refs/heads/main"
    dirty: bool = False


@dataclass
class Home:
    """A memory store and the views that were put into it."""

    store: object = field(default_factory=open_memory)
    views: list[View] = field(default_factory=list)

    def put(self, repo: Repo, *, order: Sequence[str] | None = None) -> View:
        """Index one repository; `order` is the order in which files are analysed."""
        record = RepositoryRecord(
            id=RepositoryId(f"id-{repo.name}"), name=repo.name, identity=f"/{repo.name}",
            root=f"/{repo.name}", prefix=b"", kind="bare",
        )  # fmt: skip
        contents = {
            path: value if isinstance(value, tuple) else (value.encode(), "utf-8")
            for path, value in repo.files.items()
        }
        keys = {
            path: BlobKey(hashlib.sha1(data).digest(), path.rpartition(".")[2] + codec)
            for path, (data, codec) in contents.items()
        }
        with self.store.writer(PRINT) as writer:
            known = set(writer.known(list(keys.values())))
            for path in order or list(contents):
                if keys[path] not in known:
                    known.add(keys[path])
                    writer.add(_batch([analyse(path, *contents[path])], [keys[path]]))
            entries = [
                MemberEntry(
                    path.encode(), Mode.FILE, len(contents[path][0]), keys[path], Outcome.INDEXED,
                    None, "", flags_of(path),
                )
                for path in sorted(contents, key=str.encode)
            ]  # fmt: skip
            commit = hashlib.sha1(f"{repo.name}{repo.ref}".encode()).hexdigest()
            snapshot = Snapshot(
                repository=record.id, ref=repo.ref, commit=commit, version=commit, dirty=repo.dirty
            )
            view = View(repository=record.id, ref=repo.ref)
            writer.commit(record, view, snapshot, entries)
        if view not in self.views:
            self.views.append(view)
        return view

    def corpus(self, *views: View):
        """The corpus of some views, by default of all."""
        return self.store.corpus(Scope(views=views or tuple(self.views)))


@pytest.fixture
def home():
    """Makes an empty home."""
    return Home


@pytest.fixture
def repo():
    """Makes a repository value."""
    return Repo


@pytest.fixture
def corpus_of():
    """files -> corpus of one repository that holds them."""

    def make(files, **options):
        made = Home()
        made.put(Repo(files, **options))
        return made.corpus()

    return make


@pytest.fixture(scope="module")
def shared_corpus():
    """One corpus for properties that only read: several chunks, fields and scripts."""
    made = Home()
    made.put(
        Repo(
            {
                f"src/m{n}.py": f"def {a}_{n}(x):\n    return {b}(x)\n\n# {a} {a} {b}\nv = '{b}'\n"
                for n, (a, b) in enumerate(
                    [("alpha", "beta"), ("gamma", "delta"), ("zeta", "alpha"), ("退款失败", "beta"),
                     ("epsilon", "RefundService"), ("apply_all", "gamma")]
                )
            }
        )
    )  # fmt: skip
    return made.corpus()


@pytest.fixture(scope="session")
def make_home():
    """Makes an empty home (for fixtures of a wider scope)."""
    return Home


@pytest.fixture(scope="session")
def make_repo():
    """Makes a repository value (for fixtures of a wider scope)."""
    return Repo
