"""The outline: captures of a language's query become `Definition` values.

Every definition is paired with its name, body and documentation by containment: they belong to
the innermost definition around them. One sweep over the captures, no look at the tree.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

from grainline.languages.base import CALLABLE_KINDS, VALUE_KINDS, LanguageSpec, Owner
from grainline.model.position import Span
from grainline.model.symbol import Definition, SymbolKind
from grainline.parsing.tree import Captures

MAX_NESTING = 64
"""Definitions inside definitions; deeper ones are dropped, since descriptors grow with depth."""

MAX_NAME = 512
"""Bytes; a longer name is data, not a name."""

MAX_SIGNATURE = 2048
"""Bytes behind the name."""

_SCOPE = "scope"
_SUFFIXES = {
    SymbolKind.MODULE: "/",
    SymbolKind.NAMESPACE: "/",
    SymbolKind.CLASS: "#",
    SymbolKind.STRUCT: "#",
    SymbolKind.INTERFACE: "#",
    SymbolKind.TRAIT: "#",
    SymbolKind.ENUM: "#",
    SymbolKind.UNION: "#",
    SymbolKind.TYPE: "#",
    SymbolKind.TABLE: "#",
    SymbolKind.MACRO: "!",
    SymbolKind.HEADING: "/",
    SymbolKind.KEY: "/",
    SymbolKind.ELEMENT: "/",
}
"""Descriptor suffixes of SCIP; kinds not listed end in `.`, callables in `().`."""

_MAX = 1 << 62
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_PLAIN = re.compile(r"[\w+$-]+", re.ASCII)


def outline(
    text: bytes,
    spec: LanguageSpec,
    captures: Captures,
    comments: Sequence[Span],
    import_spans: Sequence[Span],
) -> tuple[Definition, ...]:
    """The definitions of a file, by (start, -end); a parent stands before its children."""
    sites = _sites(captures)
    if not sites:
        return ()
    if spec.heading_level is not None:
        _open_sections(text, sites, spec.heading_level)
    if spec.name_before is not None:
        _choose_names(text, sites, spec.name_before)
    frame = _Frame(
        text=text,
        comments=comments,
        comment_ends=[end for _, end in comments],
        attributes=_ranges(captures, "attribute"),
        wraps=_wraps(captures),
    )
    drafts = [draft for site in sites for draft in _drafts(frame, site)]
    drafts.sort()
    return _Builder(spec, frame, import_spans).build(drafts)


class _Site:
    """A captured definition node and what was found inside it."""

    __slots__ = ("body", "docstring", "end", "kind", "names", "receiver", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.names: list[tuple[int, int]] = []
        self.body = -1
        self.receiver: tuple[int, int] | None = None
        self.docstring: tuple[int, int] | None = None


_SITE, _NAME, _RECEIVER, _BODY, _DOCSTRING = range(5)
_PARTS = (("name", _NAME), ("receiver", _RECEIVER), ("body", _BODY), ("docstring", _DOCSTRING))
_KINDS = (*sorted(CALLABLE_KINDS), *(kind for kind in SymbolKind if kind not in CALLABLE_KINDS))
"""The more telling kind of a range captured twice comes first."""


def _sites(captures: Captures) -> list[_Site]:
    """The captured definitions with their parts, in order; one for each captured range."""
    sites: list[_Site] = []
    around: list[_Site] = []
    for start, negative_end, part, kind in sorted(_events(captures)):
        end = -negative_end
        while around and around[-1].end <= start:
            around.pop()
        if part == _SITE:
            site = _Site(kind, start, end)
            sites.append(site)
            around.append(site)
        elif around:
            site = around[-1]
            if end <= site.end:
                _attach(site, part, start, end)
    return sites


def _events(captures: Captures) -> list[tuple[int, int, int, str]]:
    """(start, -end, part, kind) of every capture that makes an outline."""
    kinds: dict[tuple[int, int], str] = {}
    for kind in (*_KINDS, _SCOPE):
        for node in captures.get(kind, ()):
            kinds.setdefault(node.byte_range, kind)
    events = [(start, -end, _SITE, kind) for (start, end), kind in kinds.items()]
    for name, part in _PARTS:
        found = {node.byte_range for node in captures.get(name, ())}
        events.extend((start, -end, part, "") for start, end in found)
    return events


def _attach(site: _Site, part: int, start: int, end: int) -> None:
    if part == _NAME:
        if 0 < end - start <= MAX_NAME and site.body < 0:
            site.names.append((start, end))
    elif part == _BODY:
        if site.body < 0 and site.names:
            site.body = start
    elif part == _RECEIVER:
        first = site.receiver or (start, end)
        site.receiver = first[0], max(first[1], end)
    else:
        site.docstring = site.docstring or (start, end)


def _open_sections(text: bytes, sites: Sequence[_Site], level: Callable[[bytes], int]) -> None:
    """A heading reaches to the next one of its level or a higher one."""
    opened: list[tuple[int, _Site]] = []
    for site in sites:
        own = level(text[site.start : site.end])
        while opened and opened[-1][0] >= own:
            opened.pop()[1].end = site.start
        opened.append((own, site))
    for _, site in opened:
        site.end = len(text)


def _choose_names(text: bytes, sites: Sequence[_Site], before: re.Pattern[bytes]) -> None:
    """Of the values and tags captured as names, the value behind `id=`, else the tag."""
    for site in sites:
        chosen = [at for at in site.names if before.search(text[max(0, at[0] - 64) : at[0]])]
        tags = [at for at in site.names if text[at[0] - 1 : at[0]] in (b"<", b">")]
        site.names = [_unquoted(text, *at) for at in (chosen or tags)[:1]]


def _unquoted(text: bytes, start: int, end: int) -> tuple[int, int]:
    if end - start > 2 and text[start] in b"\"'" and text[end - 1] == text[start]:
        return start + 1, end - 1
    return start, end


def _ranges(captures: Captures, name: str) -> list[tuple[int, int]]:
    return sorted({node.byte_range for node in captures.get(name, ())})


def _wraps(captures: Captures) -> dict[tuple[int, int], tuple[int, int]]:
    """Range of a wrapped node -> range of the wrapper that lends its span."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for node in captures.get("outer", ()):
        inner = [child for child in node.named_children if not child.is_extra]
        if inner:
            found[inner[-1].byte_range] = node.byte_range
    for node in captures.get("outer.single", ()):
        inner = [child for child in node.named_children if not child.is_extra]
        if len(inner) == 1:
            found[inner[0].byte_range] = node.byte_range
    return {inner: outer for inner, outer in found.items() if inner != outer}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """What every definition of a file needs to see."""

    text: bytes
    comments: Sequence[Span]
    comment_ends: Sequence[int]
    attributes: Sequence[tuple[int, int]]
    wraps: Mapping[tuple[int, int], tuple[int, int]]


