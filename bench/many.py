"""A home of many small repositories: what indexing, asking and following them costs.

    many.py [--repositories N] [--keep DIR]

The repositories are made here, of six files each and always the same. Times are CPU milliseconds of
the process, wall time where a line says so.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from speed import calibrate, quantile

from grainline.engine import Engine
from grainline.indexing.owner.owner import become_owner
from grainline.model.access import AccessRule, Policy, Scope
from grainline.model.search import SearchResult

SEED = 5
WORDS = (
    "refund", "order", "payment", "invoice", "customer", "cart", "token", "session", "cache",
    "queue", "worker", "retry", "limit", "user", "account", "role", "policy", "audit",
)  # fmt: skip
QUESTIONS = (
    "refund order payment",
    "where is the retry limit of a customer cart?",
    "how does the audit of an account reach the queue?",
    "token session cache",
    "worker.retry",
)
ROUNDS = 8


def main() -> int:
    """0; the figures go to standard output as Markdown rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--repositories", type=int, default=400)
    parser.add_argument("--keep", type=Path, help="make them there, and use what is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="grainline-bench-") as folder:
        place = options.keep or Path(folder)
        print(f"\n## {options.repositories} repositories\n\n| measure | value |\n|---|---|")
        for measure, value in figures(place, options.repositories):
            print(f"| {measure} | {value} |", flush=True)
    return 0


def figures(place: Path, count: int) -> Iterator[tuple[str, str]]:
    """Every figure, in the order in which it is taken."""
    yield "calibration loop, CPU ms", f"{calibrate():.0f}"
    roots = list(repositories(place / "repositories", count))
    home = place / "home"
    times = [cpu_of(partial(indexed, home, root), children=True) for root in roots]
    yield (
        "index of one, edges too, the first and last ten, CPU ms",
        (f"{mean(times[:10]):.0f}, {mean(times[-10:]):.0f}"),
    )
    engine = Engine.open(str(home))
    rules = [AccessRule(repository=root.name, prefix=b"", groups=("team",)) for root in roots[::2]]
    users = (("ann", ("team",)),)
    engine.set_policy(Policy(epoch=0, users=users, rules=tuple(rules)))
    ann = engine.scope(principal="ann")
    for name, scope in (("owner", None), ("a principal of half of them", ann)):
        engine.search(QUESTIONS[0], scope=scope)
        each = [asked(engine, scope, query) for query in QUESTIONS for _ in range(ROUNDS)]
        yield (
            f"search, {name}, p50 / p95",
            f"{quantile(each, 0.5):.1f} / {quantile(each, 0.95):.1f}",
        )
    one = engine.scope(repos=(roots[7].name,))
    engine.search(QUESTIONS[0], scope=one)
    yield (
        "search in one repository",
        f"{cpu_of(lambda: engine.search(QUESTIONS[0], scope=one)):.1f}",
    )
    yield (
        "context, first and again",
        " / ".join(f"{cpu_of(lambda: engine.context(QUESTIONS[1])):.0f}" for _ in range(2)),
    )
    yield "status", f"{cpu_of(engine.status):.0f}"
    engine.set_policy(None)
    engine.close()
    yield from following(home)


def asked(engine: Engine, scope: Scope | None, query: str) -> float:
    """CPU milliseconds of a question."""
    return cpu_of(lambda: engine.search(query, scope=scope))


def following(home: Path) -> Iterator[tuple[str, str]]:
    """What a process costs that follows all of them."""
    started = time.perf_counter()
    owner = become_owner(home, lambda: Engine.open(str(home)))
    if owner is None:
        raise SystemExit("another process follows this home")
    arguments = {"query": QUESTIONS[0]}
    owner_answers(owner.ask("search", arguments))
    yield "follower: first answer, wall s", f"{time.perf_counter() - started:.1f}"
    while (
        "as on disk"
        not in dict(owner_answers(owner.ask("search", arguments)).coverage.channels)["work_tree"]
    ):
        time.sleep(0.2)
    yield "follower: all trees looked at, wall s", f"{time.perf_counter() - started:.1f}"
    yield (
        "follower: open files; git processes",
        f"{len(list(Path('/proc/self/fd').iterdir()))}; {running()}",
    )
    each = [cpu_of(lambda: owner_answers(owner.ask("search", arguments))) for _ in range(20)]
    yield "follower: search p50 / p95", f"{quantile(each, 0.5):.1f} / {quantile(each, 0.95):.1f}"
    idle = cpu_of(lambda: time.sleep(10))
    yield "follower: share of a core while idle", f"{idle / 10_000:.3f}"
    owner.close()


def owner_answers(asked: Future[object] | None) -> SearchResult:
    """What the owner answers; it was not busy."""
    if asked is None:
        raise SystemExit("the queue of the follower is full")
    found = asked.result()
    assert isinstance(found, SearchResult)
    return found


def repositories(place: Path, count: int) -> Iterator[Path]:
    """The repositories, made where they are not there yet."""
    random_ = random.Random(SEED)
    for number in range(count):
        root = place / f"team{number % 40:02d}" / f"service{number:04d}"
        names = [random_.sample(WORDS, 3) for _ in range(6)]
        if not (root / ".git").exists():
            make(root, names, number)
        yield root


def make(root: Path, names: list[list[str]], number: int) -> None:
    """One repository with one commit."""
    root.mkdir(parents=True)
    for at, (first, second, third) in enumerate(names):
        functions = (
            f"def {first}_{second}_{third}_{each}_{number}(x):\n"
            f'    """{first} the {second} of a {third}."""\n    return {second}(x, {each})\n'
            for each in range(8)
        )
        (root / f"{first}_{at}.py").write_text("\n\n".join(functions), encoding="utf-8")
    git = ("git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "one")):
        subprocess.run((*git, *command), check=True)


def indexed(home: Path, root: Path) -> None:
    """Index one repository and make its edges."""
    engine = Engine.open(str(home))
    engine.index(str(root), name=root.name)
    engine.fill(root.name)
    engine.close()


def cpu_of(work: Callable[[], object], *, children: bool = False) -> float:
    """CPU milliseconds of some work."""
    before = used(children=children)
    work()
    return 1000 * (used(children=children) - before)


def used(*, children: bool) -> float:
    """CPU seconds of this process (and of those that it waited for)."""
    if not children:
        return time.process_time()
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def running() -> int:
    """Child processes of this one that live."""
    found = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return sum(len(each.read_text(encoding="ascii").split()) for each in found)


def mean(values: Sequence[float]) -> float:
    """Their mean."""
    return sum(values) / len(values)


if __name__ == "__main__":
    sys.exit(main())
