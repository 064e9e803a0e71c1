"""Findings as files for other programs and for people: a module per form."""
