"""Exact edges from a language server that the user named: asked, kept, taken like an index.

**Running a language server on a hostile project can execute its code.** Nothing but a call of
`ask_server` starts one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from grainline.errors import Interrupted
from grainline.graph.bridges.base import METHODS as BRIDGED
from grainline.graph.table import EdgeTable
from grainline.indexing.answered import asked_key, forget, recall, remember, together
from grainline.indexing.exact import UTF8, files_of, keep
from grainline.indexing.kept import rows_of
from grainline.model.answers import ExactReport, Progress
from grainline.model.facts import FileFacts
from grainline.model.snapshot import Outcome
from grainline.precise import File, lsp
from grainline.precise.answers import Answers
from grainline.precise.servers.base import SERVERS, Server
from grainline.precise.session import LIMITS, Limits
from grainline.storage.base import Corpus, Derived

EVERY = 16
"""Questions between two reports of progress."""


def ask_server(
    corpus: Corpus,
    name: str,
    known: EdgeTable,
    derived: Derived,
    *,
    limits: Limits | None = None,
    program: str | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> ExactReport:
    """Ask a server about every reference of the one view of `corpus`, and keep the edges.

    A run that ended early is gone on with by the next one, of the same state of the view.

    Args:
        corpus: the view, unmasked.
        name: of the server.
        known: the edges of our own.
        derived: of the home.
        limits: of one run.
        program: absolute path of the program; by default the one that is installed.
        progress: called now and then; the stage is the name of the server.

    Raises:
        BadInput: no server is called so, or it is not installed.
        Interrupted: by the user; what was said is kept.
    """
    server = SERVERS.get(name)
    program = program or lsp.program_of(name)
    files = lsp.given_to(server, [*files_of(corpus), *_project_files(corpus, server)])
    sites = lsp.sites_of(files)
    (view,), (state,) = corpus.scope.views, corpus.snapshots
    key = asked_key(view, state.generation, name)
    before = recall(derived, key)
    done = frozenset(before.done if before is not None else ())
    rest = [site for site in sites if site not in done]

    def told(number: int) -> None:
        if number % EVERY == 1 % EVERY:
            progress(Progress(stage=name, done=len(done) + number, total=len(sites)))

    now = Answers(server=name)
    if rest:
        now = lsp.ask(name, files, rest, limits or LIMITS, program=program, told=told)
    answers = replace(together(before, now), consumed=tuple(file.path for file in files))
    if now.problem is None and answers.asked == len(sites):
        forget(derived, key)
    else:
        remember(derived, key, answers)
    found = lsp.edges(answers, files, rows_of(known.without(BRIDGED)))
    said = bool(answers.answers)  # else what an earlier run said of this state stays
    report = keep(corpus, found, derived, source=name, tool=answers.version or name, said=said)
    if now.problem is not None and now.problem.code == "interrupted":
        raise Interrupted(
            "interrupted",
            f"stopped after {answers.asked} of {len(sites)} questions; what {name} said is kept",
            hint="run it again to go on",
        )
    return replace(
        report,
        refused=answers.refused,
        asked=answers.asked,
        questions=len(sites),
        problem=f"{now.problem.code}: {now.problem.detail}" if now.problem is not None else "",
    )


def _project_files(corpus: Corpus, server: Server) -> Iterator[File]:
    """The files of other kinds that tell the server one module from another."""
    for entry in range(corpus.n_entries):
        path, language = corpus.path(entry), corpus.language(entry)
        if language in server.languages or not server.sees(path, language):
            continue
        kept = corpus.entry(entry).outcome in (Outcome.INDEXED, Outcome.INDEXED_AS_TEXT)
        if kept and corpus.encoding(entry).lower() in UTF8:
            yield File(path, corpus.text(entry), FileFacts(language=language))
