"""The policy file of an administrator, and who of it reads what. Pure.

    {"users": {"ann": ["team"]}, "paths": [{"repo": "shop", "prefix": "src/pay", "groups": ["team"]}]}

`paths` may also be a map from prefix to groups, valid for every repository. A prefix that is not
UTF-8 is given as `prefix_b64`, or with its bytes as surrogate escapes; one that holds `*` or `?` is
given as `prefix_b64` too, for in a plain prefix they are taken for wildcards, which there are none.
Everything that the file says twice, or that this version does not know, is an error: a rule that is
not read as it was meant opens something.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from grainline.access.jsontext import Document, Node, shown
from grainline.model.access import AccessRule, Policy

MAX_NAME = 200  # characters of a user, a group or a repository
_TOP = ("users", "paths")
_RULE = ("repo", "prefix", "prefix_b64", "groups")
_RULE_LIKE = '{"repo": "shop", "prefix": "src/pay", "groups": ["team"]}'
_LIKE = {
    "the policy": '{"users": {"ann": ["team"]}, "paths": {"src/pay": ["team"]}}',
    "'users'": '{"ann": ["team"]}',
    "'paths'": f'{{"src/pay": ["team"]}}, or a list of rules: [{_RULE_LIKE}]',
    "a rule": _RULE_LIKE,
}
"""What an object of a policy looks like."""

_WILDCARD = re.compile(r"[*?]")  # brackets are none: folders of routes are called `app/[id]`


def parse_policy(data: bytes, source: str) -> Policy:
    """The policy that a file spells; its epoch is 0 until a store takes it.

    Raises:
        BadInput: with line and column: no JSON, an unknown or repeated key, a prefix that is no
            relative path, a rule that stands twice.
    """
    document = Document(data, source)
    top = _object(document, document.root, _TOP, "the policy")
    users = _users(document, top["users"]) if "users" in top else []
    rules = _rules(document, top["paths"]) if "paths" in top else []
    for name in _TOP:
        if name not in top:
            raise document.error(document.root, f"{name!r} is missing", f'add "{name}": {{}}')
    return make_policy(users, rules)


def parse_users(data: bytes, source: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The object `users` of a policy file, alone in a file.

    Raises:
        BadInput: with line and column.
    """
    document = Document(data, source)
    return tuple((name, tuple(groups)) for name, groups in _users(document, document.root))


def make_policy(users: Iterable[tuple[str, Iterable[str]]], rules: Iterable[AccessRule]) -> Policy:
    """A policy of distinct users and rules, in canonical order; its epoch is 0."""
    members = sorted((name, tuple(sorted(set(groups)))) for name, groups in users)
    return Policy(epoch=0, users=tuple(members), rules=tuple(sorted(rules)))


def unparse(policy: Policy) -> dict[str, object]:
    """The object that `parse_policy` reads as `policy`."""
    return {
        "users": {name: list(groups) for name, groups in policy.users},
        "paths": [_unparse_rule(rule) for rule in policy.rules],
    }


def groups_of(policy: Policy, principal: str) -> frozenset[str]:
    """The groups of a principal; none for one that the policy does not know."""
    return frozenset(dict(policy.users).get(principal, ()))


def classes_of(policy: Policy, groups: frozenset[str]) -> frozenset[int]:
    """The access classes that members of `groups` read."""
    return frozenset(
        number for number, readers in enumerate(policy.classes) if not groups.isdisjoint(readers)
    )


class Reader:
    """What members of some groups read, decided path by path: every mask of rows agrees with it."""

    def __init__(self, policy: Policy, groups: frozenset[str]) -> None:
        self._opens = {
            (rule.repository, rule.prefix): not groups.isdisjoint(rule.groups)
            for rule in policy.rules
        }

    def may_read(self, repository: str, path: bytes) -> bool:
        """Whether the rule nearest above `path` opens it; of two, the one of the repository."""
        above = path
        while True:
            for label in (repository, ""):
                if (label, above) in self._opens:
                    return self._opens[label, above]
            if not above:
                return False
            above = above.rpartition(b"/")[0]


