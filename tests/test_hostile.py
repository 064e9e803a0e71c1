"""The hostile corpus, end to end: index all of it, then hold every promise against it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest


def _scorer():
    name = "script_score"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, Path(__file__).parent / "hostile" / "score.py"
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


score = _scorer()


@pytest.fixture(scope="module")
def done(hostile, tmp_path_factory):
    return score.run(hostile, tmp_path_factory.mktemp("homes"))


def test_every_case_has_an_accepted_outcome_with_its_reason(done):
    assert score.outcome_problems(done) == []


def test_a_refusal_names_what_it_refused_and_writes_nothing(done):
    assert len(done.refusals) > 10
    assert score.refusal_problems(done) == []


def test_the_outcomes_are_the_paths_that_git_lists(done):
    assert score.count_problems(done) == []


def test_every_canary_is_found_at_its_path_and_line_or_not_at_all(done):
    assert score.canary_problems(done) == []


def test_decoded_text_is_found(done):
    assert score.also_find_problems(done) == []


def test_flags_encodings_and_refs_are_as_the_corpus_says(done):
    assert score.fact_problems(done) == []


def test_one_stuffed_file_does_not_fill_the_first_page(done):
    assert score.stuffing_problems(done) == []


def test_chunks_joined_give_back_the_stored_bytes(done):
    assert score.tiling_problems(done) == []


def test_citations_read_back_as_the_text_they_came_with(done):
    words = [
        case["canary"] for case in done.cases if case["canary"] and case["ref"] == score.MAIN[1]
    ]
    assert len(words) > 100
    assert score.citation_problems(done, words[::4]) == []


def test_no_secret_and_nothing_outside_the_repository_is_kept_or_said(done):
    assert score.never_find_problems(done) == []


def test_no_trap_fired_and_nothing_in_the_repositories_changed(done, hostile):
    assert ", 0 problems" in score.check(hostile)