class _Draft(NamedTuple):
    """A definition before its parents are known; drafts sort by (start, -end)."""

    start: int
    negative_end: int
    name_start: int
    name_end: int
    kind: str
    signature_start: int
    body: int
    receiver: tuple[int, int] | None
    docstring: tuple[int, int] | None


_SHARED = frozenset(kind.value for kind in (*VALUE_KINDS, SymbolKind.ENUM_MEMBER))
"""Kinds that one statement may give to several names."""

_draft = partial(tuple.__new__, _Draft)  # pyright: ignore[reportUnknownMemberType]


def _drafts(frame: _Frame, site: _Site) -> Iterator[_Draft]:
    """One draft for each name of a site: `a, b = 1, 2` is cut before each further name."""
    names = site.names
    if not names:
        return
    if len(names) > 1 and site.kind not in _SHARED:
        names = names[:1]
    if site.kind == SymbolKind.KEY:
        names = [_unquoted(frame.text, *names[0])]
    start, end = site.start, site.end
    if frame.wraps:
        start, end = _wrapped(frame.wraps, start, end)
    head = start
    if frame.attributes:
        start = _with_attributes(frame, start)
        head = _after_attributes(frame, start, names[0][0])
    for index, (name_start, name_end) in enumerate(names):
        own_end = end
        if index + 1 < len(names):
            own_end = _before(frame.text, name_end, names[index + 1][0])
        body = site.body if name_end <= site.body < own_end else -1
        yield _draft(
            (
                start,
                -own_end,
                name_start,
                name_end,
                site.kind,
                head,
                body,
                site.receiver,
                site.docstring,
            )
        )
        start = head = names[index + 1][0] if index + 1 < len(names) else end


