"""Numbers of things, in words."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 symbol`, `2 symbols`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
