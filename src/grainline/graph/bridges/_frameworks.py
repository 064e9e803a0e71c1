"""Frameworks of the web as a table: what registers a handler, and where path and handler stand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

DECORATED: Final = 1 << 10
"""As the number of a handler: what the result of the call is applied to."""


class Registration(NamedTuple):
    """Calls that register a handler.

    Attributes:
        package: whose objects are called, as a pattern; whatever they give belongs to it.
        members: the names of what is called.
        path: number of the argument with the path, and its keyword.
        handler: number of the handler (negative: from the end), or `DECORATED`.
        keyword: that of the handler.
    """

    package: str
    members: str
    path: tuple[int, str]
    handler: int
    keyword: str = ""

    def pattern(self) -> re.Pattern[str]:
        """What the dotted name of the call matches as a whole."""
        return re.compile(rf"(?:{self.package})(?:\(\))?\.(?:\S+\.)?(?:{self.members})")


_VERBS: Final = "get|post|put|delete|patch|head|options"
_UPPER: Final = _VERBS.upper()
_TITLE: Final = "Get|Post|Put|Delete|Patch|Head|Options|Connect|Trace"

REGISTRATIONS: Final = (
    Registration("flask|quart", f"route|{_VERBS}", (0, "rule"), DECORATED),
    Registration("flask|quart", "add_url_rule", (0, "rule"), 2, "view_func"),
    Registration(
        "fastapi", f"{_VERBS}|trace|api_route|websocket|websocket_route", (0, "path"), DECORATED
    ),
    Registration("fastapi", "add_api_route|add_api_websocket_route", (0, "path"), 1, "endpoint"),
    Registration("starlette", "Route|WebSocketRoute|add_route", (0, "path"), 1, "endpoint"),
    Registration("starlette", "route|websocket_route", (0, "path"), DECORATED),
    Registration(r"django\.urls|django\.conf\.urls", "path|re_path|url", (0, "route"), 1, "view"),
    Registration(r"aiohttp\.web", f"{_VERBS}|view", (0, "path"), DECORATED),
    Registration(r"aiohttp\.web", f"{_VERBS}|view", (0, "path"), 1, "handler"),
    Registration(r"aiohttp\.web", f"add_(?:{_VERBS}|view)", (0, "path"), 1, "handler"),
    Registration("bottle", f"route|{_VERBS}", (0, "path"), DECORATED),
    Registration("sanic", f"route|{_VERBS}|websocket", (0, "uri"), DECORATED),
    Registration("express", f"{_VERBS}|all", (0, ""), -1),
    Registration("@koa/router|koa-router|hono|fastify", f"{_VERBS}|all", (0, ""), -1),
    Registration("net/http", "HandleFunc|Handle", (0, ""), 1),
    Registration("github.com/gin-gonic/gin", f"{_UPPER}|Any", (0, ""), -1),
    Registration("github.com/gin-gonic/gin", "Handle", (1, ""), -1),
    Registration(r"github.com/labstack/echo(?:/v\d+)?", f"{_UPPER}|Any", (0, ""), 1),
    Registration(r"github.com/go-chi/chi(?:/v\d+)?", f"{_TITLE}|Handle|HandleFunc", (0, ""), 1),
    Registration(r"github.com/gorilla/mux", "HandleFunc|Handle", (0, ""), 1),
    Registration(r"github.com/gofiber/fiber(?:/v\d+)?", f"{_TITLE}|All", (0, ""), -1),
)

WRAPPERS: Final = re.compile(r"net/http\.HandlerFunc")
"""Conversions that leave a handler what it is."""

ANNOTATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "RequestMapping": ("org.springframework.web.bind.annotation",),
    "GetMapping": ("org.springframework.web.bind.annotation",),
    "PostMapping": ("org.springframework.web.bind.annotation",),
    "PutMapping": ("org.springframework.web.bind.annotation",),
    "DeleteMapping": ("org.springframework.web.bind.annotation",),
    "PatchMapping": ("org.springframework.web.bind.annotation",),
    "Path": ("javax.ws.rs", "jakarta.ws.rs"),
}
"""Annotations of Java that make a method a handler -> their packages."""
