"""`grainline`: finds the verb, loads only its file, turns every failure into one line.

Click stands here in place of typer, which is built on the same parser: importing typer costs
about 50 ms of CPU in every run, click about 15 (400 ms is what a cold search may cost in all).
"""

from __future__ import annotations

import errno
import gc
import importlib
import io
import os
import re
import resource
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn, TextIO, cast

import click

from grainline.surfaces.cli.common import Run, global_options

VERBS = (
    "index",
    "search",
    "context",
    "read",
    "show",
    "outline",
    "callers",
    "callees",
    "refs",
    "implements",
    "imports",
    "impact",
    "path",
    "graph",
    "trace",
    "scan",
    "why",
    "status",
    "watch",
    "doctor",
    "gc",
    "rm",
    "access",
    "lab",
    "mcp",
)
INTERRUPTED = 130
INTERNAL = 5
MAX_OPEN = 65_536  # files; more are of no use here
COMPLETE = "_GRAINLINE_COMPLETE"  # set by the completion scripts
SHELLS = ("bash", "zsh", "fish")


class Verbs(click.Group):
    """A group that imports a verb's module when the verb is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order in which they are used."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb's module."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"grainline.surfaces.cli.{cmd_name}")
        command: click.Command = module.COMMAND
        return command


def _print_version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from grainline.config import version

        click.echo(f"grainline {version()}")
        context.exit()


def _print_completion(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value:
        from click.shell_completion import get_completion_class

        shell = get_completion_class(value)
        if shell is not None:
            click.echo(shell(app, {}, "grainline", COMPLETE).source())
        context.exit()


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    no_args_is_help=True,
)
@click.option(
    "--completion",
    type=click.Choice(SHELLS),
    expose_value=False,
    is_eager=True,
    callback=_print_completion,
    help="Print the completion script of a shell; evaluate it in the shell's start file.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Print the version.",
)
@global_options
def app() -> None:
    """Index source repositories; find code in them and explain it with cited evidence."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with the code that tells how it went."""
    # Nothing here multiplies matrices: numpy's second thread would only spin while it starts.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(50_000)  # modules are not garbage; looking for it costs 20 ms of a cold start
    _allow_open_files()
    arguments = decoded(sys.argv[1:] if argv is None else argv)
    silent = _open_closed()
    for stream in (sys.stdout, sys.stderr):
        _as_utf8(stream)
    if hasattr(sys.stdout, "detach"):
        sys.stdout = _Output.over(cast("io.TextIOWrapper", sys.stdout))
    code = 0
    try:
        if silent:
            raise _UnwrittenError(errno.EBADF, "it is closed")
        code = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout)
    except _UnwrittenError as failure:
        code = _show_unwritten(failure, debug="--debug" in _options(arguments))
    sys.exit(code)


def _allow_open_files() -> None:
    """As many open files as the system lets a process have: a home of many repositories needs them."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN)
    with suppress(ValueError, OSError):  # macOS has a limit of its own below
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def decoded(arguments: Sequence[str]) -> list[str]:
    """Arguments as UTF-8 with surrogate escapes, whatever the locale made of their bytes."""
    return [os.fsencode(argument).decode("utf-8", "surrogateescape") for argument in arguments]


def run(arguments: list[str]) -> int:
    """Run one command line; the exit code (DESIGN: 0 done to 7 check, 130 interrupted)."""
    state = Run()
    options = _options(arguments)
    state.json = "--json" in options
    state.debug = "--debug" in options
    try:
        if _completes():
            return 0
        with app.make_context("grainline", arguments, obj=state) as context:
            app.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except BrokenPipeError:
        _silence(sys.stdout)
    except (KeyboardInterrupt, click.Abort):
        _show_interrupted(state)
        return INTERRUPTED
    except _UnwrittenError:
        raise
    except Exception as failure:
        if state.debug:
            import traceback

            traceback.print_exc()
        return _show_failure(failure, state)
    return state.exit_code


def _options(arguments: list[str]) -> list[str]:
    """The arguments among which options may stand."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _completes() -> bool:
    """Whether a shell asked for completions; then they are printed."""
    instruction = os.environ.get(COMPLETE)
    if not instruction:
        return False
    from click.shell_completion import shell_complete

    shell_complete(app, {}, "grainline", COMPLETE, instruction)
    return True


