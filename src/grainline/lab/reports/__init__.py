"""One file per form of a report over result files."""
