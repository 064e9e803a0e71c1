"""Plug-ins by name: the module name is the registry key, so adding one is one file.

`Registry("grainline.chunking", "CHUNKER", skip={"base"}).get("cast")` imports
`grainline.chunking.cast` on first use and returns its `CHUNKER`. Other distributions register
modules by the entry-point group of the same dotted name.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Generic, TypeVar

from grainline.errors import BadInput

T = TypeVar("T")


class Registry(Generic[T]):
    """The plug-ins of one kind, loaded lazily, listed in name order; its folder is read once."""

    def __init__(self, package: str, attribute: str, *, skip: frozenset[str]) -> None:
        self._package = package
        self._attribute = attribute
        self._skip = skip
        self._loaded: dict[str, T] = {}
        self._external: dict[str, str] | None = None
        self._listed: frozenset[str] | None = None

    def names(self) -> tuple[str, ...]:
        """Every registered name, sorted."""
        return tuple(sorted({*self._own(), *self._others()}))

    def get(self, name: str) -> T:
        """The plug-in called `name`.

        Raises:
            BadInput: there is none; the message lists those there are.
        """
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def __iter__(self) -> Iterator[T]:
        return (self.get(name) for name in self.names())

    def _load(self, name: str) -> T:
        if name in self._own():
            module = importlib.import_module(f"{self._package}.{name}")
        elif name in self._others():
            module = importlib.import_module(self._others()[name])
        else:
            kind = self._attribute.lower()
            raise BadInput(
                f"unknown_{kind}",
                f"no {kind} is called {name!r}",
                hint="known: " + ", ".join(self.names()),
            )
        plugin: T = getattr(module, self._attribute)
        return plugin

    def _own(self) -> frozenset[str]:
        if self._listed is None:
            package = importlib.import_module(self._package)
            names = {found.name for found in pkgutil.iter_modules(package.__path__)}
            kept = (name for name in names if name not in self._skip and name[0] != "_")
            self._listed = frozenset(kept)
        return self._listed

    def _others(self) -> dict[str, str]:
        if self._external is None:
            from importlib.metadata import entry_points  # 40 ms that a plug-in of our own saves

            found = entry_points(group=self._package)
            self._external = {point.name: point.value for point in found}
        return self._external
