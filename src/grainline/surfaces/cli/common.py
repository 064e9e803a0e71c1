"""What every verb shares: global options, scope, filters, printing an answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from grainline.errors import BadInput
from grainline.surfaces.cli.terminal import Places, Terminal

if TYPE_CHECKING:
    from grainline.config import Settings
    from grainline.engine import Engine
    from grainline.indexing.owner.methods import Answers
    from grainline.model.access import Scope
    from grainline.model.search import CoverageRecord, Filters
    from grainline.snapshots import ReadOptions

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(slots=True, kw_only=True)
class Run:
    """One invocation: the global options, wherever on the line they stood."""

    home: str | None = None
    config: str | None = None
    json: bool = False
    debug: bool = False
    exit_code: int = 0
    _settings: Settings | None = field(default=None)

    @property
    def settings(self) -> Settings:
        """The settings, read once."""
        if self._settings is None:
            from grainline.config import load

            home = file_name(self.home) if self.home else None
            config = file_name(self.config) if self.config else None
            self._settings = load(os.environ, home=home, config=config)
        return self._settings

    def engine(self, *, create: bool = False) -> Engine:
        """The engine of this run's home."""
        from grainline.engine import Engine
        from grainline.surfaces.cli.progress import Waiting

        engine = Engine.open(self.settings.home, create=create)
        engine.report = Waiting()
        return engine

    def answers(self) -> Answers:
        """What answers: the owner of the home where there is one, else an engine of our own."""
        from pathlib import Path

        from grainline.indexing.owner.client import Asker
        from grainline.surfaces.cli.terminal import note

        asker = Asker(Path(self.settings.home), self.engine, self.read_options, note)
        click.get_current_context().call_on_close(asker.close)
        return asker

    def read_options(self) -> ReadOptions:
        """What to read of repositories, by the settings."""
        from grainline.snapshots import ReadOptions, user_excludes_file

        settings = self.settings
        return ReadOptions(
            include=settings.include,
            exclude=settings.exclude,
            allow_alternates=settings.allow_alternates,
            global_excludes=user_excludes_file(),
        )

    def out(self) -> Terminal:
        """Standard output."""
        return Terminal.of(sys.stdout, os.environ)

    def emit(self, value: dict[str, Any]) -> None:
        """Print one JSON object."""
        from grainline.surfaces.wire import dumps

        sys.stdout.write(dumps(value) + "\n")


def file_name(argument: str) -> str:
    """An argument as the name of a file: its bytes, as this locale spells them."""
    return os.fsdecode(argument.encode("utf-8", "surrogateescape"))


def check_form(run: Run, form: str | None) -> None:
    """Refuse `--json` beside a `--format` that was asked for and is another one.

    Raises:
        BadInput: both were given.
    """
    source = click.get_current_context().get_parameter_source("form")
    if run.json and form != "json" and source is ParameterSource.COMMANDLINE:
        raise BadInput(
            "usage", f"--json and --format {form} are two formats", hint="give one of them"
        )


pass_run = click.make_pass_decorator(Run, ensure=True)


