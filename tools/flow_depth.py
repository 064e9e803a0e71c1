"""How deep data flow goes in each language, counted in its cases (`tests/cases/flow`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CASES = Path(__file__).resolve().parent.parent / "tests" / "cases" / "flow"
BLOCK = re.compile(r"^```([a-z]+) path=\S+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FOUND = re.compile(r"(?:#|//|--) (?:.*; )?(?:path|undetermined|pattern): ")
KEPT = re.compile(r"(?:#|//|--) (?:.*; )?stopped: |(?:#|//|--) safe\b")
WRONG = re.compile(r"(?:#|//|--) bug: ")

SAME = {"typescript": "javascript", "tsx": "javascript"}
DEPTH = {
    "python": ("Python", "frameworks, databases, permission, secrets, resources"),
    "javascript": ("JavaScript, TypeScript, TSX", "Node.js, browsers, Express and five others; permission, secrets"),
    "java": ("Java", "types and dispatch; servlets, Spring, JDBC, JPA; permission, secrets; resources"),
    "go": ("Go", "net/http, gin, echo, database/sql; permission, secrets; no stores through pointers, nothing that is recovered"),
    "php": ("PHP", "superglobals, PDO, mysqli, Laravel, Symfony; permission of scripts, secrets; computed names are cuts"),
    "c": ("C", "pointers, buffers, fields, formats, out-parameters, jumps; the C library, POSIX, SQLite, MySQL, PostgreSQL; a pointer to a pointer is one with it, macros and assembler are cuts; memory, files"),
    "cpp": ("C++", "as C, and texts, streams, containers, references, constructors, overriding, lambdas, templates, exceptions; iostream, filesystem, httplib, libpqxx; overloaded operators of classes are not followed"),
    "csharp": ("C#", "types and dispatch, properties, out and ref, tuples, LINQ, async; ASP.NET Core, MVC and forms, ADO.NET, Entity Framework, files, XML; actions by their base class; no markup (`.cshtml`), no patterns as tests"),
    "ruby": ("Ruby", "texts, blocks, fields, tests; Rails, ActiveRecord, Sinatra, the standard library; no templates, no state between actions"),
    "kotlin": ("Kotlin", "Java's rows; templates, scope functions, data classes; Ktor, Android, OkHttp"),
    "rust": ("Rust", "texts of macros, wrappers, patterns, structures, closures; actix-web, axum, Rocket, sqlx, rusqlite, diesel, reqwest; other macros are leaves, code of other languages is a cut"),
}  # fmt: skip
"""Language -> its name here, and what is beyond the counts: what is covered, and what is not."""


class Case(NamedTuple):
    """One heading of a file of cases, as far as it is about a language."""

    language: str
    topic: str
    found: int
    kept: int
    wrong: int


def cases() -> Iterator[Case]:
    """All cases; one with code of several languages stands for each in which something is said."""
    for path in sorted(CASES.glob("*.md")):
        head, *sections = path.read_text(encoding="utf-8").split("\n## ")
        topic = head.strip().removeprefix("# ")
        for section in sections:
            texts: dict[str, str] = {}
            for language, text in BLOCK.findall(section):
                name = SAME.get(language, language)
                if name in DEPTH:
                    texts[name] = texts.get(name, "") + text
            counted = [Case(language, topic, *(len(each.findall(text)) for each in (FOUND, KEPT, WRONG)))
                       for language, text in texts.items()]  # fmt: skip
            said = [case for case in counted if case.found or case.kept or case.wrong]
            yield from said or counted[:1]


def depth() -> str:
    """The table of docs/flow.md."""
    lines = [
        "| language | cases | near misses | places found | stopped or safe | known wrong | topics of cases | beyond them |",
        "|---|---|---|---|---|---|---|---|",
    ]
    known = list(cases())
    for language, (name, words) in DEPTH.items():
        mine = [case for case in known if case.language == language]
        near = sum(not case.found for case in mine)
        topics = dict.fromkeys(_short(case.topic) for case in mine)
        lines.append(
            f"| {name} | {len(mine)} | {near} | {sum(case.found for case in mine)} | {sum(case.kept for case in mine)} |"
            f" {sum(case.wrong for case in mine)} | {'; '.join(topics)} | {words} |"
        )
    return "\n".join(lines) + "\n"


def _short(topic: str) -> str:
    """A topic without the language that it is about."""
    first, _, rest = topic.partition(": ")
    about = {word for name, _ in DEPTH.values() for word in re.findall(r"[\w+#]+", name)}
    words = re.findall(r"[\w+#]+", first)
    return rest if rest and words and set(words) <= about else first
