"""From ranked chunks and named targets to a cited context inside a hard budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from grainline.context import slices
from grainline.context.budget import Group, Option, select
from grainline.context.cite import Reader, SourceFile
from grainline.context.edges import Edges
from grainline.context.expansion import RULES, Anchor, Ask, Neighbour, Share
from grainline.context.frame import FORMATS, Format, Frame
from grainline.context.members import Member, chance, members, near
from grainline.context.profiles import about_data, resolve, weight
from grainline.context.relevance import Relevance
from grainline.context.rules.common import merge, whole
from grainline.context.targets import Target
from grainline.context.tuning import DEFAULT_TUNING, Tuning
from grainline.context.ways import Ground, Ways
from grainline.errors import BadInput
from grainline.model.access import View
from grainline.model.edge import EdgeType
from grainline.model.evidence import (
    ContextItem,
    ContextOptions,
    ContextResult,
    EvidenceRole,
    Profile,
    Step,
)
from grainline.model.position import LineSpan, Span, quote_path
from grainline.model.search import CoverageRecord, State
from grainline.model.snapshot import FlagName
from grainline.retrieval.relations.book import view_of
from grainline.retrieval.relations.views import ViewGraph
from grainline.retrieval.symbols import suggest
from grainline.storage.base import Corpus, Placement
from grainline.text.budget import ESTIMATOR, SEAM, estimate_tokens
from grainline.text.plural import counted

MAX_SEEDS = 20  # ranked chunks considered; later ones hardly ever earn their tokens
EXPANDED = 6  # anchors whose neighbourhood is looked at
WIDEST = 999_999  # tokens of an item: as long as the number can get
LEAST_TRIES = 8  # a price settles in two or three
FILE_SHARE = 0.6  # of the budget that a whole file (level 4) may take
PARENT_SHARE = 0.35  # of the budget that one raised parent or neighbour may take
SLICES = (0.30, 0.18, 0.09, 0.04)  # of the budget, sizes in which a long symbol is offered

FLOWS = EdgeType.DATA_FLOWS_TO.upper()

# Utility of a form relative to the whole: a slice keeps most of it, a head names it.
WHOLE, FOUND, SLICED, BRIEF = 1.0, 0.8, 0.7, 0.45

Forms: TypeAlias = tuple[tuple[tuple[Span, ...], int, float], ...]
"""(spans, level, factor of the utility) of each form in which something may be shown, richest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that may be shown, in one of `forms` (spans, level, factor of its utility).

    `found`: the question or the asker means it, it is no neighbour of anything. `at_length`: via and
    why with all hops of a way of data, which stand there only when every piece has its place: the
    hops of one way cost as much as a short function.
    """

    entry: int
    symbol: int
    share: Share
    role: EvidenceRole
    via: tuple[Step, ...]
    why: str
    utility: float
    forms: Forms
    by_edge: bool = False
    found: bool = False
    at_length: tuple[tuple[Step, ...], str] | None = None

    def key(self) -> tuple[int, int, int, int]:
        """Candidates with one key are one: a definition of an entry, or a span without one."""
        if self.role is EvidenceRole.IMPORT:
            return (self.entry, -2, 0, 0)
        if self.symbol >= 0 and self.role is not EvidenceRole.PARENT:
            return (self.entry, self.symbol, 0, 0)
        first, last = self.forms[0][0][0], self.forms[0][0][-1]
        return (self.entry, -1, first.start, last.end)


def assemble(
    corpus: Corpus,
    query: str,
    seeds: Sequence[tuple[Placement, float]],
    options: ContextOptions,
    *,
    targets: Sequence[Target] = (),
    graphs: Sequence[ViewGraph] = (),
    ground: Ground | None = None,
    coverage: CoverageRecord | Callable[[], CoverageRecord] | None = None,
    reader: Reader | None = None,
    admit: Callable[[int], bool] = lambda _: True,
    watch: Callable[[Sequence[Candidate]], None] = lambda _: None,
    tuning: Tuning = DEFAULT_TUNING,
) -> ContextResult:
    """The context for a question.

    Args:
        corpus: the scope.
        query: the question, or "" when only a target is given.
        seeds: ranked placements, best first, with their scores.
        options: budget, profile, format, gates.
        targets: places that the asker named.
        graphs: of the views of the scope, as far as they are there.
        ground: what data is followed with; None: it is not.
        coverage: that of the search that found `seeds`, or how to get it once every `admit` was
            asked; by default only the snapshots.
        reader: the files that resolving `targets` read already.
        admit: whether an entry still stands as it was indexed; asked once for every entry that
            could be shown, before anything is chosen.
        watch: told what could be shown, the most useful first, before anything is chosen.
        tuning: the numbers of selection.

    Raises:
        BadInput: unknown format or level, or a budget in which not even an empty answer fits.
    """
    if not 0 <= options.max_level <= 4:
        raise BadInput("bad_level", f"level {options.max_level} is not 0 to 4")
    reader = reader or Reader(corpus)
    profile = resolve(options.profile, query)
    ask = Ask(
        reader=reader,
        relevance=Relevance.of(corpus, query),
        max_neighbours=options.max_neighbours,
        edges=Edges(reader, graphs),
        ways=Ways(reader, graphs, ground, keen=about_data(profile, query)),
        profile=profile,
        aimed=bool(targets) or profile is Profile.IMPACT,
        tuning=tuning,
    )
    found = _pool(ask, profile, seeds, targets, options)
    admitted = {entry: admit(entry) for entry in sorted({each.entry for each in found})}

    def pool_of(budget: int) -> list[Candidate]:
        again = _pool(ask, profile, seeds, targets, replace(options, budget=budget))
        return [candidate for candidate in again if admitted.get(candidate.entry, False)]

    pool = [candidate for candidate in found if admitted[candidate.entry]]
    watch(pool)
    frame = Frame(
        query=query,
        profile=str(profile),
        budget=options.budget,
        tokens=0,
        tokenizer=ESTIMATOR,
        omitted=len(pool) + sum(ask.left_out.values()),
        coverage=_covered(corpus, coverage, ask.ways.state),
        notes=() if pool else _nothing(corpus, query),
        subject=_subject(reader, targets[0]) if targets else "",
    )
    return _fit(ask, pool, frame, FORMATS.get(options.format), profile, pool_of)


def _subject(reader: Reader, target: Target) -> str:
    """What a target is called: its symbol, or its lines."""
    file = reader.file(target.entry)
    if target.symbol >= 0:
        definition = file.outline[target.symbol]
        symbol = reader.symbol(target.entry, target.symbol)
        if symbol and target.span.start <= definition.start and definition.end <= target.span.end:
            return symbol.qualified_name
    lines = file.lines(target.span)
    return f"{quote_path(reader.corpus.path(target.entry))}:{lines.start}-{lines.end}"


def _covered(
    corpus: Corpus, given: CoverageRecord | Callable[[], CoverageRecord] | None, flow: str
) -> CoverageRecord:
    if given is None:
        return CoverageRecord(snapshots=corpus.snapshots)
    known = given() if callable(given) else given
    return replace(known, channels=(*known.channels, ("flow", flow)))


# ------------------------------------------------------------------------ what could be shown


def _pool(
    ask: Ask,
    profile: Profile,
    seeds: Sequence[tuple[Placement, float]],
    targets: Sequence[Target],
    options: ContextOptions,
) -> list[Candidate]:
    """Every candidate once, the most useful first."""
    found = [*_named(ask, targets, options), *_ranked(ask, seeds, options, bool(targets))]
    unique: dict[tuple[int, int, int, int], Candidate] = {}
    for candidate in found:
        _keep(unique, candidate)
    anchors = [_anchor(candidate) for candidate in unique.values()]
    factors = {rule.name: ask.tuning.factor(rule.name) for rule in RULES}
    rules = [rule for rule in RULES if rule.level <= options.max_level and factors[rule.name] > 0]
    if any(rule.name == "flow" for rule in rules):
        ask.ways.look(anchors[:EXPANDED])
    for anchor in anchors[:EXPANDED]:
        for rule in rules:
            wanted = 1.0 + ask.tuning.evidence * (weight(profile, rule.name) - 1.0)
            worth = anchor.utility * max(0.0, wanted) * factors[rule.name]
            for neighbour in islice(rule.expand(ask, anchor), options.max_neighbours):
                _keep(unique, _near(ask, neighbour, rule.share, rule.level, worth, options))
    useful = [candidate for candidate in unique.values() if candidate.utility >= ask.tuning.floor]
    return sorted(useful, key=lambda candidate: (-candidate.utility, _order(ask, candidate)))


def _keep(unique: dict[tuple[int, int, int, int], Candidate], candidate: Candidate) -> None:
    """Add a candidate; of two with one key the first wins, but imports of a file are joined.

    Of two neighbours one along an edge wins over one by name, then the more useful one. What was
    found and stands on a way of data says so.
    """
    key = candidate.key()
    known = unique.get(key)
    if known is None:
        unique[key] = candidate
    elif candidate.role is EvidenceRole.IMPORT:
        spans = merge([*known.forms[0][0], *candidate.forms[0][0]])
        unique[key] = replace(
            known,
            forms=((spans, known.forms[0][1], WHOLE),),
            utility=max(known.utility, candidate.utility),
            why="imports used by the pieces shown",
        )
    elif known.found:
        if known.at_length is None and candidate.via and candidate.via[0].type == FLOWS:
            via, why = candidate.at_length or (candidate.via, candidate.why)
            unique[key] = replace(
                known,
                role=known.role if known.role is EvidenceRole.TARGET else candidate.role,
                at_length=(via, f"{known.why}; {why}"),
                utility=max(known.utility, candidate.utility),
            )
    elif candidate.by_edge != known.by_edge:
        best = candidate if candidate.by_edge else known
        unique[key] = replace(best, utility=max(known.utility, candidate.utility))
    elif candidate.utility > known.utility:
        unique[key] = candidate


def _named(ask: Ask, targets: Sequence[Target], options: ContextOptions) -> Iterable[Candidate]:
    for number, target in enumerate(targets):
        file = ask.reader.file(target.entry)
        yield Candidate(
            entry=target.entry,
            symbol=target.symbol,
            share=Share.TARGET,
            role=EvidenceRole.TARGET,
            via=(),
            why=target.why,
            utility=2.0 / (1.0 + 0.2 * number),
            forms=_forms(ask, file, target.span, target.symbol, options),
            found=True,
        )


def _ranked(
    ask: Ask, seeds: Sequence[tuple[Placement, float]], options: ContextOptions, targeted: bool
) -> Iterable[Candidate]:
    scored, falls = ask.tuning.score, ask.tuning.rank
    top = seeds[0][1] if seeds else 0.0
    for rank, (placement, score) in enumerate(seeds[:MAX_SEEDS], start=1):
        file = ask.reader.file(placement.entry)
        span = file.widen(Span(placement.start, placement.end))
        parts = members(file, span, placement.symbol, ask.relevance)
        symbol = parts[0].row if parts else placement.symbol
        first = rank == 1 and not targeted
        level = score / top if top > 0.0 else 1.0
        yield Candidate(
            entry=placement.entry,
            symbol=symbol,
            share=Share.TARGET if first else Share.DIRECT,
            role=_seed_role(ask.reader, placement.entry, first=first),
            via=(),
            why=_seed_why(ask, file, span, rank),
            utility=(1.0 - scored * (1.0 - min(1.0, max(0.0, level)))) / (1.0 + falls * (rank - 1)),
            forms=_siblings(ask, file, span, parts, options)
            if parts
            else _forms(ask, file, span, symbol, options),
            found=True,
        )


def _siblings(
    ask: Ask, file: SourceFile, span: Span, parts: Sequence[Member], options: ContextOptions
) -> Forms:
    """The forms of a chunk of siblings, richest first: file, all, those that are meant, the best, slices."""
    best = parts[0].span
    own = _forms(ask, file, best, parts[0].row, options)
    close, near_it = near(parts)
    alone = chance(parts, parts[:1])
    return (
        *(form for form in own if form[1] == 4),
        ((span,), 0, WHOLE),
        *(((close, 0, near_it),) if close not in ((span,), (best,)) else ()),
        *((((best,), 0, alone),) if best != span else ()),
        *(
            (spans, level, factor * alone)
            for spans, level, factor in own
            if sum(map(file.tokens, spans)) < file.tokens(best)
        ),
    )


def _seed_role(reader: Reader, entry: int, *, first: bool) -> EvidenceRole:
    flags = {flag.name for flag in reader.entry(entry).flags}
    if FlagName.TEST in flags:
        return EvidenceRole.TEST
    if FlagName.DOCS in flags:
        return EvidenceRole.DOC
    return EvidenceRole.TARGET if first else EvidenceRole.DEFINITION


def _seed_why(ask: Ask, file: SourceFile, span: Span, rank: int) -> str:
    held = ask.relevance.terms_in(file.decode(span))
    best = sorted(held, key=lambda term: (-ask.relevance.weights[term], term))[:5]
    words = ", ".join(term.decode("utf-8", "replace") for term in best)
    return f"rank {rank} for the question" + (f" ({words})" if words else "")


def _forms(ask: Ask, file: SourceFile, span: Span, symbol: int, options: ContextOptions) -> Forms:
    """The forms of a found span, richest first: file, whole symbol, the span, slices."""
    forms: list[tuple[tuple[Span, ...], int, float]] = []
    everything = Span(0, len(file.text))
    if options.max_level >= 4 and file.tokens(everything) <= FILE_SHARE * options.budget:
        forms.append(((everything,), 4, WHOLE * 1.2))
    full = whole(file, file.outline[symbol]) if symbol >= 0 else span
    full = merge([full, span])[0] if _touch(full, span) else span
    size = file.tokens(full)
    if full != span and size <= PARENT_SHARE * options.budget:
        forms.append(((full,), 0, WHOLE))
    own = file.tokens(span)
    if symbol >= 0 and full != span:
        own_head = file.outline[symbol]
        signature = Span(own_head.signature_start, own_head.signature_end)
        forms.append((merge([file.widen(signature), span]), 0, FOUND))
    forms.append(((span,), 0, FOUND * 0.9 if forms else WHOLE))
    if symbol >= 0:
        definition = file.outline[symbol]
        for share in SLICES:
            limit = int(share * options.budget)
            if size > 1.25 * limit or own > limit:
                cut = slices.cut(file, definition, span, ask.relevance, max_tokens=limit)
                forms.append((cut, 0, SLICED * (0.4 + 2 * share)))
    else:
        forms.extend(_shortened(ask, file, span, own, options))
    return tuple(form for form in forms if form[0])


def _shortened(
    ask: Ask, file: SourceFile, span: Span, own: int, options: ContextOptions
) -> Iterable[tuple[tuple[Span, ...], int, float]]:
    """Windows of whole lines around the best line of a span that is no symbol."""
    lines = file.lines(span)
    texts = file.decode(file.line_span(lines)).split("\n")[: lines.end - lines.start + 1]
    best = max(range(len(texts)), key=lambda row: (ask.relevance.share(texts[row]), -row))
    for share in SLICES:
        limit = int(share * options.budget)
        if own <= limit:
            continue
        first = last = best
        spent = estimate_tokens(texts[best]) + 1
        while spent < limit and (first > 0 or last + 1 < len(texts)):
            if last + 1 < len(texts):
                last += 1
                spent += estimate_tokens(texts[last]) + 1
            if first > 0 and spent < limit:
                first -= 1
                spent += estimate_tokens(texts[first]) + 1
        window = file.line_span(LineSpan(lines.start + first, lines.start + last))
        clipped = Span(max(span.start, window.start), min(span.end, window.end))
        if clipped.start < clipped.end:
            yield ((clipped,), 0, SLICED * (0.4 + 2 * share))


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _anchor(candidate: Candidate) -> Anchor:
    spans = candidate.forms[0][0] if candidate.forms[0][1] < 4 else candidate.forms[-1][0]
    return Anchor(
        entry=candidate.entry,
        span=Span(spans[0].start, spans[-1].end),
        symbol=candidate.symbol,
        utility=candidate.utility,
        target=candidate.role is EvidenceRole.TARGET,
    )


def _near(
    ask: Ask, found: Neighbour, share: Share, level: int, worth: float, options: ContextOptions
) -> Candidate:
    file = ask.reader.file(found.entry)
    limit = PARENT_SHARE * options.budget
    forms = [(found.spans, level, WHOLE)]
    if found.brief:
        forms.append((found.brief, level, BRIEF))
    small = [form for form in forms if sum(file.tokens(span) for span in form[0]) <= limit]
    text = "".join(file.decode(span) for span in found.spans)
    tuning = ask.tuning
    aim = tuning.graph if found.by_edge and not (ask.aimed or found.aimed) else 1.0
    words = 1.0 - tuning.lexical + tuning.lexical * ask.relevance.share(text)
    via = (found.step, *found.beyond)
    flows = found.step.type == FLOWS
    return Candidate(
        entry=found.entry,
        symbol=found.symbol,
        share=share,
        role=found.role,
        via=via[:1] if flows else via,
        why=found.why,
        utility=worth * found.weight * aim * words,
        forms=tuple(small or forms[-1:]),
        by_edge=found.by_edge,
        at_length=(via, found.why) if flows else None,
    )


def _order(ask: Ask, candidate: Candidate) -> tuple[str, str, bytes, int]:
    corpus = ask.reader.corpus
    return (
        corpus.repository(candidate.entry).name,
        corpus.snapshot(candidate.entry).ref or "",
        corpus.path(candidate.entry),
        candidate.forms[0][0][0].start,
    )


# ------------------------------------------------------------------------ what is shown


def _fit(
    ask: Ask,
    pool: Sequence[Candidate],
    frame: Frame,
    form: Format,
    profile: Profile,
    pool_of: Callable[[int], list[Candidate]],
) -> ContextResult:
    """The richest rendering that fits: first with the full frame, then with ever briefer ones.

    A frame is made briefer, too, when it leaves no room for any piece.
    """
    for brief in (0, 1, 2):
        framed = replace(frame, brief=brief, notes=frame.notes if brief < 2 else ())
        room = frame.budget - _overhead(form, framed)
        if room < 0 or (brief < 2 and pool and room < frame.budget // 2):
            continue
        result = _filled(ask, pool, _choose(ask, pool, form, room), framed, form, profile)
        if result is not None and (result.items or not pool):
            return result
        if result is not None and brief == 2:
            return _unfilled(ask, pool, framed, form, profile, _least(ask, frame, form, pool_of))
    least = (
        _least(ask, frame, form, pool_of)
        if pool
        else _overhead(form, replace(frame, brief=2, notes=()))
    )
    raise BadInput(
        "budget_too_small",
        f"a budget of {frame.budget} tokens holds no answer in {form.name}",
        hint=f"give at least {least}",
    )


def _filled(
    ask: Ask,
    pool: Sequence[Candidate],
    chosen: list[tuple[Candidate, Option]],
    frame: Frame,
    form: Format,
    profile: Profile,
) -> ContextResult | None:
    """As much of `chosen` as fits; None when the frame alone does not."""
    while True:
        result = _result(ask, pool, chosen, frame, form, profile)
        if result.tokens <= frame.budget:
            return _with_paths(ask, pool, chosen, frame, form, profile) or result
        if not chosen:
            return None
        chosen.pop()


def _with_paths(
    ask: Ask,
    pool: Sequence[Candidate],
    chosen: Sequence[tuple[Candidate, Option]],
    frame: Frame,
    form: Format,
    profile: Profile,
) -> ContextResult | None:
    """The answer with as many ways as fit behind its pieces; None when there are none, or no room."""
    corpus = ask.reader.corpus
    shown: dict[tuple[View, bytes], list[Span]] = {}
    for candidate, option in chosen:
        key = view_of(corpus, candidate.entry), corpus.path(candidate.entry)
        shown.setdefault(key, []).extend(option.spans)
    paths = ask.ways.shown(shown)
    while paths:
        result = _result(ask, pool, chosen, replace(frame, paths=paths), form, profile)
        if result.tokens <= frame.budget:
            return result
        paths = paths[:-1]
    return None


def _unfilled(
    ask: Ask, pool: Sequence[Candidate], frame: Frame, form: Format, profile: Profile, least: int
) -> ContextResult:
    """The answer without pieces: it names the budget that holds one, where there is room for it.

    The coverage of the result names it always: what a brief frame shows has no warnings.
    """
    told = f"nothing fits in {frame.budget} tokens; the smallest useful budget is {least}"
    warned = replace(frame.coverage, warnings=(*frame.coverage.warnings, told))
    framed = replace(frame, coverage=warned, notes=(told,))
    noted = _result(ask, pool, (), framed, form, profile)
    if noted.tokens <= frame.budget:
        return noted
    return _result(ask, pool, (), replace(framed, notes=()), form, profile)


def _least(ask: Ask, frame: Frame, form: Format, pool_of: Callable[[int], list[Candidate]]) -> int:
    """The smallest budget that holds the most useful piece, in its cheapest form.

    Forms grow with the budget, so the price is asked again until it fits its own budget.
    """
    budget = frame.budget
    for _ in range(LEAST_TRIES):
        first = pool_of(budget)[0]
        price = min(_price(ask, first, spans, form) for spans, _, _ in first.forms)
        needed = price + _overhead(form, replace(frame, brief=2, notes=(), budget=budget))
        if needed <= budget:
            break
        budget = needed
    return budget


def _overhead(form: Format, frame: Frame) -> int:
    """Tokens of a document without items; numbers as long as they can get."""
    widest = replace(frame, tokens=frame.budget, omitted=max(frame.omitted, 9999))
    return estimate_tokens(form.document(widest, ()))


def _choose(
    ask: Ask, pool: Sequence[Candidate], form: Format, room: int
) -> list[tuple[Candidate, Option]]:
    """The selected candidates with their forms, the most useful first."""
    loss = ask.tuning.cost / max(1, room)
    groups: list[Group] = []
    for candidate in pool:
        prices = [_price(ask, candidate, spans, form) for spans, _, _ in candidate.forms]
        options = tuple(
            Option(spans, level, candidate.utility * factor - loss * price, price)
            for (spans, level, factor), price in zip(candidate.forms, prices, strict=True)
        )
        groups.append(Group(candidate.share, options))
    chosen: dict[int, Option] = {}
    left = room
    # in two turns: many small neighbours must not outbid a large piece that was found
    for first in (True, False):
        rows = [row for row, each in enumerate(pool) if (each.utility >= ask.tuning.first) is first]
        taken = select([groups[row] for row in rows], left, ask.tuning.shares)
        for row, number in zip(rows, taken, strict=True):
            if number >= 0:
                chosen[row] = groups[row].options[number]
                left -= chosen[row].cost
    return _at_length(ask, [(pool[row], chosen[row]) for row in sorted(chosen)], form, left)


def _at_length(
    ask: Ask, chosen: Sequence[tuple[Candidate, Option]], form: Format, spare: int
) -> list[tuple[Candidate, Option]]:
    """What was chosen, told at length as far as the rest of the room goes, the most useful first."""
    told: list[tuple[Candidate, Option]] = []
    for candidate, option in chosen:
        if candidate.at_length is not None:
            via, why = candidate.at_length
            longer = replace(candidate, via=via, why=why)
            more = _price(ask, longer, option.spans, form) - option.cost
            if more <= spare:
                spare -= more
                told.append((longer, option._replace(cost=option.cost + more)))
                continue
        told.append((candidate, option))
    return told


def _price(ask: Ask, candidate: Candidate, spans: tuple[Span, ...], form: Format) -> int:
    """Cost of an item with the widest number in place, and of what may stand before the next."""
    item = replace(_item(ask, candidate, spans, 0), tokens=WIDEST)
    return estimate_tokens(form.item(item)) + SEAM


def _result(
    ask: Ask,
    pool: Sequence[Candidate],
    chosen: Sequence[tuple[Candidate, Option]],
    frame: Frame,
    form: Format,
    profile: Profile,
) -> ContextResult:
    items = _items(ask, chosen, form)
    omitted = len(pool) - len(chosen) + sum(ask.left_out.values())
    state = State.BOUNDED if omitted and frame.coverage.state is State.COMPLETE else None
    covered = replace(
        frame.coverage, omitted=omitted, state=state if state else frame.coverage.state
    )
    framed = replace(frame, omitted=omitted, coverage=covered)
    tokens, rendered = _settled(framed, items, form)
    return ContextResult(
        query=frame.query,
        profile=profile,
        budget=frame.budget,
        tokens=tokens,
        tokenizer=frame.tokenizer,
        items=items,
        omitted=omitted,
        cursor=None,
        coverage=covered,
        rendered=rendered,
        paths=frame.paths,
    )


def _settled(frame: Frame, items: tuple[ContextItem, ...], form: Format) -> tuple[int, str]:
    """The document that states its own cost; the number never understates it."""
    tokens = estimate_tokens(form.document(replace(frame, tokens=frame.budget), items))
    for _ in range(6):
        rendered = form.document(replace(frame, tokens=tokens), items)
        cost = estimate_tokens(rendered)
        if cost <= tokens:
            return tokens, rendered
        tokens = cost
    raise AssertionError("the cost of a number grows without bound")


def _items(
    ask: Ask, chosen: Sequence[tuple[Candidate, Option]], form: Format
) -> tuple[ContextItem, ...]:
    """The most useful item, then the others in reading order.

    A line is shown once, by the most useful candidate that has it.
    """
    shown: dict[int, list[Span]] = {}
    pieces: list[tuple[tuple[str, str, bytes, int], ContextItem]] = []
    for candidate, option in chosen:
        before = shown.setdefault(candidate.entry, [])
        rest = _without(option.spans, before)
        before.extend(rest)
        if not _worth_showing(ask, candidate.entry, rest):
            continue
        order = (*_order(ask, candidate)[:3], rest[0].start)
        pieces.append((order, _priced(_item(ask, candidate, rest, option.level), form)))
    rest_in_order = sorted(pieces[1:], key=lambda piece: piece[0])
    return tuple(item for _, item in [*pieces[:1], *rest_in_order])


def _worth_showing(ask: Ask, entry: int, spans: Sequence[Span]) -> bool:
    file = ask.reader.file(entry)
    return any(file.text[span.start : span.end].strip(b" \t\r\n\0})];") for span in spans)


def _without(spans: Sequence[Span], taken: Sequence[Span]) -> tuple[Span, ...]:
    """`spans` minus `taken`."""
    out: list[Span] = []
    for span in spans:
        start = span.start
        for other in sorted(taken):
            if other.end <= start or other.start >= span.end:
                continue
            if other.start > start:
                out.append(Span(start, other.start))
            start = max(start, other.end)
        if start < span.end:
            out.append(Span(start, span.end))
    return merge(out)


def _item(ask: Ask, candidate: Candidate, spans: tuple[Span, ...], level: int) -> ContextItem:
    file = ask.reader.file(candidate.entry)
    return ContextItem(
        place=ask.reader.place(candidate.entry, Span(spans[0].start, spans[-1].end)),
        symbol=ask.reader.symbol(candidate.entry, candidate.symbol),
        spans=tuple(file.lines(span) for span in spans),
        level=level,
        role=candidate.role,
        via=candidate.via,
        why=candidate.why,
        tokens=0,
        text=_text(file, spans),
    )


def _text(file: SourceFile, spans: Sequence[Span]) -> str:
    """The shown lines; a mark with true line numbers stands for what is left out between them."""
    parts: list[str] = []
    for number, span in enumerate(spans):
        if number:
            last, first = file.lines(spans[number - 1]).end, file.lines(span).start
            parts.append(_mark(last + 1, first - 1))
        text = file.decode(span)
        final = number + 1 == len(spans)
        parts.append(text if final or text.endswith("\n") else text + "\n")
    return "".join(parts)


def _mark(first: int, last: int) -> str:
    if last < first:
        return "[… part of the line left out …]\n"
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"[… {lines} left out …]\n"


def _priced(item: ContextItem, form: Format) -> ContextItem:
    """`item` with its cost, counted with the number in place."""
    tokens = estimate_tokens(form.item(replace(item, tokens=100)))
    for _ in range(6):
        priced = replace(item, tokens=tokens)
        cost = estimate_tokens(form.item(priced))
        if cost <= tokens:
            return priced
        tokens = cost
    raise AssertionError("the cost of a number grows without bound")


def _nothing(corpus: Corpus, query: str) -> tuple[str, ...]:
    """What to say, and to try, when nothing was found."""
    names: dict[str, None] = {}
    for word in query.split()[:12]:
        if len(word) >= 3:
            names.update(dict.fromkeys(suggest(corpus, word)[:3]))
    notes = [f"Nothing found in {counted(corpus.n_entries, 'indexed file')} of the scope."]
    if names:
        notes.append("Names that look alike: " + ", ".join(list(names)[:8]))
    notes.append("Try other words, a symbol name, a quoted message, or fewer filters.")
    return tuple(notes)
