"""The read path that explains: parents, expansion, selection, citations."""
