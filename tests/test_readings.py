"""Labels that were read say what the published confidence says."""

from __future__ import annotations

from pathlib import Path

import pytest

from grainline.graph.confidence import samples

LABELS = Path(__file__).resolve().parent.parent / "bench" / "labels"


@pytest.mark.parametrize("sample", ["flowed", "flowed_fresh"])
def test_labels_of_both_readers_are_of_the_same_edges(readings, sample):
    first, second = (readings.read(LABELS / f"{sample}_{each}.tsv") for each in ("first", "second"))
    assert {row[1:-1] for row in first} == {row[1:-1] for row in second}
    assert len(first) == len(second) == 440


def test_rows_of_confidence_are_what_both_readings_say(readings):
    files = ("flowed_fresh_first.tsv", "flowed_fresh_second.tsv")
    lines = list(readings.score([readings.read(LABELS / file) for file in files]))
    judged = [each for each in samples() if files[0] in each.command]
    assert {each.language for each in judged} == {"go", "java", "python", "typescript"}
    for each in judged:
        row = f"| {each.language} | {each.tier.name.lower()} | {each.sampled} | {each.right} |"
        assert any(line.startswith(row) for line in lines), row
        alike = each.judge.rpartition(": ")[2]
        assert any(line.strip().startswith(f"{each.language}: {alike}") for line in lines)


def test_kappa_is_that_of_cohen(readings):
    yes, no = readings.VERDICTS
    pairs = [(yes, yes)] * 20 + [(yes, no)] * 5 + [(no, yes)] * 10 + [(no, no)] * 15
    assert round(readings.kappa(pairs), 3) == 0.4
    assert readings.kappa([(yes, yes)] * 3) == 1.0
    assert readings.kappa([(yes, no), (no, yes)]) == -1.0


def test_one_caller_does_not_fill_a_sample_and_every_method_is_in_it(readings):
    row = readings.Row("?", "a/b", "c", "calls", "go", "flowed", "flow", "", "", "", "")
    table = [row._replace(source="table", target=f"f{at:02}") for at in range(90)]
    others = [row._replace(source=f"g{at:02}", methods="protocol") for at in range(10)]
    drawn = readings.sample([(each, ()) for each in (*table, *others)], 13, seed=1)
    assert drawn == readings.sample([(each, ()) for each in (*others, *table)], 13, seed=1)
    assert sum(each.source == "table" for each, _ in drawn) == readings.OF_CALLER
    assert sum(each.methods == "protocol" for each, _ in drawn) == 10


def test_calls_on_one_line_are_told_apart_and_a_verdict_is_asked_for(readings, tmp_path):
    row = readings.Row("right", "a/b", "c", "calls", "go", "flowed", "flow", "x:1", "f", "y:2", "g")
    file = tmp_path / "read.tsv"
    file.write_text("\t".join(row) + "\n" + "\t".join(row) + "\n")
    assert len(readings.read(file)) == 2
    file.write_text("\t".join(row._replace(verdict="?")) + "\n")
    with pytest.raises(SystemExit, match="a verdict is one of right, wrong"):
        readings.read(file)
