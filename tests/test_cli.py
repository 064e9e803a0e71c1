"""The command line: parsing, printing, exit codes. The engine behind it is a fake."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grainline import errors
from grainline.config import load
from grainline.model.access import Scope
from grainline.model.answers import (
    Check,
    EdgeReport,
    Ended,
    GcReport,
    IndexReport,
    OutlineNode,
    OutlineResult,
    PathRow,
    Progress,
    ReadResult,
    RefStatus,
    RepositoryStatus,
    ShownSymbol,
    ShowResult,
    StatusResult,
    ViewReport,
    WhyResult,
)
from grainline.model.chunk import ChunkKind
from grainline.model.edge import EdgeType, Tier
from grainline.model.evidence import ContextResult, Profile
from grainline.model.flow import Finding, FlowResult, PlacedStep, Role, Severity
from grainline.model.position import Citation, LineSpan, Span
from grainline.model.relations import (
    GraphResult,
    Link,
    Node,
    PathResult,
    Relation,
    RelationResult,
    RelationRow,
    ScipResult,
    Verdict,
)
from grainline.model.search import CoverageRecord, Hit, Place, SearchResult, SymbolInfo
from grainline.model.snapshot import BlobId, Outcome, RepositoryId, Snapshot
from grainline.surfaces.cli import common, main, paths
from grainline.surfaces.cli.terminal import Places, Terminal, table, width
from grainline.text.plural import counted
from grainline.text.printing import neutral

COMMIT = "ab" * 20
SNAPSHOT = Snapshot(
    repository=RepositoryId("r"), ref="refs/heads/main", commit=COMMIT, version=COMMIT, dirty=False
)
COVERAGE = CoverageRecord(snapshots=(), warnings=("watch out",))
ESCAPE = "\x1b]0;owned\x07"
INFO = SymbolInfo(
    name="apply",
    qualified_name="pay.apply",
    kind="function",
    signature="def apply(x)",
    doc="",
    descriptor="apply().",
    parent=None,
)


def place(path=b"src/pay.py"):
    return Place(
        repository="pay",
        snapshot=SNAPSHOT,
        path=path,
        blob=BlobId("cd" * 20),
        language="python",
        span=Span(0, 9),
        lines=LineSpan(12, 13),
        citation=Citation(path=path, lines=LineSpan(12, 13), version=COMMIT),
        flags=(),
    )


NODE = Node(
    name="pay.apply", kind="function", repository="pay", path=b"src/pay.py", line=12,
    language="python", descriptor="apply().",
)  # fmt: skip
LEAF = Node(name="os.stat", kind="external", external=True)


def row(depth=1, node=NODE, tier=Tier.RESOLVED, text="apply(1)", **values):
    return RelationRow(
        type=EdgeType.CALLS, src="pay.apply", dst="pay.refund", node=node, repository="pay",
        path=b"src/pay.py", line=12, tier=tier, confidence=None, methods=("scope",), candidates=1,
        citation=Citation(path=b"src/pay.py", lines=LineSpan(12, 12), version=COMMIT),
        depth=depth, text=text, **values,
    )  # fmt: skip


def flow_step(line, flow_role, text):
    return PlacedStep(
        repository="pay", commit=COMMIT, path=b"src/pay.py", line=line, end_line=line, column=5,
        end_column=9, role=flow_role, symbol="pay.apply", tier=Tier.RESOLVED, text=text,
    )  # fmt: skip


FINDING = Finding(
    id="00ff", kind="command", cwe=78, severity=Severity.CRITICAL, rule="os.system",
    verdict=Verdict.PATH, reasons=(), total_paths=2,
    steps=(flow_step(3, Role.SOURCE, "    name = ask()"), flow_step(4, Role.SINK, "    run(name)")),
)  # fmt: skip


class FakeEngine:
    """Answers with one fixed value of each kind and remembers what it was asked."""

    def __init__(self, root="/nowhere", text="def apply(x):\n    return 1\n", fail=None):
        self.root, self.text, self.fail = root, text, fail
        self.asked = {}
        self.failed = 0
        self.view = {}
        self.sound = True

    def _ask(self, verb, **values):
        self.asked[verb] = values
        if self.fail is not None:
            raise self.fail

    def scope(self, *, repos=(), refs=(), principal=None, within=None):
        self._ask("scope", repos=repos, refs=refs, principal=principal)
        return Scope(views=())

    def everything(self, principal=None, *, repos=(), within=None):
        self._ask("everything", principal=principal, repos=repos)
        return Scope(views=())

    def work_trees(self, scope=None):
        return ()

    def close(self):
        pass

    def search(self, query, *, scope, options):
        self._ask("search", query=query, options=options)
        hit = Hit(
            rank=1,
            place=place(),
            chunk_id="1",
            kind=ChunkKind.SYMBOL,
            symbol=INFO,
            module="pay",
            imports=(),
            calls=(),
            score=2.5,
            channels=(),
            also_at=(),
            text=self.text,
        )
        return SearchResult(query=query, hits=(hit,), total=3, cursor="next", coverage=COVERAGE)

    def context(self, query, *, scope, options, at, target, pasted):
        self._ask("context", query=query, options=options, at=at, target=target, pasted=pasted)
        if query == "tiny":
            coverage = replace(COVERAGE, warnings=("nothing fits", "shown"))
        else:
            coverage = CoverageRecord(snapshots=())
        return ContextResult(
            query=query,
            profile=Profile.UNDERSTANDING,
            budget=options.budget,
            tokens=5,
            tokenizer="t",
            items=(),
            omitted=0,
            cursor=None,
            coverage=coverage,
            rendered="# Context\n" + ("shown\n" if query == "tiny" else ""),
        )

    def read(self, citation, *, scope):
        self._ask("read", citation=citation)
        return ReadResult(place=place(), text=self.text, coverage=COVERAGE)

    def show(self, symbol, *, scope):
        self._ask("show", symbol=symbol)
        shown = ShownSymbol(info=INFO, place=place(), text=self.text)
        return ShowResult(symbols=(shown,), ambiguous=False, coverage=COVERAGE)

    def outline(self, path, *, scope):
        self._ask("outline", path=path)
        leaf = OutlineNode(info=INFO, place=place())
        node = OutlineNode(info=INFO, place=place(), children=(leaf,))
        return OutlineResult(path=b"src/pay.py", nodes=(node,), coverage=COVERAGE)

    def _related(self, relation, symbol, options):
        self._ask(str(relation), symbol=symbol, options=options)
        rows = (
            row(), row(node=replace(NODE, test=True), sites=3), row(node=LEAF, tier=None),
            row(depth=2, tier=Tier.FLOWED, text=self.text),
        )  # fmt: skip
        return RelationResult(
            relation=relation, subjects=(NODE,), ambiguous=False, rows=rows,
            totals=((1, 9), (2, 40)), tests=((1, 1),), weaker=4, unresolved=(("dynamic", 2),),
            cursor="next", coverage=COVERAGE,
        )  # fmt: skip

    def callers(self, symbol, *, scope, options):
        return self._related(Relation.CALLERS, symbol, options)

    def callees(self, symbol, *, scope, options):
        return self._related(Relation.CALLEES, symbol, options)

    def refs(self, symbol, *, scope, options):
        return self._related(Relation.REFS, symbol, options)

    def implements(self, symbol, *, scope, options):
        return self._related(Relation.IMPLEMENTS, symbol, options)

    def imports(self, symbol, *, scope, options):
        return self._related(Relation.IMPORTS, symbol, options)

    def impact(self, symbol, *, scope, options):
        return self._related(Relation.IMPACT, symbol, options)

    def path(self, source, target, *, scope, options):
        self._ask("path", source=source, target=target, options=options)
        rows = (row(), row(depth=2)) if target == "refund" else ()
        return PathResult(
            source=(NODE,), target=(replace(NODE, name="pay.refund"),), total=len(rows),
            verdict=Verdict.PATH if rows else Verdict.UNDETERMINED, rows=rows, reached=7,
            unresolved=() if rows else (("dynamic", 2),), coverage=COVERAGE,
        )  # fmt: skip

    def graph(self, *, scope, options):
        self._ask("graph", options=options)
        link = Link(
            type=EdgeType.CALLS, src=0, dst=1, line=12, site=Span(0, 5), tier=None, confidence=None, methods=(),
            candidates=1,
        )  # fmt: skip
        return GraphResult(
            types=options.types, nodes=(NODE, LEAF), links=(link,), unresolved=(("external", 1),),
            coverage=COVERAGE,
        )  # fmt: skip

    def scip(self, *, scope, options):
        self._ask("scip", options=options)
        return ScipResult(
            data=b"\x0a\xff",
            repository="pay",
            version=COMMIT,
            documents=1,
            edges=2,
            coverage=COVERAGE,
        )

    def scan(self, *, scope, options, since):
        self._ask("scan", options=options, since=since)
        return FlowResult(findings=(FINDING,), coverage=COVERAGE, known=1)

    def trace(self, source, target, *, scope, options):
        self._ask("trace", source=source, target=target, options=options)
        return FlowResult(findings=(FINDING,), coverage=COVERAGE, verdict=Verdict.PATH)

    def why(self, path, *, scope):
        self._ask("why", path=path)
        row = PathRow(path=path, outcome=Outcome.SKIPPED, reason="ignored")
        return WhyResult(repository="pay", row=row, rules=("ignore:*.log",))

    def status(self, *, scope=None, paths=False):
        ref = RefStatus(
            ref="refs/heads/main",
            snapshot=SNAPSHOT,
            generation="7",
            state="ready",
            counts=((Outcome.INDEXED, 4),),
            paths=(PathRow(path=b"a\n.py", outcome=Outcome.INDEXED),) if paths else (),
        )
        repository = RepositoryStatus(repository="pay", root=self.root, refs=(ref,))
        return StatusResult(repositories=(repository,))

    def roots(self, *, scope=None):
        return {"pay": self.root}

    def policy(self):
        return None

    def doctor(self, *, repair=False):
        self._ask("doctor", repair=repair)
        return (Check(name="packs", ok=self.sound, detail="d", repair="run: grainline doctor"),)

    def gc(self, retention, read):
        ended = (Ended(repository="pay", ref="refs/heads/old", why="the ref is gone"),)
        return GcReport(before=3_000_000, after=1_000_000, ended=ended, notes=("a note",))

    def remove(self, name):
        self._ask("remove", name=name)

    def index(self, path, *, refs, name, options, read, progress):
        self._ask("index", path=path, refs=refs, name=name, options=options, read=read)
        progress(Progress(stage="parse", done=1, total=2))
        counts = ((Outcome.INDEXED, 4), (Outcome.FAILED, self.failed))
        values = {"repository": "pay", "snapshot": SNAPSHOT, **self.view}
        view = ViewReport(generation="7", counts=counts, **values)
        return IndexReport(views=(view,), seconds=0.5)

    def fill(self, name, *, options, progress):
        self._ask("fill", name=name, options=options)
        progress(Progress(stage="resolve", done=1, total=2))
        return (
            EdgeReport(
                repository=name, snapshot=SNAPSHOT, edges=5, calls=3, calls_without_target=1
            ),
        )


@pytest.fixture
def engine(monkeypatch):
    fake = FakeEngine()
    monkeypatch.setattr(common.Run, "engine", lambda _, create=False: fake)
    for name in ("NO_COLOR", "FORCE_COLOR", "GRAINLINE_HOME", "GRAINLINE_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    return fake


@pytest.fixture
def cli(engine, capsys):
    def call(*arguments):
        code = main.run(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_search_prints_a_clickable_place_and_the_first_lines(cli, engine, tmp_path, monkeypatch):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "pay.py").touch()
    engine.root = str(tmp_path)
    monkeypatch.chdir(tmp_path / "src")
    code, out, err = cli("search", "apply", "refund")
    assert code == 0
    assert out.startswith("pay.py:12  function  pay.apply  ")
    assert "\n    12  def apply(x):\n" in out
    assert "1 of 3 results" in out
    assert "--cursor next" in out
    assert "warning: watch out" in err
    assert "\x1b" not in out
    assert engine.asked["search"]["query"] == "apply refund"


def test_a_path_that_is_not_there_is_printed_relative_to_its_repository(cli):
    assert cli("search", "apply")[1].startswith("src/pay.py:12 ")


def test_scope_and_filters_reach_the_engine(cli, engine):
    code, _, _ = cli(
        *[
            "search",
            "q",
            "--repo",
            "pay",
            "--ref",
            "main",
            "--path",
            "src/**",
            "--lang",
            "python",
            "--kind",
            "class",
        ],
        *[
            "--module",
            "pay",
            "--tests",
            "no",
            "-k",
            "7",
            "--cursor",
            "C",
            "--exclude",
            "a:1-2@ff",
            "--exclude",
            "b:3-4@ff",
        ],
    )
    assert code == 0
    assert engine.asked["scope"] == {"repos": ("pay",), "refs": ("main",), "principal": None}
    options = engine.asked["search"]["options"]
    assert (options.k, options.cursor) == (7, "C")
    assert options.exclude == ("a:1-2@ff", "b:3-4@ff")
    assert options.filters.paths == ("src/**",)
    assert options.filters.kinds == ("class",)
    assert options.filters.tests == "no"


def test_a_question_that_begins_with_a_dash_goes_after_two_dashes(cli, engine):
    assert cli("search", "--", "--json", "-k")[0] == 0
    assert engine.asked["search"]["query"] == "--json -k"


@pytest.mark.parametrize("order", [("--json", "search", "q"), ("search", "q", "--json")])
def test_json_is_one_object_on_stdout_wherever_the_option_stands(cli, order):
    code, out, err = cli(*order)
    assert code == 0
    assert json.loads(out)["results"][0]["path"] == "src/pay.py"
    assert err == ""


VERBS = [
    (("search", "q"), "results"),
    (("context", "q"), "items"),
    (("read", "a:1-2@ff"), "text"),
    (("show", "apply"), "symbols"),
    (("outline", "src/pay.py"), "symbols"),
    (("callers", "apply"), "totals"),
    (("callees", "apply"), "rows"),
    (("refs", "apply"), "rows"),
    (("implements", "apply"), "rows"),
    (("imports", "src/pay.py"), "rows"),
    (("impact", "apply"), "tests"),
    (("path", "apply", "refund"), "verdict"),
    (("graph",), "nodes"),
    (("trace", "--from", "apply"), "verdict"),
    (("scan",), "findings"),
    (("why", "x.log"), "rules"),
    (("status",), "repositories"),
    (("doctor",), "checks"),
    (("rm", "pay"), "removed"),
    (("gc",), "ended"),
    (("access", "show"), "policy"),
    (("lab", "list"), "strategies"),
    (("index", "."), "views"),
]


@pytest.mark.parametrize(("arguments", "key"), VERBS, ids=lambda value: value[0])
def test_every_verb_prints_text_or_one_json_object(cli, arguments, key):
    code, out, _ = cli(*arguments)
    assert code == 0
    assert out.strip()
    assert not out.startswith("{")
    code, out, _ = cli(*arguments, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["schema"] == 1
    assert key in found


def test_verbs_that_are_not_there_yet_do_not_exist(cli):
    code, out, err = cli("serve")
    assert (code, out) == (2, "")
    assert err == "error[usage]: No such command 'serve'; see grainline --help\n"
    assert {verb for (verb, *_), _ in VERBS} | {"mcp", "watch"} == set(main.VERBS)


USAGE = [
    ("search",),
    ("search", "q", "--nope"),
    ("search", "q", "-k", "0"),
    ("search", "q", "-k", "1001"),
    ("search", "q", "--tests", "maybe"),
    ("search", "q", "--kind", "thing"),
    ("context",),
    ("context", "q", "--budget", "0"),
    ("context", "q", "--format", "yaml"),
    ("nope",),
]


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_usage_errors_exit_2_with_the_error_object_under_json(cli, arguments):
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error[")
    assert err.count("\n") == 1
    code, out, err = cli("--json", *arguments)
    assert (code, err) == (2, "")
    assert set(json.loads(out)["error"]) == {"code", "message", "path", "hint"}


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (errors.BadInput("unknown_ref", "no", subject="pay@x", hint="index it"), 2),
        (errors.Refused("too_many", "no"), 3),
        (errors.Damaged("checksum", "no"), 4),
        (errors.ResourceExhausted("disk_full", "no"), 5),
        (errors.Locked("locked", "pid 7"), 6),
        (errors.CheckFailed("stale", "no"), 7),
        (errors.Interrupted("interrupted", "no"), 130),
        (KeyboardInterrupt(), 130),
        (OSError(28, "No space left on device"), 5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_error_has_its_exit_code_and_one_line(cli, engine, failure, code):
    engine.fail = failure
    found, out, err = cli("search", "q")
    assert (found, out) == (code, "")
    assert err.startswith("error[")
    assert "Traceback" not in err
    assert err.count("\n") == 1
    found, out, _ = cli("search", "q", "--json")
    assert found == code
    assert json.loads(out)["error"]["code"]


def test_an_error_line_names_code_subject_and_hint(cli, engine):
    engine.fail = errors.BadInput("unknown_ref", "not indexed", subject="pay@x", hint="index it")
    assert cli("search", "q")[2] == "error[unknown_ref] pay@x: not indexed; index it\n"


def test_a_defect_shows_its_traceback_only_with_debug(cli, engine):
    engine.fail = ZeroDivisionError("oops")
    code, _, err = cli("search", "q")
    assert code == 5
    assert "error[internal]" in err
    assert "Traceback" not in err
    assert "Traceback" in cli("search", "q", "--debug")[2]


@pytest.mark.parametrize(
    ("failure", "line"),
    [
        (
            MemoryError(),
            "error[out_of_memory]: there is not enough memory; free some, or ask about",
        ),
        (OSError(28, "No space left"), "error[resource]: the system said no: No space left"),
        (TimeoutError(), "error[resource]: the system said no: TimeoutError"),
    ],
    ids=["memory", "disk", "no words"],
)
def test_what_the_system_says_is_never_empty(cli, engine, failure, line):
    engine.fail = failure
    code, _, err = cli("search", "q")
    assert (code, err.startswith(line)) == (5, True), err


def test_python_runs_the_package_as_the_command():
    environ = {**os.environ, "PYTHONPATH": str(Path(common.__file__).parents[3])}
    command = [sys.executable, "-m", "grainline", "--version"]
    done = subprocess.run(command, capture_output=True, timeout=60, env=environ, text=True)
    assert (done.returncode, done.stdout.split()[0]) == (0, "grainline")


def test_an_error_text_cannot_act_on_the_terminal(cli, engine):
    engine.fail = errors.BadInput("unknown_path", f"no {ESCAPE} here\nnext")
    err = cli("search", "q")[2]
    assert "\x1b" not in err
    assert err.count("\n") == 1


def test_nothing_but_options_prints_the_help_or_the_error_object(cli):
    code, out, err = cli()
    assert (code, out) == (2, "")
    assert err.startswith("Usage: grainline")
    code, out, err = cli("--json")
    assert (code, err) == (2, "")
    assert json.loads(out)["error"]["message"] == "Missing command"


def test_an_unknown_option_tells_how_to_ask_for_words_with_a_dash(cli):
    assert cli("search", "-x")[2].endswith("words that begin with a dash go after --\n")


def test_names_of_files_are_their_bytes_in_every_locale():
    code = "import os, sys; from grainline.surfaces.cli.main import decoded; "
    code += "from grainline.surfaces.cli.common import file_name; "
    code += "(name,) = decoded(sys.argv[1:]); sys.stdout.write(os.fsencode(file_name(name)).hex())"
    raw = "漢".encode() + b"\xff"
    for plain in ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {}):
        process = spawn(code, raw, **plain)
        assert process.communicate(timeout=60) == (raw.hex().encode(), b"")


def test_index_tells_what_became_of_the_paths(cli, engine):
    code, out, err = cli("index", "repo", "--ref", "main", "--name", "pay", "--exclude", "data/")
    assert code == 0
    assert "4 indexed, 0 indexed_as_text, 0 skipped, 0 failed" in out
    assert (
        err == "parse …\ntext and symbols answer now; making the edges between symbols\nresolve …\n"
    )
    asked = engine.asked["index"]
    assert (asked["path"], asked["refs"], asked["name"]) == ("repo", ("main",), "pay")
    assert asked["read"].exclude == ("data/",)


@pytest.mark.parametrize(
    ("ref", "commit", "shown", "told"),
    [
        ("refs/heads/main", COMMIT, f"refs/heads/main at {COMMIT[:12]}", "refs/heads/main"),
        ("WORKTREE", COMMIT, f"work tree at {COMMIT[:12]}", "WORKTREE"),
        ("WORKTREE", "", "work tree at no commit", "WORKTREE"),
        (None, COMMIT, f"commit {COMMIT[:12]}", COMMIT),
    ],
    ids=["branch", "work tree", "folder", "commit"],
)
def test_index_names_the_version_that_it_indexed(cli, engine, ref, commit, shown, told):
    engine.view = {"snapshot": replace(SNAPSHOT, ref=ref, commit=commit)}
    assert cli("index", ".")[1].splitlines()[0] == f"pay  {shown}"
    (view,) = json.loads(cli("index", ".", "--json")[1])["views"]
    assert (view["ref"], view["commit"]) == (told, commit)


def test_index_tells_reasons_by_outcome(cli, engine):
    rows = (
        (Outcome.INDEXED_AS_TEXT, "minified", 2),
        (Outcome.SKIPPED, "lfs_pointer", 1),
        (Outcome.SKIPPED, "binary", 3),
    )
    engine.view = {"reasons": rows}
    told = cli("index", ".")[1].splitlines()[2]
    assert told == "  skipped: 1 lfs_pointer, 3 binary; as text: 2 minified"


@pytest.mark.parametrize("name", ["x\x1b[31m", "a\nb", "a\tb", "a\u202eb", "a\x9bb"])
def test_a_label_that_could_act_on_a_terminal_is_refused_before_anything_is_written(
    cli, engine, name
):
    code, out, err = cli("index", ".", "--name", name)
    assert (code, out) == (2, "")
    assert err.startswith("error[bad_name]: ")
    assert "index" not in engine.asked


def test_labels_and_symbols_are_escaped_in_a_pipe_but_not_in_json(cli, engine, monkeypatch):
    engine.view = {"repository": f"p{ESCAPE}"}
    assert cli("index", ".")[1].startswith("p\\x1b]0;owned\\x07  refs")
    assert json.loads(cli("index", ".", "--json")[1])["views"][0]["repo"] == f"p{ESCAPE}"
    named = replace(INFO, qualified_name=f"q{ESCAPE}", signature=f"s{ESCAPE}")
    monkeypatch.setitem(globals(), "INFO", named)
    for arguments in (("show", "apply"), ("outline", "src/pay.py")):
        code, out, _ = cli(*arguments)
        assert code == 0
        assert "\x1b" not in out
        assert "\\x1b]0;owned\\x07" in out


def test_an_index_error_without_a_path_is_about_the_path_given(cli, engine):
    engine.fail = errors.BadInput("not_found", "no such folder", subject="no\nwhere")
    found = json.loads(cli("index", "no\nwhere", "--json")[1])["error"]
    assert found["path"] == '"no\\nwhere"'
    engine.fail = errors.BadInput("not_found", "no such folder", path="other")
    assert json.loads(cli("index", ".", "--json")[1])["error"]["path"] == "other"


def test_an_unknown_language_is_refused_with_the_known_ones(cli, engine):
    code, out, err = cli("search", "q", "--lang", "klingon")
    assert (code, out) == (2, "")
    assert err.startswith("error[unknown_language]: no language is called 'klingon'; known: bash, ")
    assert err.endswith(", yaml, text\n")
    for known in ("Python", "text", "cpp"):
        assert cli("search", "q", "--lang", known)[0] == 0
        assert engine.asked["search"]["options"].filters.languages == (known,)


def test_what_was_not_covered_is_told_in_words(capsys):
    left = (("changed_since_indexed", 4), ("lexical", 137), ("literal", 21),
            ("literal_files", 69), ("location_files", 4), ("lookups", 2))  # fmt: skip
    common.warn(CoverageRecord(snapshots=(), not_covered=left))
    assert capsys.readouterr().err.splitlines() == [
        "not covered: 4 changed_since_indexed",
        "137 more lexical candidates were not ranked",
        "21 more literal candidates were not ranked",
        "files that may hold more and were not, or not wholly, searched: 69",
        "more files that a name in the question means, not looked up: 4",
        "more names, texts and places in the question, not looked up: 2 or more",
    ]


def test_index_exits_1_when_files_failed(cli, engine):
    engine.failed = 1
    assert cli("index", ".")[0] == 1
    assert cli("index", ".", "--json")[0] == 1


def test_doctor_exits_4_when_something_is_damaged(cli, engine):
    assert cli("doctor", "--repair")[0] == 0
    assert engine.asked["doctor"] == {"repair": True}
    engine.sound = False
    code, out, _ = cli("doctor")
    assert code == 4
    assert "BAD" in out
    assert "run: grainline doctor" in out


def test_context_passes_targets_and_pasted_text(cli, engine, monkeypatch):
    pasted = io.TextIOWrapper(io.BytesIO(b"x = 1 \xff\n"), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", pasted)
    code, out, _ = cli(
        *[
            "context",
            "--at",
            "a.py:1-2",
            "--target",
            "A.b",
            "--stdin",
            "--budget",
            "900",
            "--format",
            "xml",
        ],
        *["--profile", "impact", "--level", "4"],
    )
    assert (code, out) == (0, "# Context\n")
    asked = engine.asked["context"]
    assert (asked["at"], asked["target"]) == ("a.py:1-2", "A.b")
    assert asked["pasted"] == "x = 1 \ufffd\n"
    options = asked["options"]
    assert (options.budget, options.format, options.max_level) == (900, "xml", 4)
    assert options.profile is Profile.IMPACT


def test_an_empty_context_tells_on_standard_error_what_it_had_no_room_for(cli):
    assert cli("context", "tiny") == (0, "# Context\nshown\n", "warning: nothing fits\n")
    assert cli("context", "q") == (0, "# Context\n", "")


def test_arguments_are_bytes_decoded_as_utf8_whatever_the_locale(cli, engine):
    raw = b"caf\xe9-\xe6\xbc\xa2.py"
    (decoded,) = main.decoded([os.fsdecode(raw)])
    assert decoded == "caf\udce9-漢.py"
    assert cli("why", decoded)[0] == 0
    assert engine.asked["why"]["path"] == raw
    code, out, _ = cli("search", decoded, "--json")
    assert code == 0
    assert json.loads(out.encode("utf-8"))["query"] == "caf\ufffd-漢.py"


def test_a_quoted_path_is_read_as_it_was_printed(cli, engine):
    assert cli("why", '"a\\nb\\377.py"')[0] == 0
    assert engine.asked["why"]["path"] == b"a\nb\xff.py"


def test_shown_content_is_neutralised_on_a_terminal_only():
    for tty, expected in ((True, "\\x1b]0;owned\\x07"), (False, ESCAPE)):
        stream = io.StringIO()
        Terminal(stream=stream, colour=False, tty=tty).raw(f"a{ESCAPE}b\n")
        assert stream.getvalue() == f"a{expected}b\n"
    assert neutral("a\r\nb\tc\u202ed\x9b") == "a\nb\tc\\u202ed\\x9b"


class Tty(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "colour"),
    [
        (Tty(), {}, True),
        (Tty(), {"NO_COLOR": "1"}, False),
        (Tty(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
    ],
    ids=["tty", "no_color", "dumb", "pipe", "forced"],
)
def test_colours_degrade(stream, environ, colour):
    assert ("\x1b" in Terminal.of(stream, environ).paint("x", "bold")) is colour


def test_names_of_places_are_quoted(tmp_path):
    (tmp_path / "a\nb.py").touch()
    where = Places({"pay": str(tmp_path)})
    assert where.at("pay", b"a\nb.py", 3).endswith('a\\nb.py":3')
    assert where.at("other", b"a\xff.py", 3) == '"a\\377.py":3'


def test_a_folder_inside_a_repository_is_found_from_anywhere(tmp_path, monkeypatch):
    (tmp_path / "src" / "pay").mkdir(parents=True)
    (tmp_path / "src" / "pay" / "a.py").touch()
    monkeypatch.chdir(tmp_path / "src")
    where = Places({"pay": str(tmp_path / "src" / "pay")})
    assert where.at("pay", b"src/pay/a.py", 3) == "pay/a.py:3"
    assert where.at("pay", b"src/pay/gone.py", 3) == "src/pay/gone.py:3"


def test_a_scip_index_goes_to_a_pipe_or_a_file_as_it_is(engine, capfdbinary, tmp_path):
    assert main.run(["graph", "--format", "scip"]) == 0
    assert len(engine.asked["scip"]["options"].types) == len(EdgeType)
    assert engine.asked["scip"]["options"].floor is Tier.FLOWED
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == b"\x0a\xff"
    file = tmp_path / "index.scip"
    arguments = ["graph", "--format", "scip", "--edges", "calls", "--output", str(file)]
    assert main.run(arguments) == 0
    assert engine.asked["scip"]["options"].types == (EdgeType.CALLS,)
    assert file.read_bytes() == b"\x0a\xff"
    assert capfdbinary.readouterr().out == f"1 document, 2 edges: {file}\n".encode()
    assert main.run([*arguments, "--json"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["bytes"] == 2


@pytest.mark.parametrize("more", [["--json"], []], ids=["json", "terminal"])
def test_bytes_have_no_place_beside_json_or_on_a_terminal(engine, monkeypatch, more):
    stream = Tty()
    monkeypatch.setattr(sys, "stdout", stream)
    assert main.run(["graph", "--format", "scip", *more]) == 2
    assert "\xff" not in stream.getvalue()
    assert "scip" not in engine.asked


def test_every_form_of_a_graph_can_be_written_to_a_file(cli, tmp_path):
    for form in ("lines", "json", "html"):
        shown = cli("graph", "--format", form)[1]
        assert cli("graph", "--format", form, "--output", str(tmp_path / form))[1] == ""
        assert (tmp_path / form).read_text() == shown
    code, _, err = cli("graph", "--output", str(tmp_path / "no" / "such"))
    assert code == 2
    assert "could not be written (No such file or directory); make its folder first" in err


def test_tables_are_aligned():
    assert table([("a", "10", "x"), ("bbb", "7", "y")], right=frozenset({1})) == [
        "a    10  x",
        "bbb   7  y",
    ]


def test_tables_are_aligned_by_what_a_terminal_shows():
    rows = [
        ("退款.py", "x"),
        ("a.py", "x"),
        ("e\u0301.py", "x"),
        ("\uff46\uff55.py", "x"),
        ("한글", "x"),
    ]
    lines = table(rows)
    assert [line.rindex("x") for line in lines] == [7, 9, 10, 7, 7]
    columns = [len(cell) + extra for (cell, _), extra in zip(rows, (2, 0, -1, 2, 2), strict=True)]
    assert [width(cell) for cell, _ in rows] == columns
    assert {width(line) for line in lines} == {10}
    assert {width(line) for line in table(rows, right=frozenset({0}))} == {10}


def test_the_help_of_a_verb_fits_in_a_line_and_tells_defaults(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size((80, 24)))
    for words in (("--help",), ("access", "--help")):
        listed = cli(*words)[1].partition("Commands:")[2]
        assert listed.count("\n") > 3
        assert "..." not in listed

    def told(verb):
        return " ".join(cli(verb, "--help")[1].split())

    assert "Results per page (default: 10," in told("search")
    assert "[default: auto]" in told("search")
    assert "Never exceeded (default: 8000," in told("context")
    for verb, count in (("search", 7), ("context", 2), ("status", 2), ("index", 4), ("watch", 1)):
        assert told(verb).count("may be repeated") == count, verb


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (5_000_000, 3_200_000, "3.2 MB, 1.8 MB freed"),
        (3_000_000, 3_000_000, "3.0 MB, 0 MB freed"),
        (3_000_000, 3_000_400, "3.0 MB, 0 MB freed"),
        (3_000_000, 4_000_000, "4.0 MB, 0 MB freed"),
        (40_000, 20_000, "0 MB, 0 MB freed"),
    ],
)
def test_gc_tells_what_it_freed(cli, engine, before, after, told):
    engine.gc = lambda retention, read: GcReport(before=before, after=after, ended=(), notes=())
    assert cli("gc")[1] == told + "\n"


def test_one_of_a_thing_is_told_as_one(cli, engine):
    row = PathRow(path=b"a.py", outcome=Outcome.INDEXED, language="python", symbols=1)
    engine.why = lambda path, scope: WhyResult(repository="pay", row=row, rules=())
    assert "language python, 1 symbol\n" in cli("why", "a.py")[1]
    assert counted(1, "result") == "1 result"
    assert counted(0, "result") == "0 results"
    assert counted(12, "result") == "12 results"


def test_help_and_version_and_completion(cli):
    for verb in main.VERBS:
        code, out, _ = cli(verb, "--help")
        assert code == 0
        assert out.startswith(f"Usage: grainline {verb}")
    assert cli("--version")[1].startswith("grainline ")
    for shell in main.SHELLS:
        assert "_GRAINLINE_COMPLETE" in cli("--completion", shell)[1]


def settings_file(tmp_path, text):
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_settings_come_from_file_then_environment_then_flags(tmp_path):
    text = 'home = "/f"\n[search]\nk = 3\n[index]\nexclude = ["a/"]\n[context]\nformat = "xml"\n'
    file = settings_file(tmp_path, text)
    found = load({"HOME": "/h"}, config=file)
    assert (found.home, found.k, found.format, found.exclude) == ("/f", 3, "xml", ("a/",))
    assert load({"HOME": "/h", "GRAINLINE_HOME": "/e"}, config=file).home == "/e"
    assert load({"HOME": "/h", "GRAINLINE_HOME": "/e"}, config=file, home="/a").home == "/a"
    assert load({"HOME": "/h", "GRAINLINE_CONFIG": file}).k == 3
    assert load({"HOME": "/h", "XDG_DATA_HOME": "/d"}).home == "/d/grainline"


@pytest.mark.parametrize(
    "text",
    [
        "hom = 1",
        "home = 1",
        "[search]\nk = 0",
        "[search]\nk = true",
        '[search]\nk = "3"',
        '[context]\nformat = "yaml"',
        "[index]\nexclude = [1]",
        '[index]\nexclude = "a"',
        "search = ",
        "[search.k]\na = 1",
    ],
)
def test_a_wrong_setting_is_refused_with_what_is_allowed(tmp_path, text):
    with pytest.raises(errors.BadInput) as caught:
        load({"HOME": "/h"}, config=settings_file(tmp_path, text))
    assert caught.value.code == "bad_settings"
    assert caught.value.hint


def test_a_missing_settings_file_that_was_named_is_an_error(cli):
    code, _, err = cli("search", "q", "--config", "/nonexistent.toml")
    assert code == 2
    assert "bad_settings" in err


def spawn(code, *arguments, stdout=subprocess.PIPE, **environ):
    source = Path(common.__file__).parents[3]
    environ = {**os.environ, "PYTHONPATH": str(source), "PYTHONWARNINGS": "ignore", **environ}
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environ,
    )


ECHO = """
import click
from grainline.surfaces.cli import main, common
class Out:
    def remove(self, name):
        click.echo(ascii(name))
