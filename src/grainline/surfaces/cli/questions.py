"""Everything that can be asked, as one answer of bytes: what two homes are compared by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from grainline.engine import Engine
from grainline.errors import GrainlineError
from grainline.model.access import Scope
from grainline.model.edge import EdgeType, Tier
from grainline.model.evidence import ContextOptions
from grainline.model.flow import ScanOptions
from grainline.model.position import quote_path
from grainline.model.relations import GraphOptions, Relation, RelationOptions, Verdict
from grainline.model.search import Filters, SearchOptions
from grainline.surfaces import wire
from grainline.surfaces.reports.base import REPORTS, About

_OPTIONS = ContextOptions(budget=1200)
PAGE = 5
_SEARCH = SearchOptions(k=PAGE, callers=True, signatures=True)


class Verb(StrEnum):
    """What is done with a text."""

    SEARCH = "search"
    FILTER = "filter"
    CONTEXT = "context"
    AT = "at"
    TARGET = "target"
    PASTED = "pasted"
    SHOW = "show"
    OUTLINE = "outline"
    READ = "read"
    WHY = "why"
    STATUS = "status"
    SCOPE = "scope"
    CALLERS = "callers"
    CALLEES = "callees"
    REFS = "refs"
    IMPLEMENTS = "implements"
    IMPORTS = "imports"
    IMPACT = "impact"
    PATH = "path"
    GRAPH = "graph"
    SCIP = "scip"
    SCAN = "scan"
    TRACE = "trace"


@dataclass(frozen=True, slots=True, order=True)
class Question:
    """A verb and its argument.

    Of `SCOPE` a repository, or a ref behind `@`; of `FILTER` a glob in front of a question; of
    `PATH` two symbols; of `SCAN` a kind, or nothing; of `TRACE` two places, `-` for none.
    """

    verb: Verb
    text: str


def answer(engine: Engine, scope: Scope, question: Question) -> bytes:
    """The JSON that a client gets for a question, errors included."""
    return _as_json(lambda: _ANSWERS[question.verb](engine, scope, question.text))


def named(engine: Engine, principal: str | None, question: Question) -> bytes:
    """What becomes of a repository or ref that a client names: the views it means, or an error."""
    name, is_ref = question.text.removeprefix("@"), question.text.startswith("@")

    def views() -> wire.Object:
        repos, refs = ((), (name,)) if is_ref else ((name,), ())
        scope = engine.scope(repos=repos, refs=refs, principal=principal)
        return {"views": [[view.repository, view.ref] for view in scope.views]}

    return _as_json(views)


def _as_json(make: Callable[[], wire.Object]) -> bytes:
    try:
        value = make()
    except GrainlineError as failure:
        value = {**wire.error(failure), "exit": failure.exit_code, "line": str(failure)}
    return wire.dumps(value).encode()


def _search(engine: Engine, scope: Scope, text: str) -> wire.Object:
    """The first page, and the one behind its cursor."""
    first = engine.search(text, scope=scope, options=_SEARCH)
    if first.cursor is None:
        return wire.search(first)
    options = replace(_SEARCH, cursor=first.cursor)
    second = engine.search(text, scope=scope, options=options)
    return {"first": wire.search(first), "second": wire.search(second)}


def _filter(engine: Engine, scope: Scope, text: str) -> wire.Object:
    glob, _, question = text.partition(" ")
    options = replace(_SEARCH, filters=Filters(paths=(glob,)))
    return wire.search(engine.search(question, scope=scope, options=options))


def _context(engine: Engine, scope: Scope, text: str) -> wire.Object:
    return wire.context(engine.context(text, scope=scope, options=_OPTIONS))


def _at(engine: Engine, scope: Scope, text: str) -> wire.Object:
    return wire.context(engine.context(scope=scope, options=_OPTIONS, at=text))


def _target(engine: Engine, scope: Scope, text: str) -> wire.Object:
    return wire.context(engine.context(scope=scope, options=_OPTIONS, target=text))


def _pasted(engine: Engine, scope: Scope, text: str) -> wire.Object:
    return wire.context(engine.context(scope=scope, options=_OPTIONS, pasted=text))


def _show(engine: Engine, scope: Scope, text: str) -> wire.Object:
    return wire.show(engine.show(text, scope=scope))


def _outline(engine: Engine, scope: Scope, text: str) -> wire.Object:
    return wire.outline(engine.outline(text, scope=scope))


def _read(engine: Engine, scope: Scope, text: str) -> wire.Object:
    return wire.read(engine.read(text, scope=scope))


def _why(engine: Engine, scope: Scope, text: str) -> wire.Object:
    return wire.why(engine.why(text.encode("utf-8", "surrogateescape"), scope=scope))


def _status(engine: Engine, scope: Scope, text: str) -> wire.Object:
    """The counts; with a text, every path too."""
    shown = wire.status(engine.status(scope=scope, paths=bool(text)))
    return {**shown, "roots": engine.roots(scope=scope)}


def _related(relation: Relation, engine: Engine, scope: Scope, text: str) -> wire.Object:
    """The strong rows two steps far, the weak ones, and a page of one row."""
    asked = getattr(engine, str(relation))
    far = asked(text, scope=scope, options=RelationOptions(depth=2))
    weak = asked(text, scope=scope, options=RelationOptions(floor=Tier.AMBIGUOUS))
    page = asked(text, scope=scope, options=RelationOptions(depth=2, k=1))
    return {
        "far": wire.relation(far),
        "weak": wire.relation(weak),
        "page": wire.relation(page),
    }


def _path(engine: Engine, scope: Scope, text: str) -> wire.Object:
    source, _, target = text.partition(" ")
    return wire.relation_path(engine.path(source, target, scope=scope))


def _graph(engine: Engine, scope: Scope, text: str) -> wire.Object:
    """Every edge; with a text, those between the files that it names."""
    filters = Filters(paths=(text,) if text else ())
    options = GraphOptions(types=tuple(EdgeType), filters=filters, external=not text)
    return wire.graph(engine.graph(scope=scope, options=options))


def _scip(engine: Engine, scope: Scope, text: str) -> wire.Object:
    """The index of every view, whole; with a text, of the files that it names."""
    options = GraphOptions(types=tuple(EdgeType), filters=Filters(paths=(text,) if text else ()))
    made = [
        engine.scip(scope=replace(scope, views=(view,)), options=options) for view in scope.views
    ]
    return {"views": [{**wire.scip(each), "data": each.data.hex()} for each in made]}


def _scan(engine: Engine, scope: Scope, text: str) -> wire.Object:
    """All findings in two forms, and those that are new beside the first view; or those of a kind."""
    if text:
        options = ScanOptions(kinds=(text,), floor=Verdict.PATH)
        return wire.flows(engine.scan(scope=scope, options=options))
    found = engine.scan(scope=scope)
    about = About(version="", verb="scan", roots=engine.roots(scope=scope))
    since = engine.scan(scope=scope, since=replace(scope, views=scope.views[:1]))
    return {
        "all": wire.flows(found),
        "sarif": REPORTS.get("sarif").write(found, about),
        "since": wire.flows(since),
    }


def _trace(engine: Engine, scope: Scope, text: str) -> wire.Object:
    source, target = ("" if word == "-" else word for word in text.split(" "))
    return wire.flows(engine.trace(source or None, target or None, scope=scope))


_ANSWERS: dict[Verb, Callable[[Engine, Scope, str], wire.Object]] = {
    Verb.SEARCH: _search,
    Verb.FILTER: _filter,
    Verb.CONTEXT: _context,
    Verb.AT: _at,
    Verb.TARGET: _target,
    Verb.PASTED: _pasted,
    Verb.SHOW: _show,
    Verb.OUTLINE: _outline,
    Verb.READ: _read,
    Verb.WHY: _why,
    Verb.STATUS: _status,
    **{Verb(str(relation)): partial(_related, relation) for relation in Relation},
    Verb.PATH: _path,
    Verb.GRAPH: _graph,
    Verb.SCIP: _scip,
    Verb.SCAN: _scan,
    Verb.TRACE: _trace,
}


def about(path: bytes, text: str, names: tuple[str, ...], version: str) -> tuple[Question, ...]:
    """Questions that a file suggests: its words, names, lines, path, patterns, citation.

    Args:
        path: of the file.
        text: its content.
        names: of definitions in it.
        version: what a citation of it names.
    """
    shown = quote_path(path)
    words = [word for word in text.split() if word.isalnum()]
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) > 3]
    found = [
        Question(Verb.READ, f"{shown}:1-3@{version}"),
        Question(Verb.OUTLINE, shown),
        Question(Verb.OUTLINE, shown[:-1]),
        Question(Verb.IMPORTS, shown),
        Question(Verb.GRAPH, shown.partition("/")[0] + "/**"),
        Question(Verb.GRAPH, ""),
        Question(Verb.SCIP, shown.partition("/")[0] + "/**"),
        Question(Verb.SCIP, ""),
        Question(Verb.WHY, path.decode("utf-8", "surrogateescape")),
        Question(Verb.WHY, path.decode("utf-8", "surrogateescape") + "x"),
        Question(Verb.AT, f"{shown}:1-3"),
        Question(Verb.PASTED, text[:300]),
        Question(Verb.SEARCH, f"{shown}:2"),
        Question(Verb.SEARCH, shown.rpartition("/")[2]),
    ]
    for word in words[:1] + words[len(words) // 2 :][:1]:
        found += (
            Question(Verb.SEARCH, word),
            Question(Verb.FILTER, f"{shown.partition('/')[0].replace(' ', '?')} {word}"),
            Question(Verb.SEARCH, f"/{word[:4]}.*{word[-1]}/"),
            Question(Verb.CONTEXT, " ".join(words[:4])),
        )
    for line in lines[:1] + lines[-1:]:
        found += (Question(Verb.SEARCH, f'"{line[:60]}"'), Question(Verb.SEARCH, line[:200]))
    for name in names[:2]:
        found += (
            Question(Verb.SHOW, name),
            Question(Verb.TARGET, name),
            Question(Verb.SHOW, name[:-1] or "x"),
            Question(Verb.SEARCH, name),
            Question(Verb.CONTEXT, name),
            *(Question(Verb(str(relation)), name) for relation in Relation),
            *(Question(Verb.PATH, f"{name} {other}") for other in names[:3] if other != name),
        )
    return tuple(dict.fromkeys(found))


def followed(path: bytes, names: tuple[str, ...]) -> tuple[Question, ...]:
    """Questions about data that a file suggests. Each is an analysis of everything in scope.

    Args:
        path: of the file.
        names: of definitions in it.
    """
    shown = quote_path(path)
    if " " in shown:
        return (Question(Verb.SCAN, ""),)
    found = [
        Question(Verb.SCAN, ""),
        Question(Verb.SCAN, "command"),
        Question(Verb.TRACE, f"- {shown}:1-12"),
        Question(Verb.TRACE, f"{shown}:1-12 -"),
    ]
    for name in names[:1]:
        found += (Question(Verb.TRACE, f"{name} {shown}:3"), Question(Verb.TRACE, f"- {name}"))
    return tuple(found)
