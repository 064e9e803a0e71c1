"""Settings: the user's TOML file, the environment and flags become frozen values, here, once.

Later sources win: built-in, file, environment, flags. The file is `config.toml` in the user's
configuration folder, or the one named on the command line (or by `GRAINLINE_CONFIG`). Nothing that
stands in a repository is ever read as a setting.

    home = "/data/index"

    [search]
    k = 20

    [context]
    budget = 12000
    format = "xml"
    profile = "failure"
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from grainline.errors import BadInput

APP = "grainline"
FORMATS = ("markdown", "json", "xml")
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
    """What one run goes by. `home` is the folder of the index."""

    home: str
    k: int = 10
    budget: int = 8000
    format: str = "markdown"
    profile: str = "auto"
    source: str | None = None


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
    values = _values(file)
    known = ", ".join(sorted(_KEYS))
    for key, value in values.items():
        if key not in _KEYS:
            raise _invalid(file, f"{key!r} is no setting", f"known: {known}")
        field, kind, allowed = _KEYS[key]
        if type(value) is not kind or (allowed and value not in allowed) or value in (0, ""):
            wanted = " or ".join(map(repr, allowed)) if allowed else kind.__name__
            raise _invalid(file, f"{key} = {value!r} is not allowed", f"give {wanted}")
        if kind is int and not 0 < value <= 1_000_000:  # type: ignore[operator]
            raise _invalid(file, f"{key} = {value!r} is out of range", "give 1 to 1000000")
        settings = replace(settings, **{field: value})
    return replace(settings, source=str(file))


_KEYS: dict[str, tuple[str, type, tuple[str, ...]]] = {
    "home": ("home", str, ()),
    "search.k": ("k", int, ()),
    "context.budget": ("budget", int, ()),
    "context.format": ("format", str, FORMATS),
    "context.profile": ("profile", str, PROFILES),
}


def _values(file: Path) -> dict[str, object]:
    """The file's values by dotted key."""
    import tomllib

    try:
        with file.open("rb") as stream:
            loaded = tomllib.load(stream)
    except OSError as failure:
        raise _invalid(file, f"it cannot be read ({failure.strerror})", "name another") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as failure:
        raise _invalid(file, f"it is not TOML ({failure})", "correct the file") from None
    flat: dict[str, object] = {}
    for key, value in loaded.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": found for inner, found in value.items()})
        else:
            flat[key] = value
    return flat


def _invalid(file: Path, what: str, hint: str) -> BadInput:
    return BadInput("bad_settings", what, subject=str(file), hint=hint)
