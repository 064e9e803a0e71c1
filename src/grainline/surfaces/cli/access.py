"""`grainline access`: who may read what in this home, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grainline.errors import BadInput, CheckFailed
from grainline.model.position import quote_path
from grainline.surfaces.cli.common import Run, file_name, global_options, pass_run
from grainline.surfaces.cli.terminal import Terminal, note, table
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.access.adapters.base import Source
    from grainline.model.access import Policy


@click.group("access", no_args_is_help=True)
@global_options
def COMMAND() -> None:  # noqa: N802 - the name by which a verb's module is loaded
    """Say who may read what, and test that it holds.

    Without a policy whoever can open the home reads everything. With one, --as NAME reads what the
    rules open to the groups of NAME, and nothing else; without --as you are the owner.
    """


@COMMAND.command("set")
@click.argument("file")
@click.option(
    "--format", "format_", default="policy", show_default=True, help="How FILE is written."
)
@click.option("--for", "repository", metavar="NAME", help="The repository that FILE is about.")
@click.option("--users", metavar="USERS", help="JSON: who is in which groups, beside FILE.")
@click.option("--dry-run", is_flag=True, help="Show the policy, do not put it in force.")
@global_options
@pass_run
def set_(
    run: Run, file: str, format_: str, repository: str | None, users: str | None, dry_run: bool
) -> None:
    """Put the policy of FILE in force. It takes the place of the one before.

    \b
    Formats:
      policy      {"users": {"ann": ["team"]}, "paths": {"": ["team"], "src/pay": []}}
      codeowners  a CODEOWNERS file of one repository: --for NAME, --users USERS
      codehost    a code host's listing of repositories with teams and people
    """  # noqa: D301 - click wants the control character
    from grainline.access.adapters.base import ADAPTERS, read_policy

    policy = read_policy(ADAPTERS.get(format_), _source(file, repository, users))
    engine = run.engine(create=True)
    if not dry_run:
        engine.set_policy(policy)
    shown = policy if dry_run else engine.policy()
    _show(run, shown, engine.doubts(policy))


@COMMAND.command("show")
@global_options
@pass_run
def show(run: Run) -> None:
    """Print the policy in force. With --json, its `policy` is a file for `set`."""
    engine = run.engine()
    policy = engine.policy()
    _show(run, policy, engine.doubts(policy) if policy else ())


@COMMAND.command("clear")
@global_options
@pass_run
def clear(run: Run) -> None:
    """Take the policy away. Then whoever can open the home reads everything."""
    run.engine().set_policy(None)
    _show(run, None, ())


@COMMAND.command("audit")
@click.option("--as", "principal", required=True, metavar="PRINCIPAL", help="Who asks.")
@click.option(
    "--files",
    type=click.IntRange(1, 10_000),
    metavar="N",
    default=24,
    show_default=True,
    help="Files of either kind, readable and not, that questions are drawn from.",
)
@global_options
@pass_run
def audit(run: Run, principal: str, files: int) -> None:
    """Test that PRINCIPAL learns nothing of what it may not read.

    The same snapshots are indexed again in memory without those entries, and both are asked the
    same questions. One byte that differs is a leak: exit 7.
    """
    from grainline.surfaces.cli.audit import audit as ask

    checks = ask(run.engine(), principal, files=files)
    if not all(check.ok for check in checks):
        run.exit_code = CheckFailed.exit_code
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.doctor(checks))
        return
    out = run.out()
    for check in checks:
        mark = out.paint("ok  ", "good") if check.ok else out.paint("LEAK", "bad")
        out.line(f"{mark}  {check.name}: {check.detail}")
        if check.repair:
            out.line(f"      {out.name(check.repair)}")


# --------------------------------------------------------------------------- files


def _source(file: str, repository: str | None, users: str | None) -> Source:
    from grainline.access.adapters.base import Source
    from grainline.access.policy import parse_users

    members = parse_users(_read(users), _shown(users)) if users else ()
    return Source(name=_shown(file), data=_read(file), repository=repository or "", users=members)


def _shown(file: str) -> str:
    return quote_path(file.encode("utf-8", "surrogateescape"))


def _read(file: str) -> bytes:
    """The bytes of a file; one more than the limit when there are more."""
    from grainline.access.jsontext import MAX_BYTES

    try:
        with Path(file_name(file)).open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(
            "unreadable",
            f"it cannot be read ({error.strerror})",
            subject=_shown(file),
            hint="name a file",
        ) from error


# --------------------------------------------------------------------------- printing


def _show(run: Run, policy: Policy | None, warnings: Sequence[str]) -> None:
    if run.json:
        from grainline.surfaces import wire

        run.emit(wire.access(policy, warnings))
        return
    for warning in warnings:
        note(f"warning: {warning}")
    out = run.out()
    if policy is None:
        out.line("no policy: whoever can open this home reads everything")
        return
    users_, rules_ = counted(len(policy.users), "user"), counted(len(policy.rules), "rule")
    out.line(f"policy {policy.epoch}: {users_}, {rules_}")
    users = [("user", "groups"), *((name, _joined(groups, "-")) for name, groups in policy.users)]
    rules = [
        (
            rule.repository or "*",
            quote_path(rule.prefix) if rule.prefix else "*",
            _joined(rule.groups, "nobody"),
        )
        for rule in policy.rules
    ]
    _print_table(out, users)
    _print_table(out, [("repository", "path", "groups that read it"), *rules])


def _joined(groups: Iterable[str], none: str) -> str:
    return ", ".join(groups) or none


def _print_table(out: Terminal, rows: Sequence[Sequence[str]]) -> None:
    out.line()
    for number, line in enumerate(table([tuple(map(out.name, row)) for row in rows])):
        out.line(line if number else out.paint(line, "bold"))
