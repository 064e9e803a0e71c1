"""`Unit`: a file that is resolved, of which as much is read as is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from grainline.model.edge import Symbol
from grainline.model.facts import FileFacts
from grainline.model.ir import FileIr, Scope, ScopeKind


class Unit:
    """One file of the visible set.

    Args:
        path: of the file.
        language: that has rules, or it has no edges.
        ir: its IR, or what gives it once it is asked for.
        outline: the facts that hold its outline, likewise.
        key: names all of its IR, among those of its path; b"" for an IR that nothing is kept of.
        mentions: whether one of some words is a name of its IR, where that is known without the IR.
    """

    def __init__(
        self,
        path: bytes,
        language: str,
        ir: FileIr | Callable[[], FileIr],
        outline: FileFacts | Callable[[], FileFacts],
        key: bytes = b"",
        mentions: Callable[[frozenset[str]], bool] | None = None,
    ) -> None:
        self.path = path
        self.language = language
        self.key = key
        self._ir = ir
        self._outline = outline
        self._mentions = mentions

    @cached_property
    def ir(self) -> FileIr:
        """What the file does."""
        return self._ir if isinstance(self._ir, FileIr) else self._ir()

    @cached_property
    def outline(self) -> FileFacts:
        """The facts that hold its outline."""
        return self._outline if isinstance(self._outline, FileFacts) else self._outline()

    @cached_property
    def symbols(self) -> list[Symbol]:
        """The symbol of every scope."""
        return _symbols(self)

    def mentions(self, words: frozenset[str]) -> bool:
        """Whether one of some words is a name of the IR."""
        if self._mentions is not None:
            return self._mentions(words)
        return not words.isdisjoint(self.ir.names)


def _symbols(unit: Unit) -> list[Symbol]:
    """The symbol of every scope: that of the outline, or one that is composed."""
    outline = {found.name_start: found.descriptor for found in unit.outline.definitions}
    descriptors: list[str] = []
    for scope in unit.ir.scope_rows():
        parent = descriptors[scope.parent] if scope.parent >= 0 else ""
        descriptors.append(_descriptor(scope, parent, unit.ir.names[scope.name], outline))
    return [Symbol(unit.path, descriptor) for descriptor in descriptors]


def _descriptor(scope: Scope, parent: str, name: str, outline: dict[int, str]) -> str:
    if scope.kind == ScopeKind.MODULE:
        return ""
    if scope.kind == ScopeKind.LAMBDA:
        return f"{parent}`<lambda{name}>`()."
    known = outline.get(scope.name_start)
    if known is not None and not name.startswith("`"):  # one that the lowering made
        return known
    return f"{parent}{name}" + ("#" if scope.kind == ScopeKind.CLASS else "().")
