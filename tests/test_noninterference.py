"""Law 1: a principal is answered as if what it may not read did not exist, byte for byte.

Random homes, policies, edits and questions; several principals in one process, in random order,
with the caches that earlier questions left. `GRAINLINE_EXAMPLES=random` draws new ones, and
`GRAINLINE_CONFIGURATIONS` says how many (the soak: 20,000).
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from grainline.context import ways
from grainline.engine import Engine
from grainline.findings import covering
from grainline.graph.table import EdgeColumns, EdgeTable, UnresolvedColumns
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import WORKTREE, AccessRule, Policy, Scope
from grainline.model.relations import Relation
from grainline.model.search import SearchOptions, SearchResult
from grainline.retrieval import lexical
from grainline.retrieval.lexical import LexicalIndex, TermScores, idf_of
from grainline.storage import store as stores
from grainline.storage.base import Postings
from grainline.storage.corpus import ScopedCorpus
from grainline.storage.masks import readable
from grainline.storage.membership import Membership
from grainline.storage.store import PartStore
from grainline.surfaces.cli.questions import Question, Verb, answer
from helpers.worlds import (
    ATTRIBUTE_BLOBS,
    ATTRIBUTES,
    BLOBS,
    GROUPS,
    PAGE,
    PATHS,
    PREFIXES,
    PRINCIPALS,
    REFS,
    REPOSITORIES,
    SAFE,
    File,
    LeakError,
    World,
)

CONFIGURATIONS = int(os.environ.get("GRAINLINE_CONFIGURATIONS", "1000"))
STEPS = 30
EXAMPLES = CONFIGURATIONS // 7 + 1  # so many make enough configurations that hide a part
QUESTIONS = 4

DIRTY = st.sampled_from([False] * 7 + [True])
FILES = st.builds(File, st.integers(0, len(BLOBS) - 1), DIRTY)
RULE_FILES = st.builds(File, st.integers(len(BLOBS) - len(ATTRIBUTE_BLOBS), len(BLOBS) - 1), DIRTY)
EDITS = st.one_of(
    st.tuples(st.sampled_from(PATHS), st.none() | FILES),
    st.tuples(st.sampled_from(ATTRIBUTES), st.none() | RULE_FILES),
)
VIEWS = st.dictionaries(
    st.tuples(st.sampled_from(REPOSITORIES), st.sampled_from(REFS)),
    st.builds(
        lambda files, rules: {**files, **rules},
        st.dictionaries(st.sampled_from(PATHS), FILES, min_size=1),
        st.dictionaries(st.sampled_from(ATTRIBUTES), RULE_FILES, max_size=3),
    ),
    min_size=1,
    max_size=4,
)
MEMBERS = st.fixed_dictionaries(
    {
        name: st.frozensets(st.sampled_from(GROUPS), min_size=name != "cyd", max_size=2)
        for name in PRINCIPALS[:3]
    }
)
READERS = st.frozensets(st.sampled_from(GROUPS), max_size=3).map(lambda each: tuple(sorted(each)))
RULES = st.builds(
    lambda whole, parts: {("", b""): whole, **parts},
    READERS,
    st.dictionaries(
        st.tuples(st.sampled_from(("", *REPOSITORIES)), st.sampled_from(PREFIXES)),
        READERS,
        min_size=1,
        max_size=6,
    ),
)
ORDERS = st.lists(st.sampled_from(PRINCIPALS), min_size=3, max_size=4, unique=True)
SEEDS = st.integers(0, (1 << 32) - 1)
NAMES = st.sampled_from(
    [
        ((), ()),
        *((((name,), (ref,))) for name in REPOSITORIES for ref in ("main", "dev", WORKTREE)),
        (("one", "two"), ("main",)),
        (("one",), ()),
        ((), ("refs/heads/dev",)),
    ]
)


def rules_of(found: dict[tuple[str, bytes], tuple[str, ...]]) -> list[AccessRule]:
    return [
        AccessRule(repository=repository, prefix=prefix, groups=groups)
        for (repository, prefix), groups in found.items()
    ]


class Homes(RuleBasedStateMachine):
    """A home whose files and policy change between questions."""

    configurations = 0
    """Comparisons for a principal that reads a part of the home, neither nothing nor everything."""

    compared = 0

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.lifted = False

    @initialize(
        views=VIEWS,
        gone=st.lists(st.sampled_from(PATHS), max_size=2),
        members=MEMBERS,
        rules=RULES,
        filled=st.booleans(),
    )
    def begin(self, views, gone, members, rules, filled) -> None:  # type: ignore[no-untyped-def]
        for where, files in views.items():
            self.world.write(where, files, gone)
        if filled:
            self.world.live.engine.fill(options=IndexOptions(workers=0))
        self.world.allow(members, rules_of(rules))

    @rule(
        where=st.tuples(st.sampled_from(REPOSITORIES), st.sampled_from(REFS)),
        change=EDITS,
        amend=st.booleans(),
    )
    def edit(self, where, change, amend) -> None:  # type: ignore[no-untyped-def]
        self.world.edit(where, *change, amend=amend)

    @precondition(lambda self: not self.lifted)
    @rule()
    def follow(self) -> None:
        """From now on, edits stay in memory above the home."""
        self.world.live.lift()
        self.lifted = True

    @precondition(lambda self: len(self.world.states) > 1)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        self.world.drop(data.draw(st.sampled_from(sorted(self.world.states))))

    @rule(members=MEMBERS, rules=RULES)
    def allow(self, members, rules) -> None:  # type: ignore[no-untyped-def]
        self.world.allow(members, rules_of(rules))

    @rule(order=ORDERS, names=NAMES, seed=SEEDS)
    def ask(self, order, names, seed) -> None:  # type: ignore[no-untyped-def]
        self._compare(order, names, seed, deep=False)

    @rule(order=ORDERS, seed=SEEDS)
    def ask_everything(self, order, seed) -> None:  # type: ignore[no-untyped-def]
        self._compare(order, ((), ()), seed, deep=False)

    @rule(order=ORDERS, seed=SEEDS)
    def look_behind(self, order, seed) -> None:  # type: ignore[no-untyped-def]
        self._compare(order, ((), ()), seed, deep=True)

    def _compare(self, order, names, seed, *, deep: bool) -> None:  # type: ignore[no-untyped-def]
        """The same questions by several principals, one after another: caches are warm."""
        questions = self.world.questions()
        chosen = random.Random(seed).sample(questions, min(QUESTIONS, len(questions)))
        for principal in order:
            Homes.configurations += self.world.hides_a_part(principal)
            self.world.compare(principal, names, chosen, deep=deep)
            Homes.compared += len(chosen)


def run(examples: int, phases: tuple[Phase, ...] = tuple(Phase)) -> None:
    Homes.configurations = Homes.compared = 0
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Homes,
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            deadline=None,
            phases=[phase for phase in phases if phase is not Phase.explain],
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_a_principal_is_answered_as_if_what_it_may_not_read_did_not_exist() -> None:
    run(EXAMPLES)
    assert Homes.configurations >= CONFIGURATIONS


# ------------------------------------------------------------------ faults that it must find

Patch = Callable[[pytest.MonkeyPatch], None]


def drop_the_filter(patch: pytest.MonkeyPatch) -> None:
    """Every row is readable."""

    def everything(policy, classes, repository, paths):  # type: ignore[no-untyped-def]
        return np.ones(len(paths), np.bool_)

    patch.setattr(stores, "readable", everything)


def filter_afterwards(patch: pytest.MonkeyPatch) -> None:
    """Search over everything in the views, then leave out the results that may not be read."""
    search = Engine.search

    def late(
        self: Engine, query: str, *, scope: Scope, options: SearchOptions | None = None
    ) -> SearchResult:
        policy = self.policy()
        if scope.classes is None or policy is None:
            return search(self, query, scope=scope, options=options)
        wide = Scope(views=scope.views, epoch=scope.epoch, principal=scope.principal)
        found = search(self, query, scope=wide, options=options)
        hits = tuple(
            hit
            for hit in found.hits
            if readable(policy, scope.classes, hit.place.repository, [hit.place.path])[0]
        )
        coverage = search(self, query, scope=scope, options=options).coverage
        return SearchResult(
            query=query, hits=hits, total=len(hits), cursor=found.cursor, coverage=coverage
        )

    patch.setattr(Engine, "search", late)


def count_globally(patch: pytest.MonkeyPatch) -> None:
    """Document frequencies and N of the store, not of the scope."""
    term = LexicalIndex.term

    def globally(self: LexicalIndex, word: bytes, rows: Postings | None = None) -> TermScores:
        found = term(self, word, rows)
        corpus = self._corpus
        assert isinstance(corpus, ScopedCorpus)
        segments = corpus._content.segments
        everywhere = sum(len(set(each.term_rows(word)[0].tolist())) for each in segments)
        idf = idf_of(sum(each.n_chunks for each in segments), everywhere)
        scores = np.rint(found.scores * (idf / max(found.idf, 1))).astype(np.int32)
        return TermScores(found.ids, scores, idf)

    patch.setattr(lexical.LexicalIndex, "term", globally)


def share_the_cache(patch: pytest.MonkeyPatch) -> None:
    """A corpus is kept for the views that were asked for, whoever asked."""
    corpus = PartStore.corpus
    kept: dict[object, ScopedCorpus] = {}

    def shared(self: PartStore, scope: Scope) -> ScopedCorpus:
        made = corpus(self, scope)
        rows = {row.view: row.generation for row in self.views()}
        key = (id(self), scope.views, tuple(rows[view] for view in scope.views))
        return kept.setdefault(key, made)

    patch.setattr(PartStore, "corpus", shared)


def filter_apart(patch: pytest.MonkeyPatch) -> None:
    """A row needs a repository in scope and a readable class, each from any of its places."""

    def anywhere(policy: Policy, classes, repository, paths):  # type: ignore[no-untyped-def]
        masks = [readable(policy, classes, name, paths) for name in REPOSITORIES]
        return np.logical_or.reduce(masks)

    patch.setattr(stores, "readable", anywhere)


def suggest_everything(patch: pytest.MonkeyPatch) -> None:
    """Names to suggest come from the whole store."""

    def names(self: ScopedCorpus) -> tuple[str, ...]:
        segments = self._content.segments
        return tuple(sorted({name.decode() for each in segments for name in each.symbols}))

    patch.setattr(ScopedCorpus, "symbol_names", names)


def keep_the_old_epoch(patch: pytest.MonkeyPatch) -> None:
    """A policy that was replaced goes on to hold for the views that were opened under it."""
    look = PartStore._see

    def stale(self, pinned, row, classes):  # type: ignore[no-untyped-def]
        held = self.__dict__.setdefault("_stale", {})
        key = (row.view, row.membership, row.generation, classes)
        return held.setdefault(key, look(self, pinned, row, classes))

    patch.setattr(PartStore, "_see", stale)


def tell_that_it_exists(patch: pytest.MonkeyPatch) -> None:
    """`why` tells whether a path that may not be read exists."""
    why = Engine.why

    def knowing(self: Engine, path: bytes, *, scope: Scope):  # type: ignore[no-untyped-def]
        wide = Scope(views=scope.views, epoch=scope.epoch, principal=scope.principal)
        return why(self, path, scope=wide)

    patch.setattr(Engine, "why", knowing)


def count_hidden_rows(patch: pytest.MonkeyPatch) -> None:
    """The generation of a view is that of all its rows."""
    look = PartStore._look

    def whole(self, pinned, row, classes):  # type: ignore[no-untyped-def]
        return look(self, pinned, row, classes)._replace(generation=row.generation)

    patch.setattr(PartStore, "_look", whole)


def count_hidden_deletions(patch: pytest.MonkeyPatch) -> None:
    """A work tree is dirty because of a file that is gone and could not be read."""
    take = Membership.take

    def whole(self, rows, missing=None):  # type: ignore[no-untyped-def]
        return take(self, rows, self.missing)

    patch.setattr(Membership, "take", whole)


def heed_hidden_rules(patch: pytest.MonkeyPatch) -> None:
    """Flags are as attribute files set them that may not be read."""
    patch.setattr(Membership, "heeding", lambda self, reads: self)


def resolve_everything(patch: pytest.MonkeyPatch) -> None:
    """The graph of everything in the views serves every reader; what it may not read is left out."""
    graphs = Engine._graphs

    def wide(self: Engine, corpus, views, **how):  # type: ignore[no-untyped-def]
        scope = corpus.scope
        everything = Scope(views=scope.views, epoch=scope.epoch, principal=scope.principal)
        paths = {corpus.path(entry) for entry in range(corpus.n_entries)}
        return tuple(
            graph._replace(table=_inside(graph.table, paths))
            for graph in graphs(self, self._store.corpus(everything), views, **how)
        )

    patch.setattr(Engine, "_graphs", wide)


def _inside(table, paths):  # type: ignore[no-untyped-def]
    """The rows whose ends all stand in some files."""
    symbols = [table.symbol(number) for number in range(len(table.keys))]
    fits = np.array([symbol.path in paths for symbol in symbols], np.bool_)
    kept = fits[table.edges.src] & fits[table.edges.dst]
    calls = fits[table.unresolved.src]
    return EdgeTable(
        keys=table.keys,
        edges=EdgeColumns._make(column[kept] for column in table.edges),
        unresolved=UnresolvedColumns._make(column[calls] for column in table.unresolved),
        names=table.names,
        cuts=table.cuts,
    )


def count_before_the_mask(patch: pytest.MonkeyPatch) -> None:
    """Totals of relations count what may not be read."""
    related = Engine._related

    def counting(self: Engine, relation, symbol, scope, options):  # type: ignore[no-untyped-def]
        found = related(self, relation, symbol, scope, options)
        wide = Scope(views=scope.views, epoch=scope.epoch, principal=scope.principal)
        return replace(found, totals=related(self, relation, symbol, wide, options).totals)

    patch.setattr(Engine, "_related", counting)


def serve_what_is_kept(patch: pytest.MonkeyPatch) -> None:
    """Edges that are kept for whole views name callers and signatures for everybody."""
    kept = Engine._kept_graph

    def whole(self: Engine, scope, view, generation):  # type: ignore[no-untyped-def]
        rows = {row.view: row.generation for row in self._store.views()}
        return kept(self, Scope(views=scope.views), view, rows[view])

    patch.setattr(Engine, "_kept_graph", whole)


def tell_that_all_is_seen(patch: pytest.MonkeyPatch) -> None:
    """Kept edges serve a reader under a policy exactly when nothing is hidden from it."""
    kept = Engine._kept_graph

    def same(self: Engine, scope, view, generation):  # type: ignore[no-untyped-def]
        return kept(self, Scope(views=scope.views), view, generation)

    patch.setattr(Engine, "_kept_graph", same)


def follow_everything(patch: pytest.MonkeyPatch) -> None:
    """Data is followed through every file of the views: a sanitizer counts that nobody may see."""
    graphs, read = Engine._graphs, Engine._read

    def widened(self, corpus, views, **how):  # type: ignore[no-untyped-def]
        return graphs(self, self._store.corpus(_unmasked(corpus.scope)), views, **how)

    patch.setattr(Engine, "_graphs", widened)
    patch.setattr(Engine, "_read", lambda self, scope, *rest: read(self, _unmasked(scope), *rest))


def keep_flows_for_all(patch: pytest.MonkeyPatch) -> None:
    """What was found in a view serves every reader of it."""
    one = Engine._one
    kept: dict[object, object] = {}

    def shared(self, opened, view, *rest):  # type: ignore[no-untyped-def]
        found = one(self, opened, view, *rest)
        return kept.setdefault((id(self), view), found) if rest[-1] is None else found

    patch.setattr(Engine, "_one", shared)


def name_hidden_languages(patch: pytest.MonkeyPatch) -> None:
    """Coverage names the languages without data flow of files that may not be read."""
    opened, without = PartStore.corpus, covering.without_flow
    stores_of: dict[int, PartStore] = {}

    def noting(self: PartStore, scope: Scope) -> ScopedCorpus:
        found = opened(self, scope)
        stores_of[id(found)] = self
        return found

    def everywhere(corpus):  # type: ignore[no-untyped-def]
        return without(opened(stores_of[id(corpus)], _unmasked(corpus.scope)))

    patch.setattr(PartStore, "corpus", noting)
    patch.setattr(covering, "without_flow", everywhere)


def count_hidden_neighbours(patch: pytest.MonkeyPatch) -> None:
    """A context counts files near by that may not be read as out of reach."""
    follow_everything(patch)
    near = ways.near

    def counting(table, starts, size_of, most):  # type: ignore[no-untyped-def]
        return near(table, starts, lambda path: size_of(path) % (most + 2), most)

    patch.setattr(ways, "near", counting)


def _unmasked(scope: Scope) -> Scope:
    return Scope(views=scope.views, epoch=scope.epoch, principal=scope.principal)


FAULTS = (
    resolve_everything,
    heed_hidden_rules,
    drop_the_filter,
    filter_afterwards,
    count_globally,
    share_the_cache,
    filter_apart,
    suggest_everything,
    keep_the_old_epoch,
    tell_that_it_exists,
    count_hidden_rows,
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.__name__)
def test_the_check_finds(fault: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    fault(monkeypatch)
    with pytest.raises(LeakError):
        run(EXAMPLES, (Phase.generate,))


def test_of_files_that_are_gone_the_check_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random homes show this fault once in a hundred: a file that is gone and may not be read."""

    def asked() -> None:
        world = World()
        files = {b"a/pay.py": File(0), b"ab/pay.py": File(3)}
        world.write(("one", WORKTREE), files, [b"top.py"])
        closed = {("", b""): ("red",), ("", b"top.py"): ("blue",)}
        world.allow({"ann": frozenset({"red"})}, rules_of(closed))
        world.compare("ann", ((), ()), world.questions(), deep=True)

    asked()
    count_hidden_deletions(monkeypatch)
    with pytest.raises(LeakError):
        asked()


