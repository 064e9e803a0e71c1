"""The built-in sets: plain files and a recipe become a git repository.

A set is a folder below `builtin/`: `corpus/` holds its files, `questions.jsonl` its questions, and
where a set has branches or access rules `recipe.toml` says which files which commit holds, and
`policy.json` who reads what.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grainline.access.policy import parse_policy
from grainline.errors import BadInput
from grainline.lab.loose import Commit, Files, Objects
from grainline.model.access import Policy

BUILTIN = Path(__file__).parent / "builtin"
FIRST: dict[str, Any] = {
    "label": "first",
    "branch": "main",
    "date": datetime.fromisoformat("2024-01-01T00:00Z"),
}
_MADE = "__pycache__"  # what Python leaves beside the files of an installed package


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """One built-in repository in all its versions.

    `versions` maps each label, branch and tag to a commit id; `trees` each commit id to its files;
    `refs` holds full ref names; `policy` says who reads what, if there are rules.
    """

    name: str
    objects: Objects
    versions: Mapping[str, str]
    trees: Mapping[str, Files]
    refs: Mapping[str, str]
    policy: Policy | None = None

    @property
    def repository(self) -> str:
        """What questions call it: `builtin/NAME`."""
        return f"builtin/{self.name}"

    def files(self, version: str = "main") -> Files:
        """The files of a label, branch, tag or commit id.

        Raises:
            BadInput: there is no such version.
        """
        return self.trees[self.commit(version)]

    def commit(self, version: str = "main") -> str:
        """The commit id of a label, branch or tag."""
        found = self.versions.get(version, version)
        if found not in self.trees:
            raise BadInput("bad_dataset", f"no version {version!r}", subject=self.name)
        return found

    @property
    def views(self) -> tuple[str, ...]:
        """What is searched: branches, tags, and commits without either; empty for one commit."""
        if len(self.trees) == 1:
            return ()
        return (*map(_short, self.refs), *(id_ for id_ in self.trees if id_ not in self._named))

    def view(self, version: str) -> str | None:
        """The view of a version; None where there is only one."""
        if not self.views:
            return None
        return version if version in self.views else self.commit(version)

    @property
    def _named(self) -> frozenset[str]:
        return frozenset(self.refs.values())

    def write(self, mirror: Path) -> Path:
        """Write it below a folder of clones, where `find_clone` finds it; the repository."""
        folder = mirror / self.repository.replace("/", "+") / "repo"
        if not _holds(folder, self.refs):
            self.objects.write(folder, self.refs, "refs/heads/main")
        return folder


def corpus_names() -> tuple[str, ...]:
    """Every built-in set that has files of its own, sorted."""
    return tuple(sorted(path.parent.name for path in BUILTIN.glob("*/corpus")))


@cache
def corpus(name: str) -> Corpus:
    """The built-in repository called `name`.

    Raises:
        BadInput: there is none, or its recipe names what is not there.
    """
    folder = BUILTIN / name
    if name not in corpus_names():
        known = ", ".join(corpus_names())
        raise BadInput("not_found", f"no built-in corpus {name!r}", hint=f"known: {known}")
    recipe, rules = folder / "recipe.toml", folder / "policy.json"
    policy = parse_policy(rules.read_bytes(), rules.name) if rules.is_file() else None
    if not recipe.is_file():
        return _made(name, [FIRST | {"files": read_folder(folder / "corpus")}], policy)
    steps = tomllib.loads(recipe.read_text("utf-8"))["commits"]
    return _made(name, [_with_files(step, folder / "corpus") for step in steps], policy)


def read_folder(folder: Path) -> dict[bytes, bytes]:
    """Every file below a folder by its path, sorted; symbolic links are not followed."""
    return {
        path.relative_to(folder).as_posix().encode(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and _MADE not in path.parts
    }


def from_files(name: str, files: Files) -> Corpus:
    """A repository of one commit."""
    return _made(name, [FIRST | {"files": files}], None)


def from_versions(name: str, versions: Iterable[tuple[str, Files]]) -> Corpus:
    """A repository with a commit without parents for each version, a branch of its name; `main` is the last."""
    objects = Objects()
    seconds = int(FIRST["date"].timestamp())
    trees: dict[str, Files] = {}
    commits: dict[str, str] = {}
    for label, files in versions:
        commit = objects.commit(Commit(files=files, message=label, seconds=seconds))
        commits[label], trees[commit] = commit, files
    refs = {f"refs/heads/{label}": commit for label, commit in commits.items()}
    last = {"refs/heads/main": list(commits.values())[-1]}
    return Corpus(name=name, objects=objects, versions=commits, trees=trees, refs=refs | last)


def _holds(folder: Path, refs: Mapping[str, str]) -> bool:
    written = ((folder / ref, id_) for ref, id_ in refs.items())
    return all(path.is_file() and path.read_text("ascii").strip() == id_ for path, id_ in written)


def _short(ref: str) -> str:
    return ref.removeprefix("refs/heads/").removeprefix("refs/tags/")


def _with_files(step: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    return {**step, "files": read_folder(folder / step["lays"]) if "lays" in step else {}}


def _made(name: str, steps: Sequence[Mapping[str, Any]], policy: Policy | None) -> Corpus:
    """Commits in order. A branch grows from where it is, a new one from the label `from`."""
    objects = Objects()
    versions: dict[str, str] = {}
    trees: dict[str, Files] = {}
    refs: dict[str, str] = {}
    for step in steps:
        branch = f"refs/heads/{step['branch']}"
        start = refs.get(branch) or versions.get(step.get("from", ""))
        merged = tuple(versions[label] for label in step.get("merges", ()))
        files = {**(trees[start] if start else {}), **step["files"]}
        for path in step.get("removes", ()):
            del files[path.encode()]
        commit = objects.commit(
            Commit(
                files=files,
                message=step.get("message", step["label"]),
                seconds=int(step["date"].timestamp()),
                parents=(*((start,) if start else ()), *merged),
            )
        )
        trees[commit] = MappingProxyType(files)
        refs[branch] = versions[step["label"]] = versions[step["branch"]] = commit
        if "tag" in step:
            refs[f"refs/tags/{step['tag']}"] = versions[step["tag"]] = commit
    return Corpus(
        name=name, objects=objects, versions=versions, trees=trees, refs=refs, policy=policy
    )