def doubts(policy: Policy, repositories: Sequence[str]) -> tuple[str, ...]:
    """What a person probably did not mean, in sentences: the policy is valid all the same."""
    known = set(repositories)
    held = {group for _, groups in policy.users for group in groups}
    named = {group for rule in policy.rules for group in rule.groups}
    missing = sorted({rule.repository for rule in policy.rules} - known - {""})
    return (
        *(
            f"no indexed repository is called {name!r}: its rules do nothing yet"
            for name in missing
        ),
        *(
            f"no user is in group {group!r}: its rules open nothing"
            for group in sorted(named - held)
        ),
        *(f"no rule names group {group!r}: it reads nothing" for group in sorted(held - named)),
    )


def unruled(policy: Policy, repository: str) -> tuple[str, ...]:
    """A sentence about a repository that no rule names, where others have rules of their own."""
    named = {rule.repository for rule in policy.rules}
    if repository in named or named <= {""}:
        return ()
    rest = "its rules for every repository apply" if "" in named else "only the owner reads it"
    return (f"the access policy names no rule for {repository!r}: {rest}",)


def idle(policy: Policy, paths: Mapping[str, Sequence[Sequence[bytes]]]) -> tuple[str, ...]:
    """A sentence for each prefix under which no indexed path of its repository stands.

    Args:
        policy: the rules.
        paths: the sorted paths of every view, by repository.
    """
    everywhere = [view for views in paths.values() for view in views]
    found: list[str] = []
    for rule in policy.rules:
        views = paths.get(rule.repository, ()) if rule.repository else everywhere
        if rule.prefix and views and not any(_holds(view, rule.prefix) for view in views):
            shown = rule.prefix.decode("utf-8", "backslashreplace")
            where = f" of {rule.repository!r}" if rule.repository else ""
            found.append(f"no indexed path{where} is {shown!r} or below it: its rule does nothing")
    return tuple(found)


def _holds(paths: Sequence[bytes], prefix: bytes) -> bool:
    """Whether sorted paths hold `prefix` itself or something below it."""
    at = bisect_left(paths, prefix)
    if at < len(paths) and paths[at] == prefix:
        return True
    at = bisect_left(paths, prefix + b"/")
    return at < len(paths) and paths[at].startswith(prefix + b"/")


# --------------------------------------------------------------------------- names and prefixes


def is_name(text: str) -> bool:
    """Whether a user, a group or a repository can be called so."""
    return 0 < len(text) <= MAX_NAME and text.isprintable() and not text.isspace()


def normal_prefix(prefix: bytes) -> bytes:
    """A prefix as rules hold it: whole components, without the slash at its end.

    Raises:
        ValueError: it is no relative path; the message says why.
    """
    if prefix == b"":
        return prefix
    if prefix.startswith(b"/"):
        raise ValueError("an absolute path; paths are relative to their repository")
    if b"\0" in prefix:
        raise ValueError("a NUL byte, which no path holds")
    parts = prefix.removesuffix(b"/").split(b"/")
    if b"" in parts:
        raise ValueError("an empty component")
    for part in (b".", b".."):
        if part in parts:
            raise ValueError(f"the component {part.decode()!r}, which no indexed path holds")
    return b"/".join(parts)


# --------------------------------------------------------------------------- reading


def _users(document: Document, node: Node) -> list[tuple[str, list[str]]]:
    return [
        (_name(document, key, "a user"), _groups(document, value))
        for key, value in _pairs(document, node, "'users'")
    ]


def _rules(document: Document, node: Node) -> list[AccessRule]:
    if isinstance(node.value, list):
        placed = [_listed_rule(document, each) for each in node.value]
    else:
        placed = [
            (key, _rule(document, "", key, _prefix(document, key), value))
            for key, value in _pairs(document, node, "'paths'")
        ]
    seen: set[tuple[str, bytes]] = set()
    for at, rule in placed:
        if (rule.repository, rule.prefix) in seen:
            where = f" of {rule.repository!r}" if rule.repository else ""
            shown = rule.prefix.decode("utf-8", "backslashreplace")
            raise document.error(at, f"the prefix {shown!r}{where} has a rule already", "join them")
        seen.add((rule.repository, rule.prefix))
    return [rule for _, rule in placed]


