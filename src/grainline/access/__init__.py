"""Access: the only room that builds a `Scope`."""

from grainline.access.scopes import OWNER, PREFIXES, Available, build_scope, everything

__all__ = ["OWNER", "PREFIXES", "Available", "build_scope", "everything"]
