"""Access: the only room that builds a `Scope`."""

from grainline.access.scopes import Available, build_scope

__all__ = ["Available", "build_scope"]
