"""What is known of the standard library of C++ without its headers: what holds what."""

from __future__ import annotations

from typing import Final

POINTERS: Final = frozenset(["unique_ptr", "shared_ptr", "optional", "iterator", "auto_ptr"])
"""`*` and `->` of these give their first argument."""

ELEMENTS: Final = frozenset(
    ["vector", "deque", "list", "forward_list", "array", "set", "multiset", "unordered_set", "span",
     "initializer_list", "stack", "queue", "priority_queue", "valarray"]
)  # fmt: skip
"""Loops and `[]` give their first argument."""

MAPPINGS: Final = frozenset(["map", "unordered_map", "multimap", "unordered_multimap"])
"""`[]` gives their second argument, loops pairs of both."""

ELEMENT_METHODS: Final = frozenset(["at", "front", "back", "top", "value", "value_or"])
ITERATOR_METHODS: Final = frozenset(
    ["begin", "end", "cbegin", "cend", "rbegin", "rend", "find", "lower_bound", "upper_bound"]
)
POINTER_METHODS: Final = frozenset(["get", "release", "data"])
PASSING: Final = frozenset(["move", "forward", "ref", "cref", "as_const"])
"""Functions that give what they get."""

MAKERS: Final = {"make_unique": "unique_ptr", "make_shared": "shared_ptr"}
