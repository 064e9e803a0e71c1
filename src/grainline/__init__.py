"""grainline: index source repositories and answer questions with cited evidence."""

from __future__ import annotations
