"""Finding: a question and a scope in, a ranking of small chunks out."""
