"""What is made once for many strategies and commits: the same answers as when it is made anew."""

from __future__ import annotations

from contextlib import closing

from grainline.lab.corpora import corpus
from grainline.lab.ground import Ground
from grainline.lab.homes import MOST, Homes
from grainline.lab.kept import Kept, cpu
from grainline.lab.labels import questions
from grainline.lab.mirror import Checkout
from grainline.lab.running import answer, settled
from grainline.lab.strategies.base import find_strategy
from grainline.lab.values import Query, Settings

SOURCE = corpus("versions")
COMMITS = [SOURCE.commit(label) for label in ("first", "decimal", "weekends")]


def at(commit: str, folder) -> Checkout:
    return Checkout(
        repository=SOURCE.repository,
        commit=commit,
        clone=SOURCE.write(folder),
        scratch=folder,
        trusted=True,
    )


def answers(ground: Ground, name: str):
    asked = settled(find_strategy(name), Settings(options={}, k=5, budget=1000))
    with asked.strategy.index(ground, asked.settings) as indexed:
        found = [
            answer(indexed, Query(text=each.text), asked.settings) for each in questions("versions")
        ]
    return [(each.ranking, each.context) for each in found]


def test_commits_that_share_a_home_answer_as_if_they_were_alone(tmp_path):
    with closing(Homes()) as homes:
        for commit in (*COMMITS, COMMITS[0]):
            checkout = at(commit, tmp_path)
            with Ground(checkout, homes=homes) as shared, Ground(checkout) as alone:
                assert shared.home().folder != alone.home().folder
                for name in ("hierarchical", "function_calls", "function"):
                    assert answers(shared, name) == answers(alone, name)


def test_a_home_is_shared_by_commits_that_everybody_may_read():
    plain = Checkout(repository="r", commit="c", clone=None, scratch=None)
    assert Homes.may_share(plain)
    assert not Homes.may_share(Checkout(repository="r", commit="", clone=None, scratch=None))
    ruled = Checkout(repository="r", commit="c", clone=None, scratch=None, policy=SOURCE.policy)
    assert SOURCE.policy is not None
    assert not Homes.may_share(ruled)


def test_only_some_homes_are_open_at_a_time(tmp_path):
    with closing(Homes()) as homes:
        folders = []
        for number in range(MOST + 1):
            folder = tmp_path / str(number)
            folder.mkdir()
            folders.append(homes.home(at(COMMITS[0], folder), "grain", 0).folder)
        assert [folder.exists() for folder in folders] == [False] + [True] * MOST
    assert not any(folder.exists() for folder in folders)


def test_what_is_kept_is_made_once_and_gives_way_by_weight():
    made = []
    kept: Kept[str] = Kept(10)
    for key in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(key, 5, lambda key=key: made.append(key) or key.upper()) == key.upper()
    assert made == ["a", "b", "c", "b"]


def test_who_finds_something_made_pays_for_it():
    kept: Kept[int] = Kept(10)
    start = cpu()
    kept.get("a", 1, lambda: sum(range(400_000)))
    cost = cpu() - start
    start = cpu()
    kept.get("a", 1, lambda: 0)
    assert cpu() - start >= cost / 2
