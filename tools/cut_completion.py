"""Write the holes of the built-in completion set, as `cut` finds them."""

from __future__ import annotations

import json

from grainline.lab.completion import SET, cut
from grainline.lab.corpora import BUILTIN


def main() -> None:
    """Write the question file."""
    found = [json.dumps(row, ensure_ascii=False) + "\n" for row in cut()]
    (BUILTIN / SET / "questions.jsonl").write_text("".join(found), encoding="utf-8")
    print(len(found), "holes")


if __name__ == "__main__":
    main()
