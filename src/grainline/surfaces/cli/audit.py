"""The leak test on a user's own index: what a principal is answered, beside an index without secrets.

The same snapshots are built again in memory without the entries that the policy forbids, decided
path by path and not by the mask that the index uses. Then both are asked the same questions, drawn
from what may be read and from what may not. Every difference, in one byte, is a leak.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grainline.engine import Engine
from grainline.errors import BadInput
from grainline.indexing.graphs import code_size
from grainline.model.access import Scope
from grainline.model.answers import Check
from grainline.retrieval.hits import version_of
from grainline.storage.base import Corpus
from grainline.surfaces.cli.questions import Question, Verb, about, answer, followed, named

FILES = 24
"""Files of either kind, readable and not, from which questions are drawn."""

FOLLOWED = 2
"""The same of questions about data: each is an analysis of everything in scope."""

MOST_CODE = 1 << 20
"""Bytes of code of a home beyond which none of them are asked; that is said."""


@dataclass(slots=True)
class _Tally:
    asked: int = 0
    bytes: int = 0
    leaks: int = 0
    first: str = ""


def audit(engine: Engine, principal: str, *, files: int = FILES) -> tuple[Check, ...]:
    """Ask as `principal`, here and beside an index without what it may not read.

    Args:
        engine: of a home with a policy.
        principal: who asks.
        files: readable and unreadable files from which questions are drawn, of each so many.

    Raises:
        BadInput: this home has no policy, or nothing is indexed.
    """
    policy = engine.policy()
    if policy is None:
        raise BadInput(
            "no_policy",
            "this home has no access policy: whoever can open it reads everything",
            hint="run: grainline access set FILE",
        )
    apart = engine.without_unreadable(principal)
    mine, theirs = _everything(engine, principal), _everything(apart, None)
    if isinstance(mine, Scope) and isinstance(theirs, Scope):
        theirs = replace(theirs, epoch=mine.epoch)
    checks = [_check_rows(engine, mine, apart, theirs)]
    tallies: defaultdict[Verb, _Tally] = defaultdict(_Tally)
    for question in _questions(engine, apart, files):
        ours = _ask(engine, mine, question, principal)
        other = _ask(apart, theirs, question, None)
        tally = tallies[question.verb]
        tally.asked += 1
        tally.bytes += len(ours)
        if ours != other:
            tally.leaks += 1
            tally.first = tally.first or _difference(question, ours, other)
    checks += [_check_verb(verb, tallies[verb]) for verb in Verb if verb in tallies]
    if not _is_small(engine):
        said = f"not asked: there are more than {MOST_CODE} bytes of code"
        checks.append(Check(name="data flow", ok=True, detail=said))
    return tuple(checks)


def _everything(engine: Engine, principal: str | None) -> Scope | str:
    """All that a principal may know of, or the error of a home that holds nothing for it."""
    try:
        return engine.everything(principal)
    except BadInput as error:
        return str(error)


def _ask(engine: Engine, scope: Scope | str, question: Question, principal: str | None) -> bytes:
    if question.verb is Verb.SCOPE:
        return named(engine, principal, question)
    return scope.encode() if isinstance(scope, str) else answer(engine, scope, question)


def _check_rows(engine: Engine, mine: Scope | str, apart: Engine, theirs: Scope | str) -> Check:
    """Whether the index lets through as many paths as the policy, read path by path, does."""
    everything = _paths(engine, engine.everything())
    readable, wanted = _paths(engine, mine), _paths(apart, theirs)
    detail = f"{readable} of {everything} paths can be read"
    if readable != wanted:
        detail = f"{detail}, the policy opens {wanted}"
    return Check(name="paths", ok=readable == wanted, detail=detail)


def _paths(engine: Engine, scope: Scope | str) -> int:
    if isinstance(scope, str):
        return 0
    status = engine.status(scope=scope)
    refs = [ref for repository in status.repositories for ref in repository.refs]
    return sum(count for ref in refs for _, count in ref.counts)


def _check_verb(verb: Verb, tally: _Tally) -> Check:
    detail = f"{tally.asked} questions, {tally.bytes} bytes, {tally.leaks} answers differ"
    repair = f"a defect of grainline, please report it: {tally.first}" if tally.leaks else ""
    return Check(name=str(verb), ok=not tally.leaks, detail=detail, repair=repair)


def _difference(question: Question, ours: bytes, other: bytes) -> str:
    at = next(
        (i for i, (a, b) in enumerate(zip(ours, other, strict=False)) if a != b),
        min(len(ours), len(other)),
    )
    low = max(at - 40, 0)
    parts = (each[low : at + 40].decode("utf-8", "replace") for each in (ours, other))
    return f"{question.verb} {question.text!r} at byte {at}: {' / '.join(map(repr, parts))}"


# --------------------------------------------------------------------------- questions


def _questions(engine: Engine, apart: Engine, files: int) -> Iterator[Question]:
    """Questions from readable and unreadable files, names of repositories and refs among them."""
    draw = random.Random(0)
    seen: set[Question] = set()
    for question in _drawn(engine, apart, files, draw):
        if question not in seen:
            seen.add(question)
            yield question


def _drawn(engine: Engine, apart: Engine, files: int, draw: random.Random) -> Iterator[Question]:
    yield Question(Verb.STATUS, "")
    yield Question(Verb.STATUS, "paths")
    for repository in engine.status().repositories:
        for name in (repository.repository, repository.repository[:-1]):
            yield Question(Verb.SCOPE, name)
        for ref in repository.refs:
            yield from (Question(Verb.SCOPE, f"@{name}") for name in _names(ref.ref))
            if ref.snapshot.commit:
                yield Question(Verb.SCOPE, f"@{ref.snapshot.commit[:12]}")
    open_paths = _places(apart)
    small = _is_small(engine)
    for scope in _alike(engine):
        corpus = engine.corpus(scope)
        kinds: tuple[list[int], list[int]] = ([], [])
        for entry in range(corpus.n_entries):
            kinds[_place(corpus, entry) in open_paths].append(entry)
        for kind in kinds:
            for number, entry in enumerate(draw.sample(kind, min(files, len(kind)))):
                yield from _about(corpus, entry)
                if small and number < FOLLOWED:
                    names = tuple(each.name for each in corpus.outline(entry))
                    yield from followed(corpus.path(entry), names)


def _is_small(engine: Engine) -> bool:
    return sum(code_size(engine.corpus(scope)) for scope in _alike(engine)) <= MOST_CODE


def _names(ref: str) -> tuple[str, str]:
    return ref, ref.rpartition("/")[2][:-1] or "x"


def _alike(engine: Engine) -> Iterator[Scope]:
    """All views, in scopes of one set of options each: others do not mix."""
    for views in engine.views_by_options():
        yield replace(engine.everything(), views=views)


def _places(engine: Engine) -> frozenset[tuple[str, str | None, bytes]]:
    found: set[tuple[str, str | None, bytes]] = set()
    for scope in _alike(engine):
        corpus = engine.corpus(scope)
        found.update(_place(corpus, entry) for entry in range(corpus.n_entries))
    return frozenset(found)


def _place(corpus: Corpus, entry: int) -> tuple[str, str | None, bytes]:
    return corpus.repository(entry).name, corpus.snapshot(entry).ref, corpus.path(entry)


def _about(corpus: Corpus, entry: int) -> Sequence[Question]:
    text = corpus.text(entry)[:4000].decode(corpus.encoding(entry) or "utf-8", "replace")
    names = tuple(definition.name for definition in corpus.outline(entry))
    version = version_of(corpus.snapshot(entry), corpus.entry(entry))
    return about(corpus.path(entry), text, names, version)
