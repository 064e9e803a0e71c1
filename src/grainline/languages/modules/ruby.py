"""Ruby: which files define a full name, as far as requires and the names of files tell.

Constants are global in a program, and which files make a program is told by what loads them: two
files are together when something reaches both by `require`, `require_relative`, `load` or `autoload`.
Where nothing of that kind leads to a definition, the one counts that stands where autoloading looks
for it: `lib/pay/refund.rb`, `app/models/pay/refund.rb` for `Pay::Refund`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from grainline.languages.modules.base import Module, Project

MAX_SET: Final = 8
"""Files that one name of a function may mean; more are no answer."""
MAX_HELD: Final = 16
"""Files of one name that are told one by one; more are told as a set."""
_TESTS: Final = frozenset({"test", "tests", "spec", "specs", "features"})
_ROOTS: Final = frozenset({"lib", "test", "tests", "spec", "concerns", "support", "src"})
_REQUIRE: Final = "require "


def is_test(path: str) -> bool:
    """Whether a file is there for tests alone."""
    *folders, name = path.split("/")
    return name.endswith(("_spec.rb", "_test.rb")) or any(each in _TESTS for each in folders)


class Meaning(NamedTuple):
    """What a constant means: the full name of what is there, the words behind it, where it is.

    `lexical`: it was found in a class or module around, so nothing that is inherited can hide it.
    """

    name: str
    rest: tuple[str, ...]
    files: tuple[str, ...]
    lexical: bool


class RubyModules:
    """Full names -> files that define them."""

    def __init__(self, project: Project) -> None:
        self._paths = frozenset(project.paths)
        self._tests = frozenset(path for path in project.paths if is_test(path))
        self._load_names: dict[str, list[str]] = {}
        for path in sorted(project.paths):
            for name in _load_names(path):
                self._load_names.setdefault(name, []).append(path)
        self._full: dict[str, str] = {}
        self._files: dict[str, dict[str, list[str]]] = {}
        self._scopes: dict[str, list[str]] = {}
        self._read(project)
        self._roots = _reached_by(sorted(project.paths), self._required(project))
        self._known: dict[tuple[int, bool, str, str], tuple[str, ...]] = {}
        self._groups: dict[str, dict[str, int]] = {}
        self._sets: dict[str, tuple[str, ...]] = {}

    def _read(self, project: Project) -> None:
        rows = [
            (name, path)
            for path in sorted(project.packages)
            for name in project.packages[path]
            if not name.startswith(_REQUIRE)
        ]
        plain = {name.replace("|", "::") for name, _ in rows if "::" not in name}
        for name, path in rows:
            full = self._full.get(name)
            if full is None:
                full = self._full[name] = _absolute(name, plain)
            self._files.setdefault(full, {}).setdefault(path, []).append(name)
        for full in self._files:
            before, _, last = full.rpartition("::")
            if before:
                self._scopes.setdefault(last, []).append(before)

    def _required(self, project: Project) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path, names in project.packages.items():
            for name in names:
                if name.startswith(_REQUIRE):
                    wanted = self.find(path, name.removeprefix(_REQUIRE))
                    found.setdefault(path, []).extend(each.path for each in wanted)
        for path in project.paths:
            if path.endswith("_spec.rb"):
                helper = self.find(path, "spec_helper")
                found.setdefault(path, []).extend(each.path for each in helper)
        return found

    # -------------------------------------------------------------------------- names

    def full(self, place: str) -> str:
        """The full name of what is defined under the name that a file gives it."""
        return self._full.get(place) or _absolute(place, self._files.keys())

    def given(self, path: str, name: str) -> Sequence[str]:
        """The names under which a file gives what has a full name."""
        return self._files.get(name, {}).get(path, ())

    def inherited(self, word: str) -> Sequence[str]:
        """The full names of classes and modules that have a constant of this name."""
        return self._scopes.get(word, ())

    def nested(self, path: str, word: str) -> bool:
        """Whether a class that the file sees has a constant of this name."""
        return any(self.defining(path, f"{each}::{word}") for each in self.inherited(word))

    def defining(self, path: str, name: str) -> tuple[str, ...]:
        """The files that define a full name, as the file `path` sees it, sorted."""
        found = self._files.get(name)
        if found is None:
            return ()
        roots = self._roots.get(path, 0)
        key = (roots, path in self._tests, _home(path), name)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._chosen(roots, path, name, found)
        if path in found and path not in known and not self.tested(path, name):
            return tuple(sorted((*known, path))) if self._merges(path, known, name) else (path,)
        return known

    def tested(self, path: str, name: str) -> tuple[str, ...]:
        """The files of a name that a test which adds to it loads, or is loaded with."""
        roots = self._roots.get(path, 0)
        if not is_test(path) or not roots:
            return ()
        found = sorted(self._files.get(name, ()))
        return tuple(each for each in found
                     if not is_test(each) and self._roots.get(each, 0) & roots)  # fmt: skip

    def _merges(self, path: str, others: Sequence[str], name: str) -> bool:
        groups = self.groups(name)
        return any(groups[each] == groups[path] for each in others)

    def _chosen(
        self, roots: int, path: str, name: str, found: dict[str, list[str]]
    ) -> tuple[str, ...]:
        seen = list(found)
        if path not in self._tests:
            seen = [each for each in seen if each not in self._tests]
        near = [each for each in seen if self._roots.get(each, 0) & roots]
        near = [each for each in near if each not in self._tests] or near
        near = self._one(near, seen, name)
        beside = not near or (path not in self._tests and not any(_usual(name, e) for e in near))
        if beside:
            usual = _nearest(path, [each for each in seen if _usual(name, each)])
            near += [each for each in self._one(usual, seen, name) if each not in near]
        if name.endswith("()") and len(near) > MAX_SET:
            return ()
        return tuple(sorted(near))

    def _one(self, near: list[str], seen: list[str], name: str) -> list[str]:
        """All files of the program that some are in; [] where they are in several."""
        if not near or name.endswith("()"):
            return near
        groups = self.groups(name)
        mine = {groups[each] for each in near}
        return [each for each in seen if groups[each] in mine] if len(mine) == 1 else []

    def groups(self, name: str) -> dict[str, int]:
        """File -> number of the program whose thing of that name it is a part of."""
        known = self._groups.get(name)
        if known is not None:
            return known
        if len(self._files.get(name, ())) == 1:
            known = self._groups[name] = dict.fromkeys(self._files[name], 0)
            return known
        kinds: dict[tuple[bool, int], int] = {}
        first: dict[tuple[bool, int], int] = {}
        above: list[int] = []
        for path in sorted(self._files.get(name, ())):
            tests, roots = path in self._tests, self._roots.get(path, 0)
            if (tests, roots) not in kinds:
                kinds[tests, roots] = len(above)
                above.append(len(above))
                for bit in _bits(roots):
                    _join(above, first.setdefault((tests, bit), len(above) - 1), len(above) - 1)
        self._groups[name] = known = {
            path: _root(above, kinds[path in self._tests, self._roots.get(path, 0)])
            for path in self._files.get(name, ())
        }
        return known

    def meaning(self, path: str, word: str, nesting: str) -> Meaning | None:
        """What a constant that stands inside of `nesting` means; None: nothing that is there."""
        scopes = [""] if word.startswith("::") else [*self.scopes(nesting), ""]
        first, *others = word.removeprefix("::").split("::")
        for scope in scopes:
            whole = "::".join((*([scope] if scope else ()), first, *others))
            if others and (files := self.defining(path, whole)):
                return Meaning(whole, (), files, bool(scope))
            name = f"{scope}::{first}" if scope else first
            files = self.defining(path, name)
            if files:
                return self._longest(path, name, others, files, lexical=bool(scope))
        return None

    def _longest(
        self, path: str, name: str, words: list[str], files: tuple[str, ...], *, lexical: bool
    ) -> Meaning:
        at = 0
        while at < len(words):
            more = self.defining(path, f"{name}::{words[at]}")
            if not more:
                break
            name, files, at = f"{name}::{words[at]}", more, at + 1
        return Meaning(name, tuple(words[at:]), files, lexical)

    def scopes(self, nesting: str) -> list[str]:
        """The full names of the classes and modules around, innermost first."""
        words = nesting.split("|") if nesting else []
        return [self.full("|".join(words[:at])) for at in range(len(words), 0, -1)]

    def held(self, files: tuple[str, ...]) -> Iterator[Module]:
        """Some files as modules; many of them as one."""
        if len(files) <= MAX_HELD:
            for path in files:
                yield Module(path, "")
            return
        key = hashlib.blake2b("\0".join(files).encode("utf-8", "surrogatepass")).hexdigest()
        self._sets[key] = files
        yield Module("", key)

    # -------------------------------------------------------------------------- modules

    def find(self, path: str, name: str) -> tuple[Module, ...]:
        """The file that is required: `./x` beside this one, anything else on the load path."""
        if name.startswith("."):
            parts = path.split("/")[:-1]
            for word in name.split("/"):
                if word == "..":
                    if not parts:
                        return ()
                    parts.pop()
                elif word not in ("", "."):
                    parts.append(word)
            found = "/".join(parts)
            wanted = [each for each in (f"{found}.rb", found) if each in self._paths][:1]
        else:
            wanted = _nearest(path, self._load_names.get(name.removesuffix(".rb"), []))
        return tuple(Module(each, "") for each in wanted) if len(wanted) == 1 else ()

    def below(self, module: Module, name: str) -> tuple[Module, ...]:
        """A file has no files in it."""
        del module, name
        return ()

    def files(self, module: Module) -> tuple[str, ...]:
        """Every module is a file."""
        del module
        return ()

    def inside(self, module: Module) -> Iterable[str]:
        """The file, or those of a set."""
        return (module.path,) if module.path else self._sets.get(module.folder, ())

    def beside(self, path: str) -> tuple[Module, ...]:
        """Everything is found by its full name."""
        del path
        return ()


def _absolute(place: str, known: Iterable[str]) -> str:
    """The full name of `A|B::C`: B is what it means inside of A."""
    full = ""
    for word in place.split("|"):
        if word.startswith("::"):
            full = word[2:]
        elif not full or "::" not in word:
            full = f"{full}::{word}" if full else word
        else:
            full = _within(full, word, known)
    return full


def _within(scope: str, word: str, known: Iterable[str]) -> str:
    first = word.partition("::")[0]
    while scope:
        if f"{scope}::{first}" in known:
            return f"{scope}::{word}"
        scope = scope.rpartition("::")[0]
    return word


def _bits(roots: int) -> Iterator[int]:
    """The numbers of the programs in a set of them."""
    while roots:
        low = roots & -roots
        yield low.bit_length()
        roots ^= low


def _root(above: list[int], at: int) -> int:
    """The number that stands for a group: union-find with halved paths."""
    while above[at] != at:
        above[at] = above[above[at]]
        at = above[at]
    return at


def _join(above: list[int], one: int, other: int) -> None:
    one, other = _root(above, one), _root(above, other)
    above[max(one, other)] = min(one, other)


# ------------------------------------------------------------------------------ paths


def _load_names(path: str) -> Iterator[str]:
    """What a file is called on the load path, for each folder above it that may be on it."""
    parts = path.removesuffix(".rb").split("/")
    for at, folder in enumerate(parts[:-1]):
        if folder in _ROOTS:
            yield "/".join(parts[at + 1 :])


def _home(path: str) -> str:
    """The folder of the package that a file is in: what `lib`, `spec`, `app` stand in."""
    parts = path.split("/")[:-1]
    for at, folder in enumerate(parts):
        if folder in _ROOTS or folder in _TESTS or folder == "app":
            return "/".join(parts[:at])
    return "/".join(parts)


def _nearest(path: str, found: list[str]) -> list[str]:
    """Those that share the longest home with a file."""
    if len(found) < 2:
        return found
    mine = _home(path).split("/")

    def shared(other: str) -> int:
        words = _home(other).split("/")
        count = 0
        while count < len(words) and words[: count + 1] == mine[: count + 1]:
            count += 1
        return count

    best = max(map(shared, found))
    near = [each for each in found if shared(each) == best]
    exact = [each for each in near if _home(each) == _home(path)]
    return exact or near


def _usual(name: str, path: str) -> bool:
    """Whether a file is where autoloading looks for a constant."""
    wanted = name.replace("::", "/").lower()
    known = path.removesuffix(".rb").replace("_", "").lower()
    if known != wanted and not known.endswith(f"/{wanted}"):
        return False
    words = path.split("/")[: -len(wanted.split("/"))]
    return bool(words) and (words[-1] in _ROOTS or (len(words) > 1 and words[-2] == "app"))


# ------------------------------------------------------------------------------ loading


def _reached_by(paths: list[str], links: dict[str, list[str]]) -> dict[str, int]:
    """For each file the set of programs (as bits) that load it.

    A program is a file that nothing else loads, or files that load each other and nothing else does.
    """
    numbers = {path: at for at, path in enumerate(paths)}
    after = [sorted({numbers[e] for e in links.get(path, ()) if e in numbers}) for path in paths]
    component, order = _components(after)
    loaded = {
        component[to]
        for at, row in enumerate(after)
        for to in row
        if component[to] != component[at]
    }
    bits: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    for at, group in enumerate(component):
        members.setdefault(group, []).append(at)
    tops = 0
    for group in reversed(order):  # whoever loads comes before what is loaded
        if group not in loaded:
            bits[group] = 1 << tops
            tops += 1
        mine = bits.get(group, 0)
        for at in members[group]:
            for to in after[at]:
                if component[to] != group:
                    bits[component[to]] = bits.get(component[to], 0) | mine
    return {path: bits.get(component[at], 0) for path, at in numbers.items()}


def _components(after: list[list[int]]) -> tuple[list[int], list[int]]:
    """Strongly connected components (Tarjan, 1972), without recursion; what is loaded comes first."""
    index = [-1] * len(after)
    low = [0] * len(after)
    component = [-1] * len(after)
    order: list[int] = []
    stack: list[int] = []
    clock = 0
    for start in range(len(after)):
        if index[start] >= 0:
            continue
        work = [(start, 0)]
        while work:
            at, edge = work.pop()
            if edge == 0:
                index[at] = low[at] = clock
                clock += 1
                stack.append(at)
            for position in range(edge, len(after[at])):
                to = after[at][position]
                if index[to] < 0:
                    work += [(at, position + 1), (to, 0)]
                    break
                if component[to] < 0:
                    low[at] = min(low[at], low[to])
            else:
                if low[at] == index[at]:
                    while component[at] < 0:
                        component[stack.pop()] = at
                    order.append(at)
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
    return component, order
