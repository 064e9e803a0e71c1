"""What the facade promises over a real folder: proof, freshness, removal."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from grainline.access.policy import is_name
from grainline.chunking.base import CHUNKERS
from grainline.engine import MEMORY, Engine
from grainline.errors import BadInput, Damaged
from grainline.indexing.pipeline import IndexOptions
from grainline.model.position import LineSpan
from grainline.model.search import SearchOptions, State
from grainline.model.snapshot import Outcome
from grainline.snapshots import ReadOptions


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for number in range(4):
        (tmp_path / f"m{number}.py").write_text(
            f"def refund_{number}(order):\n    return refund(order, {number})\n"
        )
    return tmp_path


@pytest.mark.parametrize("chunker", CHUNKERS.names())
def test_a_line_is_where_it_stands_whatever_the_chunker(tmp_path: Path, chunker: str) -> None:
    text = "".join(f"value_{number} = {number}\n" for number in range(60))
    (tmp_path / "m.py").write_text(text)
    engine = Engine.open(MEMORY)
    engine.index(str(tmp_path), options=IndexOptions(chunker=chunker))
    assert engine.show("value_50").symbols[0].place.lines == LineSpan(51, 51)


@pytest.mark.parametrize("kind", ["folder", "repository"])
def test_a_tree_without_files_is_an_empty_index_and_told(tmp_path: Path, kind: str) -> None:
    tree = tmp_path / "shop"
    tree.mkdir()
    if kind == "repository":
        subprocess.run(["git", "init", "-q", str(tree)], check=True)
    engine = Engine.open(MEMORY)
    told = "nothing can be found in shop: it holds no file"
    assert engine.index(str(tree)).views[0].warnings == (told,)
    assert engine.search("refund").total == 0
    (tree / "a.py").write_text("def refund():\n    return 1\n")
    assert engine.index(str(tree)).views[0].warnings == ()
    assert engine.search("refund").total == 1
    (tree / "a.py").unlink()
    engine.refresh(engine.work_trees()[0])
    assert engine.search("refund").total == 0
    assert engine.index(str(tree)).views[0].warnings == (told,)


def test_a_tree_of_which_nothing_is_indexed_is_told(tree: Path) -> None:
    report = Engine.open(MEMORY).index(str(tree), read=ReadOptions(include=("none/**",)))
    assert report.views[0].warnings[0].endswith("none of its 4 paths is indexed")


def test_a_file_that_is_parsed_in_part_is_told_everywhere_alike(tree: Path) -> None:
    (tree / "torn.kt").write_text("fun ok() = 1\n\nfun ((( {\n\nfun fine() = 2\n")
    (tree / "whole.kt").write_text("fun ok() = 1\n")
    engine = Engine.open(MEMORY)
    (view,) = engine.index(str(tree)).views
    assert view.reasons == ((Outcome.INDEXED, "parsed_in_part", 1),)
    (ref,) = engine.status().repositories[0].refs
    assert ref.in_part == 1
    row = engine.why(b"torn.kt").row
    assert (row.outcome, row.reason) == (Outcome.INDEXED, "parsed_in_part")
    assert row.detail.startswith("lines 3-5 could not be parsed")
    assert engine.why(b"whole.kt").row.reason is None
    told = "1 file parsed in part: torn.kt; see why PATH"
    assert told in engine.scan().coverage.warnings
    assert told in engine.trace("ok", "m0.py").coverage.warnings


def test_a_changed_file_makes_room_for_the_next_result(tree: Path) -> None:
    engine = Engine.open(MEMORY)
    engine.index(str(tree))
    first = engine.search("refund order", options=SearchOptions(k=1)).hits[0].place.path
    (tree / first.decode()).write_text("nothing = 1\n")
    result = engine.search("refund order", options=SearchOptions(k=1))
    assert len(result.hits) == 1
    assert result.hits[0].place.path != first
    assert result.coverage.state is State.PARTIAL
    assert ("changed_since_indexed", 1) in result.coverage.not_covered
    assert result.total == 3


def test_pages_over_a_changed_file_bring_each_other_result_once(tree: Path) -> None:
    engine = Engine.open(MEMORY)
    engine.index(str(tree))
    (tree / "m1.py").unlink()
    seen, cursor = [], None
    for _ in range(10):
        page = engine.search("refund order", options=SearchOptions(k=1, cursor=cursor))
        seen += [hit.place.path for hit in page.hits]
        cursor = page.cursor
        if cursor is None:
            break
    assert sorted(seen) == [b"m0.py", b"m2.py", b"m3.py"]


def test_an_answer_over_a_work_tree_says_until_when_it_holds(tree: Path) -> None:
    engine = Engine.open(MEMORY)
    engine.index(str(tree))
    channels = dict(engine.search("refund").coverage.channels)
    assert channels["work_tree"].startswith("as indexed at 20")


@pytest.mark.parametrize("name", ["x\x1b[31m", "", " ", "x" * 201])
def test_a_label_that_no_policy_could_name_is_refused(tree: Path, name: str) -> None:
    engine = Engine.open(MEMORY)
    with pytest.raises(BadInput, match="cannot name a repository"):
        engine.index(str(tree), name=name)
    assert not engine.status().repositories
    engine.index(str(tree), name="x" * 200)
    assert engine.status().repositories[0].repository == "x" * 200


def test_a_folder_with_a_long_name_gets_a_label_that_a_policy_can_name(tmp_path: Path) -> None:
    engine = Engine.open(MEMORY)
    for above in ("one", "two"):
        folder = tmp_path / above / ("x" * 250)
        folder.mkdir(parents=True)
        (folder / "a.py").write_text(f"def {above}():\n    return 1\n")
        engine.index(str(folder))
    names = [each.repository for each in engine.status().repositories]
    assert len(set(names)) == 2
    assert all(is_name(name) for name in names)


def test_a_removed_repository_is_unknown(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = str(tmp_path_factory.mktemp("home"))
    engine = Engine.open(home)
    engine.index(str(tree), name="shop")
    engine.remove("shop")
    with pytest.raises(BadInput, match="holds no index"):
        engine.search("refund")
    with pytest.raises(BadInput, match="no repository is called 'shop'"):
        engine.remove("shop")


def test_an_index_of_other_terms_says_so_instead_of_finding_nothing(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine.open(MEMORY)
    engine.index(str(tree))
    monkeypatch.setattr("grainline.engine.TERMS_VERSION", 99)
    with pytest.raises(Damaged, match="indexed by another version"):
        engine.search("refund")


def test_an_index_of_another_version_is_told_by_status_and_replaced_by_the_next_run(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine.open(MEMORY)
    engine.index(str(tree))
    monkeypatch.setattr("grainline.indexing.setup.ANALYSIS_VERSION", 99)
    (row,) = engine.status().repositories[0].refs
    assert row.state == "of another version: index it again"
    with pytest.raises(BadInput, match="this version makes another one"):
        engine.refresh(engine.work_trees()[0])
    engine.index(str(tree))
    (row,) = engine.status().repositories[0].refs
    assert row.state == "ready"
