"""The outline: captures of a language's query become `Definition` values.

Every definition is paired with its name, body and documentation by containment: they belong to
the innermost definition around them. One sweep over the captures, no look at the tree.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

from grainline.languages.base import CALLABLE_KINDS, VALUE_KINDS, LanguageSpec, Owner
from grainline.model.position import Span
from grainline.model.symbol import Definition, SymbolKind
from grainline.parsing.tree import Captures

Ranges: TypeAlias = "Mapping[str, list[tuple[int, int]]]"
"""Capture name -> byte ranges, in order of capture."""

MAX_NESTING = 64
"""Definitions inside definitions; deeper ones are dropped, since descriptors grow with depth."""

MAX_NAME = 512
"""Bytes; a longer name is data, not a name."""

MAX_DESCRIPTOR = 4096
"""Characters of what stands around a definition; deeper ones are dropped."""

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
    ranges: Ranges,
    wrapped: Mapping[tuple[int, int], tuple[int, int]],
    comments: Sequence[Span],
    import_spans: Sequence[Span],
) -> tuple[Definition, ...]:
    """The definitions of a file, by (start, -end); a parent stands before its children."""
    sites = _sites(ranges)
    if not sites:
        return ()
    if spec.heading_level is not None:
        _open_sections(text, sites, spec.heading_level)
    if spec.name_before is not None:
        _choose_names(text, sites, spec.name_before)
    frame = _frame(text, ranges, wrapped, comments)
    drafts: list[_Draft] = []
    for site in sites:
        if site.names:
            drafts.extend(_drafts(frame, site))
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
_KINDS = (
    _SCOPE,
    *(kind.value for kind in reversed(SymbolKind) if kind not in CALLABLE_KINDS),
    *sorted(kind.value for kind in CALLABLE_KINDS),
)
"""Captures that are definitions; the more telling kind of a range captured twice comes last."""


def _sites(ranges: Ranges) -> list[_Site]:
    """The captured definitions with their parts, in order; one for each captured range."""
    sites: list[_Site] = []
    around: list[_Site] = []
    for start, negative_end, part, kind in sorted(_events(ranges)):
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


def _events(ranges: Ranges) -> list[tuple[int, int, int, str]]:
    """(start, -end, part, kind) of every capture that makes an outline."""
    kinds: dict[tuple[int, int], str] = {}
    for kind in _KINDS:
        if kind in ranges:
            kinds.update(dict.fromkeys(ranges[kind], kind))
    events = [(start, -end, _SITE, kind) for (start, end), kind in kinds.items()]
    for name, part in _PARTS:
        if name in ranges:
            events += [(start, -end, part, "") for start, end in set(ranges[name])]
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


def wraps(captures: Captures) -> dict[tuple[int, int], tuple[int, int]]:
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
    """What every definition of a file needs to see; every lookup is by position.

    `after`: start of an attribute -> start of what follows it; `before` is its inverse. `docs`:
    position -> the block of comments that documents what stands there.
    """

    text: bytes
    wraps: Mapping[tuple[int, int], tuple[int, int]]
    after: Mapping[int, int]
    before: Mapping[int, int]
    docs: Mapping[int, tuple[int, int]]


_SPACE = re.compile(rb"\s*")
_LINE_END = re.compile(rb"[ \t\f\r]*(?:\n[ \t\f\r]*)?")


def _frame(
    text: bytes,
    ranges: Ranges,
    wrapped: Mapping[tuple[int, int], tuple[int, int]],
    comments: Sequence[Span],
) -> _Frame:
    attributes = sorted(set(ranges.get("attribute", ())))
    comment_ends = dict(comments) if attributes else {}
    after: dict[int, int] = {}
    for start, end in attributes:
        at = _SPACE.match(text, end).end()  # type: ignore[union-attr] # matches anywhere
        while at in comment_ends:
            at = _SPACE.match(text, comment_ends[at]).end()  # type: ignore[union-attr]
        after[start] = at
    return _Frame(
        text=text,
        wraps=wrapped,
        after=after,
        before={at: start for start, at in after.items()},
        docs=_docs(text, comments),
    )


def _docs(text: bytes, comments: Sequence[Span]) -> dict[int, tuple[int, int]]:
    """What stands directly below (or behind) a block of comments -> that block."""
    found: dict[int, tuple[int, int]] = {}
    for start, end in comments:
        while end > start and text[end - 1] in b"\r\n":
            end -= 1
        gap = _LINE_END.match(text, end)
        at = gap.end() if gap else end
        if _begins_line(text, start):
            found[at] = found[start][0] if start in found else start, end
        elif b"\n" not in text[end:at]:
            found[at] = start, end
    return found


def _begins_line(text: bytes, start: int) -> bool:
    if start == 0 or text[start - 1] == 0x0A:
        return True
    line = text.rfind(b"\n", max(0, start - _MAX_INDENT), start) + 1
    return start - line < _MAX_INDENT and not text[line:start].strip()


_MAX_INDENT = 1024


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


def _drafts(frame: _Frame, site: _Site) -> list[_Draft]:
    """One draft for each name of a site: `a, b = 1, 2` is cut before each further name."""
    names = site.names
    kind = site.kind
    start, end = site.start, site.end
    span = start, end
    while span in frame.wraps:
        span = frame.wraps[span]
        start, end = span
    while start in frame.before:
        start = frame.before[start]
    head = start
    while head in frame.after and frame.after[head] <= names[0][0]:
        head = frame.after[head]
    if len(names) > 1 and kind in _SHARED:
        return _shared_drafts(frame.text, site, start, end, head)
    at = names[0]
    if kind == "key":
        at = _unquoted(frame.text, *at)
    body = site.body
    return [_draft((start, -end, *at, kind, head, body, site.receiver, site.docstring))]


def _shared_drafts(text: bytes, site: _Site, start: int, end: int, head: int) -> list[_Draft]:
    drafts: list[_Draft] = []
    following = [*site.names[1:], (end, end)]
    for (name_start, name_end), (following_start, _) in zip(site.names, following, strict=True):
        own_end = end
        if following_start != end:
            own_end = _before(text, name_end, following_start)
        body = site.body if name_end <= site.body < own_end else -1
        own = (start, -own_end, name_start, name_end, site.kind, head, body, site.receiver, None)
        drafts.append(_draft(own))
        start = head = following_start
    return drafts


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
_scope = partial(tuple.__new__, _Scope)  # pyright: ignore[reportUnknownMemberType]
_owner = partial(tuple.__new__, Owner)  # pyright: ignore[reportUnknownMemberType]
_definition = partial(tuple.__new__, Definition)  # pyright: ignore[reportUnknownMemberType]


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
            start = draft[0]
            while around and around[-1][0] <= start:
                around.pop()
            self._add(draft, around[-1] if around else _FILE)
        return tuple(self._out)

    def _add(self, draft: _Draft, around: _Scope) -> None:
        start, negative_end, name_start, name_end, word, head, body, receiver, docstring = draft
        text = self._frame.text
        end = -negative_end
        name = text[name_start:name_end].decode("utf-8", "replace")
        if word == _SCOPE:
            self._open.append(self._named_scope(name, end, around))
            return
        owner = around if receiver is None else self._receiver(receiver, end, around)
        kind = self._spec.refine(_KIND_OF[word], name, owner.owner, text[start:name_start])
        if kind is None or len(self._open) >= MAX_NESTING or len(owner.prefix) > MAX_DESCRIPTOR:
            return
        if self._imports and kind in VALUE_KINDS and self._imported(start):
            return
        descriptor = self._descriptor(owner.prefix, name, kind)
        if descriptor is None:
            return
        doc = docstring or self._frame.docs.get(start, (start, start))
        signature_end = _signature_end(text, name_end, body, end, kind)
        row = len(self._out)
        self._by_descriptor[descriptor] = row
        self._open.append(_scope((end, descriptor, _owner((kind, name)), row)))
        names = name, kind, descriptor, start, end, name_start, name_end
        self._out.append(_definition((*names, head, signature_end, *doc, owner.row)))

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
        stem = name if name.isidentifier() and name.isascii() else self._stem(name, kind)
        opening, closing = _ENDINGS[kind]
        descriptor = f"{prefix}{stem}{opening}{closing}"
        taken = self._by_descriptor
        if descriptor not in taken:
            return descriptor
        if kind in self._spec.rebinds:
            return None
        first = descriptor
        again = self._again.get(first, 0)
        while descriptor in taken:
            again += 1
            descriptor = f"{prefix}{stem}{opening}+{again}{closing}"
        self._again[first] = again
        return descriptor

    def _stem(self, name: str, kind: SymbolKind) -> str:
        """The name as the descriptor has it; `a::b` of a namespace becomes `a/b`."""
        if kind is SymbolKind.NAMESPACE:
            return "/".join(_escaped(part.strip()) for part in self._separators.split(name))
        return _escaped(name)


_ENDINGS = {
    kind: ("(", ").") if kind in CALLABLE_KINDS else ("", _SUFFIXES.get(kind, "."))
    for kind in SymbolKind
}
_KIND_OF = {kind.value: kind for kind in SymbolKind}


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
