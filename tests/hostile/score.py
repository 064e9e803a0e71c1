"""Scores grainline against the hostile corpus: one list of problems for each promise.

The corpus says for each case which outcomes are right; everything here compares, nothing decides.
"""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grainline import Engine
from grainline.errors import GrainlineError
from grainline.model.access import Scope
from grainline.model.answers import PathRow
from grainline.model.search import Hit, SearchOptions
from grainline.model.snapshot import Outcome
from grainline.snapshots import open_repository

Case = dict[str, Any]
Key = tuple[str, str | None]

MAIN: Key = ("hostile.git", "refs/heads/main")
OUTCOME = {
    Outcome.INDEXED: "index",
    Outcome.INDEXED_AS_TEXT: "index_as_text",
    Outcome.SKIPPED: "skip",
    Outcome.FAILED: "failed",
}
GENERATOR = Path(__file__).with_name("make_hostile_repo.py")


def build(out: Path) -> None:
    """Make the corpus; it must not exist yet."""
    _generator(str(out))


def check(out: Path) -> str:
    """Ask the generator whether a trap fired or anything in the repositories changed."""
    return _generator(str(out), "--check")


def _generator(*args: str) -> str:
    done = subprocess.run(
        [sys.executable, str(GENERATOR), *args],
        check=False,
        text=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass
class View:
    """One indexed (repository, ref) and what its home said about it."""

    engine: Engine
    scope: Scope
    rows: dict[bytes, PathRow]


@dataclass
class Run:
    """Everything one run over the corpus brought: views, refusals, dumps, answers, log lines."""

    out: Path
    cases: list[Case]
    outside_secret: str
    views: dict[Key, View] = field(default_factory=dict)
    refusals: dict[Key, GrainlineError] = field(default_factory=dict)
    written: dict[Key, int] = field(default_factory=dict)
    dumps: dict[Key, str] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def keys(self) -> list[Key]:
        """Every (repository, ref) of the cases, main first."""
        return sorted({_key(case) for case in self.cases}, key=lambda key: (key != MAIN, str(key)))

    def view(self, case: Case) -> View | None:
        """The view of a case, None when its index run was refused."""
        return self.views.get(_key(case))

    def search(self, view: View, query: str, k: int = 50) -> tuple[Hit, ...]:
        """Hits of a query; their text is kept for `never_find`."""
        found = view.engine.search(query, scope=view.scope, options=SearchOptions(k=k))
        self.answers += [hit.text for hit in found.hits]
        return found.hits


def run(out: Path, homes: Path) -> Run:
    """Index every repository and ref of the corpus.

    Main goes alone into the first home, so that its dump shows what it alone brought; then the
    other refs and the work tree join it. Each trap has a home of its own.
    """
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    done = Run(out=out, cases=manifest["cases"], outside_secret=manifest["outside_secret"])
    shared = Engine.open(str(homes / "shared"))
    with _captured(done.log):
        for number, key in enumerate(done.keys()):
            is_trap = key[0].startswith("traps/")
            engine = Engine.open(str(homes / f"trap{number}")) if is_trap else shared
            _index(done, engine, key)
    return done


def _index(done: Run, engine: Engine, key: Key) -> None:
    repository, ref = key
    try:
        report = engine.index(str(done.out / repository), refs=(ref,) if ref else ())
    except GrainlineError as error:
        done.refusals[key] = error
        done.log.append(str(error))
        known = engine.status().repositories
        done.written[key] = len(known) if repository.startswith("traps/") else 0
        return
    name = report.views[0].repository
    scope = engine.scope(repos=(name,), refs=(ref,) if ref else ())
    status = engine.status(scope=scope, paths=True)
    (state,) = (row for repo in status.repositories for row in repo.refs)
    done.views[key] = View(engine, scope, {row.path: row for row in state.paths})
    done.dumps[key] = "\n".join(engine.dump(scope))


@contextlib.contextmanager
def _captured(lines: list[str]) -> Iterator[None]:
    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler = Keep(logging.DEBUG)
    logger = logging.getLogger("grainline")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def _key(case: Case) -> Key:
    return case["repo"], case["ref"]


def _path(case: Case) -> bytes | None:
    if case.get("path_b64"):
        return base64.b64decode(case["path_b64"])
    path = case.get("path")
    return path.encode() if path else None


# ------------------------------------------------------------------ outcomes


def outcome_problems(done: Run) -> list[str]:
    """Cases whose outcome is not in `accept`, or whose skip or refusal has another reason."""
    return [problem for case in done.cases for problem in _outcome_problems(done, case)]


def _outcome_problems(done: Run, case: Case) -> Iterator[str]:
    outcome, reason = _outcome(done, case)
    if outcome not in case["accept"]:
        yield f"{case['id']}: {outcome} ({reason}), accepted: {case['accept']}"
    elif outcome in ("skip", "refuse") and reason != case["reason"]:
        yield f"{case['id']}: {outcome} for {reason!r}, the reason is {case['reason']!r}"


def _outcome(done: Run, case: Case) -> tuple[str, str | None]:
    view = done.view(case)
    if view is None:
        return "refuse", done.refusals[_key(case)].code
    path = _path(case)
    if path is not None:
        row = view.rows.get(path)
        if row is None:
            return "lost", None
        return OUTCOME[row.outcome], row.reason
    skipped = {row.reason for row in view.rows.values() if row.outcome is Outcome.SKIPPED}
    wanted = case["reason"]
    return ("skip", wanted) if case["expect"] != "index" and wanted in skipped else ("index", None)


def refusal_problems(done: Run) -> list[str]:
    """Refusals that name neither path nor ref, exit with 0, or left something in the home."""
    found: list[str] = []
    for (repository, ref), error in done.refusals.items():
        told = str(error)
        names = (Path(repository).name, ref or "", (ref or "").rsplit("/", 1)[-1])
        if not any(name and name in told for name in names):
            found.append(f"{repository} {ref}: the message names neither: {told}")
        if error.exit_code not in range(2, 8):
            found.append(f"{repository} {ref}: exit code {error.exit_code}")
        if done.written[repository, ref]:
            found.append(f"{repository} {ref}: refused, and yet it is in the home")
    return found


# ------------------------------------------------------------------ finding


def canary_problems(done: Run) -> list[str]:
    """Canaries that are not found at their path and line, or found where they are not stored."""
    return [problem for case in done.cases for problem in _canary_problems(done, case)]


def _canary_problems(done: Run, case: Case) -> Iterator[str]:
    view = done.view(case)
    path = _path(case)
    if view is None or path is None or not case["canary"]:
        return
    word = case["canary"]
    here = [hit for hit in done.search(view, word) if word in hit.text]
    outcome, _ = _outcome(done, case)
    elsewhere = {hit.place.path for hit in here} - {path}
    if case["expect"] == "skip":  # then the canary stands in a file beside the broken one
        if not elsewhere:
            yield f"{case['id']}: the file beside it is not found"
        return
    if elsewhere:
        yield f"{case['id']}: canary found at {sorted(elsewhere)}"
    mine = [hit for hit in here if hit.place.path == path]
    if outcome not in ("index", "index_as_text"):
        if mine:
            yield f"{case['id']}: {outcome}, and yet its canary is found"
        return
    line = case.get("canary_line")
    at = [hit.place.lines for hit in mine]
    if not mine or (line and not any(span.start <= line <= span.end for span in at)):
        yield f"{case['id']}: canary on line {line} found at {[tuple(span) for span in at]}"


def also_find_problems(done: Run) -> list[str]:
    """Texts that an exact question does not find in their file."""
    found: list[str] = []
    for case in done.cases:
        view = done.view(case)
        for text in case["also_find"]:
            if view is None or _outcome(done, case)[0] == "skip":
                continue
            hits = done.search(view, f'"{text}"', k=200)
            if not any(hit.place.path == _path(case) and text in hit.text for hit in hits):
                found.append(f"{case['id']}: {text!r} is not found; {len(hits)} hits")
    return found


def never_find_problems(done: Run) -> list[str]:
    """Words that stand in a dump, a log line or an answer and must not."""
    found: list[str] = []
    everywhere = "\n".join([*done.answers, *done.log])
    for case in done.cases:
        for word in {*case["never_find"], done.outside_secret}:
            if word in done.dumps.get(_key(case), ""):
                found.append(f"{case['id']}: {word!r} stands in the dump of {_key(case)}")
            if word in everywhere:
                found.append(f"{case['id']}: {word!r} stands in an answer or a log line")
    return found


def fact_problems(done: Run) -> list[str]:
    """Flags, encodings, deleted paths, whole folders and same-named paths of other refs."""
    checks = (_flag, _encoding, _gone, _folder, _per_ref)
    found: list[str] = []
    for case in done.cases:
        view = done.view(case)
        if view is not None:
            found += [
                f"{case['id']}: {problem}" for each in checks for problem in each(done, case, view)
            ]
    return found


def _flag(done: Run, case: Case, view: View) -> Iterator[str]:
    del done
    if case.get("flag"):
        row = view.rows[_path(case) or b""]
        flags = {flag.name.value for flag in row.flags}
        if case["flag"] not in flags and row.reason != case["flag"]:
            yield f"flag {case['flag']!r} is not among {sorted(flags)}"


def _encoding(done: Run, case: Case, view: View) -> Iterator[str]:
    del done
    if case.get("encoding"):
        corpus = view.engine.corpus(view.scope)
        for entry in corpus.find_entries(_path(case) or b""):
            codec = corpus.encoding(entry)
            if _folded(codec) not in _ALIKE.get(case["encoding"], {_folded(case["encoding"])}):
                yield f"encoding {codec!r} is not {case['encoding']!r}"


_ALIKE = {
    # supersets read the same bytes as the same text
    "gbk": {"gbk", "gb18030"},
    "latin-1": {"latin1", "iso88591", "cp1252", "windows1252"},
    "shift_jis": {"shiftjis", "cp932"},
    "utf-16-le": {"utf16le", "utf16"},
    "utf-16-be": {"utf16be", "utf16"},
    "utf-32-le": {"utf32le", "utf32"},
    "utf-8-sig": {"utf8sig", "utf8"},
}


def _folded(codec: str) -> str:
    return codec.lower().replace("-", "").replace("_", "")


def _gone(done: Run, case: Case, view: View) -> Iterator[str]:
    del done
    if case.get("gone") and case["gone"].encode() in view.rows:
        yield f"{case['gone']} is still there"


def _folder(done: Run, case: Case, view: View) -> Iterator[str]:
    if not case.get("prefix"):
        return
    prefix = case["prefix"].encode()
    count = sum(
        path.startswith(prefix) and row.outcome in (Outcome.INDEXED, Outcome.INDEXED_AS_TEXT)
        for path, row in view.rows.items()
    )
    if count != case["files"]:
        yield f"{count} of {case['files']} paths are indexed"
    if case["id"] == "shape-same-blob":
        hits = done.search(view, "one blob, many paths", k=10)
        same = sum(hit.place.path.startswith(prefix) for hit in hits)
        if same > 1:
            yield f"one blob takes {same} of the first results"


def _per_ref(done: Run, case: Case, view: View) -> Iterator[str]:
    del view
    words = case.get("per_ref") or {}
    for ref, own in words.items():
        there = done.views.get((case["repo"], ref))
        for word in words.values() if there else ():
            found = any(word in hit.text for hit in done.search(there, word))
            if found != (word == own):
                yield f"on {ref} {word} is {'found' if found else 'not found'}"


def stuffing_problems(done: Run) -> list[str]:
    """One file full of keywords must not fill the first page."""
    view = done.views[MAIN]
    (case,) = (case for case in done.cases if case.get("max_share_of_top10"))
    found: list[str] = []
    for query in ("authentication login", "where is the payment refund handled", "user query"):
        hits = done.search(view, query, k=10)
        share = sum(hit.place.path == _path(case) for hit in hits)
        if share > case["max_share_of_top10"] * 10:
            found.append(f"{query!r}: {share} of 10 results")
    return found


# ------------------------------------------------------------------ bytes


def tiling_problems(done: Run) -> list[str]:
    """Files whose chunks, joined, are not the stored bytes (the masked view with a secret)."""
    view = done.views[MAIN]
    corpus = view.engine.corpus(view.scope)
    stored = _stored(done, MAIN)
    found: list[str] = []
    for path, row in view.rows.items():
        if row.outcome not in (Outcome.INDEXED, Outcome.INDEXED_AS_TEXT):
            continue
        (entry,) = corpus.find_entries(path)
        text = corpus.text(entry)
        joined = b"".join(text[piece.start : piece.end] for piece in corpus.chunks(entry))
        masked = any(flag.name == "secret" for flag in row.flags)
        raw = stored[path]
        if joined != text:
            found.append(f"{path!r}: chunks give {len(joined)} of {len(text)} bytes")
        if len(text) != len(raw) or (text != raw and not masked):
            found.append(f"{path!r}: the text is not what git holds")
    return found


def citation_problems(done: Run, words: Sequence[str]) -> list[str]:
    """Citations that do not read back as the text that they came with."""
    view = done.views[MAIN]
    found: list[str] = []
    for word in words:
        for hit in done.search(view, word, k=10):
            again = view.engine.read(str(hit.place.citation), scope=view.scope)
            if hit.text.rstrip("\n") not in again.text or again.place.path != hit.place.path:
                found.append(f"{word!r}: {hit.place.citation} reads differently")
    return found


def _stored(done: Run, key: Key) -> dict[bytes, bytes]:
    repository, ref = key
    with open_repository(str(done.out / repository)) as opened:
        _, entries = opened.snapshot(ref or "HEAD")
        return {
            entry.path: data for entry, data, _ in opened.read(entries) if isinstance(data, bytes)
        }


def count_problems(done: Run) -> list[str]:
    """Views in which the paths are not those that git lists, each once."""
    found: list[str] = []
    listed: defaultdict[Key, set[bytes]] = defaultdict(set)
    for repository, ref in done.views:
        if repository == "hostile.git" and ref:
            lines = subprocess.run(
                ["git", "-C", str(done.out / repository), "ls-tree", "-r", "-z", "--name-only",
                 "--end-of-options", ref],
                check=True, capture_output=True, stdin=subprocess.DEVNULL,
            ).stdout  # fmt: skip
            listed[repository, ref] = set(lines.split(b"\0")) - {b""}
    for key, paths in listed.items():
        rows = set(done.views[key].rows)
        if rows != paths:
            found.append(f"{key}: {len(rows)} outcomes, git lists {len(paths)}: {rows ^ paths}")
    return found
