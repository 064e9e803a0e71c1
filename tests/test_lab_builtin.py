"""Built-in sets: what is shipped, what the questions point at, and the same ids everywhere."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from grainline.access.policy import Reader, groups_of
from grainline.errors import BadInput
from grainline.lab.completion import KINDS, Hole, cut, cut_repository, holes
from grainline.lab.corpora import (
    BUILTIN,
    corpus,
    corpus_names,
    from_files,
    read_folder,
)
from grainline.lab.datasets.base import DATASETS, Sources
from grainline.lab.filler import made, taken
from grainline.lab.ground import Ground
from grainline.lab.labels import given_away, place, questions, rows
from grainline.lab.mirror import Checkout, find_clone
from grainline.lab.questions import Place
from grainline.model.position import LineSpan

NAMES = corpus_names()


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_a_question_names_is_there(name):
    asked = questions(name)
    assert len(asked) == len(list(rows(name)))
    assert len({each.id for each in asked}) == len(asked)
    once = {(each.text, each.commit, each.ref, each.principal, each.at) for each in asked}
    assert len(once) == len(asked), "asked twice"


@pytest.mark.parametrize("name", NAMES)
def test_git_reads_what_is_written_and_the_ids_hang_on_nothing_else(name, tmp_path):
    source = corpus(name)
    folder = source.write(tmp_path)
    assert find_clone(tmp_path, source.repository) == folder
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "fsck", "--strict", "--full"], check=True, capture_output=True)
    for commit, files in source.trees.items():
        listed = subprocess.run(
            [*git, "ls-tree", "-rz", "--name-only", commit], check=True, capture_output=True
        )
        assert set(listed.stdout.split(b"\0")) - {b""} == set(files)
        checkout = Checkout(
            repository=source.repository, commit=commit, clone=folder, scratch=tmp_path
        )
        assert {entry.path: data for entry, data in checkout.files()} == dict(files)


def test_the_folder_of_built_in_sets_goes_into_the_wheel():
    flit = pytest.importorskip("flit_core.common")
    source = Path(__file__).parent.parent / "src"
    shipped = {Path(path) for path in flit.Module("grainline", source.parent).iter_files()}
    data = {path for path in BUILTIN.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert data
    assert data <= shipped


def test_byte_code_beside_the_files_is_no_part_of_a_corpus(tmp_path):
    (tmp_path / "a" / "__pycache__").mkdir(parents=True)
    (tmp_path / "a" / "__pycache__" / "x.pyc").write_bytes(b"")
    (tmp_path / "a" / "x.py").write_bytes(b"x = 1\n")
    assert read_folder(tmp_path) == {b"a/x.py": b"x = 1\n"}


# ------------------------------------------------------------------ places

FILES = {
    b"shop.py": b"class Cart:\n    def add(self):\n        x = 1\n        return x\n\n\ndef add():\n    x = 1\n",
    b"guide.md": b"# Guide\n\nText.\n\n## Refunds\n\nOne.\n\n| a |\n|---|\n| b |\n\n## End\n",
}


@pytest.mark.parametrize(
    ("gold", "lines", "name"),
    [
        ({"path": "shop.py", "symbol": "Cart.add"}, (2, 4), "Cart.add"),
        ({"path": "shop.py", "symbol": "Cart"}, (1, 4), "Cart"),
        ({"path": "shop.py", "line": "return x"}, (4, 4), ""),
        ({"path": "shop.py", "from": "def add(self):", "to": "x = 1"}, (2, 3), ""),
        ({"path": "guide.md", "symbol": "Refunds"}, (5, 11), "Refunds"),
        ({"path": "guide.md", "line": "| b |"}, (11, 11), ""),
    ],
)
def test_a_place_is_found_by_what_is_written_there(gold, lines, name):
    assert place(FILES, gold) == Place(gold["path"].encode(), LineSpan(*lines), name)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ({"path": "gone.py", "symbol": "f"}, "no file"),
        ({"path": "shop.py", "symbol": "Cart.remove"}, "0 symbols"),
        ({"path": "shop.py", "line": "x = 1"}, "2 lines"),
        ({"path": "shop.py", "line": "y = 1"}, "0 lines"),
        ({"path": "shop.py", "from": "return x", "to": "def add(self):"}, "no line"),
    ],
)
def test_a_corpus_that_changed_under_its_questions_is_an_error(gold, message):
    with pytest.raises(BadInput, match=message):
        place(FILES, gold)


def test_an_unknown_set_or_version_is_an_error():
    with pytest.raises(BadInput, match="small"):
        corpus("nope")
    with pytest.raises(BadInput, match="no version 'nope'"):
        corpus("small").files("nope")


def test_ids_change_with_the_content():
    first, second = (from_files("x", {b"a": data}) for data in (b"1", b"2"))
    assert first.commit() != second.commit()
    assert first.commit() == from_files("x", {b"a": b"1"}).commit()


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ("where is store called", (False, False)),
        ("where is `store` called", (False, True)),
        ("what does store() do", (False, True)),
        ("what does evict_expired do", (False, True)),
        ("look into cache.py", (True, True)),
        ("how is the cache emptied", (False, False)),
    ],
)
def test_a_question_gives_away_only_what_it_writes_as_a_name(text, leaks):
    span = LineSpan(1, 1)
    gold = [Place(b"cache.py", span, "store"), Place(b"cache.py", span, "Cache.evict_expired")]
    assert given_away(text, gold) == leaks


def test_a_repository_is_written_once_and_anew_when_it_changed(tmp_path):
    first, second = (from_files("x", {b"a": data}) for data in (b"1", b"2"))
    folder = first.write(tmp_path)
    before = (folder / "HEAD").stat().st_mtime_ns
    assert first.write(tmp_path) == folder
    assert (folder / "HEAD").stat().st_mtime_ns == before
    second.write(tmp_path)
    head = (folder / "refs" / "heads" / "main").read_text()
    assert head.strip() == second.commit()


# ------------------------------------------------------------------ the sets


def by_kind(name):
    found = defaultdict(list)
    for each in questions(name):
        found[each.kind].append(each)
    return found


def test_every_weakness_has_a_safe_twin_and_every_twin_says_what_makes_it_safe():
    asked = {each.id: each for each in questions("vulnapp")}
    weak = [each for each in asked.values() if each.vulnerable]
    assert len(weak) >= 12
    assert {each.cwe for each in weak} == {
        "CWE-22", "CWE-78", "CWE-79", "CWE-89", "CWE-502", "CWE-601", "CWE-918"
    }  # fmt: skip
    assert {each.language for each in weak} == {"python", "typescript"}
    for each in weak:
        twin = asked[each.id + "-safe"]
        assert (twin.vulnerable, twin.cwe) == (False, each.cwe)
        assert {"sanitizer", "guard"} & {hop.role for hop in twin.chain}
        assert not {"sanitizer", "guard"} & {hop.role for hop in each.chain}
        assert each.chain[0].role == "source"
        assert "sink" in {hop.role for hop in each.chain}
        assert len({hop.place.path for hop in each.chain}) > 1 or each.id == "vulnapp/redirect-2"
    assert len(asked) == 2 * len(weak)


def test_a_question_about_a_version_has_another_answer_in_another_version():
    asked = by_kind("versions")
    for kind in ("branch", "commit"):
        assert len(asked[kind]) >= 8
        assert all(each.ref and each.forbidden for each in asked[kind])
        assert not any(place in each.lines for each in asked[kind] for place in each.forbidden)


def test_who_is_denied_may_not_read_and_who_is_not_may():
    source, asked = corpus("versions"), by_kind("versions")
    assert source.policy is not None
    assert len(asked["no-access"]) >= 8
    for each in (*asked["no-access"], *asked["access"]):
        reader = Reader(source.policy, groups_of(source.policy, each.principal))
        places = each.forbidden if each.kind == "no-access" else each.lines
        readable = {reader.may_read("repo", place.path) for place in places}
        assert readable == {each.kind == "access"}, each.id
        assert bool(each.lines) == (each.kind == "access")


def test_the_engine_answers_from_the_version_and_shows_the_denied_nothing(tmp_path):
    dataset = DATASETS.get("versions")
    asked = [each for each in questions("versions") if each.kind != "commit"]
    with Ground(dataset.checkout(asked, Sources(scratch=tmp_path))) as ground:
        home = ground.home()
        for each in asked:
            found = home.engine.search(each.text, scope=home.scope(each.ref, each.principal))
            paths = {hit.place.path for hit in found.hits}
            assert paths >= set(each.files), each.id
            assert {hit.place.snapshot.commit for hit in found.hits} <= {
                corpus("versions").commit(each.ref)
            }
            if each.kind == "no-access":
                assert not paths & {place.path for place in each.forbidden}, each.id


def test_holes_are_where_they_are_cut_and_what_they_need_is_left():
    asked = holes()
    assert list(cut()) == list(rows("completion")), "run: python tools/cut_completion.py"
    assert all(sum(each.kind == kind for each in asked) >= 8 for kind in KINDS)
    source = cut_repository()
    for each in asked:
        text = source.files(each.commit)[each.at.path].decode()
        lines = text.split("\n")[each.at.lines.start - 1 : each.at.lines.end]
        assert each.text.split("\n")[-1].rstrip() == lines[0]
        assert not any(lines[1:])
        assert all(place.name and place.path in source.files(each.commit) for place in each.lines)


def test_a_hole_of_a_line_leaves_the_numbers_of_the_others():
    hole = Hole(path=b"a", lines=LineSpan(2, 3), column=4)
    data = b"one\n    two(\n    three)\nfour\n"
    assert hole.cut(data) == ("one\n    ", "two(\n    three)")
    assert hole.without(data) == b"one\n\n\nfour\n"


@pytest.mark.parametrize(
    "kind", ["cross-section", "exact-symbol", "branch", "commit", "no-access", "table"]
)
def test_every_class_of_questions_is_asked(kind):
    asked = [each for name in NAMES for each in by_kind(name)[kind]]
    assert len(asked) >= (5 if kind == "table" else 8)
    if kind == "cross-section":
        assert all(len(each.functions) > 1 for each in asked)
        assert any(not each.text.isascii() for each in asked)


# ------------------------------------------------------------------ filler


def test_filler_is_code_and_the_same_by_its_seed():
    files = made(2_000)
    assert files == made(2_000)
    assert files != made(2_000, seed=1)
    assert 2_000 <= sum(data.count(b"\n") for data in files.values()) < 2_150
    for data in files.values():
        compile(data, "filler", "exec")


def test_the_questions_of_small_are_asked_inside_more_lines(tmp_path):
    dataset, sources = DATASETS.get("small_in_5k"), Sources(scratch=tmp_path)
    asked = list(dataset.questions(sources))
    with Ground(dataset.checkout(asked, sources)) as ground:
        files = ground.files()
    assert 5_000 <= sum(each.text.count(b"\n") for each in files.values()) < 5_150
    small = {each.id.partition("/")[2]: each for each in questions("small")}
    for each in asked:
        before = small[each.id.partition("/")[2]]
        assert each.text == before.text
        for now, old in zip(each.functions, before.functions, strict=True):
            assert now.path == b"shop/" + old.path
            text = files[now.path].text.split(b"\n")
            assert text[now.lines.start - 1].startswith((b"def ", b"@"))
    sizes = [DATASETS.get(name).lines for name in DATASETS.names() if "_in_" in name]
    assert sorted(sizes) == [5_000, 50_000, 500_000]


def test_filler_of_clones_is_source_and_no_tests(tmp_path):
    files = {
        b"a.py": b"x = 1\n" * 30,
        b"tests/test_a.py": b"y = 1\n",
        b"b.bin": b"\0",
        b"c.go": b"\n" * 40,
    }
    from_files("theirs", files).write(tmp_path)
    assert list(taken(tmp_path, 10)) == [b"filler/builtin+theirs/a.py"]
    assert set(taken(tmp_path, 100)) == {
        b"filler/builtin+theirs/a.py", b"filler/builtin+theirs/c.go"
    }  # fmt: skip
    dataset = DATASETS.get("small_in_5k")
    with_theirs = Sources(scratch=tmp_path / "s", mirror=tmp_path)
    (one, other) = (
        next(iter(dataset.questions(each))).commit
        for each in (with_theirs, Sources(scratch=tmp_path / "s"))
    )
    assert one != other
