"""Whether anything can be found in some files at all, before they are looked at.

A row is about a dotted name. That name can come up only where all of its words are written, or where
another row says that something written is called so (`types`, what a framework hands in). So the words of
files say which rows are *alive* there. Without a source and a sink of one kind, both alive, and without a
call that is weak by itself, the analysis finds nothing: it may be left out, and that is no cut.

Words say too much and never too little: a name of several words may be put together of those of
different places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from typing import Final, NamedTuple

from grainline.flow.credentials import is_credential
from grainline.flow.packages import is_of
from grainline.flow.rows import (
    ALL_KINDS,
    MAY,
    SECRET,
    CheckRow,
    EntryRow,
    Models,
    bits_of,
)
from grainline.flow.semantics import Semantics

_WORD: Final = re.compile(r"\w+")
_BEGINNING: Final = re.compile(r"\w+\*")
"""How keys begin that a row is about: no word by itself."""
_KIND_OF_ROW: Final = re.compile(r"^(?:class|filter|parameter|field) ")
_GUARDS: Final = frozenset(("filter", "everywhere", "base"))
"""What such checks say counts for handlers anywhere."""
_KNOWN: Final = frozenset(("identity", "parameter"))
MAX_NAME: Final = 80
"""Characters at the end of a name that say whether it is one of a credential."""

ROUTED: Final = "(routed)"
"""Beside the words of files: what is no code gives functions of them a framework."""

_NONE: Final[frozenset[str]] = frozenset()
_OTHERWISE: Final = {"routed": frozenset((ROUTED,))}


class Look(NamedTuple):
    """What may be found in some files.

    Attributes:
        sources: kinds that data which comes in there can hurt.
        sinks: kinds of what data may get to.
        weak: whether a call may be a weakness by itself.
        guards: whether something may run there before handlers elsewhere.
        operates: whether something may be done that not everybody may.
    """

    sources: int = 0
    sinks: int = 0
    weak: bool = False
    guards: bool = False
    operates: bool = False

    @property
    def alive(self) -> bool:
        """Whether anything may be found."""
        return self.weak or bool(self.sources & self.sinks)

    def beside(self, other: Look) -> Look:
        """What may be found where both may be."""
        return Look(
            sources=self.sources | other.sources,
            sinks=self.sinks | other.sinks,
            weak=self.weak or other.weak,
            guards=self.guards or other.guards,
            operates=self.operates or other.operates,
        )


class _Name(NamedTuple):
    """A name of a row: its words, and how it can begin with what other rows give."""

    words: frozenset[str]
    begins: tuple[tuple[str, frozenset[str]], ...]

    def comes_up(self, words: frozenset[str], given: Set[str]) -> bool:
        """Whether it can be written with some words, or with names that rows give and the rest of it."""
        return self.words <= words or any(
            start in given and rest <= words for start, rest in self.begins
        )


class _Given(NamedTuple):
    """Names that come up where another one does."""

    name: _Name
    gives: tuple[str, ...]


class Rows:
    """The rows of one language, by what must be written for each to be alive."""

    def __init__(self, models: Models) -> None:
        self._models = models
        given = [*models.types.values()]
        given += [name for row in models.entries.values() for name in _handed(row)]
        given += [name for row in models.steps.values() for name in row.passes]
        self._starts = frozenset(filter(None, given))
        self._ends: set[str] = set()
        """What names of rows say of how words end."""
        self._given = [*self._renamed()]
        self._sources = [*self._of_sources()]
        self._sinks = [*self._of_sinks()]
        self._weak = [self._name(name) for name in models.patterns]
        self._operations = [self._name(name) for name in models.operations]
        self._guards = [self._name(name) for name, row in models.checks.items() if _guards(name, row)]  # fmt: skip

    # ------------------------------------------------------------------ what is asked

    def look(self, words: frozenset[str], names: Iterable[str]) -> Look:
        """What may be found in files that consist of these names, made of these words."""
        words |= {f"*{end}" for end in self._ends if any(word.endswith(end) for word in words)}
        given = self._come_up(words)

        def alive(name: _Name) -> bool:
            return name.comes_up(words, given)

        sources = sinks = 0
        for name, kinds in self._sources:
            if kinds & ~sources and alive(name):
                sources |= kinds
        for name, kinds in self._sinks:
            if kinds & ~sinks and alive(name):
                sinks |= kinds
        if sinks & SECRET and self._credentials(names):
            sources |= SECRET
        return Look(
            sources=sources,
            sinks=sinks,
            weak=any(map(alive, self._weak)),
            guards=any(map(alive, self._guards)),
            operates=any(map(alive, self._operations)),
        )

    def uses(self, words: frozenset[str], packages: Iterable[str]) -> bool:
        """Whether something is surely used that rows know, of each of these packages."""
        given = self._come_up(words)
        for package in packages:
            own = _words_of(package)
            known = (self._name(name) for name in self._models.expected() if is_of(name, package))
            if not any(name.words - own and name.comes_up(words, given) for name in known):
                return False
        return True

    def _come_up(self, words: frozenset[str]) -> frozenset[str]:
        """Names that rows give to what is written."""
        found: set[str] = set()
        waiting = self._given
        while True:
            left: list[_Given] = []
            for each in waiting:
                if each.name.comes_up(words, found):
                    found.update(each.gives)
                else:
                    left.append(each)
            if len(left) == len(waiting):
                return frozenset(found)
            waiting = left

    def _credentials(self, names: Iterable[str]) -> bool:
        rows = self._models.credentials
        return bool(rows) and any(
            is_credential(rows, name[-MAX_NAME:], where)
            for name in names for where in ("field", "environment")
        )  # fmt: skip

    # ------------------------------------------------------------------ rows

    def _name(self, name: str) -> _Name:
        name = _KIND_OF_ROW.sub("", name)
        if name.startswith("operator "):
            return _Name(frozenset((name.removeprefix("operator "),)), ())
        if name.startswith("("):  # parameters, or what is known otherwise
            plain = name.strip("()")
            return _Name(_words_of(name) if "," in plain else _OTHERWISE.get(plain, _NONE), ())
        if name[:1] == "*" and name[:2] != "*.":
            end, _, member = name[1:].partition(".")
            self._ends.add(end)
            return _Name(_words_of(member) | {f"*{end}"}, ())
        begins = tuple(
            (text[:end], _words_of(text[end:]))
            for text in {name, name.removeprefix("@")}  # a package may be called so, too
            for end in range(1, len(text) + 1)
            if text[:end] in self._starts and (end == len(text) or text[end] in ".([:\\")
        )
        return _Name(_words_of(name), begins)

    def _renamed(self) -> Iterator[_Given]:
        models = self._models
        for name, gives in models.types.items():
            yield _Given(self._name(name), (gives,))
        for name, entry in models.entries.items():
            if handed := _handed(entry):
                yield _Given(self._name(name), handed)
        for name, step in models.steps.items():
            if step.passes:
                yield _Given(self._name(name), tuple(filter(None, step.passes)))

    def _of_sources(self) -> Iterator[tuple[_Name, int]]:
        models = self._models
        data = ALL_KINDS & ~SECRET
        for table in (models.sources, models.reads):
            for name, row in table.items():
                yield self._name(name), row.kinds & data
        for name, step in models.steps.items():
            if "source" in step.passes:
                yield self._name(name), data
        for name, entry in models.entries.items():
            given = "source" in (*entry.params, *entry.more, entry.rest)
            yield self._name(name), (data if given else 0) | (MAY if entry.handler else 0)
        for name, check in models.checks.items():
            if check.does in _KNOWN:
                yield self._name(name), data

    def _of_sinks(self) -> Iterator[tuple[_Name, int]]:
        models = self._models
        for name, sinks in models.sinks.items():
            yield self._name(name), bits_of({row.kind for row in sinks})
        for name, store in models.stores.items():
            yield self._name(name), bits_of((store.kind,))
        for name, operations in models.operations.items():
            yield self._name(name), bits_of({kind for row in operations for kind in row.kinds})
        for name, entry in models.entries.items():
            if entry.result:
                yield self._name(name), bits_of((entry.result,)) | SECRET


def _handed(row: EntryRow) -> tuple[str, ...]:
    """Dotted names of what a framework hands in."""
    return tuple(each for each in (*row.params, *row.more, row.rest) if each and each != "source")


def _guards(name: str, row: CheckRow) -> bool:
    return row.does in _GUARDS or name.startswith("filter ")


def _words_of(name: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_BEGINNING.sub("", name)))


def words_of(names: Iterable[str], semantics: Semantics) -> frozenset[str]:
    """The words that rows may be about in files of one language."""
    found = set(semantics.unsaid)
    for name in names:
        words = _WORD.findall(name)
        found.update(words or (name,))
        for word in words:
            found.update(semantics.spellings(word))
        found.add(name)
    return frozenset(found)
