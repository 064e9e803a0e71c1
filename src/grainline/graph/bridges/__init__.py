"""Edges that are no use of a name in one language: tests, documents, routes, configuration, packages."""
