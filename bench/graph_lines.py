"""What `grainline index FOLDER` and `grainline graph --edges calls --format lines` print, in one go.

    python bench/graph_lines.py FOLDER
    SCORER SNIPPETS --tool cmd --cmd "python bench/graph_lines.py {dir}"

For a scorer that asks about a hundred folders: the home is in memory, one worker reads.
"""

from __future__ import annotations

import sys

from grainline.engine import MEMORY, Engine
from grainline.indexing.pipeline import IndexOptions
from grainline.surfaces.drawings.base import DRAWINGS


def main(folder: str) -> None:
    """Print the lines."""
    engine = Engine.open(MEMORY)
    engine.index(folder, options=IndexOptions(workers=1))
    print(DRAWINGS.get("lines").draw(engine.graph()), end="")
    engine.close()


if __name__ == "__main__":
    main(sys.argv[1])
