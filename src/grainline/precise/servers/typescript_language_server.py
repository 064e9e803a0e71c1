"""typescript-language-server: TypeScript's own service for TypeScript and JavaScript."""

from __future__ import annotations

from pathlib import Path

from grainline.precise.servers.base import Object, Server


def options(program: str) -> Object:
    """Never the TypeScript of the project; no plug-ins; no types from the network."""
    packages = Path(program).resolve().parents[2]
    return {
        "disableAutomaticTypingAcquisition": True,
        "plugins": [],
        "tsserver": {
            "path": str(packages / "typescript" / "lib" / "tsserver.js"),
            "useSyntaxServer": "never",
        },
    }


SERVER = Server(
    name="typescript_language_server",
    languages={
        "javascript": "javascript",
        "tsx": "typescriptreact",
        "typescript": "typescript",
    },
    programs=("typescript-language-server",),
    arguments=("--stdio",),
    project_files=frozenset({"jsconfig.json", "package.json", "tsconfig.json"}),
    tools=("node",),
    options=options,
    install="npm install -g typescript-language-server typescript@5 (7 has no tsserver)",
    executes="nothing known: plug-ins named by a tsconfig.json are looked for in node_modules, "
    "which is not copied",
)
