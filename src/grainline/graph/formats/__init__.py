"""Output formats of a graph, one file each: `FORMAT` renders a `Drawing` as text."""
