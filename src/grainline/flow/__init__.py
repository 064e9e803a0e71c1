"""Data flow from sources to sinks, across functions and files: IR and edges in, paths out."""
