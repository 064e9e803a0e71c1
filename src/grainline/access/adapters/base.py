"""The seam of formats: an adapter turns one file that the administrator names into a policy.

An adapter is one file `access/adapters/<name>.py` with an `ADAPTER`. What the file says and a
policy cannot, it refuses with the line: a rule that is left out would open or close something.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import dataclass
from typing import Protocol

from grainline.access.jsontext import CODE
from grainline.access.policy import MAX_NAME, is_name
from grainline.errors import BadInput
from grainline.model.access import Policy
from grainline.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file as it was named on the command line.

    `repository` is the label that it is about ("" when the file says so itself); `users` holds who
    is in which groups, where the format does not. A byte order mark before `data` is no part of it.
    """

    name: str
    data: bytes
    repository: str = ""
    users: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", self.data.removeprefix(BOM_UTF8))


class Adapter(Protocol):
    """A format.

    `every_repository`: whether a file can say, in so many words, that a rule is for every one.
    """

    name: str
    description: str
    every_repository: bool

    def read(self, source: Source) -> Policy:
        """The policy, with epoch 0.

        Raises:
            BadInput: with the line: the file says something that no policy can express.
        """
        ...


def read_policy(adapter: Adapter, source: Source) -> Policy:
    """The policy that a file spells, of which no rule is for every repository by mistake.

    Raises:
        BadInput: as `Adapter.read`; or a rule names no repository, or one that none can be called.
    """
    policy = adapter.read(source)
    for rule in policy.rules:
        if rule.repository == "" and adapter.every_repository:
            continue
        if not is_name(rule.repository):
            raise BadInput(
                CODE,
                f"the format {adapter.name!r} made a rule for a repository {rule.repository!r}",
                subject=source.name,
                hint=f"a repository is named by 1 to {MAX_NAME} printable characters",
            )
    return policy


ADAPTERS: Registry[Adapter] = Registry(
    "grainline.access.adapters", "ADAPTER", skip=frozenset({"base"})
)
