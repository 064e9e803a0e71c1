"""One file per language: how to recognise it, its grammar, its query, its pure hooks."""
