"""Numbers of things, in words."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 symbol`, `2 symbols`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def parsed_in_part(number: int) -> str:
    """`2 files parsed in part`: the parser went on behind text that it could not read."""
    return f"{counted(number, 'file')} parsed in part"
