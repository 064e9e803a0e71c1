"""Scores the access rules of the hostile corpus: who is answered what, and what removal changes."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grainline import Engine
from grainline.access.policy import parse_policy
from grainline.errors import BadInput
from grainline.model.access import Scope
from grainline.model.search import SearchOptions
from grainline.retrieval.hits import version_of
from grainline.surfaces.cli.questions import Question, Verb, about, answer

Case = dict[str, Any]

MAIN = "refs/heads/main"
FORBIDDEN = "acl/restricted"  # what `outsider` may not read, by the manifest
EVERY = 12  # of the other files is asked about
_SLOW = frozenset({Verb.CONTEXT, Verb.PASTED, Verb.AT})  # files of strange shape answer these
_PLACE = re.compile(rb"/[^\"]*/[12]/files")
_CURSOR = re.compile(rb'"cursor":"[\w-]+"')  # holds the identity of the repository: its place
_MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT[\d:]+Z")


@dataclass
class Acl:
    """The corpus under its policy, and the same without the files that `outsider` may not read."""

    manifest: dict[str, Any]
    engine: Engine
    removed: Engine

    @property
    def cases(self) -> list[Case]:
        """The cases with an access list."""
        return [case for case in self.manifest["cases"] if case["group"] == "acl"]

    def scope(self, principal: str) -> Scope | None:
        """What a principal sees; None when that is nothing."""
        try:
            return self.engine.scope(principal=principal)
        except BadInput:
            return None


def run(out: Path, work: Path) -> Acl:
    """Index the files of the main branch in two homes: all under the policy, and without some.

    Plain folders, for no commit stands in their answers: those have to be equal as they are.
    """
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    engine, removed = (Engine.open(str(work / name)) for name in ("whole", "removed"))
    engine.index(str(_files(out / "hostile.git", work / "1")), name="hostile")
    engine.set_policy(parse_policy(json.dumps(manifest["acl"]).encode(), "manifest.json"))
    fewer = _files(out / "hostile.git", work / "2")
    shutil.rmtree(fewer / FORBIDDEN)
    removed.index(str(fewer), name="hostile")
    return Acl(manifest, engine, removed)


def _files(repository: Path, work: Path) -> Path:
    """The files of the main branch as a folder."""
    folder = work / "files"
    folder.mkdir(parents=True)
    at = ("--git-dir", repository, "--work-tree", folder)
    index = {"GIT_INDEX_FILE": str(work / "index")}
    _git(*at, "read-tree", MAIN, **index)
    _git(*at, "checkout-index", "--all", **index)
    return folder


def _git(*args: str | Path, **more: str) -> None:
    quiet = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(
        ["git", *args],
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **quiet, **more},
    )


def _path(case: Case) -> bytes:
    return base64.b64decode(case["path_b64"])


# ------------------------------------------------------------------ problems


def reading_problems(done: Acl) -> list[str]:
    """Cases that someone finds and may not, or may and does not."""
    found: list[str] = []
    for principal, groups in done.manifest["acl"]["users"].items():
        scope = done.scope(principal)
        if (scope is None) != (not groups):
            found.append(f"{principal}: sees {scope}")
        for case in done.cases if scope is not None else ():
            may = not set(groups).isdisjoint(case["acl"]["groups"])
            if _is_read(done.engine, scope, case) != may:
                found.append(f"{principal}: {case['id']} is {'not ' if may else ''}read")
    return found


def _is_read(engine: Engine, scope: Scope, case: Case) -> bool:
    """Whether a case is found by its own word, and has an outline; either both or neither."""
    path = _path(case)
    outlined = b'"error"' not in answer(engine, scope, Question(Verb.OUTLINE, path.decode()))
    if not case["canary"]:
        return outlined
    options = SearchOptions(k=50)
    hits = engine.search(case["canary"], scope=scope, options=options).hits
    here = [hit for hit in hits if hit.place.path == path and case["canary"] in hit.text]
    assert bool(here) == outlined, f"{case['id']}: half of it is read"
    return outlined


def leak_problems(done: Acl) -> list[str]:
    """Words that `outsider` must not see and that an answer to another question shows."""
    scope = done.scope("outsider")
    assert scope is not None
    words = {word for case in done.cases for word in case.get("never_find_for_outsiders", ())}
    words |= {case["canary"] for case in done.cases if case["acl"]["groups"] == ["team:payment"]}
    found: list[str] = []
    for question in questions(done):
        said = answer(done.engine, scope, question)
        found += [
            f"{question}: {word}"
            for word in words - {None}
            if word.encode() in said and word not in question.text
        ]
    return found


def removal_problems(done: Acl) -> list[str]:
    """Answers to `outsider` that change when what it may not read is really gone."""
    mine = done.scope("outsider")
    assert mine is not None
    theirs = replace(done.removed.scope(), epoch=mine.epoch, principal=mine.principal)
    found: list[str] = []
    for question in questions(done):
        ours = _neutral(answer(done.engine, mine, question))
        other = _neutral(answer(done.removed, theirs, question))
        if ours != other:
            found.append(f"{question}: {ours[:200]!r} / {other[:200]!r}")
    return found


def _neutral(said: bytes) -> bytes:
    """An answer apart from where the folder lies and when it was indexed."""
    return _CURSOR.sub(b"CURSOR", _MOMENT.sub(b"NOW", _PLACE.sub(b"ROOT", said)))


def questions(done: Acl) -> Iterator[Question]:
    """Questions from the files with an access list, and from some others of a usual shape."""
    yield Question(Verb.STATUS, "")
    yield Question(Verb.STATUS, "paths")
    corpus = done.engine.corpus(done.engine.scope())
    listed = {_path(case) for case in done.cases}
    for entry in range(corpus.n_entries):
        path = corpus.path(entry)
        if path in listed or (entry % EVERY == 0 and not path.startswith(b"shape/")):
            text = corpus.text(entry)[:2000].decode(corpus.encoding(entry), "replace")
            names = tuple(each.name for each in corpus.outline(entry)[:2])
            version = version_of(corpus.snapshot(entry), corpus.entry(entry))
            for question in about(path, text, names, version):
                if path in listed or question.verb not in _SLOW:
                    yield question
