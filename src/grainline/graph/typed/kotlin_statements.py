"""Branches and variables of Kotlin."""

from __future__ import annotations

from typing import Any

from grainline.graph.typed.kotlin_frames import KotlinFrame, Way
from grainline.graph.typed.kotlin_operators import KotlinOperators
from grainline.graph.typed.kotlin_references import is_value
from grainline.graph.typed.program import File
from grainline.graph.typed.references import Body
from grainline.graph.typed.types import NULL, Type, cut
from grainline.model.ir import (
    ASSIGNS,
    LIMITED,
    Arm,
    Branch,
    Op,
    ScopeKind,
)


class KotlinStatements(KotlinOperators):
    """What conditions say, and what is stored."""

    def _arm(self, frame: KotlinFrame, kind: int, test: int) -> None:
        region = frame.regions[-1]
        frame.env, frame.narrow = dict(region.env), dict(region.narrow)
        if region.branch != Branch.IF:
            return
        known = [(each, False) for each, _ in region.tests]
        if test >= 0:
            known.append((test, True))
        for each, truth in known:
            self._assume(frame, each, truth=truth)
        if kind == Arm.AFTER:
            return
        region.otherwise = region.otherwise or test < 0
        region.ways.append(Way(known))
        if test >= 0:
            region.tests.append((test, True))

    def _leave(self, frame: KotlinFrame) -> None:
        if frame.regions and frame.regions[-1].ways:
            frame.regions[-1].ways[-1].leaves = True

    def _end(self, frame: KotlinFrame) -> None:
        region = frame.regions.pop()
        frame.env, frame.narrow = region.env, region.narrow
        if region.branch != Branch.IF or not region.ways:
            return
        going = [way for way in region.ways if not way.leaves]
        if not region.otherwise:
            going.append(Way([(test, False) for test, _ in region.tests]))
        if len(going) == 1:
            for test, truth in going[0].tests:
                self._assume(frame, test, truth=truth)
        elif not going:
            self._leave(frame)

    def _assume(self, frame: KotlinFrame, test: int, *, truth: bool) -> None:
        """What holds when a condition does, or does not."""
        file = frame.file
        open_ = [(test, truth)]
        while open_:
            op, wanted = open_.pop()
            code, a, b, c, _, _ = file.ops[op]
            if code != Op.OPERATE:
                continue
            word = file.names[c]
            if word == "!" and b < 0:
                open_.append((a, not wanted))
            elif word == ("&&" if wanted else "||"):
                open_ += [(b, wanted), (a, wanted)]
            elif word == ("is" if wanted else "!is"):
                path = self.path(file, a)
                kind = self.names.type_of(file, b, frame.scope)
                if path and kind is not None:
                    frame.narrow[path] = kind

    def _store(self, frame: KotlinFrame, op: int, *, outside: bool) -> Body:
        file = frame.file
        _, a, b, assigns, _, _ = file.ops[op]
        name, values = file.names[a], self.values[file.number]
        before = file.ops[op - 1]
        declared = before[0] == Op.ANNOTATE and before[1] == a
        if file.ops[b][0] == Op.IMPORT or (not declared and _is_defined(file, b)):
            return None
        if assigns == ASSIGNS:
            yield from self._assign(frame, name, b)
            return None
        written = declared and file.ops[before[2]][0] != Op.CONST
        wanted = self.names.type_of(file, before[2], frame.scope) if written else None
        if is_value(values[b]):
            yield from self._settled_as(frame, b, wanted, doubt=False)
        kind = values[b]
        if not written:
            wanted = None if kind is not None and (kind[0] in "frtks" or kind == NULL) else kind
        if not outside:
            frame.env[name] = frame.declared[name] = wanted
        elif not written:
            seen = wanted if assigns == LIMITED else self.names.outside_of(wanted)
            self.members.inferred[file.number, b] = cut(seen)
        if self.carries(kind) or self.carries(wanted):
            place = self._place_of(frame, name, outside=outside)
            self.flow.move(self.flow.of(file.number, b), place)
        return None

    def _place_of(self, frame: KotlinFrame, name: str, *, outside: bool) -> tuple[Any, ...]:
        """What holds the value of a declared variable or property."""
        if not outside:
            return ("v", frame.file.number, frame.scope, name)
        return ("f", frame.number, name) if frame.number >= 0 else ("g", frame.file.number, name)

    def _assign(self, frame: KotlinFrame, name: str, b: int) -> Body:
        file = frame.file
        wanted, place = self._assigned(frame, name)
        if is_value(self.values[file.number][b]):
            yield from self._settled_as(frame, b, wanted, doubt=wanted is None)
        if place is not None and self.carries(self.values[file.number][b]):
            self.flow.move(self.flow.of(file.number, b), place)
        frame.assigned(name)
        return None

    def _assigned(self, frame: KotlinFrame, name: str) -> tuple[Type, tuple[Any, ...] | None]:
        for level in self.levels(frame):
            if level.frame is not None:
                if name in level.frame.env:
                    at = level.frame
                    return at.declared.get(name), ("v", at.file.number, at.scope, name)
                continue
            found = self.members.field(level.receiver, name)
            if found is not None:
                return found[1], ("f", found[0].number, name)
        file = frame.file
        if name in file.values:
            return self.members.declared(file, file.values[name], 0), ("g", file.number, name)
        return None, None

    def _set(self, frame: KotlinFrame, a: int, name: str, c: int) -> Body:
        values = self.values[frame.file.number]
        owner = values[a]
        field = self.members.field(owner, name)
        if is_value(values[c]):
            wanted = field[1] if field is not None else None
            yield from self._settled_as(frame, c, wanted, doubt=field is None)
        if field is not None and self.carries(values[c]):
            place = ("f", field[0].number, name)
            self.flow.move(self.flow.of(frame.file.number, c), place)
        path = self.path(frame.file, a)
        if path:
            frame.narrow.pop((*path, name), None)
        return None


def _is_defined(file: File, op: int) -> bool:
    """Whether an operation defines a class or function that has a name."""
    code, a, _, _, _, _ = file.ops[op]
    return code == Op.CLASS or (code == Op.FUNCTION and file.scopes[a].kind == ScopeKind.FUNCTION)
