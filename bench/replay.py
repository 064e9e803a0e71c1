"""What updates cost: consecutive commits of a real repository, many branches, and what gc leaves.

    replay.py --mirror DIR OWNER/NAME [--commits N] [--workers N]

The last N first-parent commits are indexed one after the other as updates of one branch, in a bare
scratch repository that borrows the clone's objects. The same commits are replayed on a smaller
repository that holds only the paths which they touch. CPU is that of this process and its
children. Exit 1 when a goal that does not depend on the machine is missed.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from grainline.engine import Engine
from grainline.indexing.pipeline import IndexOptions
from grainline.lab.mirror import find_clone
from grainline.model.access import AccessRule, Policy
from grainline.snapshots import ReadOptions

BRANCH = "refs/heads/main"
BRANCHES = 10
MAX_BRANCHES = 1.15  # bytes of ten branches of one history over those of one snapshot
MAX_AFTER_GC = 1.05  # bytes after deletion and gc over those of a rebuild
WHO = ("-c", "user.name=n", "-c", "user.email=e@example.invalid")
POLICY = Policy(
    epoch=0,
    users=(("ann", ("team",)),),
    rules=(AccessRule(repository="", prefix=b"", groups=("team",)),),
)


class Step(NamedTuple):
    """One commit as an update."""

    files: int
    lines: int
    cpu: float
    written: int


@dataclass(frozen=True, kw_only=True)
class Scratch:
    """A bare repository of ours that borrows the objects of a clone."""

    top: Path
    read: ReadOptions

    @classmethod
    def make(cls, top: Path, clone: Path) -> Scratch:
        """An empty one at `top`."""
        objects = str((clone / "objects").resolve())
        run(["git", "init", "-q", "--bare", str(top)])
        (top / "objects" / "info" / "alternates").write_text(objects + "\n")
        return cls(top=top, read=ReadOptions(allow_alternates=(objects,)))

    def git(self, *arguments: str, stdin: bytes = b"", index: str = "") -> str:
        """Output of git in the scratch repository."""
        env = {**os.environ, **({"GIT_INDEX_FILE": str(self.top / index)} if index else {})}
        command = ["git", *WHO, "-C", str(self.top), *arguments]
        return run(command, stdin=stdin, env=env).decode("utf-8", "replace").strip()

    def move(self, ref: str, commit: str) -> None:
        """Create or move a ref."""
        self.git("update-ref", ref, commit)

    def lines(self, commit: str) -> int:
        """Lines of all text files of a commit."""
        empty = self.git("hash-object", "-t", "tree", "-w", "--stdin")
        return sum(row[1] for row in self.changes(empty, commit))

    def changes(self, old: str, new: str) -> list[tuple[str, int]]:
        """(path, added and deleted lines) between two commits, without renames."""
        found = []
        for row in self.git("diff-tree", "-r", "--no-renames", "--numstat", old, new).splitlines():
            added, deleted, path = row.split("\t", 2)
            found.append((path, sum(int(n) for n in (added, deleted) if n.isdigit())))
        return found

    def distinct(self, commits: Sequence[str]) -> int:
        """Bytes of the distinct files of some commits."""
        sizes: dict[str, int] = {}
        for commit in commits:
            for line in self.git("ls-tree", "-r", "-l", "--full-tree", commit).splitlines():
                _, kind, blob, size = line.partition("\t")[0].split()
                if kind == "blob":
                    sizes[blob] = int(size)
        return sum(sizes.values())

    def restricted(self, commits: Sequence[str]) -> list[str]:
        """The same commits over only those paths which they touch; their new ids."""
        raw = [
            self.git("diff-tree", "-r", "-z", "--no-renames", "--raw", *pair)
            for pair in pairwise(commits)
        ]
        rows = [list(_raw_rows(text)) for text in raw]
        touched = {path for each in rows for path, _ in each}
        listed = self.git("ls-tree", "-r", "-z", commits[0]).split("\0")
        kept = [row for row in listed if row.partition("\t")[2] in touched]
        made = [self._commit(kept, [])]
        for each in rows:
            made.append(self._commit([row for _, row in each], made[-1:]))
        return made

    def _commit(self, rows: Sequence[str], parents: Sequence[str]) -> str:
        """Apply rows of `update-index --index-info` and commit the result."""
        stdin = "".join(f"{row}\0" for row in rows).encode("utf-8", "surrogateescape")
        self.git("update-index", "-z", "--index-info", stdin=stdin, index="small")
        tree = self.git("write-tree", index="small")
        named = [word for parent in parents for word in ("-p", parent)]
        return self.git("commit-tree", tree, *named, "-m", "x")


def _raw_rows(text: str) -> Iterator[tuple[str, str]]:
    """(path, row for `update-index`) of `diff-tree -z --raw` output."""
    fields = text.split("\0")
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, blob, _ = head.split(" ")
        yield path, f"{mode} {blob}\t{path}"


def run(command: Sequence[str], *, stdin: bytes = b"", env: dict[str, str] | None = None) -> bytes:
    """Output of a command that must succeed."""
    return subprocess.run(command, input=stdin, env=env, check=True, capture_output=True).stdout


# ------------------------------------------------------------------ figures


def main() -> int:
    """1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--workers", type=int, default=0, help="processes; 0 for none")
    parser.add_argument("repository")
    options = parser.parse_args()
    clone = find_clone(options.mirror, options.repository)
    index = IndexOptions(workers=options.workers)
    missed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="grainline-bench-") as folder:
        scratch = Scratch.make(Path(folder) / "scratch.git", clone)
        head = run(["git", "-C", str(clone), "rev-parse", "HEAD"]).decode().strip()
        listed = scratch.git("rev-list", "--first-parent", "-n", str(options.commits + 1), head)
        commits = listed.split()[::-1]
        small = scratch.restricted(commits)
        print(
            f"\n## {options.repository}, {len(commits) - 1} commits\n\n| measure | value |\n|---|---|"
        )
        for name, history in (("whole", commits), ("touched paths only", small)):
            steps = replay(scratch, Path(folder) / name.replace(" ", "-"), history, index)
            report(f"{name}, {scratch.lines(history[-1])} lines", steps)
        missed += branches(scratch, Path(folder), commits, index)
    for each in missed:
        print(f"\nmissed: {each}")
    return int(bool(missed))


