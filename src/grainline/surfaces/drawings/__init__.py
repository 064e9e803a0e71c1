"""Drawings of a graph, one file each: `DRAWING`, from a `GraphResult` to a text."""
