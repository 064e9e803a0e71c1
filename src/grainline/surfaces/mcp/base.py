"""The seam of tools: what a tool is, what it gets, and the cap on what it may answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from grainline.errors import BadInput, Refused
from grainline.indexing.owner.methods import Answers
from grainline.registry import Registry
from grainline.text.budget import estimate_tokens

if TYPE_CHECKING:
    from grainline.model.access import Bounds, Scope
    from grainline.model.flow import ModelFile

CAP = 8_000
"""Most tokens (`text.budget`) of one answer, whatever was asked."""

MAX_TEXT = 20_000  # characters of one text argument

Schema: TypeAlias = dict[str, Any]


class Closing(Answers, Protocol):
    """What a session asks, and closes at its end."""

    def close(self) -> None:
        """Let go of what it holds."""
        ...


@dataclass(slots=True, kw_only=True)
class Session:
    """One client. The engine is opened by the first call, not before."""

    open_engine: Callable[[], Closing]
    repos: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    principal: str | None = None
    models: Callable[[], tuple[ModelFile, ...]] = tuple
    """The files of models that the user's settings name."""
    _engine: Closing | None = field(default=None)

    @property
    def engine(self) -> Answers:
        """The engine."""
        if self._engine is None:
            self._engine = self.open_engine()
        return self._engine

    def close(self) -> None:
        """Let go of what the first call opened."""
        if self._engine is not None:
            self._engine.close()

    def scope(self, arguments: Arguments) -> Scope:
        """What the server was started for, narrowed by what the call asks for.

        Raises:
            Refused: there is an access policy, and the server was started for nobody.
            BadInput: a name means nothing that may be read.
        """
        within = self._bounds()
        repo, ref = arguments.text("repo"), arguments.text("ref")
        return self.engine.scope(
            repos=(repo,) if repo else (),
            refs=(ref,) if ref else (),
            principal=self.principal,
            within=within,
        )

    def since(self, arguments: Arguments, scope: Scope, ref: str) -> Scope:
        """The repositories of a scope at another ref.

        Raises:
            BadInput: the ref means nothing that may be read.
        """
        repo = arguments.text("repo")
        names = (repo,) if repo else tuple(dict.fromkeys(self.engine.roots(scope=scope)))
        return self.engine.scope(
            repos=names, refs=(ref,), principal=self.principal, within=self._bounds()
        )

    def everything(self, arguments: Arguments) -> Scope:
        """As `scope`, but a call that names no ref asks for every version: for citations."""
        if arguments.text("ref"):
            return self.scope(arguments)
        within = self._bounds()
        repo = arguments.text("repo")
        repos = (repo,) if repo else ()
        return self.engine.everything(self.principal, repos=repos, within=within)

    def _bounds(self) -> Bounds | None:
        if self.principal is None and self.engine.policy() is not None:
            raise Refused(
                "identity_needed",
                "this home has an access policy, and the server does not know who asks",
                hint="start it with: grainline mcp --as NAME",
            )
        if not (self.repos or self.refs):
            return None
        if self.principal is None:  # an owner learns of a name in the options that means nothing
            self.engine.scope(repos=self.repos, refs=self.refs)
        from grainline.model.access import Bounds

        return Bounds(repositories=self.repos, refs=self.refs)


class Arguments:
    """The arguments of one call, checked as they are taken."""

    def __init__(self, values: Mapping[str, Any], schema: Schema) -> None:
        known = schema["properties"]
        for name in values:
            if name not in known:
                raise _bad(f"{name!r} is not an argument", "arguments: " + ", ".join(known))
        for name in schema.get("required", ()):
            if not values.get(name):
                raise _bad(f"{name!r} is missing", f"{name}: {known[name]['description']}")
        self._values = values
        self._known = known

    def text(self, name: str) -> str:
        """A string, "" when it was not given."""
        value = self._values.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise _bad(f"{name} = {value!r} is not a string", "give a string")
        if len(value) > MAX_TEXT:
            raise _bad(f"{name} is longer than {MAX_TEXT} characters", "shorten it")
        allowed = self._known[name].get("enum")
        if allowed and value not in allowed:
            raise _bad(f"{name} = {value!r} is not allowed", "give " + ", ".join(allowed))
        return value

    def number(self, name: str) -> int:
        """An integer inside the schema's bounds; its default when it was not given."""
        rule = self._known[name]
        value = self._values.get(name)
        if value is None:
            return int(rule["default"])
        low, high = rule["minimum"], rule["maximum"]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise _bad(f"{name} = {value!r} is not an integer from {low} to {high}", "correct it")
        return value


def _bad(what: str, hint: str) -> BadInput:
    return BadInput("bad_argument", what, hint=hint)


class Tool(Protocol):
    """A tool. `schema` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: Schema

    def call(self, session: Session, arguments: Arguments) -> str:
        """The answer, at most `CAP` tokens."""
        ...


SCOPE: Schema = {
    "repo": {"type": "string", "description": "Only this repository (see status)."},
    "ref": {"type": "string", "description": "Only this indexed branch, tag or commit."},
}

TOOLS: Registry[Tool] = Registry("grainline.surfaces.mcp.tools", "TOOL", skip=frozenset())


def schema(required: Iterable[str] = (), **properties: Schema) -> Schema:
    """The schema of an object with these properties and the scope's."""
    return {
        "type": "object",
        "properties": {**properties, **SCOPE},
        "required": list(required),
        "additionalProperties": False,
    }


def fit(blocks: Iterable[str], room: int) -> tuple[list[str], bool]:
    """The first blocks that fit in `room` tokens joined by blank lines, and whether all did."""
    kept: list[str] = []
    spent = 0
    for block in blocks:
        cost = estimate_tokens(block) + 1
        if spent + cost > room:
            return kept, False
        kept.append(block)
        spent += cost
    return kept, True


def capped(text: str) -> str:
    """`text`, cut at a line end to the cap: the last guard, not the way an answer is sized."""
    if estimate_tokens(text) <= CAP:
        return text
    note = "\n[truncated: the answer was longer than one call may be; narrow the question]"
    room = CAP - estimate_tokens(note) - 1
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    cut = text.rfind("\n", 0, low)
    return text[: cut if cut > 0 else low] + note
