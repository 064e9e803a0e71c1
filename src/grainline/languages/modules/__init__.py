"""Which file a module name means, one file per language."""
