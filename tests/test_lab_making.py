"""Private sets: fixes and doc comments of a repository become questions with gold and leaks."""

from __future__ import annotations

import json

import pytest

from grainline.errors import BadInput
from grainline.lab.datasets.base import DATASETS, Sources, load
from grainline.lab.ground import Ground
from grainline.lab.loose import Commit, Objects
from grainline.lab.making import MakeOptions, is_fix, make_dataset, question_of, sentence_of
from grainline.snapshots.history import CommitRecord
from grainline.snapshots.repository import open_repository

SHOP = b'''"""A shop."""


def total(items):
    """Add up the prices of all items in a basket."""
    return sum(item.price for item in items)


def ship_order(order):
    """Hand the parcel of an order over to the carrier. It may wait."""
    order.carrier.take(order.parcel)


def undo(order):
    """As before."""
    order.back()
'''
FIXED = SHOP.replace(b"item.price for item", b"item.price * item.count for item")
LONGER = FIXED + b"\n\ndef more():\n    return 1\n"
TEST = b"def test_total():\n    assert True\n"


@pytest.fixture
def repository(tmp_path):
    """Five commits: files, a fix, a change, a fix of tests only, a fix of a name that it says."""
    objects, ids = Objects(), []
    steps = [
        ({b"shop.py": SHOP, b"notes.md": b"# Notes\n"}, "The shop"),
        (
            {b"shop.py": FIXED, b"notes.md": b"# Notes\n\nCounts.\n", b"tests/test_shop.py": TEST},
            "fix(shop): several of one item cost as much as one (#12)\n\nThe count was not looked at."
            "\n\nSigned-off-by: N <n@example.invalid>",
        ),
        ({b"shop.py": LONGER, b"tests/test_shop.py": TEST}, "Add more"),
        ({b"shop.py": LONGER, b"tests/test_shop.py": TEST * 2}, "Fix flaky shop checks of prices"),
        (
            {b"shop.py": LONGER.replace(b"take(order.parcel)", b"take(order.parcel, order)"),
             b"tests/test_shop.py": TEST * 2},
            "Prevent ship_order from losing the order in shop.py",
        ),
    ]  # fmt: skip
    for number, (files, message) in enumerate(steps):
        commit = Commit(
            files=files,
            message=message,
            seconds=1_700_000_000 + 60 * number,
            parents=tuple(ids[-1:]),
        )
        ids.append(objects.commit(commit))
    folder = tmp_path / "shop"
    objects.write(folder, {"refs/heads/main": ids[-1]}, "refs/heads/main")
    return folder, ids


def made(repository, tmp_path, **options):
    folder, _ = repository
    return make_dataset(folder, tmp_path / "set", MakeOptions(**options))


def test_the_history_of_a_repository_is_walked_from_the_newest(repository):
    folder, ids = repository
    with open_repository(str(folder)) as source:
        found = list(source.history("HEAD"))
    assert [each.id for each in found] == ids[::-1]
    assert found[0].parents == (ids[-2],)
    assert found[-1].message == "The shop\n"


def test_a_shallow_history_ends_where_it_is_cut(repository):
    folder, ids = repository
    (folder / "objects" / ids[1][:2] / ids[1][2:]).unlink()
    with open_repository(str(folder)) as source:
        assert [each.id for each in source.history("main")] == ids[:1:-1]


