"""`scan`: flows of data from known sources to known sinks."""

from __future__ import annotations

from grainline.model.flow import ScanOptions, Severity
from grainline.model.relations import Verdict
from grainline.surfaces.mcp.base import Arguments, Session, schema
from grainline.surfaces.mcp.following import CURSOR, coverage, page
from grainline.text.plural import counted


class Scan:
    """A page of findings, the worst first."""

    name = "scan"
    description = (
        "Find flows of data from what users send to shells, queries, files, pages and other sinks,"
        " missing permission checks, misuse of resources, and weak calls. Each finding has a"
        " verdict, its way step by step with citations, the guards and sanitizers that were seen,"
        " and what is assumed. The worst come first."
    )
    schema = schema(
        kind={"type": "string", "description": "Only this kind: command, sql, path, xss, ..."},
        least={
            "type": "string",
            "enum": [severity.name.lower() for severity in Severity],
            "description": "The least severity (default note: all).",
        },
        sure={
            "type": "string",
            "enum": ["yes", "no"],
            "description": "Only findings of which every step is known (default no).",
        },
        tests={
            "type": "string",
            "enum": ["yes", "no"],
            "description": "Whether findings in test code are shown (default yes).",
        },
        diff={"type": "string", "description": "Only findings that are not there at this ref."},
        cursor=CURSOR,
    )

    def call(self, session: Session, arguments: Arguments) -> str:
        """The findings that fit."""
        scope, diff, kind = session.scope(arguments), arguments.text("diff"), arguments.text("kind")
        sure = arguments.text("sure") == "yes"
        result = session.engine.scan(
            scope=scope,
            options=ScanOptions(
                kinds=(kind,) if kind else (),
                models=session.models(),
                floor=Verdict.PATH if sure else Verdict.UNDETERMINED,
            ),
            since=session.since(arguments, scope, diff) if diff else None,
        )
        least = Severity[(arguments.text("least") or "note").upper()]
        tests = arguments.text("tests") != "no"
        findings = [
            each for each in result.findings if each.severity >= least and (tests or not each.test)
        ]
        kept, notes = page(findings, arguments.text("cursor"))
        head = f"{counted(len(findings), 'finding')}."
        if result.known:
            head += f" {counted(result.known, 'known one')} left out."
        return "\n".join([head, *kept, *notes, *coverage(result)])


TOOL = Scan()
