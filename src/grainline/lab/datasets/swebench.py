"""Issues and the patches that closed them, as SWE-bench writes them: JSON Lines of the user's own.

Each row has `instance_id`, `repo`, `base_commit`, `problem_statement` and `patch`; gold is what the
patch changes at the base commit. Clones are found in the folder of `--mirror`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grainline.errors import BadInput
from grainline.lab.changed import functions_at, patched_lines
from grainline.lab.datasets._rows import rows
from grainline.lab.datasets.base import Row, Sources
from grainline.lab.labels import given_away, language_of
from grainline.lab.mirror import Checkout, find_clone
from grainline.lab.questions import Place, Question
from grainline.snapshots.repository import open_repository

FIELDS = ("instance_id", "repo", "base_commit", "problem_statement", "patch")


class SweBench:
    """One question a row whose patch changes a file that is there."""

    name = "swebench"
    needs: tuple[str, ...] = ("data", "mirror")

    def questions(self, sources: Sources) -> Iterator[Question]:
        """In file order."""
        assert sources.data is not None, "in `needs`"
        if not sources.data.is_file():
            raise BadInput("not_found", f"no file {str(sources.data)!r}", hint="give --data FILE")
        for number, row in enumerate(rows(sources.data), 1):
            missing = [field for field in FIELDS if field not in row]
            if missing:
                where = f"{sources.data.name}:{number}"
                raise BadInput("bad_dataset", f"no {missing[0]!r} in this row", subject=where)
            yield from _question(row, sources)

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The clone at the base commit."""
        assert sources.mirror is not None, "in `needs`"
        first = group[0]
        return Checkout(
            repository=first.repository,
            commit=first.commit,
            clone=find_clone(sources.mirror, first.repository),
            scratch=sources.scratch,
        )


def _question(row: Row, sources: Sources) -> Iterator[Question]:
    assert sources.mirror is not None, "in `needs`"
    changed = {path.encode(): at for path, at in patched_lines(row["patch"]).items()}
    with open_repository(str(find_clone(sources.mirror, row["repo"]))) as repository:
        _, entries = repository.snapshot(row["base_commit"])
        found = repository.read(entry for entry in entries if entry.path in changed)
        files = {entry.path: data for entry, data, _ in found if isinstance(data, bytes)}
    if not files:
        return
    functions = [each for path in files for each in functions_at(path, files[path], changed[path])]
    lines = [Place(path, at) for path in files for at in changed[path]]
    leak_file, leak_function = given_away(row["problem_statement"], functions or lines)
    yield Question(
        id=row["instance_id"],
        repository=row["repo"],
        commit=row["base_commit"],
        language=language_of(next(iter(files)), files),
        text=row["problem_statement"],
        files=tuple(files),
        functions=tuple(functions),
        lines=tuple(lines),
        leak_file=leak_file,
        leak_function=leak_function,
    )


DATASET = SweBench()
