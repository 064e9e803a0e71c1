"""The write path: from a repository to content and membership in a store."""
