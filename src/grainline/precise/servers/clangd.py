"""clangd: the server of LLVM for C and C++."""

from __future__ import annotations

from grainline.precise.servers.base import Server

SERVER = Server(
    name="clangd",
    languages={"c": "c", "cpp": "cpp"},
    programs=("clangd",),
    arguments=("--enable-config=false", "--background-index=false", "--log=error"),
    install="the package clangd of the system",
    executes="nothing known: compile_commands.json and .clangd are not copied, so that it "
    "guesses flags and finds headers beside the file only",
)
