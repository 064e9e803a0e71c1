"""A language server in a sidecar: call sites in, what it says they mean out.

**Running a language server on a hostile project can execute its code.** Nothing here is started
by anything but a call of `ask` that names the server. It works on a private copy of the files it
is given (working texts, so that places are ours), without the settings, scripts and packages of
the repository (`servers/base.py`), and is killed with all that it started.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from grainline.errors import BadInput
from grainline.model.position import Span
from grainline.model.symbol import Role
from grainline.precise.answers import Answer, Answers, Site, Target, edges
from grainline.precise.files import File
from grainline.precise.index import Problem, safe_path
from grainline.precise.jsonrpc import Nonsense
from grainline.precise.servers.base import SERVERS, Server
from grainline.precise.session import LIMITS, Limits, Session
from grainline.precise.sidecar import Bounds, Sidecar, Stopped, environment, find

__all__ = [
    "SERVERS", "Answer", "Answers", "Limits", "Site", "Target", "ask", "call_sites", "edges",
    "given_to", "program_of", "sites_of",
]  # fmt: skip


def call_sites(files: Iterable[File]) -> list[Site]:
    """The calls of some files by our own references, in order."""
    return sites_of(files, frozenset({Role.CALL}))


def sites_of(files: Iterable[File], roles: frozenset[Role] = frozenset(Role)) -> list[Site]:
    """The references of some files by our own parser, in order."""
    return [
        Site(file.path, Span(each.start, each.end))
        for file in sorted(files, key=_path_of)
        for each in file.facts.references
        if each.role in roles
    ]


def given_to(server: Server, files: Iterable[File]) -> list[File]:
    """The files that a server gets to see, in order."""
    seen = sorted((f for f in files if server.sees(f.path, f.facts.language)), key=_path_of)
    return [f for f in seen if safe_path(f.path.decode("utf-8", "surrogateescape")) == f.path]


def program_of(name: str) -> str:
    """The program of a server; nothing is started.

    Raises:
        BadInput: no server is called so, or its program is not installed.
    """
    server = SERVERS.get(name)
    found = find(server.programs)
    if found is None:
        raise BadInput(
            "no_server", f"{server.programs[0]} is not installed", subject=name,
            hint=f"get it: {server.install}",
        )  # fmt: skip
    return found


def unheard(done: int) -> None:
    """Tell nobody."""
    del done


def ask(
    name: str,
    files: Iterable[File],
    sites: Iterable[Site],
    limits: Limits = LIMITS,
    *,
    program: str | None = None,
    told: Callable[[int], None] = unheard,
) -> Answers:
    """Start the server called `name` and ask it where the words at `sites` are defined.

    This runs another program on the files, which can execute code of a hostile project.

    Args:
        name: of a server (`SERVERS.names()`).
        files: all that it may see; it is given those of its languages and its project files.
        sites: places in these files; those in others are not asked about.
        limits: beyond them it is killed; what it said before is kept.
        program: absolute path of the program; by default the one that is installed.
        told: is called with the number of each question before it is asked. The user may interrupt:
            what was said before is kept then, too.

    Raises:
        BadInput: no server is called so.
    """
    server = SERVERS.get(name)
    given = given_to(server, files)
    consumed = tuple(file.path for file in given)
    size = sum(len(file.text) for file in given)
    if len(given) > limits.files or size > limits.tree:
        problem = Problem("too_large", f"{len(given)} files of {size} bytes")
        return Answers(server=name, problem=problem)
    found = program or find(server.programs)
    if found is None:
        problem = Problem("absent", f"{server.programs[0]} is not installed: {server.install}")
        return Answers(server=name, problem=problem)
    with tempfile.TemporaryDirectory(prefix="grainline-lsp-", ignore_cleanup_errors=True) as made:
        folder = Path(made).resolve()
        tree = folder / "tree"
        _copy(tree, given)
        return _run(server, found, folder, given, sites, limits, consumed, told)


def _path_of(file: File) -> bytes:
    return file.path


def _copy(tree: Path, files: Iterable[File]) -> None:
    """The files below `tree`; paths are checked, and nothing in there is a link."""
    tree.mkdir(mode=0o700)
    for file in files:
        target = tree / os.fsdecode(file.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.text)


def _run(
    server: Server,
    program: str,
    folder: Path,
    files: Sequence[File],
    sites: Iterable[Site],
    limits: Limits,
    consumed: tuple[bytes, ...],
    heard: Callable[[int], None],
) -> Answers:
    tools = [program, *(tool for name in server.tools if (tool := find((name,))))]
    told = environment(folder, tools, server.environment)
    bounds = Bounds(seconds=limits.total, memory=limits.memory, output=limits.output)
    session: Session | None = None
    problem: Problem | None = None
    sidecar: Sidecar | None = None
    try:
        sidecar = Sidecar((program, *server.arguments), folder / "tree", told, bounds)
        session = Session(sidecar, server, folder / "tree", limits, heard)
        session.start(program)
        session.ask(files, sites)
        session.end()
    except Stopped as stopped:
        problem = Problem(stopped.code, stopped.detail)
    except Nonsense as wrong:
        problem = Problem("nonsense", str(wrong))
    except KeyboardInterrupt:
        problem = Problem("interrupted", "stopped by the user")
    finally:
        if sidecar is not None:
            sidecar.close()
    if session is None:
        return Answers(server=server.name, problem=problem, consumed=consumed)
    return Answers(
        server=server.name,
        version=session.version,
        done=tuple(session.done),
        answers=tuple(session.answers),
        refused=session.refused,
        problem=problem,
        consumed=consumed,
        encoding=session.encoding,
    )
