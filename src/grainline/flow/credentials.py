"""Which fields and keys hold credentials, as far as their names say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from grainline.flow.rows import SECRET
from grainline.flow.values import UNKNOWN, Taint, Trail, Value, choices
from grainline.flow.values import Source as Origin
from grainline.model.flow import Role

if TYPE_CHECKING:
    from grainline.flow.machine import Run
    from grainline.flow.outside import Site

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ENVIRONMENT: Final = frozenset(
    (
        "os.environ",
        "os.getenv",
        "os.environ.get",
        "process.env",
        "System.getenv",
        "os.Getenv",
        "getenv",
    )
)
ROW: Final = "credential"


@lru_cache(maxsize=1 << 14)
def phrase(name: str) -> str:
    """A name as words: `apiKey` and `API_KEY` are `api key`."""
    return " ".join(word.lower() for word in _WORDS.findall(name))


def is_credential(rows: Mapping[str, str], name: str, where: str = "field") -> bool:
    """Whether a name ends with the words of a row."""
    words = phrase(name).split(" ")
    for start in range(len(words)):
        told = rows.get(" ".join(words[start:]))
        if told is not None and told in ("field", where):
            return True
    return False


def of_member(run: Run, op: int, name: str, value: Value) -> Value:
    """A field that was read under a name."""
    rows = run.models.credentials
    if not rows or not is_credential(rows, name):
        return value
    return _made(run, op, name, value)


def of_key(run: Run, op: int, holder: Value, key: object, value: Value) -> Value:
    """What stands under a constant key, in the environment or anywhere else."""
    rows = run.models.credentials
    where = "environment" if _ENVIRONMENT.intersection(holder.names()) else "field"
    for each in choices(key) if rows and key is not UNKNOWN else ():
        if isinstance(each, str) and is_credential(rows, each, where):
            return _made(run, op, each, value)
    return value


def of_call(site: Site, names: list[str], value: Value) -> Value:
    """What is asked for by a constant name: `config.get("password")`, `os.getenv("API_KEY")`."""
    rows = site.run.models.credentials
    if not rows or not site.arguments:
        return value
    last = {name.rpartition(".")[2] for name in names}
    if not last.intersection(
        ("get", "getenv", "Getenv", "getProperty", "getParameter", "pop", "require")
    ):
        return value
    where = "environment" if _ENVIRONMENT.intersection(names) else "field"
    for each in choices(site.arguments[0].value.const):
        if isinstance(each, str) and is_credential(rows, each, where):
            return _made(site.run, site.op, each, value)
    return value


def _made(run: Run, op: int, name: str, value: Value) -> Value:
    origin = Origin(run.unit, op, run.solver.row_number(run.code.language, ROW))
    taint = Taint(~SECRET, Trail(run.unit, op, Role.SOURCE, name))
    return Value({**value.taints, origin: taint}, value.refs, value.const, value.facts)
