"""Values of `grainline.model` as JSON and back, driven by their type hints. No pickle, no guessing.

A dataclass and a named tuple become the array of their fields, bytes a base64 string, an enum its
value, a set a sorted array. What is decoded is of the hinted type in every part, or refused: the
other side may be another program.
"""

from __future__ import annotations

import base64
import enum
import json
import math
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, partial
from typing import Any, NamedTuple, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

Json: TypeAlias = Any
"""None, bool, int, float, str, a list of these, or a dict with string keys."""

MAX_INTEGER = 1 << 64


class Malformed(ValueError):  # noqa: N818 - named for what it says of the data
    """The data is no value of the hinted type."""


class Codec(NamedTuple):
    """Both directions for one type; each raises `Malformed`."""

    dump: Callable[[Any], Json]
    load: Callable[[Json], Any]


def encode(hint: Any, value: object) -> bytes:
    """`value` as bytes.

    Raises:
        Malformed: it is not of the hinted type, or nests too deeply.
    """
    try:
        return spell(codec_of(hint).dump(value))
    except RecursionError:
        raise Malformed("it nests too deeply") from None


def decode(hint: Any, data: bytes) -> Any:
    """Inverse of `encode`.

    Raises:
        Malformed: the data is no value of the hinted type.
    """
    try:
        return codec_of(hint).load(parse(data))
    except RecursionError:
        raise Malformed("it nests too deeply") from None


def spell(tree: Json) -> bytes:
    """A JSON value as bytes.

    Raises:
        Malformed: it nests too deeply.
    """
    try:
        return json.dumps(tree, separators=(",", ":"), allow_nan=False).encode()
    except (ValueError, RecursionError) as failure:
        raise Malformed(f"no JSON: {failure}") from None


def parse(data: bytes) -> Json:
    """The JSON value that `data` spells.

    Raises:
        Malformed: it spells none.
    """
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as failure:
        raise Malformed(f"no JSON: {failure}") from None


@cache
def codec_of(hint: Any) -> Codec:
    """The codec of a type.

    Raises:
        TypeError: values of this type have no form here.
    """
    if hint in _PLAIN:
        return _PLAIN[hint]
    supertype = getattr(hint, "__supertype__", None)  # of a NewType
    if supertype is not None:
        return codec_of(supertype)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _optional(parts)
    if origin is tuple:
        return _items(parts[0], tuple) if parts[1:] == (...,) else _fixed(parts)
    if origin is frozenset:
        return _items(parts[0], frozenset)
    if origin is dict and parts[0] is str:
        return _mapping(parts[1])
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _enum(hint)
    if isinstance(hint, type) and (is_dataclass(hint) or issubclass(hint, tuple)):
        return _record(cast("type[Any]", hint))
    raise TypeError(f"{hint!r} has no form in JSON")


# -------------------------------------------------------------------------------------- scalars


def _scalar(*allowed: type) -> Codec:
    def same(value: Json) -> Json:
        if type(value) not in allowed:
            raise Malformed(f"{type(value).__name__} in place of {allowed[0].__name__}")
        return value

    return Codec(same, same)


def _dump_text(value: Json) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{type(value).__name__} in place of str")
    return str(value)  # of a word of a closed set its value, which is equal to it


def _integer(value: Json) -> int:
    if type(value) is not int or abs(value) > MAX_INTEGER:
        raise Malformed(f"{type(value).__name__} in place of an integer")
    return value


def _real(value: Json) -> float:
    if not isinstance(value, float) and type(value) is not int:
        raise Malformed(f"{type(value).__name__} in place of a number")
    if not math.isfinite(value):
        raise Malformed("a number that is none")
    return value if type(value) is int else float(value)


def _dump_bytes(value: Json) -> str:
    if not isinstance(value, bytes):
        raise Malformed(f"{type(value).__name__} in place of bytes")
    return base64.b64encode(value).decode("ascii")


def _load_bytes(value: Json) -> bytes:
    if not isinstance(value, str):
        raise Malformed(f"{type(value).__name__} in place of bytes")
    try:
        return base64.b64decode(value, validate=True)
    except ValueError as failure:
        raise Malformed(f"no bytes: {failure}") from None


