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
missing too, and so are two of one entry that contradict each other. Groups: `team:NAME`, `user:LOGIN`; a repository that is public or internal is open to
`@everyone`: all people of the file. Someone whom the file does not name reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from grainline.access.adapters.base import Source
from grainline.access.jsontext import Document, Node
from grainline.access.policy import MAX_NAME, is_name, make_policy
from grainline.errors import BadInput
from grainline.model.access import AccessRule, Policy

EVERYONE = "@everyone"
READS = frozenset({"pull", "read", "triage", "push", "write", "maintain", "admin"})
READS_NOT = frozenset({"none", "no_access", "minimal_access"})
REPORTER = 20  # GitLab: the first level that sees code of a private project
OPEN = frozenset({"public", "internal"})
FLAGS = ("pull", "triage", "push", "maintain", "admin")
KNOWN = ", ".join(sorted(READS | READS_NOT))
CONTRADICTIONS = (("public", True), ("private", False))
"""(visibility, `private`): GitHub calls internal repositories private too."""


class CodeHost:
    """Reads repositories with teams and people."""

    name = "codehost"
    every_repository = False
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
        node = self._required(repository, *names)
        label = self._string(node).rpartition("/")[2]
        if not is_name(label):
            what = f"{label[:MAX_NAME]!r}, the last component, names no repository"
            raise self._document.error(node, what, 'give the repository a "label"')
        return label

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
        word = "" if visibility is None else self._string(visibility)
        if visibility is not None and word not in OPEN | {"private"}:
            raise self._document.error(
                visibility, f"{word!r} is no visibility", "public, internal or private"
            )
        private = self._field(repository, "private")
        if private is not None and not isinstance(private.value, bool):
            raise self._document.error(private, "'private' is true or false")
        if private is not None and (word, private.value) in CONTRADICTIONS:
            what = f"'private' contradicts the visibility {word!r}"
            raise self._document.error(private, what, "correct the listing")
        return word in OPEN if word else private is not None and private.value is False

    def _reads(self, node: Node) -> bool:
        """Whether every field that tells a permission tells one that reads.

        Raises:
            BadInput: none tells, or two contradict each other.
        """
        told = [(at, reads) for at, reads in self._permissions(node) if reads is not None]
        if not told:
            what = "no permission is given"
            raise self._document.error(node, what, "permission, permissions or access_level")
        for at, reads in told[1:]:
            if reads is not told[0][1]:
                what = "this permission contradicts another one of the same entry"
                raise self._document.error(at, what, "correct the listing")
        return told[0][1]

    def _permissions(self, node: Node) -> Iterator[tuple[Node, bool | None]]:
        """(where, whether it reads) of each field that tells."""
        for name in ("access_level", "group_access_level"):
            level = self._field(node, name)
            if level is not None:
                if isinstance(level.value, bool) or not isinstance(level.value, int):
                    raise self._document.error(level, "an access level is a whole number")
                yield level, level.value >= REPORTER
        flags = self._field(node, "permissions")
        if flags is not None:
            yield flags, self._pulls(flags)
        for name in ("permission", "role_name"):
            named = self._field(node, name)
            if named is not None:
                yield named, self._named(named, own=name == "role_name" and flags is not None)

    def _pulls(self, flags: Node) -> bool:
        """What the object `permissions` says; a stronger permission without `pull` is none."""
        if not isinstance(flags.value, dict):
            raise self._document.error(flags, "'permissions' are an object of true and false")
        told: dict[str, bool] = {}
        for name in FLAGS:
            field = self._field(flags, name)
            if field is not None:
                if not isinstance(field.value, bool):
                    raise self._document.error(field, f"{name!r} is true or false")
                told[name] = field.value
        if "pull" not in told:
            raise self._document.error(flags, "'permissions' do not tell 'pull'")
        if any(told.values()) and not told["pull"]:
            what = "'permissions' contradict themselves: a stronger one than 'pull', and not 'pull'"
            raise self._document.error(flags, what, "correct the listing")
        return told["pull"]

    def _named(self, named: Node, *, own: bool) -> bool | None:
        """What a permission's name says; None for the name of a role that the host's users made."""
        word = self._string(named)
        if word in READS | READS_NOT:
            return word in READS
        if own:
            return None
        raise self._document.error(named, f"{word!r} is no known permission", f"known: {KNOWN}")

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
        if not isinstance(node.value, str) or not is_name(node.value):
            what = f"a name is text of 1 to {MAX_NAME} printable characters"
            raise self._document.error(node, what)
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
