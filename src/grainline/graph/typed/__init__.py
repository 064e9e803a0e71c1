"""Languages with declared types: the types of expressions, one pass over each file."""
