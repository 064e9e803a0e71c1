"""gopls: the server of the Go project."""

from __future__ import annotations

from grainline.precise.servers.base import Server

SERVER = Server(
    name="gopls",
    languages={"go": "go"},
    programs=("gopls",),
    arguments=("-mode=stdio", "-remote="),
    project_files=frozenset({"go.mod", "go.sum", "go.work", "go.work.sum"}),
    tools=("go",),
    environment={
        "CGO_ENABLED": "0",
        "GOENV": "off",
        "GOFLAGS": "-mod=readonly",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOVCS": "*:off",
    },
    install="go install golang.org/x/tools/gopls@latest",
    executes="the go command; cgo, downloads and other toolchains are switched off",
)
