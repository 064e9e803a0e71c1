"""What a home need not keep goes, and the rest answers as before, in as little space as a rebuild."""

from __future__ import annotations

import subprocess

import pytest

from grainline.engine import Engine
from grainline.errors import BadInput
from grainline.indexing.pipeline import IndexOptions
from grainline.model.answers import Retention
from grainline.snapshots import ReadOptions

HERE = IndexOptions(workers=0)


def git(path, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(path), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def write(path, number):
    for file in range(12):
        words = " ".join(f"word_{number}_{file}_{at}" for at in range(300))
        (path / f"m{file}.py").write_text(f"def f_{number}_{file}():\n    return '{words}'\n")


@pytest.fixture
def repo(tmp_path):
    path = tmp_path / "repo"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    for number in range(4):
        write(path, number)
        git(path, "add", "-A")
        git(path, "commit", "-qm", f"c{number}")
        git(path, "branch", f"b{number}")
    return path


@pytest.fixture
def engine(tmp_path):
    return Engine.open(str(tmp_path / "home"))


def refs(engine):
    return [ref.ref for row in engine.status().repositories for ref in row.refs]


def rebuilt(tmp_path, repo, wanted):
    fresh = Engine.open(str(tmp_path / "fresh"))
    fresh.index(str(repo), refs=wanted, options=HERE)
    return fresh


def test_a_branch_that_is_gone_ends_and_its_space_comes_back(tmp_path, repo, engine):
    engine.index(str(repo), refs=("b0", "b1", "b2", "b3"), options=HERE)
    for name in ("b0", "b1", "b2"):
        git(repo, "branch", "-D", name)
    before = list(engine.dump(engine.scope(refs=("b3",))))
    report = engine.gc()
    assert [each.ref for each in report.ended] == [f"refs/heads/b{n}" for n in range(3)]
    assert report.after < report.before
    assert list(engine.dump(engine.scope(refs=("b3",)))) == before
    fresh = rebuilt(tmp_path, repo, ("b3",))
    assert list(fresh.dump()) == before
    fresh.gc()
    assert report.after <= 1.05 * fresh.gc().after + 4096  # a page of SQLite more or less


def test_a_file_that_came_back_is_found_again_after_gc(repo, engine):
    engine.index(str(repo), refs=("b0", "b3"), options=HERE)
    git(repo, "branch", "-D", "b0")
    engine.gc()
    git(repo, "branch", "b0", "main~3")
    engine.index(str(repo), refs=("b0",), options=HERE)
    hits = engine.search("f_0_1", scope=engine.scope(refs=("b0",))).hits
    assert hits[0].symbol.name == "f_0_1"


def test_historic_views_are_kept_by_use(repo, engine):
    engine.index(str(repo), refs=("main",), options=HERE)
    commits = [git(repo, "rev-parse", f"b{number}") for number in range(3)]
    for commit in commits:
        engine.ensure((commit,), options=HERE)
    engine.search("f_0_1", scope=engine.scope(refs=(commits[0],)))  # the oldest is used last
    report = engine.gc(Retention(historic=2))
    assert [each.ref for each in report.ended] == [commits[1]]
    assert sorted(refs(engine)) == sorted(["refs/heads/main", commits[0], commits[2]])


def test_a_pinned_ref_stays(repo, engine):
    engine.index(str(repo), refs=("b0", "main"), options=HERE)
    git(repo, "branch", "-D", "b0")
    assert engine.gc(Retention(pinned=("b0",))).ended == ()


def test_a_quota_ends_historic_views_only(repo, engine):
    engine.index(str(repo), refs=("main",), options=HERE)
    engine.ensure((git(repo, "rev-parse", "b0"),), options=HERE)
    report = engine.gc(Retention(bytes=1))
    assert len(report.ended) == 1
    assert refs(engine) == ["refs/heads/main"]
    assert any("over the quota" in note for note in report.notes)


def test_what_no_repository_knows_is_not_ensured(repo, engine):
    engine.index(str(repo), refs=("main",), options=HERE)
    assert engine.ensure(("no-such-ref",), options=HERE) == ()
    assert engine.ensure(("main",), options=HERE) == (), "what is indexed stays as it is"
    with pytest.raises(BadInput):
        engine.scope(refs=("no-such-ref",))


def test_a_repository_that_cannot_be_read_keeps_its_views(tmp_path, repo, engine):
    engine.index(str(repo), refs=("b0",), options=HERE)
    repo.rename(tmp_path / "elsewhere")
    report = engine.gc()
    assert report.ended == ()
    assert "could not be read" in report.notes[0]
    assert refs(engine) == ["refs/heads/b0"]


def test_a_corpus_that_is_open_outlives_gc(repo, engine):
    engine.index(str(repo), refs=("b0", "b3"), options=HERE)
    corpus = engine.corpus(engine.scope(refs=("b0",)))
    git(repo, "branch", "-D", "b0")
    other = Engine.open(engine.home)
    other.gc()
    texts = [corpus.text(entry) for entry in range(corpus.n_entries)]
    assert b"def f_0_0" in texts[0]


def test_a_ref_that_moved_on_says_so_in_every_answer(repo, engine):
    engine.index(str(repo), refs=("b0", "main"), options=HERE)
    scope = engine.scope(refs=("b0",))
    assert engine.search("f_0_1", scope=scope).coverage.warnings == ()
    git(repo, "branch", "-f", "b0", "main")
    for answer in (
        engine.search("f_0_1", scope=scope),
        engine.context("f_0_1", scope=scope),
        engine.show("f_0_1", scope=scope),
        engine.outline("m1.py", scope=scope),
    ):
        assert any("refs/heads/b0 is at" in text for text in answer.coverage.warnings)
    states = {ref.ref: ref.state for ref in engine.status().repositories[0].refs}
    assert states["refs/heads/b0"].startswith("behind: it is at")
    assert states["refs/heads/main"] == "ready"
    git(repo, "branch", "-D", "b0")
    (told,) = engine.search("f_0_1", scope=scope).coverage.warnings
    assert "gone from the repository" in told


def test_an_annotated_tag_has_not_moved(repo, engine):
    git(repo, "tag", "-a", "v1", "-m", "one", "b0")
    engine.index(str(repo), refs=("v1",), options=HERE)
    assert engine.search("f_0_1").coverage.warnings == ()


def test_a_ref_that_is_ensured_is_made_like_the_others(repo, engine):
    read = ReadOptions(exclude=("m0.py",))
    lines = IndexOptions(workers=0, chunker="lines")
    engine.index(str(repo), refs=("main",), options=lines, read=read)
    ((asked, report),) = engine.ensure(("main~1",), options=HERE)
    (view,) = report.views
    assert (asked, view.snapshot.ref) == ("main~1", None)
    scope = engine.scope(refs=(view.snapshot.commit, "main"))
    assert engine.search("f_3_1", scope=scope).hits, "both refs can be asked together"
    old = engine.scope(refs=(view.snapshot.commit,))
    assert b"m0.py" not in [hit.place.path for hit in engine.search("f_2_0", scope=old).hits]


def test_a_commit_that_a_branch_stands_on_can_be_named(repo, engine):
    engine.index(str(repo), refs=("b0", "main"), options=HERE)
    commit = git(repo, "rev-parse", "b0")
    assert (
        engine.scope(refs=(commit,))
        == engine.scope(refs=("b0",))
        == engine.scope(refs=(commit[:9],))
    )


def test_only_commits_are_pinned_by_their_first_digits(repo, engine):
    git(repo, "tag", "v1.0.1", "b0")
    engine.index(str(repo), refs=("v1.0.1", "main"), options=HERE)
    git(repo, "tag", "-d", "v1.0.1")
    report = engine.gc(Retention(pinned=("refs/tags/v1.0",)))
    assert [each.ref for each in report.ended] == ["refs/tags/v1.0.1"]