def _show_failure(failure: Exception, state: Run) -> int:
    """One line on standard error, or the error object on standard output."""
    from grainline.errors import BadInput, GrainlineError
    from grainline.surfaces.failures import told

    if isinstance(failure, click.exceptions.NoArgsIsHelpError):
        sys.stderr.write(failure.format_message() + "\n")
        return BadInput.exit_code
    shown: GrainlineError
    if isinstance(failure, click.ClickException):
        shown = BadInput("usage", _usage(failure), hint=_usage_hint(failure))
    else:
        shown = told(failure, "this is a defect; run again with --debug and report it", words=True)
    internal = type(shown) is GrainlineError
    if state.json:
        from grainline.surfaces import wire

        sys.stdout.write(wire.dumps(wire.error(shown)) + "\n")
    else:
        from grainline.surfaces.cli.terminal import note

        note(" ".join(str(shown).splitlines()))
    return INTERNAL if internal else shown.exit_code


def _usage(failure: click.ClickException) -> str:
    """What the parser says, in words for what it calls a range."""
    said = failure.format_message().rstrip(".")
    said = said.replace("is not a valid integer range", "is no whole number")
    return said.replace("is not a valid float range", "is no number")


def _usage_hint(failure: click.ClickException) -> str:
    context = failure.ctx if isinstance(failure, click.UsageError) else None
    hint = f"see {context.command_path if context else 'grainline'} --help"
    if close := _close_verb(failure.message):
        return f"did you mean {close!r}? {hint}"
    if isinstance(failure, click.NoSuchOption):
        return f"{hint}; words that begin with a dash go after --"
    return hint


def _close_verb(message: str) -> str:
    """The verb that a wrong one is like, "" when the message is about something else."""
    from difflib import get_close_matches

    found = re.fullmatch(r"No such command '(.*)'\.", message)
    return next(iter(get_close_matches(found[1], VERBS, n=1)), "") if found else ""


def _show_interrupted(state: Run) -> None:
    from grainline.errors import Interrupted

    _show_failure(
        Interrupted("interrupted", "stopped by the user", hint="run it again to go on"), state
    )


def _open_closed() -> bool:
    """Point standard streams that were closed at nothing; whether output was one of them.

    Their numbers are taken, or the next file that is opened would get one: of the index, maybe. A
    closed input is an empty one.
    """
    closed = [name for name in ("stdin", "stdout", "stderr") if getattr(sys, name, None) is None]
    if closed:
        number = os.open(os.devnull, os.O_RDWR)
        while number <= 2:
            os.set_inheritable(number, True)
            number = os.open(os.devnull, os.O_RDWR)
        os.close(number)
    for name in closed:
        stream = Path(os.devnull).open("r" if name == "stdin" else "w", encoding="utf-8")  # noqa: SIM115 - lives as long as the process
        setattr(sys, name, stream)
    return "stdout" in closed


def _as_utf8(stream: TextIO) -> None:
    """Output is UTF-8 in every locale; what cannot be encoded becomes a question mark."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="replace")


class _UnwrittenError(OSError):
    """Standard output did not take what was written to it."""


class _Output(io.TextIOWrapper):
    """Standard output whose errors cannot be taken for those of any other file."""

    @classmethod
    def over(cls, stream: io.TextIOWrapper) -> _Output:
        """The output that takes the place of `stream`."""
        return cls(
            stream.detach(),
            encoding="utf-8",
            errors="replace",
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )

    def write(self, text: str, /) -> int:
        """Write `text`."""
        with _told_apart():
            return super().write(text)

    def flush(self) -> None:
        """Write what is held."""
        with _told_apart():
            super().flush()


@contextmanager
def _told_apart() -> Generator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as failure:
        raise _UnwrittenError(*failure.args) from failure


def _show_unwritten(failure: _UnwrittenError, *, debug: bool) -> int:
    """Standard output gave out: one line on standard error, also under `--json`."""
    from grainline.errors import ResourceExhausted
    from grainline.surfaces.cli.terminal import note

    _silence(sys.stdout)
    if debug:
        import traceback

        traceback.print_exception(failure)
    shown = ResourceExhausted(
        "cannot_write",
        f"the answer could not be written ({failure.strerror})",
        subject="standard output",
        hint="free space or write elsewhere",
    )
    note(str(shown))
    return shown.exit_code


def _silence(stream: TextIO) -> None:
    """Point a stream whose reader has gone at nothing, so that closing it says nothing."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, stream.fileno())
    os.close(nothing)


if __name__ == "__main__":
    main()
