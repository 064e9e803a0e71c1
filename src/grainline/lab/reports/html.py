"""One HTML page with all results in it: plots by plotly, tables without it; it loads nothing.

The data is JSON in the page; the script beside this file draws it. Light and dark follow the
reader's system.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Sequence
from html import escape
from importlib import import_module
from typing import Any

from grainline.errors import BadInput
from grainline.lab.compare import Result
from grainline.lab.reports._data import by_set, set_data

_OPENING = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028",
                          "\u2029": "\\u2029"})  # fmt: skip
"""Signs that could end a script in a page."""


class Html:
    """The page; the tables are there without scripts too."""

    name = "html"
    suffix = ".html"

    def render(self, results: Sequence[Result]) -> str:
        """The page.

        Raises:
            BadInput: the extra `lab` is not installed.
        """
        sets = [set_data(name, found) for name, found in by_set(results).items()]
        data = json.dumps({"sets": sets}, separators=(",", ":")).translate(_OPENING)
        return (
            _part("report.html")
            .replace("/*STYLE*/", _part("report.css"))
            .replace("<!--TABLES-->", "".join(map(_tables, sets)))
            .replace("/*DATA*/", data)
            .replace("/*SCRIPT*/", _part("report.js"))
            .replace("/*PLOTLY*/", _plotly())  # last: nothing in it is a mark of ours
        )


def _plotly() -> str:
    try:
        library = import_module("plotly.offline")  # it has no types
    except ImportError:
        raise BadInput(
            "not_installed",
            "the HTML report needs plotly",
            hint="pip install 'grainline[lab]', or: --format markdown",
        ) from None
    return str(library.get_plotlyjs()).replace("</script", "<\\/script")


def _part(name: str) -> str:
    return (pkgutil.get_data("grainline.lab.reports", f"page/{name}") or b"").decode()


def _tables(found: dict[str, Any]) -> str:
    """The scores of one set, for readers without scripts and for copying."""
    measures = found["measures"]
    head = "".join(f"<th>{escape(each)}</th>" for each in ("strategy", "code", "n", *measures))
    rows = "".join(_row(run, measures) for run in found["runs"])
    return (
        f"<details><summary>{escape(found['name'])}: all scores</summary><div class=wide>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _row(run: dict[str, Any], measures: Sequence[str]) -> str:
    cells = [escape(run["label"]), escape(run["code"]), str(run["questions"])]
    for each in measures:
        score = run["scores"].get(each)
        cells.append(
            f"{score[0]:.3f} <small>{score[1]:.3f}..{score[2]:.3f}</small>" if score else ""
        )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


REPORT = Html()
