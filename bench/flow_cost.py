"""What data flow costs: CPU, memory, work, and how many places are cut, one row per folder.

    flow_cost.py --mirror DIR OWNER/NAME[:FOLDER]...     or a plain folder: flow_cost.py /path

Lines are those of files of languages with data flow. Memory is the peak of the process, with IR and
edges, so it is that of one folder only when one is named.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import Counter
from pathlib import Path

from owasp import export, parsed

from grainline.flow.analysis import analyse
from grainline.flow.builtin import builtin
from grainline.flow.languages import semantics_of
from grainline.graph.resolve import resolve
from grainline.lab.mirror import find_clone
from grainline.model.flow import Cut


def main() -> int:
    """0; the table goes to standard output."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path, default=Path())
    parser.add_argument("folders", nargs="+")
    options = parser.parse_args()
    print("| folder | kLOC | edges, CPU s | flow, CPU s | kLOC per s | peak MB | findings "
          "| cut by depth / fan-out / other |")  # fmt: skip
    print("|---" * 8 + "|")
    for name in options.folders:
        print(row(name, read(options.mirror, name)), flush=True)
    return 0


def read(mirror: Path, name: str) -> dict[str, bytes]:
    """Files of a folder, or of HEAD of a clone."""
    root = Path(name)
    if root.is_dir():
        return {str(path.relative_to(root)): path.read_bytes()
                for path in root.rglob("*") if path.is_file()}  # fmt: skip
    repository, _, under = name.partition(":")
    files = export(find_clone(mirror, repository))
    return {path: data for path, data in files if path.startswith(under)}


def row(name: str, files: dict[str, bytes]) -> str:
    """One row of the table."""
    units = list(parsed(files))
    lines = sum(files[unit.path.decode()].count(b"\n") for unit in units
                if semantics_of(unit.language) is not None) / 1000  # fmt: skip
    taken = {unit.path.decode() for unit in units}
    started = time.process_time()
    graph = resolve(units, {path: data for path, data in files.items() if path not in taken})
    resolved = time.process_time()
    report = analyse(units, graph, builtin())
    flow = time.process_time() - resolved
    cuts = Counter(boundary.cut for boundary in report.boundaries)
    depth, wide = cuts.pop(Cut.DEPTH, 0), cuts.pop(Cut.FAN_OUT, 0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return (f"| {name} | {lines:.1f} | {resolved - started:.1f} | {flow:.1f} | {lines / flow:.1f} "
            f"| {peak} | {len(report.paths)} | {depth} / {wide} / {cuts.total()} |")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
