"""A web application and a gateway: ways from a request to something dangerous, and safe twins."""

from __future__ import annotations

from grainline.lab.datasets._builtin import BuiltIn

DATASET = BuiltIn("vulnapp")
