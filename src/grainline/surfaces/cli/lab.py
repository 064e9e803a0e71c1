"""`grainline lab`: every claim about chunking, retrieval and expansion as a figure that is made again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grainline.errors import BadInput, CheckFailed
from grainline.surfaces.cli.common import (
    Run,
    file_name,
    global_options,
    pass_run,
    scope_options,
    warn,
)
from grainline.surfaces.cli.terminal import note, table
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.lab.compare import Comparison
    from grainline.lab.experiments.base import Experiment
    from grainline.lab.running import Step
    from grainline.llm.base import LanguageModel

F = TypeVar("F", bound=Callable[..., Any])


@click.group("lab", no_args_is_help=True)
@global_options
def COMMAND() -> None:  # noqa: N802 - the name by which a verb's module is loaded
    """Measure ways of finding and explaining code.

    Results are JSON lines below --results, named by the commit of grainline that made them. A run
    that was stopped goes on where it was; what is known is not asked again.
    """


def _folder(flag: str, help_: str, default: str | None = None) -> Callable[[F], F]:
    return click.option(flag, metavar="DIR", help=help_, default=default, show_default=True)


def source_options(command: F) -> F:
    """`--bench --mirror --data`: what datasets may need."""
    for decorate in (
        _folder("--data", "A dataset of your own: its file or folder."),
        _folder("--mirror", "Folder of clones: OWNER+NAME/repo, OWNER+NAME or OWNER/NAME."),
        _folder("--bench", "Folder of question files."),
    ):
        command = decorate(command)
    return command


def model_options(command: F) -> F:
    """`--llm-url --llm-model --llm-key-env`: who writes answers, for generators that need it."""
    for flag, help_ in (
        ("--llm-key-env", "Environment variable that holds its key."),
        ("--llm-model", "Its name there."),
        (
            "--llm-url",
            "OpenAI-compatible endpoint of a language model, like http://localhost:11434/v1.",
        ),
    ):
        command = click.option(flag, metavar=flag.rpartition("-")[2].upper(), help=help_)(command)
    return command


def _model(url: str | None, name: str | None, key_env: str | None) -> LanguageModel | None:
    """The model that is named; None when none is."""
    from grainline.llm.remote import Endpoint, Remote

    if not url:
        if name or key_env:
            raise BadInput("usage", "a model without its endpoint", hint="--llm-url URL")
        return None
    return Remote(Endpoint(url=url, model=name or "", key_env=key_env or ""))


def results_option(command: F) -> F:
    """`--results`."""
    return _folder("--results", "Folder of result files.", ".cache/lab")(command)


def _path(argument: str | None) -> Path | None:
    return Path(file_name(argument)) if argument else None


# ------------------------------------------------------------------ list


@COMMAND.command("list")
@global_options
@pass_run
def list_(run: Run) -> None:
    """Show experiments, datasets, strategies, measures."""
    from grainline.surfaces.cli.lab_json import listing

    found = listing()
    if run.json:
        run.emit(found)
        return
    out = run.out()
    for title in ("experiments", "datasets", "strategies"):
        out.line(out.paint(title, "bold"))
        rows = [(f"  {row['name']}", str(row["about"])) for row in found[title]]
        for line in table(rows):
            out.line(line)
    out.line(out.paint("off", "bold"))
    for line in table([(f"  {row['name']}", str(row["about"])) for row in found["absent"]]):
        out.line(line)
    for title in ("retrievers", "generators", "measures", "reports"):
        out.line(f"{out.paint(title, 'bold')}  {', '.join(found[title]) or 'none'}")


# ------------------------------------------------------------------ run


@COMMAND.command("run")
@click.argument("experiment", required=False)
@click.option("--set", "sets", multiple=True, metavar="SET", help="This dataset; may be repeated.")
@click.option(
    "--strategy", "strategies", multiple=True, metavar="S", help="This strategy; may be repeated."
)
@click.option(
    "--option", "given", multiple=True, metavar="NAME=VALUE", help="A setting or an option."
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="So many questions of each set.")
@model_options
@click.option("--present", is_flag=True, help="Leave out questions whose clone is not there.")
@results_option
@source_options
@global_options
@pass_run
def run_(
    run: Run,
    experiment: str | None,
    sets: tuple[str, ...],
    strategies: tuple[str, ...],
    given: tuple[str, ...],
    limit: int | None,
    present: bool,
    results: str,
    bench: str | None,
    mirror: str | None,
    data: str | None,
    llm_url: str | None,
    llm_model: str | None,
    llm_key_env: str | None,
) -> None:
    """Run an experiment, or strategies over sets.

    EXPERIMENT is a name of `lab list`, or a TOML file; with --set over that set in place of its own,
    with --strategy only with that strategy.

    \b
    grainline lab run smoke
    grainline lab run --set small --strategy lines --strategy function --option k=5
    """  # noqa: D301 - click wants the control character
    from grainline.lab.cache import ANSWERS
    from grainline.lab.datasets.base import DATASETS
    from grainline.lab.running import Plan
    from grainline.lab.running import run as run_plan

    chosen = _experiment(experiment, sets, strategies, given)
    folder = Path(file_name(results))
    if llm_url:
        _check_asks(chosen)
    model = _model(llm_url, llm_model, llm_key_env)
    files: list[Path] = []
    progress = _Steps()
    for name in chosen.datasets:
        plan = Plan(
            dataset=DATASETS.get(name),
            asked=chosen.asked,
            results=folder,
            cache=folder / ANSWERS,
            bench=_path(bench),
            mirror=_path(mirror),
            data=_path(data),
            limit=limit or chosen.limit_of(name),
            split=chosen.split,
            experiment=chosen.name,
            present=present,
            model=model,
        )
        files += run_plan(plan, progress)
    _show_run(run, chosen, files)


def _check_asks(chosen: Experiment) -> None:
    """Refuse a model that nothing would ask."""
    from grainline.lab.generators.base import GENERATORS, NONE

    named = {asked.settings.generator for asked in chosen.asked} - {NONE}
    if not any(GENERATORS.get(name).needs_model for name in named):
        raise BadInput(
            "usage", "--llm-url without a generator", hint="add --option generator=model"
        )


def _experiment(
    name: str | None, sets: Sequence[str], strategies: Sequence[str], given: Sequence[str]
) -> Experiment:
    from grainline.lab.experiments.base import SETTINGS, parse, read_experiment

    if name and given:
        raise BadInput("usage", "an experiment says itself with what it runs", hint="edit a copy")
    if name:
        return _narrowed(read_experiment(name), sets, strategies)
    if not (sets and strategies):
        raise BadInput(
            "usage",
            "neither an experiment nor --set and --strategy",
            hint="see: grainline lab list",
        )
    pairs = dict(map(_pair, given))
    return parse(
        "",
        {
            "title": "",
            "datasets": list(sets),
            "strategies": list(strategies),
            "settings": {key: value for key, value in pairs.items() if key in SETTINGS},
            "vary": {key: [value] for key, value in pairs.items() if key not in SETTINGS},
        },
    )


def _narrowed(found: Experiment, sets: Sequence[str], strategies: Sequence[str]) -> Experiment:
    """The experiment over other sets, or with some of its strategies; then it expects nothing."""
    from dataclasses import replace

    from grainline.lab.datasets.base import DATASETS

    if not (sets or strategies):
        return found
    for each in sets:
        DATASETS.get(each)
    asked = tuple(
        each for each in found.asked if not strategies or each.strategy.name in strategies
    )
    if not asked:
        names = ", ".join(dict.fromkeys(each.strategy.name for each in found.asked))
        raise BadInput(
            "usage", "the experiment has none of these strategies", hint=f"it has {names}"
        )
    datasets = tuple(sets) or found.datasets
    return replace(found, datasets=datasets, asked=asked, expected=())


def _pair(text: str) -> tuple[str, str | int | float | bool]:
    """`name=value`, the value as TOML spells it, a bare word as text."""
    import tomllib

    name, sign, value = text.partition("=")
    if not (name and sign):
        raise BadInput("usage", f"--option {text!r} is no NAME=VALUE")
    try:
        read: Any = tomllib.loads(f"x = {value}")["x"]
    except tomllib.TOMLDecodeError:
        return name, value
    if not isinstance(read, str | int | float | bool):
        raise BadInput("usage", f"--option {text!r}: one value, no list or table")
    return name, read


class _Steps:
    """Tells on standard error how far a run is: a line per strategy and checkout."""

    def __init__(self) -> None:
        self._told: tuple[str, str, str] | None = None

    def __call__(self, step: Step) -> None:
        if step.off:
            note(f"{step.set} {step.label}: off: {step.off}")
        where = (step.set, step.label, step.checkout)
        if where != self._told:
            self._told = where
            known = f", {step.known} known" if step.known else ""
            note(
                f"{step.set} {step.checkout} {step.label}: {counted(step.total, 'question')}{known}"
            )


def _show_run(run: Run, chosen: Experiment, files: Sequence[Path]) -> None:
    from grainline.lab.checking import unmet
    from grainline.lab.compare import Result
    from grainline.lab.reports.base import REPORTS
    from grainline.lab.runs import read_results

    results = [Result(*read_results(path)) for path in files]
    missed = unmet(chosen.expected, results)
    if run.json:
        from grainline.surfaces.cli.lab_json import ran

        run.emit(ran(chosen, results, files, missed))
    else:
        out = run.out()
        out.raw(REPORTS.get("markdown").render(results))
        for path in files:
            out.line(str(path))
        for each in missed:
            out.line(out.paint(f"not as expected: {each}", "bad"))
    if missed:
        run.exit_code = CheckFailed.exit_code


# ------------------------------------------------------------------ compare


@COMMAND.command("compare")
@click.argument("a")
@click.argument("b")
@click.option("--set", "set_name", default="", metavar="SET", help="Only this dataset.")
@click.option("--measure", "measures", multiple=True, metavar="M", help="Only this measure.")
@results_option
@global_options
@pass_run
def compare_(
    run: Run, a: str, b: str, set_name: str, measures: tuple[str, ...], results: str
) -> None:
    """Compare two runs question by question.

    B - A with 95 % intervals of a paired bootstrap.

    A and B are labels as tables show them (`function`, `lines[k=5]`, `function@COMMIT`), or result
    files. For all questions, without those that give the answer away, by language and by kind.
    """
    from grainline.lab.compare import compare

    found = compare(Path(file_name(results)), a, b, set_name=set_name)
    if run.json:
        from grainline.surfaces.cli.lab_json import compared

        run.emit(compared(found))
        return
    out = run.out()
    for each in found:
        out.line(out.paint(f"{each.set}: {each.b.label} - {each.a.label}", "bold"))
        for line in table(_rows(each, measures), right=frozenset({2, 3, 4, 5})):
            out.line(line)
        out.line()


def _rows(found: Comparison, measures: Sequence[str]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("slice", "measure", "n", "A", "B", "B - A", "95 % interval")]
    for each in found.rows:
        if measures and each.measure not in measures:
            continue
        low, high = each.gain.low, each.gain.high
        sure = "" if low <= 0 <= high else " *"
        rows.append(
            (
                each.slice,
                each.measure,
                str(each.questions),
                f"{each.a:.3f}",
                f"{each.b:.3f}",
                f"{each.gain.mean:+.3f}",
                f"{low:+.3f}..{high:+.3f}{sure}",
            )
        )
    return rows


# ------------------------------------------------------------------ report


@COMMAND.command("report")
@click.option("--format", "form", default="markdown", show_default=True, metavar="FORMAT")
@click.option("--output", "-o", metavar="FILE", help="Write it here instead of printing it.")
@click.option("--images", metavar="DIR", help="Write plots as PNG into this folder, too.")
@results_option
@global_options
@pass_run
def report(run: Run, form: str, output: str | None, images: str | None, results: str) -> None:
    """Put all results into one document.

    Tables in Markdown, or an HTML page with plots.
    """
    from grainline.lab.reports.base import REPORTS, results_in
    from grainline.surfaces.cli.files import write_file

    found = results_in(Path(file_name(results)))
    if images:
        from grainline.lab.images import write_images

        for path in write_images(found, Path(file_name(images))):
            note(str(path))
    text = REPORTS.get(form).render(found)
    if output is not None:
        write_file(output, text.encode("utf-8", "replace"))
    if run.json:
        run.emit(
            {
                "schema": 1,
                "format": form,
                "output": output,
                "text": text if output is None else None,
            }
        )
    elif output is None:
        run.out().raw(text)


# ------------------------------------------------------------------ explain


@COMMAND.command("explain")
@click.argument("query", required=False)
@click.option("--set", "set_name", metavar="SET", help="Of this dataset ...")
@click.option("--question", metavar="ID", help="... this question, asked again ...")
@click.option("--strategy", metavar="S", default="hierarchical", help="... of this strategy.")
@click.option("--option", "given", multiple=True, metavar="NAME=VALUE", help="Of the strategy.")
@click.option("-k", "k", type=click.IntRange(1, 1000), metavar="N", default=10, show_default=True)
@click.option("--budget", type=click.IntRange(1), metavar="TOKENS", default=8000, show_default=True)
@scope_options
@source_options
@global_options
@pass_run
def explain(
    run: Run,
    query: str | None,
    set_name: str | None,
    question: str | None,
    strategy: str,
    given: tuple[str, ...],
    k: int,
    budget: int,
    repos: tuple[str, ...],
    refs: tuple[str, ...],
    principal: str | None,
    bench: str | None,
    mirror: str | None,
    data: str | None,
) -> None:
    """Show why something was found, or lost.

    Every stage of QUERY with its candidates and their scores. Asks what is indexed in the home: terms, channels, fusion, priors, the page, then what the
    context was selected from. With --set and --question it shows what a strategy of the lab did
    with a question whose answer is known.
    """
    if (query is None) == (question is None) or (question is None) != (set_name is None):
        raise BadInput(
            "usage", "give QUERY, or --set SET --question ID", hint="see: grainline lab --help"
        )
    if query is not None:
        _explain_query(run, query, k, budget, (repos, refs, principal))
        return
    from grainline.lab.datasets.base import DATASETS
    from grainline.lab.explaining import explain as explain_answer
    from grainline.surfaces.cli.lab_explain import show_answer

    chosen = _experiment(None, [str(set_name)], [strategy], given)
    found = explain_answer(
        DATASETS.get(str(set_name)),
        chosen.asked[0],
        str(question),
        bench=_path(bench),
        mirror=_path(mirror),
        data=_path(data),
    )
    if run.json:
        from grainline.surfaces.cli.lab_json import explained

        run.emit(explained(found))
        return
    show_answer(run.out(), found, k)


def _explain_query(
    run: Run,
    query: str,
    k: int,
    budget: int,
    named: tuple[tuple[str, ...], tuple[str, ...], str | None],
) -> None:
    from grainline.model.evidence import ContextOptions
    from grainline.surfaces.cli.lab_explain import show_stages

    repos, refs, principal = named
    engine = run.engine()
    scope = engine.scope(repos=repos, refs=refs, principal=principal)
    found = engine.explain(query, scope=scope, k=k, options=ContextOptions(budget=budget))
    if run.json:
        from grainline.surfaces.cli.lab_json import stages

        run.emit(stages(found))
        return
    show_stages(run.out(), found, k)
    warn(found.coverage, looks=False)


# ------------------------------------------------------------------ make-dataset


@COMMAND.command("make-dataset")
@click.argument("repository", metavar="REPO")
@click.option("--output", "-o", metavar="DIR", required=True, help="Folder of the set.")
@click.option("--ref", default="HEAD", show_default=True, help="Where the history begins.")
@click.option(
    "--fixes",
    type=click.IntRange(0),
    metavar="N",
    default=200,
    show_default=True,
    help="From fixes, at most.",
)
@click.option(
    "--docs",
    type=click.IntRange(0),
    metavar="N",
    default=200,
    show_default=True,
    help="From doc comments, at most.",
)
@global_options
@pass_run
def make_dataset_(run: Run, repository: str, output: str, ref: str, fixes: int, docs: int) -> None:
    """Make questions of a repository of your own.

    From the fixes in its history, and from its doc comments; the set is private.

    \b
    grainline lab make-dataset . -o questions
    grainline lab run --set own --data questions --strategy grainline --strategy baseline
    """  # noqa: D301 - click wants the control character
    from grainline.lab.making import MakeOptions, make_dataset

    made = make_dataset(
        Path(file_name(repository)),
        Path(file_name(output)),
        MakeOptions(ref=ref, fixes=fixes, docs=docs),
        note,
    )
    if run.json:
        run.emit(
            {
                "schema": 1,
                "folder": str(made.folder),
                "fixes": made.fixes,
                "docs": made.docs,
                "leaks": made.leaks,
                "commits": made.commits,
            }
        )
        return
    total = made.fixes + made.docs
    run.out().line(
        f"{counted(total, 'question')} in {made.folder}: {made.fixes} from fixes (of"
        f" {counted(made.commits, 'commit')}), {made.docs} from doc comments;"
        f" {made.leaks} give away a name"
    )


# ------------------------------------------------------------------ doctor


@COMMAND.command("doctor")
@results_option
@source_options
@global_options
@pass_run
def doctor(run: Run, results: str, bench: str | None, mirror: str | None, data: str | None) -> None:
    """Say what the lab needs and does not have.

    Exit 0: all of it is optional.
    """
    from grainline.lab.doctor import examine

    checks = list(
        examine(
            results=Path(file_name(results)),
            bench=_path(bench),
            mirror=_path(mirror),
            data=_path(data),
        )
    )
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.doctor(checks))
        return
    out = run.out()
    for check in checks:
        mark = out.paint("ok     ", "good") if check.ok else out.paint("missing", "bad")
        repair = f"; {check.repair}" if check.repair and not check.ok else ""
        out.line(f"{mark}  {check.name}: {out.content(check.detail)}{repair}")
