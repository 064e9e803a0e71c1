"""The hostile corpus, end to end: index all of it, then hold every promise against it."""

from __future__ import annotations

import numpy as np
import pytest

from grainline.storage import store as stores


@pytest.fixture(scope="module")
def done(hostile, score, tmp_path_factory):
    return score.run(hostile, tmp_path_factory.mktemp("homes"))


def test_every_case_has_an_accepted_outcome_with_its_reason(done, score):
    assert score.outcome_problems(done) == []


def test_a_refusal_names_what_it_refused_and_writes_nothing(done, score):
    assert len(done.refusals) > 10
    assert score.refusal_problems(done) == []


def test_the_outcomes_are_the_paths_that_git_lists(done, score):
    assert score.count_problems(done) == []


def test_every_canary_is_found_at_its_path_and_line_or_not_at_all(done, score):
    assert score.canary_problems(done) == []


def test_decoded_text_is_found(done, score):
    assert score.also_find_problems(done) == []


def test_flags_encodings_and_refs_are_as_the_corpus_says(done, score):
    assert score.fact_problems(done) == []


def test_one_stuffed_file_does_not_fill_the_first_page(done, score):
    assert score.stuffing_problems(done) == []


def test_chunks_joined_give_back_the_stored_bytes(done, score):
    assert score.tiling_problems(done) == []


def test_citations_read_back_as_the_text_they_came_with(done, score):
    words = [
        case["canary"] for case in done.cases if case["canary"] and case["ref"] == score.MAIN[1]
    ]
    assert len(words) > 100
    assert score.citation_problems(done, words[::4]) == []


def test_no_secret_and_nothing_outside_the_repository_is_kept_or_said(done, score):
    assert score.never_find_problems(done) == []


def test_no_trap_fired_and_nothing_in_the_repositories_changed(done, score, hostile):
    assert ", 0 problems" in score.check(hostile)


@pytest.fixture(scope="module")
def guarded(hostile, acl, tmp_path_factory):
    return acl.run(hostile, tmp_path_factory.mktemp("guarded"))


def test_insider_outsider_and_nobody_read_what_the_manifest_says(guarded, acl):
    assert len(guarded.cases) == 8
    assert acl.reading_problems(guarded) == []


def test_nothing_shown_to_an_outsider_holds_a_restricted_word(guarded, acl):
    assert acl.leak_problems(guarded) == []


def test_removing_what_an_outsider_may_not_read_changes_none_of_its_answers(guarded, acl):
    assert acl.removal_problems(guarded) == []


def test_the_checks_of_access_find_a_missing_filter(guarded, acl, monkeypatch):
    monkeypatch.setattr(stores, "readable", lambda *args: np.ones(len(args[3]), np.bool_))
    monkeypatch.setattr(acl, "EVERY", 1 << 20)  # the files with an access list are enough
    guarded.engine.set_policy(guarded.engine.policy())  # what is kept belongs to the old epoch
    assert acl.reading_problems(guarded)
    assert acl.leak_problems(guarded)
    assert acl.removal_problems(guarded)
    monkeypatch.undo()
    guarded.engine.set_policy(guarded.engine.policy())
