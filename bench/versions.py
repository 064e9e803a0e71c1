"""Whether answers at one release come from that release: rows of version_pairs.jsonl.

    versions.py --bench DIR --mirror DIR [OWNER/NAME]...

Both tags of a repository are indexed into one home, then each question is asked at each tag. A
version error is a result whose commit is not in scope. At the tag where the symbol does not exist
no result may carry it, and `show` must refuse it as unknown. A row whose symbol does stand in the
cited lines, as git itself shows that commit, is counted as mislabelled and named. Exit 1 when any
of this fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from grainline.engine import Engine
from grainline.errors import BadInput
from grainline.lab.mirror import find_clone
from grainline.model.access import Scope
from grainline.model.search import Hit, Place, SearchOptions

DEPTH = 10
FILE = "version_pairs.jsonl"
COLUMNS = (
    "questions",
    "results",
    "version errors",
    "gold",
    "found @1",
    f"found @{DEPTH}",
    "shown",
    "absent",
    "carried",
    "shown though absent",
    "mislabelled",
)
MUST_BE_ZERO = ("version errors", "carried", "shown though absent")

Row = Mapping[str, Any]


class Asked(NamedTuple):
    """One question at one tag."""

    clone: Path
    row: Row
    version: Mapping[str, Any]
    scope: Scope


def main() -> int:
    """1 when an answer comes from outside its scope."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("repositories", nargs="*")
    options = parser.parse_args()
    rows = read_rows(options.bench / FILE, options.repositories)
    print("| repository | " + " | ".join(COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    total: Counter[str] = Counter()
    for name, mine in rows.items():
        found = measure(find_clone(options.mirror, name), mine)
        total += found
        print_row(name, found)
    print_row("**all**", total)
    rate = total["version errors"] / max(total["results"], 1)
    print(f"\nversion-error rate {rate:.4f} ({total['version errors']} / {total['results']})")
    return int(any(total[column] for column in MUST_BE_ZERO))


def read_rows(path: Path, wanted: Sequence[str]) -> dict[str, list[Row]]:
    """Rows by repository, of all or of the wanted ones."""
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not wanted or row["repo"] in wanted:
            rows[row["repo"]].append(row)
    return dict(rows)


def print_row(name: str, found: Mapping[str, int]) -> None:
    """One line of the table."""
    print(f"| {name} | " + " | ".join(str(found[column]) for column in COLUMNS) + " |", flush=True)


def measure(clone: Path, rows: Sequence[Row]) -> Counter[str]:
    """Index both tags into one home and ask every question at each."""
    commits = list(dict.fromkeys(v["commit"] for row in rows for v in row["versions"]))
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="grainline-bench-") as home:
        engine = Engine.open(home)
        engine.index(str(clone), refs=commits)
        scopes = {commit: engine.scope(refs=[commit]) for commit in commits}
        for row in rows:
            for version in row["versions"]:
                found += ask(engine, Asked(clone, row, version, scopes[version["commit"]]))
        engine.close()
    return found


def ask(engine: Engine, asked: Asked) -> Counter[str]:
    """What one question at one tag brings."""
    symbol, version = asked.row["symbol"], asked.version
    options = SearchOptions(k=DEPTH)
    hits = engine.search(asked.row["query"], scope=asked.scope, options=options).hits
    found: Counter[str] = Counter(questions=1, results=len(hits))
    found["version errors"] = sum(hit.place.snapshot.commit != version["commit"] for hit in hits)
    shown = definitions(engine, symbol, asked.scope)
    if version["gold"]:
        ranks = [hit.rank for hit in hits if overlaps(hit, version["gold"])]
        found["gold"] = 1
        found["found @1"] = int(ranks[:1] == [1])
        found[f"found @{DEPTH}"] = int(bool(ranks))
        found["shown"] = int(bool(shown))
        return found
    carried = [hit.place for hit in hits if carries(hit, symbol)]
    if any(holds(asked, place) for place in (*carried, *shown)):
        print(f"mislabelled: {asked.row['id']} at {version['ref']}", file=sys.stderr)
        found["mislabelled"] = 1
        return found
    found["absent"] = 1
    found["carried"] = int(bool(carried))
    found["shown though absent"] = int(bool(shown))
    return found


def definitions(engine: Engine, symbol: str, scope: Scope) -> list[Place]:
    """Where `show` says that a symbol stands; it refuses an unknown one as bad input, exit 2."""
    try:
        return [each.place for each in engine.show(symbol, scope=scope).symbols]
    except BadInput as error:
        if error.code != "unknown_symbol":
            raise
        return []


def holds(asked: Asked, place: Place) -> bool:
    """Whether the first line of a place, as git shows the commit of the row, holds the symbol."""
    where = f"{asked.version['commit']}:{os.fsdecode(place.path)}"
    command = ["git", "-C", str(asked.clone), "show", "--no-textconv", where]
    text = subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL).stdout
    line = text.split(b"\n")[place.lines.start - 1]
    return asked.row["symbol"].rpartition(".")[2].encode() in re.findall(rb"\w+", line)


def carries(hit: Hit, symbol: str) -> bool:
    """Whether a result is filed as `symbol`: the whole dotted name, or all of it that there is."""
    if hit.symbol is None:
        return False
    return is_tail(symbol.split("."), hit.symbol.qualified_name.split("."))


def is_tail(tail: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether `whole` ends with `tail`."""
    return list(whole[-len(tail) :]) == list(tail)


def overlaps(hit: Hit, gold: tuple[str, int, int]) -> bool:
    """Whether a result shares a line with the gold span."""
    path, start, end = gold
    lines = hit.place.lines
    return hit.place.path == path.encode() and lines.start <= end and lines.end >= start


if __name__ == "__main__":
    raise SystemExit(main())
