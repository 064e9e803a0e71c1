"""What an answer about data flow covers: what was not read, and where the search stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from grainline.findings.views import Analysed
from grainline.flow.languages import semantics_of
from grainline.languages.base import LANGUAGES, LanguageSpec
from grainline.model.flow import BROKEN_SOURCE, Boundary, Cut
from grainline.model.position import Span, quote_path
from grainline.model.search import CoverageRecord, State
from grainline.model.snapshot import FlagName, Outcome, Reason
from grainline.retrieval.relations import views
from grainline.retrieval.relations.views import ViewGraph
from grainline.storage.base import Corpus
from grainline.text.plural import counted, parsed_in_part

NAMED = 3
"""Paths that a warning names; further ones are counted."""

_MINIFIED = 1 << tuple(FlagName).index(FlagName.MINIFIED)


def unread(corpus: Corpus, found: Sequence[Analysed]) -> list[tuple[bytes, str]]:
    """Files of languages with flow of which nothing is known, and why."""
    known = [row for each in found for row in each.unread]
    for entry in range(corpus.n_entries):
        outcome = corpus.entry(entry).outcome
        if outcome is Outcome.INDEXED or semantics_of(corpus.language(entry)) is None:
            continue
        if not int(corpus.entry_flags[entry]) & _MINIFIED:
            known.append((corpus.path(entry), str(corpus.entry(entry).reason or outcome)))
    return sorted(set(known))


def parse_boundaries(corpus: Corpus, found: Sequence[Analysed]) -> list[Boundary]:
    """The files that were not read, or only in parts, as boundaries."""
    whole = Span(0, 0)
    rows = [Boundary(path, whole, Cut.PARSE, why) for path, why in unread(corpus, found)]
    rows += [
        Boundary(path, whole, Cut.PARSE, BROKEN_SOURCE) for each in found for path in each.broken
    ]
    return sorted(set(rows))


def without_flow(corpus: Corpus) -> list[str]:
    """Languages in scope in which things are called, and whose data flow is not known."""
    names = {corpus.language(entry) for entry in range(corpus.n_entries)}
    specs = [LANGUAGES.get(name) for name in sorted(names & set(LANGUAGES.names()))]
    return [spec.name for spec in specs if semantics_of(spec.name) is None and _calls(spec)]


def _calls(spec: LanguageSpec) -> bool:
    return "@ref.call" in spec.query


def coverage_of(
    corpus: Corpus,
    graphs: Sequence[ViewGraph],
    found: Sequence[Analysed],
    more: Iterable[str] = (),
) -> CoverageRecord:
    """The coverage of an answer; `more` are warnings of its own."""
    broken = parse_boundaries(corpus, found)
    torn = _in_part(corpus)
    silent = without_flow(corpus)
    cuts = Counter(str(each.cut) for one in found for each in one.report.boundaries)
    cuts[str(Cut.PARSE)] += len(broken)
    values = sum(each.graph_cuts for each in found)
    if values:
        cuts["values that a bound cut"] = values
    off = any(graph.table is None for graph in graphs)
    state = State.COMPLETE
    if off or silent or broken:
        state = State.PARTIAL
    elif +cuts:
        state = State.BOUNDED
    return CoverageRecord(
        snapshots=corpus.snapshots,
        state=state,
        not_covered=tuple(sorted((+cuts).items())),
        channels=(("graph", views.channel(graphs)), ("flow", "on")),
        warnings=(*_warnings(silent, broken, torn, found), *more),
    )


def _in_part(corpus: Corpus) -> list[bytes]:
    """Files of languages with flow of which not all could be parsed."""
    entries = map(corpus.entry, range(corpus.n_entries))
    return sorted(
        {
            entry.path
            for entry in entries
            if entry.reason is Reason.PARSED_IN_PART and semantics_of(entry.language) is not None
        }
    )


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _warnings(
    silent: Sequence[str],
    broken: Sequence[Boundary],
    torn: Sequence[bytes],
    found: Sequence[Analysed],
) -> Iterable[str]:
    if silent:
        yield f"data flow does not know {', '.join(silent)} yet: nothing is said of that code"
    unread = [f"{quote_path(row.path)} ({row.name})" for row in broken if row.name != BROKEN_SOURCE]
    if unread:
        yield f"{counted(len(unread), 'file')} not read: {_some(unread)}"
    if torn:
        yield f"{parsed_in_part(len(torn))}: {_some([*map(quote_path, torn)])}; see why PATH"
    unmatched = sorted({name for each in found for name in each.report.unmatched})
    if unmatched:
        yield (f"{', '.join(unmatched)}: imported, but nothing of it is used as its models know it")