def test_a_folder_without_history_says_so(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    with open_repository(str(tmp_path)) as source, pytest.raises(BadInput, match="no_commit"):
        source.history("WORKTREE")


def test_fixes_ask_with_their_message_and_gold_is_what_they_changed_before(repository, tmp_path):
    _, ids = repository
    found = made(repository, tmp_path)
    assert (found.fixes, found.docs, found.commits) == (2, 2, 5)
    asked = {each.id: each for each in load(DATASETS.get("own"),
             Sources(scratch=tmp_path, data=tmp_path / "set"))}  # fmt: skip
    fix = asked[f"fix/{ids[1][:12]}"]
    assert fix.text == "several of one item cost as much as one \n\nThe count was not looked at."
    assert fix.commit == ids[0]
    assert [(each.name, *each.lines) for each in fix.functions] == [("total", 4, 6)]
    assert [tuple(each.lines) for each in fix.lines] == [(6, 6)]
    assert fix.files == (b"shop.py",)
    assert (fix.kind, fix.leak_file, fix.leak_function) == ("fix", False, False)
    leaking = asked[f"fix/{ids[4][:12]}"]
    assert (leaking.leak_file, leaking.leak_function) == (True, True)
    assert found.leaks == 1


def test_doc_comments_ask_with_their_first_sentence_and_are_hidden(repository, tmp_path):
    made(repository, tmp_path)
    dataset, sources = DATASETS.get("own"), Sources(scratch=tmp_path, data=tmp_path / "set")
    asked = [each for each in load(dataset, sources) if each.kind == "doc"]
    assert [each.text for each in asked] == [
        "Add up the prices of all items in a basket.",
        "Hand the parcel of an order over to the carrier.",
    ]
    with Ground(dataset.checkout(asked, sources)) as ground:
        text = ground.files()[b"shop.py"].text
    assert b"Add up" not in text
    assert b"Hand the parcel" not in text
    assert b"As before" in text
    assert text.count(b"\n") == LONGER.count(b"\n")


def test_the_same_commit_gives_the_same_set(repository, tmp_path):
    made(repository, tmp_path)
    first = {path.name: path.read_bytes() for path in (tmp_path / "set").iterdir()}
    made(repository, tmp_path)
    assert {path.name: path.read_bytes() for path in (tmp_path / "set").iterdir()} == first
    assert json.loads(first["about.json"])["commit"] == repository[1][-1]


def test_no_more_is_taken_than_was_asked_for(repository, tmp_path):
    found = made(repository, tmp_path, fixes=1, docs=1)
    assert (found.fixes, found.docs) == (1, 1)
    assert made(repository, tmp_path, commits=1).fixes == 1


def test_a_repository_that_asks_nothing_and_a_set_that_is_none_are_errors(repository, tmp_path):
    with pytest.raises(BadInput, match="empty_dataset"):
        made(repository, tmp_path, words=50)
    with pytest.raises(BadInput, match="make-dataset"):
        load(DATASETS.get("own"), Sources(scratch=tmp_path, data=tmp_path))


@pytest.mark.parametrize(
    ("subject", "parents", "is_one"),
    [
        ("fix: the count is lost", 1, True),
        ("Crash on empty input", 1, True),
        ("修复空输入时的崩溃", 1, True),
        ("Fix typo", 1, False),
        ("Add a prefix", 1, False),
        ("Fix the count", 2, False),
    ],
)
def test_a_fix_is_known_by_its_first_line(subject, parents, is_one):
    commit = CommitRecord("c", ("p",) * parents, 0, f"{subject}\n\nfixes nothing else\n")
    assert is_fix(commit) == is_one


def test_what_is_no_part_of_a_question_is_cut_off():
    message = (
        "fix(ui)!: it stops (closes #7)\n\nBecause.\n\nCo-authored-by: X <x@example.invalid>\n"
    )
    assert question_of(message) == "it stops \n\nBecause."


@pytest.mark.parametrize(
    ("doc", "sentence"),
    [
        ('"""One thing. Another."""', "One thing."),
        ("/**\n * Does it\n * all, e.g. this. And that.\n * @param x no\n */", "Does it all, e.g. this."),
        ("/// A line\n/// and a line", "A line and a line"),
        ("// 做这件事。然后结束。", "做这件事。"),
        ("# Says it\n#\n# More", "Says it"),
        ("/** @return nothing */", ""),
    ],
)  # fmt: skip
def test_a_doc_comment_is_known_by_its_first_sentence(doc, sentence):
    assert sentence_of(doc) == sentence
