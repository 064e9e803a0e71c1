"""The seam of module resolution: which files of a visible set a module name means.

A resolver is a pure function of the project: the paths that may be seen, and the few small files
that shape resolution (`tsconfig.json`, `go.mod`, ...), whose names the rules of the language list.
It answers with paths, so it is the same for a part of the files as for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol


class Module(NamedTuple):
    """A module that is there: a file, a folder or package (path ""), or both (`p/__init__.py`).

    `folder` is whatever the resolver tells packages apart by; "" of a file that is none.
    """

    path: str
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What resolution is made of.

    Attributes:
        paths: every visible path of the languages that are resolved together.
        files: path -> bytes of the files that shape resolution; hostile, of any size.
        packages: path -> the packages that the file says it belongs to, in its order.
    """

    paths: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    packages: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


class Modules(Protocol):
    """Module names -> modules of one project. Every answer is sorted."""

    def find(self, path: str, name: str) -> tuple[Module, ...]:
        """What `name`, as an import of the file `path` spells it, means; () when it is not there."""
        ...

    def below(self, module: Module, name: str) -> tuple[Module, ...]:
        """The module `name` inside of a package or folder."""
        ...

    def files(self, module: Module) -> tuple[str, ...]:
        """The files whose members are those of a package without a file of its own."""
        ...

    def inside(self, module: Module) -> Iterable[str]:
        """Every file that `files` and `below`, repeated, lead to, the module's own included."""
        ...

    def beside(self, path: str) -> tuple[Module, ...]:
        """Modules whose members the file sees without an import: its package, its folder."""
        ...
