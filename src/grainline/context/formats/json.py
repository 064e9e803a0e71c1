"""JSON for programs: one compact object, the machine interface's `context`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from grainline.context.formats import objects
from grainline.context.frame import Frame, shown_query
from grainline.model.evidence import ContextItem


class Json:
    """Content is a JSON string: no character of it can end it."""

    name = "json"

    def item(self, item: ContextItem) -> str:
        """One item as it stands in the array."""
        return _dumps(objects.item(item))

    def document(self, frame: Frame, items: Sequence[ContextItem]) -> str:
        """The object. `markdown` is null: this output is the JSON itself."""
        covered: objects.Object = objects.coverage(frame.coverage)
        if frame.brief:
            covered = {**covered, "snapshots": [], "channels": {}}
            covered["warnings"] = [f"{len(frame.coverage.snapshots)} snapshots not listed: budget"]
        if frame.brief >= 2:
            covered = {"state": str(frame.coverage.state)}
        return _dumps(
            {
                "schema": 1,
                "query": shown_query(frame),
                "profile": frame.profile,
                "budget": frame.budget,
                "tokens": frame.tokens,
                "tokenizer": frame.tokenizer,
                "items": [objects.item(item) for item in items],
                "paths": [objects.finding(each) for each in frame.paths],
                "omitted": frame.omitted,
                "cursor": None,
                "coverage": covered,
                "notes": list(frame.notes),
                "markdown": None,
            }
        )


def _dumps(value: objects.Object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode("utf-8")


FORMAT = Json()