def _remember(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            setattr(context.ensure_object(Run), name, value)

    return callback


def global_options(command: F) -> F:
    """`--home --config --json --debug`, taken before and after the verb."""
    for decorate in (
        click.option(
            "--debug",
            is_flag=True,
            expose_value=False,
            callback=_remember("debug"),
            help="Show the traceback of an error.",
        ),
        click.option(
            "--json",
            is_flag=True,
            expose_value=False,
            callback=_remember("json"),
            help="Print one JSON object.",
        ),
        click.option(
            "--config",
            metavar="FILE",
            expose_value=False,
            callback=_remember("config"),
            help="Settings file instead of the user's own.",
        ),
        click.option(
            "--home",
            metavar="DIR",
            expose_value=False,
            callback=_remember("home"),
            help="Folder of the index ($GRAINLINE_HOME, else one in the user's data folder).",
        ),
    ):
        command = decorate(command)
    return command


def _repeated(flag: str, name: str, metavar: str, what: str) -> Callable[[F], F]:
    text = f"Only {what}; may be repeated."
    return click.option(flag, name, multiple=True, metavar=metavar, help=text)


def scope_options(command: F) -> F:
    """`--repo --ref --as`."""
    for decorate in (
        click.option("--as", "principal", metavar="PRINCIPAL", help="Who asks (default: owner)."),
        _repeated("--ref", "refs", "REF", "this branch, tag or commit"),
        _repeated("--repo", "repos", "NAME", "this repository"),
    ):
        command = decorate(command)
    return command


def filter_options(command: F) -> F:
    """`--path --lang --kind --module --tests`: they narrow candidates, not statistics."""
    for decorate in (
        click.option(
            "--tests",
            type=click.Choice(["yes", "no", "auto"]),
            default="auto",
            show_default=True,
            help="Test code: as any other, never, or demoted unless asked for.",
        ),
        _repeated("--module", "modules", "M", "this module"),
        _repeated("--kind", "kinds", "K", "this symbol kind"),
        _repeated("--lang", "languages", "L", "this language"),
        _repeated("--path", "paths", "GLOB", "these paths"),
    ):
        command = decorate(command)
    return command


def make_scope(
    engine: Answers, repos: tuple[str, ...], refs: tuple[str, ...], principal: str | None
) -> Scope:
    """The scope that the options name; a ref that no index holds yet is indexed first.

    That is for the owner of the home: for a principal, what is not indexed does not exist.
    """
    from grainline.errors import BadInput

    try:
        return engine.scope(repos=repos, refs=refs, principal=principal)
    except BadInput as failure:
        if failure.code != "unknown_ref" or principal or not refs:
            raise
        named = _index_first(repos, refs)
        if not named:
            known = failure.hint.partition(". Run: ")[0]
            failure.hint = f"no repository asked has it either; {known}"
            raise
    return engine.scope(repos=repos, refs=tuple(named.get(ref, ref) for ref in refs))


def _index_first(repos: tuple[str, ...], refs: tuple[str, ...]) -> dict[str, str]:
    """Index refs that a repository of the home knows; each with the name of the view that it got."""
    from grainline.surfaces.cli.progress import progress_bar
    from grainline.surfaces.cli.terminal import note

    run = click.get_current_context().find_object(Run)
    assert run is not None, "every verb makes one"
    with progress_bar() as progress:
        done = run.engine().ensure(refs, repos=repos, read=run.read_options(), progress=progress)
    named: dict[str, str] = {}
    for asked, report in done:
        for view in report.views:
            ref = view.snapshot.ref or view.snapshot.commit
            named[asked] = ref
            note(
                f"note: {view.repository}@{ref} was not indexed; it is now, and is kept while used"
            )
    return named


def make_filters(
    paths: tuple[str, ...],
    languages: tuple[str, ...],
    kinds: tuple[str, ...],
    modules: tuple[str, ...],
    tests: str,
) -> Filters:
    """The filters that the options name.

    Raises:
        BadInput: a kind or a language is not one.
    """
    from grainline.errors import BadInput
    from grainline.model.search import Filters, TestFilter
    from grainline.model.symbol import SymbolKind

    known = [str(kind) for kind in SymbolKind]
    for kind in kinds:
        if kind not in known:
            raise BadInput(
                "unknown_kind", f"no kind is called {kind!r}", hint="known: " + ", ".join(known)
            )
    if languages:
        from grainline.languages.base import check_languages

        check_languages(languages)
    return Filters(
        paths=paths, languages=languages, kinds=kinds, modules=modules, tests=TestFilter(tests)
    )


def places(engine: Answers, scope: Scope) -> Places:
    """How to print paths of a scope."""
    return Places(engine.roots(scope=scope))


def warn(coverage: CoverageRecord, *, looks: bool = True) -> None:
    """Tell people, on standard error, what an answer did not look at.

    Args:
        coverage: of the answer.
        looks: whether the verb shows work trees as they are on disk, so that others are worth a note.
    """
    from grainline.surfaces.cli.terminal import note

    for warning in coverage.warnings:
        note(f"warning: {warning}")
    if looks:
        tell_trees(dict(coverage.channels).get("work_tree", ""))
    if coverage.not_covered:
        from grainline.context.formats.objects import uncovered

        for reason, count in coverage.not_covered:
            note(uncovered(reason, count))


def tell_trees(work_tree: str) -> None:
    """Tell people, on standard error, when work trees are not shown as they are on disk."""
    from grainline.surfaces.cli.terminal import note

    if state := unusual(work_tree):
        note(f"note: work trees: {state}")


USUAL = ("as on disk", "all of it was looked at ", "followed by process ")
"""How the parts of a state of work trees begin that all hold for a tree that is shown as it is."""


def unusual(work_tree: str) -> str:
    """What people must know of the state of the work trees in an answer; "" where it is usual."""
    parts = work_tree.split("; ")
    if not work_tree or parts[0] != USUAL[0]:
        return work_tree
    return "; ".join(part for part in parts if not part.startswith(USUAL))
