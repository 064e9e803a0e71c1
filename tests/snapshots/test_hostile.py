"""The hostile corpus: what the reader gives for each case is what its manifest accepts."""

from __future__ import annotations

import base64
import hashlib

import pytest

from grainline.errors import GrainlineError
from grainline.model.snapshot import Mode, Reason
from grainline.snapshots import open_repository

GROUPS = ("names", "links", "worktree", "metadata", "objects", "corrupt", "versions", "acl")
MODES = {
    "100644": Mode.FILE,
    "100755": Mode.EXECUTABLE,
    "120000": Mode.SYMLINK,
    "160000": Mode.SUBMODULE,
}


@pytest.fixture(scope="session")
def results(hostile):
    """(repo, ref) -> what reading it gave: path -> (entry, content or reason), or the error."""
    found = {}
    for case in hostile.manifest["cases"]:
        key = (case["repo"], case["ref"])
        if key not in found:
            found[key] = read_all(hostile.path / case["repo"], case["ref"])
    return found


def read_all(path, ref):
    try:
        with open_repository(str(path)) as repository:
            _, entries = repository.snapshot(ref or repository.default_refs()[0])
            return {entry.path: (entry, data) for entry, data, _ in repository.read(entries)}
    except GrainlineError as error:
        return error


@pytest.mark.parametrize("group", GROUPS)
def test_each_case_gives_an_accepted_outcome(hostile, results, group):
    cases = hostile.cases(group)
    wrong = {c["id"]: problem(c, results[c["repo"], c["ref"]]) for c in cases}
    assert cases
    assert {key: what for key, what in wrong.items() if what} == {}


def problem(case, result):
    """What is wrong with the result of a case, or None."""
    if isinstance(result, GrainlineError):
        fits = "refuse" in case["accept"] and result.code == case["reason"]
        return None if fits else f"refused: {result}"
    path = path_of(case)
    if path is None:
        return problem_of_situation(case, result)
    if path not in result:
        return "not listed"
    entry, data = result[path]
    if "mode" in case and entry.mode is not MODES[case["mode"]]:
        return f"mode {entry.mode}"
    if isinstance(data, Reason):
        fits = "skip" in case["accept"] and data == case["reason"]
        return None if fits else f"skipped: {data}"
    return problem_of_content(case, data)


def path_of(case):
    if "path_b64" in case:
        return base64.b64decode(case["path_b64"])
    return case["path"].encode() if case.get("path") else None


def problem_of_situation(case, result):
    reasons = {data for _, data in result.values() if isinstance(data, Reason)}
    if case.get("gone", "").encode() in result:
        return "a path that is gone is listed"
    if "index" in case["accept"] or ("skip" in case["accept"] and case["reason"] in reasons):
        return None
    return f"read, with reasons {sorted(reasons)}"


def problem_of_content(case, data):
    if not {"index", "index_as_text"} & set(case["accept"]):
        return "read, but must not be"
    if "sha256" in case and hashlib.sha256(data).hexdigest() != case["sha256"]:
        return "other bytes"
    if case["canary"] and case["canary"].encode() not in data and not case.get("encoding"):
        return "the canary is not there"
    return None


def test_paths_equal_those_of_git_on_every_branch(hostile, results):
    for (repo, ref), result in results.items():
        if repo != "hostile.git" or isinstance(result, GrainlineError):
            continue
        assert sorted(result) == sorted(git_paths(hostile.path / repo, ref)), ref


def git_paths(path, ref):
    from subprocess import run

    listing = run(
        ("git", "--git-dir", str(path), "ls-tree", "-r", "-z", "--name-only", ref),
        capture_output=True,
        check=True,
    )
    return listing.stdout.split(b"\0")[:-1]


def test_one_name_shows_its_own_version_on_each_ref(hostile, results):
    (case,) = [c for c in hostile.cases("versions") if "per_ref" in c]
    for ref, word in case["per_ref"].items():
        read = read_all(hostile.path / case["repo"], ref)
        assert word.encode() in read[b"src/refund.py"][1]


def test_nothing_outside_a_repository_is_ever_read(hostile, results):
    word = hostile.manifest["outside_secret"].encode()
    for key, result in results.items():
        if not isinstance(result, GrainlineError):
            held = [
                p for p, (_, data) in result.items() if isinstance(data, bytes) and word in data
            ]
            assert held == [], key


def test_an_error_names_the_ref_or_the_path(hostile, results):
    for (repo, ref), result in results.items():
        if isinstance(result, GrainlineError):
            named = ref or repo
            assert named.rpartition("/")[2] in str(result) or repo.rpartition("/")[2] in str(result)


def test_no_trap_fired_and_nothing_changed(hostile, results):
    assert results
    assert hostile.problems() == []
