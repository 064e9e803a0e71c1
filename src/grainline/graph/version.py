"""The version of what resolution says: kept edges of another one are not used."""

from __future__ import annotations

from typing import Final

GRAPH_VERSION: Final = 18
"""Of what is found in given IR: kept edges of another version are made again. 1: first;
2: source folders are roots also above packages with an empty `__init__`. 3: mentions, decorators, and
imports by what names are bound to. 4: guesses by name are `named`, not `flowed`. 5: bridges, and
functions that are handed to what is external. 6: sets of overloads are ambiguous again. 7: imports of
Go, and of every module of a dotted name. 8: Ruby; setting an item is called where it is set.
9: Kotlin, and Java beside it. 10: results that are an argument, beside a receiver.
11: handlers that OpenAPI files name. 12: results that are the first of `*args`.
13: what is returned after it was kept in a variable, what decorators give, statements on containers.
14: methods that everything has, and functions behind `call` of JavaScript.
15: C: external values of a node are told apart only while they are few.
16: what was converted to a type of functions (Go) is no more than supposed of its values; declarations
of overloads (Python) never run.
17: members of objects that are made of something external (JavaScript).
18: names of inherited classes in the bases of a class (Java) are found whatever was asked before."""
