"""Formats in which an administrator may hand in a policy; nothing here reads a repository."""