def report(name: str, steps: Sequence[Step]) -> None:
    """Rows of one replay."""
    cpu = np.array([step.cpu for step in steps])
    lines = np.array([step.lines for step in steps], np.float64)
    files = np.array([step.files for step in steps], np.float64)
    written = np.array([step.written for step in steps])
    row(f"{name}: CPU ms of a commit, median / p95", f"{np.median(cpu):.1f} / {p95(cpu):.1f}")
    row(f"{name}: changed lines, median / p95", f"{np.median(lines):.0f} / {p95(lines):.0f}")
    table = np.stack([np.ones(len(cpu)), lines, files], axis=1)
    (fixed, per_line, per_file), *_ = np.linalg.lstsq(table, cpu, rcond=None)
    left = cpu - table @ np.array([fixed, per_line, per_file])
    share = 1 - left.var() / cpu.var()
    row(
        f"{name}: fit, ms fixed + per changed line + per changed file (r²)",
        f"{fixed:.1f} + {per_line:.4f} + {per_file:.2f} ({share:.2f})",
    )
    row(f"{name}: bytes of new parts of a commit, median / p95",
        f"{np.median(written):.0f} / {p95(written):.0f}")  # fmt: skip


def row(name: str, value: str) -> None:
    """One line of the table."""
    print(f"| {name} | {value} |", flush=True)


def p95(values: np.ndarray[tuple[int], np.dtype[np.generic]]) -> float:
    """The value that 95 % do not exceed, nearest rank."""
    ordered: list[float] = sorted(values.tolist())
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


def replay(scratch: Scratch, home: Path, commits: Sequence[str], index: IndexOptions) -> list[Step]:
    """Index the first commit, then every other one as an update; what each update cost."""
    engine = Engine.open(str(home))
    steps: list[Step] = []
    for number, commit in enumerate(commits):
        scratch.move(BRANCH, commit)
        before, start = parts(home), cpu_seconds()
        engine.index(str(scratch.top), refs=[BRANCH], options=index, read=scratch.read)
        spent = cpu_seconds() - start
        written = sum(size for _, size, _ in parts(home) - before)
        if number:
            changed = scratch.changes(commits[number - 1], commit)
            lines = sum(count for _, count in changed)
            steps.append(Step(len(changed), lines, 1000 * spent, written))
    engine.close()
    return steps


