"""C#."""

from __future__ import annotations

from grainline.graph.rules._csharp_library import LIBRARY
from grainline.graph.rules.base import LanguageRules, Platform
from grainline.languages.modules.csharp import CsharpModules

RULES = LanguageRules(
    languages=("csharp",),
    modules=CsharpModules,
    shaping=frozenset({"*.csproj"}),
    platform=Platform(
        library=LIBRARY,
        implicit={
            "csharp": (
                "System",
                "System.Collections.Generic",
                "System.Linq",
                "System.Threading.Tasks",
                "System.Collections.Concurrent",
            )
        },
        namespaces=True,
    ),
)
