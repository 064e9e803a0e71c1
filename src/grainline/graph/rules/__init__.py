"""What resolution has to know of a language: one file (and its `_parts`) per family of languages."""
