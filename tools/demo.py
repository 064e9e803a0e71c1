"""`make demo`: index a real repository, ask three questions, say what to try next.

The repository is the source of this one at HEAD; while it is small, or without git metadata, a pinned release of a
real package. The index is made
anew and stays in .cache/demo, so that the shown commands go on from there.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import fetch_data

ROOT = Path(__file__).resolve().parent.parent
HOME = Path(".cache") / "demo"
GRAINLINE = Path(sys.executable).with_name("grainline")
ENOUGH_FILES = 200


class Subject(NamedTuple):
    """What is indexed and asked."""

    arguments: tuple[str, ...]
    question: str
    explain: str
    symbol: str


OURS = Subject(
    arguments=("src", "--ref", "HEAD", "--name", "grainline"),
    question="where is a secret masked before anything is stored?",
    explain="how does a page keep one file from filling it?",
    symbol="Engine.search",
)
DJANGO = Subject(
    arguments=(str(Path(".cache") / "data" / "django-5.2.8"), "--name", "django"),
    question="where is the CSRF token of a request compared?",
    explain="how does a queryset decide when to hit the database?",
    symbol="QuerySet.get",
)


def main() -> int:
    """0 when every step worked."""
    start = time.monotonic()
    subject = choose()
    shutil.rmtree(ROOT / HOME, ignore_errors=True)
    for command in (
        ("index", *subject.arguments),
        ("search", subject.question, "-k", "3"),
        ("context", subject.explain, "--budget", "1200"),
        ("callers", subject.symbol, "--depth", "2", "-k", "12"),
    ):
        status = grainline(*command)
        if status:
            return status
    print(f"\n{time.monotonic() - start:.0f} s. Try next:\n")
    for line in suggestions(subject):
        print(f"  {line}")
    return 0


def choose() -> Subject:
    """This repository when it is large enough, else the package."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-tree", "-r", "--name-only", "HEAD"],
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if listed.returncode == 0 and listed.stdout.count(b"\n") > ENOUGH_FILES:
        return OURS
    fetch_data.main(["django"])
    return DJANGO


def grainline(*arguments: str) -> int:
    """Run one command in the demo's home and show it as a person would type it."""
    print(f"\n$ grainline {shlex.join(arguments)}", flush=True)
    return subprocess.run(
        [str(GRAINLINE), "--home", str(HOME), *arguments], check=False, cwd=ROOT
    ).returncode


def suggestions(subject: Subject) -> list[str]:
    """Commands that go on from here."""
    command = f"{GRAINLINE.relative_to(ROOT)} --home {HOME}"
    return [
        f"{command} show {subject.symbol}",
        f"{command} search 'your own question'",
        f"{command} context --target {subject.symbol} --budget 4000",
        f"{GRAINLINE.relative_to(ROOT)} index path/to/your/repository",
    ]


if __name__ == "__main__":
    raise SystemExit(main())
