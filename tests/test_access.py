"""Who may read what: the policy file, the formats it may come from, the rows that it opens."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grainline.access.adapters.base import ADAPTERS, Source, read_policy
from grainline.access.policy import (
    classes_of,
    doubts,
    groups_of,
    idle,
    make_policy,
    normal_prefix,
    parse_policy,
    unparse,
)
from grainline.engine import Engine
from grainline.errors import BadInput, Damaged
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import AccessRule, Policy
from grainline.model.search import SearchOptions
from grainline.storage import store as stores
from grainline.storage.masks import readable
from grainline.storage.membership import Membership
from grainline.storage.sqlite import open_folder
from grainline.surfaces.cli import main
from grainline.surfaces.mcp.server import Session, answer


def parse(text: str) -> Policy:
    return parse_policy(text.encode("utf-8", "surrogateescape"), "policy.json")


def rule(prefix: bytes, *groups: str, repository: str = "") -> AccessRule:
    return AccessRule(repository=repository, prefix=prefix, groups=tuple(sorted(groups)))


# ------------------------------------------------------------------ the file


def test_a_list_of_rules_and_a_map_of_prefixes_are_the_same_policy() -> None:
    listed = '{"users": {"ann": ["b", "a"]}, "paths": [{"prefix": "src/pay/", "groups": ["a"]}]}'
    mapped = '{"paths": {"src/pay": ["a"]}, "users": {"ann": ["a", "b"]}}'
    assert parse(listed) == parse(mapped)
    assert parse(mapped) == Policy(
        epoch=0, users=(("ann", ("a", "b")),), rules=(rule(b"src/pay", "a"),)
    )


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ('{"users": {},\n "paths": {}, "path": {}}', "2:15", "'path' is no key of the policy"),
        ('{"users": {}}', "1:1", "'paths' is missing"),
        ('{"users": {}, "users": {}}', "1:15", "'users' stands here again"),
        ('{"users": {"a": ["x", "x"]}, "paths": {}}', "1:23", "the group 'x' stands here again"),
        ('{"users": {"a": [], "a": []}, "paths": {}}', "1:21", "'a' stands here again"),
        ('{"users": {},\n\n "paths": {"a/": [], "a": []}}', "3:22", "has a rule already"),
        ('{"users": {}, "paths": {"/a": []}}', "1:25", "an absolute path"),
        ('{"users": {}, "paths": {"a/../b": []}}', "1:25", "the component '..'"),
        ('{"users": {}, "paths": {"./a": []}}', "1:25", "the component '.'"),
        ('{"users": {}, "paths": {"a//b": []}}', "1:25", "an empty component"),
        ('{"users": {}, "paths": {"a//": []}}', "1:25", "an empty component"),
        ('{"users": {}, "paths": {"a\\u0000": []}}', "1:25", "a NUL byte"),
        ('{"users": {}, "paths": {"\\ud800": []}}', "1:25", "half a character"),
        ('{"users": {},\n "paths": {"src/pay/*": []}}', "2:12", "the wildcard '*'"),
        ('{"users": {}, "paths": [{"prefix": "a/?b", "groups": []}]}', "1:36", "the wildcard '?'"),
        ('{"users": {}, "paths": {"**/*.pem": []}}', "1:25", "the wildcard '*'"),
        ('{"users": {}, "paths": [{"prefix": ""}]}', "1:25", "'groups' is missing"),
        ('{"users": {}, "paths": [{"groups": []}]}', "1:25", "either 'prefix' or 'prefix_b64'"),
        (
            '{"users": {}, "paths": [{"repo": "", "prefix": "", "groups": []}]}',
            "1:34",
            "cannot name",
        ),
        ('{"users": {}, "paths": [{"prefix_b64": "!", "groups": []}]}', "1:40", "no base64"),
        ('{"users": {"a": "x"}, "paths": {}}', "1:17", 'a list of names, here is "x"'),
        ('{"users": {"a": [1]}, "paths": {}}', "1:18", "must be text, here is 1"),
        ('{"users": {"a\\u202e": []}, "paths": {}}', "1:12", "cannot name a user"),
        (
            '{"users": [], "paths": {}}',
            "1:11",
            "'users' must be an object, here is a list that is empty",
        ),
        ('{"users":3}', "1:10", "'users' must be an object, here is 3"),
        ('{"users": {}, "paths": null}', "1:24", "'paths' must be an object, here is null"),
        ('{"users": {}, "paths": ["src"]}', "1:25", 'a rule must be an object, here is "src"'),
        ("3", "1:1", "the policy must be an object, here is 3"),
        ('{"users": {}, "paths": {},}', "1:27", "'}' stands where a key"),
        ('{"users": {}, "paths": {}} {', "1:28", "behind the end"),
        ('{"users": {}, "paths": {"a": [team]}}', "1:31", "'team' is no value"),
        ("", "1:1", "the end of the file"),
        ("[" * 100, "1:65", "nested deeper"),
    ],
)
def test_an_error_names_its_line_and_column(text: str, place: str, what: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(text)
    assert caught.value.subject == f"policy.json:{place}"
    assert what in caught.value.message


def test_a_file_that_is_too_long_or_no_text_is_refused() -> None:
    with pytest.raises(BadInput, match="allowed are"):
        parse_policy(b" " * (5 << 20), "policy.json")
    with pytest.raises(BadInput, match="byte 1 is not UTF-8"):
        parse_policy(b"{\xff}", "policy.json")


def test_a_prefix_that_is_not_utf8_comes_as_base64_or_as_escapes() -> None:
    escaped = parse('{"users": {}, "paths": {"caf\\udce9/": []}}')
    encoded = parse('{"users": {}, "paths": [{"prefix_b64": "Y2Fm6Q==", "groups": []}]}')
    assert escaped == encoded
    assert escaped.rules == (rule(b"caf\xe9"),)
    assert unparse(escaped)["paths"] == [{"prefix_b64": "Y2Fm6Q==", "groups": []}]


def test_brackets_are_no_wildcard_and_base64_is_taken_as_it_is() -> None:
    assert parse('{"users": {}, "paths": {"app/[id]": []}}').rules == (rule(b"app/[id]"),)
    encoded = parse('{"users": {}, "paths": [{"prefix_b64": "YS8q", "groups": []}]}')
    assert encoded.rules == (rule(b"a/*"),)
    assert unparse(encoded)["paths"] == [{"prefix_b64": "YS8q", "groups": []}]


NAMES = st.text("abcä:@/", min_size=1, max_size=4)
PARTS = st.sampled_from([b"a", b"b", b"ab", b"a b", b"\xe9", b"...", b"*", b"[id]"])
PREFIXES = st.lists(PARTS, max_size=3).map(b"/".join)
RULES = st.builds(
    AccessRule,
    repository=st.sampled_from(["", "one", "two"]),
    prefix=PREFIXES,
    groups=st.frozensets(st.sampled_from("xyz"), max_size=2).map(lambda each: tuple(sorted(each))),
)
POLICIES = st.builds(
    make_policy,
    st.dictionaries(NAMES, st.frozensets(NAMES, max_size=3), max_size=3).map(lambda d: d.items()),
    st.lists(RULES, max_size=8, unique_by=lambda each: (each.repository, each.prefix)),
)


@given(POLICIES)
def test_what_is_shown_can_be_set_again(policy: Policy) -> None:
    assert parse_policy(json.dumps(unparse(policy)).encode(), "shown") == policy


@given(st.binary(max_size=12))
def test_a_normal_prefix_stays_as_it_is(prefix: bytes) -> None:
    try:
        normal = normal_prefix(prefix)
    except ValueError:
        return
    assert normal_prefix(normal) == normal
    assert normal_prefix(normal + b"/" if normal else normal) == normal


def test_a_principal_that_the_policy_does_not_know_has_no_groups() -> None:
    policy = parse('{"users": {"ann": ["x"]}, "paths": {"": ["x"], "a": ["y", "x"], "b": []}}')
    assert policy.classes == ((), ("x",), ("x", "y"))
    assert classes_of(policy, groups_of(policy, "ann")) == {1, 2}
    assert classes_of(policy, groups_of(policy, "eve")) == frozenset()


def test_what_was_probably_not_meant_is_said() -> None:
    policy = make_policy([("ann", ["x", "lonely"])], [rule(b"", "x", "ghosts", repository="shp")])
    assert doubts(policy, ["shop"]) == (
        "no indexed repository is called 'shp': its rules do nothing yet",
        "no user is in group 'ghosts': its rules open nothing",
        "no rule names group 'lonely': it reads nothing",
    )


def test_a_prefix_without_any_indexed_path_is_said() -> None:
    rules = [
        rule(b"src/pay", repository="shop"),
        rule(b"src/pya", repository="shop"),
        rule(b"top.py", repository="shop"),
        rule(b"src", repository="site"),
        rule(b"src", repository="later"),
        rule(b"src"),
        rule(b"sr"),
        rule(b""),
    ]
    paths = {"shop": [[b"src/pay/a.py", b"top.py"], [b"other.py"]], "site": [[b"src.py"]]}
    assert idle(make_policy([], rules), paths) == (
        "no indexed path is 'sr' or below it: its rule does nothing",
        "no indexed path of 'shop' is 'src/pya' or below it: its rule does nothing",
        "no indexed path of 'site' is 'src' or below it: its rule does nothing",
    )
    assert idle(make_policy([], rules), {}) == ()


# ------------------------------------------------------------------ rows


def deciding(policy: Policy, repository: str, path: bytes) -> AccessRule | None:
    """The longest rule above a path; the one that names the repository, of two."""
    held = [
        each
        for each in policy.rules
        if each.repository in ("", repository)
        and (not each.prefix or path == each.prefix or path.startswith(each.prefix + b"/"))
    ]
    return max(held, key=lambda each: (len(each.prefix), each.repository != ""), default=None)


@given(POLICIES, st.sets(PREFIXES.filter(bool), max_size=12), st.frozensets(st.sampled_from("xyz")))
def test_the_rows_that_a_principal_reads_are_those_of_a_brute_search(
    policy: Policy, paths: set[bytes], groups: frozenset[str]
) -> None:
    rows = sorted(paths)
    for repository in ("one", "two", "three"):
        found = readable(policy, classes_of(policy, groups), repository, rows)
        rules = [deciding(policy, repository, path) for path in rows]
        assert found.tolist() == [
            each is not None and not groups.isdisjoint(each.groups) for each in rules
        ]


# ------------------------------------------------------------------ CODEOWNERS


def codeowners(text: str, **more: object) -> Policy:
    source = Source(name="CODEOWNERS", data=text.encode(), repository="shop", **more)  # type: ignore[arg-type]
    return ADAPTERS.get("codeowners").read(source)


def test_owners_are_groups_and_the_last_line_wins() -> None:
    policy = codeowners(
        "# who\n\n/src/pay/ @org/pay # since spring\n* @org/all ann@example.org\n"
        "/src/pay/** @org/pay @bob\n/src/pay/my\\ file \n/secret\n",
        users=(("cleo", ("@org/pay",)),),
    )
    assert policy.rules == (
        rule(b"", "@org/all", "ann@example.org", repository="shop"),
        rule(b"secret", repository="shop"),
        rule(b"src/pay", "@bob", "@org/pay", repository="shop"),
        rule(b"src/pay/my file", repository="shop"),
    )
    assert dict(policy.users) == {
        "ann@example.org": ("@ann@example.org", "ann@example.org"),
        "bob": ("@bob", "bob"),
        "cleo": ("@cleo", "@org/pay", "cleo"),
    }


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("*.js @a", "wildcard"),
        ("docs/ @a", "in every folder"),
        ("docs @a", "in every folder"),
        ("/docs/* @a", "wildcard"),
        ("**/logs @a", "wildcard"),
        ("/a/?b @a", "wildcard"),
        ("/a/[bc] @a", "wildcard"),
        ("!/a/b @a", "takes something back"),
        ("[Section] @a", "section"),
        ("/a/../b @a", "the component '..'"),
        ("/a\\*b @a", "an escape"),
        ("/a/b team", "is no owner"),
    ],
)
def test_what_is_no_prefix_is_refused_with_its_line(line: str, what: str) -> None:
    with pytest.raises(BadInput, match=r"^error\[bad_codeowners\] CODEOWNERS:3: ") as caught:
        codeowners(f"* @x\n\n{line}\n/z @y\n")
    assert what in caught.value.message


LINES = st.lists(
    st.tuples(
        st.lists(st.sampled_from("ab"), min_size=1, max_size=3),
        st.sampled_from(["", "/", "/**"]),
        st.sampled_from(["@x", "@y", ""]),
    ),
    max_size=8,
)


@given(LINES, st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join))
def test_every_path_has_the_readers_of_the_last_line_that_matches_it(
    lines: list[tuple[list[str], str, str]], path: str
) -> None:
    text = "".join(f"/{'/'.join(parts)}{end} {owner}\n" for parts, end, owner in lines)
    last = ""
    for parts, _, owner in lines:
        if f"{path}/".startswith("/".join(parts) + "/"):
            last = owner
    found = deciding(codeowners(text), "shop", path.encode())
    assert (found.groups if found else ()) == ((last,) if last else ())


def test_a_codeowners_file_is_about_one_repository() -> None:
    with pytest.raises(BadInput, match="add --for NAME"):
        ADAPTERS.get("codeowners").read(Source(name="CODEOWNERS", data=b"* @a\n"))


def test_a_byte_order_mark_is_no_part_of_a_file() -> None:
    mark = b"\xef\xbb\xbf"
    owners = b"/src/pay/ @a\n"
    listing = b'[{"name": "shop", "private": false}]'
    policy = b'{"users": {}, "paths": {"a": []}}'
    for name, data, repository in (
        ("codeowners", owners, "shop"),
        ("codehost", listing, ""),
        ("policy", policy, ""),
    ):
        read = ADAPTERS.get(name).read
        marked = read(Source(name="f", data=mark + data, repository=repository))
        assert marked == read(Source(name="f", data=data, repository=repository))
    assert codeowners("\ufeff/src/pay/ @a\n").rules == (rule(b"src/pay", "@a", repository="shop"),)
    assert parse_policy(mark + policy, "f") == parse_policy(policy, "f")


# ------------------------------------------------------------------ code hosts


def codehost(value: object) -> Policy:
    return ADAPTERS.get("codehost").read(
        Source(name="repos.json", data=json.dumps(value, indent=1).encode())
    )


def test_readers_of_a_repository_there_read_it_here() -> None:
    policy = codehost(
        {
            "repositories": [
                {
                    "full_name": "org/shop",
                    "private": True,
                    "stargazers_count": 3,
                    "teams": [
                        {"slug": "pay", "permission": "push"},
                        {"slug": "gone", "permission": "none"},
                    ],
                    "collaborators": [
                        {"login": "ann", "permissions": {"pull": True, "push": False}},
                        {"login": "bob", "permissions": {"pull": False}},
                    ],
                },
                {"full_name": "org/site", "private": False},
            ],
            "teams": [{"slug": "pay", "members": [{"login": "cleo"}]}],
        }
    )
    assert policy.rules == (
        rule(b"", "team:pay", "user:ann", repository="shop"),
        rule(b"", "@everyone", repository="site"),
    )
    assert dict(policy.users) == {
        "ann": ("@everyone", "user:ann"),
        "bob": ("@everyone",),
        "cleo": ("@everyone", "team:pay"),
    }


def test_a_guest_of_a_private_project_sees_no_code() -> None:
    people = [{"username": "guest", "access_level": 10}, {"username": "dev", "access_level": 30}]
    groups = [{"group_full_path": "org/pay", "group_access_level": 20}]
    policy = codehost(
        [
            {
                "path_with_namespace": "org/shop",
                "visibility": "private",
                "members": people,
                "shared_with_groups": groups,
            }
        ]
    )
    assert policy.rules == (rule(b"", "team:org/pay", "user:dev", repository="shop"),)


@pytest.mark.parametrize(
    ("repository", "what"),
    [
        ({"name": "a", "teams": [{"slug": "t", "permission": "peek"}]}, "'peek' is no known"),
        ({"name": "a", "teams": [{"slug": "t"}]}, "no permission is given"),
        ({"name": "a", "members": [{"username": "u", "access_level": True}]}, "whole number"),
        ({"name": "a", "visibility": "secret"}, "no visibility"),
        ({"private": True}, "is missing"),
        ({"full_name": "acme/"}, "names no repository"),
        ({"path_with_namespace": "org/ "}, "names no repository"),
        ({"name": "x/" + "y" * 201}, "a name is text of 1 to 200"),
        ({"name": "a", "label": ""}, "a name is text of 1 to 200"),
        ({"name": "a", "label": "a\u202e"}, "a name is text of 1 to 200"),
        (
            {"name": "a", "members": [{"login": "u", "access_level": 20, "permission": "none"}]},
            "contradicts another one",
        ),
        (
            {
                "name": "a",
                "members": [{"login": "u", "access_level": 20, "group_access_level": 10}],
            },
            "contradicts another one",
        ),
        (
            {
                "name": "a",
                "teams": [{"slug": "t", "permissions": {"pull": True}, "permission": "none"}],
            },
            "contradicts another one",
        ),
        (
            {
                "name": "a",
                "teams": [{"slug": "t", "permissions": {"pull": True}, "permission": "peek"}],
            },
            "'peek' is no known",
        ),
        (
            {"name": "a", "teams": [{"slug": "t", "permissions": "pull", "permission": "pull"}]},
            "'permissions' are an object",
        ),
        (
            {"name": "a", "teams": [{"slug": "t", "permissions": ["pull"]}]},
            "'permissions' are an object",
        ),
        (
            {"name": "a", "teams": [{"slug": "t", "permissions": {"pull": False, "admin": True}}]},
            "contradict themselves",
        ),
        ({"name": "a", "visibility": "private", "private": False}, "contradicts the visibility"),
        ({"name": "a", "visibility": "public", "private": True}, "contradicts the visibility"),
        ({"name": "x/b"}, "two repositories are called 'b'"),
    ],
)
def test_a_listing_that_does_not_say_who_reads_is_refused(
    repository: dict[str, object], what: str
) -> None:
    with pytest.raises(BadInput) as caught:
        codehost([{"name": "b", "private": True}, repository])
    assert what in caught.value.message
    assert caught.value.subject.startswith("repos.json:")


def test_a_role_of_the_hosts_users_reads_as_its_permissions_say() -> None:
    person = {"login": "ann", "role_name": "auditors", "permissions": {"pull": True}}
    policy = codehost(
        [{"name": "a", "visibility": "internal", "private": True, "members": [person]}]
    )
    assert policy.rules == (rule(b"", "@everyone", "user:ann", repository="a"),)


@pytest.mark.parametrize("name", ADAPTERS.names())
@pytest.mark.parametrize("repository", ["", " ", "a\n", "\u200b", "x" * 201])
def test_no_format_makes_a_rule_for_a_repository_without_a_name(name: str, repository: str) -> None:
    adapter = ADAPTERS.get(name)

    class Faulty:
        every_repository = adapter.every_repository
        description = ""

        def __init__(self) -> None:
            self.name = name

        def read(self, source: Source) -> Policy:
            return make_policy([], [rule(b"", "staff", repository=repository)])

    if name == "policy" and not repository:  # the one format that says so in so many words
        read_policy(Faulty(), Source(name="f", data=b""))
        return
    with pytest.raises(BadInput, match="made a rule for a repository"):
        read_policy(Faulty(), Source(name="f", data=b""))


# ------------------------------------------------------------------ a home with a policy


Cli = Callable[..., tuple[int, str, str]]
POLICY: dict[str, object] = {
    "users": {"ann": ["staff", "pay"], "bob": ["staff"], "eve": []},
    "paths": [
        {"prefix": "", "groups": ["staff"]},
        {"repo": "shop", "prefix": "src/pay", "groups": ["pay"]},
    ],
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Two repositories; `src/pay` of the first one is for `pay` alone."""
    for name, text in {
        "shop/src/pay/charge.py": "def charge(order):\n    return gateway.send(order)\n",
        "shop/src/shop.py": "def shop(order):\n    return charge(order)\n",
        "shop/.gitignore": "*.log\n",
        "site/index.py": "def page():\n    return charge('page')\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def home(shop: Path) -> Path:
    """Both indexed; no policy yet."""
    engine = Engine.open(str(shop / "home"))
    for name in ("shop", "site"):
        engine.index(str(shop / name), options=IndexOptions(workers=0))
    engine.close()
    return shop / "home"


@pytest.fixture
def cli(home: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = main.run([*arguments, "--home", str(home)])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def write(folder: Path, value: object) -> str:
    (folder / "policy.json").write_text(json.dumps(value))
    return str(folder / "policy.json")


def test_without_a_policy_everyone_is_the_owner_and_nobody_has_a_name(cli: Cli) -> None:
    assert "no policy" in cli("access", "show")[1]
    assert "src/pay/charge.py" in cli("search", "charge")[1]
    code, _, err = cli("search", "charge", "--as", "ann")
    assert code == 2
    assert "has no access policy" in err
    assert cli("access", "audit", "--as", "ann")[0] == 2


def test_a_policy_decides_what_each_verb_answers(cli: Cli, shop: Path) -> None:
    code, out, err = cli("access", "set", write(shop, POLICY))
    assert (code, err) == (0, "")
    assert out.startswith("policy 1: 3 users, 2 rules\n")
    assert "src/pay/charge.py" in cli("search", "charge")[1]
    assert "src/pay/charge.py" in cli("search", "charge", "--as", "ann")[1]
    for asked in (
        ("search", "charge gateway"),
        ("context", "charge gateway"),
        ("status", "--paths"),
        ("outline", "src/shop.py"),
        ("show", "shop"),
    ):
        code, out, _ = cli(*asked, "--as", "bob", "--json")
        assert code == 0
        assert "src/pay" not in out
        assert "gateway.send" not in out


@pytest.mark.parametrize(
    ("verb", "forbidden", "absent"),
    [
        ("outline", "src/pay/charge.py", "src/pay/chargx.py"),
        ("show", "src/pay/charge.py:1", "src/pay/chargx.py:1"),
        ("show", "charge", "chargx"),
        ("read", "src/pay/charge.py:1-2@worktree:{blob}", "src/pay/chargx.py:1-2@worktree:{blob}"),
        ("why", "src/pay/charge.py", "src/pay/chargx.py"),
        ("why", "src/pay/charge.log", "src/pay/chargx.log"),
        ("why", "shop.log", "shop.lox"),
    ],
)
def test_absent_and_forbidden_are_the_same_word_for_word(
    cli: Cli, shop: Path, verb: str, forbidden: str, absent: str
) -> None:
    (shop / "shop/src/pay/charge.log").write_text("x\n")
    (shop / "shop/shop.log").write_text("x\n")
    blob = json.loads(cli("search", "gateway", "--json")[1])["results"][0]["blob"][:12]
    cli("access", "set", write(shop, POLICY))
    said = [
        cli(verb, each.format(blob=blob), "--as", "bob", "--repo", "shop")
        for each in (forbidden, absent)
    ]
    for old, new in (("chargx", "charge"), ("lox", "log")):
        said = [(code, out.replace(old, new), err.replace(old, new)) for code, out, err in said]
    assert said[0] == said[1]


def test_a_repository_that_may_not_be_read_does_not_exist(cli: Cli, shop: Path) -> None:
    rules = [{"repo": "site", "prefix": "", "groups": ["staff"]}]
    cli("access", "set", write(shop, {"users": {"bob": ["staff"]}, "paths": rules}))
    forbidden = cli("search", "charge", "--as", "bob", "--repo", "shop")
    absent = cli("search", "charge", "--as", "bob", "--repo", "shxp")
    assert forbidden[2] == absent[2].replace("shxp", "shop")
    assert "indexed: 'site'" in forbidden[2]


def test_who_may_read_nothing_asks_an_empty_home(cli: Cli, shop: Path) -> None:
    cli("access", "set", write(shop, POLICY))
    engine = Engine.open(str(shop / "empty"))
    engine.set_policy(parse_policy(json.dumps(POLICY).encode(), "p"))
    for name in ("eve", "stranger"):
        with pytest.raises(BadInput, match="that this principal may read") as empty:
            engine.scope(principal=name)
        for asked in (("search", "charge"), ("status",), ("why", "x"), ("read", "a:1-2@ffff")):
            assert cli(*asked, "--as", name) == (2, "", f"{empty.value}\n")
        assert cli("access", "audit", "--as", name)[0] == 0


def test_a_revoked_right_is_gone_with_the_next_request_of_a_running_engine(home: Path) -> None:
    running = Engine.open(str(home))
    other = Engine.open(str(home))
    other.set_policy(parse_policy(json.dumps(POLICY).encode(), "p"))
    before = running.scope(principal="ann")
    assert len(running.search("gateway", scope=before).hits) == 1
    cursor = running.search("charge", scope=before, options=SearchOptions(k=1)).cursor
    less = {**POLICY, "users": {"ann": ["staff"]}}
    other.set_policy(parse_policy(json.dumps(less).encode(), "p"))
    with pytest.raises(BadInput, match="the access policy changed"):
        running.search("gateway", scope=before)
    after = running.scope(principal="ann")
    assert running.search("gateway", scope=after).hits == ()
    with pytest.raises(BadInput, match="belongs to another"):
        running.search("charge", scope=after, options=SearchOptions(k=1, cursor=cursor))
    other.set_policy(None)
    with pytest.raises(BadInput, match="the access policy changed"):
        running.search("gateway", scope=after)


def test_a_policy_edit_writes_no_postings(home: Path) -> None:
    engine = Engine.open(str(home))
    parts = sorted((each.name, each.stat().st_mtime_ns) for each in (home / "parts").iterdir())
    dump = list(engine.dump())
    engine.set_policy(parse_policy(json.dumps(POLICY).encode(), "p"))
    assert list(engine.dump()) == dump
    assert parts == sorted(
        (each.name, each.stat().st_mtime_ns) for each in (home / "parts").iterdir()
    )


def test_what_is_shown_is_a_file_for_set(cli: Cli, shop: Path) -> None:
    cli("access", "set", write(shop, POLICY))
    shown = json.loads(cli("access", "show", "--json")[1])
    code, out, _ = cli("access", "set", write(shop, shown["policy"]), "--json")
    assert code == 0
    assert json.loads(out)["policy"] == shown["policy"]
    assert json.loads(out)["epoch"] == shown["epoch"] + 1
    cli("access", "clear")
    assert json.loads(cli("access", "show", "--json")[1])["policy"] is None


def test_a_repository_that_rules_name_is_not_renamed(cli: Cli, shop: Path) -> None:
    cli("access", "set", write(shop, POLICY))
    code, _, err = cli("index", str(shop / "shop"), "--name", "store")
    assert code == 3
    assert "error[name_in_policy]" in err
    assert "change the policy first" in err
    assert "src/pay" not in cli("search", "charge", "--as", "bob")[1]
    assert cli("index", str(shop / "shop"), "--name", "shop")[0] == 0
    assert cli("index", str(shop / "site"), "--name", "page")[0] == 0
    paths = [{"repo": "store", "prefix": "src/pay", "groups": ["pay"]}]
    cli("access", "set", write(shop, {**POLICY, "paths": paths}))
    assert cli("index", str(shop / "shop"), "--name", "store")[0] == 0
    assert "src/pay" not in cli("search", "charge", "--as", "bob")[1]
    assert "src/pay" in cli("search", "charge", "--as", "ann")[1]


def test_indexing_says_that_no_rule_names_a_repository(cli: Cli, shop: Path) -> None:
    def warnings(*arguments: str) -> str:
        report = json.loads(cli("index", *arguments, "--json")[1])
        return " ".join(line for line in report["warnings"] if "policy" in line)

    copy = shop / "copies" / "shop"
    (copy / "src/pay").mkdir(parents=True)
    (copy / "src/pay/refund.py").write_text("def refund(): ...\n")
    assert warnings(str(copy), "--name", "shopcopy") == ""
    cli("rm", "shopcopy")
    cli("access", "set", write(shop, POLICY))
    assert warnings(str(shop / "shop")) == ""
    wanted = "the access policy names no rule for {!r}: its rules for every repository apply"
    assert warnings(str(copy)) == wanted.format("shop-2")
    assert warnings(str(copy), "--name", "shopcopy") == wanted.format("shopcopy")
    paths = [{"repo": "shop", "prefix": "", "groups": ["staff"]}]
    cli("access", "set", write(shop, {**POLICY, "paths": paths}))
    assert warnings(str(copy)).endswith("'shopcopy': only the owner reads it")
    cli("access", "set", write(shop, {**POLICY, "paths": {"": ["staff"]}}))
    assert warnings(str(copy)) == ""


def test_attribute_files_that_may_not_be_read_set_no_flag(cli: Cli, shop: Path) -> None:
    folder = shop / "shop"
    (folder / "src/.gitattributes").write_text("/shop.py linguist-generated\n")
    (folder / ".gitattributes").write_text("src/shop.py linguist-vendored\n* -linguist-generated\n")
    hidden = [{"repo": "shop", "prefix": "src/.gitattributes", "groups": ["pay"]}]
    cli("index", str(folder))
    cli("access", "set", write(shop, {**POLICY, "paths": [*POLICY["paths"], *hidden]}))  # type: ignore[misc]

    def rules(name: str) -> str:
        asked = ("src/shop.py", "--repo", "shop", "--as", name)
        return cli("why", *asked)[1] + cli("status", "--paths", "--json", "--as", name)[1]

    generated = "gitattributes:/shop.py in src/.gitattributes"
    vendored = "gitattributes:src/shop.py in .gitattributes"
    assert generated in rules("ann")
    assert vendored in rules("ann")
    assert "/shop.py in" not in rules("bob").replace(vendored, "")
    assert "generated" not in rules("bob")
    assert vendored in rules("bob")
    assert cli("access", "audit", "--as", "bob")[0] == 0


def test_setting_a_policy_says_which_prefixes_hold_nothing(cli: Cli, shop: Path) -> None:
    assert "no indexed path" not in cli("access", "set", write(shop, POLICY))[2]
    value: dict[str, object] = {"users": {}, "paths": {"src/pay/chargé.py": [], "src": []}}
    for verb in (("set", write(shop, value)), ("show",)):
        err = cli("access", *verb)[2]
        assert err.count("no indexed path") == 1
        assert "'src/pay/chargé.py'" in err


def test_a_user_without_groups_is_not_shown_in_a_group_called_nobody(cli: Cli, shop: Path) -> None:
    out = cli("access", "set", write(shop, POLICY))[1]
    assert ["eve", "-"] in [line.split() for line in out.splitlines()]
    assert "nobody" not in out


def test_a_dry_run_shows_and_a_bad_file_leaves_the_policy_in_force(cli: Cli, shop: Path) -> None:
    cli("access", "set", write(shop, POLICY))
    owners = shop / "CODEOWNERS"
    owners.write_text("* @org/all\n/src/pay/ @ann\n")
    (shop / "users.json").write_text('{"bob": ["@org/all"]}')
    made = ("--format", "codeowners", "--for", "shop", "--users", str(shop / "users.json"))
    code, out, _ = cli("access", "set", str(owners), *made, "--dry-run", "--json")
    assert code == 0
    assert json.loads(out)["policy"]["users"]["bob"] == ["@bob", "@org/all", "bob"]
    owners.write_text("*.py @ann\n")
    code, _, err = cli("access", "set", str(owners), *made)
    assert code == 2
    assert "CODEOWNERS:1" in err
    assert cli("access", "set", str(shop / "nothing.json"))[0] == 2
    assert cli("access", "set", str(owners), "--format", "yaml")[0] == 2
    assert json.loads(cli("access", "show", "--json")[1])["epoch"] == 1


def test_the_audit_prints_figures_and_exits_7_on_a_leak(
    cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("access", "set", write(shop, POLICY))
    for name in ("ann", "bob", "eve", "stranger"):
        code, out, _ = cli("access", "audit", "--as", name)
        assert code == 0
        assert "LEAK" not in out
    assert "paths: 3 of 4 paths can be read" in cli("access", "audit", "--as", "bob")[1]

    def everything(policy, classes, repository, paths):  # type: ignore[no-untyped-def]
        return np.ones(len(paths), np.bool_)

    monkeypatch.setattr(stores, "readable", everything)
    code, out, _ = cli("access", "audit", "--as", "bob", "--json")
    assert code == 7
    checks = {check["name"]: check for check in json.loads(out)["checks"]}
    assert checks["paths"]["detail"] == "4 of 4 paths can be read, the policy opens 3"
    assert {"search", "outline", "status"} <= {name for name in checks if not checks[name]["ok"]}
    assert "please report it" in checks["search"]["repair"]


def test_the_audit_builds_the_same_index_again_from_what_is_stored(home: Path) -> None:
    engine = Engine.open(str(home))
    everyone = {"users": {"ann": ["staff"]}, "paths": {"": ["staff"]}}
    engine.set_policy(parse_policy(json.dumps(everyone).encode(), "p"))
    again = engine.without_unreadable("ann")
    assert list(again.dump(again.everything())) == list(engine.dump(engine.everything()))


def test_an_agent_without_identity_is_denied_when_there_is_a_policy(home: Path) -> None:
    def ask(principal: str | None) -> tuple[str, bool]:
        session = Session(open_engine=lambda: Engine.open(str(home)), principal=principal)
        return answer(session, "search", {"query": "gateway"})

    assert not ask(None)[1]
    Engine.open(str(home)).set_policy(parse_policy(json.dumps(POLICY).encode(), "p"))
    text, failed = ask(None)
    assert failed
    assert "grainline mcp --as NAME" in text
    assert "charge.py" in ask("ann")[0]
    assert "charge.py" not in ask("bob")[0]
    assert ask("eve") == ask("stranger")


def test_a_damaged_repository_that_may_not_be_read_is_not_even_opened(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine.open(str(home))
    rules = [{"repo": "site", "prefix": "", "groups": ["staff"]}]
    policy = {"users": {"bob": ["staff"]}, "paths": rules}
    engine.set_policy(parse_policy(json.dumps(policy).encode(), "p"))
    opens = stores.PartStore._open_membership

    def damaged(self: stores.PartStore, name: str, source: str) -> Membership:
        if source.startswith("shop"):
            raise Damaged("damaged_index", "no", subject=source)
        return opens(self, name, source)

    monkeypatch.setattr(stores.PartStore, "_open_membership", damaged)
    assert engine.search("charge", scope=engine.scope(principal="bob")).total == 1
    with pytest.raises(Damaged):
        engine.search("charge")


def test_every_request_is_answered_under_the_policy_in_force(home: Path) -> None:
    asking, ruling = Engine.open(str(home)), Engine.open(str(home))
    for number in range(40):
        groups = ["staff", "pay"] if number % 2 else ["staff"]
        policy = {**POLICY, "users": {"ann": groups}}
        ruling.set_policy(parse_policy(json.dumps(policy).encode(), "p"))
        for _ in range(5):
            found = asking.search("gateway", scope=asking.scope(principal="ann"))
            assert found.total == number % 2


def test_a_policy_holds_while_a_writer_is_at_work(tmp_path):
    """A right that is taken away must not live as long as somebody else's index run."""
    store = open_folder(str(tmp_path / "home"))
    with store.writer(IndexOptions().setup().fingerprint()):
        open_folder(str(tmp_path / "home")).set_policy(
            parse_policy(b'{"users": {"bob": []}, "paths": []}', "policy.json")
        )
        assert store.policy() is not None
    assert store.policy() is not None, "what the writer leaves is sealed with the policy"
