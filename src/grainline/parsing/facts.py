"""`parse`: what one file says by itself, whatever its bytes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import attrgetter, le, lt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.languages.base import LANGUAGES, LanguageSpec, ReadImports
from grainline.languages.lowering.torn import Tear, tears_of
from grainline.model.facts import Diagnostic, FileFacts
from grainline.model.ir import FileIr
from grainline.model.position import Span
from grainline.model.symbol import Definition, Import, Reference, Role
from grainline.parsing.outline import Ranges, outline, wraps
from grainline.parsing.skeleton import PROBE, OpenSkeleton, no_skeleton, skeleton, survey
from grainline.parsing.tree import (
    Captures,
    Deadline,
    Stopped,
    capture,
    is_complete,
    read_tree,
)

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a file is too much for a tree and stays text.

    `max_bytes`, `max_nodes` and `max_depth` decide the same way on every machine; `seconds` of
    CPU are the safety net behind them and end in the code `parser_timeout`.
    """

    max_bytes: int = 1 << 20
    max_nodes: int = 1_000_000
    max_depth: int = 2_000
    seconds: float = 5.0


def no_ir() -> FileIr | None:
    """For a text without a tree."""
    return None


class Parsed(NamedTuple):
    """The facts of a file, the bulky ones of them in a cheaper form.

    Attributes:
        facts: without references and skeleton.
        references: `(n, 3)` start, end and number of the role in `ROLES`, in order.
        skeleton: makes the skeleton, of all or of some regions (see `skeleton.skeleton`); holds
            the syntax tree as long as it is kept.
        lower: makes the IR, None for a language without lowering; holds the tree as well.
    """

    facts: FileFacts
    references: NDArray[np.int64]
    skeleton: OpenSkeleton
    lower: Callable[[], FileIr | None] = no_ir

    def whole(self) -> FileFacts:
        """All of it as values."""
        references = tuple(
            Reference(start, end, ROLES[role]) for start, end, role in self.references.tolist()
        )
        return replace(self.facts, references=references, skeleton=self.skeleton(()))


ROLES = tuple(Role)


def parse(
    text: bytes, language: str, *, skeleton_limit: int, limits: Limits = Limits()
) -> FileFacts:
    """The facts of `text`, read as `language` ("" is plain text). Never raises on source.

    Args:
        text: working text of the file.
        language: a name of `LANGUAGES`, or "".
        skeleton_limit: syntax nodes above this many bytes are opened in the skeleton.
        limits: beyond them the file stays text (`parsed` False, the reason in `diagnostics`).

    Raises:
        BadInput: there is no such language.
    """
    return parse_lazily(text, language, skeleton_limit=skeleton_limit, limits=limits).whole()


def parse_lazily(
    text: bytes, language: str, *, skeleton_limit: int, limits: Limits = Limits()
) -> Parsed:
    """As `parse`, without making values that nobody may ask for."""
    if not language:
        return as_text(parse_text(text))
    spec = LANGUAGES.get(language)
    if len(text) > limits.max_bytes:
        return as_text(parse_text(text, language, code="too_large", detail=f"{len(text)} bytes"))
    if spec.nesting is not None and spec.nesting(text) > limits.max_depth:
        return as_text(parse_text(text, language, code="too_deep", detail="nesting"))
    try:
        return _parsed(text, spec, skeleton_limit, limits)
    except Stopped as stopped:
        return as_text(parse_text(text, language, code=stopped.code, detail=stopped.detail))


def lower(text: bytes, language: str, *, limits: Limits = Limits()) -> tuple[FileIr | None, str]:
    """The IR of `text`; or None, and the code of what stood against it.

    The code is "" for a language without lowering. Never raises on source.

    Args:
        text: working text of the file.
        language: a name of `LANGUAGES`.
        limits: as of `parse`.
    """
    spec = LANGUAGES.get(language)
    if spec.lower is None:
        return None, ""
    if len(text) > limits.max_bytes:
        return None, "too_large"
    if spec.nesting is not None and spec.nesting(text) > limits.max_depth:
        return None, "too_deep"
    try:
        root = read_tree(_prepared(text, spec), spec.language(), Deadline(limits.seconds))
        if root.descendant_count > limits.max_nodes:
            return None, "too_large"
        survey(root, PROBE, limits.max_depth)
    except Stopped as stopped:
        return None, stopped.code
    return spec.lower(root, text, spec.language()), ""


