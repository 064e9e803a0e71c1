"""Generated pages of the documentation are current."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from grainline.graph.confidence import confidence, samples, wilson
from grainline.graph.rules.base import rules_of
from grainline.model.edge import Tier

BRIDGED = {"tests", "documents", "routes_to", "configures", "provides"}
ROOT = Path(__file__).resolve().parent.parent


def test_generated_pages_are_current():
    command = [sys.executable, str(ROOT / "tools" / "docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_sample_is_of_a_language_with_edges_and_counts_what_it_says():
    for each in samples():
        assert rules_of(each.language) is not None or each.language in BRIDGED
        assert 0 < each.right <= each.sampled
        exact = wilson(each.right, each.sampled)
        assert exact - 0.001 < confidence(each.language, each.tier) <= exact < 1
    assert len({(each.language, each.tier) for each in samples()}) == len(samples())
    assert confidence("kotlin", Tier.FLOWED) is None
    assert confidence("python", None) is None


@pytest.mark.parametrize(
    ("right", "sampled", "bound"), [(0, 0, 0.0), (10, 10, 0.722), (90, 100, 0.826), (0, 9, 0.0)]
)
def test_the_bound_is_that_of_wilson(right, sampled, bound):
    assert round(wilson(right, sampled), 3) == bound


CASES = """# Python: some words

## A hit
```python path=a.py
os.system(q)    # path: command from 1; path: log
```

## Near miss: nothing
```python path=a.py
os.system(q)    # stopped: command
os.system("x")  # safe: a list
```

## In two languages
```typescript path=a.ts
eval(q);        // undetermined: code
// bug: something is not found
```
```python path=b.py
pass
```
"""


def test_cases_of_data_flow_are_counted_by_language(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    flow_depth = importlib.import_module("flow_depth")
    (tmp_path / "a.md").write_text(CASES, encoding="utf-8")
    monkeypatch.setattr(flow_depth, "CASES", tmp_path)
    assert [tuple(case) for case in flow_depth.cases()] == [
        ("python", "Python: some words", 1, 0, 0),
        ("python", "Python: some words", 0, 2, 0),
        ("javascript", "Python: some words", 1, 0, 1),
    ]
    assert "| Python | 2 | 1 | 1 | 2 | 0 | some words |" in flow_depth.depth()