def _wrapped(
    wraps: Mapping[tuple[int, int], tuple[int, int]], start: int, end: int
) -> tuple[int, int]:
    span = start, end
    while span in wraps:
        span = wraps[span]
    return span


def _with_attributes(frame: _Frame, start: int) -> int:
    """`start`, moved over the attributes that stand before it; one comment may be between."""
    while True:
        found = _ending_at(frame.text, frame.attributes, start)
        if found is None:
            comment = _ending_at(frame.text, frame.comments, start)
            found = comment and _ending_at(frame.text, frame.attributes, comment[0])
        if found is None:
            return start
        start = found[0]


def _ending_at(text: bytes, spans: Sequence[tuple[int, int]], at: int) -> tuple[int, int] | None:
    """The last of `spans` before `at`, when only white space stands between."""
    index = bisect_left(spans, (at, at)) - 1
    if index < 0 or spans[index][1] > at or text[spans[index][1] : at].strip():
        return None
    return spans[index]


def _after_attributes(frame: _Frame, start: int, name_start: int) -> int:
    """Where the signature begins: behind attributes, white space and comments at `start`."""
    text = frame.text
    skipped = True
    while skipped:
        skipped = False
        for spans in (frame.attributes, frame.comments):
            index = bisect_left(spans, (start, start))
            if index < len(spans) and spans[index][0] == start and spans[index][1] <= name_start:
                rest = text[spans[index][1] : name_start]
                start = name_start - len(rest.lstrip())
                skipped = True
    return start


def _before(text: bytes, low: int, high: int) -> int:
    """The end of what stands in `text[low:high]` before a separator."""
    return low + len(text[low:high].rstrip(b" \t\r\n,*&$(\\"))


class _Scope(NamedTuple):
    """An open definition: what its inside is called."""

    end: int
    prefix: str
    owner: Owner
    row: int


_FILE = _Scope(0, "", Owner(None, ""), -1)


