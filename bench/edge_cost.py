"""What edges cost: CPU for each MB of source, and memory, one row per repository.

    edge_cost.py --mirror DIR OWNER/NAME@COMMIT...     or a plain folder: edge_cost.py /path

Each is read in a process of its own, so the peak of memory is its own: with IR and all edges, without
an index. MB are those of files that have edges.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from owasp import parsed

from grainline.graph.resolve import solve, split
from grainline.lab.mirror import Checkout, find_clone

MB = 1e6


def main() -> int:
    """0; the table goes to standard output."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path, default=Path())
    parser.add_argument("repositories", nargs="+")
    options = parser.parse_args()
    print("| repository | files | MB | lowering, s a MB | edges, CPU s | s a MB | peak MB | edges "
          "| cuts |")  # fmt: skip
    print("|---" * 9 + "|")
    for name in options.repositories:
        with ProcessPoolExecutor(max_workers=1) as alone:
            print(alone.submit(row, options.mirror, name).result(), flush=True)
    return 0


def read(mirror: Path, given: str) -> Iterator[tuple[str, bytes]]:
    """Files of a folder, or of a commit of a clone."""
    name, _, commit = given.partition("@")
    clone = Path(name) if Path(name).is_dir() else find_clone(mirror, name)
    checkout = Checkout(repository=name, commit=commit, clone=clone, scratch=Path())
    for entry, data in checkout.files():
        yield entry.path.decode("utf-8", "surrogateescape"), data


def row(mirror: Path, given: str) -> str:
    """One row of the table."""
    files = dict(read(mirror, given))
    started = time.process_time()
    units = list(parsed(files))
    lowered = time.process_time()
    taken = {unit.path.decode("utf-8", "surrogateescape") for unit in units}
    shaping = {path: data for path, data in files.items() if path not in taken}
    graphs = list(map(solve, split(units, shaping)))
    resolved = time.process_time() - lowered
    size = sum(len(files[path]) for path in taken) / MB
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    edges, cuts = sum(len(each.edges) for each in graphs), sum(each.cuts for each in graphs)
    return (f"| {given} | {len(units)} | {size:.1f} | {(lowered - started) / size:.2f} "
            f"| {resolved:.1f} | {resolved / size:.2f} | {peak} | {edges:,} | {cuts:,} |")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
