"""Whether code is there for tests: by its name or its imports, never by the folder alone."""

from __future__ import annotations

from typing import Final

from grainline.model.snapshot import FlagName
from grainline.retrieval.places import entry_of
from grainline.storage.base import Corpus

FRAMEWORKS: Final = (
    "pytest", "unittest", "nose", "hypothesis", "doctest", "django.test",
    "org.junit", "junit.framework", "org.testng", "org.mockito", "kotlin.test",
    "testing", "jest", "@jest/", "vitest", "mocha", "chai", "node:test", "@testing-library/",
    "PHPUnit\\", "Xunit", "NUnit.", "Microsoft.VisualStudio.TestTools", "minitest", "rspec",
    "gtest/", "catch2/",
)  # fmt: skip
"""Modules (or how they begin) that only tests import."""


def is_test(corpus: Corpus, entry: int) -> bool:
    """Whether an entry is test code."""
    rules = [flag.rule for flag in entry_of(corpus, entry).flags if flag.name is FlagName.TEST]
    if any(not rule.endswith("/") for rule in rules):
        return True
    return bool(rules) and any(map(_is_framework, corpus.imports(entry)))


def _is_framework(imported: object) -> bool:
    module: str = getattr(imported, "module", "").strip("\"'<>")
    return any(
        module == name or module.startswith(name if not name[-1].isalnum() else f"{name}.")
        for name in FRAMEWORKS
    )
