"""Questions with what is known to answer them. Lines are 1-based, inclusive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from grainline.model.position import LineSpan


class Place(NamedTuple):
    """Lines of a file that answer a question; `name` is the function's, or "".

    `version` is a ref of the checkout where questions are about several, else "".
    """

    path: bytes
    lines: LineSpan
    name: str = ""
    version: str = ""


class Hop(NamedTuple):
    """One station of a chain of evidence.

    `place` is the function; `lines` are the statements that matter, `role` is source, propagator,
    sanitizer, guard or sink.
    """

    place: Place
    role: str
    lines: tuple[int, ...]


class Edit(NamedTuple):
    """A change of one file: text that stands there once, and what takes its place.

    `old` "" makes the file anew, `new` None deletes it.
    """

    path: bytes
    old: str
    new: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question with what is known to answer it.

    Attributes:
        id: unique in its dataset.
        repository: that it is about.
        commit: of it; "" for the files of a folder as they are.
        language: of the gold.
        text: the question.
        files: gold files.
        functions: gold functions, whole.
        lines: the changed or cited lines (for sets without them: the lines of the functions).
        chain: gold evidence in the order of the flow, empty where that is not the question.
        leak_file: the text gives away a gold path.
        leak_function: the text gives away a gold path or name.
        hidden: a doc comment to blank before anything is indexed.
        kind: class of the question, for slices (`cross-section`, `exact symbol`, ...).
        split: `dev` or `test`.
        ref: the version that is asked about, where the checkout has several.
        principal: who asks, where there is a policy; None may read everything.
        forbidden: places of other versions, or that the principal may not read.
        vulnerable: whether the chain is a weakness, or a safe twin; None: not the question.
        cwe: of the weakness.
        at: where the asker stands (of a completion: the hole), else None.
        expected: the text that a writer should come up with, or "".
        profile: the kind of context that is wanted, a word of `Profile`.
        task: what is to be written beside an answer: "" or `repair`; a hole is told by `at`.
        trial: names a built-in program whose tests decide what was written; "" has none.
        edit: what is changed after the checkout was indexed and before the question is asked.
    """

    id: str
    repository: str
    commit: str
    language: str
    text: str
    files: tuple[bytes, ...]
    functions: tuple[Place, ...] = ()
    lines: tuple[Place, ...] = ()
    chain: tuple[Hop, ...] = ()
    leak_file: bool = False
    leak_function: bool = False
    hidden: Place | None = None
    kind: str = ""
    split: str = "dev"
    ref: str | None = None
    principal: str | None = None
    forbidden: tuple[Place, ...] = ()
    vulnerable: bool | None = None
    cwe: str = ""
    at: Place | None = None
    expected: str = ""
    profile: str = "auto"
    task: str = ""
    trial: str = ""
    edit: Edit | None = None

    @property
    def gold(self) -> tuple[Place, ...]:
        """The gold lines, as exactly as they are known."""
        return self.lines or self.functions
