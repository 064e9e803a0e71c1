"""Generated pages of the documentation are current."""

from __future__ import annotations

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
