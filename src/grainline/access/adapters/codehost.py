"""The listing of a code host as a policy: who may read a repository there may read it here, whole.

The file is JSON in the shape of the hosts' own listings; fields that are not named here are
ignored, for a listing has dozens.

    {"repositories": [REPOSITORY...], "teams": [TEAM...]}       or a bare list of repositories

    REPOSITORY  name, path or full_name, path_with_namespace (the last component is the label here;
                "label" says otherwise); private or visibility; collaborators or members: PERSON...;
                teams or shared_with_groups: GRANT...
    TEAM        slug, full_path or name; members: PERSON...
    GRANT       slug, full_path, group_full_path or name; permission or group_access_level
    PERSON      login or username; permissions, permission, role_name or access_level

GitHub's permissions read from `pull` (`read`) on, GitLab's levels from 20 (Reporter) on: below it a
member of a private project sees no code. A permission of another name is refused, one that is
missing too. Groups: `team:NAME`, `user:LOGIN`; a repository that is public or internal is open to
`@everyone`: all people of the file. Someone whom the file does not name reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from grainline.access.adapters.base import Source
from grainline.access.jsontext import Document, Node
from grainline.access.policy import make_policy
from grainline.errors import BadInput
from grainline.model.access import AccessRule, Policy

EVERYONE = "@everyone"
READS = frozenset({"pull", "read", "triage", "push", "write", "maintain", "admin"})
READS_NOT = frozenset({"none", "no_access", "minimal_access"})
REPORTER = 20  # GitLab: the first level that sees code of a private project
OPEN = frozenset({"public", "internal"})


class CodeHost:
    """Reads repositories with teams and people."""

    name = "codehost"
    description = "a code host's listing of repositories with teams and people (JSON)"

    def read(self, source: Source) -> Policy:
        """One rule for each repository: everything in it."""
        if source.repository or source.users:
            what = "the listing names repositories and people itself"
            raise BadInput(
                "bad_option", what, subject=source.name, hint="leave --for and --users away"
            )
        return _Listing(Document(source.data, source.name)).policy()


class _Listing:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._people: dict[str, set[str]] = {}

    def policy(self) -> Policy:
        root = self._document.root
        if isinstance(root.value, list):
            repositories, teams = root.value, []
        else:
            repositories = self._list(self._required(root, "repositories"))
            teams = self._list(self._field(root, "teams"))
        for team in teams:
            group = f"team:{self._text(team, 'full_path', 'slug', 'name')}"
            for person in self._list(self._field(team, "members")):
                self._person(person).add(group)
        rules: dict[str, tuple[str, ...]] = {}
        for repository in repositories:
            label = self._label(repository)
            if label in rules:
                raise self._document.error(
                    repository, f"two repositories are called {label!r}", 'give one a "label"'
                )
            rules[label] = tuple(sorted(set(self._readers(repository))))
        return make_policy(
            ((name, (*groups, EVERYONE)) for name, groups in self._people.items()),
            (
                AccessRule(repository=label, prefix=b"", groups=groups)
                for label, groups in rules.items()
            ),
        )

    def _label(self, repository: Node) -> str:
        given = self._field(repository, "label")
        if given is not None:
            return self._string(given)
        names = ("full_name", "path_with_namespace", "path", "name")
        return self._text(repository, *names).rpartition("/")[2]

    def _readers(self, repository: Node) -> Iterator[str]:
        if self._is_open(repository):
            yield EVERYONE
        for person in self._lists(repository, "collaborators", "members"):
            groups = self._person(person)
            if self._reads(person):
                own = f"user:{self._text(person, 'login', 'username')}"
                groups.add(own)
                yield own
        for grant in self._lists(repository, "teams", "shared_with_groups"):
            if self._reads(grant):
                yield f"team:{self._text(grant, 'full_path', 'group_full_path', 'slug', 'name')}"

    def _is_open(self, repository: Node) -> bool:
        visibility = self._field(repository, "visibility")
        if visibility is not None:
            word = self._string(visibility)
            if word not in OPEN | {"private"}:
                raise self._document.error(
                    visibility, f"{word!r} is no visibility", "public, internal or private"
                )
            return word in OPEN
        private = self._field(repository, "private")
        if private is not None and not isinstance(private.value, bool):
            raise self._document.error(private, "'private' is true or false")
        return private is not None and private.value is False

    def _reads(self, node: Node) -> bool:
        level = self._field(node, "access_level", "group_access_level")
        if level is not None:
            if isinstance(level.value, bool) or not isinstance(level.value, int):
                raise self._document.error(level, "an access level is a whole number")
            return level.value >= REPORTER
        flags = self._field(node, "permissions")
        if flags is not None and isinstance(flags.value, dict):
            pull = self._field(flags, "pull")
            if pull is None or not isinstance(pull.value, bool):
                raise self._document.error(flags, "'permissions' do not tell 'pull'")
            return pull.value
        named = self._field(node, "permission", "role_name")
        if named is None:
            what = "no permission is given"
            raise self._document.error(node, what, "permission, permissions or access_level")
        word = self._string(named)
        if word not in READS | READS_NOT:
            known = ", ".join(sorted(READS | READS_NOT))
            raise self._document.error(named, f"{word!r} is no known permission", f"known: {known}")
        return word in READS

    def _person(self, node: Node) -> set[str]:
        """The groups of a person, to add to."""
        return self._people.setdefault(self._text(node, "login", "username"), set())

    # ------------------------------------------------------------------ fields

    def _field(self, node: Node, *names: str) -> Node | None:
        """The first of `names` that an object has."""
        if not isinstance(node.value, dict):
            raise self._document.error(node, "an object is expected here", "in { }")
        for name in names:
            if name in node.value and node.value[name][1].value is not None:
                return node.value[name][1]
        return None

    def _required(self, node: Node, *names: str) -> Node:
        found = self._field(node, *names)
        if found is None:
            raise self._document.error(node, f"{' or '.join(map(repr, names))} is missing")
        return found

    def _text(self, node: Node, *names: str) -> str:
        return self._string(self._required(node, *names))

    def _string(self, node: Node) -> str:
        if not isinstance(node.value, str) or not node.value or not node.value.isprintable():
            raise self._document.error(node, "a name is text of printable characters")
        return node.value

    def _list(self, node: Node | None) -> list[Node]:
        if node is None:
            return []
        if not isinstance(node.value, list):
            raise self._document.error(node, "a list is expected here", "in [ ]")
        return node.value

    def _lists(self, node: Node, *names: str) -> list[Node]:
        return [each for name in names for each in self._list(self._field(node, name))]


ADAPTER = CodeHost()