def as_text(facts: FileFacts) -> Parsed:
    """Facts without a tree in the form of `parse_lazily`."""
    return Parsed(facts, NO_REFERENCES, no_skeleton)


NO_REFERENCES: NDArray[np.int64] = np.empty((0, 3), np.int64)


def parse_text(text: bytes, language: str = "", *, code: str = "", detail: str = "") -> FileFacts:
    """The facts of plain text, or of a source that no tree could be made for, and why."""
    del text
    diagnostics = (Diagnostic(code=code, detail=detail),) if code else ()
    return FileFacts(language=language, diagnostics=diagnostics)


def _parsed(text: bytes, spec: LanguageSpec, skeleton_limit: int, limits: Limits) -> Parsed:
    deadline = Deadline(limits.seconds)
    root = read_tree(_prepared(text, spec), spec.language(), deadline)
    if root.descendant_count > limits.max_nodes:
        raise Stopped("too_large", f"{root.descendant_count} syntax nodes")
    wide = survey(root, skeleton_limit, limits.max_depth)
    query = spec.compiled_query()
    captures = capture(root, query)
    complete = not wide or is_complete(root, query, captures)
    ranges = {
        name: list(map(_byte_range, nodes))
        for name, nodes in captures.items()
        if name not in _ROLE_OF
    }
    docstrings = ranges.get("docstring", ())
    remarks = _apart(ranges.get("comment", ()))
    import_spans = _apart(_import_ranges(text, spec, ranges))
    definitions = outline(text, spec, ranges, wraps(captures), remarks, import_spans)
    facts = FileFacts(
        language=spec.name,
        parsed=True,
        definitions=definitions,
        imports=_imports(text, spec, import_spans),
        import_spans=import_spans,
        comments=_apart((*remarks, *docstrings)) if docstrings else remarks,
        strings=_apart(set(ranges.get("string", ())).difference(docstrings)),
        diagnostics=_diagnostics(root, text, spec, definitions, complete=complete),
    )
    references = _references(captures, ranges.get("name", ()))
    lower = partial(spec.lower, root, text, spec.language()) if spec.lower is not None else no_ir
    return Parsed(facts, references, partial(skeleton, root, skeleton_limit), lower)


def _prepared(text: bytes, spec: LanguageSpec) -> bytes:
    return spec.prepare(text) if spec.prepare is not None else text


TORN = "torn_source"
"""Code of the diagnostic that the parser went on behind text that it could not read."""

TORN_SHOWN = 5
"""Places of it that are named."""

INCOMPLETE = "incomplete_outline"
"""Code of the diagnostic that symbols, references or spans may be missing."""

_byte_range = attrgetter("byte_range")
_span = partial(tuple.__new__, Span)  # pyright: ignore[reportUnknownMemberType]


def _apart(found: Collection[tuple[int, int]]) -> tuple[Span, ...]:
    """The outermost ranges, in order: nested ones (strings in interpolations) are dropped."""
    if not found:
        return ()
    ordered = sorted(set(found))
    starts, ends = zip(*ordered, strict=True)
    if not all(map(le, ends, starts[1:])) or not all(map(lt, starts, ends)):
        ordered = _outermost(ordered)
    return tuple(map(_span, ordered))


def _outermost(ordered: list[tuple[int, int]]) -> list[tuple[int, int]]:
    ordered.sort(key=_outer_first)
    kept: list[tuple[int, int]] = []
    last = 0
    for start, end in ordered:
        if last <= start < end:
            kept.append((start, end))
            last = end
    return kept


def _outer_first(found: tuple[int, int]) -> tuple[int, int]:
    return found[0], -found[1]


def _import_ranges(text: bytes, spec: LanguageSpec, ranges: Ranges) -> list[tuple[int, int]]:
    found = list(ranges.get("import", ()))
    marker = spec.import_marker
    if marker is not None:
        maybe = ranges.get("import.maybe", ())
        found += [(start, end) for start, end in maybe if marker.search(text, start, end)]
    return found


_import = partial(tuple.__new__, Import)  # pyright: ignore[reportUnknownMemberType]


