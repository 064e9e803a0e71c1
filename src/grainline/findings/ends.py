"""From what somebody typed to the regions that data is asked to come from, or to get to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from grainline.context.targets import parse_at
from grainline.errors import BadInput
from grainline.flow.languages import semantics_of
from grainline.model.access import View
from grainline.model.edge import Why
from grainline.model.flow import Boundary, Cut, Region
from grainline.model.position import LineSpan, Span, quote_path
from grainline.retrieval.lines import count_lines, span_of
from grainline.retrieval.places import entries_named
from grainline.retrieval.relations.book import Book, File, view_of
from grainline.retrieval.relations.subjects import subjects
from grainline.retrieval.relations.views import ViewGraph

_OUTSIDE = (Why.EXTERNAL, Why.NATIVE)


class End(NamedTuple):
    """One end of a question.

    Attributes:
        regions: by view.
        unknown: places in languages whose data flow is not known.
        several: how many symbols the name means, when that is more than one.
    """

    regions: dict[View, tuple[Region, ...]]
    unknown: tuple[tuple[View, Boundary], ...]
    several: int = 0


def end(book: Book, graphs: Sequence[ViewGraph], text: str) -> End:
    """The places that `text` names: a symbol, `PATH:LINE`, `PATH:A-B`, or calls of what is outside.

    Raises:
        BadInput: it names nothing in scope.
    """
    parsed = parse_at(text)
    if parsed is not None:
        return _end(_lines(book, *parsed))
    try:
        named = subjects(book, graphs, text)
    except BadInput:
        calls = list(_calls_of(graphs, text))
        if not calls:
            raise
        return _end((view, book.file(view, region.path), region) for view, region in calls)
    found = [(each.view, book.file(each.view, each.symbol.path), each) for each in named.found]
    placed = ((view, file, _of_symbol(file, each.symbol.descriptor)) for view, file, each in found)
    return _end(placed)._replace(several=len(named.found) if named.ambiguous else 0)


def _end(found: Iterable[tuple[View, File, Region]]) -> End:
    regions: dict[View, tuple[Region, ...]] = {}
    unknown: list[tuple[View, Boundary]] = []
    for view, file, region in found:
        regions[view] = (*regions.get(view, ()), region)
        if semantics_of(file.language) is None:
            cut = Boundary(region.path, region.span, Cut.NO_LANGUAGE, file.language)
            unknown.append((view, cut))
    return End(regions, tuple(unknown))


def _lines(book: Book, path: bytes, lines: LineSpan) -> Iterable[tuple[View, File, Region]]:
    entries = entries_named(book.corpus, path)
    if not entries:
        raise BadInput(
            "unknown_path",
            "no such file in scope",
            subject=quote_path(path),
            path=quote_path(path),
            hint="see: grainline status --paths",
        )
    for entry in entries:
        view = view_of(book.corpus, entry)
        file = book.file(view, book.corpus.path(entry))
        if lines.start > count_lines(file.text):
            raise BadInput(
                "no_such_line",
                f"line {lines.start} is past the end",
                subject=quote_path(file.path),
                path=quote_path(file.path),
                hint=f"it has {count_lines(file.text)} lines",
            )
        yield view, file, Region(file.path, span_of(file.text, lines))


def _of_symbol(file: File, descriptor: str) -> Region:
    known = file.definitions.get(descriptor)
    if known is None:
        return Region(file.path, Span(0, len(file.text)))
    return Region(file.path, Span(known.start, known.end))


def _calls_of(graphs: Sequence[ViewGraph], text: str) -> Iterable[tuple[View, Region]]:
    """The calls of something outside of what is indexed, by its dotted name or the end of one."""
    name = text.strip().removesuffix("()")
    for graph in graphs:
        if graph.table is None:
            continue
        for number in graph.table.unresolved_called(name.rpartition(".")[2]).tolist():
            call = graph.table.unresolved_call(number)
            if call.why in _OUTSIDE and f".{call.name}".endswith(f".{name}"):
                yield graph.view, Region(call.src.path, call.site)
