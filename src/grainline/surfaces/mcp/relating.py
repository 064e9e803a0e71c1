"""What the tools about relations share: their arguments, and rows as lines that fit the cap."""

from __future__ import annotations

from collections.abc import Iterable

from grainline.context.formats.markdown import code, plain
from grainline.context.formats.objects import uncovered
from grainline.model.edge import Tier
from grainline.model.relations import Counts, Node, Relation, RelationOptions, RelationResult
from grainline.model.relations import RelationRow as Row
from grainline.model.search import Filters, TestFilter
from grainline.surfaces.mcp.base import CAP, Arguments, Schema, Session, fit, schema

NOTE = 700  # tokens kept for the heading and what stands below the rows
TEXT = 160  # characters of a source line
SUBJECTS = 5

SYMBOL: Schema = {
    "type": "string",
    "description": "A full or partial qualified name, PATH:LINE, a file or a module.",
}
FLOOR: Schema = {
    "type": "string",
    "enum": [tier.name.lower() for tier in Tier],
    "description": "The weakest tier that is shown (default flowed); weaker edges are counted.",
}


class Related:
    """A tool that lists the symbols in one relation to another."""

    def __init__(self, relation: Relation, description: str, *, depth: int) -> None:
        self.name = str(relation)
        self.description = (
            f"{description} Rows have depth, tier, citation and source line; direct ones come"
            " first, totals count all. What is not certain is counted, never guessed."
        )
        self.schema = schema(
            required=["symbol"],
            symbol=SYMBOL,
            depth={
                "type": "integer",
                "description": "Steps from the symbol.",
                "minimum": 1,
                "maximum": 20,
                "default": depth,
            },
            floor=FLOOR,
            tests={
                "type": "string",
                "enum": ["yes", "no"],
                "description": "Whether rows in test code are shown (default yes).",
            },
            path={"type": "string", "description": "Only rows in paths that match this glob."},
            k={
                "type": "integer",
                "description": "Rows wanted.",
                "minimum": 1,
                "maximum": 200,
                "default": 60,
            },
            cursor={"type": "string", "description": "Go on after the page that gave this."},
        )

    def call(self, session: Session, arguments: Arguments) -> str:
        """A page of rows that fits the cap."""
        path = arguments.text("path")
        filters = Filters(
            paths=(path,) if path else (),
            tests=TestFilter.NO if arguments.text("tests") == "no" else TestFilter.YES,
        )
        floor = Tier[(arguments.text("floor") or "flowed").upper()]
        depth, cursor = arguments.number("depth"), arguments.text("cursor") or None
        scope = session.scope(arguments)

        def ask(k: int) -> RelationResult:
            options = RelationOptions(depth=depth, floor=floor, filters=filters, k=k, cursor=cursor)
            ask_ = getattr(session.engine, self.name)
            found: RelationResult = ask_(arguments.text("symbol"), scope=scope, options=options)
            return found

        result = ask(arguments.number("k"))
        kept, whole = fit(map(line, result.rows), CAP - NOTE)
        if not whole and kept:
            result = ask(len(kept))
        return "\n".join([*_head(result), *kept, *_foot(result, floor)])


def line(row: Row) -> str:
    """One row as one line."""
    tier = "external" if row.tier is None else row.tier.name.lower()
    among = f", 1 of {row.candidates}" if row.candidates > 1 else ""
    more = f" x{row.sites}" if row.sites > 1 else ""
    test = " test" if row.node.test else ""
    return (
        f"{row.depth}. {code(row.node.name)}{more}{test} {row.type} [{tier}{among}]"
        f" {code(str(row.citation))}: {code(row.text[:TEXT])}"
    )


def _head(result: RelationResult) -> Iterable[str]:
    for node in result.subjects[:SUBJECTS]:
        yield f"{result.relation} of {subject(node)}"
    if len(result.subjects) > SUBJECTS:
        yield f"and {len(result.subjects) - SUBJECTS} more symbols of this name"


def subject(node: Node) -> str:
    """A symbol with its place."""
    return f"{code(node.name)} ({plain(node.kind)}, {code(node.path.decode('utf-8', 'replace'))}:{node.line})"


def _foot(result: RelationResult, floor: Tier) -> Iterable[str]:
    depths = ", ".join(f"{count} at depth {depth}" for depth, count in result.totals)
    tests = sum(count for _, count in result.tests)
    yield f"Total: {depths or 'none'}; {tests} in test code; floor {floor.name.lower()}."
    if result.weaker:
        yield f"{result.weaker} weaker candidates are not shown: lower the floor to see them."
    if result.unresolved:
        yield f"Calls without a known target: {reasons(result.unresolved)}."
    for reason, count in result.coverage.not_covered:
        yield f"{uncovered(reason, count)}."
    for warning in result.coverage.warnings[:3]:
        yield f"Warning: {plain(warning)[:200]}"
    if result.cursor:
        yield f"For more call with cursor={result.cursor!r} and the same arguments."


def reasons(counts: Counts) -> str:
    """Reasons with their counts."""
    return ", ".join(f"{count} {reason}" for reason, count in counts)
