"""The facade and composition root: the only place where implementations are chosen."""

from __future__ import annotations

import os
import time
import weakref
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from grainline.access import OWNER, Available, build_scope, everything
from grainline.config import default_home
from grainline.errors import BadInput, Damaged, GrainlineError, Refused
from grainline.findings.asking import Flows
from grainline.indexing.proof import Proof, Prover
from grainline.model.access import WORKTREE, Bounds, Policy, Principal, Scope, View
from grainline.model.position import quote_path
from grainline.model.search import (
    CoverageRecord,
    Place,
    SearchOptions,
    SearchResult,
    State,
)
from grainline.model.snapshot import Entry, Outcome, RepositoryId
from grainline.retrieval.options import DEFAULT_RANKING, RankOptions
from grainline.retrieval.relations.asking import Opened, Relations
from grainline.retrieval.search import first_page, rank, search
from grainline.storage.base import (
    Corpus,
    Derived,
    Fingerprint,
    Lost,
    Placement,
    RepositoryRecord,
    Store,
    ViewStatus,
)
from grainline.text.plural import counted
from grainline.text.tokens import FEATURE_VERSION as TERMS_VERSION

# What only some questions need is imported by the methods that answer them: a search in a new
# process costs more time for modules than for searching.
if TYPE_CHECKING:
    from grainline.context.assemble import Candidate
    from grainline.context.cite import Reader
    from grainline.context.targets import Target
    from grainline.context.tuning import Tuning
    from grainline.context.ways import Ground
    from grainline.graph.units import Unit
    from grainline.indexing.ahead import Ahead
    from grainline.indexing.graphs import Graphs, Read
    from grainline.indexing.irs import Fresh
    from grainline.indexing.kept import Kept, Tables
    from grainline.indexing.live import Live
    from grainline.indexing.lower import Lowered
    from grainline.indexing.pipeline import IndexOptions
    from grainline.indexing.workers import Crew
    from grainline.model.answers import (
        Check,
        EdgeReport,
        Ended,
        ExactReport,
        GcReport,
        IndexReport,
        OutlineResult,
        PathRow,
        Progress,
        ReadResult,
        RefreshReport,
        RefStatus,
        Retention,
        ShowResult,
        StatusResult,
        WhyResult,
    )
    from grainline.model.evidence import ContextOptions, ContextResult
    from grainline.model.explain import Explanation
    from grainline.model.flow import Finding, FlowPath
    from grainline.model.relations import GraphOptions, ScipResult
    from grainline.precise.index import Index
    from grainline.precise.session import Limits
    from grainline.retrieval.relations.views import ViewGraph
    from grainline.snapshots import ReadOptions, RepositoryInfo

CONTEXT_SEEDS = 20
NAMED_TREES = 3  # work trees that are named in a sentence
"""Ranked chunks that a context starts from."""

MEMORY = ":memory:"
"""Home name of a store that lives as long as the engine."""