common.Run.engine = lambda run, create=False: Out()
main.main()
"""


def test_arguments_and_output_are_utf8_in_a_locale_that_is_not():
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    process = spawn(ECHO, b"rm", "caf\xe9-漢".encode() + b"\xff", **plain)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    name, line = out.decode("utf-8").splitlines()
    assert name == r"'caf\xe9-\u6f22\udcff'"
    assert line == "removed caf\xe9-漢? from the index"


FLOOD = """
import sys
from grainline.surfaces.cli import main, common
class Out:
    def doctor(self, repair):
        for _ in range(20000):
            sys.stdout.write("line of output that fills the pipe\\n")
        return ()
common.Run.engine = lambda run, create=False: Out()
main.main(["doctor"])
"""


def test_a_reader_that_goes_away_ends_the_run_quietly():
    process = spawn(FLOOD)
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize("lines", [3, 20000], ids=["at the end", "meanwhile"])
@pytest.mark.parametrize("option", [(), ("--json",), ("--debug",)], ids=" ".join)
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["held", "at once"])
def test_output_that_cannot_be_written_is_one_error_line(lines, option, unbuffered):
    code = FLOOD.replace("20000", str(lines)).replace(
        '["doctor"]', f'["doctor", *{list(option)!r}]'
    )
    with Path("/dev/full").open("wb") as full:
        process = spawn(code, stdout=full, PYTHONUNBUFFERED=unbuffered)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 5
    told = [line for line in err.decode().splitlines() if line.startswith("error")]
    assert told == [
        "error[cannot_write] standard output: the answer could not be written"
        " (No space left on device); free space or write elsewhere"
    ]
    if option == ("--debug",):
        assert b"Traceback" in err
    else:
        assert err.count(b"\n") == 1


def test_an_error_object_that_cannot_be_written_is_one_error_line():
    code = "from grainline.surfaces.cli import main; main.main(['--json', 'nope'])"
    for unbuffered in ("", "1"):
        with Path("/dev/full").open("wb") as full:
            process = spawn(code, stdout=full, PYTHONUNBUFFERED=unbuffered)
            _, err = process.communicate(timeout=60)
        assert process.returncode == 5
        assert err.startswith(b"error[cannot_write] standard output: ")
        assert err.count(b"\n") == 1


def closed(tmp_path, which, *arguments):
    """Run the command line with standard streams closed, in a home with one file."""
    code = "from grainline.surfaces.cli import main; main.main()"
    source = Path(common.__file__).parents[3]
    environ = {**os.environ, "PYTHONPATH": str(source), "PYTHONWARNINGS": "ignore"}
    (tmp_path / "tree").mkdir(exist_ok=True)
    (tmp_path / "tree" / "pay.py").write_text("def refund():\n    return 1\n")
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {which}', "sh", sys.executable, "-c", code, *arguments],
        capture_output=True,
        check=False,
        timeout=120,
        cwd=tmp_path / "tree",
        env={**environ, "GRAINLINE_HOME": str(tmp_path / "home")},
    )


EVERY_VERB = [
    (verb, *words)
    for verb, words in {
        "index": ["."], "search": ["refund"], "context": ["refund"], "read": ["pay.py:1@ab"],
        "show": ["refund"], "outline": ["pay.py"], "callers": ["refund"], "callees": ["refund"],
        "refs": ["refund"], "implements": ["refund"], "imports": ["pay.py"],
        "impact": ["refund"], "path": ["refund", "refund"], "graph": [], "trace": ["--to", "refund"], "scan": [], "why": ["pay.py"], "status": [], "watch": [],
        "doctor": [], "gc": [], "rm": ["tree"], "access": ["show"], "lab": ["list"], "mcp": [],
    }.items()
]  # fmt: skip


@pytest.mark.parametrize("arguments", [*EVERY_VERB, ("--help",), ("--version",)], ids=" ".join)
def test_a_closed_output_is_one_error_line_and_nothing_is_done(tmp_path, arguments):
    done = closed(tmp_path, ">&-", *arguments)
    assert done.returncode == 5
    assert done.stderr == (
        b"error[cannot_write] standard output: the answer could not be written"
        b" (it is closed); free space or write elsewhere\n"
    )
    assert not (tmp_path / "home").exists()


def test_every_verb_is_tried_with_closed_streams():
    assert [words[0] for words in EVERY_VERB] == list(main.VERBS)


def test_a_closed_input_is_an_empty_one_and_a_closed_error_output_is_silent(tmp_path):
    for streams in ("<&-", "2>&-", "<&- 2>&-"):
        assert closed(tmp_path, streams, "index", ".", "--workers", "1").returncode == 0
    for arguments in (("search", "refund"), ("status",), ("outline", "pay.py")):
        found = closed(tmp_path, "", *arguments)
        assert found.returncode == 0
        for streams in ("<&-", "2>&-", "<&- 2>&-"):
            again = closed(tmp_path, streams, *arguments)
            assert (again.returncode, again.stdout, again.stderr) == (0, found.stdout, b"")
    done = closed(tmp_path, "<&-", "context", "--stdin")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error[empty_query]: standard input is empty; ")
    assert closed(tmp_path, "<&-", "mcp").returncode == 0


IMPORTS = """
import sys
from grainline.surfaces.cli import main
main.run(["search", "--help"])
import grainline.surfaces.wire
heavy = {"rich", "typer", "mcp", "pydantic", "asyncio", "tomllib", "importlib.metadata"}
sys.stderr.write(" ".join(sorted(heavy & set(sys.modules))))
"""


def test_a_search_loads_nothing_heavy():
    process = spawn(IMPORTS)
    _, err = process.communicate(timeout=60)
    assert err.decode() == ""


def test_a_shell_completes_verbs_and_options(cli, monkeypatch):
    monkeypatch.setenv(main.COMPLETE, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "grainline st")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert cli()[1] == "plain,status\n"
    monkeypatch.setenv("COMP_WORDS", "grainline search --te")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert cli()[1] == "plain,--tests\n"


AGED = "as indexed at 2026-01-02 03:04:05 UTC; what changed since is left out"
FRESH = "as on disk; all of it was looked at 2026-01-02 03:04:05 UTC"
FOLLOWED = f"{FRESH}; followed by process 12"
WAITING = "pay answers as before what git is doing there"
STATES = [("", ""), (FRESH, ""), (FOLLOWED, ""), (AGED, AGED), (f"{FOLLOWED}; {WAITING}", WAITING)]


@pytest.mark.parametrize(("state", "told"), STATES)
@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "q"), ("context", "q"), ("show", "apply"), ("callers", "refund"),
        ("callees", "refund"), ("path", "refund", "refund"), ("scan",), ("trace", "--to", "refund"),
        ("outline", "src/pay.py"), ("status",),
    ],
)  # fmt: skip
def test_work_trees_that_are_not_shown_as_on_disk_are_told(cli, engine, arguments, state, told):
    def aged(answer):
        def method(*given, **options):
            result = answer(*given, **options)
            if isinstance(result, StatusResult):
                return replace(result, work_tree=state)
            channels = (("work_tree", state),) if state else ()
            return replace(result, coverage=replace(result.coverage, channels=channels))

        return method

    name = arguments[0]
    setattr(engine, name, aged(getattr(engine, name)))
    code, _, err = cli(*arguments)
    notes = [line for line in err.splitlines() if "work trees" in line]
    assert (code, notes) == (0, [f"note: work trees: {told}"] if told else [])
    assert "work trees" not in cli(*arguments, "--json")[2]


@pytest.mark.parametrize("path", ["../x", "../x:3", "/nowhere/else.py", "a/../../x", ".."])
@pytest.mark.parametrize("verb", ["why", "outline"])
def test_a_path_outside_of_every_repository_is_an_error(
    cli, engine, tmp_path, monkeypatch, verb, path
):
    (tmp_path / "pay" / "src").mkdir(parents=True)
    engine.root = str(tmp_path / "pay")
    monkeypatch.chdir(tmp_path / "pay")
    code, out, err = cli(verb, path)
    assert (code, out) == (2, "")
    assert err.startswith(f"error[unknown_path] {path}: it lies outside of every repository")
    assert json.loads(cli(verb, path, "--json")[1])["error"]["code"] == "unknown_path"


def test_a_path_that_leads_out_of_a_folder_and_stays_inside_is_none_outside(
    cli, engine, tmp_path, monkeypatch
):
    (tmp_path / "pay" / "src").mkdir(parents=True)
    engine.root = str(tmp_path / "pay")
    monkeypatch.chdir(tmp_path / "pay" / "src")
    for path in ("../x", str(tmp_path / "pay" / "x"), "x", "../x:3"):
        assert cli("why", path)[0] == 0


def test_a_path_outside_that_is_looked_for_inside_would_be_noticed(cli, monkeypatch):
    monkeypatch.setattr(paths, "_leads_out", lambda _: False)
    assert cli("why", "../../nowhere/x")[0] == 0


def test_a_state_of_work_trees_that_is_kept_back_would_be_noticed(capsys, monkeypatch):
    record = CoverageRecord(snapshots=(), channels=(("work_tree", AGED),))
    common.warn(record)
    assert capsys.readouterr().err == f"note: work trees: {AGED}\n"
    common.warn(record, looks=False)
    monkeypatch.setattr(common, "USUAL", (*common.USUAL, "as indexed", "what changed"))
    common.warn(replace(record, channels=(("work_tree", f"{FRESH}; {AGED}"),)))
    assert capsys.readouterr().err == ""