class _Builder:
    """Gives drafts their kinds, parents, descriptors and documentation, in order."""

    def __init__(self, spec: LanguageSpec, frame: _Frame, imports: Sequence[Span]) -> None:
        self._spec = spec
        self._frame = frame
        self._imports = imports
        self._separators = re.compile(spec.receiver_separators)
        self._out: list[Definition] = []
        self._by_descriptor: dict[str, int] = {}
        self._again: dict[str, int] = {}
        self._open: list[_Scope] = []

    def build(self, drafts: Sequence[_Draft]) -> tuple[Definition, ...]:
        around = self._open
        for draft in drafts:
            start = draft.start
            while around and around[-1].end <= start:
                around.pop()
            self._add(draft)
        return tuple(self._out)

    def _add(self, draft: _Draft) -> None:
        start, negative_end, name_start, name_end, word, head, body, receiver, docstring = draft
        text = self._frame.text
        end = -negative_end
        name = text[name_start:name_end].decode("utf-8", "replace")
        around = self._open[-1] if self._open else _FILE
        if word == _SCOPE:
            self._open.append(self._named_scope(name, end, around))
            return
        owner = around if receiver is None else self._receiver(receiver, end, around)
        kind = self._spec.refine(_KIND_OF[word], name, owner.owner, text[start:name_start])
        if kind is None or len(self._open) >= MAX_NESTING:
            return
        if kind in VALUE_KINDS and self._imported(start):
            return
        descriptor = self._descriptor(owner.prefix, name, kind)
        if descriptor is None:
            return
        doc = docstring or _doc_comment(self._frame, start)
        index = len(self._out)
        self._by_descriptor[descriptor] = index
        self._open.append(_Scope(end, descriptor, Owner(kind, name), index))
        self._out.append(
            Definition(
                name,
                kind,
                descriptor,
                start,
                end,
                name_start,
                name_end,
                head,
                _signature_end(text, name_end, body, end, kind),
                *doc,
                owner.row,
            )
        )

    def _imported(self, start: int) -> bool:
        """Whether an import binds it: `const fs = require("fs")` is no variable."""
        index = bisect_right(self._imports, (start, _MAX)) - 1
        return index >= 0 and start < self._imports[index].end

    def _receiver(self, written: tuple[int, int], end: int, around: _Scope) -> _Scope:
        name = self._frame.text[written[0] : written[1]].decode("utf-8", "replace")
        if name in self._spec.ignored_receivers:
            return around
        return self._named_scope(name, end, around)

    def _named_scope(self, written: str, end: int, around: _Scope) -> _Scope:
        """The scope of a type named outside of its own definition."""
        for _ in range(2):
            written = _TYPE_ARGUMENTS.sub("", written)
        names = [part.strip() for part in self._separators.split(written)]
        *outer, last = [name for name in names if name] or [written]
        prefix = around.prefix + "".join(self._outer_part(name) for name in outer)
        prefix += f"{_escaped(last)}#"
        index = self._by_descriptor.get(prefix, -1)
        kind = self._out[index].kind if index >= 0 else SymbolKind.CLASS
        return _Scope(end, prefix, Owner(kind, last), index)

    def _outer_part(self, name: str) -> str:
        part = f"{_escaped(name)}#"
        return part if part in self._by_descriptor else f"{_escaped(name)}/"

    def _descriptor(self, prefix: str, name: str, kind: SymbolKind) -> str | None:
        """The first descriptor that is free; None for a value that is bound again."""
        stem = prefix + self._stem(name, kind)
        opening, closing = ("(", ").") if kind in CALLABLE_KINDS else ("", _SUFFIXES.get(kind, "."))
        first = descriptor = f"{stem}{opening}{closing}"
        taken = self._by_descriptor
        if descriptor not in taken:
            return descriptor
        if kind in self._spec.rebinds:
            return None
        again = self._again.get(first, 0)
        while descriptor in taken:
            again += 1
            descriptor = f"{stem}{opening}+{again}{closing}"
        self._again[first] = again
        return descriptor

    def _stem(self, name: str, kind: SymbolKind) -> str:
        """The name as the descriptor has it; `a::b` of a namespace becomes `a/b`."""
        if kind is SymbolKind.NAMESPACE:
            return "/".join(_escaped(part.strip()) for part in self._separators.split(name))
        return _escaped(name)


_KIND_OF = {kind.value: kind for kind in SymbolKind}


@lru_cache(maxsize=1 << 14)
def _escaped(name: str) -> str:
    """`name` as SCIP spells it inside a descriptor."""
    if _PLAIN.fullmatch(name):
        return name
    return "`" + name.replace("`", "``") + "`"


def _signature_end(text: bytes, name_end: int, body: int, end: int, kind: SymbolKind) -> int:
    """Before the body; without one, the whole of a callable and the first line of a value."""
    if body >= 0:
        end = body
    elif kind not in CALLABLE_KINDS:
        line = text.find(b"\n", name_end, end)
        end = line if line >= 0 else end
    if end > name_end + MAX_SIGNATURE:
        end = name_end + MAX_SIGNATURE
        while text[end] & 0xC0 == 0x80:
            end -= 1
    head = text[name_end:end].rstrip(b" \t\r\n:{=;,")
    return name_end + len(head)


def _doc_comment(frame: _Frame, start: int) -> tuple[int, int]:
    """The block of comments that ends directly above `start`, or an empty span."""
    text = frame.text
    index = bisect_right(frame.comment_ends, start) - 1
    low = high = start
    while index >= 0:
        comment, end = frame.comments[index]
        while end > comment and text[end - 1] in b"\r\n":
            end -= 1
        gap = text[end:low]
        if len(gap) > 1 and (gap.strip() or gap.count(b"\n") > 1):
            break
        if not _begins_line(text, comment) and b"\n" in gap:
            break
        high = end if low == start else high
        low = comment
        index -= 1
    return low, high


def _begins_line(text: bytes, start: int) -> bool:
    line = text.rfind(b"\n", 0, start) + 1
    return not text[line:start].strip()
