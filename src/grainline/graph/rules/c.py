"""C."""

from __future__ import annotations

from grainline.graph.rules.base import LanguageRules
from grainline.languages.modules.c import IncludeModules

RULES = LanguageRules(
    languages=("c",),
    modules=IncludeModules,
    generates_constructor=True,
    overloads=True,
    hides_members=True,
    links=True,
)
