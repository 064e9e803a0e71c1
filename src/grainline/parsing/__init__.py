"""Bytes of one file in, `FileFacts` out: outline, references, imports, skeleton; never a tree."""

from grainline.parsing.facts import Limits, parse, parse_lazily, parse_text

__all__ = ["Limits", "parse", "parse_lazily", "parse_text"]
