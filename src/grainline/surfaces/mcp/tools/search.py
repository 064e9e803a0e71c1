"""`search`: ranked pieces of code."""

from __future__ import annotations

from grainline.context.formats.markdown import code, fenced, plain
from grainline.languages.base import check_languages
from grainline.model.search import Filters, Hit, SearchOptions, TestFilter
from grainline.surfaces.mcp.base import CAP, Arguments, Session, fit, schema

NOTE = 160  # tokens kept for what stands around the results
PIECE = 60  # lines of one result; `read` opens the rest


class Search:
    """Ranked pieces; what does not fit stays on the next page, by its cursor."""

    name = "search"
    description = (
        "Find code by words, symbol name, qualified name, path, path:line, error code, "
        '"exact text", /regex/, a stack trace or pasted code. Returns ranked pieces with citations '
        "(path:a-b@commit). Use context to have something explained, read to open a citation."
    )
    schema = schema(
        required=["query"],
        query={"type": "string", "description": "What to find."},
        k={
            "type": "integer",
            "description": "Results wanted.",
            "minimum": 1,
            "maximum": 50,
            "default": 8,
        },
        path={"type": "string", "description": "Only paths that match this glob."},
        language={"type": "string", "description": "Only this language, e.g. python."},
        kind={"type": "string", "description": "Only this symbol kind, e.g. function, class."},
        tests={
            "type": "string",
            "enum": ["yes", "no", "auto"],
            "description": "Test code: as any other, never, or demoted (auto).",
        },
        cursor={"type": "string", "description": "Go on after the page that gave this cursor."},
    )

    def call(self, session: Session, arguments: Arguments) -> str:
        """A page of results that fits the cap."""
        query, scope = arguments.text("query"), session.scope(arguments)
        options = SearchOptions(
            k=arguments.number("k"),
            filters=_filters(arguments),
            cursor=arguments.text("cursor") or None,
        )
        result = session.engine.search(query, scope=scope, options=options)
        if not result.hits:
            return "Nothing found. Try other words, a symbol name, or fewer filters."
        kept, whole = fit(map(_block, result.hits), CAP - NOTE)
        cursor = result.cursor
        if not whole and kept:
            page = SearchOptions(k=len(kept), filters=options.filters, cursor=options.cursor)
            cursor = session.engine.search(query, scope=scope, options=page).cursor
        last = result.hits[0].rank + len(kept) - 1
        lines = [f"Results to rank {last} of {result.total}; coverage {result.coverage.state}."]
        if not whole:
            lines.append("Truncated to fit.")
        if cursor:
            lines.append(f"For more call search with cursor={cursor!r} and the same query.")
        lines.extend(f"Warning: {plain(text)[:200]}" for text in result.coverage.warnings[:2])
        return "\n\n".join([*kept, " ".join(lines)])


def _filters(arguments: Arguments) -> Filters:
    def one(name: str) -> tuple[str, ...]:
        value = arguments.text(name)
        return (value,) if value else ()

    check_languages(one("language"))
    return Filters(
        paths=one("path"),
        languages=one("language"),
        kinds=one("kind"),
        tests=TestFilter(arguments.text("tests") or "auto"),
    )


def _block(hit: Hit) -> str:
    place = hit.place
    kind = hit.symbol.kind if hit.symbol else str(hit.kind)
    name = f" {code(hit.symbol.qualified_name)}" if hit.symbol else ""
    lines = hit.text.split("\n")
    text = "\n".join(lines[:PIECE])
    more = len(lines) - PIECE
    rest = f"\n[{more} more lines: call read with this citation]" if more > 0 else ""
    flags = ", ".join(sorted({str(flag.name) for flag in place.flags}))
    return (
        f"{hit.rank}. {code(str(place.citation))} {plain(kind)}{name} in {plain(place.repository)}"
        f"{f' ({flags})' if flags else ''}\n{fenced(text, place.language)}{rest}"
    )


TOOL = Search()
