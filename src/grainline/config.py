"""Settings: the user's TOML file, the environment and flags become frozen values, here, once.

Later sources win: built-in, file, environment, flags. The file is `config.toml` in the user's
configuration folder, or the one named on the command line (or by `GRAINLINE_CONFIG`). Nothing that
stands in a repository is ever read as a setting.

    home = "/data/index"

    [index]
    exclude = ["data/", "*.min.js"]

    [search]
    k = 20

    [context]
    budget = 12000
    format = "xml"
    profile = "failure"

    [flow]
    models = ["/home/ann/models.toml"]

    [retention]
    historic = 20
    days = 90
    megabytes = 20000
    pinned = ["refs/tags/v1.0"]
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from grainline.errors import BadInput

APP = "grainline"
FORMATS = ("markdown", "compact", "json", "xml")
PROFILES = (
    "auto",
    "injection",
    "lifetime",
    "permission",
    "failure",
    "understanding",
    "impact",
    "completion",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What one run goes by. `home` is the folder of the index.

    `include` and `exclude` are patterns of paths to index; `allow_alternates` folders outside a
    repository whose git objects it may borrow. `historic`, `days`, `megabytes` and `pinned` say what
    `gc` keeps of views that were indexed for one question. `models` are files of models of data flow.
    """

    home: str
    chunker: str = "grain"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    allow_alternates: tuple[str, ...] = ()
    k: int = 10
    budget: int = 8000
    format: str = "markdown"
    profile: str = "auto"
    historic: int = 20
    days: int | None = None
    megabytes: int | None = None
    pinned: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    source: str | None = None


DEFAULTS = Settings(home="")
"""What holds where nothing is said."""


def load(
    environ: Mapping[str, str], *, home: str | None = None, config: str | None = None
) -> Settings:
    """The settings of this run; `home` and `config` are the flags.

    Raises:
        BadInput: the named file is missing, or a file holds something that is no setting.
    """
    settings = Settings(home=default_home(environ))
    named = config or environ.get("GRAINLINE_CONFIG") or None
    file = Path(named) if named else default_config(environ)
    if named or file.is_file():
        settings = _apply(settings, file)
    if environ.get("GRAINLINE_HOME"):
        settings = replace(settings, home=environ["GRAINLINE_HOME"])
    return replace(settings, home=home) if home else settings


def version() -> str:
    """The version of the installed distribution."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed(APP)
    except PackageNotFoundError:
        return "0+source"


def default_home(environ: Mapping[str, str]) -> str:
    """The home in the user's data folder."""
    if environ.get("XDG_DATA_HOME"):
        return str(Path(environ["XDG_DATA_HOME"]) / APP)
    if sys.platform == "darwin":
        return str(_user(environ) / "Library" / "Application Support" / APP)
    return str(_user(environ) / ".local" / "share" / APP)


def default_config(environ: Mapping[str, str]) -> Path:
    """The settings file in the user's configuration folder."""
    base = environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else _user(environ) / ".config") / APP / "config.toml"


def _user(environ: Mapping[str, str]) -> Path:
    return Path(environ["HOME"]) if environ.get("HOME") else Path.home()


def _apply(settings: Settings, file: Path) -> Settings:
    values: dict[str, Any] = {}
    for key, value in _values(file).items():
        if key not in _KEYS:
            known = ", ".join(sorted(_KEYS))
            raise _invalid(file, f"{key!r} is no setting", f"known: {known}")
        field, check = _KEYS[key]
        checked = check(value)
        if checked is None:
            raise _invalid(file, f"{key} = {value!r} is not allowed", f"give {check.wanted}")
        values[field] = checked
    return replace(settings, source=str(file), **values)


class _Text:
    """A string, one of `allowed` if there are any."""

    def __init__(self, *allowed: str) -> None:
        self._allowed = allowed
        self.wanted = " or ".join(map(repr, allowed)) if allowed else "a string"

    def __call__(self, value: object) -> str | None:
        ok = isinstance(value, str) and value and (not self._allowed or value in self._allowed)
        return value if ok and isinstance(value, str) else None


class _Number:
    """A positive integer up to `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.wanted = f"an integer from 1 to {limit}"

    def __call__(self, value: object) -> int | None:
        if isinstance(value, bool) or not isinstance(value, int):
            return None
        return value if 1 <= value <= self._limit else None


class _Texts:
    """A list of strings."""

    wanted = "a list of strings"

    def __call__(self, value: object) -> tuple[str, ...] | None:
        if not isinstance(value, list):
            return None
        given = cast("list[object]", value)
        items = tuple(item for item in given if isinstance(item, str) and item)
        return items if len(items) == len(given) else None


_KEYS: dict[str, tuple[str, _Text | _Number | _Texts]] = {
    "home": ("home", _Text()),
    "index.chunker": ("chunker", _Text()),
    "index.include": ("include", _Texts()),
    "index.exclude": ("exclude", _Texts()),
    "index.allow_alternates": ("allow_alternates", _Texts()),
    "search.k": ("k", _Number(1000)),
    "context.budget": ("budget", _Number(1_000_000)),
    "context.format": ("format", _Text(*FORMATS)),
    "context.profile": ("profile", _Text(*PROFILES)),
    "flow.models": ("models", _Texts()),
    "retention.historic": ("historic", _Number(100_000)),
    "retention.days": ("days", _Number(100_000)),
    "retention.megabytes": ("megabytes", _Number(1_000_000_000)),
    "retention.pinned": ("pinned", _Texts()),
}


def _values(file: Path) -> dict[str, object]:
    """The file's values by dotted key."""
    import tomllib

    try:
        with file.open("rb") as stream:
            loaded: dict[str, object] = tomllib.load(stream)
    except OSError as failure:
        raise _invalid(file, f"it cannot be read ({failure.strerror})", "name another") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as failure:
        raise _invalid(file, f"it is not TOML ({failure})", "correct the file") from None
    flat: dict[str, object] = {}
    for key, value in loaded.items():
        if isinstance(value, dict):
            section = cast("dict[str, object]", value)
            flat.update({f"{key}.{inner}": found for inner, found in section.items()})
        else:
            flat[key] = value
    return flat


def _invalid(file: Path, what: str, hint: str) -> BadInput:
    return BadInput("bad_settings", what, subject=str(file), hint=hint)
