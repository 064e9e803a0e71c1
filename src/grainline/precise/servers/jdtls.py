"""jdtls: Eclipse's server for Java."""

from __future__ import annotations

from grainline.precise.servers.base import Object, Server

_JAVA: Object = {
    "autobuild": {"enabled": False},
    "import": {
        "gradle": {"enabled": False, "wrapper": {"enabled": False}},
        "maven": {"enabled": False},
    },
}

SERVER = Server(
    name="jdtls",
    languages={"java": "java"},
    programs=("jdtls",),
    tools=("java", "python3"),
    options=lambda program: {"settings": {"java": _JAVA}},
    settings={"java": _JAVA},
    install="the package jdtls of the system, or Eclipse's download",
    executes="nothing known: builds of Gradle and Maven, which execute code, are switched off "
    "and their files are not copied",
)
