"""Relations: what symbols of a scope say of each other, walked from the name that somebody typed."""
