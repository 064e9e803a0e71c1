"""kotlin-language-server: a server for Kotlin."""

from __future__ import annotations

from grainline.precise.servers.base import Server

SERVER = Server(
    name="kotlin_language_server",
    languages={"java": "java", "kotlin": "kotlin"},
    programs=("kotlin-language-server",),
    tools=("java",),
    install="the package kotlin-language-server of the system, or its release",
    executes="Gradle or Maven where their files are: they are not copied",
)