@pytest.mark.parametrize("fault", [count_before_the_mask])
def test_in_relations_the_check_finds(fault: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hidden file calls, imports and inherits from files that are read."""
    world = World()
    settle = len(BLOBS) - len(ATTRIBUTE_BLOBS) - 1
    files = {b"a/pay.py": File(0), b"a/b/refund.py": File(1), b"ab/pay.py": File(3)}
    world.write(("one", "refs/heads/main"), {**files, b"top.py": File(settle)})
    closed = {("", b""): ("red",), ("", b"top.py"): ("blue",)}
    world.allow({"ann": frozenset({"red"})}, rules_of(closed))
    questions = [each for each in world.questions() if each.verb in tuple(Relation)]
    world.compare("ann", ((), ()), questions)
    fault(monkeypatch)
    with pytest.raises(LeakError):
        world.compare("ann", ((), ()), questions)


def test_in_contexts_along_data_the_check_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that data of a page gets to is hidden."""
    world = _page_and_sanitizer()
    questions = [Question(Verb.TARGET, "page"), Question(Verb.AT, "top.py:9-11")]
    for principal in ("ann", "bob"):
        scope = world.live.engine.everything(principal)
        told = answer(world.live.engine, scope, questions[0])
        assert (b"data flows from" in told) is (principal == "bob")
    world.compare("ann", ((), ()), questions)
    count_hidden_neighbours(monkeypatch)
    with pytest.raises(LeakError):
        world.compare("ann", ((), ()), questions)


def _page_and_sanitizer() -> World:
    """A page, and its sanitizer and what has no data flow, which `ann` may not read."""
    world = World()
    page, safe = (next(n for n, data in enumerate(BLOBS) if data is blob) for blob in (PAGE, SAFE))
    files = {b"top.py": File(page), b"ab/pay.py": File(safe), b"a/pay.py": File(0)}
    world.write(("one", "refs/heads/main"), {**files, b"ab/pay.swift": File(0)})
    closed = {("", b""): ("red",), ("", b"ab"): ("blue",)}
    both = frozenset({"red", "blue"})
    world.allow({"ann": frozenset({"red"}), "bob": both}, rules_of(closed))
    return world


@pytest.mark.parametrize("fault", [follow_everything, keep_flows_for_all, name_hidden_languages])
def test_in_flows_the_check_finds(fault: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hidden sanitizer, and a hidden file without data flow; a second reader may read both."""
    world = _page_and_sanitizer()
    lines = [found.steps[-1].line for found in world.live.engine.scan().findings]
    assert lines == [10, 10]  # of the sink in ab/pay.py, and of the one in top.py
    questions = [each for each in world.questions() if each.verb in (Verb.SCAN, Verb.TRACE)]
    kinds = {b'"undetermined"' in answer(world.live.engine, world.live.engine.everything(name), each)
             for name in ("ann", "bob") for each in questions}  # fmt: skip
    assert kinds == {False, True}
    for reader in ("bob", "ann", "bob"):
        world.compare(reader, ((), ()), questions)
    fault(monkeypatch)

    def again() -> None:
        for reader in ("bob", "ann"):
            world.compare(reader, ((), ()), questions)

    with pytest.raises(LeakError):
        again()


@pytest.mark.parametrize(
    ("fault", "reader"), [(serve_what_is_kept, "ann"), (tell_that_all_is_seen, "bob")]
)
def test_where_edges_are_kept_the_check_finds(
    fault: Patch, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hidden file calls what is read; a second reader may read everything."""
    world = World()
    settle = len(BLOBS) - len(ATTRIBUTE_BLOBS) - 1
    files = {b"a/pay.py": File(0), b"a/b/refund.py": File(1), b"ab/pay.py": File(3)}
    world.write(("one", "refs/heads/main"), {**files, b"top.py": File(settle)})
    closed = {("", b""): ("red",), ("", b"top.py"): ("blue",)}
    both = frozenset({"red", "blue"})
    world.allow({"ann": frozenset({"red"}), "bob": both}, rules_of(closed))
    world.live.engine.fill(options=IndexOptions(workers=0))
    owner = world.live.engine.search("charge", options=SearchOptions(callers=True))
    assert "top.settle" in {name for hit in owner.hits for name in hit.called_by}
    questions = [each for each in world.questions() if each.verb in (Verb.SEARCH, Verb.FILTER)]
    world.compare(reader, ((), ()), questions)
    fault(monkeypatch)
    with pytest.raises(LeakError):
        world.compare(reader, ((), ()), questions)


@pytest.mark.soak
def test_so_it_is_in_many_random_homes() -> None:
    wanted = int(os.environ.get("GRAINLINE_CONFIGURATIONS", "20000"))
    done = 0
    while done < wanted:
        run(100)
        done += Homes.configurations