def branches(
    scratch: Scratch, folder: Path, commits: Sequence[str], index: IndexOptions
) -> list[str]:
    """Ten branches of one history beside one snapshot, then nine of them deleted; goals missed."""
    refs = [f"refs/heads/b{n}" for n in range(BRANCHES)]
    spread = [commits[-1 - len(commits) * n // BRANCHES] for n in range(BRANCHES)]
    point(scratch, refs, spread)
    one = built(scratch, folder / "one", refs[:1], index)
    wide = built(scratch, folder / "wide", refs, index)
    content = scratch.distinct(spread) / scratch.distinct(spread[:1])
    row(
        f"ten branches over {len(commits)} commits / one snapshot on disk (distinct file bytes)",
        f"{wide / one:.3f} ({content:.3f})",
    )
    recent = commits[: -1 - BRANCHES : -1]
    point(scratch, refs, recent)
    ten = built(scratch, folder / "ten", refs, index)
    content = scratch.distinct(recent) / scratch.distinct(recent[:1])
    row(
        "ten branches at the last ten commits / one snapshot on disk (distinct file bytes)",
        f"{ten / one:.3f} ({content:.3f})",
    )
    edited, moved = edits(scratch, folder / "ten", refs, recent, index)
    row("parts written by a policy edit / by a branch move", f"{edited} / {moved}")
    left = after_deletion(scratch, folder / "wide", refs, spread, index)
    row("after deletion of nine branches and gc / rebuild", f"{left / one:.3f} ({left} / {one})")
    goals = {
        f"ten branches <= {MAX_BRANCHES}": ten / one <= MAX_BRANCHES,
        f"after gc <= {MAX_AFTER_GC}": left / one <= MAX_AFTER_GC,
        "a policy edit writes no part": not edited,
        "a branch move writes no part": not moved,
    }
    return [goal for goal, held in goals.items() if not held]


def point(scratch: Scratch, refs: Sequence[str], commits: Sequence[str]) -> None:
    """Let each ref name its commit."""
    for ref, commit in zip(refs, commits, strict=True):
        scratch.move(ref, commit)


def edits(
    scratch: Scratch, home: Path, refs: Sequence[str], commits: Sequence[str], index: IndexOptions
) -> tuple[int, int]:
    """Parts that a policy edit writes, and those that a branch moved to known content writes."""
    engine = Engine.open(str(home))
    before = parts(home)
    engine.set_policy(POLICY)
    edited = parts(home) - before
    scratch.move(refs[0], commits[-1])
    engine.index(str(scratch.top), refs=refs[:1], options=index, read=scratch.read)
    moved = parts(home) - before - edited
    engine.close()
    return len(edited), len(moved)


def after_deletion(
    scratch: Scratch, home: Path, refs: Sequence[str], commits: Sequence[str], index: IndexOptions
) -> int:
    """Bytes of a home of ten branches when nine are deleted and the space is freed."""
    point(scratch, refs, commits)
    for ref in refs[1:]:
        scratch.git("update-ref", "-d", ref)
    engine = Engine.open(str(home))
    engine.gc(read=scratch.read)
    engine.close()
    return size_of(home)


def built(scratch: Scratch, home: Path, refs: Sequence[str], index: IndexOptions) -> int:
    """Bytes of a home with these refs, indexed one after the other."""
    for ref in refs:
        engine = Engine.open(str(home))
        engine.index(str(scratch.top), refs=[ref], options=index, read=scratch.read)
        engine.close()
    return size_of(home)


def parts(home: Path) -> set[tuple[str, int, int]]:
    """Name, size and time of every part of a home."""
    found = [(path, path.stat()) for path in home.glob("parts/*")]
    return {(path.name, each.st_size, each.st_mtime_ns) for path, each in found}


def size_of(home: Path) -> int:
    """Bytes of all files of a home."""
    return sum(path.stat().st_size for path in home.rglob("*") if path.is_file())


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    raise SystemExit(main())
