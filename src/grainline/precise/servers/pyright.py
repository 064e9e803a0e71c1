"""pyright: the type checker for Python."""

from __future__ import annotations

from grainline.precise.servers._pyright import ANALYSIS, EXECUTES
from grainline.precise.servers.base import Server

SERVER = Server(
    name="pyright",
    languages={"python": "python"},
    programs=("pyright-langserver",),
    arguments=("--stdio",),
    tools=("node",),
    settings={"python": {"analysis": ANALYSIS}, "python.analysis": ANALYSIS},
    install="npm install -g pyright (the package of PyPI fetches node at first use)",
    executes=EXECUTES,
)
