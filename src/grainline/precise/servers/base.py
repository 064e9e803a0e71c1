"""The seam of language servers: one `Server` per file, found by the module name.

A server is started on a copy that holds the files of its languages and its project files, and
nothing else: settings of editors, build scripts and installed packages of a repository are not
there to be obeyed. What it may execute all the same stands in `executes`, for people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from grainline.registry import Registry

Object: TypeAlias = "dict[str, Any]"

NEVER: Final = frozenset(
    {".git", ".hg", ".idea", ".svn", ".tox", ".venv", ".vscode", "node_modules", "venv"}
)
"""Folders that are never copied: a server may run or obey what is in them."""


def no_options(program: str) -> Object:
    """For a server that needs no options."""
    del program
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """How one language server is run.

    Attributes:
        name: of the module.
        languages: our names of languages -> those of LSP; files of others are not copied.
        programs: names of the program, the first that is found is taken.
        arguments: so that it talks on its standard streams and keeps to itself.
        project_files: names of files of other kinds that it needs to tell one module from
            another; they must not be able to name a program.
        tools: programs whose folders it finds on its `PATH`.
        environment: variables besides the few that every server gets.
        options: `initializationOptions`, given the path of the program.
        settings: answers to `workspace/configuration`, by section.
        install: how to get it.
        executes: what it may execute of a hostile project, as far as known.
    """

    name: str
    languages: Mapping[str, str]
    programs: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    project_files: frozenset[str] = frozenset()
    tools: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Callable[[str], Object] = no_options
    settings: Mapping[str, Object] = field(default_factory=dict[str, Object])
    install: str = ""
    executes: str = ""

    def sees(self, path: bytes, language: str) -> bool:
        """Whether a file is copied for it."""
        parts = path.decode("utf-8", "replace").split("/")
        if not NEVER.isdisjoint(parts):
            return False
        return language in self.languages or parts[-1] in self.project_files


SERVERS: Final = Registry[Server]("grainline.precise.servers", "SERVER", skip=frozenset({"base"}))
"""Every server by name. Being listed starts nothing."""
