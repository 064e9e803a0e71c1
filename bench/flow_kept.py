"""What `scan` costs from end to end, what is kept of it, and what the next one costs.

    flow_kept.py [--mirror DIR] [--semgrep PROGRAM] NAME...

A name is a folder, or OWNER/NAME[:FOLDER] of a clone (its HEAD). Each is written to a folder of its
own, indexed and scanned by processes of their own, like a user would: `index` (parse and lower, edges),
the first `scan`, the second one of the same state, and after one file has one more function `index` and
`scan` again. CPU is that of a process and its helpers, memory the peak of the largest of them. With
`--semgrep` that program looks at the same files with the rules beside this script, in one process, offline.
Its CPU and ours are of one run on one machine; ratios count, not seconds. Our modules are compiled before,
beside their source, as those of an installed package are.
"""

from __future__ import annotations

import argparse
import compileall
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from flow_cost import read

import grainline as package
from grainline.flow.languages import semantics_of
from grainline.languages.base import LANGUAGES

RULES = Path(__file__).parent / "semgrep"
MORE = b"\n\ndef one_more_function(value):\n    return value\n"
"""Of Python; to a file of another language a line break is added."""


class Cost(NamedTuple):
    """Of one process: seconds by the clock and of CPU, peak memory in MB."""

    wall: float
    cpu: float
    peak: int


def main() -> int:
    """0; the table goes to standard output."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path, default=Path())
    parser.add_argument("--semgrep", default="")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    compileall.compile_dir(Path(package.__file__).parent, quiet=2)
    print("| files | kLOC | index, CPU s | scan, CPU s | kLOC per CPU s | peak MB | edges, findings / source bytes "
          "| second scan, s | one file: index, scan, CPU s | semgrep, CPU s | ratio |")  # fmt: skip
    print("|---" * 11 + "|")
    for name in options.names:
        with tempfile.TemporaryDirectory() as folder:
            print(row(name, options.mirror, Path(folder), options.semgrep), flush=True)
    return 0


def row(name: str, mirror: Path, folder: Path, semgrep: str) -> str:
    """One row of the table."""
    tree, home = folder / "tree", folder / "home"
    lines, size, longest = write(read(mirror, name), tree)
    index = grainline(home, "index", str(tree))
    first = grainline(home, "scan")
    kept = {kind: sum(path.stat().st_size for path in (home / "derived").glob(f"{kind}-*"))
            for kind in ("graph", "flow*")}  # fmt: skip
    second = grainline(home, "scan")
    with longest.open("ab") as file:
        file.write(MORE if longest.suffix == ".py" else b"\n")
    again = grainline(home, "index", str(tree)), grainline(home, "scan")
    other = compared(semgrep, tree) if semgrep else None
    ours = index.cpu + first.cpu
    ratio = "| |" if other is None else f"| {other.cpu:.1f} | {other.cpu / ours:.2f} |"
    return (f"| {name} | {lines / 1000:.1f} | {index.cpu:.1f} | {first.cpu:.1f} | {lines / 1000 / ours:.1f} "
            f"| {max(index.peak, first.peak)} | {kept['graph'] / size:.3f}, {kept['flow*'] / size:.3f} "
            f"| {second.wall:.1f} (CPU {second.cpu:.1f}) | {again[0].cpu:.1f}, {again[1].cpu:.1f} {ratio}")  # fmt: skip


def write(files: dict[str, bytes], tree: Path) -> tuple[int, int, Path]:
    """Lines and bytes of files of languages with data flow, which alone are written; the longest of them."""
    endings = tuple(suffix for spec in map(LANGUAGES.get, LANGUAGES.names())
                    if semantics_of(spec.name) is not None for suffix in spec.suffixes)  # fmt: skip
    lines = size = 0
    sizes: dict[Path, int] = {}
    for path, data in files.items():
        if path.endswith(endings):
            place = tree / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            lines += data.count(b"\n")
            size += len(data)
            sizes[place] = len(data)
    return lines, size, max(sizes, key=lambda place: (sizes[place], str(place)))


def grainline(home: Path, *arguments: str) -> Cost:
    """What one command costs."""
    return cost([str(Path(sys.executable).with_name("grainline")), "--home", str(home), *arguments])


def compared(program: str, tree: Path) -> Cost:
    """What the other program costs on the same files."""
    return cost([program, "scan", "--config", str(RULES), "--metrics", "off", "--disable-version-check", "--jobs", "1",
                 "--no-git-ignore", "--json", "--quiet", str(tree)])  # fmt: skip


def cost(command: list[str]) -> Cost:
    """Run a command to its end."""
    started = time.perf_counter()
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if process.returncode not in (0, 7):
            sys.exit(f"{' '.join(command)}: {said.read().decode(errors='replace')}")
    wall = time.perf_counter() - started
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024)


if __name__ == "__main__":
    sys.exit(main())
