"""`grainline index PATH`: bring the index up to date."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grainline.errors import BadInput, Refused
from grainline.model.access import WORKTREE
from grainline.model.answers import EdgeReport, ExactReport, IndexReport, Progress, ViewReport
from grainline.model.position import quote_path
from grainline.model.snapshot import Outcome
from grainline.surfaces.cli.common import Run, file_name, global_options, pass_run
from grainline.surfaces.cli.progress import progress_bar
from grainline.surfaces.cli.terminal import Terminal, is_plain, note
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.engine import Engine
    from grainline.precise.index import Index

FAILED = 1  # exit code: done, but some files failed
OUTCOMES = {
    Outcome.SKIPPED: "skipped",
    Outcome.INDEXED_AS_TEXT: "as text",
    Outcome.FAILED: "failed",
    Outcome.INDEXED: "indexed",
}
SHOWN = 10  # failed paths named in text output


@click.command("index")
@click.argument("path", default=".")
@click.option(
    "--ref", "refs", multiple=True, metavar="REF", help="A branch, tag or commit; may be repeated."
)
@click.option("--name", metavar="NAME", help="Label of the repository.")
@click.option("--chunker", metavar="NAME", help="Chunking strategy (default: grain).")
@click.option(
    "--include", multiple=True, metavar="PATTERN", help="Only these paths; may be repeated."
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Not these paths; may be repeated."
)
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes (default: cores).")
@click.option(
    "--allow-home", is_flag=True, help="Index even the home folder, or one of many repositories."
)
@click.option(
    "--allow-alternate",
    "alternates",
    multiple=True,
    metavar="DIR",
    help="Borrow git objects from there.",
)
@click.option(
    "--edges",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="Make the edges between symbols now, not when they are asked for.",
)
@click.option(
    "--scip",
    "scips",
    multiple=True,
    metavar="FILE",
    help="A SCIP index of what is indexed: exact edges; may be repeated.",
)
@click.option(
    "--lsp",
    "servers",
    multiple=True,
    metavar="NAME",
    help="Ask this language server about every reference: exact edges. Running one on a hostile"
    " project can execute its code. May be repeated.",
)
@click.option(
    "--lsp-time",
    type=click.IntRange(1),
    default=900,
    show_default=True,
    metavar="SECONDS",
    help="Of one run of a server; the next run goes on.",
)
@click.option("--dense", type=click.Choice(["off"]), help="Dense vectors: off.", hidden=True)
@global_options
@pass_run
def COMMAND(  # noqa: N802 - the name by which a verb's module is loaded
    run: Run,
    path: str,
    refs: tuple[str, ...],
    name: str | None,
    chunker: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    workers: int | None,
    allow_home: bool,
    alternates: tuple[str, ...],
    edges: str,
    scips: tuple[str, ...],
    servers: tuple[str, ...],
    lsp_time: int,
    dense: str | None,
) -> None:
    """Bring the index of PATH up to date.

    PATH is a work tree, a folder inside one, a bare repository, or a plain folder.
    """
    from grainline.indexing.pipeline import IndexOptions
    from grainline.snapshots import ReadOptions, user_excludes_file

    if name is not None and not is_plain(name):
        raise BadInput(
            "bad_name",
            f"{name!r} holds control characters",
            hint="give a --name of printable characters",
        )
    indexes = [_scip_of(each) for each in scips]  # before anything is written
    for server in servers:
        _check_server(server)
    for folder in alternates:
        if not Path(file_name(folder)).is_dir():
            what = f"--allow-alternate {folder!r} is no folder"
            raise BadInput("not_found", what, hint="name the folder that objects are borrowed from")
    settings = run.settings
    options = IndexOptions(chunker=chunker or settings.chunker, workers=workers, ir=edges == "on")
    read = ReadOptions(
        include=include or settings.include,
        exclude=(*settings.exclude, *exclude),
        allow_alternates=(*settings.allow_alternates, *map(file_name, alternates)),
        global_excludes=user_excludes_file(),
        allow_home=allow_home,
    )
    started = time.monotonic()
    engine = run.engine(create=True)
    with progress_bar() as progress, _about(path):
        report = engine.index(
            file_name(path), refs=refs, name=name, options=options, read=read, progress=progress
        )
    if report.suspicious or report.count(Outcome.FAILED):
        run.exit_code = FAILED
    out = None if run.json else run.out()
    if out is None:
        for warning in _warnings(report):
            note(f"warning: {warning}")
    else:
        _print(out, report)
    made: tuple[EdgeReport, ...] = ()
    with progress_bar() as progress:
        told = _telling_once(progress)
        for label in sorted({view.repository for view in report.views}) if edges == "on" else ():
            made += engine.fill(label, options=options, progress=told)
    exact = tuple(
        found
        for view in report.views
        for index in indexes
        for found in engine.exact(view.repository, index, ref=_ref_of(view))
    )
    with progress_bar() as progress:
        for view in report.views:
            for server in servers:
                exact += _asked(engine, view, server, lsp_time, progress)
    if any(found.problem for found in exact):
        run.exit_code = FAILED
    if out is None:
        from grainline.surfaces import wire

        run.emit(wire.index(report, made, exact))
        _warn_of_servers(exact)
        return
    for each in made:
        _print_edges(out, each)
    for found in exact:
        _print_exact(out, found)
    _warn_of_servers(exact)
    out.line(f"done in {time.monotonic() - started:.1f} s")


@contextmanager
def _about(path: str) -> Generator[None]:
    """An error that names no path is about the one that was to be indexed."""
    try:
        yield
    except (BadInput, Refused) as failure:
        if failure.path is None:
            failure.path = quote_path(path.encode("utf-8", "surrogateescape"))
        raise


def _warnings(report: IndexReport) -> list[str]:
    lines = [
        f"{language}: many files and not one symbol: the parser or its tables are at fault"
        for language in report.suspicious
    ]
    lines.extend(report.warnings)
    lines.extend(warning for view in report.views for warning in view.warnings)
    return lines


def _print(out: Terminal, report: IndexReport) -> None:
    for view in report.views:
        _print_view(out, view)
    for warning in _warnings(report):
        note(f"warning: {warning}")


def _telling_once(progress: Callable[[Progress], None]) -> Callable[[Progress], None]:
    """`progress`, which says before its first report what is done now."""
    told: list[bool] = []

    def tell(report: Progress) -> None:
        if not told:
            told.append(True)
            note("text and symbols answer now; making the edges between symbols")
        progress(report)

    return tell


def _ref_of(view: ViewReport) -> str:
    return view.snapshot.ref or view.snapshot.commit


def _scip_of(name: str) -> Index:
    """The SCIP index in a file that the user named."""
    from grainline.indexing.exact import read_index

    try:
        data = Path(file_name(name)).read_bytes()
    except OSError as error:
        raise BadInput(
            "bad_file", f"it cannot be read: {error.strerror}", subject=name, hint="name a file"
        ) from error
    return read_index(data, name)


def _check_server(name: str) -> None:
    """Say what is about to be run.

    Raises:
        BadInput: no server is called so, or it is not installed.
    """
    from grainline.precise.lsp import SERVERS, program_of

    program_of(name)
    note(
        f"note: {name} will run on these files; a language server can execute code of a hostile"
        f" project (known: {SERVERS.get(name).executes})"
    )


def _asked(
    engine: Engine,
    view: ViewReport,
    server: str,
    seconds: int,
    progress: Callable[[Progress], None],
) -> tuple[ExactReport, ...]:
    from grainline.precise.session import Limits

    limits = Limits(total=float(seconds))
    return engine.ask_server(
        view.repository, server, ref=_ref_of(view), limits=limits, progress=progress
    )


def _warn_of_servers(exact: tuple[ExactReport, ...]) -> None:
    for found in exact:
        if found.problem:
            note(
                f"warning: {found.tool} ended early ({found.problem}); {found.asked} of"
                f" {found.questions} questions were asked. Run it again to go on"
            )


def _print_exact(out: Terminal, found: ExactReport) -> None:
    counts = dict(found.counts)
    name = found.tool or "the index"
    out.line(
        f"  exact edges of {out.content(name)}: {found.edges}; {found.matched} of"
        f" {counted(found.documents, 'document')} match"
    )
    if found.questions:
        out.line(f"    asked {found.asked} of {counted(found.questions, 'question')}")
    out.line(
        f"    confirms {counts['upgraded']}, contradicts {counts['contradicted']},"
        f" adds {counts['added']}"
    )
    for edge in found.contradicted[:SHOWN]:
        place = f"{quote_path(edge.src.path)} byte {edge.site.start}"
        out.line(f"    contradicted: {place}: {out.content(edge.dst.descriptor)}")
    if found.stale:
        note(f"warning: {counted(len(found.stale), 'document')} of another text, left out")


def _print_edges(out: Terminal, made: EdgeReport) -> None:
    calls = made.calls + made.calls_without_target
    if not calls and not made.edges:
        return
    ref = made.snapshot.ref
    name = "work tree" if ref == WORKTREE else ref or made.snapshot.commit[:12]
    share = f"{made.calls} of {calls} calls lead to a symbol" if calls else "no calls"
    left = sum(count for _, count in made.left_out)
    rest = f"; {counted(left, 'file')} not read" if left else ""
    out.line(f"  edges of {out.name(name)}: {made.edges}; {share}{rest}")


def _print_view(out: Terminal, view: ViewReport) -> None:
    commit = view.snapshot.commit[:12] or "no commit"
    ref = view.snapshot.ref
    version = f"{out.name('work tree' if ref == WORKTREE else ref)} at {commit}" if ref else commit
    what = "" if ref else "commit "
    dirty = ", with local changes" if view.snapshot.dirty else ""
    out.line(out.paint(f"{out.name(view.repository)}  {what}{version}{dirty}", "bold"))
    counts = ", ".join(f"{view.count(outcome)} {outcome}" for outcome in Outcome)
    out.line(f"  {counts}")
    if reasons := _reasons(view):
        out.line(f"  {reasons}")
    for row in view.failures[:SHOWN]:
        out.line(
            f"  failed: {quote_path(row.path)} ({row.reason}) {out.content(row.detail)}".rstrip()
        )


def _reasons(view: ViewReport) -> str:
    """Reasons by outcome: `skipped: 3 binary; as text: 2 minified`."""
    parts: list[str] = []
    for outcome, label in OUTCOMES.items():
        found = ", ".join(
            f"{count} {reason}" for what, reason, count in view.reasons if what == outcome
        )
        if found:
            parts.append(f"{label}: {found}")
    return "; ".join(parts)
