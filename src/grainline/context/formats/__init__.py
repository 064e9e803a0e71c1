"""Output formats of a context, one file each: `FORMAT` renders items and the whole document."""