_PLAIN: dict[Any, Codec] = {
    str: Codec(_dump_text, _scalar(str).load),
    bool: _scalar(bool),
    type(None): _scalar(type(None)),
    int: Codec(_integer, _integer),
    float: Codec(_real, _real),
    bytes: Codec(_dump_bytes, _load_bytes),
}


def _enum(kind: type[enum.Enum]) -> Codec:
    def dump(value: Json) -> Json:
        if not isinstance(value, kind):
            raise Malformed(f"{type(value).__name__} in place of {kind.__name__}")
        return value.value

    def load(value: Json) -> enum.Enum:
        try:
            found = kind(value)
        except (ValueError, TypeError):
            raise Malformed(f"{value!r} is no {kind.__name__}") from None
        if type(found.value) is not type(value):
            raise Malformed(f"{value!r} is no {kind.__name__}")
        return found

    return Codec(dump, load)


# -------------------------------------------------------------------------------------- composed


def _optional(parts: Sequence[Any]) -> Codec:
    inner = [part for part in parts if part is not type(None)]
    if len(inner) != 1 or len(parts) != 2:
        raise TypeError(f"{parts!r} cannot be told apart in JSON")
    dump, load = codec_of(inner[0])

    def both(value: Json, convert: Callable[[Json], Json]) -> Json:
        return None if value is None else convert(value)

    return Codec(partial(both, convert=dump), partial(both, convert=load))


def _items(part: Any, kind: type[tuple[Any, ...]] | type[frozenset[Any]]) -> Codec:
    dump, load = codec_of(part)

    def dump_all(value: Json) -> list[Json]:
        if not isinstance(value, kind):
            raise Malformed(f"{type(value).__name__} in place of a {kind.__name__}")
        found = [dump(item) for item in cast("Iterable[object]", value)]
        return sorted(found) if kind is frozenset else found

    def load_all(value: Json) -> Json:
        return kind([load(item) for item in _list(value)])

    return Codec(dump_all, load_all)


def _fixed(parts: Sequence[Any]) -> Codec:
    codecs = [codec_of(part) for part in parts]

    def dump(value: Json) -> list[Json]:
        given = cast("tuple[object, ...]", value)
        if not isinstance(value, tuple) or len(given) != len(codecs):
            raise Malformed(f"no tuple of {len(codecs)}")
        return [codec.dump(item) for codec, item in zip(codecs, given, strict=True)]

    def load(value: Json) -> tuple[Any, ...]:
        items = _list(value, len(codecs))
        return tuple(codec.load(item) for codec, item in zip(codecs, items, strict=True))

    return Codec(dump, load)


def _mapping(part: Any) -> Codec:
    dump, load = codec_of(part)

    def both(value: Json, convert: Callable[[Json], Json]) -> dict[str, Json]:
        if not isinstance(value, dict):
            raise Malformed(f"{type(value).__name__} in place of a mapping")
        given = cast("dict[object, object]", value)
        if not all(isinstance(key, str) for key in given):
            raise Malformed("a key that is no string")
        return {str(key): convert(item) for key, item in given.items()}

    return Codec(partial(both, convert=dump), partial(both, convert=load))


def _record(kind: type[Any]) -> Codec:
    """A dataclass or a named tuple; its parts are looked up when first needed: types may nest."""
    names = [each.name for each in fields(kind)] if is_dataclass(kind) else list(kind._fields)

    @cache
    def codecs() -> list[Codec]:
        hints = get_type_hints(kind)
        return [codec_of(hints[name]) for name in names]

    def dump(value: Json) -> list[Json]:
        if type(value) is not kind:
            raise Malformed(f"{type(value).__name__} in place of {kind.__name__}")
        return [
            codec.dump(getattr(value, name)) for name, codec in zip(names, codecs(), strict=True)
        ]

    def load(value: Json) -> Any:
        items = _list(value, len(names))
        parts = zip(names, codecs(), items, strict=True)
        return kind(**{name: codec.load(item) for name, codec, item in parts})

    return Codec(dump, load)


def _list(value: Json, length: int | None = None) -> list[object]:
    if not isinstance(value, list):
        raise Malformed(f"{type(value).__name__} in place of a list")
    items = cast("list[object]", value)
    if length is not None and len(items) != length:
        raise Malformed(f"{len(items)} parts in place of {length}")
    return items
