"""basedpyright: a fork of pyright whose package on PyPI brings its own node."""

from __future__ import annotations

from grainline.precise.servers._pyright import ANALYSIS, EXECUTES
from grainline.precise.servers.base import Server

SERVER = Server(
    name="basedpyright",
    languages={"python": "python"},
    programs=("basedpyright-langserver",),
    arguments=("--stdio",),
    tools=("node",),
    settings={
        "basedpyright": {"analysis": ANALYSIS},
        "basedpyright.analysis": ANALYSIS,
        "python": {"analysis": ANALYSIS},
    },
    install="pip install basedpyright",
    executes=EXECUTES,
)
