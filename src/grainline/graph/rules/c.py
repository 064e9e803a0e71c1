"""C and C++: one family, since either includes headers of the other and calls what it defines.

Units of C go through the fixpoint, those of C++ through `typed/cpp.py`.
"""

from __future__ import annotations

from grainline.graph.rules.base import LanguageRules
from grainline.languages.modules.c import IncludeModules

RULES = LanguageRules(
    languages=("c", "cpp"),
    modules=IncludeModules,
    generates_constructor=True,
    overloads=True,
    hides_members=True,
    links=True,
    most_outside=4,  # error codes of headers that are not there fill results; curl: of 10,253 cuts 562
    beside=frozenset({"cpp"}),
)
