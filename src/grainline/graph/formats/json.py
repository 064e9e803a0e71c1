"""JSON: nodes and edges as objects, edges by the numbers of their nodes."""

from __future__ import annotations

import json

from grainline.graph.formats.base import Drawing
from grainline.model.position import quote_path


class Json:
    """One compact object; what is no UTF-8 is quoted as git quotes it."""

    name = "json"

    def render(self, drawing: Drawing) -> str:
        """`{"schema", "nodes", "edges"}`; `confidence` is null until it is measured."""
        whole = {
            "schema": 1,
            "nodes": [
                {
                    "path": quote_path(node.symbol.path),
                    "symbol": node.symbol.descriptor,
                    "name": node.name,
                    "kind": node.kind,
                    "line": node.line,
                }
                for node in drawing.nodes
            ],
            "edges": [
                {
                    "type": row.edge.type.value,
                    "src": row.source,
                    "dst": row.target,
                    "line": row.line,
                    "start": row.edge.site.start,
                    "end": row.edge.site.end,
                    "tier": row.edge.tier.name.lower(),
                    "confidence": None,
                    "methods": [method.value for method in row.edge.methods],
                    "candidates": row.edge.candidates,
                }
                for row in drawing.rows
            ],
        }
        text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace").decode("utf-8") + "\n"


FORMAT = Json()
