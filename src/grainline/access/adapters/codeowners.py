r"""A CODEOWNERS file as a policy of reading: who owns a path may read it, and nobody else.

Owners become groups by one rule: an owner is the group of the same spelling (`@org/team`, `@ann`,
`ann@example.org`), and whoever is called NAME belongs to the groups `@NAME` and NAME. Members of
teams stand in the users file, for a CODEOWNERS file does not know them.

The last matching line decides there, the longest prefix here. A line whose pattern is a prefix
therefore takes the place of all earlier lines at or below it, which leaves the same readers for
every path. Patterns that are prefixes:

    *   **   /**                             everything
    /a   /a/   a/b   a/b/   a/**   /a/b/**   a path and everything below it

A slash that is not the last character anchors a pattern; `\ ` and `\#` are a space and a number
sign. One thing is wider here: `/a/` and `/a/**` count for a *file* called `a` too. All others are
refused: names at any depth (`*.js`, `docs/`), one level (`/docs/*`), `?`, `[...]`, `!`, sections.
A line without owners closes its path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grainline.access.adapters.base import Source
from grainline.access.policy import make_policy, normal_prefix
from grainline.errors import BadInput
from grainline.model.access import AccessRule, Policy

MAX_BYTES = 3 << 20  # what GitHub reads
EVERYTHING = ("*", "**", "/**")
_WORD = re.compile(r"(?:\\.|[^\s\\])+")
_OWNER = re.compile(r"@[\w.-]+(?:/[\w./-]+)?|[^@\s]+@[^@\s]+")


class CodeOwners:
    """Reads the lines that are prefixes, refuses the others."""

    name = "codeowners"
    every_repository = False
    description = "a CODEOWNERS file of one repository (--for NAME): owners read, --users FILE"

    def read(self, source: Source) -> Policy:
        """The policy of the repository that `source` names."""
        if not source.repository:
            raise _error(source, 0, "a CODEOWNERS file is about one repository", "add --for NAME")
        lines = [
            (_prefix(source, line, pattern), owners) for line, pattern, owners in _lines(source)
        ]
        rules: dict[bytes, tuple[str, ...]] = {}
        for prefix, owners in reversed(lines):
            if not any(above in rules for above in _upwards(prefix)):
                rules[prefix] = tuple(sorted(set(owners)))
        people = dict(source.users)
        for owner in {owner for owners in rules.values() for owner in owners}:
            if "/" not in owner:
                people.setdefault(owner.removeprefix("@"), ())
        return make_policy(
            ((name, (*groups, f"@{name}", name)) for name, groups in people.items()),
            (
                AccessRule(repository=source.repository, prefix=prefix, groups=owners)
                for prefix, owners in rules.items()
            ),
        )


def _lines(source: Source) -> Iterator[tuple[int, str, list[str]]]:
    """(line, pattern, owners) of every line that says something."""
    if len(source.data) > MAX_BYTES:
        raise _error(source, 0, f"the file is longer than {MAX_BYTES} bytes", "split it")
    for number, raw in enumerate(source.data.split(b"\n"), 1):
        text = raw.decode("utf-8", "surrogateescape").strip()
        if not text or text.startswith("#"):
            continue
        pattern, *words = _WORD.findall(text)
        owners: list[str] = []
        for word in words:
            if word.startswith("#"):
                break
            if not _OWNER.fullmatch(word):
                what = f"{word!r} is no owner"
                raise _error(source, number, what, "owners are @NAME, @ORG/TEAM or an address")
            owners.append(word)
        yield number, pattern, owners


def _prefix(source: Source, line: int, pattern: str) -> bytes:
    if pattern in EVERYTHING:
        return b""
    body = pattern.removesuffix("**") if pattern.endswith("/**") else pattern
    anchored = "/" in pattern.removesuffix("/")
    reason = _inexpressible(body) or ("" if anchored else "means this name in every folder")
    if reason:
        raise _error(source, line, f"{pattern!r} {reason}", "give folders from the top: /src/pay/")
    plain = re.sub(r"\\(.)", r"\1", body).removeprefix("/")
    try:
        return normal_prefix(plain.encode("utf-8", "surrogateescape"))
    except ValueError as error:
        raise _error(source, line, f"{pattern!r} holds {error}", "correct the path") from error


def _inexpressible(body: str) -> str:
    """Why a pattern is no prefix, "" when it is one."""
    bare = re.sub(r"\\[ #]", "_", body)
    if bare.startswith("!"):
        return "takes something back, which CODEOWNERS does not know"
    if bare.startswith(("[", "^[")):
        return "is a section or a range of characters"
    if "\\" in bare:
        return "holds an escape other than of a space or a number sign"
    if re.search(r"[*?\[\]]", bare):
        return "is not a path: it holds a wildcard"
    return ""


def _upwards(prefix: bytes) -> Iterator[bytes]:
    """`prefix` and every folder that holds it, the repository last."""
    while prefix:
        yield prefix
        prefix = prefix.rpartition(b"/")[0]
    yield b""


def _error(source: Source, line: int, what: str, hint: str) -> BadInput:
    subject = f"{source.name}:{line}" if line else source.name
    return BadInput("bad_codeowners", what, subject=subject, hint=hint)


ADAPTER = CodeOwners()
