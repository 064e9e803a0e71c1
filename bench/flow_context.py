"""What data flow does for contexts: CPU of a question, and whether the other end of a way is shown.

    flow_context.py --mirror DIR OWNER/NAME...        or a plain folder: flow_context.py /path

Asked are functions drawn at random (`--at`), with the profile that their name suggests and with
`injection`, from a kept graph, in one process; and for each finding of `scan` that crosses functions
its sink: whether the line of the source is among the lines shown, with and without data flow.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from owasp import export

from grainline.context.ways import NO_DATA
from grainline.engine import Engine
from grainline.errors import BadInput
from grainline.flow.languages import semantics_of
from grainline.indexing.pipeline import IndexOptions
from grainline.lab.mirror import find_clone
from grainline.model.evidence import ContextOptions, ContextResult, Profile
from grainline.model.flow import Finding
from grainline.model.symbol import SymbolKind

BUDGET = 8000


def main() -> int:
    """0; the table goes to standard output."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path, default=Path())
    parser.add_argument("--functions", type=int, default=60)
    parser.add_argument("folders", nargs="+")
    options = parser.parse_args()
    print("| folder | functions asked | CPU ms without / with / injection (p50, p95, most) "
          "| findings across functions | source shown without / with / injection |")  # fmt: skip
    print("|---" * 5 + "|")
    for name in options.folders:
        with tempfile.TemporaryDirectory() as work:
            print(
                row(name, opened(options.mirror, name, Path(work)), options.functions), flush=True
            )
    return 0


def opened(mirror: Path, name: str, work: Path) -> Engine:
    """The engine over a folder, or over HEAD of a clone, with its edges kept."""
    root = Path(name)
    if not root.is_dir():
        root = work / "code"
        for path, data in export(find_clone(mirror, name)):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
    engine = Engine.open(str(work / "home"))
    engine.index(str(root))
    engine.fill(options=IndexOptions())
    return engine


def row(name: str, engine: Engine, most: int) -> str:
    """One row of the table."""
    places = functions(engine)
    random.Random(0).shuffle(places)
    places = places[:most]
    ask(engine, places[0])
    with without_data():
        before = [cost(engine, place, Profile.AUTO) for place in places]
    times = [before, *([cost(engine, place, each) for place in places]
                       for each in (Profile.AUTO, Profile.INJECTION))]  # fmt: skip
    found = [each for each in engine.scan().findings if crosses(each)]
    with without_data():
        counts = [sum(shows(engine, each, Profile.AUTO) for each in found)]
    counts += [sum(shows(engine, each, profile) for each in found)
               for profile in (Profile.AUTO, Profile.INJECTION)]  # fmt: skip
    shown = " / ".join(", ".join(f"{1000 * each:.0f}" for each in spread(some)) for some in times)
    return f"| {name} | {len(places)} | {shown} | {len(found)} | {' / '.join(map(str, counts))} |"


def functions(engine: Engine) -> list[str]:
    """`PATH:LINE` of every function in a language with data flow."""
    corpus = engine.corpus(engine.scope())
    return [
        f"{corpus.path(entry).decode()}:{line_at(corpus.text(entry), each.name_start)}"
        for entry in range(corpus.n_entries)
        if semantics_of(corpus.language(entry)) is not None
        for each in corpus.outline(entry)
        if each.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
    ]


def line_at(text: bytes, offset: int) -> int:
    """The line of a byte."""
    return text.count(b"\n", 0, offset) + 1


def ask(engine: Engine, place: str, profile: Profile = Profile.AUTO) -> ContextResult:
    """The context of a place."""
    return engine.context(at=place, options=ContextOptions(budget=BUDGET, profile=profile))


def cost(engine: Engine, place: str, profile: Profile) -> float:
    """CPU seconds of a question."""
    started = time.process_time()
    ask(engine, place, profile)
    return time.process_time() - started


def spread(times: list[float]) -> tuple[float, float, float]:
    """Median, 95th percentile, most."""
    ordered = sorted(times)
    return ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)], ordered[-1]


def crosses(found: Finding) -> bool:
    """Whether data of a finding passes several functions."""
    several = len({(step.path, step.symbol) for step in found.steps}) > 1
    return several and not found.test and found.kind not in NO_DATA


def shows(engine: Engine, found: Finding, profile: Profile) -> bool:
    """Whether the context of a sink has the line of its source."""
    first, last = found.steps[0], found.steps[-1]
    try:
        result = ask(engine, f"{last.path.decode()}:{last.line}", profile)
    except BadInput:
        return False
    return any(
        span.start <= first.line <= span.end
        for item in result.items
        if item.place.path == first.path
        for span in item.spans
    )


@contextmanager
def without_data() -> Iterator[None]:
    """Contexts do not follow data."""
    ground = Engine._ground
    Engine._ground = lambda *_: None  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        Engine._ground = ground  # type: ignore[method-assign]


if __name__ == "__main__":
    raise SystemExit(main())
