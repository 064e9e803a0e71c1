"""Access: the only room that builds a `Scope`."""

from grainline.access.scopes import OWNER, Available, build_scope, everything

__all__ = ["OWNER", "Available", "build_scope", "everything"]
