"""Data flow as answers: from the views of a scope to findings that stand in a snapshot."""
