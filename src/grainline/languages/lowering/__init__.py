"""From a syntax tree to `FileIr`, one file per language."""
