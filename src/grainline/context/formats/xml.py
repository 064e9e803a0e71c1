"""XML for models that like tags: content escaped, never in CDATA."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grainline.context.frame import Frame, shown_query
from grainline.model.evidence import ContextItem, Step
from grainline.model.position import quote_path

# Characters that XML 1.0 does not allow, even as references; they become U+FFFD.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_QUOTED = {**_ENTITIES, '"': "&quot;", "\n": "&#10;", "\t": "&#9;"}


class Xml:
    """`<` and `&` of content are entities, so no content closes an element."""

    name = "xml"

    def item(self, item: ContextItem) -> str:
        """One `<item>`."""
        head = _tag(
            "item",
            citation=str(item.place.citation),
            repo=item.place.repository,
            symbol=item.symbol.qualified_name if item.symbol else "",
            language=item.place.language,
            role=str(item.role),
            level=str(item.level),
            lines=",".join(f"{span.start}-{span.end}" for span in item.spans),
            flags=",".join(sorted({str(flag.name) for flag in item.place.flags})),
            why=item.why,
            tokens=str(item.tokens),
        )
        via = "".join(_via(step) for step in item.via)
        return f"<{head}>\n{via}<code>{text(item.text)}</code>\n</item>\n"

    def document(self, frame: Frame, items: Sequence[ContextItem]) -> str:
        """The `<context>` element."""
        head = _tag("context", query=shown_query(frame), profile=frame.profile)
        body = "".join(self.item(item) for item in items)
        notes = "".join(f"<note>{text(note)}</note>\n" for note in frame.notes)
        return f"<{head}>\n{body}{notes}{_coverage(frame)}</context>\n"


def _via(step: Step) -> str:
    site = f"{quote_path(step.path)}:{step.line}" if step.line else ""
    head = _tag(
        "via",
        type=step.type,
        src=step.src,
        dst=step.dst,
        at=site,
        tier=step.tier,
        methods=",".join(step.methods),
        candidates=str(step.candidates),
    )
    return f"<{head}/>\n"


def _coverage(frame: Frame) -> str:
    record = frame.coverage
    if frame.brief >= 2:
        return f"<{_tag('coverage', state=str(record.state), omitted=str(frame.omitted))}/>\n"
    head = _tag(
        "coverage",
        state=str(record.state),
        omitted=str(frame.omitted),
        budget=str(frame.budget),
        tokens=str(frame.tokens),
        tokenizer=frame.tokenizer,
        snapshots=str(len(record.snapshots)),
    )
    if frame.brief:
        return f"<{head}/>\n"
    rows = [
        _tag(
            "snapshot",
            repo=state.repository,
            ref=state.snapshot.ref or "",
            commit=state.snapshot.commit,
            dirty="yes" if state.snapshot.dirty else "",
            generation=state.generation,
        )
        for state in record.snapshots
    ]
    rows.extend(_tag("channel", name=name, state=state) for name, state in record.channels)
    rows.extend(
        _tag("not_covered", reason=reason, count=str(count)) for reason, count in record.not_covered
    )
    warnings = "".join(f"<warning>{text(line)}</warning>\n" for line in record.warnings)
    return f"<{head}>\n" + "".join(f"<{row}/>\n" for row in rows) + warnings + "</coverage>\n"


def _tag(tag: str, /, **attributes: str) -> str:
    shown = (f' {key}="{attribute(value)}"' for key, value in attributes.items() if value)
    return tag + "".join(shown)


def text(value: str) -> str:
    """`value` as element content."""
    return _escape(value, _ENTITIES)


def attribute(value: str) -> str:
    """`value` inside double quotes."""
    return _escape(value, _QUOTED)


def _escape(value: str, entities: dict[str, str]) -> str:
    return "".join(entities.get(char, char) for char in _FORBIDDEN.sub("\ufffd", value))


FORMAT = Xml()