def _listed_rule(document: Document, node: Node) -> tuple[Node, AccessRule]:
    fields = _object(document, node, _RULE, "a rule")
    if "groups" not in fields:
        raise document.error(node, "'groups' is missing", "[] closes the path for everyone")
    if ("prefix" in fields) == ("prefix_b64" in fields):
        raise document.error(node, "a rule has either 'prefix' or 'prefix_b64'", '"" is everything')
    repository = _name(document, fields["repo"], "a repository") if "repo" in fields else ""
    if "prefix" in fields:
        at = fields["prefix"]
        prefix = _prefix(document, at)
    else:
        at = fields["prefix_b64"]
        prefix = _prefix_b64(document, at)
    return at, _rule(document, repository, at, prefix, fields["groups"])


def _rule(document: Document, repository: str, at: Node, prefix: bytes, groups: Node) -> AccessRule:
    try:
        normal = normal_prefix(prefix)
    except ValueError as error:
        shown = prefix.decode("utf-8", "backslashreplace")
        raise document.error(
            at, f"the prefix {shown!r} holds {error}", "write it as src/pay"
        ) from error
    return AccessRule(
        repository=repository,
        prefix=normal,
        groups=tuple(sorted(_groups(document, groups))),
    )


def _prefix(document: Document, node: Node) -> bytes:
    text = _string(document, node, "a prefix")
    if wild := _WILDCARD.search(text):
        what = f"the prefix {text!r} holds the wildcard {wild[0]!r}"
        hint = (
            "a prefix covers everything below it: src/pay; prefix_b64 takes its bytes as they are"
        )
        raise document.error(node, what, hint)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise document.error(node, "the prefix holds half a character", "use prefix_b64") from error


def _prefix_b64(document: Document, node: Node) -> bytes:
    try:
        return base64.b64decode(_string(document, node, "prefix_b64"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise document.error(node, "prefix_b64 is no base64", "give the bytes of a path") from error


def _groups(document: Document, node: Node) -> list[str]:
    if not isinstance(node.value, list):
        what = f"groups must be a list of names, here is {shown(node)}"
        raise document.error(node, what, 'write it like ["team"]')
    found: list[str] = []
    for each in node.value:
        name = _name(document, each, "a group")
        if name in found:
            raise document.error(each, f"the group {name!r} stands here again", "once is enough")
        found.append(name)
    return found


def _name(document: Document, node: Node, what: str) -> str:
    name = _string(document, node, what)
    if not is_name(name):
        raise document.error(
            node, f"{name[:MAX_NAME]!r} cannot name {what}", f"1 to {MAX_NAME} printable characters"
        )
    return name


def _string(document: Document, node: Node, what: str) -> str:
    if not isinstance(node.value, str):
        told = f"{what} must be text, here is {shown(node)}"
        raise document.error(node, told, 'write it in "quotes"')
    return node.value


def _pairs(document: Document, node: Node, what: str) -> list[tuple[Node, Node]]:
    if not isinstance(node.value, dict):
        told = f"{what} must be an object, here is {shown(node)}"
        raise document.error(node, told, f"write it like {_LIKE[what]}")
    return list(node.value.values())


def _object(document: Document, node: Node, known: Sequence[str], what: str) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for key, value in _pairs(document, node, what):
        if key.value not in known:
            raise document.error(
                key, f"{key.value!r} is no key of {what}", "known: " + ", ".join(known)
            )
        found[str(key.value)] = value
    return found


def _unparse_rule(rule: AccessRule) -> dict[str, object]:
    fields: dict[str, object] = {"repo": rule.repository} if rule.repository else {}
    try:
        text = rule.prefix.decode("utf-8")
    except UnicodeDecodeError:
        text = "?"
    if _WILDCARD.search(text):
        fields["prefix_b64"] = base64.b64encode(rule.prefix).decode("ascii")
    else:
        fields["prefix"] = text
    return {**fields, "groups": list(rule.groups)}