class Engine(Relations, Flows):
    """One home: index repositories, ask questions inside a scope, read what is cited.

    Every answer is a frozen value of `grainline.model`; `grainline.surfaces.wire` turns them into
    JSON objects. An engine is not shared between threads.
    """

    def __init__(self, store: Store, home: str, *, workers: int | None = None) -> None:
        self._base = store
        self._live: Live | None = None
        self._maker: Graphs | None = None
        self._tables: Tables | None = None
        self._ahead: Ahead | None = None
        self._changed = False
        self._filled = set[View]()
        self._flows = OrderedDict()
        self._fresh: Fresh | None = None
        self._workers = workers
        self.asker = OWNER
        """Who asks where nobody is named."""
        self.report: Callable[[Progress], None] = lambda _: None
        """Called now and then while a question waits for edges that are not kept."""
        self._prover = Prover()
        self._end = weakref.finalize(self, self._prover.close)
        self.home = home

    @classmethod
    def open(cls, home: str | None = None, *, create: bool = True) -> Engine:
        """The engine of a home; nothing is written before the first `index`.

        Args:
            home: a folder, `MEMORY`, or None for the default one.
            create: False refuses a home that does not exist.

        Raises:
            BadInput: `home` is a file, or absent and not to be created.
        """
        if home == MEMORY:
            from grainline.storage.memory import open_memory

            return cls(open_memory(), MEMORY)
        home = home or os.environ.get("GRAINLINE_HOME") or default_home(os.environ)
        if not create and not Path(home).exists():
            raise BadInput(
                "nothing_indexed",
                "this home holds no index yet",
                subject=home,
                hint="run: grainline index PATH",
            )
        from grainline.storage.sqlite import open_folder

        return cls(open_folder(home), home)

    def close(self) -> None:
        """End helper processes; the engine can go on afterwards, with what is indexed."""
        self._prover.close()
        if self._ahead is not None:
            self._ahead.close()
        self._maker = self._tables = self._ahead = None
        self._flows.clear()
        if self._live is not None:
            self._live.close()
            self._live = None

    @property
    def _store(self) -> Store:
        """What is read: work trees as they were last refreshed, all else as indexed."""
        live = self._live
        return live.store if live is not None and live.store.is_current() else self._base

    # ------------------------------------------------------------------ writing

    def index(
        self,
        path: str,
        *,
        refs: Sequence[str] = (),
        name: str | None = None,
        options: IndexOptions | None = None,
        read: ReadOptions | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> IndexReport:
        """Bring the views of a repository up to date.

        Args:
            path: work tree (or a folder in it), bare repository, or plain folder.
            refs: branches, tags, commits; empty: the work tree, else HEAD.
            name: label of the repository.
            options: chunker and workers.
            read: what to read and what to refuse.
            progress: called now and then from this thread.

        Raises:
            BadInput: path or ref are not what they should be; nothing was written.
            Refused: a safety rule or limit forbids it, or a new label would take a repository out of
                the rules of the policy in force that name it; nothing was written.
            Locked: another process writes this home.
            Interrupted: what was finished is kept.
        """
        from grainline.indexing.irs import Fresh
        from grainline.indexing.pipeline import IndexOptions, fingerprint, index
        from grainline.snapshots import ReadOptions, open_repository

        options = options or IndexOptions()
        self._workers = options.workers
        self._fresh = Fresh() if options.ir else None
        with open_repository(path, read or ReadOptions()) as repository:
            record = self._labelled(repository.record, name)
            with self._base.writer(fingerprint(options)) as writer:
                report = index(
                    repository,
                    writer,
                    record=record,
                    refs=refs,
                    options=options,
                    progress=progress,
                    keep_ir=self._fresh.keep if self._fresh is not None else lambda _, __: None,
                )
        return replace(report, warnings=(*report.warnings, *self._unruled(record.name)))

    def fill(
        self,
        name: str | None = None,
        *,
        options: IndexOptions | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> tuple[EdgeReport, ...]:
        """Make the edges of the indexed views (of the repository `name`) and keep them.

        What is not filled is made when it is asked for, and again by every process that asks.

        Args:
            name: label of a repository; None for all.
            options: workers and their limits.
            progress: called now and then; stages are `lower` and `resolve`.

        Raises:
            Interrupted: by the user.
            ResourceExhausted: disk or memory gave out.
        """
        from grainline.findings.keeping import keep as keep_flows
        from grainline.indexing.fill import fill
        from grainline.indexing.pipeline import IndexOptions

        rows = self._base.views()
        mine = [row.view for row in rows if name is None or row.repository.name == name]
        everything = [(row.view, row.generation) for row in rows]
        keep_flows(self._base.derived, everything)
        return fill(
            map(self._whole, mine),
            everything,
            self._base.derived,
            options or IndexOptions(),
            progress,
            self._fresh,
        )

    def exact(self, name: str, index: Index, *, ref: str | None = None) -> tuple[ExactReport, ...]:
        """Take exact edges from a SCIP index of a repository, for the state that is indexed.

        Args:
            name: label of the repository.
            index: as `indexing.exact.read_index` reads it.
            ref: of one view; None: all views.

        Raises:
            BadInput: nothing is called so.
            ResourceExhausted: disk or memory gave out.
        """
        from grainline.indexing.exact import take
        from grainline.indexing.pipeline import exhausted

        views = self._views_of(name, ref)
        try:
            return tuple(
                take(corpus, index, self._graph_maker().edges(corpus).table, self._base.derived)
                for corpus in map(self._whole, views)
            )
        except (OSError, MemoryError) as error:
            raise exhausted(error, name) from error

    def ask_server(
        self,
        name: str,
        server: str,
        *,
        ref: str | None = None,
        limits: Limits | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> tuple[ExactReport, ...]:
        """Take exact edges from a language server, for the state that is indexed.

        **Running a language server on a hostile project can execute its code.** It gets a copy of
        the files, is killed beyond the limits, and what it said before counts; the next call for the
        same state goes on from there.

        Args:
            name: label of the repository.
            server: which one, by name (`precise.lsp.SERVERS`).
            ref: of one view; None: all views.
            limits: of one run.
            progress: called now and then; the stage is the name of the server.

        Raises:
            BadInput: nothing, or no server, is called so; or the server is not installed.
            ResourceExhausted: disk or memory gave out.
        """
        from grainline.indexing.pipeline import exhausted
        from grainline.indexing.serving import ask_server

        views = self._views_of(name, ref)
        found: list[ExactReport] = []
        try:
            for corpus in map(self._whole, views):
                known = self._graph_maker().edges(corpus).table
                found.append(
                    ask_server(
                        corpus, server, known, self._base.derived, limits=limits, progress=progress
                    )
                )
        except (OSError, MemoryError) as error:
            raise exhausted(error, name) from error
        return tuple(found)

    def _views_of(self, name: str, ref: str | None) -> list[View]:
        """The views of a repository, or the one of a ref.

        Raises:
            BadInput: nothing is called so.
        """
        rows = [row for row in self._base.views() if row.repository.name == name]
        views = [row.view for row in rows if ref is None or row.view.ref == ref]
        if not views:
            raise BadInput(
                "unknown_repository",
                f"nothing is indexed as {name!r}",
                hint="see: grainline status",
            )
        return views

    def _whole(self, view: View) -> Corpus:
        """All of one view, as it is indexed."""
        return self._base.corpus(Scope(views=(view,)))

    def remove(self, name: str) -> None:
        """Forget a repository and free what only it used.

        Raises:
            BadInput: no repository is called so.
        """
        from grainline.indexing.pipeline import IndexOptions, fingerprint

        found = {status.repository.name: status.repository for status in self._store.views()}
        if name not in found:
            raise BadInput(
                "unknown_repository",
                f"no repository is called {name!r}",
                hint="indexed: " + (", ".join(map(repr, sorted(found))) or "nothing"),
            )
        with self._base.writer(fingerprint(IndexOptions())) as writer:
            writer.remove(found[name].id)

    def ensure(
        self,
        refs: Sequence[str],
        *,
        repos: Sequence[str] = (),
        options: IndexOptions | None = None,
        read: ReadOptions | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> tuple[tuple[str, IndexReport], ...]:
        """Index refs that a question names and no index holds yet, as historic views.

        They are made like the newest view of their repository: same chunker, same paths. For the
        owner of a home only: who asks for somebody else learns nothing of what could be.

        Args:
            refs: branches, tags, commits; what a repository does not know is left out.
            repos: names of repositories; empty means all.
            options: workers and their limits.
            read: what to refuse; which paths are read follows from the other views.
            progress: called now and then.

        Returns:
            (the ref as it was named, what was done) for each that was indexed.

        Raises:
            Locked: another process writes this home.
        """
        from grainline.indexing.pipeline import IndexOptions
        from grainline.snapshots import ReadOptions

        options = replace(options or IndexOptions(), historic=True)
        newest: dict[RepositoryId, ViewStatus] = {}
        for row in sorted(self._base.views(), key=lambda row: row.indexed_at):
            newest[row.repository.id] = row
        done: list[tuple[str, IndexReport]] = []
        for row in newest.values():
            record = row.repository
            if repos and record.name not in repos:
                continue
            plain = (options, (read or ReadOptions()).ruled(row.rules))
            alike, rules = _alike(row, options, read or ReadOptions()) or plain
            for ref in refs:
                if self._has(record.name, ref) or not self._knows(record, ref, rules):
                    continue
                report = self.index(
                    record.root, refs=(ref,), options=alike, read=rules, progress=progress
                )
                done.append((ref, report))
        return tuple(done)

    def _has(self, repository: str, ref: str) -> bool:
        try:
            self.scope(repos=(repository,), refs=(ref,))
        except BadInput:
            return False
        return True

    def _knows(self, record: RepositoryRecord, ref: str, read: ReadOptions | None) -> bool:
        """Whether a repository can say what `ref` is."""
        from grainline.snapshots import ReadOptions, open_repository

        options = replace(read or ReadOptions(), allow_home=True)
        try:
            with open_repository(record.root, options) as repository:
                repository.resolve(ref)
        except (BadInput, Refused):
            return False
        return True

    def gc(self, retention: Retention | None = None, read: ReadOptions | None = None) -> GcReport:
        """Take out views that need not be kept, and free what only they and the past held.

        Args:
            retention: what to keep.
            read: how repositories are opened, to see which refs they still have.

        Raises:
            Locked: another process writes this home.
        """
        from grainline.indexing import retention as keeping
        from grainline.indexing.pipeline import IndexOptions, fingerprint
        from grainline.model.answers import GcReport, Retention

        retention = retention or Retention()
        before = self._base.size()
        notes: list[str] = []
        ended: dict[View, Ended] = {}
        views = self._base.views()
        for repository in dict.fromkeys(row.view.repository for row in views):
            mine = [row for row in views if row.view.repository == repository]
            names = self._ref_names(mine[0].repository, read, notes)
            if names is not None:
                ended |= dict(keeping.without_ref(mine, names, retention))
            ended |= dict(keeping.out_of_bounds(mine, retention, self._base.last_used))
        with self._base.writer(fingerprint(IndexOptions())) as writer:
            if ended:
                writer.drop(sorted(ended))
            writer.collect()
            left = [row for row in views if row.view not in ended]
            for row in reversed(keeping.by_use(left, retention, self._base.last_used)):
                if retention.bytes is None or self._base.size() <= retention.bytes:
                    break
                ended[row.view] = keeping.over_quota(row)
                writer.drop([row.view])
                writer.collect()
        from grainline.findings.keeping import keep as keep_flows
        from grainline.indexing.fill import graphs_in

        kept = [(row.view, row.generation) for row in self._base.views()]
        graphs_in(self._base.derived, IndexOptions()).keep(kept)
        keep_flows(self._base.derived, kept)
        if not self._base.compact():
            notes.append("a reader was busy all the time: some space is freed by the next run")
        after = self._base.size()
        if retention.bytes is not None and after > retention.bytes:
            notes.append(f"{after - retention.bytes} bytes over the quota: all else is indexed")
        return GcReport(before=before, after=after, ended=tuple(ended.values()), notes=tuple(notes))

    def _ref_names(
        self, record: RepositoryRecord, read: ReadOptions | None, notes: list[str]
    ) -> frozenset[str] | None:
        """The refs of a repository; None, and a note, when it cannot be asked."""
        from grainline.snapshots import ReadOptions, open_repository

        options = replace(read or ReadOptions(), allow_home=True)
        try:
            with open_repository(record.root, options) as repository:
                return frozenset(repository.ref_names())
        except GrainlineError as error:
            notes.append(f"{record.name}: its refs could not be read ({error.message}): all stay")
            return None

    def refresh(
        self,
        view: View,
        paths: Collection[bytes] | None = None,
        *,
        options: IndexOptions | None = None,
        read: ReadOptions | None = None,
    ) -> RefreshReport:
        """Bring a work tree up to date in memory: what changed answers, the home stays as it is.

        Args:
            view: an indexed work tree.
            paths: what may have changed since the last refresh; None looks at everything, by stat
                signatures.
            options: workers and their limits, and `read`: taken from the first refresh.
            read: what to read and what to refuse.

        Raises:
            BadInput: the view is not an indexed work tree, or the index was made in another way.
            Refused: the work tree cannot be read safely (any more).
        """
        found = [status for status in self._base.views() if status.view == view]
        if view.ref != WORKTREE or not found:
            raise BadInput(
                "not_indexed", "this is no indexed work tree", hint="run: grainline index PATH"
            )
        if self._live is None:
            from grainline.indexing.live import Live
            from grainline.indexing.pipeline import IndexOptions
            from grainline.snapshots import ReadOptions

            self._live = Live(self._base, options or IndexOptions(), read or ReadOptions())
        self._changed = True
        return self._live.refresh(found[0], paths)

    def commit(self, view: View, *, read: ReadOptions | None = None) -> IndexReport:
        """Index a work tree again in the way in which it is indexed.

        Raises:
            BadInput: the view is not an indexed work tree, or the index was made in another way.
            Refused: the work tree cannot be read safely (any more).
            Locked: another process writes this home.
        """
        from grainline.indexing.pipeline import IndexOptions
        from grainline.snapshots import ReadOptions

        found = [status for status in self._base.views() if status.view == view]
        alike = _alike(found[0], IndexOptions(), read or ReadOptions()) if found else None
        if alike is None:
            raise BadInput(
                "not_indexed",
                "this is no work tree indexed by this version",
                hint="run: grainline index PATH",
            )
        return self.index(
            found[0].repository.root,
            refs=(WORKTREE,),
            options=alike[0],
            read=replace(alike[1], allow_home=True),
        )

    def warm(self, view: View) -> None:
        """Make ready for changes of a refreshed work tree: its first one waits for nothing then."""
        if self._live is not None:
            self._live.warm(view)

    def rest(self, wake: Callable[[], None] = lambda: None) -> bool:
        """For a moment in which nobody waits: merge what refreshes have left, and make edges ahead.

        Edges that were filled stay filled: those of a work tree that changed since are made again, a
        piece at a time. Without it the next refresh merges, and a question makes the edges it needs.

        Args:
            wake: called, from any thread, when there is something to do again.

        Returns:
            Whether there is at once.
        """
        if self._live is None:
            return False
        self._live.rest()
        if self._changed and self._ahead is None and any(self._overtaken()):
            self._ahead = self._edges_ahead()
        ahead = self._ahead
        if ahead is None:
            self._changed = False
            return False
        for view, key in self._lagging():
            return ahead.step(view, partial(self._all_of, view), key, wake)
        self._changed = False
        ahead.rest()
        return False

    def makes_edges(self, scope: Scope | None = None, about: Sequence[str] = ()) -> bool:
        """Whether edges are soon there that a question would have to wait for now; then they are in a hurry.

        Args:
            scope: that is asked.
            about: the symbols that are; none: whatever is in scope.
        """
        from grainline.retrieval.relations.subjects import views_named

        lagging = {view for view, _ in self._lagging()}
        if not lagging or self._ahead is None or not self._ahead.is_warm:
            return False
        try:
            corpus = self._corpus(scope)
        except GrainlineError:  # the answer says so
            return False
        if corpus.scope.classes is not None or lagging.isdisjoint(corpus.scope.views):
            return False
        if about and lagging.isdisjoint(views_named(corpus, about)):
            return False
        self._ahead.hurry()
        return True

    def looked_at(self) -> Mapping[View, float]:
        """When all of each followed work tree was last looked at, in seconds since 1970."""
        return self._live.checked_at() if self._live is not None else {}

    def work_trees(self, scope: Scope | None = None) -> tuple[View, ...]:
        """The indexed work trees (of a scope)."""
        views = self._base.views() if scope is None else self._views(scope)
        return tuple(row.view for row in views if row.view.ref == WORKTREE)

    # ------------------------------------------------------------------ asking

    def scope(
        self,
        *,
        repos: Sequence[str] = (),
        refs: Sequence[str] = (),
        principal: str | None = None,
        within: Bounds | None = None,
    ) -> Scope:
        """The scope that names mean: all repositories; the work tree, else HEAD.

        Args:
            repos: names of repositories.
            refs: branches, tags, commits.
            principal: who asks; None is the owner of the home. One that the policy does not know
                is in no group.
            within: what lies outside of these bounds is not indexed either, for who asks.

        Raises:
            BadInput: nothing is indexed, or a name means nothing or several things. What the
                principal may not read is not indexed, for it.
        """
        who, classes, epoch = self._rights(principal)
        return build_scope(
            self._available(classes, epoch),
            repositories=repos,
            refs=refs,
            principal=who,
            classes=classes,
            epoch=epoch,
            within=within or Bounds(),
        )

    def everything(
        self,
        principal: str | None = None,
        *,
        repos: Sequence[str] = (),
        within: Bounds | None = None,
    ) -> Scope:
        """All indexed views (of repositories) that a principal may know of: what a citation may name.

        Raises:
            BadInput: there is none, or no repository is called so.
        """
        who, classes, epoch = self._rights(principal)
        return everything(
            self._available(classes, epoch),
            repositories=repos,
            principal=who,
            classes=classes,
            epoch=epoch,
            within=within or Bounds(),
        )

    def policy(self) -> Policy | None:
        """The access policy in force; None: whoever can open the home reads everything."""
        return self._store.policy()

    def set_policy(self, policy: Policy | None) -> None:
        """Put a policy in force: from the next request on, nothing of the old one holds.

        Raises:
            Locked: another process writes this home.
        """
        self._base.set_policy(policy)

    def doubts(self, policy: Policy) -> tuple[str, ...]:
        """What a person who sets `policy` in this home probably did not mean, in sentences."""
        from grainline.access.policy import doubts, idle

        paths: dict[str, list[Sequence[bytes]]] = {}
        for repository, found in self._store.paths():
            paths.setdefault(repository.name, []).append(found)
        return (*doubts(policy, sorted(paths)), *idle(policy, paths))

    def _rights(self, principal: str | None) -> tuple[Principal, frozenset[int] | None, int]:
        """(who asks, the access classes that it reads, epoch of the policy)."""
        if principal is None:
            return self.asker, None, 0
        from grainline.access.policy import classes_of, groups_of

        policy = self._store.policy()
        if policy is None:
            raise BadInput(
                "unknown_principal",
                f"this home has no access policy, so it knows no principal {principal!r}",
                hint="ask without --as: then you are the owner",
            )
        groups = groups_of(policy, principal)
        who = Principal(name=principal, groups=groups)
        return who, classes_of(policy, groups), policy.epoch

    def _available(self, classes: frozenset[int] | None, epoch: int) -> list[Available]:
        return [
            Available(
                repository=status.repository.name,
                view=status.view,
                commit=status.snapshot.commit,
            )
            for status in self._store.views(classes, epoch)
        ]

    def _views(self, scope: Scope) -> tuple[ViewStatus, ...]:
        """The views of a scope, as it sees them."""
        rows, wanted = self._store.views(scope.classes, scope.epoch), set(scope.views)
        return tuple(row for row in rows if row.view in wanted)

    def search(
        self,
        query: str,
        *,
        scope: Scope | None = None,
        options: SearchOptions | None = None,
        ranking: RankOptions = DEFAULT_RANKING,
    ) -> SearchResult:
        """One page of ranked results, each re-read from its repository.

        Args:
            query: a question.
            scope: what may be looked at.
            options: page, filters, exclusions.
            ranking: every number that ranking depends on.

        Raises:
            BadInput: the question, an option or the scope cannot be meant.
        """
        corpus = self._corpus(scope)
        admit, covered = self._proving(corpus)
        options = options or SearchOptions()
        result = search(corpus, query, options, ranking, admit=admit)
        if options.callers or options.signatures:
            from grainline.retrieval.relations.attached import with_edges

            kept = partial(self._kept_graph, corpus.scope)
            result = with_edges(corpus, result, options, kept, admit)
        return replace(result, coverage=covered(result.coverage))

    def context(
        self,
        query: str = "",
        *,
        scope: Scope | None = None,
        options: ContextOptions | None = None,
        at: str | None = None,
        target: str | None = None,
        pasted: str | None = None,
        watch: Callable[[Sequence[Candidate]], None] = lambda _: None,
        ranking: RankOptions = DEFAULT_RANKING,
        tuning: Tuning | None = None,
    ) -> ContextResult:
        """The smallest cited context for a question or a target, inside its budget.

        Args:
            query: a question; may be empty when a target is given.
            scope: what may be looked at.
            options: budget, profile, format, gates.
            at: `PATH:A-B`.
            target: a symbol name.
            pasted: code or text that stands somewhere in the scope, or that looks like it.
            watch: told what could be shown, before anything is chosen.
            ranking: every number that the ranking depends on which a context starts from.
            tuning: every number that selection depends on; None for those that won.

        Raises:
            BadInput: neither question nor target, or one that cannot be meant.
        """
        from grainline.context.assemble import assemble
        from grainline.context.cite import Reader
        from grainline.context.tuning import DEFAULT_TUNING
        from grainline.model.evidence import ContextOptions
        from grainline.retrieval.relations.book import view_of
        from grainline.retrieval.relations.views import channel

        corpus = self._corpus(scope)
        reader = Reader(corpus)
        question = query.strip() or (pasted or "").strip()
        if not (question or at or target):
            raise BadInput(
                "empty_query",
                "there is neither a question nor a target",
                hint="ask something, or use --at PATH:A-B, --target SYMBOL or --stdin",
            )
        coverage = CoverageRecord(snapshots=corpus.snapshots)
        seeds: list[tuple[Placement, float]] = []
        if question:
            ranked = rank(corpus, question, SearchOptions(k=CONTEXT_SEEDS), ranking)
            order = first_page(corpus, ranked, CONTEXT_SEEDS, ranking.bounds)
            seeds = [(corpus.entries_of(each.doc)[0], each.score) for each in order[:CONTEXT_SEEDS]]
            coverage = ranked.coverage
        options = options or ContextOptions()
        found = self._targets(reader, at, target, pasted, [seed.entry for seed, _ in seeds])
        entries = {seed.entry for seed, _ in seeds} | {each.entry for each in found}
        near = {view_of(corpus, entry) for entry in entries}  # edges stay inside of a view
        graphs = self._graphs(corpus, near, patient=False) if options.edges else ()
        state = channel(graphs) if options.edges else "off: not asked for"
        coverage = replace(coverage, channels=(*coverage.channels, ("graph", state)))
        proofs = self._prove(corpus, entries)
        kept = [(seed, score) for seed, score in seeds if proofs[seed.entry] is not Proof.CHANGED]
        stale = [each for each in found if proofs[each.entry] is Proof.CHANGED]
        if stale:
            raise BadInput(
                "changed_since_indexed",
                "the target's file changed after it was indexed",
                subject=quote_path(corpus.path(stale[0].entry)),
                hint="run: grainline index",
            )

        def admit(entry: int) -> bool:
            if entry not in proofs:
                proofs.update(self._prove(corpus, {entry}))
            return proofs[entry] is not Proof.CHANGED

        def covered() -> CoverageRecord:
            left_out = sum(proof is Proof.CHANGED for proof in proofs.values())
            return self._with_age(corpus.scope, _with_proof(coverage, proofs.values(), left_out))

        return assemble(
            corpus,
            query,
            kept,
            options,
            targets=found,
            graphs=graphs,
            ground=self._ground(corpus, options) if options.edges else None,
            coverage=covered,
            reader=reader,
            admit=admit,
            watch=watch,
            tuning=tuning or DEFAULT_TUNING,
        )

    def explain(
        self,
        query: str,
        *,
        scope: Scope | None = None,
        k: int = 10,
        options: ContextOptions | None = None,
    ) -> Explanation:
        """How the search and the context of a question come about, stage by stage.

        Args:
            query: a question.
            scope: what may be looked at.
            k: rows of each stage, and results of a page.
            options: of the context.

        Raises:
            BadInput: the question, an option or the scope cannot be meant.
        """
        from grainline.context.explaining import explain

        scope = scope or self.scope()
        pools: list[Sequence[Candidate]] = []
        result = self.context(query, scope=scope, options=options, watch=pools.append)
        return explain(self._corpus(scope), query, k, pools[0], result)

    def read(self, citation: str, *, scope: Scope | None = None) -> ReadResult:
        """The text behind a citation; without a scope, in every indexed view.

        Raises:
            BadInput: not a citation, nothing stands there, or the file changed since.
        """
        from grainline.context import lookups
        from grainline.context.cite import Reader

        corpus = self._corpus(scope or self.everything())
        entry, result = lookups.read(Reader(corpus), citation)
        proofs = self._prove(corpus, {entry})
        if proofs[entry] is Proof.CHANGED:
            raise BadInput(
                "changed_since_indexed",
                "the file changed after it was indexed",
                subject=citation,
                path=quote_path(result.place.path),
                hint="run: grainline index",
            )
        return replace(result, coverage=_with_proof(result.coverage, proofs.values(), 0))

    def show(self, symbol: str, *, scope: Scope | None = None) -> ShowResult:
        """The definitions that a name means.

        Raises:
            BadInput: nothing in scope is called so; the hint names what is.
        """
        from grainline.context import lookups
        from grainline.context.cite import Reader

        corpus = self._corpus(scope)
        result = lookups.show(Reader(corpus), symbol)
        entries = [_entry_of(corpus, each.place) for each in result.symbols]
        proofs = self._prove(corpus, set(entries))
        symbols = tuple(
            each
            for each, entry in zip(result.symbols, entries, strict=True)
            if proofs[entry] is not Proof.CHANGED
        )
        dropped = len(result.symbols) - len(symbols)
        return replace(
            result,
            symbols=symbols,
            coverage=self._with_age(
                corpus.scope, _with_proof(result.coverage, proofs.values(), dropped)
            ),
        )

    def outline(self, path: str, *, scope: Scope | None = None) -> OutlineResult:
        """The symbol tree of a file.

        Raises:
            BadInput: no file in scope has this path.
        """
        from grainline.context import lookups
        from grainline.context.cite import Reader

        corpus = self._corpus(scope)
        entry, result = lookups.outline(Reader(corpus), path)
        proofs = self._prove(corpus, {entry})
        stale = int(proofs[entry] is Proof.CHANGED)
        coverage = self._with_age(
            corpus.scope, _with_proof(result.coverage, proofs.values(), stale)
        )
        return replace(result, nodes=() if stale else result.nodes, coverage=coverage)

    def roots(self, *, scope: Scope | None = None) -> dict[str, str]:
        """Where each repository (of a scope; else of the home) lies, by name."""
        rows = self._store.views() if scope is None else self._views(scope)
        return {row.repository.name: row.repository.root for row in rows}

    def scip(
        self, *, scope: Scope | None = None, options: GraphOptions | None = None
    ) -> ScipResult:
        """The edges of one view as a SCIP index: what the scope may read, and nothing else.

        Args:
            scope: of one view.
            options: types (by default all that code makes), floor and filters.

        Raises:
            BadInput: the scope has several views, no graph is there, or a filter cannot be meant.
        """
        from grainline.config import version
        from grainline.indexing.writing_scip import scip
        from grainline.model.edge import EdgeType
        from grainline.model.relations import GraphOptions

        opened = self._opened(scope)
        options = options or GraphOptions(types=tuple(EdgeType))
        found = scip(opened.corpus, opened.graphs, options, version())
        return replace(found, coverage=opened.covered(found.coverage))

    # ------------------------------------------------------------------ states

    def status(self, *, scope: Scope | None = None, paths: bool = False) -> StatusResult:
        """What the home holds; `paths` adds the outcome of every path."""
        from grainline.model.answers import RepositoryStatus, StatusResult

        views = self._store.views() if scope is None else self._views(scope)
        repositories: dict[str, list[ViewStatus]] = {}
        for view in views:
            repositories.setdefault(view.repository.name, []).append(view)
        return StatusResult(
            repositories=tuple(
                RepositoryStatus(
                    repository=name,
                    root=rows[0].repository.root,
                    refs=tuple(self._ref_status(row, scope, paths=paths) for row in rows),
                )
                for name, rows in repositories.items()
            ),
            work_tree=self._trees_told(views),
        )

    def why(self, path: bytes, *, scope: Scope | None = None) -> WhyResult:
        """What became of one path, and the rules that decided; also for paths that are unknown.

        Only the owner learns which ignore rule keeps an unknown path out: the rule may stand in a
        file that nobody else may read.

        Raises:
            BadInput: the path is empty.
        """
        from grainline.model.answers import PathRow, WhyResult

        if not path:
            raise BadInput(
                "unknown_path", "the path is empty", hint="see: grainline status --paths"
            )
        scope = scope or self.scope()
        inside = 0
        for view, entry in self._store.outcomes(scope):
            if entry.path == path:
                name = self._name(scope, view)
                return WhyResult(repository=name, row=_path_row(entry), rules=_rules(entry))
            inside += entry.path.startswith(path.rstrip(b"/") + b"/")
        view = scope.views[0]
        ignored = self._ignored(view, path) if scope.principal.owner else ""
        row = PathRow(
            path=path,
            outcome=Outcome.SKIPPED,
            reason="ignored" if ignored else "unknown",
            detail=ignored or _absence(inside),
        )
        rule = f"ignored: {ignored}" if ignored else "unknown: not in the listing of the snapshot"
        return WhyResult(repository=self._name(scope, view), row=row, rules=(rule,))

    def doctor(self, *, repair: bool = False) -> tuple[Check, ...]:
        """Every integrity check; `repair` drops what is damaged, so that indexing fills it again.

        Raises:
            Locked: repairing, and another process writes this home.
        """
        from grainline.model.answers import Check

        lost = self._base.repair() if repair else ()
        checks = [
            Check(
                name=f"lost {each.repository}@{each.ref}" if each.repository else "lost everything",
                ok=False,
                detail=each.why,
                repair=_index_again(each),
            )
            for each in lost
        ]
        checks += [
            Check(name=name, ok=ok, detail=detail, repair="" if ok else hint)
            for name, ok, detail, hint in self._base.check()
        ]
        return tuple(checks)

    def dump(self, scope: Scope | None = None) -> Iterator[str]:
        """The canonical dump of a scope: equal for equal content, whatever led there."""
        return self._store.dump(scope or self.scope())

    def without_unreadable(self, principal: str) -> Engine:
        """An engine in memory over the same snapshots without what `principal` may not read.

        `principal` is who asks it.

        Raises:
            BadInput: there is no policy.
        """
        from grainline.access.policy import Reader
        from grainline.indexing.hints import hint_of
        from grainline.storage.extract import extract
        from grainline.storage.store import PartStore

        who, _, _ = self._rights(principal)
        policy = self._store.policy()
        assert policy is not None, "without one nobody has rights of its own"
        store = self._store
        assert isinstance(store, PartStore), "both stores are"
        left = extract(store, Reader(policy, who.groups).may_read, hint_of)
        apart = Engine(left, MEMORY, workers=self._workers)
        apart.asker = who
        return apart

    def views_by_options(self) -> tuple[tuple[View, ...], ...]:
        """All views, those together that were indexed with the same options."""
        found: dict[str, list[View]] = {}
        for row in self._store.views():
            found.setdefault(row.fingerprint, []).append(row.view)
        return tuple(map(tuple, found.values()))

    # ------------------------------------------------------------------ parts

    def corpus(self, scope: Scope | None = None) -> Corpus:
        """The scoped read itself, for the lab."""
        return self._corpus(scope)

    def _corpus(self, scope: Scope | None) -> Corpus:
        scope = scope or self.scope()
        corpus = self._store.corpus(scope)
        _check_terms(corpus)
        return corpus

    def _opened(self, scope: Scope | None, about: Sequence[str] = ()) -> Opened:
        from grainline.retrieval.relations.subjects import views_named

        corpus = self._corpus(scope)
        named = views_named(corpus, about) if about else corpus.scope.views
        return Opened(corpus, self._graphs(corpus, named), *self._proving(corpus))

    def _proving(
        self, corpus: Corpus
    ) -> tuple[Callable[[Sequence[int]], list[bool]], Callable[[CoverageRecord], CoverageRecord]]:
        """(whether entries are as they were indexed, coverage with what that look found)."""
        proofs: dict[int, Proof] = {}

        def admit(entries: Sequence[int]) -> list[bool]:
            proofs.update(self._prove(corpus, {e for e in entries if e not in proofs}))
            return [proofs[entry] is not Proof.CHANGED for entry in entries]

        def covered(coverage: CoverageRecord) -> CoverageRecord:
            changed = sum(proof is Proof.CHANGED for proof in proofs.values())
            return _with_proof(self._with_age(corpus.scope, coverage), proofs.values(), changed)

        return admit, covered

    def _graphs(
        self, corpus: Corpus, views: Collection[View], *, patient: bool = True
    ) -> tuple[ViewGraph, ...]:
        """The symbol graphs of some views of a scope, as its principal may see them.

        What is not kept is made now; a reader keeps it in memory. Without patience that is done for
        `SPARE` bytes of code at most. Then memory does not count, for the answer would depend on
        what was asked before; nor does what is kept for a reader with a policy, for it would tell
        whether anything is hidden.
        """
        from grainline.indexing.graphs import SPARE, code_size
        from grainline.retrieval.relations.views import ViewGraph, graph_of

        scope = corpus.scope
        alone = len(scope.views) == 1
        maker = self._graph_maker()
        everyone = scope.classes is None
        rows = () if everyone else self._store.views()
        wholes = {row.view: row.generation for row in rows}
        spare = SPARE
        found: list[ViewGraph] = []
        with maker.together():
            for view in (each for each in scope.views if each in views):
                one = corpus if alone else self._store.corpus(replace(scope, views=(view,)))
                own = one.snapshots[0].generation
                kept = patient or (everyone and self._is_filled(view, own))
                size = 0 if kept else code_size(one)
                if size > spare:
                    found.append(ViewGraph(view, None, self._lack(view, own, everyone=everyone)))
                    continue
                spare -= size
                whole = own if everyone else wholes[view]
                found.append(graph_of(view, *maker.edges(one, whole)))
        return tuple(found)

    def _read(self, scope: Scope, view: View, paths: Collection[bytes] | None = None) -> Read:
        """The IR of one view of a scope, or of some of its files, as its reader may see it."""
        one = self._store.corpus(replace(scope, views=(view,)))
        return self._graph_maker().read(one, paths)

    def _ground(self, corpus: Corpus, options: ContextOptions) -> Ground:
        """What a context follows data with."""
        from grainline.context.ways import Ground
        from grainline.findings.placing import Placer
        from grainline.flow.builtin import with_files
        from grainline.retrieval.relations.book import Book

        book = Book(corpus)

        def read(view: View, paths: Collection[bytes]) -> Sequence[Unit]:
            return self._read(corpus.scope, view, paths).units

        def place(view: View, way: FlowPath) -> Finding:
            return Placer(book, view).finding(way)

        return Ground(read=read, models=lambda: with_files(options.models), place=place)

    def _keeps(self, scope: Scope, view: View, generation: str) -> Derived | None:
        """Where the flows of a view are kept: those of what is indexed, for who may see all of it."""
        indexed = any(
            row.view == view and row.generation == generation for row in self._base.views()
        )
        return self._base.derived if scope.classes is None and indexed else None

    def _kept_graph(self, scope: Scope, view: View, generation: str) -> ViewGraph:
        """The symbol graph of a view where it is kept: nothing is made, nothing waits.

        What is kept is made of whole views. A reader under a policy gets none of it, and is not told
        by its being there whether anything is hidden.
        """
        from grainline.retrieval.relations.views import ViewGraph, graph_of

        everyone = scope.classes is None
        if everyone and self._is_filled(view, generation):
            found = self._kept_tables().whole(view, generation)
            if found is not None:
                return graph_of(view, *found)
        return ViewGraph(view, None, self._lack(view, generation, everyone=everyone))

    def _lack(self, view: View, generation: str, *, everyone: bool) -> str:
        """Why the edges of a view are not there, for who sees everything or not."""
        from grainline.indexing.kept import graph_key
        from grainline.retrieval.relations.views import BEING_MADE, NOT_FILLED

        key = graph_key(view, generation)
        made = everyone and any(key == wanted for _, wanted in self._lagging())
        return BEING_MADE if made else NOT_FILLED

    def _graph_maker(self) -> Graphs:
        if self._maker is None:
            from grainline.indexing.fill import graphs_in
            from grainline.indexing.pipeline import IndexOptions

            tables = self._kept_tables()
            self._maker = graphs_in(
                tables.derived,
                IndexOptions(workers=self._workers),
                lambda progress: self.report(progress),
                tables,
                self._fresh,
                self._warm,
                self._made_ahead,
            )
        return self._maker

    def _warm(self) -> Crew[tuple[Lowered, ...]] | None:
        """The workers of the work trees that are followed, on another errand."""
        return self._live.lowering() if self._live is not None else None

    def _lagging(self) -> Iterator[tuple[View, str]]:
        """Views whose edges are to be made ahead, with the keys of those that lack."""
        ahead = self._ahead
        if ahead is None or not self._changed:
            return
        yield from (each for each in self._overtaken() if ahead.wants(*each))

    def _overtaken(self) -> Iterator[tuple[View, str]]:
        """Followed work trees whose edges were filled before they changed, with the keys of those of now."""
        from grainline.indexing.kept import graph_key, is_kept

        live, derived = self._live, self._base.derived
        if live is None or not live.store.is_current():
            return
        indexed = self._base.views()
        self._filled |= {row.view for row in indexed if is_kept(row.view, row.generation, derived)}
        for row in live.store.views():
            if row.view in self._filled and not is_kept(row.view, row.generation, derived):
                yield row.view, graph_key(row.view, row.generation)

    def _edges_ahead(self) -> Ahead:
        from grainline.indexing.ahead import Ahead, Here, resolving_process

        return Ahead(self._graph_maker(), Here if self._workers == 0 else resolving_process)

    def _made_ahead(self, corpus: Corpus, key: str) -> Kept | None:
        """Edges that are made while nobody waits, waited for; None where they are not."""
        ahead = self._ahead
        if ahead is None or all(key != wanted for _, wanted in self._lagging()):
            return None
        return ahead.finish(corpus, key)

    def _is_filled(self, view: View, generation: str) -> bool:
        """Whether the edges of a view are there whatever was asked: kept with the home, or made ahead."""
        from grainline.indexing.kept import graph_key, is_kept

        made = self._ahead is not None and self._ahead.has(view, graph_key(view, generation))
        return made or is_kept(view, generation, self._base.derived)

    def _all_of(self, view: View) -> Corpus:
        return self._store.corpus(Scope(views=(view,)))

    def _kept_tables(self) -> Tables:
        if self._tables is None:
            from grainline.indexing.kept import Tables
            from grainline.storage.derived import RECENT, MemoryDerived

            self._tables = Tables(MemoryDerived(self._base.derived, RECENT))
        return self._tables

    def _labelled(self, found: RepositoryInfo, name: str | None) -> RepositoryRecord:
        """The record to store: a label once given stays, and no two repositories share one.

        Any label can stand in a policy.
        """
        from grainline.access.policy import MAX_NAME, is_name

        taken = {status.repository.name: status.repository.id for status in self._store.views()}
        known = [label for label, owner in taken.items() if owner == found.id]
        if name is not None and not is_name(name):
            raise BadInput(
                "bad_name",
                f"{name[:MAX_NAME]!r} cannot name a repository",
                subject=found.root,
                hint=f"choose a --name of 1 to {MAX_NAME} printable characters",
            )
        if name is not None and taken.get(name, found.id) != found.id:
            raise BadInput(
                "name_taken",
                f"another repository is called {name!r}",
                subject=found.root,
                hint="choose another --name",
            )
        plain = found.name[: MAX_NAME - len("-999999")]
        label = name or (known[0] if known else plain)
        number = 2
        while taken.get(label, found.id) != found.id:
            label = f"{plain}-{number}"
            number += 1
        self._check_rules_stay(found.root, [old for old in known if old != label])
        return RepositoryRecord(
            id=found.id,
            name=label,
            identity=found.identity,
            root=found.root,
            prefix=found.prefix,
            kind=found.kind,
        )

    def _check_rules_stay(self, root: str, old: Sequence[str]) -> None:
        """Refuse that a repository loses labels that the policy in force names: its rules go with them.

        Raises:
            Refused: `name_in_policy`.
        """
        policy = self._base.policy()
        named = {rule.repository for rule in policy.rules} if policy else set[str]()
        for label in old:
            if label in named:
                raise Refused(
                    "name_in_policy",
                    f"the access policy has rules for {label!r}, which would not hold under a new name",
                    subject=root,
                    hint="change the policy first: grainline access set",
                )

    def _unruled(self, label: str) -> tuple[str, ...]:
        """A warning when the policy in force names repositories, and not this one."""
        policy = self._base.policy()
        if policy is None:
            return ()
        from grainline.access.policy import unruled

        return unruled(policy, label)

    def _prove(self, corpus: Corpus, entries: Iterable[int]) -> dict[int, Proof]:
        return self._prover.check_all(corpus, sorted(entries))

    def _targets(
        self,
        reader: Reader,
        at: str | None,
        target: str | None,
        pasted: str | None,
        ranked: Sequence[int],
    ) -> list[Target]:
        from grainline.context import targets as targeting

        found: list[Target] = []
        if at:
            found += targeting.at(reader, at)
        if target:
            found += targeting.symbol(reader, target)
        if pasted:
            found += targeting.pasted(reader, pasted, list(dict.fromkeys(ranked)))
        return found

    def _with_age(self, scope: Scope, coverage: CoverageRecord) -> CoverageRecord:
        """`coverage` with the moment until which changes are covered, and with refs that moved on."""
        rows = self._views(scope)
        behind = [told for row in rows if (told := self._behind(row))]
        coverage = replace(coverage, warnings=(*coverage.warnings, *behind))
        told = self._trees_told(rows)
        if not told:
            return coverage
        channels = sorted((*coverage.channels, ("work_tree", told)))
        return replace(coverage, channels=tuple(channels))

    def _trees_told(self, rows: Iterable[ViewStatus]) -> str:
        """Until when changes of the work trees among `rows` are covered; "" when there are none."""
        trees = [row for row in rows if row.view.ref == WORKTREE]
        if not trees:
            return ""
        looked = self.looked_at()
        checked = [looked[row.view] for row in trees if row.view in looked]
        if len(checked) == len(trees):
            return f"as on disk; all of it was looked at {_moment(min(checked))}"
        unseen = [row for row in trees if row.view not in looked]
        indexed = _moment(min(row.indexed_at for row in unseen))
        which = _names([row.repository.name for row in unseen]) if checked else ""
        return f"as indexed at {indexed}{which}; what changed since is left out"

    def _behind(self, row: ViewStatus) -> str:
        """What to say of a ref that is not where it was indexed; "" when there is nothing to say."""
        ref, commit = row.view.ref, row.snapshot.commit
        now = self._moved_to(row)
        if now is None:
            return ""
        name = f"{row.repository.name}@{ref}"
        if not now:
            return f"{name} is gone from the repository; the answer is about {commit[:12]}"
        command = f"grainline index {row.repository.root} --ref {ref}"
        return f"{name} is at {now[:12]} now; the answer is about {commit[:12]}. Run: {command}"

    def _moved_to(self, row: ViewStatus) -> str | None:
        """As `Prover.moved`, for views of refs."""
        if row.view.ref in (WORKTREE, row.snapshot.commit):
            return None
        return self._prover.moved(row.repository, row.view.ref, row.snapshot.commit)

    def _ref_status(self, row: ViewStatus, scope: Scope | None, *, paths: bool) -> RefStatus:
        from grainline.indexing.setup import setup_of
        from grainline.model.answers import RefStatus

        state = row.state if setup_of(row.fingerprint) else "of another version: index it again"
        if state == row.state and (now := self._moved_to(row)) is not None:
            state = f"behind: it is at {now[:12]} now" if now else "behind: the ref is gone"
        one = replace(scope, views=(row.view,)) if scope else Scope(views=(row.view,))
        outcomes = self._store.outcomes(one) if paths else ()
        return RefStatus(
            ref=row.view.ref,
            snapshot=row.snapshot,
            generation=row.generation,
            state=state,
            counts=tuple((outcome, row.counts.get(outcome, 0)) for outcome in Outcome),
            paths=tuple(_path_row(entry) for _, entry in outcomes),
            in_part=row.in_part,
        )

    def _name(self, scope: Scope, view: View) -> str:
        return next(row.repository.name for row in self._views(scope) if row.view == view)

    def _ignored(self, view: View, path: bytes) -> str:
        """The ignore rule that keeps `path` out of a work tree, or ""."""
        roots = {status.view: status.repository.root for status in self._store.views()}
        if view.ref != WORKTREE:
            return ""
        from grainline.snapshots import ReadOptions, open_repository

        with open_repository(roots[view], ReadOptions(allow_home=True)) as repository:
            return repository.ignored_by(path)


def _check_terms(corpus: Corpus) -> None:
    """Questions are cut into terms as this version does it: an index of other terms finds nothing.

    Raises:
        Damaged: `incompatible_index`.
    """
    made = Fingerprint.parse(corpus.fingerprint)
    if corpus.snapshots and (made is None or ("tokens", TERMS_VERSION) not in made.features):
        names = ", ".join(dict.fromkeys(state.repository for state in corpus.snapshots))
        raise Damaged(
            "incompatible_index",
            f"it was indexed by another version ({corpus.fingerprint})",
            subject=names,
            hint="index it again: grainline index PATH",
        )


def _alike(
    row: ViewStatus, options: IndexOptions, read: ReadOptions
) -> tuple[IndexOptions, ReadOptions] | None:
    """How to index as a view was: same chunker, same paths; None when this version cannot."""
    from grainline.indexing.setup import setup_of

    setup = setup_of(row.fingerprint)
    if setup is None:
        return None
    return replace(options, chunker=setup.chunker, chunk=setup.chunk), read.ruled(row.rules)


def _names(repositories: Sequence[str]) -> str:
    """Some of several trees."""
    more = len(repositories) - NAMED_TREES
    return ": " + ", ".join(repositories[:NAMED_TREES]) + (f" and {more} more" if more > 0 else "")


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _entry_of(corpus: Corpus, place: Place) -> int:
    """The entry that a place stands in."""
    for entry in corpus.find_entries(place.path):
        if (
            corpus.snapshot(entry) == place.snapshot
            and corpus.repository(entry).name == place.repository
        ):
            return entry
    raise AssertionError("a place of this corpus stands in one of its entries")


def _index_again(lost: Lost) -> str:
    """The command that brings a lost view back."""
    if not lost.repository:
        return "grainline index PATH, for every repository"
    ref = "" if lost.ref == WORKTREE else f" --ref {lost.ref}"
    return f"grainline index {lost.root}{ref}"


def _with_proof(coverage: CoverageRecord, proofs: Iterable[Proof], dropped: int) -> CoverageRecord:
    """`coverage` with what re-reading found."""
    counts = Counter(proofs)
    warnings = list(coverage.warnings)
    if counts[Proof.GONE]:
        gone = counted(counts[Proof.GONE], "file")
        warnings.append(f"{gone} could not be read again: shown as indexed")
    if not counts[Proof.CHANGED]:
        return replace(coverage, warnings=tuple(warnings))
    changed = counted(counts[Proof.CHANGED], "file")
    warnings.append(f"{changed} changed since indexed, left out; run: grainline index")
    return replace(
        coverage,
        state=State.PARTIAL,
        not_covered=(*coverage.not_covered, ("changed_since_indexed", dropped)),
        warnings=tuple(warnings),
    )


def _absence(inside: int) -> str:
    """Why no snapshot holds a path below which stand so many."""
    if inside:
        return f"it is a folder: {counted(inside, 'path')} below it; see: grainline status --paths"
    return "no snapshot in scope holds this path"


def _path_row(entry: Entry) -> PathRow:
    from grainline.model.answers import PathRow

    return PathRow(
        path=entry.path,
        outcome=entry.outcome,
        reason=entry.reason,
        detail=entry.detail,
        language=entry.language,
        symbols=entry.symbols,
        flags=entry.flags,
    )


def _rules(entry: Entry) -> tuple[str, ...]:
    """The rules that decided about an entry, in order."""
    rules = [f"listed: {entry.mode} of the snapshot"]
    rules += [f"flag {flag.name}: {flag.rule}" for flag in entry.flags]
    if entry.language:
        rules.append(f"language: {entry.language}")
    if entry.reason:
        rules.append(
            f"{entry.outcome}: {entry.reason}" + (f" ({entry.detail})" if entry.detail else "")
        )
    else:
        rules.append(f"{entry.outcome}: nothing stood against it")
    return tuple(rules)
