"""The right version: what one release says is never said of another, however many are indexed.

The packages are fetched by `make setup`; each becomes a repository with a tag for each release.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from grainline.engine import Engine
from grainline.errors import BadInput
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import Scope
from grainline.model.evidence import ContextOptions
from grainline.surfaces import wire
from helpers.gitrepo import FILE, HandMade, Item

OPTIONS = IndexOptions(workers=0)
SEED = 5
ASKED = 12  # symbols of each package and direction
SNAPSHOTS = 20
RELEASES = {
    "flask": ("1.1.4", "3.0.3"),
    "httpx": ("0.18.2", "0.27.2"),
    "requests": ("2.18.4", "2.31.0"),
    "axios": ("0.27.2", "1.7.7"),
    "express": ("4.18.2", "5.0.1"),
}
DEFINITION = {
    ".py": re.compile(rb"^[ \t]*(?:async )?(?:def|class) (\w+)", re.MULTILINE),
    ".js": re.compile(rb"^[ \t]*(?:export )?(?:async )?(?:function|class) (\w+)", re.MULTILINE),
}


class Release(NamedTuple):
    """One tag of a package: its commit, and what its files define and mention."""

    package: str
    ref: str
    commit: str
    defined: frozenset[str]
    mentioned: frozenset[str]


def files_of(folder: Path) -> dict[str, Item]:
    if not folder.exists():
        pytest.skip(f"{folder.name} is not there: run make setup")
    return {
        path.relative_to(folder).as_posix(): Item(FILE, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "dist" not in path.parts
    }


def release(package: str, ref: str, commit: str, files: dict[str, Item]) -> Release:
    defined: set[str] = set()
    mentioned: set[str] = set()
    for path, item in files.items():
        mentioned |= {word.decode() for word in re.findall(rb"\w+", item.data) if word.isascii()}
        rule = DEFINITION.get(Path(path).suffix)
        if rule is not None:
            defined |= {name.decode() for name in rule.findall(item.data)}
    return Release(package, ref, commit, frozenset(defined), frozenset(mentioned))


@pytest.fixture(scope="module")
def indexed(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engine, list[tuple[Release, Release]]]]:
    """One home with both releases of every package."""
    folder = tmp_path_factory.mktemp("versions")
    engine = Engine.open(str(folder / "home"))
    pairs = []
    for package, versions in RELEASES.items():
        repository = HandMade(folder / package, bare=True)
        found = []
        for version in versions:
            files = files_of(root / ".cache" / "data" / f"{package}-{version}")
            ref, commit = f"refs/tags/{version}", repository.commit(files)
            repository.move(ref, commit)
            found.append(release(package, ref, commit, files))
        engine.index(
            str(repository.top), refs=[row.ref for row in found], name=package, options=OPTIONS
        )
        pairs.append((found[0], found[1]))
    yield engine, pairs
    engine.close()


def scope_of(engine: Engine, wanted: Release) -> Scope:
    return engine.scope(repos=[wanted.package], refs=[wanted.ref])


def chosen(names: frozenset[str]) -> list[str]:
    """A few names that are long enough to mean something, the same on every run."""
    long = sorted(name for name in names if len(name) > 5)
    return random.Random(SEED).sample(long, min(ASKED, len(long)))


def test_no_answer_at_a_release_comes_from_another(
    indexed: tuple[Engine, list[tuple[Release, Release]]],
) -> None:
    engine, pairs = indexed
    asked = found = shown = 0
    for pair in pairs:
        for here, there in (pair, pair[::-1]):
            scope = scope_of(engine, here)
            for name in chosen(here.defined - there.mentioned) + chosen(
                here.defined & there.defined
            ):
                result = engine.search(f"What does {name} do?", scope=scope)
                assert {hit.place.snapshot.commit for hit in result.hits} <= {here.commit}
                assert {hit.place.repository for hit in result.hits} <= {here.package}
                assert shown_at(engine, name, scope) <= {here.commit}
                shown += bool(shown_at(engine, name, scope))
                asked += 1
                found += any(hit.symbol and hit.symbol.name == name for hit in result.hits)
    assert asked > 100
    # a class in the example of a doc comment looks like a definition to the test only
    assert shown / asked > 0.95, f"{shown} of {asked} symbols were shown"
    assert found / asked > 0.9, f"{found} of {asked} symbols were found by name"


def shown_at(engine: Engine, name: str, scope: Scope) -> set[str]:
    """Commits of the definitions that a name has in a scope."""
    try:
        return {each.place.snapshot.commit for each in engine.show(name, scope=scope).symbols}
    except BadInput:
        return set()


def test_a_symbol_of_another_release_does_not_exist(
    indexed: tuple[Engine, list[tuple[Release, Release]]],
) -> None:
    engine, pairs = indexed
    asked = 0
    for pair in pairs:
        for here, there in (pair, pair[::-1]):
            scope = scope_of(engine, here)
            # a name is also found in other letter case
            folded = {name.lower() for name in here.mentioned}
            absent = frozenset(name for name in there.defined if name.lower() not in folded)
            for name in chosen(absent):
                result = engine.search(f"What does {name} do?", scope=scope)
                assert not [h for h in result.hits if h.symbol and h.symbol.name == name]
                assert not [h for h in result.hits if re.search(rf"\b{name}\b", h.text)]
                with pytest.raises(BadInput) as raised:
                    engine.show(name, scope=scope)
                assert raised.value.exit_code == 2
                assert not re.search(rf"\b{name}\b", raised.value.hint)
                asked += 1
    assert asked > 50


def test_a_wrong_scope_would_be_noticed(
    indexed: tuple[Engine, list[tuple[Release, Release]]],
) -> None:
    """The checks above fail when both releases are in scope."""
    engine, ((old, new), *_) = indexed
    scope = engine.scope(repos=[old.package], refs=[old.ref, new.ref])
    gone = chosen(old.defined - new.mentioned)
    assert all(engine.show(name, scope=scope).symbols for name in gone)
    commits = {
        hit.place.snapshot.commit
        for name in gone
        for hit in engine.search(f"What does {name} do?", scope=scope).hits
    }
    assert commits == {old.commit, new.commit}


# ------------------------------------------------------------------ many snapshots as one


QUESTIONS = (
    "How are redirects followed?",
    "session cookies",
    "raise_for_status",
    '"def request("',
    "/def get_[a-z]+\\(/",
)


def answers(home: str, ref: str) -> list[str]:
    """What a home says of one snapshot, as wire objects in one spelling."""
    engine = Engine.open(home)
    scope = engine.scope(refs=[ref])
    told = [wire.dumps(wire.status(engine.status(scope=scope, paths=True)))]
    told += [wire.dumps(wire.search(engine.search(text, scope=scope))) for text in QUESTIONS]
    told += [
        wire.dumps(wire.context(engine.context(text, scope=scope, options=ContextOptions())))
        for text in QUESTIONS[:2]
    ]
    for name in ("Session", "resolve_redirects", "get_encoding_from_headers"):
        told.append(wire.dumps(wire.show(engine.show(name, scope=scope))))
    for path in ("requests/sessions.py", "requests/models.py"):
        told.append(wire.dumps(wire.outline(engine.outline(path, scope=scope))))
    told += engine.dump(scope)
    engine.close()
    return told


def steps(old: dict[str, Item], new: dict[str, Item]) -> Iterator[dict[str, Item]]:
    """Snapshots on the way from one release to another, a share of the paths at a time."""
    paths = sorted({path for path in (*old, *new) if old.get(path) != new.get(path)})
    for number in range(SNAPSHOTS):
        done = set(paths[: len(paths) * number // (SNAPSHOTS - 1)])
        either = {path: (new if path in done else old).get(path) for path in {*old, *new}}
        yield {path: item for path, item in sorted(either.items()) if item is not None}


def test_one_of_twenty_snapshots_answers_as_if_it_were_alone(root: Path, tmp_path: Path) -> None:
    old, new = (
        files_of(root / ".cache" / "data" / f"requests-{version}")
        for version in RELEASES["requests"]
    )
    repository = HandMade(tmp_path / "requests", bare=True)
    refs = []
    for number, files in enumerate(steps(old, new)):
        refs.append(f"refs/tags/v{number}")
        repository.move(refs[-1], repository.commit(files))
    many = str(tmp_path / "many")
    engine = Engine.open(many)
    for ref in refs[::-1]:  # the order in which they came must not tell either
        engine.index(str(repository.top), refs=[ref], name="requests", options=OPTIONS)
    engine.close()
    seen = set()
    for number in (0, 7, 13, SNAPSHOTS - 1):
        alone = str(tmp_path / f"alone{number}")
        engine = Engine.open(alone)
        engine.index(str(repository.top), refs=[refs[number]], name="requests", options=OPTIONS)
        engine.close()
        found, expected = answers(many, refs[number]), answers(alone, refs[number])
        for one, other in zip(found, expected, strict=True):
            assert one == other
        seen.add(tuple(expected))
    assert len(seen) == 4, "the snapshots answer alike: the test tests nothing"
