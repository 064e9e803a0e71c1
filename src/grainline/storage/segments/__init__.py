"""Immutable segments: content, counts and facts of a run, checksummed, mapped, never rewritten."""
