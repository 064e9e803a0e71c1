"""Whether every path of a commit has exactly one outcome: ours against `git ls-tree -r`.

counts.py --mirror DIR [OWNER/NAME]...     all clones in DIR when none is named
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from grainline.engine import Engine
from grainline.lab.mirror import find_clone
from grainline.model.snapshot import Outcome


def main() -> int:
    """1 when a count differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("repositories", nargs="*")
    options = parser.parse_args()
    names = options.repositories or clones(options.mirror)
    print("| repository | paths | " + " | ".join(outcome.value for outcome in Outcome) + " | git |")
    print("|---" * (len(Outcome) + 3) + "|")
    return max((compare(name, find_clone(options.mirror, name)) for name in names), default=0)


def clones(mirror: Path) -> list[str]:
    """`owner/name` of every clone that is named `owner+name`."""
    return sorted(path.name.replace("+", "/", 1) for path in mirror.glob("*+*") if path.is_dir())


def compare(name: str, clone: Path) -> int:
    """Print one row; 1 when the sum is not what git lists."""
    with tempfile.TemporaryDirectory(prefix="grainline-bench-") as home:
        engine = Engine.open(home)
        report = engine.index(str(clone), refs=("HEAD",))
        engine.close()
    counts = [report.count(outcome) for outcome in Outcome]
    listed = listed_by_git(clone)
    print(f"| {name} | {sum(counts)} | {' | '.join(map(str, counts))} | {listed} |", flush=True)
    if sum(counts) != listed:
        print(f"{name}: {sum(counts)} outcomes, git lists {listed} paths", file=sys.stderr)
    return int(sum(counts) != listed)


def listed_by_git(clone: Path) -> int:
    """Paths of HEAD as git counts them."""
    listing = subprocess.run(
        ["git", "-C", str(clone), "ls-tree", "-r", "-z", "--name-only", "HEAD"],
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    return listing.stdout.count(b"\0")


if __name__ == "__main__":
    raise SystemExit(main())
