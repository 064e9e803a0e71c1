"""Reading commits: any repository git can make, and some it would not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from grainline.errors import BadInput, Refused
from grainline.model.snapshot import FlagName, Mode, Reason, standing
from grainline.snapshots import ReadOptions, estimate, open_repository

FILES = {"a.py": "a = 1\n", "pkg/b.py": "b = 2\n", "pkg/deep/c.py": "c = 3\n"}


def contents(found):
    return {path: data for path, (_, data) in found.items()}


def expected(files):
    return {name.encode(): text.encode() for name, text in files.items()}


# --------------------------------------------------------------------------- kinds of repository


def test_a_bare_clone_and_its_work_tree_hold_the_same_files(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    git("clone", "-q", "--bare", ".", "../bare.git")
    assert contents(look(git.path.parent / "bare.git")) == expected(FILES)
    assert contents(look(git.path, "HEAD")) == expected(FILES)
    assert contents(look(git.path)) == expected(FILES)


def test_a_sha256_repository_is_read_with_its_own_ids(new_repository, look):
    git = new_repository("new", "--object-format=sha256")
    git.commit(FILES)
    found = look(git.path, "main")
    assert contents(found) == expected(FILES)
    assert {len(entry.raw_id) for entry, _ in found.values()} == {32}
    assert look(git.path)[b"a.py"][0].raw_id == found[b"a.py"][0].raw_id


def test_packed_and_loose_objects_read_the_same(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    loose = look(git.path, "HEAD")
    git("gc", "-q", "--aggressive", "--prune=now")
    git("pack-refs", "--all")
    assert look(git.path, "HEAD") == loose
    assert look(git.path, "main") == loose


def test_a_shallow_clone_is_read_and_its_missing_history_said(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    git.commit({"a.py": "a = 2\n"})
    git("clone", "-q", "--depth=1", f"file://{git.path}", "../shallow")
    shallow = git.path.parent / "shallow"
    assert contents(look(shallow, "HEAD")) == expected({**FILES, "a.py": "a = 2\n"})
    with pytest.raises(BadInput, match=r"unknown_ref.*shallow"):
        look(shallow, "HEAD~1")


def test_a_partial_clone_reports_the_blobs_that_are_not_here(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    git("config", "uploadpack.allowFilter", "true")
    source = f"file://{git.path}"
    git("clone", "-q", "--filter=blob:none", "--no-checkout", source, "../partial")
    found = look(git.path.parent / "partial", "HEAD")
    assert set(contents(found).values()) == {Reason.MISSING_OBJECT}
    assert sorted(found) == sorted(expected(FILES))


def test_a_sparse_clone_shows_what_is_on_disk(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    git("sparse-checkout", "set", "--no-cone", "/pkg/deep/")
    assert list(look(git.path)) == [b"pkg/deep/c.py"]
    assert contents(look(git.path, "HEAD")) == expected(FILES)


def test_a_linked_work_tree_has_its_own_head(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    git("worktree", "add", "-q", "-b", "other", "../linked")
    linked = git.path.parent / "linked"
    (linked / "a.py").write_text("linked = 1\n")
    assert contents(look(linked))[b"a.py"] == b"linked = 1\n"
    assert contents(look(linked, "HEAD")) == contents(look(git.path, "main"))
    with open_repository(str(linked)) as one, open_repository(str(git.path)) as two:
        assert one.record.id != two.record.id
        assert one.snapshot("HEAD")[0].commit == two.snapshot("other")[0].commit


def test_a_folder_of_a_monorepo_holds_only_what_is_below_it(new_repository, look):
    git = new_repository()
    git.commit(FILES | {"pkg2/d.py": "d\n"})
    below = {b"pkg/b.py": b"b = 2\n", b"pkg/deep/c.py": b"c = 3\n"}
    assert contents(look(git.path / "pkg", "HEAD")) == below
    assert contents(look(git.path / "pkg")) == below
    with open_repository(str(git.path / "pkg")) as repository:
        assert (repository.record.prefix, repository.record.name) == (b"pkg", "repo/pkg")


def test_a_folder_that_a_commit_lacks_is_said(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    git.write_all({"new/x.py": "x\n"})
    with pytest.raises(BadInput, match=r"not_found.*'new'"):
        look(git.path / "new", "HEAD")
    assert list(look(git.path / "new")) == [b"new/x.py"]


def test_the_metadata_folder_itself_is_a_bare_repository(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    assert contents(look(git.path / ".git")) == expected(FILES)
    with pytest.raises(BadInput, match=r"not_a_repository.*metadata"):
        look(git.path / ".git" / "objects")


# --------------------------------------------------------------------------- names of commits


def test_every_way_to_name_a_commit(new_repository):
    git = new_repository()
    first = git.commit(FILES)
    second = git.commit({"a.py": "a = 2\n"})
    git("tag", "light", first)
    git("tag", "-a", "-m", "x", "heavy", first)
    git("update-ref", "refs/remotes/origin/dev", first)
    git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev")
    names = {
        "HEAD": ("HEAD", second),
        "@": ("HEAD", second),
        "main": ("refs/heads/main", second),
        "heads/main": ("refs/heads/main", second),
        "refs/heads/main": ("refs/heads/main", second),
        "alias": ("refs/heads/alias", second),
        "light": ("refs/tags/light", first),
        "heavy": ("refs/tags/heavy", first),
        "origin/dev": ("refs/remotes/origin/dev", first),
        "origin": ("refs/remotes/origin/HEAD", first),
        first: (None, first),
        first[:8]: (None, first),
        "main~1": (None, first),
        "HEAD^": (None, first),
    }
    for packed in (False, True):
        if packed:
            git("pack-refs", "--all")
        with open_repository(str(git.path)) as repository:
            found = {name: repository.snapshot(name)[0] for name in names}
        assert {n: (s.ref, s.commit) for n, s in found.items()} == names


@pytest.mark.parametrize(
    "name",
    ["nope", "../x", "refs/heads/../../config", "-x", "", "a..b", "main:a.py", "0" * 40, "main@{1}",
     ":/x", "main^{tree}", "a\nb", "HEAD~x", "ORIG_HEAD", "config", "\udcff"],
)  # fmt: skip
def test_what_names_no_commit_is_an_error(new_repository, look, name):
    git = new_repository()
    git.commit(FILES)
    with pytest.raises(BadInput, match=r"unknown_ref.*there are: main"):
        look(git.path, name)


def test_a_short_name_of_two_commits_is_refused_and_of_one_taken(new_repository, look):
    git = new_repository()
    first = git.commit(FILES)
    git("tag", "main")
    assert look(git.path, "main")
    git.commit({"a.py": "a = 2\n"})
    with pytest.raises(BadInput, match=r"ambiguous_ref.*refs/tags/main, refs/heads/main"):
        look(git.path, "main")
    assert look(git.path, "refs/tags/main") == look(git.path, first)


def test_a_tag_of_a_tree_is_no_commit(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    git("tag", "tree", "HEAD^{tree}")
    with pytest.raises(BadInput, match=r"not_a_commit.*tree"):
        look(git.path, "tree")


def test_a_repository_without_a_commit_says_so_and_its_work_tree_is_read(new_repository, look):
    git = new_repository()
    with pytest.raises(BadInput, match="no_commit"):
        look(git.path, "HEAD")
    git.write_all(FILES)
    assert contents(look(git.path)) == expected(FILES)


def test_a_symbolic_ref_loop_ends(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    heads = git.path / ".git" / "refs" / "heads"
    (heads / "a").write_text("ref: refs/heads/b\n")
    (heads / "b").write_text("ref: refs/heads/a\n")
    with pytest.raises(BadInput, match="unknown_ref"):
        look(git.path, "a")


def test_a_ref_file_that_links_out_is_not_followed(new_repository, look):
    git = new_repository()
    commit = git.commit(FILES)
    outside = git.path.parent / "outside"
    outside.write_text(commit + "\n")
    (git.path / ".git" / "refs" / "heads" / "evil").symlink_to(outside)
    with pytest.raises(BadInput, match="unknown_ref"):
        look(git.path, "evil")


# --------------------------------------------------------------------------- metadata that lies


def test_borrowed_objects_need_leave_and_then_work(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    git("clone", "-q", "-s", ".", "../borrower")
    borrower = git.path.parent / "borrower"
    with pytest.raises(Refused, match=r"outside_tree.*--allow-alternate"):
        look(borrower)
    with pytest.raises(Refused, match="outside_tree"):
        look(borrower, allow_alternates=(str(git.path.parent / "rep"),))
    assert contents(look(borrower, "HEAD", allow_alternates=(str(git.path),))) == expected(FILES)


def test_an_alternate_that_appears_later_is_refused_too(new_repository):
    git = new_repository()
    git.commit(FILES)
    other = new_repository("other")
    with open_repository(str(git.path)) as repository:
        _, entries = repository.snapshot("HEAD")
        (git.path / ".git/objects/info/alternates").write_text(f"{other.path}/.git/objects\n")
        with pytest.raises(Refused, match="outside_tree"):
            repository.snapshot("HEAD")
    assert entries


@pytest.mark.parametrize("place", ["objects", "objects/pack", "refs", "."])
def test_metadata_that_links_elsewhere_is_refused(new_repository, look, place):
    victim = new_repository("victim")
    victim.commit({"secret.py": "secret\n"})
    git = new_repository()
    git.commit(FILES)
    target = git.path / ".git" / place
    shutil.rmtree(target)
    target.symlink_to(victim.path / ".git" / place)
    with pytest.raises(Refused, match="outside_tree"):
        look(git.path, "HEAD")


def test_a_single_object_that_links_elsewhere_is_refused(new_repository, look):
    victim = new_repository("victim")
    commit = victim.commit({"secret.py": "secret\n"})
    git = new_repository()
    git.commit(FILES)
    folder = git.path / ".git" / "objects" / commit[:2]
    folder.mkdir(exist_ok=True)
    (folder / commit[2:]).symlink_to(victim.path / ".git" / "objects" / commit[:2] / commit[2:])
    with pytest.raises(Refused, match="outside_tree"):
        look(git.path, commit)


def test_a_pipe_in_the_object_store_is_refused(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    os.mkfifo(git.path / ".git" / "objects" / "pack" / "pack-1.idx")
    with pytest.raises(Refused, match=r"corrupt_object.*pack-1\.idx"):
        look(git.path, "HEAD")


def test_a_clone_without_trees_shows_its_work_tree(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    for name in ("HEAD:pkg", "HEAD^{tree}"):
        tree = git.line("rev-parse", name)
        (git.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    assert contents(look(git.path)) == expected(FILES)
    with open_repository(str(git.path)) as repository:
        snapshot, entries = repository.snapshot("WORKTREE")
        other, _ = repository.deviations(snapshot.commit, entries)
        assert other == {entry.path for entry in entries}, "what is equal cannot be known"


def test_a_git_file_that_points_to_another_repository_is_refused(new_repository, look, tmp_path):
    victim = new_repository("victim")
    victim.commit({"secret.py": "secret\n"})
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / ".git").write_text(f"gitdir: {victim.path}/.git\n")
    with pytest.raises(Refused, match="outside_tree"):
        look(evil, "HEAD")


def test_a_common_directory_that_points_to_another_repository_is_refused(new_repository, look):
    victim = new_repository("victim")
    victim.commit({"secret.py": "secret\n"})
    git = new_repository()
    git.commit(FILES)
    (git.path / ".git" / "commondir").write_text(f"{victim.path}/.git\n")
    with pytest.raises(Refused, match="outside_tree"):
        look(git.path, "HEAD")


def test_a_submodule_is_skipped_and_readable_by_itself(new_repository, look):
    inner = new_repository("inner")
    inner.commit(FILES)
    git = new_repository()
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    git.commit({"a.py": "a\n"})
    for ref in ("HEAD", "WORKTREE"):
        entry, reason = look(git.path, ref)[b"sub"]
        assert (entry.mode, reason) == (Mode.SUBMODULE, Reason.SUBMODULE)
    assert contents(look(git.path / "sub")) == expected(FILES)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("[core]\nrepositoryformatversion = 1\n[extensions]\nrefStorage = reftable\n", "reftable"),
        ("[core]\nrepositoryformatversion = 1\n[extensions]\nshinyThing = yes\n", "shinything"),
        ("[core]\nrepositoryformatversion = 2\n", "version '2'"),
    ],
    ids=["reftable", "unknown", "version"],
)
def test_a_format_that_is_not_read_is_refused_by_name(new_repository, look, config, said):
    git = new_repository()
    git.commit(FILES)
    (git.path / ".git" / "config").write_text(config)
    with pytest.raises(Refused, match=rf"unsupported_extension.*{said}"):
        look(git.path, "HEAD")


def test_a_malformed_config_is_refused_and_a_strange_one_read(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    config = git.path / ".git" / "config"
    config.write_text('[a "b\\"c]d"] x = "q # \\" \\\n z" ; c\n\ty\n[core]bare=no\n# end')
    assert contents(look(git.path, "HEAD")) == expected(FILES)
    config.write_text("[core\nx = 1\n")
    with pytest.raises(Refused, match="unsafe_config"):
        look(git.path, "HEAD")


def test_the_callers_environment_does_not_reach_git(new_repository, look, monkeypatch):
    git = new_repository()
    git.commit(FILES)
    mark = git.path.parent / "fired"
    hook = git.path.parent / "hook"
    hook.write_text(f"#!/bin/sh\n: > {mark}\n")
    hook.chmod(0o755)
    settings = {"core.fsmonitor": str(hook), "core.excludesFile": str(git.path / "x")}
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
    for number, (key, value) in enumerate(settings.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    (git.path / "x").write_text("*.py\n")
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/nonexistent")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent")
    git.write_all({"new.py": "new\n"})
    assert {*look(git.path)} == {*expected(FILES), b"x", b"new.py"}
    assert contents(look(git.path, "HEAD")) == expected(FILES)
    assert not mark.exists()


def test_a_git_beside_the_repository_is_not_run(new_repository, look, monkeypatch):
    git = new_repository()
    git.commit(FILES)
    mark = git.path.parent / "fired"
    program = git.path / "git"
    program.write_text(f"#!/bin/sh\n: > {mark}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", "." + os.pathsep + os.pathsep + os.environ["PATH"])
    monkeypatch.chdir(git.path)
    assert look(".", "HEAD")
    assert not mark.exists()


# --------------------------------------------------------------------------- damage and limits


def break_blob(git, name, how):
    blob = git.line("rev-parse", f"HEAD:{name}")
    path = git.path / ".git" / "objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:20] if how == "cut" else b"junk")


def test_broken_blobs_among_many_are_each_reported(new_repository, look):
    git = new_repository()
    git.commit({f"f{i:04}.py": f"x = {i}\n" * 50 for i in range(300)})
    broken = {b"f0000.py": "cut", b"f0001.py": "cut", b"f0150.py": "junk", b"f0299.py": "gone"}
    for name, how in broken.items():
        break_blob(git, name.decode(), how)
    found = contents(look(git.path, "HEAD"))
    reasons = {name: data for name, data in found.items() if isinstance(data, Reason)}
    assert reasons == {
        name: Reason.MISSING_OBJECT if how == "gone" else Reason.CORRUPT_OBJECT
        for name, how in broken.items()
    }
    assert all(
        data == b"x = %d\n" % int(name[1:5]) * 50
        for name, data in found.items()
        if name not in broken
    )


def test_a_damaged_pack_is_called_corrupt_not_missing(new_repository, look):
    git = new_repository()
    git.commit({"a.py": os.urandom(5000), "b.py": "b\n"})
    git("gc", "-q", "--prune=now")
    (pack,) = (git.path / ".git" / "objects" / "pack").glob("*.pack")
    pack.chmod(0o644)
    data = bytearray(pack.read_bytes())
    middle = data.index(bytes(git("cat-file", "blob", "HEAD:a.py")[2000:2100]))
    data[middle : middle + 100] = bytes(100)
    pack.write_bytes(data)
    assert contents(look(git.path, "HEAD"))[b"a.py"] is Reason.CORRUPT_OBJECT


def test_a_missing_tree_is_refused_by_id(new_repository, look):
    git = new_repository()
    git.commit(FILES)
    tree = git.line("rev-parse", "HEAD:pkg/deep")
    (git.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(Refused, match=rf"missing_object.*{tree}"):
        look(git.path, "HEAD")


def test_files_above_the_limit_are_never_read(new_repository, look):
    git = new_repository()
    git.commit({"big.txt": "x" * 1001, "fits.txt": "x" * 1000})
    for ref in ("HEAD", "WORKTREE"):
        found = look(git.path, ref, max_file_bytes=1000)
        assert found[b"big.txt"][1] is Reason.TOO_LARGE
        assert found[b"fits.txt"][1] == b"x" * 1000


def test_a_blob_larger_than_asked_for_is_not_taken(new_repository):
    git = new_repository()
    git.commit({"big.txt": "x" * 100_000, "small.txt": "y"})
    with open_repository(str(git.path)) as repository:
        ids = {e.path: e.raw_id for e in repository.snapshot("HEAD")[1]}
        assert repository.read_blob(ids[b"big.txt"], 99_999) is Reason.TOO_LARGE
        assert repository.read_blob(ids[b"small.txt"], 99_999) == b"y"
        assert repository.read_blob(ids[b"big.txt"], 100_000) == b"x" * 100_000


@pytest.mark.parametrize("ref", ["HEAD", "WORKTREE"])
def test_more_files_than_allowed_are_refused(new_repository, look, ref):
    git = new_repository()
    git.commit({f"d{i}/f.py": "" for i in range(20)})
    assert len(look(git.path, ref, max_files=40)) == 20
    with pytest.raises(Refused, match="too_many_files"):
        look(git.path, ref, max_files=19)


def test_paths_longer_than_allowed_are_skipped(new_repository, look):
    git = new_repository()
    git.commit({"a" * 50: "x", "short": "y"})
    found = contents(look(git.path, "HEAD", max_path_bytes=49))
    assert found == {b"a" * 50: Reason.PATH_TOO_LONG, b"short": b"y"}


@pytest.mark.parametrize("ref", ["HEAD", "WORKTREE"])
def test_include_and_exclude_skip_by_pattern_and_list_what_they_skip(new_repository, look, ref):
    git = new_repository()
    git.commit(FILES | {"pkg/deep/d.txt": "d"})
    found = contents(look(git.path, ref, include=("pkg/**",), exclude=("*.txt", "/pkg/deep/c.*")))
    read = {path for path, data in found.items() if data is not Reason.EXCLUDED}
    assert read == {b"pkg/b.py"}
    assert len(found) == 4


@pytest.mark.parametrize("option", ["include", "exclude"])
@pytest.mark.parametrize("pattern", ["", "/", "[", "a//b", "[z-a].py"])
def test_a_pattern_that_fits_no_path_is_refused(new_repository, look, option, pattern):
    git = new_repository()
    git.commit(FILES)
    with pytest.raises(BadInput, match=rf"bad_glob\].*{option} .* can be no path"):
        look(git.path, "HEAD", **{option: (pattern,)})


def test_reading_may_be_left_and_nested(new_repository):
    git = new_repository()
    git.commit({f"f{i:03}.py": f"x = {i}\n" for i in range(300)})
    with open_repository(str(git.path)) as repository:
        _, entries = repository.snapshot("HEAD")
        for number, (entry, data, _) in enumerate(repository.read(entries)):
            assert repository.read_blob(entry.raw_id, 100) == data
            if number == 250:
                break
        again = [data for _, data, _ in repository.read(reversed(entries))]
        assert again == [b"x = %d\n" % i for i in reversed(range(300))]


def test_the_temporary_folder_goes_away(new_repository, tmp_path, monkeypatch):
    git = new_repository()
    git.commit(FILES)
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    with open_repository(str(git.path)) as repository:
        repository.snapshot("HEAD")
        assert list(place.iterdir())
    assert not list(place.iterdir())


# --------------------------------------------------------------------------- what is not indexed


def test_the_home_folder_and_its_parents_need_leave(new_repository, look, monkeypatch, tmp_path):
    home = tmp_path / "users" / "me"
    home.mkdir(parents=True)
    (home / "x.py").write_text("x\n")
    monkeypatch.setenv("HOME", str(home))
    for path in (home, home.parent, Path("/")):
        with pytest.raises(Refused, match="home_folder"):
            look(path)
    assert list(look(home, allow_home=True)) == [b"x.py"]


def test_a_folder_of_repositories_needs_leave(new_repository, look, tmp_path):
    for name in ("a", "b", "group/c"):
        new_repository(f"all/{name}").commit({"x.py": "x\n"})
    (tmp_path / "all" / "notes.txt").write_text("n\n")
    with pytest.raises(Refused, match="many_repositories"):
        look(tmp_path / "all")
    found = contents(look(tmp_path / "all", allow_home=True))
    nested = dict.fromkeys((b"a", b"b", b"group/c"), Reason.NESTED_REPOSITORY)
    assert found == nested | {b"notes.txt": b"n\n"}


def test_an_estimate_counts_what_will_be_read(new_repository):
    git = new_repository()
    git.commit({"a.py": "x" * 1000, "b.py": "y" * 24})
    (git.path / "link").symlink_to("a.py")
    git.commit()
    with open_repository(str(git.path)) as repository:
        cost = estimate(repository.snapshot("HEAD")[1])
    assert (cost.files, cost.skipped, cost.bytes, cost.large) == (2, 1, 1024, False)
    assert 0 < cost.seconds < 1


def test_attributes_of_the_snapshot_set_flags(new_repository):
    git = new_repository()
    git.commit({".gitattributes": "*.out linguist-generated\n", "a.out": "", "d/b.out": ""})
    git.commit({"d/.gitattributes": "b.out -linguist-generated\n"})
    for ref in ("HEAD", "WORKTREE"):
        with open_repository(str(git.path), ReadOptions()) as repository:
            flags = {
                e.path: [f.name for f in standing(e.flags)] for e in repository.snapshot(ref)[1]
            }
        assert flags[b"a.out"] == [FlagName.GENERATED]
        assert flags[b"d/b.out"] == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next(tmp_path, monkeypatch):
    from grainline.snapshots import git, scratch

    monkeypatch.setattr(git.tempfile, "tempdir", str(tmp_path))
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = tmp_path / f"{git.PREFIX}{dead.pid}-x"
    alive = tmp_path / f"{git.PREFIX}{os.getpid()}-x"
    foreign = tmp_path / "other-1-x"
    for folder in (left, alive, foreign):
        folder.mkdir()
    scratch.sweep.__wrapped__(git.PREFIX)
    assert not left.exists()
    assert alive.exists()
    assert foreign.exists()


def test_a_few_readers_wait_whatever_the_number_of_repositories(tmp_path):
    from grainline.snapshots import git

    made = [git.Git(None, git.Dialect()) for _ in range(2 * git.IDLE_READERS)]
    for each in made:
        each.read_one("0" * 40, limit=10)
    waiting = [each for each in made if each._idle is not None]
    assert waiting == made[-git.IDLE_READERS :], "those that were used last"
    made[0].read_one("0" * 40, limit=10)
    assert made[0]._idle is not None
    for each in made:
        each.close()
    assert not [each for each in made if id(each) in git._IDLE]
