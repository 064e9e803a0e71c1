"""CPU, memory and disk of one repository at HEAD, beside a calibration loop and the parse floor.

    speed.py --mirror DIR OWNER/NAME... [--queries N]

Times are CPU milliseconds of processes, not wall time, unless a line says so. The parse floor is
tree-sitter alone over the same files in the same run, in one process.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tree_sitter import Parser

from grainline.engine import Engine
from grainline.lab.mirror import find_clone
from grainline.languages.base import LANGUAGES
from grainline.languages.detect import detect
from grainline.model.access import Scope
from grainline.model.search import SearchOptions
from grainline.model.snapshot import Outcome
from grainline.snapshots.repository import open_repository
from grainline.storage.segments.columns import open_columns

SEED = 7
MAX_PARSED = 1 << 20  # larger files are text for us too
ISSUE = 2_000  # characters of the long questions
SAMPLE_EVERY = 0.05  # seconds between two looks at memory

LEXICAL = frozenset({"chunk_ends", "chunk_length", "chunk_key"})

REGEXES = (
    r"/def \w+_id\(/",
    r"/\bTODO\b.*$/",
    r"/raise \w+Error/",
    r"/return (None|nil|null);?/",
    r"/[A-Z]{3,}_[A-Z]+ = /",
    r"/(get|set)[A-Z]\w+\(/",
    r"/\d{4}-\d{2}-\d{2}/",
    r"/https?:\/\/[a-z.]+/",
)


def main() -> int:
    """0; the figures go to standard output as Markdown rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--queries", type=int, default=100, help="of each kind")
    parser.add_argument("--child", choices=["index", "query"], help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("repositories", nargs="+")
    options = parser.parse_args()
    if options.child == "index":
        return child_index(options.home, options.repositories[0])
    if options.child == "query":
        return child_query(options.home, options.queries)
    for name in options.repositories:
        print(f"\n## {name}\n\n| measure | value |\n|---|---|")
        for measure, value in figures(find_clone(options.mirror, name), options.queries):
            print(f"| {measure} | {value} |", flush=True)
    return 0


def figures(clone: Path, queries: int) -> Iterator[tuple[str, str]]:
    """Every figure of one clone, in the order in which it is taken."""
    yield "calibration loop, CPU ms", f"{calibrate():.0f}"
    floor, files, lines = parse_floor(clone)
    yield f"tree-sitter alone, {files} files, {lines} lines, CPU s", f"{floor:.2f}"
    with tempfile.TemporaryDirectory(prefix="grainline-bench-") as folder:
        home = Path(folder)
        found = run_child("index", home, [str(clone)], queries)
        cpu = float(found["cpu"])
        yield "first index, CPU s (wall s)", f"{cpu:.2f} ({found['wall']:.1f})"
        yield "first index / tree-sitter alone", f"{cpu / floor:.2f}"
        yield "indexing, peak private memory of all processes, MB", f"{found['peak'] / 1e6:.0f}"
        source, disk = int(found["source"]), size_of(home)
        yield (
            "on disk / source bytes",
            f"{disk / source:.2f} ({disk / 1e6:.1f} / {source / 1e6:.1f} MB)",
        )
        lexical = lexical_size(home)
        yield "of it text + lexical / source bytes", f"{lexical / source:.2f}"
        answered = run_child("query", home, ["-"], queries)
        for kind, times in answered["times"].items():
            yield (
                f"{kind}, p50 / p95 CPU ms",
                f"{quantile(times, 0.5):.1f} / {quantile(times, 0.95):.1f}",
            )
        yield "serving, private memory, MB", f"{answered['anon'] / 1e6:.0f}"
        yield from edge_rows(answered["edges"])
        cold = [cold_start(home) for _ in range(6)][1:]
        yield (
            "cold start to first result, CPU ms (wall ms), median of 5",
            (f"{sorted(c for c, _ in cold)[2]:.0f} ({sorted(w for _, w in cold)[2]:.0f})"),
        )
    yield "calibration loop again, CPU ms", f"{calibrate():.0f}"


EDGES = {
    "nothing": SearchOptions(k=10),
    "callers": SearchOptions(k=10, callers=True),
    "callers, signatures": SearchOptions(k=10, callers=True, signatures=True),
}
"""What results get from edges; each question is asked in all ways, in turn."""


def edge_rows(measured: dict[str, dict[str, list[float]]]) -> Iterator[tuple[str, str]]:
    """What edges add to a warm search: the median of the differences of pairs, and the medians."""
    for state, times in measured.items():
        plain = times["nothing"]
        for name in list(EDGES)[1:]:
            added = [more - less for more, less in zip(times[name], plain, strict=True)]
            yield (
                f"{name}, edges {state}: median without; added, median (p95) CPU ms",
                f"{quantile(plain, 0.5):.2f}; {quantile(added, 0.5):+.2f} ({quantile(added, 0.95):+.2f})",
            )


def lexical_size(home: Path) -> int:
    """Bytes of the columns that hold texts, terms, postings and lengths."""
    total = 0
    for part in home.glob("parts/*.segment"):
        for name, column in open_columns(part.read_bytes(), part.name).items():
            if name.startswith(("text_", "term_", "post_")) or name in LEXICAL:
                total += column.size
    return total


def calibrate() -> float:
    """CPU ms of a fixed piece of interpreter work: tells how fast this machine is right now."""
    start = time.process_time()
    table: dict[int, int] = {}
    for number in range(1_000_000):
        table[number & 4095] = table.get(number & 4095, 0) + number
    return 1000 * (time.process_time() - start)


def parse_floor(clone: Path) -> tuple[float, int, int]:
    """(CPU seconds, files, lines) of parsing every file of a known language once."""
    sources: list[tuple[str, bytes]] = []
    with open_repository(str(clone)) as repository:
        _, entries = repository.snapshot(repository.default_refs()[0])
        for entry, data, _ in repository.read(entries):
            if isinstance(data, bytes) and len(data) <= MAX_PARSED and b"\0" not in data:
                language = detect(entry.path, data)
                if language:
                    sources.append((language, data))
    parsers = {name: Parser(LANGUAGES.get(name).language()) for name in {s[0] for s in sources}}
    start = time.process_time()
    for language, data in sources:
        parsers[language].parse(data)
    spent = time.process_time() - start
    return spent, len(sources), sum(data.count(b"\n") for _, data in sources)


# ------------------------------------------------------------------ children


def run_child(kind: str, home: Path, arguments: Sequence[str], queries: int) -> dict[str, Any]:
    """One step in a process of its own; its JSON, with the peak of private memory of its tree."""
    command = [sys.executable, __file__, "--child", kind, "--home", str(home)]
    command += ["--queries", str(queries), *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment()
    )
    peak = [0]
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(SAMPLE_EVERY):
            peak[0] = max(peak[0], sum(private_memory(pid) for pid in tree(process.pid)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    stop.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"the {kind} step failed with {process.returncode}")
    found: dict[str, Any] = json.loads(output)
    return found | {"peak": peak[0]}


def child_index(home: Path, clone: str) -> int:
    """Index, and say what it cost, workers included."""
    start = time.monotonic()
    engine = Engine.open(str(home))
    engine.index(clone)
    engine.close()
    wall = time.monotonic() - start
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    print(json.dumps({"cpu": cpu, "wall": wall, "source": source_bytes(engine, clone)}))
    return 0


def source_bytes(engine: Engine, clone: str) -> int:
    """Bytes of the distinct blobs that were indexed."""
    status = engine.status(scope=engine.scope(), paths=True)
    (ref,) = (ref for repository in status.repositories for ref in repository.refs)
    kept = {Outcome.INDEXED, Outcome.INDEXED_AS_TEXT}
    paths = {row.path for row in ref.paths if row.outcome in kept}
    with open_repository(clone) as repository:
        _, entries = repository.snapshot(repository.default_refs()[0])
    kept_entries = [entry for entry in entries if entry.path in paths]
    # files of a plain folder have no id before they are read
    return sum({entry.raw_id or entry.path: entry.size for entry in kept_entries}.values())


def child_query(home: Path, count: int) -> int:
    """Ask the mix in a warm process."""
    engine = Engine.open(str(home), create=False)
    scope = engine.scope()
    mix = questions(engine, scope, count)
    for kind in mix:
        engine.search(mix[kind][0], scope=scope)
    times = {kind: [cpu_ms(engine, scope, text) for text in texts] for kind, texts in mix.items()}
    mixed = [*times["names"], *times["sentences"], *times["issues"]]
    times = {"names, sentences and issues together": mixed} | times
    anon = private_memory(os.getpid())
    asked = [*mix["names"], *mix["sentences"], *mix["issues"]]
    edges = {"not kept": paired(engine, scope, asked)}
    engine.fill()
    edges["kept"] = paired(engine, scope, asked)
    print(json.dumps({"times": times, "anon": anon, "edges": edges}))
    engine.close()
    return 0


def paired(engine: Engine, scope: Scope, asked: Sequence[str]) -> dict[str, list[float]]:
    """CPU ms of each question in each way of `EDGES`, after one round that warms up."""
    times: dict[str, list[float]] = {name: [] for name in EDGES}
    ways = list(EDGES.items())
    for counts in (False, True):
        for number, text in enumerate(asked):
            first = number % len(ways)  # who comes first pays for what the others find warm
            cpu_ms(engine, scope, text)
            for name, options in (*ways[first:], *ways[:first]):
                spent = cpu_ms(engine, scope, text, options)
                times[name] += [spent] if counts else []
    return times


def questions(engine: Engine, scope: Scope, count: int) -> dict[str, list[str]]:
    """The stated mix, drawn from the index itself with a fixed seed."""
    draw = random.Random(SEED)
    corpus = engine.corpus(scope)
    names = [name for name in corpus.symbol_names() if len(name) > 3]
    lines: list[str] = []
    sentences: list[str] = []
    for entry in draw.sample(range(corpus.n_entries), min(400, corpus.n_entries)):
        text = corpus.text(entry).decode("utf-8", "replace")
        lines += [line.strip() for line in text.splitlines() if 20 < len(line.strip()) < 80]
        sentences += re.findall(
            r"(?m)^\s*(?://|#|\*|\"\"\")\s*([A-Z][a-z]+ [^\n*/]{20,120}\.)", text
        )
    sentences = sentences or lines
    mix: dict[str, list[str]] = {
        "names": draw.choices(names, k=count),
        "sentences": draw.choices(sentences, k=count),
        "issues": [" ".join(draw.choices(sentences, k=60))[:ISSUE] for _ in range(count)],
        "literals": [f'"{line}"' for line in draw.choices(lines, k=count) if '"' not in line],
        "regexes": list(REGEXES) * max(1, count // len(REGEXES) // 4),
    }
    return mix


def cpu_ms(
    engine: Engine, scope: Scope, text: str, options: SearchOptions = EDGES["nothing"]
) -> float:
    """CPU ms of one question."""
    start = time.process_time()
    engine.search(text, scope=scope, options=options)
    return 1000 * (time.process_time() - start)


def environment() -> dict[str, str]:
    """Ours, but compiled modules may be kept, as for any installed command."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def cold_start(home: Path) -> tuple[float, float]:
    """(CPU ms, wall ms) of one search by a new process of the command."""
    command = [str(Path(sys.executable).with_name("grainline")), "--home", str(home)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(
        [*command, "search", "error handling"], check=True, capture_output=True, env=environment()
    )
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * cpu, 1000 * wall


# ------------------------------------------------------------------ the system


def tree(root: int) -> list[int]:
    """A process and its descendants (Linux)."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(words[1])
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def private_memory(pid: int) -> int:
    """RssAnon in bytes; 0 for a process that is gone, or where the system does not tell."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    return 1024 * int(found[1]) if found else 0


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def quantile(values: Sequence[float], share: float) -> float:
    """The value at a share of the sorted list, nearest rank."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


if __name__ == "__main__":
    raise SystemExit(main())
