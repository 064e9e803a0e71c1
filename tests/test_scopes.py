"""Names that people type become the views they mean, or an error that helps."""

from __future__ import annotations

import pytest

from grainline.access import Available, build_scope
from grainline.errors import BadInput
from grainline.model.access import WORKTREE, View
from grainline.model.snapshot import RepositoryId


def available(repository: str, ref: str, commit: str = "c" * 40) -> Available:
    view = View(repository=RepositoryId(repository), ref=ref)
    return Available(repository=repository, view=view, commit=commit)


HOME = (
    available("one", WORKTREE),
    available("one", "refs/heads/main"),
    available("one", "refs/tags/main"),
    available("one", "refs/tags/v1", "d" * 40),
    available("two", "HEAD"),
    available("three", "refs/heads/a"),
)


def refs(**asked: object) -> list[tuple[str, str]]:
    scope = build_scope(HOME, **asked)  # type: ignore[arg-type]
    return [(view.repository, view.ref) for view in scope.views]


def test_the_default_is_the_work_tree_else_head_else_the_only_ref() -> None:
    assert refs() == [("one", WORKTREE), ("three", "refs/heads/a"), ("two", "HEAD")]


def test_a_short_ref_means_the_full_one() -> None:
    assert refs(refs=("v1",)) == [("one", "refs/tags/v1")]
    assert refs(repositories=("one",), refs=("heads/main",)) == [("one", "refs/heads/main")]


def test_a_ref_with_two_meanings_is_refused_with_both() -> None:
    with pytest.raises(BadInput, match="refs/heads/main and refs/tags/main") as caught:
        refs(repositories=("one",), refs=("main",))
    assert caught.value.code == "ambiguous_ref"


def test_unknown_names_are_errors_with_what_there_is() -> None:
    with pytest.raises(BadInput, match="did you mean 'three'"):
        refs(repositories=("thre",))
    with pytest.raises(BadInput, match="'nope' is not indexed") as caught:
        refs(repositories=("two",), refs=("nope",))
    assert "HEAD" in caught.value.hint
    with pytest.raises(BadInput, match="'v9'"):
        refs(refs=("v1", "v9"))


def test_an_empty_home_says_what_to_run() -> None:
    with pytest.raises(BadInput, match="grainline index PATH"):
        build_scope(())


def test_a_ref_is_asked_for_when_several_could_be_meant() -> None:
    several = (available("x", "refs/heads/a"), available("x", "refs/heads/b"))
    with pytest.raises(BadInput, match="refs/heads/b") as caught:
        build_scope(several)
    assert caught.value.code == "ref_needed"
