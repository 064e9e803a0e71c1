"""The policy file of grainline itself."""

from __future__ import annotations

from grainline.access.adapters.base import Source
from grainline.access.policy import parse_policy
from grainline.errors import BadInput
from grainline.model.access import Policy


class PolicyFile:
    """Reads what `access show --json` prints under `policy`."""

    name = "policy"
    every_repository = True
    description = "users with groups, path prefixes with groups (JSON)"

    def read(self, source: Source) -> Policy:
        """The policy that the file spells."""
        if source.repository or source.users:
            raise BadInput(
                "bad_option",
                "a policy file names its repositories and users itself",
                subject=source.name,
                hint="leave --for and --users away",
            )
        return parse_policy(source.data, source.name)


ADAPTER = PolicyFile()