def _imports(text: bytes, spec: LanguageSpec, spans: Sequence[Span]) -> tuple[Import, ...]:
    return tuple(
        [
            _import((start, end, *words))
            for start, end in spans
            for words in _imported(spec.read_imports, text[start:end])
        ]
    )


@lru_cache(maxsize=1 << 14)
def _imported(read: ReadImports, statement: bytes) -> tuple[tuple[str, str, str], ...]:
    """The (module, name, alias) of a statement; the files of a repository repeat each other."""
    return tuple(found[2:] for found in read(statement, 0) if found.module)


_ROLE_OF = {
    "ref.inherit": Role.INHERIT,
    "ref.decorate": Role.DECORATE,
    "ref.call": Role.CALL,
    "ref.type": Role.TYPE,
}
"""Captures that are references; a name captured twice has the first role of this order."""

_NUMBERS: NDArray[np.int64] = np.array([ROLES.index(role) for role in _ROLE_OF.values()])
_start_byte = attrgetter("start_byte")
_end_byte = attrgetter("end_byte")


def _references(captures: Captures, names: Collection[tuple[int, int]]) -> NDArray[np.int64]:
    """The references in the form of `Parsed`; a type that is the name of a definition is none."""
    found: list[Node] = []
    sizes: list[int] = []
    for capture_name, role in _ROLE_OF.items():
        nodes = captures.get(capture_name, ())
        if nodes and role is Role.TYPE and names:
            defined = frozenset(names)
            nodes = [node for node in nodes if node.byte_range not in defined]
        found += nodes
        sizes.append(len(nodes))
    if not found:
        return NO_REFERENCES
    # start, end and rank in one number, so that one sort does everything; a text has below 2**30 bytes
    packed = np.fromiter(map(_start_byte, found), np.int64, len(found)) << 32
    packed |= np.fromiter(map(_end_byte, found), np.int64, len(found)) << 2
    packed |= np.repeat(_RANKS, sizes)
    packed.sort()
    kept = np.empty(len(packed), np.bool_)
    kept[0] = True
    places = packed >> 2
    np.not_equal(places[1:], places[:-1], out=kept[1:])
    packed = packed[kept]
    rows = np.empty((len(packed), 3), np.int64)
    np.right_shift(packed, 32, out=rows[:, 0])
    np.right_shift(packed & 0xFFFFFFFF, 2, out=rows[:, 1])
    rows[:, 2] = _NUMBERS[packed & 3]
    return rows


_RANKS = np.arange(len(_ROLE_OF))


def _diagnostics(
    root: Node,
    text: bytes,
    spec: LanguageSpec,
    definitions: Sequence[Definition],
    *,
    complete: bool,
) -> tuple[Diagnostic, ...]:
    found: list[Diagnostic] = []
    if not complete:
        found.append(Diagnostic(code=INCOMPLETE, detail="thousands of statements side by side"))
    if root.has_error:
        found.append(Diagnostic(code="syntax_error", detail="the tree holds errors"))
        found += _torn(text, tears_of(root, text))
    if not definitions and spec.has_definitions:
        nodes = capture(root, spec.definition_query()).get("definition", ())
        if nodes:
            found.append(
                Diagnostic(
                    code="no_symbols",
                    detail=f"{len(nodes)} definition nodes gave no symbol",
                    start=min(node.start_byte for node in nodes),
                )
            )
    return tuple(found)


def _torn(text: bytes, tears: Sequence[Tear]) -> Iterator[Diagnostic]:
    """Where the parser could not read a text; nothing where it only put in what was missing."""
    if not tears:
        return
    places: list[str] = []
    line, at = 1, 0
    for tear in tears[:TORN_SHOWN]:
        line, at = line + text.count(b"\n", at, tear.start), tear.start
        last = line + text.count(b"\n", at, max(tear.end - 1, at))
        places.append(f"{line}-{last}" if last > line else f"{line}")
    rest = f" and {len(tears) - TORN_SHOWN} more places" if len(tears) > TORN_SHOWN else ""
    word = "line" if places == [places[0]] and "-" not in places[0] else "lines"
    yield Diagnostic(code=TORN, detail=f"{word} {', '.join(places)}{rest}", start=tears[0].start)
